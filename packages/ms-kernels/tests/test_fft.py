"""Fourier transforms: gradients as 2.6's, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Tensor, functional, grad
from ms_kernels.testing.gradcheck import check_grad

RNG = np.random.default_rng(5)
X = RNG.normal(size=(3, 4))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft", "fft2", "rfftn", "ihfftn", "fftn"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("size", [None, 3, 6])
def test_gradients_of_complex_results(name: str, norm: str | None, size: int | None) -> None:
    given: Any = size if name[-1] == "t" else None if size is None else (5, size)

    def parts(x: Any) -> Any:
        found = getattr(functional, name)(x, given, norm=norm)
        return functional.real(found), functional.imag(found)

    check_grad(parts, [X])


@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "hfft", "irfftn", "hfft2"])
def test_gradients_by_complex_numbers(name: str) -> None:
    def parts(real: Any, imag: Any) -> Any:
        found = getattr(functional, name)(functional.Complex()(real, imag))
        return (functional.real(found), functional.imag(found)) if found.dtype.kind == "c" else found

    check_grad(parts, [X, X[::-1] * 2])


def test_gradients_as_recorded() -> None:
    x = Tensor(np.array([1.0, 2.0, 4.0, 3.0], np.float32))
    z = Tensor(np.array([1 + 1j, 2 - 1j, 0.5j, 3], np.complex64))
    w = Tensor(np.array([1.0, 2.0, 3.0, 4.0], np.float32))
    six = Tensor(np.arange(6, dtype=np.float32))

    def close(found: Any, wanted: Any) -> None:
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-5)

    close(grad(lambda a: (functional.imag(functional.fft(a)) * w).sum())(x), [0, 2, 0, -2])
    close(grad(lambda a: (functional.real(functional.fft(a)) * w).sum())(z), [10, -2 - 2j, -2, -2 + 2j])
    close(grad(lambda a: (functional.imag(functional.fft(a)) * w).sum())(z), [10j, 2 - 2j, -2j, -2 - 2j])
    close(
        grad(lambda a: (functional.irfft(a, 6) * six).sum())(z),
        [2.5, -1 + 1.7320508j, -1 + 0.57735026j, -0.5],
    )
    close(
        grad(lambda a: (functional.hfft(a, 6) * six).sum())(z),
        [15, -6 - 10.392304j, -6 - 3.4641016j, -3],
    )


@pytest.mark.parametrize(
    ("kind", "text", "call"),
    [
        (ValueError, "greater than 0, but got", lambda x: functional.fft(x, 0)),
        (ValueError, "greater than 0, but got", lambda x: functional.fftn(x, (-1, 2))),
        (ValueError, "'dim'", lambda x: functional.fft(x, dim=9)),
        (ValueError, "twice", lambda x: functional.fft2(x, dim=(0, 0))),
        (ValueError, "same length", lambda x: functional.fftn(x, (2,), (0, 1))),
        (ValueError, "'norm'", lambda x: functional.fft(x, norm="x")),
        (ValueError, "at least one dimension", lambda x: functional.fft(Tensor(1.0))),
        (TypeError, "'n'", lambda x: functional.fft(x, 1.5)),
        (TypeError, "be a Tensor", lambda x: functional.fft([1.0])),
        (TypeError, "signed integer", lambda x: functional.fft(x.astype(mstype.uint8))),
        (TypeError, "a real one", lambda x: functional.rfft(x.astype(mstype.complex64))),
        (TypeError, "be complex", lambda x: functional.FFTWithSize(1, False, False)(x)),
        (ValueError, "'dim'", lambda x: functional.fftshift(x, 5)),
        (ValueError, "'n'", lambda x: functional.fftfreq(0)),
        (TypeError, "'n'", lambda x: functional.fftfreq(2.0)),
        (ValueError, "one or two dimensions", lambda x: functional.stft(x[None], 2)),
        (ValueError, "'n_fft'", lambda x: functional.stft(x, 9, center=False)),
        (ValueError, "'win_length'", lambda x: functional.stft(x, 2, win_length=3)),
        (ValueError, "'hop_length'", lambda x: functional.stft(x, 2, 0)),
        (ValueError, "'window'", lambda x: functional.stft(x, 2, window=x[0])),
        (ValueError, "'pad_mode'", lambda x: functional.stft(x, 2, pad_mode="reflect")),
        (ValueError, "'onesided'", lambda x: functional.stft(x.astype(mstype.complex64), 2, onesided=True)),
    ],
)
def test_errors(kind: type[Exception], text: str, call: Any) -> None:
    with pytest.raises(kind, match=text):
        call(Tensor(X.astype(np.float32)))
