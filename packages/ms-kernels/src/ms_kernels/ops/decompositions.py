"""Factors of matrices: QR, singular values, eigenvalues, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.cast import conj
from ms_kernels.ops.compare import equal, where
from ms_kernels.ops.linalg import matrix_product
from ms_kernels.ops.matrices import tril
from ms_kernels.ops.shape import swapaxes, unsqueeze

__all__ = ["eigvals", "pinv", "qr", "singular_values", "svd"]

Shape = tuple[int, ...]
LAPACK = frozenset(np.dtype(kind) for kind in (np.float32, np.float64, np.complex64, np.complex128))


def matrix_shape(name: str, shape: Shape, square: bool = False, kind: type[Exception] = ValueError) -> None:
    """Raise unless the shape is that of a matrix or a batch of them."""
    if len(shape) < 2:
        fail(kind, name, "input", "have two or more dimensions", f"shape {list(shape)}")
    if square and shape[-1] != shape[-2] and -1 not in shape[-2:]:
        fail(kind, name, "matrices", "be square", f"shape {list(shape)}")


def turned(t: Any) -> Any:
    """The conjugate transpose of matrices."""
    out = swapaxes(t, -2, -1)
    return conj(out) if t.dtype.kind == "c" else out


def _unit(t: Any, size: int) -> Any:
    return from_array(np.eye(size, dtype=t._kind))


def _diagonal(t: Any) -> Any:
    """Vectors as the diagonals of matrices."""
    return unsqueeze(t, -1) * _unit(t, t.shape[-1])


def _qr_shape(shape: Shape, mode: str) -> list[Shape]:
    matrix_shape("Qr", shape)
    m, n = shape[-2:]
    k = m if mode == "complete" else min(m, n)
    return [(*shape[:-2], m, k), (*shape[:-2], k, n)]


def _qr_vjp(g: Any, out: Any, input: Any, mode: str) -> Any:
    """For A (m, n) of full rank: with M = R gR' - gQ' Q, gA = (gQ + Q copyltu(M)) R'^-1; wide A by m columns."""
    from ms_kernels.ops.solvers import triangular_inverse

    (gq, gr), (q, r) = g, out
    m, n = input.shape[-2:]
    if mode == "complete" and m > n:
        fail(ValueError, "Qr", "mode", "be 'reduced' for gradients of matrices with more rows than columns", "complete")
    if m < n:  # A = Q [R1, R2]: the part beyond the square only depends on Q' A2
        left, right = input[..., :m], input[..., m:]
        g_left, g_right = gr[..., :m], gr[..., m:]
        gq = gq + matrix_product(right, turned(g_right))
        square = _qr_square(gq, g_left, q, r[..., :m], triangular_inverse)
        from ms_kernels.ops.rearrange import concat

        del left
        return concat([square, matrix_product(q, g_right)], -1)
    return _qr_square(gq, gr, q, r, triangular_inverse)


def _qr_square(gq: Any, gr: Any, q: Any, r: Any, inverse: Any) -> Any:
    mixed = matrix_product(r, turned(gr)) - matrix_product(turned(gq), q)
    lower = tril(mixed, -1)
    both = tril(mixed, 0) + turned(lower)
    return matrix_product(gq + matrix_product(q, both), turned(inverse(r, True)))


@op(
    shape=_qr_shape,
    dtype=lambda input, _mode: (input, input),
    accepts=LAPACK,
    vjp=_qr_vjp,
    ascend="lapack",
    batch="leading",
    primitive="QrParts()(x, mode)",
    label="Qr",
)
def qr_parts(input: Array, mode: str) -> Any:
    """Return orthonormal Q and upper triangular R with ``Q @ R = x``; mode "reduced" or "complete".

    Examples:
        >>> q, r = ops.QrParts()(Tensor([[3.0], [4.0]]), "reduced")
        >>> print(np.abs(r.asnumpy()))
        [[5.]]

    Source: Householder QR; its gradient after S. Walter and L. Lehmann, Algorithmic Differentiation of Linear Algebra
    Functions (2010), section 3.
    """
    qr: Any = np.linalg.qr  # its types know each mode by itself
    return tuple(qr(input, mode))


@composite(ops="qr(input, mode='reduced')", label="Qr", name="qr")
def qr(input: Array, mode: str = "reduced") -> Any:
    """Return the factors Q (orthonormal columns) and R (upper triangular) of matrices.

    Args:
        mode: "reduced": Q is (m, min(m, n)); "complete": Q is square.

    Raises:
        TypeError: another mode.
        ValueError: fewer than two dimensions.

    Examples:
        >>> q, r = ops.qr(Tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> print((q @ r).asnumpy().round(4))
        [[3. 1.]
         [4. 2.]]

    Source: ``mindspore.ops.qr``.
    """
    if mode not in ("reduced", "complete"):
        fail(TypeError, "qr", "'mode'", "be 'reduced' or 'complete'", describe(mode))
    return qr_parts(input, mode)


