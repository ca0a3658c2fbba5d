"""What the table-driven tests cannot say of index, update and clipping ops: gradients of lists, errors, Parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, grad
from ms_kernels import functional as ops
from ms_kernels.testing.gradcheck import check_grad


def test_clip_by_norm_has_gradients_to_second_order() -> None:
    rng = np.random.default_rng(1)
    points = [rng.uniform(1, 2, (2, 3)), rng.uniform(1, 2, 4)]
    for order in (2.0, 3.0):
        check_grad(lambda *xs, order=order: tuple(ops.clip_by_norm(list(xs), 1.5, order)), points)
    check_grad(lambda x: ops.clip_by_norm(x, 1.5), points[:1])


def test_clip_by_global_norm_keeps_the_norm() -> None:
    out = ops.clip_by_global_norm((Tensor([3.0]), Tensor([4.0])), 1.0)
    assert isinstance(out, tuple)
    np.testing.assert_allclose([t.item() for t in out], [0.6, 0.8], rtol=1e-6)
    slope = grad(lambda x: ops.clip_by_global_norm([x], 1.0)[0].sum())(Tensor([3.0, 4.0]))
    np.testing.assert_allclose(slope.asnumpy(), [(16 - 12) / 125, (9 - 12) / 125], atol=1e-6)


def test_assign_inside_of_a_gradient_is_not_recorded() -> None:
    mean = Parameter(Tensor([1.0, 2.0]), name="mean")

    def forward(x: Any) -> Any:
        ops.assign_add(mean, x * 2)
        return (x * mean).sum()

    slope = grad(forward)(Tensor([1.0, 1.0]))
    assert mean.asnumpy().tolist() == [3.0, 4.0]
    assert slope.asnumpy().tolist() == [3.0, 4.0]


def test_a_parameter_is_changed_and_its_memory_given_back() -> None:
    for function, index, wanted in (
        (ops.scatter_update, [1], [1.0, 9.0]),
        (ops.scatter_add, [1], [1.0, 11.0]),
        (ops.scatter_nd_add, [[1]], [1.0, 11.0]),
        (ops.scatter_nd_update, [[1]], [1.0, 9.0]),
    ):
        weight = Parameter(Tensor([1.0, 2.0]), name="w")
        out = function(weight, Tensor(index), Tensor([9.0]))
        assert type(out) is Tensor
        assert out.asnumpy().tolist() == weight.asnumpy().tolist() == wanted
        ops.assign(weight, Tensor([7.0, 7.0]))
        assert out.asnumpy().tolist() == [7.0, 7.0]


def test_products_with_zeros_have_exact_gradients() -> None:
    places = Tensor(np.zeros((3, 1), np.int64))
    for factors in ([2.0, 0.0, 3.0], [0.0, 0.0, 3.0]):
        slope = grad(lambda v: ops.tensor_scatter_mul(Tensor([1.0]), places, v).sum())(Tensor(factors))
        wanted = [np.prod(factors[:i] + factors[i + 1 :]) for i in range(3)]
        assert slope.asnumpy().tolist() == wanted


MATRIX = Tensor(np.ones((2, 3), np.float32))
WRONG = [
    (RuntimeError, lambda: ops.gather_nd(MATRIX, Tensor([[2, 0]])), "For 'GatherNd', the 'indices' must lie in"),
    (RuntimeError, lambda: ops.gather_nd(MATRIX, Tensor([[-1, 0]])), "For 'GatherNd', the 'indices' must lie in"),
    (ValueError, lambda: ops.gather_nd(MATRIX, Tensor([[0, 0, 0]])), "last dimension of 'indices' must be at most 2"),
    (TypeError, lambda: ops.gather_nd(MATRIX, Tensor([[0.0, 0.0]])), "dtype of 'indices' must be an integer type"),
    (TypeError, lambda: ops.tensor_scatter_add(MATRIX, Tensor([[0, 0]]), Tensor([1])), "must be equal"),
    (ValueError, lambda: ops.scatter_nd(Tensor([[0]]), Tensor([1.0, 2.0]), (4,)), "shape of 'updates' must be"),
    (RuntimeError, lambda: ops.scatter_nd(Tensor([[4]]), Tensor([1.0]), (4,)), "must lie in the shape"),
    (ValueError, lambda: ops.assign(MATRIX, Tensor([1.0])), "shape of 'value' must be"),
    (TypeError, lambda: ops.assign(Tensor([1, 2]), Tensor([1.5, 2.5])), "dtype of 'value' must go into"),
    (RuntimeError, lambda: ops.unsorted_segment_sum(MATRIX, Tensor([0, 5]), 3), "must be less than 3"),
    (ValueError, lambda: ops.select_scatter(MATRIX, Tensor([1.0]), 1, 0), "shape of 'src' must be"),
    (IndexError, lambda: MATRIX.select(0, 5), "'index' must be in"),
    (NotImplementedError, lambda: Tensor([0]).choose([1, 2], mode="raise"), "'mode' must be"),
    (ValueError, lambda: ops.interpolate(MATRIX, size=(2,)), "must have"),
    (ValueError, lambda: ops.pixel_shuffle(MATRIX, 2), "at least three dimensions"),
    (ValueError, lambda: ops.hsplit(Tensor([1, 2]), 2), "at least 2 dimensions"),
    (RuntimeError, lambda: ops.rot90(MATRIX, 1, (0, 0)), "must be different"),
    (TypeError, lambda: ops.hann_window(5.0), "non-negative int"),
    (ValueError, lambda: ops.clip_by_global_norm([MATRIX], -1.0), "'clip_norm' must be a positive number"),
    (TypeError, lambda: ops.shape(3), "'input_x' must be a Tensor"),
    (ValueError, lambda: ops.is_nonzero(MATRIX), "number of elements must be 1"),
]


@pytest.mark.parametrize(("kind", "call", "text"), WRONG)
def test_errors(kind: type[Exception], call: Any, text: str) -> None:
    with pytest.raises(kind, match=text) as caught:
        call()
    assert str(caught.value).startswith("For '")


def test_multitype_functions_choose_by_type() -> None:
    chosen = ops.MultitypeFuncGraph("kind")
    chosen.register("Number", "Number")(lambda a, b: "numbers")
    chosen.register("Tensor", "Tensor")(lambda a, b: "tensors")
    chosen.register("Tuple", "String")(lambda a, b: "others")
    assert chosen(1, 2.5) == "numbers"
    assert chosen(MATRIX, MATRIX) == "tensors"
    assert chosen((1,), "a") == "others"
    assert ops.HyperMap(chosen)((1, MATRIX), (2, MATRIX)) == ("numbers", "tensors")
    with pytest.raises(ValueError, match="arguments of 'kind'"):
        chosen(MATRIX, 1)
    with pytest.raises(TypeError, match="be one of"):
        chosen.register("Nothing")


def test_names_that_are_primitives_themselves() -> None:
    assert ops.tensor_add(MATRIX, 1).asnumpy().tolist() == [[2.0] * 3] * 2
    assert isinstance(ops.depend, ops.Depend)
    assert ops.depend(1, 2) == 1
    assert ops.dtype(MATRIX) is mstype.float32
    assert ops.shape_(MATRIX) == (2, 3)
    assert ops.partial(lambda a, b: a - b, 5)(2) == 3
