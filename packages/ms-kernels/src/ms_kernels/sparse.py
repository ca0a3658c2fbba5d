"""The functions of `mindspore.ops` on sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.sparse import COOTensor, check_tensor
from ms_kernels.tensor.sparse_rows import CSRTensor

# 2.6 has each of these twice, as `coo_abs` and `csr_abs`: the function of the stored values.
_WORDS = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log log1p neg relu relu6
    round sigmoid sin sinh softsign sqrt square tan tanh
"""
_BY_VALUE = tuple(_WORDS.split())

__all__ = [
    "coo_add",
    "coo_concat",
    "coo_tensor_get_dense_shape",
    "coo_tensor_get_indices",
    "coo_tensor_get_values",
    "csr_add",
    "csr_div",
    "csr_mm",
    "csr_mul",
    "csr_mv",
    "csr_reduce_sum",
    "csr_softmax",
    "csr_tensor_get_dense_shape",
    "csr_tensor_get_indices",
    "csr_tensor_get_indptr",
    "csr_tensor_get_values",
    "csr_to_coo",
    "csr_to_dense",
    "dense_to_sparse_coo",
    "dense_to_sparse_csr",
    *(f"{kind}_{name}" for kind in ("coo", "csr") for name in _BY_VALUE),
]


def _check(name: str, key: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        fail(TypeError, name, f"'{key}'", f"be a {kind.__name__}", describe(value))


def _by_value(name: str, kind: type[Any], word: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        from ms_kernels import functional

        _check(name, "x", x, kind)
        return x._with(getattr(functional, "reciprocal" if word == "inv" else word)(x.values))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return a {kind.__name__} whose stored values are `{word}` of those of x (``ops.{name}``)."
    return function


for _kind in (COOTensor, CSRTensor):
    for _word in _BY_VALUE:
        _name = f"{_kind.__name__[:3].lower()}_{_word}"
        globals()[_name] = _by_value(_name, _kind, _word)


def coo_add(x1: COOTensor, x2: COOTensor, thresh: Any) -> COOTensor:
    """Return the sum of two COOTensors without values below a threshold: `COOTensor.add`.

    Examples:
        >>> from ms_kernels import Tensor
        >>> x = COOTensor(Tensor([[0, 1]]), Tensor([2.0]), (2, 2))
        >>> print(coo_add(x, x, Tensor(0.0)).values)
        [4.]
    """
    _check("coo_add", "x1", x1, COOTensor)
    return x1.add(x2, thresh)


def coo_concat(sp_input: Any, concat_dim: int = 0) -> COOTensor:
    """Join COOTensors along a dimension; coordinates come out sorted.

    Raises:
        TypeError: `sp_input` is no tuple or list of COOTensors.
        ValueError: a dimension that does not exist, or other sizes that differ.

    Examples:
        >>> from ms_kernels import Tensor
        >>> x = COOTensor(Tensor([[0, 1]]), Tensor([2.0]), (2, 2))
        >>> print(coo_concat((x, x), 1).to_dense())
        [[0. 2. 0. 2.]
         [0. 0. 0. 0.]]
    """
    if not isinstance(sp_input, (tuple, list)) or not all(isinstance(item, COOTensor) for item in sp_input):
        fail(TypeError, "coo_concat", "'sp_input'", "be a tuple or list of COOTensors", describe(sp_input))
    if concat_dim not in (-2, -1, 0, 1):
        fail(ValueError, "coo_concat", "'concat_dim'", "be in [-2, 2)", describe(concat_dim))
    if len({item.shape[1 - concat_dim % 2] for item in sp_input}) != 1:
        got = str([item.shape for item in sp_input])
        fail(ValueError, "coo_concat", "shapes of 'sp_input'", "differ in 'concat_dim' only", got)
    dim = concat_dim % 2
    at, pairs = 0, []
    for item in sp_input:
        pair = item.indices._a.copy()
        pair[:, dim] += at
        at += item.shape[dim]
        pairs.append(pair)
    indices = np.concatenate(pairs)
    order = np.lexsort((indices[:, 1], indices[:, 0]))
    shape = (at, sp_input[0].shape[1]) if dim == 0 else (sp_input[0].shape[0], at)
    values = ops_by_name["concat"]([item.values for item in sp_input], 0)
    return COOTensor(from_array(indices[order]), ops_by_name["index_select"](values, 0, from_array(order)), shape)


def _part(name: str, kind: type[Any], attribute: str) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        _check(name, "x", x, kind)
        return getattr(x, attribute)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return the {attribute} of a {kind.__name__} (``ops.{name}``)."
    return function


coo_tensor_get_indices = _part("coo_tensor_get_indices", COOTensor, "indices")
coo_tensor_get_values = _part("coo_tensor_get_values", COOTensor, "values")
coo_tensor_get_dense_shape = _part("coo_tensor_get_dense_shape", COOTensor, "shape")
csr_tensor_get_indptr = _part("csr_tensor_get_indptr", CSRTensor, "indptr")
csr_tensor_get_indices = _part("csr_tensor_get_indices", CSRTensor, "indices")
csr_tensor_get_values = _part("csr_tensor_get_values", CSRTensor, "values")
csr_tensor_get_dense_shape = _part("csr_tensor_get_dense_shape", CSRTensor, "shape")


def csr_add(a: CSRTensor, b: CSRTensor, alpha: Any, beta: Any) -> CSRTensor:
    """Return alpha * a + beta * b: `CSRTensor.add`."""
    _check("csr_add", "a", a, CSRTensor)
    return a.add(b, alpha, beta)


def csr_mul(x: CSRTensor, y: Any) -> CSRTensor:
    """Return the stored values of x times those of a dense Tensor at their places."""
    _check("csr_mul", "x", x, CSRTensor)
    check_tensor("csr_mul", "y", y)
    result: CSRTensor = x * y
    return result


def csr_div(x: CSRTensor, y: Any) -> CSRTensor:
    """Return the stored values of x divided by those of a dense Tensor at their places."""
    _check("csr_div", "x", x, CSRTensor)
    check_tensor("csr_div", "y", y)
    result: CSRTensor = x / y
    return result


def csr_mv(csr_tensor: CSRTensor, dense: Any) -> Any:
    """Return the product with a dense column: `CSRTensor.mv`."""
    _check("csr_mv", "csr_tensor", csr_tensor, CSRTensor)
    return csr_tensor.mv(dense)


def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> Any:
    """Return the sum of each row: `CSRTensor.sum`."""
    _check("csr_reduce_sum", "csr_tensor", csr_tensor, CSRTensor)
    return csr_tensor.sum(axis)


def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """Return a CSRTensor by coordinates: `CSRTensor.to_coo`."""
    _check("csr_to_coo", "tensor", tensor, CSRTensor)
    return tensor.to_coo()


def csr_to_dense(csr_tensor: CSRTensor) -> Any:
    """Return a CSRTensor as a dense Tensor: `CSRTensor.to_dense`."""
    _check("csr_to_dense", "csr_tensor", csr_tensor, CSRTensor)
    return csr_tensor.to_dense()


def transposed(x: CSRTensor, conjugate: bool) -> CSRTensor:
    """Swap rows and columns, and conjugate the values if so told."""
    coo = x.to_coo()
    values = ops_by_name["conj"](coo.values) if conjugate else coo.values
    flipped = from_array(np.ascontiguousarray(coo.indices._a[:, ::-1]))
    return COOTensor(flipped, values, coo.shape[::-1]).to_csr()


def csr_mm(
    a: CSRTensor,
    b: CSRTensor,
    trans_a: bool = False,
    trans_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> CSRTensor:
    """Return the product of two CSRTensors, each transposed (or conjugated and transposed) first if so told.

    Raises:
        TypeError: an operand is no CSRTensor.
        ValueError: the shapes do not fit.

    Examples:
        >>> from ms_kernels import Tensor
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 0]), Tensor([2.0, 3.0]), (2, 2))
        >>> print(csr_mm(x, x).to_dense())
        [[6. 0.]
         [0. 6.]]
    """
    _check("csr_mm", "a", a, CSRTensor)
    _check("csr_mm", "b", b, CSRTensor)
    left = transposed(a, adjoint_a) if trans_a or adjoint_a else a
    right = transposed(b, adjoint_b) if trans_b or adjoint_b else b
    result: CSRTensor = left.mm(right)
    return result


def csr_softmax(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """Return the softmax of each row over its stored values, computed in a dtype.

    Examples:
        >>> from ms_kernels import Tensor
        >>> x = CSRTensor(Tensor([0, 2, 3]), Tensor([0, 1, 1]), Tensor([1.0, 1.0, 5.0]), (2, 2))
        >>> print(csr_softmax(x, x.dtype).values)
        [0.5 0.5 1. ]
    """
    _check("csr_softmax", "logits", logits, CSRTensor)
    values = logits.values.astype(dtype)
    rows = logits._rows()
    highest = np.full(logits.shape[0], -np.inf)
    np.maximum.at(highest, rows, values._a.astype(np.float64))
    shifted = ops_by_name["exp"](values - from_array(highest[rows].astype(values._kind)))
    totals = logits._along_rows(shifted)
    return logits._with(shifted / ops_by_name["index_select"](totals, 0, from_array(rows)))


def dense_to_sparse_coo(tensor: Any) -> COOTensor:
    """Return the values of a dense matrix that are not zero, by coordinates (int32).

    Raises:
        TypeError: no Tensor.
        ValueError: it does not have two dimensions.

    Examples:
        >>> from ms_kernels import Tensor
        >>> print(dense_to_sparse_coo(Tensor([[1.0, 0.0], [-5.0, 0.0]])).values)
        [ 1. -5.]
    """
    check_tensor("dense_to_sparse_coo", "tensor", tensor)
    if tensor.ndim != 2:
        fail(ValueError, "dense_to_sparse_coo", "'tensor'", "have 2 dimensions", str(tensor.ndim))
    pairs = from_array(np.argwhere(tensor._a).astype(np.int32))
    return COOTensor(pairs, ops_by_name["gather_nd"](tensor, pairs), tensor.shape)


def dense_to_sparse_csr(tensor: Any) -> CSRTensor:
    """Return the values of a dense matrix that are not zero, by rows (int32); errors as `dense_to_sparse_coo`."""
    return dense_to_sparse_coo(tensor).to_csr()
