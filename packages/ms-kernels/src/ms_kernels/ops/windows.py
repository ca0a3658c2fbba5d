"""Tensors made from numbers: windows, powers, triangles of indices, masks of lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import plain
from ms_kernels.ops.create import CONSTANT, element_type, sizes
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.rearrange import stack

__all__ = ["empty", "logspace", "reverse_sequence", "sequence_mask", "vander"]

Shape = tuple[int, ...]


def _length(name: str, value: Any, tensor: bool) -> int:
    if tensor:
        if not isinstance(value, TensorBase) or value.dtype.kind not in "iu":
            fail(TypeError, name, "'window_length'", "be a Tensor of an integer", describe(value))
        if value.size != 1:
            fail(ValueError, name, "'window_length'", "be one number", f"shape {list(value.shape)}")
        value = int(plain(value))
    if isinstance(value, bool) or not isinstance(value, int):
        fail(TypeError, name, "'window_length'", "be a non-negative int", describe(value))
    if value < 0:
        fail(ValueError, name, "'window_length'", "not be negative", str(value))
    return int(value)


def _window_type(name: str, length: Any, dtype: Any, default: Any, tensor: bool) -> Any:
    """2.6 gives the windows that it computes itself, and those of one number, as float64."""
    found = (default if _length(name, length, tensor) > 1 else mstype.float64) if dtype is None else dtype
    if not isinstance(found, mstype.Type) or found.kind != "f":
        fail(TypeError, name, "'dtype'", "be a floating point type", describe(dtype))
    return found


def _cosines(*factors: float) -> Any:
    """Sums of cosines, with alternating signs."""

    def window(count: int) -> Any:
        angle = 2 * np.pi * np.arange(count) / max(count - 1, 1)
        parts = [f * (-1) ** i * np.cos(i * angle) for i, f in enumerate(factors)]
        return sum(parts[::2]) + sum(parts[1::2])  # in this order the ends are 0 exactly

    return window


def _made(function: Any, length: int, periodic: bool) -> Any:
    if length <= 1:
        return np.ones(length)
    return function(length + 1)[:-1] if periodic else function(length)


def _checked(name: str, periodic: Any) -> bool:
    if not isinstance(periodic, bool):
        fail(TypeError, name, "'periodic'", "be a bool", describe(periodic))
    return periodic


def _window(name: str, function: Any, default: Any, text: str, shown: str, tensor: bool = False) -> Any:
    def body(window_length: Any, periodic: bool = True, dtype: Any = None) -> Any:
        length = _length(name, window_length, tensor)
        kind = _window_type(name, window_length, dtype, default, tensor)
        return _made(function, length, _checked(name, periodic)).astype(kind.np)

    body.__name__, body.__module__ = name, __name__
    primitive = "".join(part.capitalize() for part in name.split("_"))
    given = "Tensor(4)" if tensor else "4"
    body.__doc__ = (
        f"Return {text}; `periodic`: one number longer, without its last.\n\n"
        "Raises:\n    TypeError: a length that is no int, or a dtype that is not floating point.\n"
        "    ValueError: a negative length.\n\n"
        f"Examples:\n    >>> print(ops.{name}({given}))\n    {shown}\n\nSource: ``mindspore.ops.{name}``."
    )
    return op(
        shape=lambda length, _periodic=True, _dtype=None: (_length(name, length, tensor),),
        dtype=lambda length, _periodic=True, dtype=None: _window_type(name, length, dtype, default, tensor),
        nondiff=CONSTANT,
        ascend="copy",
        ops=f"{name}(window_length, periodic=True, *, dtype=None)",
        primitive=f"{primitive}(periodic=True, dtype=float32)(window_length)" if tensor else (),
        name=name,
    )(body)


hann_window = _window("hann_window", _cosines(0.5, 0.5), mstype.float64, "a Hann window", "[0.  0.5 1.  0.5]")
blackman_window = _window(
    "blackman_window",
    _cosines(0.42, 0.5, 0.08),
    mstype.float32,
    "a Blackman window",
    "[0.   0.34 1.   0.34]",
    tensor=True,
)
bartlett_window = _window(
    "bartlett_window", np.bartlett, mstype.float32, "a triangular (Bartlett) window", "[0.  0.5 1.  0.5]", tensor=True
)


def _hamming_type(length: Any, dtype: Any) -> Any:
    return _window_type("hamming_window", length, dtype, mstype.float32, False)


@op(
    shape=lambda length, _periodic=True, _alpha=0.54, _beta=0.46, _dtype=None: (
        _length("hamming_window", length, False),
    ),
    dtype=lambda length, _periodic=True, _alpha=0.54, _beta=0.46, dtype=None: _hamming_type(length, dtype),
    nondiff=CONSTANT,
    ascend="copy",
    ops="hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None)",
)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, dtype: Any = None
) -> Any:
    """Return a Hamming window, ``alpha - beta * cos(2 pi n / (N - 1))``; `periodic`: one longer, without its last.

    Raises:
        TypeError: a length that is no int, or a dtype that is not floating point.
        ValueError: a negative length.

    Examples:
        >>> print(ops.hamming_window(4))
        [0.08 0.54 1.   0.54]

    Source: ``mindspore.ops.hamming_window``.
    """
    length, kind = _length("hamming_window", window_length, False), _hamming_type(window_length, dtype)
    return _made(_cosines(alpha, beta), length, _checked("hamming_window", periodic)).astype(kind.np)


@op(
    shape=lambda length, _periodic=True, _beta=12.0, _dtype=None: (_length("kaiser_window", length, False),),
    dtype=lambda length, _periodic=True, _beta=12.0, dtype=None: _window_type(
        "kaiser_window", length, dtype, mstype.float64, False
    ),
    nondiff=CONSTANT,
    ascend="copy",
    ops="kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None)",
)
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, dtype: Any = None) -> Any:
    """Return a Kaiser window; `periodic`: one number longer, without its last.

    Raises:
        TypeError: a length that is no int, or a dtype that is not floating point.
        ValueError: a negative length.

    Examples:
        >>> print(ops.kaiser_window(3, periodic=False, beta=0.0))
        [1. 1. 1.]

    Source: ``mindspore.ops.kaiser_window``.
    """
    length = _length("kaiser_window", window_length, False)
    kind = _window_type("kaiser_window", window_length, dtype, mstype.float64, False)
    shape = lambda count: np.kaiser(count, float(beta))  # noqa: E731
    return _made(shape, length, _checked("kaiser_window", periodic)).astype(kind.np)


def _count(steps: Any) -> int:
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        fail(ValueError, "LogSpace", "'steps'", "be a non-negative int", describe(steps))
    return int(steps)


@op(
    shape=lambda _start, _end, steps, _base=10, _dtype=None: (_count(steps),),
    dtype=lambda _start, _end, _steps, _base=10, dtype=mstype.float32: dtype,
    nondiff=CONSTANT,
    ascend="copy",
    ops="logspace(start, end, steps, base=10, *, dtype=float32)",
    primitive="LogSpace(steps=10, base=10, dtype=float32)(start, end)",
)
def logspace(start: Any, end: Any, steps: Any, base: int = 10, dtype: Any = mstype.float32) -> Any:
    """Return `steps` numbers from ``base ** start`` to ``base ** end``, each the same factor from the one before.

    Raises:
        TypeError: `start` or `end` is no Tensor, or `base` no int.
        ValueError: `steps` is negative.

    Examples:
        >>> print(ops.logspace(Tensor(0.0), Tensor(2.0), 3))
        [  1.  10. 100.]

    Source: ``mindspore.ops.logspace``.
    """
    for name, value in (("start", start), ("end", end)):
        if not isinstance(value, TensorBase) or value.size != 1:
            fail(TypeError, "LogSpace", f"'{name}'", "be a Tensor of one number", describe(value))
    if isinstance(base, bool) or not isinstance(base, int):
        fail(TypeError, "LogSpace", "'base'", "be an int", describe(base))
    exponents = np.linspace(float(start.item()), float(end.item()), _count(steps))
    return np.power(float(base), exponents).astype(element_type("LogSpace", dtype))


def _triangle(name: str, function: Any, word: str, shown: str) -> Any:
    primitive = f"{name[:4].capitalize()}Indices"

    def checked(row: Any, col: Any, offset: Any) -> None:
        for arg, value in (("row", row), ("col", col), ("offset", offset)):
            if isinstance(value, bool) or not isinstance(value, int):
                fail(TypeError, primitive, f"'{arg}'", "be an int", describe(value))
            if value < 0 and arg != "offset":
                fail(ValueError, primitive, f"'{arg}'", "not be negative", str(value))

    def body(row: int, col: int, offset: int = 0, dtype: Any = mstype.int64) -> Any:
        checked(row, col, offset)
        if dtype not in (mstype.int32, mstype.int64):
            fail(TypeError, primitive, "'dtype'", "be int32 or int64", describe(dtype))
        return np.stack(function(row, offset, col)).astype(dtype.np)

    def shape(row: int, col: int, offset: int = 0, _dtype: Any = None) -> Shape:
        checked(row, col, offset)
        return (2, len(function(row, offset, col)[0]))

    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"Return the rows and the columns of what is on and {word} a diagonal of a matrix, `offset` above the main "
        "one.\n\nRaises:\n    TypeError: a size that is no int.\n    ValueError: a negative size.\n\n"
        f"Examples:\n    >>> print(ops.{name}(2, 2))\n    {shown}\n\nSource: ``mindspore.ops.{name}``."
    )
    return op(
        shape=shape,
        dtype=lambda _row, _col, _offset=0, dtype=mstype.int64: dtype,
        nondiff="the result is an index",
        ascend="copy",
        ops=f"{name}(row, col, offset=0, *, dtype=int64)",
        primitive=f"{primitive}(row, col, offset=0, dtype=int32)()",
        name=name,
    )(body)


tril_indices = _triangle("tril_indices", np.tril_indices, "below", "[[0 1 1]\n     [0 0 1]]")
triu_indices = _triangle("triu_indices", np.triu_indices, "above", "[[0 0 1]\n     [0 1 1]]")


def _mask_shape(shape: Shape, maxlen: Any = None) -> Shape:
    return (*shape, -1 if maxlen is None else int(maxlen))


@op(
    shape=_mask_shape,
    dtype=rules.boolean,
    nondiff="the result is bool",
    ascend="index",
    batch="classes",
    ops="sequence_mask(lengths, maxlen=None)",
)
def sequence_mask(lengths: Array, maxlen: Any = None) -> Any:
    """Return a mask with a new last dimension of size `maxlen` (the largest length): True up to each length.

    Raises:
        ValueError: `maxlen` is not positive.
        TypeError: `lengths` is no Tensor.

    Examples:
        >>> print(ops.sequence_mask(Tensor([1, 3])))
        [[ True False False]
         [ True  True  True]]

    Source: ``mindspore.ops.sequence_mask``.
    """
    size = int(lengths.max(initial=0)) if maxlen is None else int(maxlen)
    if maxlen is not None and (isinstance(maxlen, bool) or size <= 0):
        fail(ValueError, "sequence_mask", "'maxlen'", "be a positive int", describe(maxlen))
    return np.arange(size) < lengths[..., None]


@composite(
    ops="reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0)",
    tensor="reverse_sequence(seq_lengths, seq_dim=0, batch_dim=0)",
    primitive="ReverseSequence(seq_dim, batch_dim=0)(x, seq_lengths)",
)
def reverse_sequence(input: Array, seq_lengths: Array, seq_dim: int, batch_dim: int = 0) -> Any:
    """Return the tensor with the first elements of each sequence, as many as its length says, in reverse order.

    Raises:
        ValueError: the dimensions are not two, or not one length for each sequence.
        RuntimeError: a length is negative or greater than the dimension.

    Examples:
        >>> print(ops.reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1))
        [[2 1 3]
         [6 5 4]]

    Source: ``mindspore.ops.reverse_sequence``.
    """
    at, batch = (rules.axis("ReverseSequence", d, input.ndim) for d in (seq_dim, batch_dim))
    count, size, lengths = input.shape[batch], input.shape[at], seq_lengths._a
    if at == batch or lengths.shape != (count,):
        rule = f"be different, with {count} lengths"
        fail(ValueError, "ReverseSequence", "'seq_dim' and 'batch_dim'", rule, f"{at}, {batch} and {lengths.shape}")
    if lengths.size and (int(lengths.min()) < 0 or int(lengths.max()) > size):
        fail(RuntimeError, "ReverseSequence", "'seq_lengths'", f"be in [0, {size}]", str(lengths.tolist()))
    places = np.broadcast_to(np.arange(size), (count, size))
    turned = np.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
    key: list[Any] = list(np.ix_(*(np.arange(n) for n in input.shape)))
    lined = turned if batch < at else turned.T
    key[at] = lined.reshape([n if i in (at, batch) else 1 for i, n in enumerate(input.shape)])
    return take_key(input, tuple(key))


@op(
    shape=lambda size, _dtype=None: sizes("empty", size),
    dtype=lambda _size, dtype=None: mstype.float32 if dtype is None else dtype,
    nondiff=CONSTANT,
    ascend="copy",
    mint="empty(*size, dtype=None, device=None)",
    rename={"device": ""},
)
def empty(size: Any, dtype: Any = None) -> Any:
    """Return a tensor of a shape with elements that mean nothing, float32 by default.

    Raises:
        ValueError: a negative size.

    Examples:
        >>> mint.empty(2, 3).shape
        (2, 3)

    Source: ``mindspore.mint.empty``.
    """
    return np.zeros(sizes("empty", size), element_type("empty", dtype))


@op(
    shape=rules.same,
    dtype=lambda input, dtype=None: input if dtype is None else dtype,
    nondiff=CONSTANT,
    ascend="copy",
    mint="empty_like(input, *, dtype=None, device=None)",
    rename={"device": ""},
)
def empty_like(input: Array, dtype: Any = None) -> Any:
    """Return a tensor of another's shape and (by default) dtype with elements that mean nothing.

    Examples:
        >>> mint.empty_like(Tensor([1, 2])).shape
        (2,)

    Source: ``mindspore.mint.empty_like``.
    """
    return np.zeros(input.shape, input.dtype if dtype is None else element_type("empty_like", dtype))


@composite(ops="vander(x, N=None)", rename={"N": "count"})
def vander(input: Array, count: int | None = None) -> Any:
    """Return the powers of a vector's elements, one element a row, from ``N - 1`` down to 0.

    Raises:
        ValueError: `x` is no vector, or N is not positive.

    Examples:
        >>> print(ops.vander(Tensor([1.0, 2.0, 3.0])))
        [[1. 1. 1.]
         [4. 2. 1.]
         [9. 3. 1.]]

    Source: ``mindspore.ops.vander``.
    """
    if input.ndim != 1:
        fail(ValueError, "vander", "'x'", "have one dimension", str(input.ndim))
    number = input.size if count is None else count
    if isinstance(number, bool) or not isinstance(number, int) or number <= 0:
        fail(ValueError, "vander", "'N'", "be a positive int", describe(count))
    columns = [input * 0 + 1]
    for _ in range(number - 1):
        columns.append(columns[-1] * input)
    return stack(columns[::-1], 1)
