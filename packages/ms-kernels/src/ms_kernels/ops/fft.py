"""Discrete Fourier transforms, one or several dimensions at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.cast import conj
from ms_kernels.ops.complexes import real
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.pad import pad_constant
from ms_kernels.ops.shape import dims_of

__all__ = ["dft", "inverse_rows", "rows_of_half", "transform"]

Shape = tuple[int, ...]
Dims = tuple[int, ...]
NORMS = ("backward", "forward", "ortho")
# the scaling of a transform's adjoint, which goes the other way
TURNED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def whole(dtype: Any) -> Any:
    """The complex type of a transform of elements of a type."""
    return mstype.complex128 if dtype in (mstype.float64, mstype.complex128) else mstype.complex64


def _half(dtype: Any) -> Any:
    return mstype.float64 if dtype in (mstype.float64, mstype.complex128) else mstype.float32


def _with(shape: Shape, dims: Dims, sizes: Shape) -> Shape:
    found = list(shape)
    for dim, size in zip(dims, sizes):
        found[dim] = size
    return tuple(found)


def _fitted(x: Any, shape: Shape) -> Any:
    """Cut dimensions that are too long, and lengthen those too short by zeros."""
    if any(n > m for n, m in zip(x.shape, shape)):
        x = take_key(x, tuple(slice(m) for m in shape))
    gaps = [m - n for n, m in zip(x.shape, shape)]
    return pad_constant(x, tuple(n for gap in reversed(gaps) for n in (0, gap)), 0) if any(gaps) else x


def _back(g: Any, input: Any, dim: Dims, inverse: bool, norm: str) -> Any:
    found = dft(g, tuple(g.shape[d] for d in dim), dim, not inverse, TURNED[norm])
    return _fitted(found if input.dtype.kind == "c" else real(found), input.shape)


@op(
    shape=lambda input, sizes, dim, _inverse, _norm: _with(input, dim, sizes),
    dtype=lambda input, *_rest: whole(input),
    vjp=lambda g, _out, input, _sizes, dim, inverse, norm: _back(g, input, dim, inverse, norm),
    ascend="fft",
    batch="axes",
    primitive="Dft(sizes, dim, inverse=False, norm='backward')(x)",
)
def dft(input: Array, sizes: Any, dim: Any, inverse: bool = False, norm: Any = "backward") -> Any:
    """Return the complex Fourier transform over some dimensions, each cut or lengthened by zeros to a size first.

    Args:
        dim: the dimensions, not negative.
        inverse: transform back.
        norm: "backward": the inverse is divided by the number of elements, "forward": the other one, "ortho": both by
            the root.

    Examples:
        >>> print(ops.Dft((2,), (0,))(Tensor([1.0, 2.0])))
        [ 3.+0.j -1.+0.j]

    Source: Cooley and Tukey; ``numpy.fft.fftn``.
    """
    wide = input if input.dtype.kind == "c" else input.astype(np.float64 if input.dtype == np.float64 else np.float32)
    found = (np.fft.ifftn if inverse else np.fft.fftn)(wide, sizes, dim, norm)
    return found.astype(whole(mstype.from_numpy(input.dtype)).np, copy=False)


def _rows_back(g: Any, input: Any, size: int, dim: int, norm: str) -> Any:
    shape = _with(g.shape, (dim,), (size,))
    return _fitted(real(dft(_fitted(g, shape), (size,), (dim,), True, TURNED[norm])), input.shape)


@op(
    shape=lambda input, size, dim, _norm: _with(input, (dim,), (size // 2 + 1,)),
    dtype=lambda input, *_rest: whole(input),
    vjp=lambda g, _out, input, size, dim, norm: _rows_back(g, input, size, dim, norm),
    ascend="fft",
    batch="axis",
    primitive="RealDft(size, dim, norm='backward')(x)",
    rename={"size": "size"},
)
def rows_of_half(input: Array, size: int, dim: int, norm: Any = "backward") -> Any:
    """Return the first half of the Fourier transform of real rows, cut or lengthened to a size, along one dimension.

    Examples:
        >>> print(ops.RealDft(2, 0)(Tensor([1.0, 2.0])))
        [ 3.+0.j -1.+0.j]

    Source: ``numpy.fft.rfft``.
    """
    wide = input.astype(np.float64 if input.dtype == np.float64 else np.float32, copy=False)
    return np.fft.rfft(wide, size, dim, norm).astype(whole(mstype.from_numpy(input.dtype)).np, copy=False)


def _inverse_back(g: Any, input: Any, size: int, dim: int, norm: str) -> Any:
    found = rows_of_half(g, size, dim, TURNED[norm])
    count = found.shape[dim]
    weights = np.full((count, *(1,) * (g.ndim - dim - 1)), 2, g._kind)  # each stands for its mirror image, too
    weights[0] = 1
    if size % 2 == 0:
        weights[-1] = 1
    from ms_kernels.core.tensor import from_array

    found = _fitted(found * from_array(weights), input.shape)
    return found if input.dtype.kind == "c" else real(found)


@op(
    shape=lambda input, size, dim, _norm: _with(input, (dim,), (size,)),
    dtype=lambda input, *_rest: _half(input),
    vjp=lambda g, _out, input, size, dim, norm: _inverse_back(g, input, size, dim, norm),
    ascend="fft",
    batch="axis",
    primitive="InverseRealDft(size, dim, norm='backward')(x)",
)
def inverse_rows(input: Array, size: int, dim: int, norm: Any = "backward") -> Any:
    """Return the real rows of a size whose transform's first half the input is, along one dimension.

    Examples:
        >>> print(ops.InverseRealDft(2, 0)(Tensor([3.0, -1.0])))
        [1. 2.]

    Source: ``numpy.fft.irfft``.
    """
    wide = input.astype(whole(mstype.from_numpy(input.dtype)).np, copy=False)
    return np.fft.irfft(wide, size, dim, norm).astype(_half(mstype.from_numpy(input.dtype)).np, copy=False)


def _wanted(name: str, input: Any, sizes: Any, dim: Any, last: bool) -> tuple[list[int], Dims]:
    """The sizes and dimensions of a transform; without `dim`: the last ones, as many as sizes, or all."""
    if not input.ndim:
        fail(ValueError, name, "'input'", "have at least one dimension", "none")
    given = None if sizes is None else list(dims_of(name, sizes, "s"))
    if dim is None:
        dim = tuple(range(input.ndim - (input.ndim if given is None else len(given)), input.ndim))
    found = tuple(rules.axis(name, d, input.ndim, "dim") for d in dims_of(name, dim, "dim"))
    if len(set(found)) != len(found):
        fail(ValueError, name, "'dim'", "not name a dimension twice", str(dim))
    if given is None:
        given = [input.shape[d] for d in found]
        if last:
            given[-1] = 2 * (given[-1] - 1)
    if len(given) != len(found):
        fail(ValueError, name, "'s' and 'dim'", "have the same length", f"{len(given)} and {len(found)}")
    if any(n < 1 for n in given):
        fail(ValueError, name, "sizes", "be greater than 0", str(given))
    return given, found


def transform(name: str, input: Any, sizes: Any, dim: Any, norm: Any) -> Any:
    """Do one of 2.6's transforms: by the letters of its name the real or Hermitian ones, and the inverse ones."""
    word = name.rstrip("n2")
    kind, inverse = word.replace("i", "").replace("fft", ""), word.startswith("i")
    if input.dtype.kind == "b" or input.dtype.name.startswith("uint"):
        fail(TypeError, name, "dtype of 'input'", "be a signed integer, floating-point or complex one", input.dtype)
    if norm is not None and norm not in NORMS:
        fail(ValueError, name, "'norm'", f"be None or one of {list(NORMS)}", describe(norm))
    how = norm or "backward"
    backward = kind + ("i" if inverse else "") in ("ri", "h")  # from half of the frequencies to real numbers
    given, dims = _wanted(name, input, sizes, dim, backward)
    if kind == "h":
        how = TURNED[how]
    if not kind:
        return dft(input, tuple(given), dims, inverse, how)
    if backward:
        x = conj(input) if kind == "h" and input.dtype.kind == "c" else input
        if len(dims) > 1:
            x = dft(x, tuple(given[:-1]), dims[:-1], True, how)
        return inverse_rows(x, given[-1], dims[-1], how)
    if input.dtype.kind == "c":
        fail(TypeError, name, "dtype of 'input'", "be a real one", str(input.dtype))
    x = rows_of_half(input, given[-1], dims[-1], how)
    if len(dims) > 1:
        x = dft(x, tuple(given[:-1]), dims[:-1], False, how)
    return conj(x) if kind == "h" else x


