"""Cases of the optimizer families: ms_kernels.ops.optim_*."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

NOTE = "it changes its operands, through which no gradient passes"
LOOSE = {"float16": (2e-2, 2e-2), "bfloat16": (8e-2, 8e-2), "float32": (1e-4, 1e-5)}
NUMBERS = (0.5, 0.75, 0.1, 0.5, 0.75, 0.01)  # powers of the betas, rate, betas, epsilon


def _case(oracle: Callable[..., Any], inputs: Callable[[Maker], Any], dtypes: tuple[str, ...] = FLOAT) -> Case:
    return Case(oracle, inputs, dtypes, grad=0, tolerance=LOOSE, views=False, note=NOTE)


def _momentum(v: Any, a: Any, lr: float, g: Any, momentum: float, nesterov: bool = False, scale: float = 1.0) -> Any:
    g = g * scale
    a = a * momentum + g
    return v - lr * (g + a * momentum if nesterov else a)


def _sgd(
    v: Any,
    g: Any,
    lr: float,
    a: Any,
    momentum: float,
    stat: Any,
    dampening: float = 0.0,
    decay: float = 0.0,
    nesterov: bool = False,
) -> Any:
    g = g + decay * v
    a = np.where(stat > 0, g, a * momentum + g * (1 - dampening))
    return v - lr * (g + a * momentum if nesterov else a)


def _rms(v: Any, s: Any, m: Any, lr: float, g: Any, decay: float, momentum: float, eps: float) -> Any:
    s = s * decay + g * g * (1 - decay)
    return v - (m * momentum + lr * g / np.sqrt(s + eps))


def _centred(v: Any, d: Any, s: Any, m: Any, g: Any, lr: float, decay: float, momentum: float, eps: float) -> Any:
    d, s = d * decay + g * (1 - decay), s * decay + g * g * (1 - decay)
    return v - (m * momentum + lr * g / np.sqrt(s - d * d + eps))


def _adagrad(v: Any, a: Any, lr: float, g: Any, update: bool = True) -> Any:
    a = a + g * g if update else a
    return v - lr * g / np.sqrt(a), a


def _adagrad_v2(v: Any, a: Any, lr: float, g: Any, eps: float, update: bool = True) -> Any:
    a = a + g * g if update else a
    return v - lr * g / (np.sqrt(a) + eps), a


def _averaged(v: Any, a: Any, s: Any, g: Any, lr: float, l1: float, l2: float, step: int) -> Any:
    a, s = a + g, s + g * g
    return -lr * np.sign(a) * np.maximum(np.abs(a) - l1 * step, 0) / (l2 * step * lr + np.sqrt(s))


def _adadelta(v: Any, a: Any, u: Any, lr: float, rho: float, eps: float, g: Any) -> Any:
    a = a * rho + g * g * (1 - rho)
    step = np.sqrt(u + eps) / np.sqrt(a + eps) * g
    return v - lr * step, a, u * rho + step * step * (1 - rho)


def _signed(power: bool) -> Any:
    def oracle(v: Any, m: Any, lr: float, base: float, decay: float, beta: float, g: Any) -> Any:
        m = m * beta + g * (1 - beta)
        s = decay * np.sign(g) * np.sign(m)
        return v - lr * (np.exp(base * s) if power else base + s) * g, m

    return oracle


def _shrunk(v: Any, step: Any, l1: float, l2: float) -> Any:
    return np.sign(v) * np.maximum(np.abs(v) - step * l1, 0) / (1 + step * l2)


def _proximal(v: Any, a: Any, lr: float, l1: float, l2: float, g: Any) -> Any:
    a = a + g * g
    step = lr / np.sqrt(a)
    return _shrunk(v - step * g, step, l1, l2), a


def _adam(
    p: Any,
    m: Any,
    v: Any,
    power1: float,
    power2: float,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    g: Any,
    nesterov: bool = False,
) -> Any:
    m, v = m * beta1 + g * (1 - beta1), v * beta2 + g * g * (1 - beta2)
    way = m * beta1 + g * (1 - beta1) if nesterov else m
    return p - lr * np.sqrt(1 - power2) / (1 - power1) * way / (np.sqrt(v) + eps), m, v


def _decayed(
    p: Any, m: Any, v: Any, lr: float, beta1: float, beta2: float, eps: float, decay: float, g: Any, norm: Any = None
) -> Any:
    g = g / (norm or 1)
    m, v = m * beta1 + g * (1 - beta1), v * beta2 + g * g * (1 - beta2)
    return p - lr * (m / (np.sqrt(v) + eps) + decay * p), m, v


def _amsgrad(
    p: Any,
    m: Any,
    v: Any,
    top: Any,
    power1: float,
    power2: float,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    g: Any,
) -> Any:
    m, v = m * beta1 + g * (1 - beta1), v * beta2 + g * g * (1 - beta2)
    top = np.maximum(top, v)
    return p - lr * np.sqrt(1 - power2) / (1 - power1) * m / (np.sqrt(top) + eps), m, v, top


def _ada_max(p: Any, m: Any, v: Any, power: float, lr: float, beta1: float, beta2: float, eps: float, g: Any) -> Any:
    m, v = m * beta1 + g * (1 - beta1), np.maximum(v * beta2, np.abs(g))
    return p - lr / (1 - power) * m / (v + eps), m, v


def _ftrl(v: Any, a: Any, z: Any, g: Any, lr: float, l1: float, l2: float, power: float) -> Any:
    new = a + g * g
    z = z + g - (new**-power - a**-power) / lr * v
    v = np.where(np.abs(z) > l1, (np.sign(z) * l1 - z) / (new**-power / lr + 2 * l2), 0)
    return v, new, z


def _of_rows(step: Any, fused: bool, whole: bool = False) -> Any:
    """A step for some rows of tensors: ``oracle(tensors, gradient, rows, numbers)``."""

    def oracle(tensors: Any, g: Any, rows: Any, numbers: Any) -> Any:
        out = [np.array(t) for t in tensors]
        if fused or whole:
            total = np.zeros_like(out[0])
            np.add.at(total, rows, g)
            rows = slice(None) if whole else np.unique(rows)
            for t, new in zip(out, step(*(t[rows] for t in out), total[rows], *numbers)):
                t[rows] = new
        else:
            for row, part in zip(rows, g):
                for t, new in zip(out, step(*(t[row] for t in out), part, *numbers)):
                    t[row] = new
        return tuple(out)

    return oracle


def _rms_rows(v: Any, s: Any, m: Any, g: Any, lr: float, rho: float, momentum: float, eps: float) -> Any:
    s = s * rho + g * g * (1 - rho)
    m = m * momentum + lr * g / np.sqrt(s + eps)
    return v - m, s, m


def _adam_rows(p: Any, m: Any, v: Any, g: Any, *numbers: Any) -> Any:
    *first, nesterov = numbers
    arguments: Any = (*first, g, nesterov)
    return _adam(p, m, v, *arguments)


def _rows(m: Maker) -> list[tuple[Any, Any]]:
    return [(np.array([2, 0], np.int32), m(2, 2)), (np.array([1, 1, 0]), m(3, 2))]


def _three(m: Maker) -> tuple[Any, Any, Any]:
    return m(3, 2), m.positive(3, 2), m(3, 2)


WIDE = ("float32", "float64")
_ftrl_rows = {fused: _of_rows(lambda v, a, z, g, *n: _ftrl(v, a, z, g, *n), fused) for fused in (False, True)}
_prox_rows = {
    fused: _of_rows(lambda v, a, g, lr, l1, l2: _proximal(v, a, lr, l1, l2, g), fused) for fused in (False, True)
}
CASES = {
    "apply_momentum": _case(
        _momentum,
        lambda m: [(m(2, 3), m(2, 3), 0.5, m(2, 3), 0.9), (m(3), m(3), 0.5, m(3), 0.9, True, 0.5)],
    ),
    "apply_keras_momentum": _case(
        lambda v, a, lr, g, mo, nesterov=False: (
            v + (mo * (a * mo - lr * g) - lr * g if nesterov else a * mo - lr * g),
            a * mo - lr * g,
        ),
        lambda m: [(m(4), m(4), 0.5, m(4), 0.75, nesterov) for nesterov in (False, True)],
    ),
    "sgd_step": _case(
        _sgd,
        lambda m: [
            (m(5), m(5), 0.5, m(5), 0.9, m(5)),
            (m(5), m(5), 0.5, m(5), 0.9, m(5), 0.5, 0.1),
            (m(5), m(5), 0.5, m(5), 0.9, m(5), 0.0, 0.1, True),
        ],
    ),
    "apply_rms_prop": _case(_rms, lambda m: [(m(4), m.positive(4), m(4), 0.1, m(4), 0.5, 0.5, 0.1)]),
    "apply_centered_rms_prop": _case(
        _centred, lambda m: [(m(4), m(4) / 8, m.positive(4) + 2, m(4), m(4), 0.1, 0.5, 0.5, 0.5)], WIDE
    ),
    "apply_adagrad": _case(_adagrad, lambda m: [(m(4), m.positive(4), 0.1, m(4), u) for u in (True, False)]),
    "apply_adagrad_v2": _case(
        _adagrad_v2, lambda m: [(m(4), m.positive(4), 0.1, m(4), 0.01, u) for u in (True, False)]
    ),
    "apply_adagrad_da": _case(
        _averaged, lambda m: [(m(4), m(4), m.positive(4), m(4), 0.5, 0.25, 0.125, n) for n in (1, 3)], WIDE
    ),
    "apply_adadelta": _case(_adadelta, lambda m: [(m(4), m.positive(4), m.positive(4), 0.5, 0.75, 0.1, m(4))]),
    "apply_add_sign": _case(_signed(False), lambda m: [(m(4), m(4), 0.5, 0.75, 0.5, 0.9, m(4))]),
    "apply_power_sign": _case(_signed(True), lambda m: [(m(4), m(4), 0.5, 0.75, 0.5, 0.9, m(4))]),
    "apply_gradient_descent": _case(lambda v, a, d: v - a * d, lambda m: [(m(2, 3), 0.5, m(2, 3))]),
    "apply_proximal_gradient_descent": _case(
        lambda v, a, l1, l2, d: _shrunk(v - a * d, a, l1, l2), lambda m: [(m(5), 0.5, 0.5, 0.25, m(5))]
    ),
    "apply_proximal_adagrad": _case(_proximal, lambda m: [(m(5), m.positive(5), 0.5, 0.5, 0.25, m(5))]),
    "adam_step": _case(
        lambda p, *rest: _adam(0, *rest)[0] if p is None else _adam(p, *rest),
        lambda m: [
            (p, m(4), m.positive(4), *NUMBERS, m(4), nesterov) for p in (None, m(4)) for nesterov in (False, True)
        ],
    ),
    "adam_weight_decay": _case(
        _decayed,
        lambda m: [
            (m(4), m(4), m.positive(4), 0.1, 0.5, 0.75, 0.01, 0.1, m(4)),
            (m(4), m(4), m.positive(4), 0.1, 0.5, 0.75, 0.01, 0.1, m(4).astype(np.float16), 2.0),
        ],
    ),
    "apply_adam_with_amsgrad": _case(
        lambda p, m, v, top, power1, power2, lr, g, b1, b2, eps: _amsgrad(
            p, m, v, top, power1, power2, lr, b1, b2, eps, g
        ),
        lambda m: [(m(4), m(4), m.positive(4), m.positive(4), 0.5, 0.75, 0.1, m(4), 0.5, 0.75, 0.01)],
    ),
    "apply_adam_with_amsgrad_v2": _case(
        _amsgrad, lambda m: [(m(4), m(4), m.positive(4), m.positive(4), *NUMBERS, m(4))]
    ),
    "apply_ada_max": _case(_ada_max, lambda m: [(m(4), m(4), m.positive(4), 0.5, 0.1, 0.5, 0.75, 0.01, m(4))]),
    "apply_ftrl": _case(
        lambda *a: _ftrl(*a)[0],
        lambda m: [(m(5), m.positive(5), m(5), m(5), 0.5, 0.25, 0.125, power) for power in (-0.5, -1.0)],
        WIDE,
    ),
    "sparse_apply_adagrad_v2": _case(
        lambda v, a, g, rows, *n: _of_rows(lambda v, a, g, lr, eps, up: _adagrad_v2(v, a, lr, g, eps, up), False)(
            (v, a), g, rows, n
        ),
        lambda m: [(m(3, 2), m.positive(3, 2), g, rows, 0.5, 0.1, True) for rows, g in _rows(m)],
    ),
    "sparse_apply_rms_prop": _case(
        lambda v, s, mom, lr, g, rows, *n: _of_rows(_rms_rows, False)((v, s, mom), g, rows, (lr, *n)),
        lambda m: [(*_three(m), 0.5, g, rows, 0.5, 0.5, 0.1) for rows, g in _rows(m)],
    ),
    "sparse_apply_ftrl": _case(
        lambda v, a, z, g, rows, *n: _ftrl_rows[False]((v, a, z), g, rows, n),
        lambda m: [(*_three(m), g, rows, 0.5, 0.25, 0.125, -0.5) for rows, g in _rows(m)],
        WIDE,
    ),
    "fused_sparse_ftrl": _case(
        lambda v, a, z, g, rows, *n: _ftrl_rows[True]((v, a, z), g, rows, n),
        lambda m: [(*_three(m), g, rows, 0.5, 0.25, 0.125, -0.5) for rows, g in _rows(m)],
        WIDE,
    ),
    "sparse_apply_proximal_adagrad": _case(
        lambda v, a, lr, l1, l2, g, rows: _prox_rows[False]((v, a), g, rows, (lr, l1, l2)),
        lambda m: [(*_three(m)[:2], 0.5, 0.25, 0.125, g, rows) for rows, g in _rows(m)],
    ),
    "fused_sparse_proximal_adagrad": _case(
        lambda v, a, lr, l1, l2, g, rows: _prox_rows[True]((v, a), g, rows, (lr, l1, l2)),
        lambda m: [(*_three(m)[:2], 0.5, 0.25, 0.125, g, rows) for rows, g in _rows(m)],
    ),
    **{
        name: _case(
            lambda p, m1, v, *rest, lazy=lazy: _of_rows(_adam_rows, lazy, not lazy)(
                (p, m1, v), rest[6], rest[7], (*rest[:6], rest[8])
            ),
            lambda m: [
                (m(3, 2), m(3, 2), m.positive(3, 2), *NUMBERS, g, rows, nesterov)
                for rows, g in _rows(m)
                for nesterov in (False, True)
            ],
        )
        for name, lazy in (("fused_sparse_adam", False), ("fused_sparse_lazy_adam", True))
    },
}
