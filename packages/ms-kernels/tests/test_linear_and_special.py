"""Linear algebra and special functions where a table case does not reach: pivots, counts, complex gradients, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Tensor, functional, grad, mint, mint_linalg

RNG = np.random.default_rng(7)


def close(got: Any, wanted: Any, rtol: float = 1e-10) -> None:
    np.testing.assert_allclose(got.asnumpy(), wanted, rtol=rtol, atol=1e-10)


def with_pivots() -> tuple[Any, Any, Any]:
    """A matrix, both its triangular factors in one, and LAPACK's pivots, by elimination with row exchanges."""
    a = RNG.normal(size=(4, 4))
    lu, pivots = a.copy(), []
    for k in range(4):
        best = k + int(np.argmax(np.abs(lu[k:, k])))
        pivots.append(best + 1)
        lu[[k, best]] = lu[[best, k]]
        lu[k + 1 :, k] /= lu[k, k]
        lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return a, lu, np.array(pivots, np.int32)


def test_lu_factors_give_the_matrix_back_and_solve() -> None:
    a, lu, pivots = with_pivots()
    p, low, high = functional.lu_unpack(Tensor(lu), Tensor(pivots))
    close(p @ low @ high, a)
    assert len(functional.lu_unpack(Tensor(lu), Tensor(pivots), True, False)) == 2
    b = RNG.normal(size=(4, 2))
    close(functional.lu_solve(Tensor(b), Tensor(lu), Tensor(pivots)), np.linalg.solve(a, b))
    with pytest.raises(ValueError, match="LU_pivots"):
        functional.lu_unpack(Tensor(lu), Tensor(pivots + 4))


def test_reflectors_give_q_back() -> None:
    a = RNG.normal(size=(4, 3))
    factors, tau = functional.geqrf(Tensor(a))
    q = functional.orgqr(factors, tau).asnumpy()
    np.testing.assert_allclose(q @ np.triu(factors.asnumpy()[:3]), a, atol=1e-12)


def test_bincount_with_weights() -> None:
    x, w = Tensor([1, 2, 1]), Tensor([0.5, 1.0, 2.0])
    assert functional.bincount(x, w).tolist() == [0.0, 2.5, 1.0]
    assert mint.bincount(x).dtype == mstype.int64
    assert mint.bincount(x, w, 4).tolist() == [0.0, 2.5, 1.0, 0.0]
    with pytest.raises(ValueError, match="minlength"):
        functional.bincount(x, minlength=-1)
    with pytest.raises(ValueError, match="weights"):
        functional.bincount(x, Tensor([1.0]))


def test_cov_with_weights() -> None:
    x, often, heavy = RNG.normal(size=(2, 5)), np.array([1, 2, 1, 3, 1]), RNG.uniform(0.5, 2, 5)
    got = functional.cov(Tensor(x), fweights=Tensor(often), aweights=Tensor(heavy))
    close(got, np.cov(x, fweights=often, aweights=heavy))


def test_quantiles_of_a_tensor_and_with_nan() -> None:
    x = RNG.normal(size=(3, 5))
    q = np.array([0.1, 0.5, 1.0])
    close(functional.quantile(Tensor(x), Tensor(q), 1), np.quantile(x, q, axis=1))
    x[0, 2] = np.nan
    close(functional.quantile(Tensor(x), 0.5, 1), np.quantile(x, 0.5, axis=1))
    close(functional.nanquantile(Tensor(x), Tensor(q), 1), np.nanquantile(x, q, axis=1))


def test_norms_by_a_tensor_of_axes_and_of_all_orders() -> None:
    x = RNG.normal(size=(3, 4))
    close(functional.EuclideanNorm()(Tensor(x), Tensor([1])), np.linalg.norm(x, axis=1))
    close(mint.norm(Tensor(x), 0), 12.0)
    close(mint_linalg.norm(Tensor(x), 2), np.linalg.norm(x, 2))
    close(mint_linalg.vector_norm(Tensor(x), float("inf"), dim=0), np.abs(x).max(0))
    assert np.isfinite(grad(lambda t: mint.norm(t))(Tensor(np.zeros(3)))._a).all()


def test_gradients_through_complex_numbers() -> None:
    r, a = RNG.uniform(1, 2, 4), RNG.normal(size=4)
    size, turn = grad(lambda r, a: mint.sum(functional.real(functional.polar(r, a))), (0, 1))(Tensor(r), Tensor(a))
    close(size, np.cos(a))
    close(turn, -r * np.sin(a))
    x, y = RNG.normal(size=3), RNG.normal(size=3)
    back = grad(lambda x, y: mint.sum(functional.angle(functional.Complex()(x, y))), (0, 1))(Tensor(x), Tensor(y))
    close(back[0], -y / (x * x + y * y))
    close(back[1], x / (x * x + y * y))


def test_polygamma_takes_its_order_as_a_tensor() -> None:
    close(functional.polygamma(Tensor(1), Tensor(np.array([1.0]))), [np.pi**2 / 6])
    with pytest.raises(ValueError, match="no dimension"):
        functional.polygamma(Tensor([1]), Tensor([1.0]))


def test_questions_give_python_bools() -> None:
    x = Tensor([1.0])
    assert functional.is_floating_point(x) is True
    assert functional.is_complex(x) is False
    assert functional.is_tensor(3) is False
    assert functional.is_nonzero(Tensor([0])) is False
    with pytest.raises(ValueError, match="number of elements"):
        functional.is_nonzero(Tensor([1, 2]))


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (ValueError, lambda: functional.inverse(Tensor([[1.0, 2.0]]))),
        (RuntimeError, lambda: functional.cholesky(Tensor([[-1.0, 0.0], [0.0, 1.0]]))),
        (TypeError, lambda: functional.inverse(Tensor([[1, 2], [3, 5]]))),
        (TypeError, lambda: functional.qr(Tensor([[1.0]]), "r")),
        (ValueError, lambda: functional.norm(Tensor([[1.0]]), "x")),
        (ValueError, lambda: functional.einsum("ij->ik", Tensor([[1.0]]))),
        (TypeError, lambda: functional.einsum(3, Tensor([[1.0]]))),
        (RuntimeError, lambda: functional.trace(Tensor([1.0]))),
        (RuntimeError, lambda: functional.diff(Tensor([1.0, 2.0]), 2)),
        (ValueError, lambda: functional.cdist(Tensor([[1.0]]), Tensor([[1.0]]), -1.0)),
        (ValueError, lambda: functional.cummax(Tensor([1.0]), 1)),
        (ValueError, lambda: functional.quantile(Tensor([1.0]), 1.5)),
        (TypeError, lambda: functional.quantile(Tensor([1]), 0.5)),
        (ValueError, lambda: functional.histc(Tensor([1.0]), -1)),
        (TypeError, lambda: functional.igamma(Tensor([1.0]), 1)),
        (TypeError, lambda: functional.zeta(1.0, 2.0)),
        (TypeError, lambda: functional.bessel_j0(Tensor([1]))),
        (TypeError, lambda: functional.gcd(Tensor([1.0]), Tensor([1.0]))),
        (TypeError, lambda: functional.deg2rad(Tensor([90]))),
        (TypeError, lambda: functional.angle(Tensor([1.0]))),
        (ValueError, lambda: functional.addn([])),
    ],
)
def test_errors(kind: type[Exception], call: Any) -> None:
    with pytest.raises(kind, match="must"):
        call()