_TEXTS = {
    "fft": "the Fourier transform",
    "ifft": "the inverse Fourier transform",
    "rfft": "the first half of the Fourier transform of real numbers",
    "irfft": "the real numbers of whose Fourier transform the input is the first half",
    "hfft": "the real Fourier transform of numbers of which the input is the first half, the rest its mirror image",
    "ihfft": "the first half of the inverse Fourier transform of real numbers",
}


def _transform(word: str, many: str, shown: str) -> Any:
    name = word + many
    size, axes = ("s", {"2": "(-2, -1)", "n": "None"}[many]) if many else ("n", "-1")

    def body(input: Any, sizes: Any = None, dim: Any = -1, norm: Any = None) -> Any:
        if not many and sizes is not None and (isinstance(sizes, bool) or not isinstance(sizes, int)):
            fail(TypeError, name, "'n'", "be an int", describe(sizes))
        return transform(name, input, None if sizes is None else sizes if many else (sizes,), dim, norm)

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = name, __name__
    over = {"": "along one dimension", "2": "over two dimensions", "n": "over several dimensions (by default all)"}
    values = "[[1.0, 2.0]]" if many else "[1.0, 2.0]"
    body.__doc__ = (
        f"Return {_TEXTS[word]}, {over[many]}.\n\nArgs:\n    {size}: sizes to which the input is cut or lengthened by "
        "zeros first (where the result is real: the result's).\n    norm: None or 'backward': the inverse transform is "
        "divided by the number of elements; 'forward': the other\n        one; 'ortho': both by the root.\n\nRaises:\n"
        "    ValueError: sizes below 1, a dimension that is none or named twice, another `norm`.\n"
        f"    TypeError: elements of another type, sizes of other kinds.\n\nExamples:\n"
        f"    >>> print(ops.{name}(Tensor({values})))\n    {shown}\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(
        ops=f"{name}(input, {size}=None, dim={axes}, norm=None)", rename={"n": "sizes", "s": "sizes"}, name=name
    )(body)


