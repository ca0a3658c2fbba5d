"""vmap: a function of single samples applied to a whole batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import as_scalar, common_of, ops_by_name
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.batched import NeedsValues, batched_in, sample_of
from ms_kernels.tape.batching import moved
from ms_kernels.tape.level import Level

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
    """The arguments of a call along their mapped axes: first all are looked at, then they are given out."""

    def __init__(self, size: int | None) -> None:
        self.size = size

    def read(self, value: Any, axes: Any) -> Any:
        """Return the value with a `_Mapped` in place of each tensor that has a mapped axis."""
        if isinstance(value, (tuple, list)):
            if isinstance(axes, (tuple, list)):
                if len(axes) != len(value):
                    fail(
                        RuntimeError, "vmap", "size of 'in_axes'", f"be that of its input, {len(value)}", str(len(axes))
                    )
                return type(value)(self.read(item, axis) for item, axis in zip(value, axes))
            return type(value)(self.read(item, axes) for item in value)
        if isinstance(axes, (tuple, list)):
            fail(RuntimeError, "vmap", "axis of a Tensor", "be an int or None", str(axes))
        if axes is None:
            return value
        if not isinstance(value, TensorBase):
            fail(
                RuntimeError, "vmap", f"input with axis {axes}", "be a Tensor (else its axis is None)", describe(value)
            )
        dim = _place("in_axes", axes, value.ndim)
        self._agree(value.shape[dim])
        return _Mapped(value, dim)

    def _agree(self, size: int) -> None:
        if self.size is None:
            self.size = size
        if self.size != size:
            fail(RuntimeError, "vmap", "sizes of the mapped axes", "be equal", f"{self.size} and {size}")


class _Mapped:
    """A tensor with an axis of samples."""

    def __init__(self, value: Any, dim: int) -> None:
        self.value, self.dim = value, dim

    @cached_property
    def rows(self) -> Any:
        """The samples."""
        return ops_by_name["unbind"](self.value, self.dim)

    def all(self, level: Level) -> Any:
        """A tensor that stands for each sample."""
        return sample_of(moved(self.value, self.dim, 0), level)


def _given(value: Any, give: Callable[[_Mapped], Any]) -> Any:
    """The arguments that `_Samples.read` returned, with something in place of the tensors with samples."""
    if isinstance(value, (tuple, list)):
        return type(value)(_given(item, give) for item in value)
    return give(value) if isinstance(value, _Mapped) else value


def _row(i: int) -> Callable[[_Mapped], Any]:
    return lambda found: found.rows[i]


def _out_axes(result: Any, axes: Any) -> Any:
    """The axis of each result, in the structure of the results."""
    if isinstance(result, (tuple, list)):
        if not isinstance(axes, (tuple, list)):
            axes = [axes] * len(result)
        if len(axes) != len(result):
            rule = f"be the number of results of 'fn', {len(result)}"
            fail(RuntimeError, "vmap", "size of 'out_axes'", rule, str(len(axes)))
        return tuple(_out_axes(item, axis) for item, axis in zip(result, axes))
    if isinstance(axes, (tuple, list)):
        if len(axes) != 1:
            fail(RuntimeError, "vmap", "size of 'out_axes'", "be that of the one result, 1", str(len(axes)))
        return _out_axes(result, axes[0])
    return axes


def _whole(result: Any, axes: Any, level: Level) -> Any:
    """A result of all samples, from the tensor that stands for each of them."""
    if isinstance(result, (tuple, list)):
        return tuple(_whole(item, axis, level) for item, axis in zip(result, axes))
    tensor = _tensor(result)
    found = batched_in(tensor, level)
    if axes is None:
        if found is None:
            return result
        rows = found.value._a
        if not all(np.array_equal(row, rows[0], equal_nan=row.dtype.kind in "fc") for row in rows[1:]):
            fail(RuntimeError, "vmap", "result with axis None in 'out_axes'", "be the same for all samples", "several")
        return found.value[0]
    at = _place("out_axes", axes, tensor.ndim + 1)
    if found is None:
        return ops_by_name["stack"]([tensor] * level.size, at)
    return moved(found.value, 0, at)


def _join(results: Sequence[Any], axes: Any) -> Any:
    """Put the results of all samples together, in the structure that each of them has."""
    first = results[0]
    if isinstance(first, (tuple, list)):
        return tuple(_join([row[i] for row in results], axis) for i, axis in enumerate(axes))
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

    fn is called once, with tensors that have the shape of one sample and stand for all: each op inside is done for all
    samples at once, by the batching rule in its record. A function that looks at the numbers themselves (branches that
    depend on values, conversions to NumPy, printing) is called again, once for each sample, and the results are
    stacked. The gradient is that of a loop over the samples either way; random numbers are drawn for each sample where
    an op draws them for an operand that differs from sample to sample, else once.

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
        given = samples.read(args, in_axes)
        if not samples.size:
            fail(RuntimeError, "vmap", "number of samples", "be at least 1", str(samples.size or 0))
        if cells is None:
            level = Level(samples.size)
            try:
                result = level.run(fn, _given(given, lambda found: found.all(level)))
                return _whole(result, _out_axes(result, out_axes), level)
            except NeedsValues as signal:
                if signal.level is not level:
                    raise
        rows = [one(*_given(given, _row(i))) for i, one in enumerate(cells or [fn] * samples.size)]
        return _join(rows, _out_axes(rows[0], out_axes))

    return after_vmap
