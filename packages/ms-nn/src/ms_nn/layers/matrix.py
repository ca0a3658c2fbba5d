"""Layers on matrices and images: diagonals, triangles, Roll, Norm, patches (Unfold)."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.plain import Plain

__all__ = ["MatrixDiag", "MatrixDiagPart", "MatrixSetDiag", "Norm", "Roll", "Tril", "Triu", "Unfold"]


class MatrixDiag(Plain):
    """Matrices with the given diagonals, zero elsewhere (``mindspore.nn.MatrixDiag``).

    Shapes: (..., n) -> (..., n, n).

    >>> from ms_kernels import Tensor
    >>> print(MatrixDiag()(Tensor([1.0, -1.0])))
    [[ 1.  0.]
     [ 0. -1.]]
    """

    def construct(self, input_x: Any) -> Any:
        """The matrices."""
        return F.matrix_diag(input_x)


class MatrixDiagPart(Plain):
    """The diagonals of matrices (``mindspore.nn.MatrixDiagPart``).

    Shapes: (..., m, n) -> (..., min(m, n)).

    >>> from ms_kernels import Tensor
    >>> print(MatrixDiagPart()(Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])))
    [1. 4.]
    """

    def construct(self, input_x: Any) -> Any:
        """The diagonals."""
        return F.diagonal(input_x, 0, -2, -1)


class MatrixSetDiag(Plain):
    """Matrices with new diagonals (``mindspore.nn.MatrixSetDiag``).

    Shapes: (..., m, n) and (..., min(m, n)) -> (..., m, n).

    Raises:
        ValueError: (in the call) the shapes do not fit.

    >>> from ms_kernels import Tensor
    >>> print(MatrixSetDiag()(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([0.0, 9.0])))
    [[0. 2.]
     [3. 9.]]
    """

    def construct(self, input_x: Any, diagonal: Any) -> Any:
        """The matrices."""
        wanted = (*input_x.shape[:-2], min(input_x.shape[-2:]))
        if tuple(diagonal.shape) != wanted:
            fail(ValueError, "MatrixSetDiag", "shape of 'diagonal'", f"be {list(wanted)}", str(list(diagonal.shape)))
        return F.matrix_set_diag(input_x, diagonal)


class Tril(Plain):
    """The lower triangles of matrices, zero above the k-th diagonal (``mindspore.nn.Tril``).

    >>> from ms_kernels import Tensor
    >>> print(Tril()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[1. 0.]
     [3. 4.]]
    """

    def construct(self, x: Any, k: int = 0) -> Any:
        """The triangles."""
        return F.tril(x, k)


class Triu(Plain):
    """The upper triangles of matrices, zero below the k-th diagonal (``mindspore.nn.Triu``).

    >>> from ms_kernels import Tensor
    >>> print(Triu()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [[1. 2.]
     [0. 4.]]
    """

    def construct(self, x: Any, k: int = 0) -> Any:
        """The triangles."""
        return F.triu(x, k)


class Roll(Cell):
    """The elements moved along some dimensions; what leaves at one end comes in at the other (``mindspore.nn.Roll``).

    Args:
        shift: an int, or one for each of `axis`, by how much.
        axis: an int or several.

    Raises:
        TypeError: an argument of the wrong type.
        ValueError: different numbers of shifts and axes; in the call, an axis out of range.

    >>> from ms_kernels import Tensor
    >>> print(Roll(2, 0)(Tensor([0.0, 1.0, 2.0, 3.0, 4.0])))
    [3. 4. 0. 1. 2.]
    """

    def __init__(self, shift: Any, axis: Any) -> None:
        super().__init__()
        for arg, value in (("shift", shift), ("axis", axis)):
            _check.instance("Roll", arg, value, (int, tuple, list), "one of '['int', 'tuple', 'list']'")
        self.shift = (shift,) if isinstance(shift, int) else tuple(shift)
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)
        if len(self.shift) != len(self.axis):
            fail(ValueError, "Roll", "length of 'shift'", f"be that of 'axis', {len(self.axis)}", str(len(self.shift)))

    def construct(self, input_x: Any) -> Any:
        """The moved elements."""
        for axis in self.axis:
            if not -input_x.ndim <= axis < input_x.ndim:
                fail(ValueError, "Roll", "'axis'", f"be in range of [{-input_x.ndim}, {input_x.ndim})", str(axis))
        return F.roll(input_x, self.shift, self.axis)


class Norm(Cell):
    """The root of the sum of squares over some dimensions, all by default (``mindspore.nn.Norm``).

    Args:
        axis: an int or a tuple of ints.
        keep_dims: keep them, with size 1.

    The result is float32 for ints.

    Raises:
        TypeError: `keep_dims` is no bool.

    >>> from ms_kernels import Tensor
    >>> print(Norm(axis=1)(Tensor([[3.0, 4.0], [6.0, 8.0]])))
    [ 5. 10.]
    """

    def __init__(self, axis: Any = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = _check.boolean("Norm", "keep_dims", keep_dims)

    def construct(self, x: Any) -> Any:
        """The norms."""
        return F.sqrt(F.sum(F.square(x.astype("float32") if x.dtype.kind in "iub" else x), self.axis, self.keep_dims))

    def extend_repr(self) -> str:
        """The arguments."""
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class Unfold(Cell):
    """The patches of images, each patch as channels of one pixel (``mindspore.nn.Unfold``).

    Args:
        ksizes: [1, rows, columns, 1], the patch.
        strides: [1, rows, columns, 1], from patch to patch.
        rates: [1, rows, columns, 1], from pixel to pixel inside a patch.
        padding: "valid": patches inside the image; "same": ceil(size / stride) of them, with zeros around the image.

    Shapes: (N, C, H, W) -> (N, rows * columns * C, H', W'), the channels of a patch's pixel side by side.

    Raises:
        TypeError, ValueError: an argument of the wrong type or form.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 2, 2, 1])(Tensor(np.ones((2, 3, 6, 6), np.float32))).shape
    (2, 12, 2, 2)
    """

    def __init__(self, ksizes: Any, strides: Any, rates: Any, padding: str = "valid") -> None:
        super().__init__()
        for arg, short, value in (
            ("ksizes", "ksize", ksizes),
            ("strides", "stride", strides),
            ("rates", "rate", rates),
        ):
            _check.instance("Unfold", arg, value, (tuple, list), "one of '['tuple', 'list']'")
            if len(value) != 4 or value[0] != 1 or value[3] != 1:
                fail(ValueError, "Unfold", f"format of '{arg}'", f"be [1, {short}_row, {short}_col, 1]", str(value))
            _check.pair("Unfold", arg, tuple(value[1:3]))
        self.ksizes, self.strides, self.rates = (tuple(value[1:3]) for value in (ksizes, strides, rates))
        if not isinstance(padding, str):
            fail(TypeError, "Unfold", "type of 'padding'", "be 'str'", f"type '{type(padding).__name__}'")
        self.padding = _check.choice("Unfold", "padding", padding.upper(), ("VALID", "SAME"))

    def construct(self, input_x: Any) -> Any:
        """The patches."""
        if input_x.ndim != 4:
            fail(ValueError, "Unfold", "dimension of 'input_x'", "be 4", str(input_x.ndim))
        batch, channels = input_x.shape[:2]
        spans = [(size - 1) * rate + 1 for size, rate in zip(self.ksizes, self.rates)]
        if self.padding == "SAME":
            around: list[int] = []
            for size, span, step in zip(input_x.shape[2:], spans, self.strides):
                total = max((-(-size // step) - 1) * step + span - size, 0)
                around = [total // 2, total - total // 2, *around]
            input_x = F.pad(input_x, around)
        height, width = ((size - span) // step + 1 for size, span, step in zip(input_x.shape[2:], spans, self.strides))
        columns = F.unfold(input_x, self.ksizes, self.rates, 0, self.strides)
        parts = F.reshape(columns, (batch, channels, self.ksizes[0] * self.ksizes[1], height, width))
        return F.reshape(F.swapaxes(parts, 1, 2), (batch, -1, height, width))