@composite(tensor="qr(some=True)", name="qr_some")
def qr_some(input: Array, some: bool = True) -> Any:
    """Return the factors Q and R, reduced if `some`, else complete.

    Examples:
        >>> print(np.abs(Tensor([[3.0], [4.0]]).qr()[1].asnumpy()))
        [[5.]]

    Source: ``mindspore.Tensor.qr``.
    """
    return qr_parts(input, "reduced" if some else "complete")


@composite(primitive="Qr(full_matrices=False)(x)", name="qr_full")
def qr_full(input: Array, full_matrices: bool = False) -> Any:
    """Return the factors Q and R, complete if `full_matrices`.

    Examples:
        >>> print(np.abs(ops.Qr()(Tensor([[3.0], [4.0]]))[1].asnumpy()))
        [[5.]]

    Source: ``mindspore.ops.Qr``.
    """
    return qr_parts(input, "complete" if full_matrices else "reduced")


@composite(mintl="qr(A, mode='reduced')", rename={"A": "input"}, name="linalg_qr")
def linalg_qr(input: Array, mode: str = "reduced") -> Any:
    """Return the factors Q and R of matrices; mode "r" gives an empty Q.

    Examples:
        >>> q, r = ms_kernels.mint_linalg.qr(Tensor([[3.0], [4.0]]))
        >>> print(np.abs(r.asnumpy()))
        [[5.]]

    Source: ``mindspore.mint.linalg.qr``.
    """
    if mode not in ("reduced", "complete", "r"):
        fail(ValueError, "qr", "'mode'", "be 'reduced', 'complete' or 'r'", describe(mode))
    q, r = qr_parts(input, "reduced" if mode == "r" else mode)
    return (q.reshape((-1,))[:0] if mode == "r" else q), r


def _svd_shape(shape: Shape, full: bool) -> list[Shape]:
    matrix_shape("Svd", shape)
    m, n = shape[-2:]
    k = min(m, n)
    batch = shape[:-2]
    return [(*batch, k), (*batch, m, m if full else k), (*batch, n, n if full else k)]


def _svd_vjp(g: Any, out: Any, input: Any, full: bool) -> Any:
    """gA = U [(F o (U'gU - gU'U)) S + S (F o (V'gV - gV'V)) + diag(gS)] V', and what is outside U's and V's span."""
    k = min(input.shape[-2:])
    (gs, gu, gv), (s, u, v) = g, out
    if full:
        gu, gv, u, v = (t[..., :k] for t in (gu, gv, u, v))
    square = unsqueeze(s, -2) ** 2 - unsqueeze(s, -1) ** 2
    same = equal(square, 0)
    f = where(same, 0, 1 / where(same, 1, square))
    uu, vv = matrix_product(turned(u), gu), matrix_product(turned(v), gv)
    row = unsqueeze(s, -2)
    inner = f * (uu - turned(uu)) * row + unsqueeze(s, -1) * (f * (vv - turned(vv))) + _diagonal(gs)
    grad = matrix_product(matrix_product(u, inner), turned(v))
    zero = equal(s, 0)
    inverse = unsqueeze(where(zero, 0, 1 / where(zero, 1, s)), -2)
    if input.shape[-2] > k:
        rest = gu * inverse - matrix_product(u, matrix_product(turned(u), gu * inverse))
        grad = grad + matrix_product(rest, turned(v))
    if input.shape[-1] > k:
        rest = gv * inverse - matrix_product(v, matrix_product(turned(v), gv * inverse))
        grad = grad + matrix_product(u, turned(rest))
    return grad


@op(
    shape=_svd_shape,
    dtype=lambda input, _full: (_real(input), input, input),
    accepts=LAPACK,
    vjp=_svd_vjp,
    ascend="lapack",
    batch="leading",
    primitive="SvdParts()(x, full)",
    label="Svd",
)
def svd_parts(input: Array, full: bool) -> Any:
    """Return singular values s (from the largest), and U and V with ``U @ diag(s) @ V.T = x``.

    Examples:
        >>> print(ops.SvdParts()(Tensor([[3.0, 0.0], [0.0, 4.0]]), False)[0])
        [4. 3.]

    Source: its gradient after M. Giles, An extended collection of matrix derivative results (2008), section 3.3, and
    J. Townsend, Differentiating the singular value decomposition (2016).
    """
    u, s, vh = np.linalg.svd(input, full_matrices=full)
    return s, u, np.conj(vh.swapaxes(-1, -2))


