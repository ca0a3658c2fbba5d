"""Turned and repeated tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.index import index_select
from ms_kernels.ops.rearrange import flip
from ms_kernels.ops.shape import dims_of, reshape, swapaxes

__all__ = ["fliplr", "flipud", "repeat_elements", "repeat_interleave", "rot90"]


@composite(ops="fliplr(input)", tensor="fliplr()")
def fliplr(input: Array) -> Any:
    """Return the tensor with the order along its second dimension reversed. A view.

    Raises:
        ValueError: fewer than two dimensions.

    Examples:
        >>> print(ops.fliplr(Tensor([[1, 2], [3, 4]])))
        [[2 1]
         [4 3]]

    Source: ``mindspore.ops.fliplr``.
    """
    return flip(input, (1,))


@composite(ops="flipud(input)", tensor="flipud()")
def flipud(input: Array) -> Any:
    """Return the tensor with the order along its first dimension reversed. A view.

    Raises:
        ValueError: no dimension.

    Examples:
        >>> print(ops.flipud(Tensor([[1, 2], [3, 4]])))
        [[3 4]
         [1 2]]

    Source: ``mindspore.ops.flipud``.
    """
    if not input.ndim:
        fail(ValueError, "flipud", "'input'", "have at least one dimension", "none")
    return flip(input, (0,))


@composite(ops="rot90(input, k, dims)", tensor="rot90(k, dims)", rename={"dims": "plane"})
def rot90(input: Array, k: int, plane: Any) -> Any:
    """Return the tensor turned `k` times by 90 degrees in the plane of two dimensions, from the first to the second.

    Raises:
        TypeError: `k` is no int.
        RuntimeError: the dimensions are not two different ones.
        ValueError: a dimension out of range.

    Examples:
        >>> print(ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)))
        [[2 4]
         [1 3]]

    Source: ``mindspore.ops.rot90``.
    """
    if isinstance(k, bool) or not isinstance(k, int):
        fail(TypeError, "rot90", "'k'", "be an int", describe(k))
    given = dims_of("rot90", plane, "dims")
    if len(given) != 2:
        fail(ValueError, "rot90", "'dims'", "be two dimensions", str(given))
    first, second = (rules.axis("rot90", d, input.ndim, "dims") for d in given)
    if first == second:
        fail(RuntimeError, "rot90", "'dims'", "be different", str(given))
    if k % 4 == 2:
        return flip(input, (first, second))
    if k % 4 == 1:
        return swapaxes(flip(input, (second,)), first, second)
    return flip(swapaxes(input, first, second), (second,)) if k % 4 else input


def _repeats(name: str, repeats: Any, size: int) -> Any:
    """Which slice of a dimension of a size stands at each place of the result."""
    counts = np.asarray(repeats._a if isinstance(repeats, TensorBase) else repeats)
    if counts.dtype.kind not in "iu" or counts.ndim > 1:
        fail(TypeError, name, "'repeats'", "be an int or ints in one dimension", describe(repeats))
    if counts.size and int(counts.min()) < 0:
        fail(ValueError, name, "'repeats'", "not be negative", str(int(counts.min())))
    if counts.ndim and counts.size not in (1, size):
        fail(ValueError, name, "length of 'repeats'", f"be the {size} of the dimension", str(counts.size))
    return np.repeat(np.arange(size), counts)


@composite(
    ops="repeat_interleave(input, repeats, axis=None)",
    mint="repeat_interleave(input, repeats, dim=None, *, output_size=None)",
    tensor="repeat_interleave(repeats, dim=None, *, output_size=None)",
)
def repeat_interleave(input: Array, repeats: Any, dim: int | None = None, output_size: int | None = None) -> Any:
    """Return the tensor with each slice along a dimension (by default: each element, flat) repeated.

    Args:
        repeats: how often; an int for all, or one for each slice.
        output_size: the size of the result along the dimension, where it is known; checked.

    Raises:
        ValueError: a negative number, or not as many numbers as slices.
        TypeError: `repeats` holds something else than ints.

    Examples:
        >>> print(ops.repeat_interleave(Tensor([1, 2]), 2))
        [1 1 2 2]
        >>> print(ops.repeat_interleave(Tensor([[1], [2]]), [1, 2], 0))
        [[1]
         [2]
         [2]]

    Source: ``mindspore.ops.repeat_interleave``, ``mindspore.mint.repeat_interleave``.
    """
    if dim is None:
        input, dim = reshape(input, (input.size,)), 0
    at = rules.axis("repeat_interleave", dim, input.ndim)
    places = _repeats("repeat_interleave", repeats, input.shape[at])
    if output_size is not None and output_size != places.size:
        fail(
            ValueError,
            "repeat_interleave",
            "'output_size'",
            f"be the sum of 'repeats', {places.size}",
            f"{output_size}",
        )
    return index_select(input, at, from_array(places))


@composite(ops="repeat_elements(x, rep, axis=0)")
def repeat_elements(input: Array, rep: int, dim: int = 0) -> Any:
    """Return the tensor with each slice along a dimension repeated `rep` times.

    Raises:
        TypeError: `rep` is no int.
        ValueError: `rep` is not positive.

    Examples:
        >>> print(ops.repeat_elements(Tensor([1, 2]), 2))
        [1 1 2 2]

    Source: ``mindspore.ops.repeat_elements``.
    """
    if isinstance(rep, bool) or not isinstance(rep, int):
        fail(TypeError, "repeat_elements", "'rep'", "be an int", describe(rep))
    if rep <= 0:
        fail(ValueError, "repeat_elements", "'rep'", "be positive", str(rep))
    return repeat_interleave(input, rep, rules.axis("repeat_elements", dim, input.ndim))
