"""Ops that move or join elements: flip, roll, tile, concat, stack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import op, view
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import sum_to
from ms_kernels.ops.shape import dims_of, reshape

__all__ = ["concat", "flip", "roll", "stack", "tile"]

Shape = tuple[int, ...]


def _flip_shape(shape: Shape, dim: Any) -> Shape:
    rules.axes("flip", dims_of("flip", dim, "dims"), len(shape))
    return shape


def _flip_vjp(g: Any, _out: Any, _input: Any, dim: Any) -> Any:
    return flip(g, dim)


@view(
    shape=_flip_shape,
    dtype=rules.same,
    vjp=_flip_vjp,
    ops=["flip(input, dims)", "reverse(x, axis)"],
    mint="flip(input, dims)",
    tensor=["flip(dims)", "reverse(axis)"],
    primitive="ReverseV2(axis)(x)",
    batch="flip",
)
def flip(input: Array, dim: Any) -> Any:
    """Return the tensor with the order along some dimensions reversed. A view.

    Examples:
        >>> print(ops.flip(Tensor([1, 2, 3]), (0,)))
        [3 2 1]

    Source: ``mindspore.ops.flip``.
    """
    axes = dims_of("flip", dim, "dims")
    return np.flip(input, rules.axes("flip", axes, input.ndim)) if axes else input[...]


def _roll_vjp(g: Any, _out: Any, _input: Any, shifts: Any, dim: Any) -> Any:
    return roll(g, tuple(-s for s in dims_of("roll", shifts, "shifts")), dim)


@op(
    shape=rules.same,
    dtype=rules.same,
    vjp=_roll_vjp,
    ascend="copy",
    batch="roll",
    ops="roll(input, shifts, dims=None)",
    mint="roll(input, shifts, dims=None)",
    tensor="roll(shifts, dims=None)",
    primitive="Roll(shifts, dims=None)(x)",
)
def roll(input: Array, shifts: Any, dim: Any = None) -> Any:
    """Return the tensor with its elements moved along some dimensions (by default: in the flat tensor), round the end.

    Raises:
        ValueError: as many shifts as dimensions are needed.

    Examples:
        >>> print(ops.roll(Tensor([1, 2, 3]), 1))
        [3 1 2]

    Source: ``mindspore.ops.roll``.
    """
    moves = dims_of("roll", shifts, "shifts")
    if dim is None:
        return np.roll(input, sum(moves))
    axes = tuple(rules.axis("roll", d, input.ndim, "dims") for d in dims_of("roll", dim, "dims"))
    if len(axes) != len(moves):
        fail(ValueError, "roll", "'shifts' and 'dims'", "have equal lengths", f"{len(moves)} and {len(axes)}")
    return np.roll(input, moves, axes)


@op(
    shape=lambda shape, dims: tuple(np.multiply(*_aligned(shape, dims)).tolist()),
    dtype=rules.same,
    vjp=lambda g, _out, input, dims: _untile(g, input.shape, dims),
    ascend="copy",
    batch="tile",
    ops="tile(input, dims)",
    mint="tile(input, dims)",
    tensor=["tile(*reps)", "tile(*dims)", "repeat(*repeats)"],
    primitive="Tile()(input, dims)",
    rename={"reps": "dims", "repeats": "dims"},
)
def tile(input: Array, dims: Any) -> Any:
    """Return the tensor repeated as a whole, ``dims[i]`` times along dimension i.

    Examples:
        >>> print(ops.tile(Tensor([1, 2]), (2, 2)))
        [[1 2 1 2]
         [1 2 1 2]]

    Source: ``mindspore.ops.tile``.
    """
    return np.tile(input, _aligned(input.shape, dims)[1])


def _aligned(shape: Shape, dims: Any) -> tuple[Shape, Shape]:
    """The shape and the repeats with 1s put in front, equally long."""
    repeats = dims_of("Tile", dims, "dims")
    if any(r < 0 for r in repeats):
        fail(ValueError, "Tile", "'dims'", "not be negative", str(repeats))
    n = max(len(shape), len(repeats))
    return (1,) * (n - len(shape)) + tuple(shape), (1,) * (n - len(repeats)) + repeats


def _untile(g: Any, shape: Shape, dims: Any) -> Any:
    sizes, repeats = _aligned(shape, dims)
    split = reshape(g, tuple(n for pair in zip(repeats, sizes) for n in pair))
    return reshape(sum_to(split, tuple(n for size in sizes for n in (1, size))), shape)


def _concat_shape(shapes: list[Shape], dim: int = 0) -> Shape:
    if not shapes:
        fail(ValueError, "Concat", "'tensors'", "not be empty")
    first = shapes[0]
    at = rules.axis("Concat", dim, len(first))
    for shape in shapes[1:]:
        if len(shape) != len(first) or any(a != b for i, (a, b) in enumerate(zip(shape, first)) if i != at):
            fail(
                ValueError,
                "Concat",
                "shapes",
                f"agree but in dimension {at}",
                " and ".join(str(list(s)) for s in (first, shape)),
            )
    if not first:
        fail(ValueError, "Concat", "tensors", "have at least one dimension", "a 0-d tensor")
    return (*first[:at], sum(s[at] for s in shapes), *first[at + 1 :])


def _concat_vjp(g: Any, _out: Any, tensors: Any, dim: int) -> Any:
    at = rules.axis("Concat", dim, g.ndim)
    ends = np.cumsum([t.shape[at] for t in tensors]).tolist()
    head = (slice(None),) * at
    return [g[head + (slice(end - t.shape[at], end),)] for t, end in zip(tensors, ends)]


@op(
    shape=_concat_shape,
    dtype=rules.promote,
    vjp=_concat_vjp,
    ascend="copy",
    batch="join",
    ops=["concat(tensors, axis=0)", "cat(tensors, axis=0)"],
    mint=["concat(tensors, dim=0)", "cat(tensors, dim=0)"],
    primitive="Concat(axis=0)(tensors)",
)
def concat(tensors: list[Array], dim: int = 0) -> Any:
    """Return tensors joined along a dimension; the other dimensions must agree.

    Raises:
        ValueError: no tensors, or shapes that do not fit.
        TypeError: something else than a list or tuple of Tensors.

    Examples:
        >>> print(ops.concat([Tensor([1, 2]), Tensor([3])]))
        [1 2 3]

    Source: ``mindspore.ops.concat``.
    """
    return np.concatenate(tensors, dim)


def _stack_shape(shapes: list[Shape], dim: int = 0) -> Shape:
    if not shapes:
        fail(ValueError, "Stack", "'tensors'", "not be empty")
    for shape in shapes[1:]:
        if shape != shapes[0]:
            fail(ValueError, "Stack", "shapes", "be equal", f"{list(shapes[0])} and {list(shape)}")
    at = rules.axis("Stack", dim, len(shapes[0]) + 1)
    return (*shapes[0][:at], len(shapes), *shapes[0][at:])


def _unstack_grad(g: Any, dim: int) -> list[Any]:
    head = (slice(None),) * rules.axis("Stack", dim, g.ndim)
    return [g[head + (i,)] for i in range(g.shape[dim])]


@op(
    shape=_stack_shape,
    dtype=rules.promote,
    vjp=lambda g, _out, _tensors, dim: _unstack_grad(g, dim),
    ascend="copy",
    batch="join",
    ops="stack(tensors, axis=0)",
    mint="stack(tensors, dim=0)",
    primitive="Stack(axis=0)(tensors)",
)
def stack(tensors: list[Array], dim: int = 0) -> Any:
    """Return tensors of one shape joined along a new dimension.

    Examples:
        >>> print(ops.stack([Tensor([1, 2]), Tensor([3, 4])]))
        [[1 2]
         [3 4]]

    Source: ``mindspore.ops.stack``.
    """
    return np.stack(tensors, dim)
