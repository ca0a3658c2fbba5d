"""Cases of ms_kernels.ops.recurrent: the cells step by step, as their papers have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

GATES = {"tanh": 1, "relu": 1, "lstm": 4, "gru": 3}
ROUGH = {"float16": (2e-2, 5e-3), "bfloat16": (8e-2, 4e-2), "float32": (3e-5, 1e-5)}
SIZE = 5


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _order(count: int, reverse: bool) -> range:
    return range(count - 1, -1, -1) if reverse else range(count)


def _live(lengths: Any, t: int, batch: int) -> Any:
    return np.ones((batch, 1), bool) if lengths is None else (t < np.asarray(lengths))[:, None]


def _scan(
    x: Any, h: Any, c: Any, w: Any, b: Any, lengths: Any = None, cell: str = "tanh", reverse: bool = False
) -> Any:
    count, batch, size = x.shape[0], x.shape[1], h.shape[1]
    y, kept = np.zeros((count, batch, size)), [np.zeros((batch, 0))] * count
    for t in _order(count, reverse):
        a = h @ w.T + (0 if b is None else b)
        if cell == "lstm":
            i, f, g, o = np.split(x[t] + a, 4, 1)
            i, f, g, o = _sigmoid(i), _sigmoid(f), np.tanh(g), _sigmoid(o)
            state = f * c + i * g
            new, parts = o * np.tanh(state), [i, f, g, o, state]
        elif cell == "gru":
            q = a[:, 2 * size :]
            r, z = np.split(_sigmoid(x[t] + a)[:, : 2 * size], 2, 1)
            n = np.tanh(x[t][:, 2 * size :] + r * q)
            new, parts, state = (1 - z) * n + z * h, [r, z, n, q], c
        else:
            new, parts, state = np.tanh(x[t] + a) if cell == "tanh" else np.maximum(x[t] + a, 0), [], c
        live = _live(lengths, t, batch)
        y[t], h = np.where(live, new, 0), np.where(live, new, h)
        c = None if c is None else np.where(live, state, c)
        if parts:
            kept[t] = np.where(live, np.concatenate(parts, 1), 0)
    saved = np.stack(kept) if count else np.zeros((0, batch, {"lstm": 5, "gru": 4}.get(cell, 0) * size))
    return y, h, np.zeros((0, size)) if c is None else c, saved


def _grad(
    gy: Any,
    gh: Any,
    gc: Any,
    y: Any,
    saved: Any,
    h0: Any,
    c0: Any,
    w: Any,
    lengths: Any,
    cell: str,
    reverse: bool,
    has_bias: bool,
) -> Any:
    count, batch, size = y.shape
    dx, dw, db = np.zeros((count, batch, w.shape[0])), np.zeros(w.shape), np.zeros(w.shape[0])
    dh, dc = gh, gc if cell == "lstm" else 0
    back = list(_order(count, reverse))[::-1]
    for place, t in enumerate(back):
        live = _live(lengths, t, batch)
        before = back[place + 1] if place + 1 < count else None
        started = live if before is None else _live(lengths, before, batch)
        h = h0 if before is None else np.where(started, y[before], h0)
        d = gy[t] + dh
        parts = np.split(saved[t], max(saved.shape[2] // size, 1), 1)
        if cell == "lstm":
            i, f, g, o, state = parts
            c = c0 if before is None else np.where(started, saved[before][:, 4 * size :], c0)
            top = np.tanh(state)
            ds = dc + d * o * (1 - top**2)
            da = np.concatenate(
                [ds * g * i * (1 - i), ds * c * f * (1 - f), ds * i * (1 - g**2), d * top * o * (1 - o)], 1
            )
            through, dc, dr = 0, np.where(live, ds * f, dc), da
        elif cell == "gru":
            r, z, n, q = parts
            dn = d * (1 - z) * (1 - n**2)
            gates = [dn * q * r * (1 - r), d * (h - n) * z * (1 - z)]
            da, dr, through = np.concatenate([*gates, dn], 1), np.concatenate([*gates, dn * r], 1), d * z
        else:
            da = d * (1 - y[t] ** 2) if cell == "tanh" else d * (y[t] > 0)
            through, dr = 0, da
        dx[t], dr = np.where(live, da, 0), np.where(live, dr, 0)
        dw, db = dw + dr.T @ h, db + dr.sum(0)
        dh = np.where(live, dr @ w + through, dh)
    return dx, dh, dc if cell == "lstm" else np.zeros((0, size)), dw, db if has_bias else np.zeros(0)


def _one(
    m: Maker, cell: str, count: int = 3, batch: int = 2, bias: bool = True, lengths: Any = None, back: bool = False
) -> Any:
    gates = GATES[cell] * SIZE
    x, h, w, b = (
        m(count, batch, gates, low=-1, high=1),
        m(batch, SIZE, low=-1, high=1),
        m(gates, SIZE, low=-1, high=1),
        m(gates),
    )
    if cell == "relu":  # away from the kink
        x, w = m.away(count, batch, gates, gap=1.5), m(gates, SIZE, low=-0.1, high=0.1)
        h, b = m(batch, SIZE, low=-1, high=1), m(gates, low=-0.1, high=0.1)
    c = m(batch, SIZE, low=-1, high=1) if cell == "lstm" else None
    return x, h, c, w, b if bias else None, None if lengths is None else np.array(lengths), cell, back


def _inputs(m: Maker) -> Any:
    return [
        _one(m, "tanh"),
        _one(m, "relu", bias=False),
        _one(m, "lstm", 4, 7, bias=False),
        _one(m, "lstm", 3, 3, lengths=[2, 0, 5], back=True),
        _one(m, "gru", 4, 3, lengths=[1, 4, 2]),
        _one(m, "gru", 3, 2, back=True),
        _one(m, "tanh", 3, 3, lengths=[3, 1, 2], back=True),
        _one(m, "lstm", 0, 2),
        _one(m, "gru", 2, 0),
    ]


def _grad_inputs(m: Maker) -> Any:
    found = []
    for x, h, c, w, b, lengths, cell, back in _inputs(m):
        wide: list[Any] = [None if v is None else v.astype(np.float64) for v in (x, h, c, w, b)]
        y, _, _, saved = _scan(wide[0], wide[1], wide[2], wide[3], wide[4], lengths, cell, back)
        kind = np.float64 if m.dtype == "float64" else np.float32
        grads = (
            m(*y.shape, low=-1, high=1),
            m(*h.shape, low=-1, high=1),
            m(*(h.shape if cell == "lstm" else (0, SIZE)), low=-1, high=1),
        )
        found.append((*grads, y.astype(m.np), saved.astype(kind), h, c, w, lengths, cell, back, b is not None))
    return found


def _packed(
    x: Any, h: Any, c: Any, w: Any, size: int, hidden: int, layers: int, bias: bool, both: bool, _dropout: float
) -> Any:
    ways, flat, out, ends = 2 if both else 1, w.ravel(), x, []
    inputs = [size] * ways + [ways * hidden] * (ways * (layers - 1))
    shapes = [(4 * hidden, n) for n in inputs] + [(4 * hidden, hidden)] * len(inputs) + [(4 * hidden,)] * len(inputs)
    places = np.cumsum([0] + [int(np.prod(s)) for s in shapes])
    pieces = [flat[a : a + int(np.prod(s))].reshape(s) for a, s in zip(places, shapes) if bias or len(s) == 2]
    for layer in range(layers):
        outs = []
        for at in range(layer * ways, (layer + 1) * ways):
            weight, b = pieces[len(inputs) + at], pieces[2 * len(inputs) + at] if bias else None
            y, end, cell, _ = _scan(out @ pieces[at].T, h[at], c[at], weight, b, None, "lstm", at % ways == 1)
            outs.append(y)
            ends.append((end, cell))
        out = np.concatenate(outs, 2)
    nothing = np.zeros((1, 1))
    return out, np.stack([e for e, _ in ends]), np.stack([e for _, e in ends]), nothing, nothing


def _packed_inputs(m: Maker) -> Any:
    def one(size: int, layers: int, bias: bool, both: bool) -> Any:
        ways, hidden = 2 if both else 1, 2
        count = 8 * ways * (size + hidden + bias + (layers - 1) * (ways * hidden + hidden + bias))
        parts = m(3, 2, size), m(layers * ways, 2, hidden), m(layers * ways, 2, hidden), m(count, 1, 1, low=-1, high=1)
        return (*parts, size, hidden, layers, bias, both, 0.0)

    return [one(3, 1, True, False), one(3, 1, False, True), one(2, 2, True, False), one(3, 2, True, True)]


CASES = {
    "lstm_packed": Case(_packed, _packed_inputs, FLOAT, tolerance=ROUGH, results=3),
    "recurrent_scan": Case(_scan, _inputs, FLOAT, tolerance=ROUGH, results=3),
    "recurrent_scan_grad": Case(
        _grad, _grad_inputs, FLOAT, 0, {**ROUGH, "float16": (2e-2, 2e-2), "bfloat16": (8e-2, 0.15)}
    ),
}