def _real(dtype: Any) -> Any:
    return {mstype.complex64: mstype.float32, mstype.complex128: mstype.float64}.get(dtype, dtype)


def singular_values(t: Any) -> Any:
    """The singular values of matrices, from the largest."""
    small = t.dtype.kind == "f" and t._kind.itemsize == 2
    return svd_parts(cast_np(t, np.dtype(np.float32)) if small else t, False)[0]


@composite(
    ops="svd(input, full_matrices=False, compute_uv=True)",
    tensor="svd(full_matrices=False, compute_uv=True)",
    primitive="Svd(full_matrices=False, compute_uv=True)(input)",
)
def svd(input: Array, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return the singular values s of matrices, from the largest, and with `compute_uv` also U and V.

    ``U @ diag(s) @ V.T`` is the input (V conjugated for complex numbers).

    Raises:
        ValueError: fewer than two dimensions.

    Examples:
        >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False))
        [4. 3.]

    Source: ``mindspore.ops.svd``.
    """
    found = svd_parts(input, full_matrices)
    return found if compute_uv else found[0]


@op(
    shape=lambda shape: [_eig_shape(shape)[:-1], shape],
    dtype=lambda input: (_complex(input), _complex(input)),
    accepts=LAPACK,
    nondiff="2.6 has no gradient of Eig",
    ascend="lapack",
    batch="leading",
    primitive="EigParts()(x)",
    label="Eig",
)
def eig_parts(input: Array) -> Any:
    """Return the eigenvalues and eigenvectors (columns) of square matrices, complex, by the eigenvalues' real parts.

    Examples:
        >>> print(ops.EigParts()(Tensor([[2.0, 0.0], [0.0, 1.0]]))[0])
        [1.+0.j 2.+0.j]

    Source: LAPACK's geev.
    """
    values, vectors = np.linalg.eig(input)
    kind = np.result_type(input.dtype, np.complex64)
    order = np.lexsort((values.imag, values.real), axis=-1)
    values = np.take_along_axis(values, order, -1)
    return values.astype(kind), np.take_along_axis(vectors, order[..., None, :], -1).astype(kind)


def _eig_shape(shape: Shape) -> Shape:
    matrix_shape("Eig", shape, True)
    return shape


def _complex(dtype: Any) -> Any:
    return {mstype.float32: mstype.complex64, mstype.float64: mstype.complex128}.get(dtype, dtype)


@composite(ops="eigvals(A)", tensor="eigvals()", rename={"A": "input"})
def eigvals(input: Array) -> Any:
    """Return the eigenvalues of square matrices, complex.

    Raises:
        ValueError: matrices that are not square.

    Examples:
        >>> print(ops.eigvals(Tensor([[2.0, 0.0], [0.0, 1.0]])))
        [1.+0.j 2.+0.j]

    Source: ``mindspore.ops.eigvals``.
    """
    return eig_parts(input)[0]


@composite(ops="eig(A)", primitive="Eig(compute_v=False)(x)", rename={"A": "input", "compute_v": "vectors"})
def eig(input: Array, vectors: bool = True) -> Any:
    """Return the eigenvalues and the eigenvectors (columns) of square matrices, complex.

    Examples:
        >>> print(ops.eig(Tensor([[2.0, 0.0], [0.0, 1.0]]))[0])
        [1.+0.j 2.+0.j]

    Source: ``mindspore.ops.eig``.
    """
    values, columns = eig_parts(input)
    return values, columns if vectors else from_array(np.zeros((), columns._kind))


@composite(ops="pinv(x, *, atol=None, rtol=None, hermitian=False)")
def pinv(input: Array, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the pseudo-inverses (Moore and Penrose) of matrices.

    Args:
        atol, rtol: singular values up to ``max(atol, rtol * largest)`` count as 0; by default rtol is the larger side
            times the type's epsilon, and 0 if `atol` is given.
        hermitian: the matrices are (checked by nobody) symmetric.

    Raises:
        ValueError: fewer than two dimensions.

    Examples:
        >>> print(ops.pinv(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]

    Source: ``mindspore.ops.pinv``.
    """
    matrix_shape("pinv", input.shape, hermitian)
    s, u, v = svd_parts(input, False)
    if rtol is None:
        rtol = max(input.shape[-2:]) * float(np.finfo(s._kind).eps) if atol is None else 0.0
    limit = np.maximum(_number(atol), _number(rtol) * s._a[..., :1])
    keep = from_array(np.asarray(s._a > limit))
    inverse = where(keep, 1 / where(keep, s, 1), 0)
    return matrix_product(v * unsqueeze(inverse, -2), turned(u))


def _number(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value._a[..., None]
    return 0.0 if value is None else value
