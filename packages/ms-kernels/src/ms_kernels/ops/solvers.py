"""Inverses, determinants, linear systems, Cholesky and LU factors."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.compare import greater_equal, where
from ms_kernels.ops.decompositions import LAPACK, matrix_shape, turned
from ms_kernels.ops.linalg import matrix_product
from ms_kernels.ops.matrices import tril, triu
from ms_kernels.ops.shape import swapaxes, unsqueeze

__all__ = ["cholesky", "det", "inverse", "logdet", "lstsq", "matrix_solve", "slogdet", "triangular_solve"]

Shape = tuple[int, ...]


def _square(name: str, kind: type[Exception] = ValueError) -> Any:
    def rule(shape: Shape, *_rest: Any) -> Shape:
        matrix_shape(name, shape, True, kind)
        return shape

    return rule


@op(
    shape=_square("MatrixInverse"),
    dtype=lambda input: input,
    accepts=LAPACK,
    vjp=lambda g, out, _input: -matrix_product(matrix_product(turned(out), g), turned(out)),
    ascend="lapack",
    batch="leading",
    ops="inverse(input)",
    mint="inverse(input)",
    mintl="inv(input)",
    tensor="inverse()",
    label="MatrixInverse",
)
def inverse(input: Array) -> Any:
    """Return the inverses of square matrices.

    Raises:
        ValueError: fewer than two dimensions, or matrices that are not square.
        TypeError: the elements are neither float32, float64 nor complex.
        RuntimeError: a matrix has no inverse.

    Examples:
        >>> print(ops.inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]

    Source: ``mindspore.ops.inverse``, ``mindspore.mint.linalg.inv``.
    """
    try:
        return np.linalg.inv(input)
    except np.linalg.LinAlgError:
        fail(RuntimeError, "MatrixInverse", "matrices", "have an inverse", "a singular one")


@composite(primitive="MatrixInverse(adjoint=False)(x)", name="inverse_adjoint")
def inverse_adjoint(input: Array, adjoint: bool = False) -> Any:
    """Return the inverses of square matrices, of their conjugate transposes if `adjoint`.

    Examples:
        >>> print(ops.MatrixInverse()(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]

    Source: ``mindspore.ops.MatrixInverse``.
    """
    out = inverse(input)
    return turned(out) if adjoint else out


@op(
    shape=lambda shape: _square("MatrixDeterminant")(shape)[:-2],
    dtype=lambda input: input,
    accepts=LAPACK,
    vjp=lambda g, out, input: unsqueeze(unsqueeze(g * out, -1), -1) * turned(inverse(input)),
    ascend="lapack",
    batch="leading",
    ops=["det(input)", "matrix_determinant(input)"],
    tensor=["det()", "matrix_determinant()"],
    primitive="MatrixDeterminant()(x)",
)
def det(input: Array) -> Any:
    """Return the determinants of square matrices.

    Raises:
        ValueError: matrices that are not square.

    Examples:
        >>> print(ops.det(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        8.0

    Source: ``mindspore.ops.det``.
    """
    return np.linalg.det(input).astype(input.dtype)


@op(
    shape=lambda shape: [_square("LogMatrixDeterminant")(shape)[:-2]] * 2,
    dtype=lambda input: (input, input),
    accepts=LAPACK,
    vjp=lambda g, _out, input: unsqueeze(unsqueeze(g[1], -1), -1) * turned(inverse(input)),
    ascend="lapack",
    batch="leading",
    ops=["slogdet(input)", "log_matrix_determinant(input)"],
    tensor=["slogdet()", "log_matrix_determinant()"],
    primitive="LogMatrixDeterminant()(x)",
)
def slogdet(input: Array) -> Any:
    """Return the signs of the determinants of square matrices, and the logarithms of their sizes.

    Raises:
        ValueError: matrices that are not square.

    Examples:
        >>> print(*ops.slogdet(Tensor([[-1.0, 0.0], [0.0, 1.0]])))
        -1.0 0.0

    Source: ``mindspore.ops.slogdet``.
    """
    sign, size = np.linalg.slogdet(input)
    return np.asarray(sign).astype(input.dtype), np.asarray(size).astype(input.dtype)


@composite(ops="logdet(input)", tensor="logdet()")
def logdet(input: Array) -> Any:
    """Return the logarithms of the determinants of square matrices; NaN where one is negative.

    Examples:
        >>> print(ops.logdet(Tensor([[1.0, 0.0], [0.0, 1.0]])))
        0.0

    Source: ``mindspore.ops.logdet``.
    """
    sign, size = slogdet(input)
    return where(greater_equal(sign, 0), size, float("nan"))


def _solve_shape(matrix: Shape, rhs: Shape, _adjoint: bool = False) -> Shape:
    _square("MatrixSolve")(matrix)
    matrix_shape("MatrixSolve", rhs)
    if matrix[-1] != rhs[-2] or matrix[:-2] != rhs[:-2]:
        fail(ValueError, "MatrixSolve", "rows of 'matrix' and 'rhs'", "be equal", f"{list(matrix)} and {list(rhs)}")
    return rhs


def _solve_vjp(g: Any, out: Any, input: Any, _other: Any, adjoint: bool) -> Any:
    back = matrix_solve(input, g, not adjoint)  # the gradient of the right side

    def of_matrix() -> Any:
        grad = -matrix_product(back, turned(out))
        return turned(grad) if adjoint else grad

    return of_matrix, back


@op(
    shape=_solve_shape,
    dtype=lambda input, other, _adjoint: input,
    accepts=LAPACK,
    promote=1,
    vjp=_solve_vjp,
    ascend="lapack",
    batch="leading",
    ops="matrix_solve(matrix, rhs, adjoint=False)",
    primitive="MatrixSolve(adjoint=False)(matrix, rhs)",
    rename={"matrix": "input", "rhs": "other"},
)
def matrix_solve(input: Array, other: Array, adjoint: bool = False) -> Any:
    """Return x with ``matrix @ x = rhs``, of the conjugate transposes if `adjoint`.

    Raises:
        ValueError: matrices that are not square, or rows that do not fit.
        RuntimeError: a matrix has no inverse.

    Examples:
        >>> print(ops.matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])))
        [[1. ]
         [0.5]]

    Source: ``mindspore.ops.matrix_solve``.
    """
    matrix = np.conj(input.swapaxes(-1, -2)) if adjoint else input
    try:
        return np.linalg.solve(matrix, other)
    except np.linalg.LinAlgError:
        fail(RuntimeError, "MatrixSolve", "matrices", "have an inverse", "a singular one")


@op(
    shape=_square("Cholesky"),
    dtype=lambda input: input,
    accepts=LAPACK,
    vjp=lambda g, out, _input: _cholesky_grad(g, out),
    ascend="lapack",
    batch="leading",
    primitive="CholeskyLower()(x)",
    label="Cholesky",
)
def cholesky_lower(input: Array) -> Any:
    """Return lower triangular L with ``L @ L.T = x``, for symmetric matrices with positive eigenvalues.

    Examples:
        >>> print(ops.CholeskyLower()(Tensor([[4.0, 0.0], [0.0, 9.0]])))
        [[2. 0.]
         [0. 3.]]

    Source: LAPACK's potrf; its gradient after I. Murray, Differentiation of the Cholesky decomposition (2016).
    """
    try:
        return np.linalg.cholesky(input)
    except np.linalg.LinAlgError:
        fail(RuntimeError, "Cholesky", "matrices", "be symmetric with positive eigenvalues", "another one")


def _half(t: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    return (tril(t) + tril(t, -1)) * 0.5


def _cholesky_grad(g: Any, lower: Any) -> Any:
    back = inverse(lower)
    inner = _half(matrix_product(turned(lower), tril(g)))
    grad = matrix_product(matrix_product(turned(back), inner), back)
    return (grad + turned(grad)) * 0.5


@composite(
    ops="cholesky(input_x, upper=False)", tensor="cholesky(upper=False)", primitive="Cholesky(upper=False)(input_x)"
)
def cholesky(input: Array, upper: bool = False) -> Any:
    """Return the Cholesky factors of symmetric matrices with positive eigenvalues: L with ``L @ L.T = x``.

    Args:
        upper: give the upper triangular transpose.

    Raises:
        ValueError: matrices that are not square.
        RuntimeError: a matrix is not positive definite.

    Examples:
        >>> print(ops.cholesky(Tensor([[4.0, 2.0], [2.0, 5.0]])))
        [[2. 0.]
         [1. 2.]]

    Source: ``mindspore.ops.cholesky``.
    """
    lower = cholesky_lower(input)
    return turned(lower) if upper else lower


@composite(
    ops="cholesky_inverse(input_x, upper=False)",
    tensor="cholesky_inverse(upper=False)",
    primitive="CholeskyInverse(upper=False)(input_x)",
)
def cholesky_inverse(input: Array, upper: bool = False) -> Any:
    """Return the inverse of ``L @ L.T`` from its Cholesky factor L (upper: ``U.T @ U`` from U); all of it is read.

    Examples:
        >>> print(ops.cholesky_inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.25   0.    ]
         [0.     0.0625]]

    Source: ``mindspore.ops.cholesky_inverse``.
    """
    matrix_shape("CholeskyInverse", input.shape, True)
    back = inverse(input)
    return matrix_product(back, turned(back)) if upper else matrix_product(turned(back), back)


@composite(
    ops="cholesky_solve(input, input2, upper=False)",
    tensor="cholesky_solve(input2, upper=False)",
    primitive="CholeskySolve(upper=False)(x1, x2)",
    rename={"x1": "input", "input2": "other"},
)
def cholesky_solve(input: Array, other: Array, upper: bool = False) -> Any:
    """Return x with ``L @ L.T @ x = input`` from the Cholesky factor L (upper: ``U.T @ U @ x = input``).

    Examples:
        >>> print(ops.cholesky_solve(Tensor([[4.0], [16.0]]), Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[1.]
         [1.]]

    Source: ``mindspore.ops.cholesky_solve``.
    """
    matrix_shape("CholeskySolve", other.shape, True)
    factor = turned(triu(other)) if upper else tril(other)
    return matrix_solve(factor, matrix_solve(factor, input), True)


def triangular_inverse(t: Any, upper: bool) -> Any:
    """The inverse of triangular matrices, with nothing in the other triangle."""
    return (triu if upper else tril)(inverse((triu if upper else tril)(t)))


@composite(
    mint="triangular_solve(b, A, upper=True, transpose=False, unitriangular=False)",
    tensor="triangular_solve(A, upper=True, transpose=False, unitriangular=False)",
    rename={"b": "input", "A": "matrix"},
)
def triangular_solve(
    input: Array, matrix: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Return x with ``A @ x = b`` for triangular A (the other triangle is not looked at), and A itself.

    Args:
        upper: which triangle of A counts.
        transpose: solve with A's transpose.
        unitriangular: the diagonal of A counts as ones.

    Examples:
        >>> print(mint.triangular_solve(Tensor([[2.0], [4.0]]), Tensor([[1.0, 1.0], [0.0, 2.0]]))[0])
        [[0.]
         [2.]]

    Source: ``mindspore.mint.triangular_solve``.
    """
    matrix_shape("triangular_solve", matrix.shape, True)
    factor = (triu if upper else tril)(matrix)
    if unitriangular:
        factor = (triu(matrix, 1) if upper else tril(matrix, -1)) + from_array(
            np.eye(matrix.shape[-1], dtype=matrix._kind)
        )
    return matrix_solve(factor if not transpose else swapaxes(factor, -1, -2), input), matrix


@composite(
    primitive="MatrixTriangularSolve(lower=True, adjoint=False)(matrix, rhs)",
    rename={"rhs": "other", "matrix": "input"},
    name="triangular_solve_adjoint",
)
def triangular_solve_adjoint(input: Array, other: Array, lower: bool = True, adjoint: bool = False) -> Any:
    """Return x with ``matrix @ x = rhs`` for triangular matrices, of their conjugate transposes if `adjoint`.

    Examples:
        >>> print(ops.MatrixTriangularSolve()(Tensor([[1.0, 0.0], [1.0, 2.0]]), Tensor([[2.0], [4.0]])))
        [[2.]
         [1.]]

    Source: ``mindspore.ops.MatrixTriangularSolve``.
    """
    return matrix_solve((tril if lower else triu)(input), other, adjoint)


@composite(
    ops="lstsq(input, A)",
    tensor="lstsq(A)",
    primitive="Lstsq(fast=True, l2_regularizer=0.0)(x, a)",
    rename={"A": "other", "a": "other", "fast": "", "l2_regularizer": ""},
)
def lstsq(input: Array, other: Array) -> Any:
    """Return x that makes ``|input @ x - A|`` least (m >= n), or the least x with ``input @ x = A`` (m < n).

    Args:
        input: (m, n) of full rank.
        other: A, (m, k) or (m).

    Raises:
        ValueError: dimensions that do not fit.

    Examples:
        >>> print(ops.lstsq(Tensor([[1.0, 0.0], [0.0, 2.0]]), Tensor([[1.0], [2.0]])))
        [[1.]
         [1.]]

    Source: ``mindspore.ops.lstsq``.
    """
    if input.ndim != 2 or other.ndim not in (1, 2) or input.shape[0] != other.shape[0]:
        got = f"shapes {list(input.shape)} and {list(other.shape)}"
        fail(ValueError, "Lstsq", "inputs", "be (m, n) and (m, k) or (m)", got)
    from ms_kernels.ops.decompositions import pinv

    right = unsqueeze(other, 1) if other.ndim == 1 else other
    small = input._kind.itemsize == 2
    if small:
        return matrix_product(pinv(input.astype(mstype.float32)), right.astype(mstype.float32)).astype(input.dtype)
    return matrix_product(pinv(input), right)