for _word, _one, _two in (
    ("fft", "[ 3.+0.j -1.+0.j]", "[[ 3.+0.j -1.+0.j]]"),
    ("ifft", "[ 1.5+0.j -0.5+0.j]", "[[ 1.5+0.j -0.5+0.j]]"),
    ("rfft", "[ 3.+0.j -1.+0.j]", "[[ 3.+0.j -1.+0.j]]"),
    ("irfft", "[ 1.5 -0.5]", "[[ 1.5 -0.5]]"),
    ("hfft", "[ 3. -1.]", "[[ 3. -1.]]"),
    ("ihfft", "[ 1.5-0.j -0.5-0.j]", "[[ 1.5-0.j -0.5-0.j]]"),
):
    for _many in ("", "2", "n"):
        _transform(_word, _many, _two if _many else _one)


@composite(
    primitive="FFTWithSize(signal_ndim, inverse, real, norm='backward', onesided=True, signal_sizes=())(x)",
    rename={"x": "input", "real": "of_real"},
)
def fft_with_size(
    input: Array,
    signal_ndim: int,
    inverse: bool,
    of_real: bool,
    norm: str = "backward",
    onesided: bool = True,
    signal_sizes: Any = (),
) -> Any:
    """Return a Fourier transform over the last `signal_ndim` dimensions.

    Args:
        of_real: of real numbers, or with `inverse` back to them.
        onesided: for those: only the first half of the frequencies is there.
        signal_sizes: for the inverse of half of them: the sizes of the result, by default even ones.

    Raises:
        TypeError: real numbers with neither `of_real`, or complex ones to transform as real.
        ValueError: another `norm`.

    Examples:
        >>> print(ops.FFTWithSize(1, False, True)(Tensor([1.0, 2.0])))
        [ 3.+0.j -1.+0.j]

    Source: ``mindspore.ops.FFTWithSize``.
    """
    name = "FFTWithSize"
    dims = tuple(range(-min(signal_ndim, input.ndim) if signal_ndim > 0 else -input.ndim, 0))
    if (not of_real or inverse) and input.dtype.kind != "c":
        fail(TypeError, name, "dtype of 'x'", "be complex", str(input.dtype))
    if of_real and onesided:
        return transform("irfftn" if inverse else "rfftn", input, tuple(signal_sizes) or None, dims, norm)
    if of_real and input.dtype.kind == "c" and not inverse:
        fail(TypeError, name, "dtype of 'x'", "be real", str(input.dtype))
    found = transform("ifftn" if inverse else "fftn", input, None, dims, norm)
    return real(found) if of_real and inverse else found


def in_complex(x: Any) -> Any:
    """Return a tensor as complex numbers."""
    return x if x.dtype.kind == "c" else cast_np(x, whole(x.dtype).np)
