"""COOTensor, CSRTensor, RowTensor, SparseTensor and the ops on them: values, text and errors as 2.6's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Tensor, functional, grad, sparse, sparse_primitives
from ms_kernels.tensor.sparse import COOTensor, RowTensor, SparseTensor
from ms_kernels.tensor.sparse_rows import CSRTensor

RNG = np.random.default_rng(3)
DENSE = np.where(RNG.random((5, 4)) < 0.4, RNG.standard_normal((5, 4)), 0).astype(np.float32)
OTHER = np.where(RNG.random((5, 4)) < 0.4, RNG.standard_normal((5, 4)), 0).astype(np.float32)
FULL = RNG.standard_normal((5, 4)).astype(np.float32)
AT, V = Tensor([[0, 1], [1, 2]], mstype.int32), Tensor([1.0, 2.0])
P, J = Tensor([0, 1, 2], mstype.int32), Tensor([0, 1], mstype.int32)


def coo(array: Any) -> COOTensor:
    return sparse.dense_to_sparse_coo(Tensor(array))


def csr(array: Any) -> CSRTensor:
    return sparse.dense_to_sparse_csr(Tensor(array))


def same(found: Any, wanted: Any) -> None:
    dense = found.to_dense() if isinstance(found, (COOTensor, CSRTensor)) else found
    np.testing.assert_allclose(dense.asnumpy(), wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("make", [coo, csr])
def test_there_and_back(make: Any) -> None:
    x = make(DENSE)
    same(x, DENSE)
    same(x.to_csr() if make is coo else x.to_coo(), DENSE)
    assert (x.shape, x.ndim, x.size, x.itemsize) == ((5, 4), 2, np.count_nonzero(DENSE), 4)
    assert x.dtype == mstype.float32 and x.astype(mstype.float64).dtype == mstype.float64
    same(x.abs(), np.abs(DENSE))
    assert x.to_tuple()[-1] == (5, 4) and len(x.to_tuple()) == (3 if make is coo else 4)
    same(pickle.loads(pickle.dumps(x)), DENSE)


@pytest.mark.parametrize("make", [coo, csr])
def test_arithmetic(make: Any) -> None:
    x, y, full = make(DENSE), make(OTHER), Tensor(FULL)
    same(x + y, DENSE + OTHER)
    same(x - y, DENSE - OTHER)
    same(x * full, DENSE * FULL)
    same(x / full, DENSE / FULL)
    assert isinstance(x + y, type(x))
    with pytest.raises(ValueError, match="shape of the other operand"):
        x + make(DENSE[:4])
    with pytest.raises(TypeError):
        x + "a"


def test_products_of_rows() -> None:
    x = csr(DENSE)
    same(x.mm(Tensor(FULL.T)), DENSE @ FULL.T)
    same(x.mv(Tensor(FULL[:1].T)), DENSE @ FULL[:1].T)
    same(x.mm(csr(OTHER.T)), DENSE @ OTHER.T)
    same(sparse.csr_mm(x, csr(OTHER), trans_b=True), DENSE @ OTHER.T)
    same(sparse.csr_mm(x, csr(OTHER), adjoint_a=True), DENSE.T @ OTHER)
    same(x.sum(1), DENSE.sum(1, keepdims=True))
    same(x.sum(-1), DENSE.sum(1, keepdims=True))
    same(x.add(csr(OTHER), Tensor(2.0), Tensor(-3.0)), 2 * DENSE - 3 * OTHER)
    same(x * 2, DENSE * 2)


def test_coordinates() -> None:
    x = COOTensor(Tensor([[1, 2], [0, 1], [0, 1]]), Tensor([1.0, 2.0, 3.0]), (3, 4))
    assert x.to_dense().tolist()[0] == [0.0, 5.0, 0.0, 0.0]
    assert x.coalesce().values.tolist() == [5.0, 1.0]
    assert x.coalesce().indices.tolist() == [[0, 1], [1, 2]]
    assert x.add(x, Tensor(3.0)).values.tolist() == [10.0]
    joined = sparse.coo_concat((coo(DENSE), coo(OTHER)), -1)
    same(joined, np.concatenate([DENSE, OTHER], 1))
    same(sparse.coo_concat([coo(DENSE), coo(OTHER)]), np.concatenate([DENSE, OTHER], 0))
    same(x - Tensor(np.ones((3, 4), np.float32)), x.to_dense().asnumpy() - 1)
    with pytest.raises(RuntimeError, match="inside the shape"):
        COOTensor(Tensor([[7, 1]]), Tensor([1.0]), (3, 4)).to_dense()


def test_text() -> None:
    assert repr(COOTensor(AT, V, (3, 4))) == (
        "COOTensor(shape=[3, 4], dtype=Float32, indices=Tensor(shape=[2, 2], dtype=Int32, value=\n[[0 1]\n [1 2]]), "
        "values=Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.00000000e+00]))"
    )
    assert str(CSRTensor(P, J, V, (2, 4))) == (
        "CSRTensor(shape=[2, 4], dtype=Float32, indptr=Tensor(shape=[3], dtype=Int32, value=[0 1 2]), "
        "indices=Tensor(shape=[2], dtype=Int32, value=[0 1]), "
        "values=Tensor(shape=[2], dtype=Float32, value=[ 1.00000000e+00  2.00000000e+00]))"
    )
    assert repr(RowTensor(Tensor([0]), Tensor([[1.0, 2.0]]), (3, 2))) == (
        "RowTensor(shape=[3, 2], dtype=Float32, indices=Tensor(shape=[1], dtype=Int64, value=[0]), "
        "values=Tensor(shape=[1, 2], dtype=Float32, value=\n[[ 1.00000000e+00  2.00000000e+00]]))"
    )
    assert repr(SparseTensor(AT, V, (3, 4))) == repr(COOTensor(AT, V, (3, 4)))
    assert "values=Tensor(shape=[0], dtype=Float32, value=)" in repr(coo(np.zeros((2, 2), np.float32)))


def test_gradients_reach_the_values() -> None:
    places = coo(DENSE)
    weights = RNG.standard_normal((5, 4)).astype(np.float32)

    def by_dense(values: Any) -> Any:
        return (COOTensor(places.indices, values, (5, 4)).to_dense() * Tensor(weights)).sum()

    np.testing.assert_allclose(grad(by_dense)(places.values).asnumpy(), weights[DENSE != 0], rtol=1e-6)
    x = csr(DENSE)

    def by_product(values: Any, dense: Any) -> Any:
        return (CSRTensor(x.indptr, x.indices, values, x.shape).mm(dense) * Tensor(weights)).sum()

    dense = Tensor(RNG.standard_normal((4, 4)).astype(np.float32))
    by_values, by_matrix = grad(by_product, (0, 1))(x.values, dense)
    np.testing.assert_allclose(by_values.asnumpy(), (weights @ dense.asnumpy().T)[DENSE != 0], rtol=1e-5)
    np.testing.assert_allclose(by_matrix.asnumpy(), DENSE.T @ weights, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("word", sparse._BY_VALUE)
def test_functions_of_the_values(word: str) -> None:
    values = np.array([0.5, 2.5] if word == "acosh" else [0.25, 0.75], np.float32) + (word == "acosh")
    wanted = getattr(functional, {"inv": "reciprocal"}.get(word, word))(Tensor(values)).asnumpy()
    for found in (
        getattr(sparse, f"coo_{word}")(COOTensor(AT, Tensor(values), (3, 4))),
        getattr(sparse, f"csr_{word}")(CSRTensor(P, J, Tensor(values), (2, 4))),
    ):
        np.testing.assert_array_equal(found.values.asnumpy(), wanted)
    with pytest.raises(TypeError, match=f"coo_{word}"):
        getattr(sparse, f"coo_{word}")(V)


def test_softmax_over_the_stored_values() -> None:
    x = csr(DENSE)
    found = sparse.csr_softmax(x, mstype.float32).to_dense().asnumpy()
    weights = np.where(DENSE != 0, np.exp(DENSE), 0)
    np.testing.assert_allclose(found, weights / np.maximum(weights.sum(1, keepdims=True), 1e-30), rtol=1e-5)


def test_primitives_on_parts() -> None:
    x = coo(DENSE)
    parts = (x.indices, x.values, (5, 4))
    same(sparse_primitives.SparseToDense()(*parts), DENSE)
    same(sparse_primitives.SparseTensorDenseAdd()(x.indices, x.values, Tensor([5, 4]), Tensor(FULL)), DENSE + FULL)
    same(sparse_primitives.SparseTensorDenseMatmul()(*parts, Tensor(FULL.T)), DENSE @ FULL.T)
    same(sparse_primitives.SparseTensorDenseMatmul(adjoint_st=True)(*parts, Tensor(FULL)), DENSE.T @ FULL)
    same(sparse_primitives.SparseTensorDenseMatmul(adjoint_dt=True)(*parts, Tensor(FULL)), DENSE @ FULL.T)
    box = sparse_primitives.SparseSlice()(x.indices, x.values, *(Tensor(n) for n in ([5, 4], [1, 1], [3, 9])))
    assert box[2].tolist() == [3, 3]
    same(sparse_primitives.SparseToDense()(box[0], box[1], box[2]), DENSE[1:4, 1:])
    with pytest.raises(TypeError, match="adjoint_st"):
        sparse_primitives.SparseTensorDenseMatmul(adjoint_st=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "text", "make"),
    [
        (TypeError, "'shape'", lambda: COOTensor(AT, V)),
        (TypeError, "'shape'", lambda: COOTensor(AT, V, [3, 4])),
        (TypeError, "'values'", lambda: COOTensor(AT, [1.0, 2.0], (3, 4))),
        (ValueError, "2 dimensions", lambda: COOTensor(J, V, (3, 4))),
        (TypeError, "dtype of 'indices'", lambda: COOTensor(Tensor([[0.0, 1.0]]), V, (3, 4))),
        (ValueError, "be equal", lambda: COOTensor(AT, Tensor([1.0, 2.0, 3.0]), (3, 4))),
        (ValueError, "be 2", lambda: COOTensor(AT, V, (3,))),
        (ValueError, "positive", lambda: COOTensor(AT, V, (3, -1))),
        (TypeError, "be ints", lambda: COOTensor(AT, V, (3, "a"))),
        (ValueError, "1 dimension", lambda: COOTensor(AT, Tensor([[1.0], [2.0]]), (3, 4))),
        (ValueError, "room for 2", lambda: COOTensor(AT, V, (1, 1))),
        (TypeError, "'coo_tensor'", lambda: COOTensor(coo_tensor=3)),
        (TypeError, "beside", lambda: COOTensor(AT, coo_tensor=COOTensor(AT, V, (3, 4)))),
        (TypeError, "'thresh'", lambda: COOTensor(AT, V, (3, 4)).add(COOTensor(AT, V, (3, 4)), 3.0)),
        (TypeError, "'other'", lambda: COOTensor(AT, V, (3, 4)).add(V, Tensor(0.0))),  # type: ignore[arg-type]
        (TypeError, "'indptr'", lambda: CSRTensor()),
        (TypeError, "'csr_tensor'", lambda: CSRTensor(csr_tensor=3)),
        (ValueError, "number of dimensions", lambda: CSRTensor(P, J, V, (2,))),
        (ValueError, "length of 'indptr'", lambda: CSRTensor(P, J, V, (3, 4))),
        (ValueError, "be equal", lambda: CSRTensor(P, J, Tensor([1.0]), (2, 4))),
        (TypeError, "dtype of 'indptr'", lambda: CSRTensor(Tensor([0.0, 1.0, 2.0]), J, V, (2, 4))),
        (ValueError, "rise from 0", lambda: CSRTensor(Tensor([0, 2, 1]), J, V, (2, 4)).to_dense()),
        (ValueError, "'axis'", lambda: CSRTensor(P, J, V, (2, 4)).sum(0)),
        (ValueError, "dense_vector", lambda: CSRTensor(P, J, V, (2, 4)).mv(V)),
        (TypeError, "'matrix'", lambda: CSRTensor(P, J, V, (2, 4)).mm(3)),
        (ValueError, "'matrix'", lambda: CSRTensor(P, J, V, (2, 4)).mm(Tensor([[1.0]]))),
        (TypeError, "'alpha'", lambda: CSRTensor(P, J, V, (2, 4)).add(CSRTensor(P, J, V, (2, 4)), 1.0, 1.0)),
        (ValueError, "2 dimensions", lambda: CSRTensor(P, J, Tensor([[1.0], [2.0]]), (2, 4, 1)).to_dense()),
        (TypeError, "'tensor'", lambda: sparse.dense_to_sparse_coo(3)),
        (ValueError, "'tensor'", lambda: sparse.dense_to_sparse_csr(V)),
        (TypeError, "'sp_input'", lambda: sparse.coo_concat(V)),
        (ValueError, "'concat_dim'", lambda: sparse.coo_concat((coo(DENSE),), 2)),
        (ValueError, "shapes of 'sp_input'", lambda: sparse.coo_concat((coo(DENSE), coo(DENSE.T)))),
        (TypeError, "'indices'", lambda: RowTensor(3, V, (3, 2))),
        (TypeError, "'shape'", lambda: RowTensor(J, V, 3)),
    ],
)
def test_errors(kind: Any, text: str, make: Any) -> None:
    with pytest.raises(kind, match=text):
        make()
