"""What goes with Fourier transforms: frequencies, shifts of the zero frequency, short-time transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.complexes import imag, real
from ms_kernels.ops.fft import dft, rows_of_half
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.pad import pad, pad_constant
from ms_kernels.ops.rearrange import roll, stack
from ms_kernels.ops.shape import dims_of, swapaxes, unsqueeze

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq", "stft"]


def _shifted(name: str, input: Any, dim: Any, back: bool) -> Any:
    dims = tuple(range(input.ndim)) if dim is None else dims_of(name, dim, "dim")
    axes = tuple(rules.axis(name, d, input.ndim, "dim") for d in dims)
    moves = tuple((input.shape[d] + (1 if back else 0)) // 2 for d in axes)
    return roll(input, moves, axes)


@composite(ops="fftshift(input, dim=None)")
def fftshift(input: Array, dim: Any = None) -> Any:
    """Return the tensor with the zero frequency in the middle of some dimensions (all by default), not in front.

    Raises:
        ValueError: a dimension that is none.

    Examples:
        >>> print(ops.fftshift(Tensor([0, 1, 2, -2, -1])))
        [-2 -1  0  1  2]

    Source: ``mindspore.ops.fftshift``.
    """
    return _shifted("fftshift", input, dim, False)


@composite(ops="ifftshift(input, dim=None)")
def ifftshift(input: Array, dim: Any = None) -> Any:
    """Undo `fftshift`.

    Raises:
        ValueError: a dimension that is none.

    Examples:
        >>> print(ops.ifftshift(Tensor([-2, -1, 0, 1, 2])))
        [ 0  1  2 -2 -1]

    Source: ``mindspore.ops.ifftshift``.
    """
    return _shifted("ifftshift", input, dim, True)


def _count(name: str, n: Any, d: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int):
        fail(TypeError, name, "'n'", "be an int", describe(n))
    if n < 1:
        fail(ValueError, name, "'n'", "be greater than 0", str(n))
    if isinstance(d, bool) or not isinstance(d, (int, float)):
        fail(TypeError, name, "'d'", "be a number", describe(d))
    return n


def _frequencies(name: str, function: Any, size: Any, shown: str) -> Any:
    def body(n: int, d: float = 1.0, dtype: Any = None) -> Any:
        return function(_count(name, n, d), d).astype((dtype or mstype.float32).np)

    body.__name__, body.__module__ = name, __name__
    half = " that are not negative" if name == "rfftfreq" else ""
    body.__doc__ = (
        f"Return the frequencies{half} of a transform of n elements that lie `d` apart.\n\nRaises:\n"
        "    ValueError: n below 1.\n    TypeError: n is no int, d no number.\n\nExamples:\n"
        f"    >>> print(ops.{name}(4))\n    {shown}\n\nSource: ``mindspore.ops.{name}``."
    )
    return op(
        shape=lambda n, _d=1.0, _dtype=None: (size(_count(name, n, 1.0)),),
        dtype=lambda _n, _d=1.0, dtype=None: dtype or mstype.float32,
        nondiff="it has no operand",
        ascend="create",
        ops=f"{name}(n, d=1.0, dtype=None)",
        name=name,
    )(body)


fftfreq = _frequencies("fftfreq", np.fft.fftfreq, lambda n: n, "[ 0.    0.25 -0.5  -0.25]")
rfftfreq = _frequencies("rfftfreq", np.fft.rfftfreq, lambda n: n // 2 + 1, "[0.   0.25 0.5 ]")


def _positive(name: str, arg: str, value: Any, most: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        fail(TypeError, name, f"'{arg}'", "be an int", describe(value))
    if value < 1 or (most is not None and value > most):
        fail(ValueError, name, f"'{arg}'", "be greater than 0" if most is None else f"be in (0, {most}]", str(value))
    return value


@composite(
    primitive="STFT(n_fft, hop_length, win_length, normalized, onesided, return_complex)(x, window)",
    rename={"x": "input"},
)
def stft_by_window(
    input: Array,
    window: Array,
    n_fft: int,
    hop_length: int,
    win_length: int,
    normalized: bool,
    onesided: bool,
    return_complex: bool,
) -> Any:
    """Return the Fourier transforms (..., frequency, frame) of pieces of rows, each multiplied by a window.

    Args:
        input: one row, or a batch of them.
        n_fft: the length of a piece.
        hop_length: how far a piece begins after the one before it.
        win_length: the window's length; it stands in the middle of the piece.
        normalized: whether the transforms are divided by the root of `n_fft`.
        onesided: whether only the first half of the frequencies is given, for real rows.
        return_complex: whether the result is complex; else its parts stand in a new last dimension.

    Raises:
        ValueError: sizes out of range, half of the frequencies of complex rows, other numbers of dimensions.
        TypeError: rows of other types.

    Examples:
        >>> x = Tensor([1.0, 2.0, 3.0, 4.0])
        >>> print(ops.STFT(2, 2, 2, False, True, True)(x, Tensor([1.0, 1.0])))
        [[ 3.+0.j  7.+0.j]
         [-1.+0.j -1.+0.j]]

    Source: ``mindspore.ops.STFT``.
    """
    name = "STFT"
    if input.ndim not in (1, 2):
        fail(ValueError, name, "'x'", "have one or two dimensions", f"shape {list(input.shape)}")
    if input.dtype.name not in ("float32", "float64", "complex64", "complex128"):
        fail(TypeError, name, "dtype of 'x'", "be float32, float64 or complex", str(input.dtype))
    _positive(name, "n_fft", n_fft, input.shape[-1])
    _positive(name, "hop_length", hop_length)
    _positive(name, "win_length", win_length, n_fft)
    if window.shape != (win_length,):
        fail(ValueError, name, "shape of 'window'", f"be [{win_length}]", str(list(window.shape)))
    if onesided and "c" in (input.dtype.kind, window.dtype.kind):
        fail(ValueError, name, "'onesided'", "be False for complex numbers", "True")
    left = (n_fft - win_length) // 2
    full = pad_constant(window, (left, n_fft - win_length - left), 0)
    starts = np.arange(0, input.shape[-1] - n_fft + 1, hop_length)
    pieces = take_key(input, (Ellipsis, starts[:, None] + np.arange(n_fft))) * full
    norm, last = "ortho" if normalized else "backward", pieces.ndim - 1
    found = rows_of_half(pieces, n_fft, last, norm) if onesided else dft(pieces, (n_fft,), (last,), False, norm)
    found = swapaxes(found, -1, -2)
    return found if return_complex else stack([real(found), imag(found)], -1)


PADS = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def _symmetric(size: int, margin: int) -> Any:
    places = np.arange(-margin, size + margin)
    return np.where(places < 0, -places - 1, np.where(places >= size, 2 * size - 1 - places, places))


@composite(
    ops="stft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='REFLECT', "
    "normalized=False, onesided=None, return_complex=None)",
    rename={"x": "input"},
)
def stft(
    input: Array,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Array | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Any:
    """Return the short-time Fourier transform: `STFT` with 2.6's defaults.

    Args:
        hop_length: by default a quarter of `n_fft`.
        win_length: by default `n_fft`.
        window: by default ones.
        center: whether rows get borders of half of `n_fft`, so that pieces have their places in the middle.
        pad_mode: how: "REFLECT", "CONSTANT" or "SYMMETRIC".
        onesided: by default for real rows.
        return_complex: by default for complex rows.

    Raises:
        ValueError: as `STFT`; another `pad_mode`.
        TypeError: as `STFT`.

    Examples:
        >>> print(ops.stft(Tensor([1.0, 2.0, 3.0, 4.0]), 2, center=False, return_complex=True).shape)
        (2, 3)

    Source: ``mindspore.ops.stft``.
    """
    if input.ndim not in (1, 2):
        fail(ValueError, "stft", "'x'", "have one or two dimensions", f"shape {list(input.shape)}")
    _positive("stft", "n_fft", n_fft)
    hop = max(1, n_fft // 4) if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    plain = input.dtype.kind != "c" and not (isinstance(window, TensorBase) and window.dtype.kind == "c")
    if window is None:
        window = from_array(np.ones(width if isinstance(width, int) else 1, input._kind))
    if center:
        if pad_mode not in PADS:
            fail(ValueError, "stft", "'pad_mode'", f"be one of {list(PADS)}", describe(pad_mode))
        margin = n_fft // 2
        if pad_mode == "SYMMETRIC":
            input = take_key(input, (Ellipsis, _symmetric(input.shape[-1], margin)))
        else:
            rows = input if input.ndim == 2 else unsqueeze(input, 0)
            rows = pad(rows, (margin, margin), PADS[pad_mode])
            input = rows if input.ndim == 2 else take_key(rows, (0,))
    half = plain if onesided is None else onesided
    in_one = not plain if return_complex is None else return_complex
    return stft_by_window(input, window, n_fft, hop, width, normalized, half, in_one)
