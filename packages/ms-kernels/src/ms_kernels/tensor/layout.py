"""What a tensor tells of its shape, its element type and its memory, and the views that are properties."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.operators import Operators
from ms_kernels.opdef.errors import describe, fail

__all__ = ["Layout"]


def _steps(shape: tuple[int, ...]) -> list[int]:
    """Elements from one to the next in each dimension of a contiguous tensor."""
    found, step = [], 1
    for n in reversed(shape):
        found.append(step)
        step *= n
    return found[::-1]


class Layout(Operators):
    """The part of Tensor that reads shape, type and strides."""

    __slots__ = ()

    @property
    def T(self) -> Any:
        """The tensor with its dimensions in reverse order, a view."""
        return ops_by_name["permute"](self, tuple(range(self.ndim - 1, -1, -1)))

    @property
    def mT(self) -> Any:
        """The tensor with its last two dimensions exchanged, a view.

        Raises:
            ValueError: it has less than two dimensions.
        """
        if self.ndim < 2:
            fail(ValueError, "Tensor.mT", "tensor", "have at least 2 dimensions", str(self.ndim))
        return ops_by_name["swapaxes"](self, -2, -1)

    @property
    def mH(self) -> Any:
        """The conjugate of `mT`; for real tensors the same view."""
        if self.ndim < 2:
            fail(ValueError, "Tensor.mH", "tensor", "have at least 2 dimensions", str(self.ndim))
        turned = self.mT
        return ops_by_name["conj"](turned) if self.dtype.kind == "c" else turned

    @property
    def H(self) -> Any:
        """The conjugate transpose of a matrix.

        Raises:
            ValueError: the tensor has not two dimensions.
        """
        if self.ndim != 2:
            fail(ValueError, "Tensor.H", "tensor", "have 2 dimensions", str(self.ndim))
        return self.mH

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next in each dimension of a contiguous tensor, as in 2.6; see `stride`."""
        return tuple(n * self.itemsize for n in _steps(self.shape))

    def stride(self, dim: int | None = None) -> list[int] | int:
        """Return the elements from one to the next in a dimension, or a list of them for all.

        Raises:
            IndexError: there is no such dimension.
        """
        real = self._waiting is None and self.size
        steps = [n // self.itemsize for n in self._a.strides] if real else _steps(self.shape)
        if dim is None:
            return steps
        if not -len(steps) <= dim < len(steps):
            fail(IndexError, "Tensor.stride", "'dim'", f"be in [{-len(steps)}, {len(steps)})", describe(dim))
        return steps[dim]

    def storage_offset(self) -> int:
        """Return how many elements of the tensor whose view this is lie before its first one."""
        base = self._view_of
        if base is None:
            return 0
        start: int = self._a.__array_interface__["data"][0] - base._a.__array_interface__["data"][0]
        return start // self.itemsize

    def is_contiguous(self) -> bool:
        """Tell whether the elements lie in memory in the order of their indices."""
        return self._waiting is not None or bool(self._a.flags.c_contiguous)

    def contiguous(self) -> Any:
        """Return the tensor itself if it is contiguous, else a contiguous copy."""
        return self if self.is_contiguous() else ops_by_name["copy"](self)

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self.ndim

    def ndimension(self) -> int:
        """Return the number of dimensions."""
        return self.ndim

    def numel(self) -> int:
        """Return the number of elements."""
        return self.size

    def nelement(self) -> int:
        """Return the number of elements."""
        return self.size

    def is_floating_point(self) -> bool:
        """Tell whether the elements are of a float type."""
        return bool(self.dtype.kind == "f")

    def is_complex(self) -> bool:
        """Tell whether the elements are of a complex type."""
        return bool(self.dtype.kind == "c")

    def is_signed(self) -> bool:
        """Tell whether the element type has negative numbers."""
        return self.dtype.kind in "ifc"
