"""vmap: a function of single samples applied to a whole batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import as_scalar, common_of, ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail

__all__ = ["vmap"]


def _is_cell_list(fn: Any) -> bool:
    """Whether fn is 2.6's CellList: one cell per sample.  (The class lives in a package above this one.)"""
    return any(kind.__name__ == "CellList" for kind in type(fn).__mro__)


def _check_axes(key: str, axes: Any, single: bool) -> None:
    """Axes are ints, None, and tuples or lists of axes; at least one must be an int."""
    if axes is None and single:
        fail(RuntimeError, "vmap", f"'{key}'", "not be None alone when 'fn' is no CellList")
    found = list(_leaves(axes))
    for axis in found:
        if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int)):
            fail(RuntimeError, "vmap", f"axis in '{key}'", "be an int or None", describe(axis))
    if key == "in_axes" and single and all(axis is None for axis in found):
        fail(RuntimeError, "vmap", f"'{key}'", "not be all None when 'fn' is no CellList", str(axes))


def _leaves(axes: Any) -> Iterator[Any]:
    if isinstance(axes, (tuple, list)):
        for item in axes:
            yield from _leaves(item)
    else:
        yield axes


def _place(key: str, axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        fail(RuntimeError, "vmap", f"axis in '{key}'", f"be in [{-ndim}, {ndim})", str(axis))
    return axis % ndim


class _Samples:
    """The arguments of a call, cut along their mapped axes."""

    def __init__(self, size: int | None) -> None:
        self.size = size

    def cut(self, value: Any, axes: Any) -> Any:
        """Return a function giving the value's part in sample i."""
        if isinstance(value, (tuple, list)):
            if isinstance(axes, (tuple, list)):
                if len(axes) != len(value):
                    fail(
                        RuntimeError, "vmap", "size of 'in_axes'", f"be that of its input, {len(value)}", str(len(axes))
                    )
                parts = [self.cut(item, axis) for item, axis in zip(value, axes)]
            else:
                parts = [self.cut(item, axes) for item in value]
            kind = type(value)
            return lambda i: kind(part(i) for part in parts)
        if isinstance(axes, (tuple, list)):
            fail(RuntimeError, "vmap", "axis of a Tensor", "be an int or None", str(axes))
        if axes is None:
            return lambda _: value
        if not isinstance(value, TensorBase):
            fail(
                RuntimeError, "vmap", f"input with axis {axes}", "be a Tensor (else its axis is None)", describe(value)
            )
        dim = _place("in_axes", axes, value.ndim)
        self._agree(value.shape[dim])
        rows: list[Any] = []

        def part(i: int) -> Any:
            if not rows:  # cut once all sizes are known to agree
                rows.extend(ops_by_name["unbind"](value, dim))
            return rows[i]

        return part

    def _agree(self, size: int) -> None:
        if self.size is None:
            self.size = size
        if self.size != size:
            fail(RuntimeError, "vmap", "sizes of the mapped axes", "be equal", f"{self.size} and {size}")


def _join(results: Sequence[Any], axes: Any) -> Any:
    """Put the results of all samples together, in the structure that each of them has."""
    first = results[0]
    if isinstance(first, (tuple, list)):
        if not isinstance(axes, (tuple, list)):
            axes = [axes] * len(first)
        if len(axes) != len(first):
            rule = f"be the number of results of 'fn', {len(first)}"
            fail(RuntimeError, "vmap", "size of 'out_axes'", rule, str(len(axes)))
        return tuple(_join([row[i] for row in results], axis) for i, axis in enumerate(axes))
    if isinstance(axes, (tuple, list)):
        if len(axes) != 1:
            fail(RuntimeError, "vmap", "size of 'out_axes'", "be that of the one result, 1", str(len(axes)))
        return _join(results, axes[0])
    tensors = [_tensor(item) for item in results]
    if axes is None:
        if any(not np.array_equal(item._a, tensors[0]._a, equal_nan=item.dtype.kind in "fc") for item in tensors[1:]):
            fail(RuntimeError, "vmap", "result with axis None in 'out_axes'", "be the same for all samples", "several")
        return first
    return ops_by_name["stack"](tensors, _place("out_axes", axes, tensors[0].ndim + 1))


def _tensor(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, (bool, int, float, complex)):
        return from_array(as_scalar(value, common_of([value])))
    return fail(RuntimeError, "vmap", "results of 'fn'", "be Tensors or numbers", describe(value))


def vmap(fn: Any, in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Return fn applied to every sample of its inputs along an axis of each (``mindspore.vmap``).

    The samples are cut out, fn is called with each, and the results are stacked, so that fn may be any function, also
    one with branches that depend on values, and its gradient is that of a loop.

    Args:
        fn: a function or Cell of single samples, or a CellList with one cell per sample.
        in_axes: the axis along which each input is cut: an int for all, or a tuple or list with one int, None (the
            whole input goes to every sample) or, for an input that is a tuple, another tuple.
        out_axes: where the samples' axis is put in each result, in the same forms; None: the samples' results are the
            same, and one is returned.

    Raises:
        RuntimeError: axes of wrong types, number or range, only None, or axes of different sizes; an input with an axis
            is no Tensor, a result neither Tensor nor number.

    Examples:
        >>> from ms_kernels import Tensor
        >>> table = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> print(vmap(lambda row, weights: (row * weights).sum(), in_axes=(0, None))(table, Tensor([10.0, 1.0])))
        [12. 34. 56.]
        >>> vmap(lambda row: row, in_axes=0, out_axes=1)(table).shape
        (2, 3)
    """
    cells = list(fn) if _is_cell_list(fn) else None
    if cells is None and not callable(fn):
        fail(RuntimeError, "vmap", "'fn'", "be a function or a Cell", describe(fn))
    _check_axes("in_axes", in_axes, cells is None)
    _check_axes("out_axes", out_axes, cells is None)

    def after_vmap(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            fail(RuntimeError, "vmap", "inputs", "be positional", f"the keyword '{next(iter(kwargs))}'")
        if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
            rule = f"be the number of inputs, {len(args)}"
            fail(RuntimeError, "vmap", "size of 'in_axes'", rule, str(len(in_axes)))
        samples = _Samples(None if cells is None else len(cells))
        sample = samples.cut(args, in_axes)
        if not samples.size:
            fail(RuntimeError, "vmap", "number of samples", "be at least 1", str(samples.size or 0))
        run = cells or [fn] * samples.size
        return _join([one(*sample(i)) for i, one in enumerate(run)], out_axes)

    return after_vmap
