"""Recurrent layers: all steps of a sequence in one op."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import is_recording
from ms_kernels.core.tensor import from_array
from ms_kernels.loops import recurrent as loops
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import meet
from ms_kernels.ops.activation import ONCE, relu
from ms_kernels.ops.compare import where
from ms_kernels.ops.create import zeros
from ms_kernels.ops.elementary import sigmoid
from ms_kernels.ops.linalg import matrix_product
from ms_kernels.ops.norm import wide
from ms_kernels.ops.rearrange import concat, stack
from ms_kernels.ops.shape import reshape
from ms_kernels.ops.trigonometry import tanh

__all__ = ["GATES", "lstm_packed", "recurrent_scan"]

Shape = tuple[int, ...]
NAME = "RecurrentScan"
GATES = {"tanh": 1, "relu": 1, "lstm": 4, "gru": 3}
_KEPT = {"tanh": 0, "relu": 0, "lstm": 5, "gru": 4}  # numbers that the gradient needs of each unit and step


def _want(arg: str, shape: Any, wanted: Shape) -> None:
    if shape is None or len(shape) != len(wanted) or any(a != b and -1 not in (a, b) for a, b in zip(shape, wanted)):
        fail(ValueError, NAME, f"shape of '{arg}'", f"be {list(wanted)}", "None" if shape is None else str(list(shape)))


def _scan_shape(
    input: Shape, hx: Shape, cx: Any, weight: Shape, bias: Any, lengths: Any, cell: str, _reverse: bool
) -> list[Shape]:
    if cell not in GATES:
        fail(ValueError, NAME, "'cell'", f"be one of {list(GATES)}", describe(cell))
    if len(input) != 3 or len(hx) != 2:
        fail(ValueError, NAME, "'x' and 'hx'", "have three and two dimensions", f"shapes {list(input)}, {list(hx)}")
    steps, batch, _ = input
    size, gates = hx[1], GATES[cell] * hx[1]
    _want("x", input, (steps, batch, gates))
    _want("hx", hx, (batch, size))
    _want("weight", weight, (gates, size))
    if bias is not None:
        _want("bias", bias, (gates,))
    if cell == "lstm":
        _want("cx", cx, (batch, size))
    elif cx is not None:
        fail(ValueError, NAME, "'cx'", f"be None for the cell '{cell}'", f"a Tensor of shape {list(cx)}")
    if lengths is not None:
        _want("lengths", lengths, (batch,))
    last = batch if cell == "lstm" else 0
    return [(steps, batch, size), (batch, size), (last, size), (steps, batch, _KEPT[cell] * size)]


def _check_dtypes(input: Any, lengths: Any, **others: Any) -> None:
    """Raise unless all floats are of one type: the loops take memory as it is."""
    if input.dtype not in FLOATS:
        fail(TypeError, NAME, "dtype of 'x'", "be a float type", str(mstype.from_numpy(input.dtype)))
    for arg, array in others.items():
        if array is not None and array.dtype != input.dtype:
            rule = f"be that of 'x', {mstype.from_numpy(input.dtype)}"
            fail(TypeError, NAME, f"dtype of '{arg}'", rule, str(mstype.from_numpy(array.dtype)))
    if lengths is not None and lengths.dtype not in (np.int32, np.int64):
        fail(TypeError, NAME, "dtype of 'lengths'", "be Int32 or Int64", str(mstype.from_numpy(lengths.dtype)))


def _step(cell: str, x: Any, h: Any, c: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
    """One step of all sequences in tensor ops."""
    size = h.shape[1]
    a = matrix_product(h, weight, False, True)
    a = a if bias is None else a + bias
    if cell == "gru":
        r, z = (sigmoid(x[:, k * size : (k + 1) * size] + a[:, k * size : (k + 1) * size]) for k in (0, 1))
        n = tanh(x[:, 2 * size :] + r * a[:, 2 * size :])
        return n + z * (h - n), c
    a = x + a
    if cell != "lstm":
        return (tanh if cell == "tanh" else relu)(a), c
    i, f, g, o = (a[:, k * size : (k + 1) * size] for k in range(4))
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def _steps(cell: str, reverse: bool, lengths: Any, x: Any, h: Any, c: Any, weight: Any, bias: Any) -> list[Any]:
    """The scan in tensor ops, for gradients of its gradient: [y, h] and for an LSTM c."""
    count = x.shape[0]
    out: list[Any] = [x[:, :, : h.shape[1]]] * count if count else x[:, :, : h.shape[1]]
    for t in reversed(range(count)) if reverse else range(count):
        new, cell_state = _step(cell, x[t], h, c, weight, bias)
        out[t] = new
        if lengths is None:
            h, c = new, cell_state
            continue
        live = from_array((t < lengths)[:, None])
        out[t] = where(live, new, 0.0)
        h, c = where(live, new, h), None if c is None else where(live, cell_state, c)
    y = stack(out) if count else out
    return [y, h] if c is None else [y, h, c]


def _scan_vjp(
    g: Any,
    out: Any,
    input: Any,
    hx: Any,
    cx: Any,
    weight: Any,
    bias: Any,
    lengths: Any,
    cell: str,
    reverse: bool,
) -> Any:
    if is_recording():
        from ms_kernels.tape.pullback import Pullback

        given = [t for t in (input, hx, cx, weight, bias) if t is not None]

        def function(*parts: Any) -> Any:
            left = iter(parts)
            x, h, c, w, b = (None if t is None else next(left) for t in (input, hx, cx, weight, bias))
            return tuple(_steps(cell, reverse, None if lengths is None else lengths._a, x, h, c, w, b))

        grads, _ = Pullback(function, given, range(len(given)))(g[: 3 if cell == "lstm" else 2])
        found = iter(grads)
        return *(None if t is None else next(found) for t in (input, hx, cx, weight, bias)), None
    dx, dh, dc, dw, db = recurrent_scan_grad(
        g[0], g[1], g[2], out[0], out[3], hx, cx, weight, lengths, cell, reverse, bias is not None
    )
    return dx, dh, None if cx is None else dc, dw, None if bias is None else db, None


@op(
    shape=_scan_shape,
    dtype=lambda input, *_rest: (input, input, input, wide(input)),
    vjp=_scan_vjp,
    ascend="cube",
    batch="recurrent",
    primitive="RecurrentScan(cell, reverse=False)(x, hx, cx, weight, bias, lengths=None)",
    rename={"x": "input"},
)
def recurrent_scan(
    input: Array,
    hx: Array,
    cx: Array | None,
    weight: Array,
    bias: Array | None,
    lengths: Array | None = None,
    cell: str = "tanh",
    reverse: bool = False,
) -> Any:
    """Run a recurrent layer over a sequence whose products with the input weights are known.

    With a = weight @ h + bias and each step's x, cut into the gates of the cell:

    - "tanh", "relu": h = f(x + a).
    - "lstm": c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c), gates i, f, g, o of x + a.
    - "gru": n = tanh(x_n + r a_n), h = n + z (h - n), r and z the sigmoids of the first two gates of x + a.

    Args:
        input: (T, B, G H), the products; G is 1, 4 for "lstm", 3 for "gru".
        hx: (B, H), the state before the first step; cx: the same for c, of "lstm" only.
        weight: (G H, H).
        bias: (G H), or None.
        lengths: (B) ints: the steps of each sequence that count. The others give 0 and leave the state as it is.
        reverse: from the last step to the first one.

    Returns:
        (T, B, H) all outputs, (B, H) the last one, c after it (without rows but for "lstm"), and what the gradient
        needs (float32, or float64), which has none itself.

    Raises:
        TypeError: floats of different dtypes, lengths that are no int32 or int64.
        ValueError: another cell, shapes that do not fit.

    Examples:
        >>> x, h, w = Tensor([[[0.5]], [[0.0]]]), Tensor([[1.0]]), Tensor([[2.0]])
        >>> y, last, *_ = ops.RecurrentScan("relu")(x, h, None, w, None)
        >>> print(y.flatten(), last)
        [2.5 5. ] [[5.]]

    Source: Hochreiter and Schmidhuber, Long Short-Term Memory; Cho et al., Learning Phrase Representations using RNN
    Encoder-Decoder, in the form of ``mindspore.nn.GRU``.
    """
    _check_dtypes(input, lengths, hx=hx, cx=cx, weight=weight, bias=bias)
    found = loops.scan(cell, reverse, input, hx, cx, weight, bias, lengths)
    last = found[3] if cell == "lstm" else np.empty((0, hx.shape[1]), input.dtype)
    return found[0], found[1], last, found[2]


def _grad_shape(
    _gy: Shape,
    _gh: Shape,
    _gc: Shape,
    y: Shape,
    _saved: Shape,
    hx: Shape,
    cx: Any,
    weight: Shape,
    _lengths: Any,
    _cell: str,
    _reverse: bool,
    has_bias: bool,
) -> list[Shape]:
    return [
        (y[0], y[1], weight[0]),
        hx,
        (0, hx[1]) if cx is None else cx,
        weight,
        (weight[0] if has_bias else 0,),
    ]


@op(
    shape=_grad_shape,
    dtype=lambda _gy, _gh, _gc, y, *_rest: (y, y, y, y, y),
    nondiff=ONCE,
    ascend="cube",
    primitive="RecurrentScanGrad(cell, reverse, has_bias)(dy, dh, dc, y, saved, hx, cx, weight, lengths)",
    rename={"dy": "gy", "dh": "gh", "dc": "gc"},
)
def recurrent_scan_grad(
    gy: Array,
    gh: Array,
    gc: Array,
    y: Array,
    saved: Array,
    hx: Array,
    cx: Array | None,
    weight: Array,
    lengths: Array | None,
    cell: str,
    reverse: bool,
    has_bias: bool,
) -> Any:
    """Return the gradients of `recurrent_scan`'s input, hx, cx, weight and bias; empty ones for no cx, no bias.

    Examples:
        >>> one, none, kept = Tensor([[1.0]]), ops.zeros((0, 1), mstype.float32), ops.zeros((1, 1, 0), mstype.float32)
        >>> grads = ops.RecurrentScanGrad("relu", False, False)(
        ...     Tensor([[[2.0]]]), one, none, Tensor([[[5.0]]]), kept, one, None, one, None
        ... )
        >>> print(grads[0].flatten(), grads[3])
        [3.] [[3.]]

    Source: Werbos, Backpropagation Through Time.
    """
    _check_dtypes(y, lengths, gy=gy, gh=gh, gc=gc, hx=hx, cx=cx, weight=weight)
    lstm, kind = cell == "lstm", y.dtype
    found = loops.scan_grad(cell, reverse, gy, gh, gc if lstm else None, y, saved, hx, cx, weight, has_bias, lengths)
    bias = found[3] if has_bias else np.empty((0,), kind)
    return found[0], found[1], found[-1] if lstm else np.empty((0, hx.shape[1]), kind), found[2], bias


def _unpacked(w: Any, shapes: list[Shape]) -> list[Any]:
    """The pieces of a packed weight, in the given shapes."""
    needed = sum(int(np.prod(shape)) for shape in shapes)
    if w.size < needed:
        fail(ValueError, "LSTM", "size of 'w'", f"be at least {needed}", str(w.size))
    flat, at, found = reshape(w, (w.size,)), 0, []
    for shape in shapes:
        size = int(np.prod(shape))
        found.append(reshape(flat[at : at + size], shape))
        at += size
    return found


@composite(
    primitive="LSTM(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0)"
    "(input, h, c, w)",
)
def lstm_packed(
    input: Array,
    h: Array,
    c: Array,
    w: Array,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    has_bias: bool,
    bidirectional: bool,
    dropout: float,
    proj_size: int = 0,
) -> Any:
    """Run a long short-term memory of some layers, whose weights come in one tensor.

    Args:
        input: (T, B, input_size).
        h, c: (layers * directions, B, hidden_size), the states before the first step.
        w: of any shape; layer by layer and direction by direction all input weights (4 hidden_size, inputs), then all
            weights of the state (4 hidden_size, hidden_size), then all biases (4 hidden_size). More may follow.
        dropout: kept for 2.6's sake; nothing is dropped on the CPU.
        proj_size: 0.

    Returns:
        (T, B, directions * hidden_size) the outputs, the last h and c, and two buffers that 2.6's kernel needs, here
        zeros of shape (1, 1).

    Raises:
        ValueError: sizes below 1, a `proj_size`, shapes that do not fit, a `w` that is too small.

    Examples:
        >>> x, state = ops.ones((3, 2, 1), mstype.float32), ops.zeros((1, 2, 4), mstype.float32)
        >>> output, h, *_ = ops.LSTM(1, 4, 1, False, False, 0.0)(x, state, state, ops.ones((80, 1, 1), mstype.float32))
        >>> output.shape, h.shape
        ((3, 2, 4), (1, 2, 4))

    Source: ``mindspore.ops.LSTM``.
    """
    input, h, c, w = meet(input, h, c, w)
    for arg, size in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
        if isinstance(size, bool) or not isinstance(size, int):
            fail(TypeError, "LSTM", f"'{arg}'", "be int", describe(size))
        if size < 1:
            fail(ValueError, "LSTM", f"'{arg}'", "be > 0", str(size))
    if proj_size:
        fail(ValueError, "LSTM", "'proj_size'", "be 0", str(proj_size))
    if input.ndim != 3 or input.shape[2] != input_size:
        fail(ValueError, "LSTM", "shape of 'input'", f"be [T, B, {input_size}]", str(list(input.shape)))
    ways, gates = 2 if bidirectional else 1, 4 * hidden_size
    states = (num_layers * ways, input.shape[1], hidden_size)
    for arg, state in (("h", h), ("c", c)):
        if state.shape != states:
            fail(ValueError, "LSTM", f"shape of '{arg}'", f"be {list(states)}", str(list(state.shape)))
    inputs = [input_size] * ways + [ways * hidden_size] * (ways * (num_layers - 1))
    shapes: list[Shape] = [*((gates, n) for n in inputs), *([(gates, hidden_size)] * len(inputs))]
    pieces = _unpacked(w, shapes + [(gates,)] * (len(inputs) if has_bias else 0))
    out, last_h, last_c = input, [], []
    for layer in range(num_layers):
        outs = []
        for at in range(layer * ways, (layer + 1) * ways):
            rows = matrix_product(reshape(out, (-1, inputs[at])), pieces[at], False, True)
            x = reshape(rows, (*out.shape[:2], gates))
            weight, bias = pieces[len(inputs) + at], pieces[2 * len(inputs) + at] if has_bias else None
            y, end, cell, _ = recurrent_scan(x, h[at], c[at], weight, bias, None, "lstm", at % ways == 1)
            outs.append(y)
            last_h.append(end)
            last_c.append(cell)
        out = outs[0] if ways == 1 else concat(outs, 2)
    return out, stack(last_h), stack(last_c), zeros((1, 1), input.dtype), zeros((1, 1), input.dtype)
