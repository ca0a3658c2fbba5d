"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from ms_kernels.loops import linalg as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import sum_to
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import reshape, swapaxes, unsqueeze

__all__ = ["addmm", "bmm", "dense", "dot", "matmul", "mm", "outer"]

Shape = tuple[int, ...]


def _product(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    if a.dtype in FLOATS:
        return loops.matmul(a, b, transpose_a, transpose_b)
    return (a.swapaxes(-1, -2) if transpose_a else a) @ (b.swapaxes(-1, -2) if transpose_b else b)


def _turned(shape: Shape, turn: bool) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if turn and len(shape) > 1 else shape


def _shape(a: Shape, b: Shape, transpose_a: bool = False, transpose_b: bool = False) -> Shape:
    if len(a) < 2 or len(b) < 2:
        fail(ValueError, "MatMul", "inputs", "have two or more dimensions", f"{list(a)} and {list(b)}")
    return rules.matmul_shape("MatMul")(_turned(a, transpose_a), _turned(b, transpose_b))


def _vjp(g: Any, _out: Any, input: Any, other: Any, transpose_a: bool, transpose_b: bool) -> Any:
    def left() -> Any:
        grad = (
            matrix_product(other, g, transpose_b, True)
            if transpose_a
            else matrix_product(g, other, False, not transpose_b)
        )
        return sum_to(grad, input.shape) if grad.shape != input.shape else grad

    def right() -> Any:
        grad = (
            matrix_product(g, input, True, transpose_a)
            if transpose_b
            else matrix_product(input, g, not transpose_a, False)
        )
        return sum_to(grad, other.shape) if grad.shape != other.shape else grad

    return left, right


@op(
    shape=_shape,
    dtype=rules.promote,
    vjp=_vjp,
    ascend="cube",
    batch="product",
    primitive=[
        "MatMul(transpose_a=False, transpose_b=False)(x, y)",
        "BatchMatMul(transpose_a=False, transpose_b=False)(x, y)",
    ],
)
def matrix_product(input: Array, other: Array, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Return the product of matrices, or of batches of them, each transposed first if asked.

    float16 and bfloat16 are accumulated in float32 and rounded once.

    Raises:
        ValueError: inner dimensions differ, batch dimensions cannot be broadcast, fewer than two dimensions.

    Examples:
        >>> print(ops.MatMul(transpose_b=True)(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])))
        [[11.]]

    Source: ``mindspore.ops.MatMul``, ``mindspore.ops.BatchMatMul``.
    """
    return _product(input, other, transpose_a, transpose_b)


def _vectors(name: str, input: Any, other: Any) -> Any:
    rules.matmul_shape(name)(input.shape, other.shape)
    left = unsqueeze(input, 0) if input.ndim == 1 else input
    right = unsqueeze(other, 1) if other.ndim == 1 else other
    out = matrix_product(left, right, False, False)
    shape = out.shape
    if other.ndim == 1:
        shape = shape[:-1]
    if input.ndim == 1:
        shape = (*shape[:-2], shape[-1]) if other.ndim > 1 else shape[:-1]
    return out if shape == out.shape else reshape(out, shape)


@composite(
    ops="matmul(input, other)",
    mint="matmul(input, other)",
    tensor=["matmul(tensor2)", "matmul(other)"],
    dunder="__matmul__",
    label="MatMul",
)
def matmul(input: Array, other: Array) -> Any:
    """Return the matrix product as NumPy's matmul: vectors are rows or columns, leading dimensions a batch.

    Raises:
        ValueError: shapes that do not fit, or a 0-d operand.

    Examples:
        >>> print(ops.matmul(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])))
        [3. 7.]

    Source: ``mindspore.ops.matmul``.
    """
    if input.ndim > 1 and other.ndim > 1:
        return matrix_product(input, other, False, False)
    return _vectors("MatMul", input, other)


def _exactly(name: str, ndims: tuple[int, ...], *operands: Any) -> None:
    for operand, ndim in zip(operands, ndims):
        if operand.ndim != ndim:
            fail(ValueError, name, "number of dimensions", f"be {ndim}", f"shape {list(operand.shape)}")


@composite(ops="mm(input, mat2)", mint="mm(input, mat2)", tensor="mm(mat2)")
def mm(input: Array, other: Array) -> Any:
    """Return the product of two matrices.

    Examples:
        >>> print(ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    Source: ``mindspore.ops.mm``.
    """
    _exactly("mm", (2, 2), input, other)
    return matrix_product(input, other)


@composite(ops="bmm(input_x, mat2)", mint="bmm(input, mat2)", tensor="bmm(mat2)")
def bmm(input: Array, other: Array) -> Any:
    """Return the products of two batches of matrices.

    Examples:
        >>> print(ops.bmm(Tensor([[[1.0, 2.0]]]), Tensor([[[3.0], [4.0]]])))
        [[[11.]]]

    Source: ``mindspore.ops.bmm``.
    """
    if input.ndim < 3 or other.ndim != input.ndim:
        fail(
            ValueError, "bmm", "inputs", "have three dimensions", f"shapes {list(input.shape)} and {list(other.shape)}"
        )
    return matrix_product(input, other)


@composite(ops="mv(mat, vec)", mint="mv(input, vec)", rename={"mat": "input"})
def mv(input: Array, vec: Array) -> Any:
    """Return the product of a matrix and a vector.

    Examples:
        >>> print(ops.mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0])))
        [3. 7.]

    Source: ``mindspore.ops.mv``.
    """
    _exactly("mv", (2, 1), input, vec)
    return _vectors("mv", input, vec)


@composite(
    ops="dot(input, other)", mint="dot(input, other)", tensor=["dot(other)", "dot(tensor)"], rename={"tensor": "other"}
)
def dot(input: Array, other: Array) -> Any:
    """Return the inner product of two vectors; of arrays, over the last axis of `input`, the last but one of `other`.

    Examples:
        >>> print(ops.dot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        11.0

    Source: ``mindspore.ops.dot``.
    """
    if input.ndim == 1 and other.ndim == 1:
        if input.shape != other.shape:
            fail(ValueError, "dot", "sizes", "be equal", f"{list(input.shape)} and {list(other.shape)}")
        return sum_(input * other)
    if not input.ndim or not other.ndim:
        return input * other
    turned = swapaxes(other, -2, 0) if other.ndim > 1 else unsqueeze(other, 1)
    k = input.shape[-1]
    if turned.shape[0] != k:
        fail(ValueError, "dot", "dimensions summed over", "be equal", f"{list(input.shape)} and {list(other.shape)}")
    rest = list(other.shape)
    rest.pop(-2 if other.ndim > 1 else -1)
    moved = turned if other.ndim < 3 else _front(other)
    flat = matrix_product(reshape(input, (-1, k)), reshape(moved, (k, -1)))
    return reshape(flat, (*input.shape[:-1], *rest))


def _front(other: Any) -> Any:
    """The last dimension but one first, the others in their order."""
    from ms_kernels.ops.shape import moveaxis

    return moveaxis(other, -2, 0)


@composite(ops="outer(input, vec2)", mint="outer(input, vec2)", tensor=["outer(vec2)", "ger(vec2)"])
def outer(input: Array, vec2: Array) -> Any:
    """Return the outer product of two vectors.

    Examples:
        >>> print(ops.outer(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        [[3. 4.]
         [6. 8.]]

    Source: ``mindspore.ops.outer``.
    """
    _exactly("outer", (1, 1), input, vec2)
    return unsqueeze(input, 1) * unsqueeze(vec2, 0)


def _affine(input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    scaled = product if alpha == 1 else product * alpha
    return input * beta + scaled if beta != 1 else input + scaled


@composite(
    ops="addmm(input, mat1, mat2, *, beta=1, alpha=1)",
    mint="addmm(input, mat1, mat2, *, beta=1, alpha=1)",
    tensor="addmm(mat1, mat2, *, beta=1, alpha=1)",
    inplace="addmm_(mat1, mat2, *, beta=1, alpha=1)",
    rename={"mat2": "mat2"},
)
def addmm(input: Array, mat1: Array, mat2: Array, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat1 @ mat2)``.

    Examples:
        >>> print(ops.addmm(Tensor([[1.0]]), Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[12.]]

    Source: ``mindspore.ops.addmm``.
    """
    return _affine(input, mm(mat1, mat2), beta, alpha)


@composite(
    ops="addmv(input, mat, vec, *, beta=1, alpha=1)",
    mint="addmv(input, mat, vec, *, beta=1, alpha=1)",
    tensor="addmv(mat, vec, *, beta=1, alpha=1)",
)
def addmv(input: Array, mat: Array, vec: Array, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * (mat @ vec)``.

    Examples:
        >>> print(ops.addmv(Tensor([1.0]), Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])))
        [12.]

    Source: ``mindspore.ops.addmv``.
    """
    return _affine(input, mv(mat, vec), beta, alpha)


@composite(
    ops=["baddbmm(input, batch1, batch2, beta=1, alpha=1)", "baddbmm_ext(input, batch1, batch2, *, beta=1, alpha=1)"],
    mint="baddbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    tensor="baddbmm(batch1, batch2, *, beta=1, alpha=1)",
)
def baddbmm(input: Array, batch1: Array, batch2: Array, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input + alpha * bmm(batch1, batch2)``.

    Examples:
        >>> print(ops.baddbmm(Tensor([[[1.0]]]), Tensor([[[1.0, 2.0]]]), Tensor([[[3.0], [4.0]]])))
        [[[12.]]]

    Source: ``mindspore.ops.baddbmm``.
    """
    return _affine(input, bmm(batch1, batch2), beta, alpha)


@composite(
    ops="addbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    mint="addbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    tensor="addbmm(batch1, batch2, *, beta=1, alpha=1)",
)
def addbmm(input: Array, batch1: Array, batch2: Array, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return ``beta * input`` plus alpha times the sum over the batch of ``batch1 @ batch2``.

    Examples:
        >>> print(ops.addbmm(Tensor([[1.0]]), Tensor([[[1.0, 2.0]]]), Tensor([[[3.0], [4.0]]])))
        [[12.]]

    Source: ``mindspore.ops.addbmm``.
    """
    return _affine(input, sum_(bmm(batch1, batch2), 0), beta, alpha)


@composite(
    ops="dense(input, weight, bias=None)",
    mintf="linear(input, weight, bias=None)",
    primitive="Dense()(input, weight, bias=None)",
)
def dense(input: Array, weight: Array, bias: Array | None = None) -> Any:
    """Return ``input @ weight.T + bias``: a fully connected layer.

    Args:
        input: (..., in).
        weight: (out, in), or (in) for one output.
        bias: (out).

    Raises:
        ValueError: sizes that do not fit.

    Examples:
        >>> print(ops.dense(Tensor([[1.0, 2.0]]), Tensor([[1.0, 1.0], [0.0, 1.0]]), Tensor([0.5, 0.5])))
        [[3.5 2.5]]

    Source: ``mindspore.ops.dense``.
    """
    if weight.ndim not in (1, 2) or not input.ndim or input.shape[-1] != weight.shape[-1]:
        fail(
            ValueError,
            "Dense",
            "last dimensions of 'input' and 'weight'",
            "be equal",
            f"{list(input.shape)} and {list(weight.shape)}",
        )
    if weight.ndim == 1:
        out = _vectors("Dense", input, weight)
    elif input.ndim == 2:
        out = matrix_product(input, weight, False, True)
    else:
        rows = matrix_product(reshape(input, (-1, weight.shape[1])), weight, False, True)
        out = reshape(rows, (*input.shape[:-1], weight.shape[0]))
    return out if bias is None else out + bias
