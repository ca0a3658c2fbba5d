"""Bands of diagonals of matrices: put into matrices, taken out of them, replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np, plain
from ms_kernels.ops.compare import where
from ms_kernels.ops.decompositions import matrix_shape
from ms_kernels.ops.index import index_select
from ms_kernels.ops.shape import reshape

__all__ = ["matrix_diag", "matrix_diag_part", "matrix_set_diag"]

ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def _number(value: Any) -> Any:
    return plain(value)


def _band(name: str, k: Any) -> tuple[int, int]:
    """The lowest and the highest diagonal meant."""
    if isinstance(k, TensorBase) and k.dtype.name != "int32":
        fail(TypeError, name, "dtype of 'k'", "be int32", str(k.dtype))
    ends = k._a.reshape(-1).tolist() if isinstance(k, TensorBase) else [k] if isinstance(k, int) else list(k)
    if len(ends) not in (1, 2) or ends[0] > ends[-1]:
        fail(ValueError, name, "'k'", "be one diagonal, or the lowest and the highest", str(ends))
    return int(ends[0]), int(ends[-1])


def _places(name: str, rows: int, columns: int, k: tuple[int, int], align: str) -> tuple[Any, Any, int]:
    """For each element of a matrix its place in the flat band, where it is in the band, and the longest diagonal."""
    if align not in ALIGNMENTS:
        fail(ValueError, name, "'align'", f"be one of {list(ALIGNMENTS)}", describe(align))
    i, j = np.indices((rows, columns))
    apart = j - i
    lengths = np.minimum(rows + np.minimum(apart, 0), columns - np.maximum(apart, 0))
    ends = np.arange(k[0], k[1] + 1)
    longest = int(np.minimum(rows + np.minimum(ends, 0), columns - np.maximum(ends, 0)).max())
    if longest <= 0:
        fail(ValueError, name, "'k'", "name diagonals within the matrix", str(k))
    above, below = align.split("_")
    right = np.where(apart >= 0, above == "RIGHT", below == "RIGHT")
    place = (k[1] - apart) * longest + np.minimum(i, j) + np.where(right, longest - lengths, 0)
    inside = (apart >= k[0]) & (apart <= k[1])
    return np.where(inside, place, 0), inside, longest


def _taken(flat: Any, places: Any) -> Any:
    picked = index_select(flat, flat.ndim - 1, from_array(places.reshape(-1).astype(np.int64)))
    return reshape(picked, (*flat.shape[:-1], *places.shape))


def _filled(mask: Any, t: Any, padding: Any) -> Any:
    return where(from_array(mask), t, cast_np(from_array(np.asarray(_number(padding))), t._kind))


@composite(
    ops="matrix_diag(x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align='RIGHT_LEFT')",
    primitive="MatrixDiagV3(align='RIGHT_LEFT')(x, k, num_rows, num_cols, padding_value)",
)
def matrix_diag(
    input: Array, k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Return matrices with the given diagonals and `padding_value` elsewhere.

    Args:
        input: (..., L) for one diagonal, (..., D, L) for a band of D from the highest down.
        k: the diagonal (above 0: above the main one), or the lowest and the highest.
        num_rows, num_cols: the matrices' size; -1: the least that holds the diagonals (square if both are -1).
        align: where short diagonals above and below the main one stand in their rows.

    Examples:
        >>> print(ops.matrix_diag(Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]

    Source: ``mindspore.ops.matrix_diag``.
    """
    low, high = _band("MatrixDiagV3", k)
    deep = high - low + 1
    if input.ndim < (1 if deep == 1 else 2) or (deep > 1 and input.shape[-2] != deep):
        fail(ValueError, "MatrixDiagV3", "shape of 'x'", f"hold {deep} diagonals", str(list(input.shape)))
    size = input.shape[-1]
    rows, columns = size - min(high, 0), size + max(low, 0)
    wanted = int(_number(num_rows)), int(_number(num_cols))
    if wanted == (-1, -1):
        rows = columns = max(rows, columns)
    else:
        rows, columns = (have if want == -1 else want for want, have in zip(wanted, (rows, columns)))
    places, inside, longest = _places("MatrixDiagV3", rows, columns, (low, high), align)
    if longest != size:
        fail(ValueError, "MatrixDiagV3", "length of the diagonals", f"be {longest}", str(size))
    batch = input.shape[:-1] if deep == 1 else input.shape[:-2]
    return _filled(inside, _taken(reshape(input, (*batch, deep * size)), places), padding_value)


@composite(
    ops="matrix_diag_part(x, k, padding_value, align='RIGHT_LEFT')",
    primitive="MatrixDiagPartV3(align='RIGHT_LEFT')(x, k, padding_value)",
)
def matrix_diag_part(input: Array, k: Any, padding_value: Any, align: str = "RIGHT_LEFT") -> Any:
    """Return diagonals of matrices as `matrix_diag` takes them, short ones filled up with `padding_value`.

    Examples:
        >>> print(ops.matrix_diag_part(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0, 0))
        [1. 4.]

    Source: ``mindspore.ops.matrix_diag_part``.
    """
    matrix_shape("MatrixDiagPartV3", input.shape)
    rows, columns = input.shape[-2:]
    low, high = _band("MatrixDiagPartV3", k)
    places, inside, longest = _places("MatrixDiagPartV3", rows, columns, (low, high), align)
    deep = high - low + 1
    back, there = np.zeros(deep * longest, np.int64), np.zeros(deep * longest, bool)
    back[places[inside]] = np.arange(rows * columns).reshape(rows, columns)[inside]
    there[places[inside]] = True
    shape = (longest,) if deep == 1 else (deep, longest)
    flat = reshape(input, (*input.shape[:-2], rows * columns))
    return _filled(there.reshape(shape), _taken(flat, back.reshape(shape)), padding_value)


@composite(
    ops="matrix_set_diag(x, diagonal, k=0, align='RIGHT_LEFT')",
    primitive="MatrixSetDiagV3(align='RIGHT_LEFT')(x, diagonal, k)",
    rename={"diagonal": "other"},
)
def matrix_set_diag(input: Array, other: Array, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Return matrices with their diagonals replaced by those given, as `matrix_diag` takes them.

    Examples:
        >>> print(ops.matrix_set_diag(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([8.0, 9.0])))
        [[8. 2.]
         [3. 9.]]

    Source: ``mindspore.ops.matrix_set_diag``.
    """
    matrix_shape("MatrixSetDiagV3", input.shape)
    low, high = _band("MatrixSetDiagV3", k)
    places, inside, longest = _places("MatrixSetDiagV3", input.shape[-2], input.shape[-1], (low, high), align)
    deep, batch = high - low + 1, input.shape[:-2]
    wanted = (*batch, longest) if deep == 1 else (*batch, deep, longest)
    if other.shape != wanted:
        fail(ValueError, "MatrixSetDiagV3", "shape of 'diagonal'", f"be {list(wanted)}", str(list(other.shape)))
    return where(from_array(inside), _taken(reshape(other, (*batch, deep * longest)), places), input)
