"""Cases of ms_kernels.ops.fft and ms_kernels.ops.fft_helpers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, Case, Maker

__all__ = ["CASES"]

REAL = ("float16", "bfloat16", "float32", "float64", "int32", "int64")
PLAIN = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
NOT_REAL = "gradients of complex results are tested by themselves"
NORMS: dict[Any, Any] = {None: "backward", "backward": "backward", "forward": "forward", "ortho": "ortho"}
TURNED: dict[str, Any] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
TOLERANCE = {"complex64": (2e-5, 2e-5), "float32": (2e-5, 2e-5), "complex128": (1e-11, 1e-11)}


def _dims(x: Any, sizes: Any, dim: Any) -> tuple[int, ...]:
    if dim is None:
        return tuple(range(x.ndim - (x.ndim if sizes is None else len(sizes)), x.ndim))
    return (dim,) if isinstance(dim, int) else tuple(dim)


def _numpy(word: str) -> Any:
    def oracle(x: Any, sizes: Any = None, dim: Any = -1, norm: Any = None) -> Any:
        given = (sizes,) if isinstance(sizes, int) else sizes
        dims, how = _dims(x, given, dim), NORMS[norm]
        if word == "hfft":
            return np.fft.irfftn(np.conj(x), given, dims, TURNED[how])
        if word == "ihfft":
            return np.conj(np.fft.rfftn(x, given, dims, TURNED[how]))
        return getattr(np.fft, word + "n")(x, given, dims, how)

    return oracle


def _one(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m(3, 4),),
        (m(5), 3),
        (m(2, 3), 5, 0, "ortho"),
        (m(4, 3), None, 0, "forward"),
        (m(4), 6, -1, "backward"),
    ]


def _two(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4), None, (-2, -1)), (m(2, 3, 4), (2, 5), (0, 2), "ortho"), (m(3, 3), (4, 3), (1, 0), "forward")]


def _many(m: Maker) -> list[tuple[Any, ...]]:
    return [
        (m(2, 3, 4), None, None),
        (m(2, 3, 4), (4, 3), None),
        (m(2, 3, 4), (2, 2), (0, -1), "ortho"),
        (m(4), None, None),
    ]


def _case(word: str, inputs: Any) -> Case:
    complex_too = word in ("fft", "ifft", "irfft", "hfft")
    dtypes = (*REAL, *COMPLEX) if complex_too else REAL
    real_result = word in ("irfft", "hfft")
    note = "" if real_result else NOT_REAL
    return Case(_numpy(word), inputs, dtypes, 2 if real_result else 0, tolerance=TOLERANCE, note=note)


def _sized(
    x: Any,
    count: int,
    inverse: bool,
    of_real: bool,
    norm: Any = "backward",
    onesided: bool = True,
    sizes: Any = (),
) -> Any:
    dims = tuple(range(-count, 0))
    if of_real and onesided:
        return (np.fft.irfftn if inverse else np.fft.rfftn)(x, tuple(sizes) or None, dims, norm)
    found = (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=dims, norm=norm)
    return found.real if of_real and inverse else found


def _short(x: Any, window: Any, size: int, hop: int, width: int, normalized: bool, onesided: bool, in_one: bool) -> Any:
    full = np.zeros(size)
    left = (size - width) // 2
    full[left : left + width] = window
    starts = range(0, x.shape[-1] - size + 1, hop)
    pieces = np.stack([x[..., s : s + size] * full for s in starts], -2)
    found = (np.fft.rfft if onesided else np.fft.fft)(pieces, norm="ortho" if normalized else "backward")
    found = found.swapaxes(-1, -2)
    return found if in_one else np.stack([found.real, found.imag], -1)


def _stft(
    x: Any,
    size: int,
    hop: Any = None,
    width: Any = None,
    window: Any = None,
    center: bool = True,
    mode: str = "REFLECT",
    normalized: bool = False,
    onesided: Any = None,
    in_one: Any = None,
) -> Any:
    plain = x.dtype.kind != "c"
    width = size if width is None else width
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(size // 2, size // 2)], mode=mode.lower())  # type: ignore[call-overload]
    window = np.ones(width) if window is None else window
    half = plain if onesided is None else onesided
    whole = not plain if in_one is None else in_one
    return _short(x, window, size, size // 4 if hop is None else hop, width, normalized, half, whole)


CASES = {
    **{
        word + many: _case(word, inputs)
        for word in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
        for many, inputs in (("", _one), ("2", _two), ("n", _many))
    },
    "dft": Case(
        lambda x, sizes, dims, inverse=False, norm="backward": (np.fft.ifftn if inverse else np.fft.fftn)(
            x, sizes, dims, norm
        ),
        lambda m: [
            (m(3, 4), (3, 4), (0, 1)),
            (m(5), (3,), (0,), True, "ortho"),
            (m(2, 3), (5,), (1,), False, "forward"),
        ],
        (*REAL, *COMPLEX),
        0,
        tolerance=TOLERANCE,
        note=NOT_REAL,
    ),
    "rows_of_half": Case(
        np.fft.rfft,
        lambda m: [(m(3, 4), 4, 1), (m(3, 4), 2, 0, "ortho"), (m(3), 5, 0)],
        REAL,
        0,
        tolerance=TOLERANCE,
        note=NOT_REAL,
    ),
    "inverse_rows": Case(
        np.fft.irfft,
        lambda m: [(m(3, 4), 6, 1), (m(3, 4), 5, 0, "ortho"), (m(3), 7, 0)],
        (*REAL, *COMPLEX),
        tolerance=TOLERANCE,
    ),
    "fft_with_size": Case(
        _sized,
        lambda m: (
            [(m(2, 3, 4), n, False, True, norm) for n in (1, 2, 3) for norm in ("backward", "ortho")]
            + [(m(2, 4), 1, False, True, "forward", False)]
            if not m.dtype.startswith("complex")
            else [(m(2, 3, 4), n, inverse, False, "ortho") for n in (1, 2) for inverse in (False, True)]
            + [
                (m(2, 3), 1, True, True),
                (m(2, 3), 1, True, True, "forward", True, (5,)),
                (m(4), 1, True, True, "ortho", False),
            ]
        ),
        (*PLAIN, *COMPLEX),
        0,
        tolerance=TOLERANCE,
        note=NOT_REAL,
    ),
    "fftshift": Case(
        lambda x, dim=None: np.fft.fftshift(x, dim), lambda m: [(m(3, 4),), (m(5), 0), (m(2, 3), (1,))], ALL
    ),
    "ifftshift": Case(
        lambda x, dim=None: np.fft.ifftshift(x, dim), lambda m: [(m(3, 4),), (m(5), 0), (m(2, 3), (-1,))], ALL
    ),
    "fftfreq": Case(lambda n, d=1.0, dtype=None: np.fft.fftfreq(n, d), lambda m: [(5,), (4, 0.5)], ("float32",), 0),
    "rfftfreq": Case(lambda n, d=1.0, dtype=None: np.fft.rfftfreq(n, d), lambda m: [(5,), (4, 0.5)], ("float32",), 0),
    "stft_by_window": Case(
        _short,
        lambda m: [
            (m(2, 16), m(8), 8, 4, 8, False, True, False),
            (m(16), m(5), 8, 3, 5, True, False, False),
            (m(16), m(6), 6, 2, 6, False, True, False),
        ],
        PLAIN,
        tolerance=TOLERANCE,
    ),
    "stft": Case(
        _stft,
        lambda m: [
            (m(2, 16), 8),
            (m(16), 8, 3, 6, m(6), True, "SYMMETRIC", True),
            (m(16), 8, None, None, None, False),
            (m(16), 4, 1, 4, m(4), True, "CONSTANT", False, False),
        ],
        PLAIN,
        tolerance=TOLERANCE,
    ),
}
