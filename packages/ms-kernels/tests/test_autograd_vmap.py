"""vmap: axes of inputs and results, gradients through it, errors as 2.6's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_kernels import Tensor, functional, grad, jacrev, vmap

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
Y = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) + 10)


def mul(x: Any, y: Any) -> Any:
    return x * y


@pytest.mark.parametrize(
    ("in_axes", "out_axes", "transposed"),
    [(0, 0, False), ((0, 0), 0, False), ([0, 0], 0, False), (1, 1, False), (1, 0, True), (0, 1, True), (-1, -1, False)],
)
def test_axes(in_axes: Any, out_axes: Any, transposed: bool) -> None:
    wanted = X.asnumpy() * Y.asnumpy()
    found = vmap(mul, in_axes, out_axes)(X, Y).asnumpy()
    np.testing.assert_array_equal(found, wanted.T if transposed else wanted)


def test_an_input_without_axis_goes_to_every_sample() -> None:
    np.testing.assert_array_equal(vmap(mul, (0, None))(X, Y[0]).asnumpy(), X.asnumpy() * Y.asnumpy()[0])
    np.testing.assert_array_equal(vmap(mul, (0, None))(X, 2).asnumpy(), X.asnumpy() * 2)


def test_nested_inputs_and_results() -> None:
    def f(xy: Any, z: Any) -> Any:
        return (xy[0] * xy[1], z), z + 1

    for axes in (((0, 0), 0), 0, (0, 0)):
        (product, same), more = vmap(f, axes, ((0, 1), 0))((X, Y), X)
        np.testing.assert_array_equal(product.asnumpy(), X.asnumpy() * Y.asnumpy())
        np.testing.assert_array_equal(same.asnumpy(), X.asnumpy().T)
        np.testing.assert_array_equal(more.asnumpy(), X.asnumpy() + 1)


def test_constant_results() -> None:
    constant = vmap(lambda x: (x, Tensor(3.0)), 0, (0, None))(X)[1]
    assert constant.shape == () and constant.item() == 3.0
    assert vmap(lambda x: (x, Tensor(3.0)))(X)[1].tolist() == [3.0, 3.0]
    assert vmap(lambda x: (x, 3))(X)[1].tolist() == [3, 3]


def test_vmap_of_vmap_is_an_outer_product() -> None:
    found = vmap(vmap(mul, (None, 0)), (0, None))(X[0], Y[0])
    np.testing.assert_array_equal(found.asnumpy(), np.outer(X.asnumpy()[0], Y.asnumpy()[0]))


def test_branches_on_values() -> None:
    found = vmap(lambda x: x * 2 if x.sum() > 4 else x)(X)
    assert found.tolist() == [[0.0, 1.0, 2.0], [6.0, 8.0, 10.0]]


def test_gradients_inside_and_outside() -> None:
    per_sample = vmap(grad(lambda x: (x * x).sum()))(X)
    np.testing.assert_array_equal(per_sample.asnumpy(), 2 * X.asnumpy())
    through = grad(lambda x, y: vmap(lambda a, b: functional.matmul(a, b) ** 2, (1, None))(x, y).sum(), (0, 1))(
        X, Y[:, 0]
    )
    y = Y.asnumpy()[:, 0]
    dot = y @ X.asnumpy()
    np.testing.assert_allclose(through[0].asnumpy(), 2 * np.outer(y, dot), rtol=1e-6)
    np.testing.assert_allclose(through[1].asnumpy(), X.asnumpy() @ (2 * dot), rtol=1e-6)
    jacobians = vmap(jacrev(lambda x: x * x))(X)
    assert jacobians.shape == (2, 3, 3)
    assert jacobians[1].tolist() == np.diag(2 * X.asnumpy()[1]).tolist()


def test_one_cell_per_sample() -> None:
    class CellList(list[Any]):
        """As ms-nn's, which is above this package."""

    cells = CellList([lambda x: x + 1, lambda x: x * 2])
    assert vmap(cells)(X).tolist() == [[1.0, 2.0, 3.0], [6.0, 8.0, 10.0]]
    assert vmap(cells, None)(X[0]).tolist() == [[1.0, 2.0, 3.0], [0.0, 2.0, 4.0]]
    with pytest.raises(RuntimeError, match="sizes of the mapped axes"):
        vmap(cells, 1)(X)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("'fn'", lambda: vmap(3)),
        ("None alone", lambda: vmap(mul, None)),
        ("all None", lambda: vmap(mul, (None, None))),
        ("None alone", lambda: vmap(mul, 0, None)),
        ("axis in 'in_axes'", lambda: vmap(mul, "a")),
        ("axis in 'in_axes'", lambda: vmap(mul, True)),
        ("axis in 'out_axes'", lambda: vmap(mul, 0, 0.5)),
        ("number of inputs", lambda: vmap(mul, (0,))(X, Y)),
        ("be equal, but got 2 and 3", lambda: vmap(mul)(X, Y[0])),
        (r"in \[-2, 2\), but got 2", lambda: vmap(mul, 2)(X, Y)),
        (r"in \[-2, 2\), but got 5", lambda: vmap(mul, 0, 5)(X, Y)),
        (r"in \[0, 0\)", lambda: vmap(mul)(Tensor(1.0), X)),
        ("be a Tensor", lambda: vmap(mul, (0, 0))(X, 2)),
        ("its input", lambda: vmap(lambda a: a[0], ((0, 0, 0),))((X, Y))),
        ("axis of a Tensor", lambda: vmap(mul, ((0, 0), 0))(X, Y)),
        ("number of results", lambda: vmap(lambda x: (x, x), 0, (0,))(X)),
        ("one result", lambda: vmap(lambda x: x, 0, (0, 1))(X)),
        ("Tensors or numbers", lambda: vmap(lambda x: None)(X)),
        ("same for all samples", lambda: vmap(lambda x: (x, x), 0, (0, None))(X)),
        ("positional", lambda: vmap(mul)(X, y=Y)),
        ("at least 1", lambda: vmap(lambda x: x)(Tensor(np.zeros((0, 2), np.float32)))),
    ],
)
def test_errors(text: str, call: Any) -> None:
    with pytest.raises(RuntimeError, match=text):
        call()
