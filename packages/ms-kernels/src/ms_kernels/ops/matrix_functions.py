"""Functions of matrices: powers, the exponential, condition numbers; LU factors and Householder reflectors at work."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.decompositions import LAPACK, matrix_shape, singular_values
from ms_kernels.ops.linalg import matrix_product
from ms_kernels.ops.matrices import tril, triu
from ms_kernels.ops.norms import matrix_norm
from ms_kernels.ops.shape import swapaxes, unsqueeze
from ms_kernels.ops.signs import tensor_only
from ms_kernels.ops.solvers import inverse, matrix_solve

__all__ = ["cond", "geqrf", "lu_solve", "lu_unpack", "matrix_exp", "matrix_power", "orgqr", "ormqr"]

Shape = tuple[int, ...]
# the numerator of the diagonal Pade approximant of degree 13, and the norm up to which it is exact in float64
PADE = [
    math.factorial(26 - j) * math.factorial(13) / (math.factorial(26) * math.factorial(j) * math.factorial(13 - j))
    for j in range(14)
]
THETA = 5.371920351148152


def _unit(t: Any) -> Any:
    return from_array(np.array(np.broadcast_to(np.eye(t.shape[-1], dtype=t._kind), t.shape)))


@composite(ops="matrix_power(input, n)", tensor="matrix_power(n)", primitive="MatrixPower(n)(x)")
def matrix_power(input: Array, n: int) -> Any:
    """Return the n-th power of square matrices; negative n: of their inverses.

    Raises:
        ValueError: matrices that are not square.
        TypeError: `n` is no int.

    Examples:
        >>> print(ops.matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
        [[1. 3.]
         [0. 1.]]

    Source: ``mindspore.ops.matrix_power``.
    """
    matrix_shape("MatrixPower", input.shape, True)
    if isinstance(n, bool) or not isinstance(n, int):
        fail(TypeError, "MatrixPower", "'n'", "be an int", describe(n))
    base = inverse(input) if n < 0 else input
    out, rest = None, abs(n)
    while rest:
        if rest & 1:
            out = base if out is None else matrix_product(out, base)
        rest >>= 1
        if rest:
            base = matrix_product(base, base)
    if out is None:
        return _unit(input)
    return out * 1 if n == 1 else out


@composite(ops="matrix_exp(input)", primitive="MatrixExp()(x)")
def matrix_exp(input: Array) -> Any:
    """Return the exponentials of square matrices.

    Raises:
        ValueError: matrices that are not square.

    Examples:
        >>> print(ops.matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
        [[1. 1.]
         [0. 1.]]

    Source: ``mindspore.ops.matrix_exp``; N. J. Higham, The scaling and squaring method for the matrix exponential
    revisited (2005), with the approximant of degree 13.
    """
    matrix_shape("MatrixExp", input.shape, True)
    if not input._a.size:
        return input * 1
    size = float(np.abs(input._a).sum(-2).max())
    halvings = max(0, math.ceil(math.log2(size / THETA))) if size > THETA else 0
    x = input * 0.5**halvings if halvings else input
    unit = _unit(x)
    x2 = matrix_product(x, x)
    x4 = matrix_product(x2, x2)
    x6 = matrix_product(x4, x2)
    b = PADE
    odd = matrix_product(x6, x6 * b[13] + x4 * b[11] + x2 * b[9]) + x6 * b[7] + x4 * b[5] + x2 * b[3] + unit * b[1]
    odd = matrix_product(x, odd)
    even = matrix_product(x6, x6 * b[12] + x4 * b[10] + x2 * b[8]) + x6 * b[6] + x4 * b[4] + x2 * b[2] + unit * b[0]
    out = matrix_solve(even - odd, even + odd)
    for _ in range(halvings):
        out = matrix_product(out, out)
    return out


@composite(ops="cond(A, p=None)", rename={"A": "input"})
def cond(input: Array, p: Any = None) -> Any:
    """Return the condition numbers of matrices: the norm times that of the inverse.

    Args:
        p: as `ord` of `matrix_norm`; None is 2.

    Raises:
        ValueError: matrices that are not square for other norms than 2 and -2.

    Examples:
        >>> print(ops.cond(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        2.0

    Source: ``mindspore.ops.cond``.
    """
    tensor_only("cond", "A", input)
    matrix_shape("cond", input.shape, p not in (None, 2, -2))
    if p in (None, 2, -2):
        values = singular_values(input)
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    return matrix_norm(input, p) * matrix_norm(inverse(input), p)


def _permutation(pivots: Any, rows: int) -> Any:
    """The order of rows that LAPACK's pivots (from 1) stand for, for a batch."""
    flat = pivots.reshape(-1, pivots.shape[-1])
    order = np.tile(np.arange(rows), (len(flat), 1))
    for row, swaps in zip(order, flat):
        for i, other in enumerate(swaps):
            row[[i, other - 1]] = row[[other - 1, i]]
    return order.reshape((*pivots.shape[:-1], rows))


def _pivots(name: str, matrix: Any, pivots: Any) -> Any:
    tensor_only(name, "LU_data", matrix)
    tensor_only(name, "LU_pivots", pivots)
    matrix_shape(name, matrix.shape)
    if pivots.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'LU_pivots'", "be one of integers", str(pivots.dtype))
    if pivots.shape != (*matrix.shape[:-2], min(matrix.shape[-2:])):
        fail(ValueError, name, "shape of 'LU_pivots'", "fit that of 'LU_data'", str(list(pivots.shape)))
    if pivots._a.size and not ((pivots._a >= 1) & (pivots._a <= matrix.shape[-2])).all():
        fail(ValueError, name, "elements of 'LU_pivots'", f"be in [1, {matrix.shape[-2]}]")
    return _permutation(pivots._a, matrix.shape[-2])


@composite(
    ops="lu_solve(b, LU_data, LU_pivots)",
    tensor="lu_solve(LU_data, LU_pivots)",
    primitive="LuSolve()(x, lu_data, lu_pivots)",
    rename={"b": "input", "LU_data": "matrix", "LU_pivots": "pivots", "lu_data": "matrix", "lu_pivots": "pivots"},
)
def lu_solve(input: Array, matrix: Array, pivots: Array) -> Any:
    """Return x with ``A @ x = b`` from the LU factors of A: both triangles in one matrix, and LAPACK's pivots (from 1).

    Raises:
        ValueError: shapes that do not fit, pivots out of range.

    Examples:
        >>> pivots = Tensor([1, 2], mstype.int32)
        >>> print(ops.lu_solve(Tensor([[2.0], [4.0]]), Tensor([[2.0, 0.0], [0.0, 4.0]]), pivots))
        [[1.]
         [1.]]

    Source: ``mindspore.ops.lu_solve``.
    """
    order = _pivots("LuSolve", matrix, pivots)
    matrix_shape("LuSolve", matrix.shape, True)
    matrix_shape("LuSolve", input.shape)
    swap = from_array(np.eye(matrix.shape[-1], dtype=input._kind)[order])
    lower = tril(matrix, -1) + _unit(matrix)
    return matrix_solve(triu(matrix), matrix_solve(lower, matrix_product(swap, input)))


@composite(
    ops="lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True)",
    primitive="LuUnpack(unpack_data=True, unpack_pivots=True)(LU_data, LU_pivots)",
    rename={"LU_data": "input", "LU_pivots": "pivots"},
)
def lu_unpack(input: Array, pivots: Array, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return the permutation P and the triangles L and U with ``A = P @ L @ U`` from both in one matrix and the pivots.

    Args:
        unpack_data, unpack_pivots: give L and U, give P.

    Raises:
        ValueError: shapes that do not fit, pivots out of range.

    Examples:
        >>> print(ops.lu_unpack(Tensor([[2.0, 1.0], [0.5, 4.0]]), Tensor([1, 2], mstype.int32))[1])
        [[1.  0. ]
         [0.5 1. ]]

    Source: ``mindspore.ops.lu_unpack``.
    """
    order = _pivots("LuUnpack", input, pivots)
    m, n = input.shape[-2:]
    k = min(m, n)
    swap = from_array(np.ascontiguousarray(np.eye(m, dtype=input._kind)[order].swapaxes(-1, -2)))
    if not unpack_data:
        return swap if unpack_pivots else None
    left = input[..., :k]
    lower = tril(left, -1) + from_array(np.array(np.broadcast_to(np.eye(m, k, dtype=input._kind), left.shape)))
    upper = triu(input[..., :k, :])
    return (swap, lower, upper) if unpack_pivots else (lower, upper)


def _raw_shape(shape: Shape) -> list[Shape]:
    matrix_shape("Geqrf", shape)
    return [shape, (*shape[:-2], min(shape[-2:]))]


@op(
    shape=_raw_shape,
    dtype=lambda input: (input, input),
    accepts=LAPACK,
    nondiff="2.6 has none",
    ascend="lapack",
    batch="leading",
    ops="geqrf(input)",
    tensor="geqrf()",
    primitive="Geqrf()(x)",
)
def geqrf(input: Array) -> Any:
    """Return a QR factorization in LAPACK's form: R above the diagonal, below it the reflectors, and their factors tau.

    Examples:
        >>> factors, tau = ops.geqrf(Tensor([[3.0], [4.0]]))
        >>> print(factors.shape, tau.shape)
        (2, 1) (1,)

    Source: ``mindspore.ops.geqrf``.
    """
    found = [np.linalg.qr(m, mode="raw") for m in input.reshape((-1, *input.shape[-2:]))]
    shapes = _raw_shape(input.shape)
    factors = np.array([h.T for h, _ in found], input.dtype).reshape(shapes[0])
    return factors, np.array([tau for _, tau in found], input.dtype).reshape(shapes[1])


def _reflect(reflectors: Any, tau: Any, t: Any, backward: bool) -> Any:
    """Apply ``H_1 ... H_k`` (backward: H_k first) to matrices, each H = 1 - tau v v'."""
    rows = reflectors.shape[-2]
    below = tril(reflectors, -1)
    unit = np.eye(rows, reflectors.shape[-1], dtype=reflectors._kind)
    count = tau.shape[-1]
    for i in reversed(range(count)) if backward else range(count):
        v = below[..., i : i + 1] + from_array(unit[:, i : i + 1])
        t = t - matrix_product(v * unsqueeze(unsqueeze(tau[..., i], -1), -1), matrix_product(swapaxes(v, -1, -2), t))
    return t


@composite(ops="orgqr(input, input2)", tensor="orgqr(input2)", primitive="Orgqr()(x, tau)", rename={"input2": "tau"})
def orgqr(input: Array, tau: Array) -> Any:
    """Return the first columns of Q from the reflectors and factors that `geqrf` gives.

    Raises:
        ValueError: shapes that do not fit.

    Examples:
        >>> print(ops.orgqr(Tensor([[1.0], [0.0]]), Tensor([0.0])))
        [[1.]
         [0.]]

    Source: ``mindspore.ops.orgqr``.
    """
    _householder("Orgqr", input, tau)
    m, n = input.shape[-2:]
    if m < n:
        fail(ValueError, "Orgqr", "'input'", "have no more columns than rows", f"shape {list(input.shape)}")
    start = from_array(np.array(np.broadcast_to(np.eye(m, n, dtype=input._kind), input.shape)))
    return _reflect(input, tau, start, True)


def _householder(name: str, input: Any, tau: Any) -> None:
    matrix_shape(name, input.shape)
    if tau.ndim != input.ndim - 1 or tau.shape[:-1] != input.shape[:-2] or tau.shape[-1] > input.shape[-1]:
        got = f"shapes {list(input.shape)} and {list(tau.shape)}"
        fail(ValueError, name, "'input' and 'tau'", "fit", got)


@composite(
    ops="ormqr(input, tau, other, left=True, transpose=False)",
    tensor="ormqr(input2, input3, left=True, transpose=False)",
    primitive="Ormqr(left=True, transpose=False)(x, tau, other)",
    rename={"input2": "tau", "input3": "other"},
)
def ormqr(input: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False) -> Any:
    """Return the product of the whole Q of `geqrf`'s reflectors (its transpose if asked) and `other`, Q left or right.

    Raises:
        ValueError: shapes that do not fit.

    Examples:
        >>> print(ops.ormqr(Tensor([[1.0], [0.0]]), Tensor([0.0]), Tensor([[2.0], [3.0]])))
        [[2.]
         [3.]]

    Source: ``mindspore.ops.ormqr``.
    """
    _householder("Ormqr", input, tau)
    matrix_shape("Ormqr", other.shape)
    if other.shape[-2 if left else -1] != input.shape[-2]:
        got = f"shapes {list(input.shape)} and {list(other.shape)}"
        fail(ValueError, "Ormqr", "'other'", "fit 'input'", got)
    if left:
        return _reflect(input, tau, other, not transpose)
    return swapaxes(_reflect(input, tau, swapaxes(other, -1, -2), transpose), -1, -2)
