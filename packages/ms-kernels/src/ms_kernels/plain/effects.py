"""Primitives that do something beside computing: calls of Python, checks of values, rings of experience."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name, replace, scope
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.primitive import Primitive
from ms_kernels.random.stream import draw

__all__ = ["Assert", "BufferAppend", "BufferGetItem", "BufferSample", "Morph", "PyFunc"]


class PyFunc(Primitive):
    """A function of NumPy arrays, for tensors (``mindspore.ops.PyFunc``).

    Args:
        fn: takes and gives arrays.
        in_types, in_shapes: element types and shapes of the tensors that it is called with.
        out_types, out_shapes: those of its results.
        stateful: whether equal calls may give different results.

    Raises:
        TypeError: `fn` is no function.
        ValueError: as many types as shapes are needed.

    Examples:
        >>> import ms_dtype as mstype
        >>> from ms_kernels import Tensor
        >>> double = PyFunc(lambda x: x * 2, (mstype.float32,), ((2,),), (mstype.float32,), ((2,),))
        >>> print(double(Tensor([1.0, 2.0]))[0])
        [2. 4.]
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        in_types: Sequence[Any],
        in_shapes: Sequence[Any],
        out_types: Sequence[Any],
        out_shapes: Sequence[Any],
        stateful: bool = True,
    ) -> None:
        super().__init__("PyFunc")
        if not callable(fn):
            fail(TypeError, "PyFunc", "'fn'", "be a function", describe(fn))
        for types, shapes, word in ((in_types, in_shapes, "in"), (out_types, out_shapes, "out")):
            if len(types) != len(shapes):
                rule = f"be as many as '{word}_types', {len(types)}"
                fail(ValueError, "PyFunc", f"'{word}_shapes'", rule, str(len(shapes)))
        self.fn, self.in_types, self.out_types = fn, tuple(in_types), tuple(out_types)
        self.in_shapes, self.out_shapes, self.stateful = tuple(in_shapes), tuple(out_shapes), stateful

    def __call__(self, *inputs: Any) -> Any:
        """Return a tuple of Tensors.

        Raises:
            TypeError: an input is no Tensor of its type.
            ValueError: another number of inputs or results.
        """
        given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)) else inputs
        if len(given) != len(self.in_types):
            fail(ValueError, "PyFunc", "number of inputs", f"be {len(self.in_types)}", str(len(given)))
        for item, kind in zip(given, self.in_types):
            if not isinstance(item, TensorBase) or item.dtype != kind:
                fail(TypeError, "PyFunc", "inputs", f"be Tensors of {kind}", describe(item))
        found = self.fn(*(np.array(item._a) for item in given))
        several = found if isinstance(found, (tuple, list)) else (found,)
        if len(several) != len(self.out_types):
            fail(ValueError, "PyFunc", "number of results", f"be {len(self.out_types)}", str(len(several)))
        return tuple(from_array(np.array(item, kind.np)) for item, kind in zip(several, self.out_types))


class Assert(Primitive):
    """A check of a condition at run time (``mindspore.ops.Assert``).

    Args:
        summarize: how many elements of each tensor the error shows.

    Examples:
        >>> from ms_kernels import Tensor
        >>> Assert()(Tensor(True), [Tensor([1.0])])
        >>> Assert(2)(False, [Tensor([1, 2, 3])])
        Traceback (most recent call last):
          ...
        RuntimeError: For 'Assert', the 'condition' must be True, but got False with [1 2 ...].
    """

    def __init__(self, summarize: int = 3) -> None:
        super().__init__("Assert")
        if isinstance(summarize, bool) or not isinstance(summarize, int):
            fail(TypeError, "Assert", "'summarize'", "be an int", describe(summarize))
        self.summarize = self.attrs["summarize"] = summarize

    def __call__(self, condition: Any, input_data: Any) -> None:
        """Raise unless the condition holds.

        Raises:
            RuntimeError: it does not.
            ValueError: it is a Tensor of more elements than one.
        """
        if bool(condition):
            return
        shown = []
        for item in input_data:
            flat = np.asarray(item._a if isinstance(item, TensorBase) else item).reshape(-1)
            part = " ".join(str(n) for n in flat[: self.summarize].tolist())
            shown.append(f"[{part}{' ...' if flat.size > self.summarize else ''}]")
        fail(RuntimeError, "Assert", "'condition'", "be True", f"False with {', '.join(shown)}")


class Morph(Primitive):
    """A function as a primitive, whose gradient is that of what it calls (``mindspore.ops.Morph``).

    Args:
        fn: the function.
        infer_shape, infer_dtype: what gives the shapes and types of its results, for those who ask before it runs.

    Examples:
        >>> from ms_kernels import Tensor
        >>> print(Morph(lambda x: x * 3, lambda shape: shape, lambda dtype: dtype)(Tensor([1.0])))
        [3.]
    """

    def __init__(
        self, fn: Callable[..., Any], infer_shape: Callable[..., Any], infer_dtype: Callable[..., Any]
    ) -> None:
        super().__init__("Morph")
        for key, value in (("fn", fn), ("infer_shape", infer_shape), ("infer_dtype", infer_dtype)):
            if not callable(value):
                fail(TypeError, "Morph", f"'{key}'", "be a function", describe(value))
        self.fn, self.infer_shape, self.infer_dtype = fn, infer_shape, infer_dtype

    def __call__(self, *args: Any) -> Any:
        """Call the function."""
        return self.fn(*args)


class _Buffer(Primitive):
    """Rows of several tensors, used as a ring: `count` rows from `head` on are there."""

    def __init__(self, name: str, capacity: int, buffer_shape: Any, buffer_dtype: Any) -> None:
        super().__init__(name)
        if isinstance(capacity, bool) or not isinstance(capacity, int) or capacity < 1:
            fail(ValueError, name, "'capacity'", "be a positive int", describe(capacity))
        if len(buffer_shape) != len(buffer_dtype):
            rule = f"have the length of 'buffer_shape', {len(buffer_shape)}"
            fail(ValueError, name, "'buffer_dtype'", rule, str(len(buffer_dtype)))
        self.capacity, self.shapes = capacity, [tuple(shape) for shape in buffer_shape]
        self.dtypes = list(buffer_dtype)

    def _check(self, data: Any) -> None:
        wanted = [(self.capacity, *shape) for shape in self.shapes]
        if [t.shape for t in data] != wanted or [t.dtype for t in data] != self.dtypes:
            got = [t.shape for t in data]
            fail(ValueError, self.name, "buffer", f"have the shapes {wanted} and the types given", str(got))

    def _rows(self, data: Any, places: Any) -> Any:
        key = (places,)
        return tuple(ops_by_name["take_key"](t, key) for t in data)


class BufferAppend(_Buffer):
    """Put rows behind the last one of a ring, over the first when it is full (``mindspore.ops.BufferAppend``).

    Args:
        capacity: how many rows there is room for.
        buffer_shape, buffer_dtype: shape and type of a row of each tensor.

    Examples:
        >>> import ms_dtype as mstype
        >>> from ms_kernels import Tensor
        >>> ring, count, head = [Tensor([[1.0], [2.0]])], Tensor(1, mstype.int32), Tensor(0, mstype.int32)
        >>> BufferAppend(2, [(1,)], [mstype.float32])(ring, [Tensor([7.0])], count, head)
        >>> print(ring[0].ravel(), count, head)
        [1. 7.] 2 0
    """

    def __init__(self, capacity: int, buffer_shape: Any, buffer_dtype: Any) -> None:
        super().__init__("BufferAppend", capacity, buffer_shape, buffer_dtype)

    def __call__(self, data: Any, exp: Any, count: Any, head: Any) -> None:
        """Append one row of each tensor, or a batch of them, in place.

        Raises:
            ValueError: shapes or types that do not fit, or more rows than there is room for.
        """
        self._check(data)
        many = exp[0].ndim > len(self.shapes[0])
        rows = exp[0].shape[0] if many else 1
        if rows > self.capacity or any(e.shape != ((rows, *s) if many else s) for e, s in zip(exp, self.shapes)):
            fail(ValueError, self.name, "'exp'", "hold rows of the buffer", str([e.shape for e in exp]))
        used, first = int(count), int(head)
        places = (first + used + np.arange(rows)) % self.capacity
        with scope(recording=False):
            for target, given in zip(data, exp):
                part = given if many else ops_by_name["unsqueeze"](given, 0)
                replace(target, ops_by_name["set_key"](target, (places,), ops_by_name["cast_np"](part, target._kind)))
            over = max(0, used + rows - self.capacity)
            replace(count, from_array(np.full(count.shape, min(self.capacity, used + rows), count._kind)))
            replace(head, from_array(np.full(head.shape, (first + over) % self.capacity, head._kind)))


class BufferGetItem(_Buffer):
    """Read one row of a ring by its number from the first one on (``mindspore.ops.BufferGetItem``).

    Args:
        capacity: how many rows there is room for.
        buffer_shape, buffer_dtype: shape and type of a row of each tensor.

    Examples:
        >>> import ms_dtype as mstype
        >>> from ms_kernels import Tensor
        >>> ring, count, head = [Tensor([[1.0], [2.0]])], Tensor(2, mstype.int32), Tensor(1, mstype.int32)
        >>> print(BufferGetItem(2, [(1,)], [mstype.float32])(ring, count, head, 0)[0])
        [2.]
    """

    def __init__(self, capacity: int, buffer_shape: Any, buffer_dtype: Any) -> None:
        super().__init__("BufferGetItem", capacity, buffer_shape, buffer_dtype)

    def __call__(self, data: Any, count: Any, head: Any, index: Any) -> Any:
        """Return the row of each tensor; negative numbers count from the end.

        Raises:
            ValueError: shapes or types that do not fit.
            IndexError: there is no such row.
        """
        self._check(data)
        place, used = int(index), int(count)
        if not -used <= place < used:
            fail(IndexError, self.name, "'index'", f"be in [{-used}, {used})", str(place))
        return self._rows(data, (int(head) + place % used) % self.capacity)


class BufferSample(_Buffer):
    """Draw rows of a ring (``mindspore.ops.BufferSample``).

    Args:
        capacity: how many rows there is room for.
        batch_size: how many to draw.
        buffer_shape, buffer_dtype: shape and type of a row of each tensor.
        seed: where the numbers start; 0: with those of the program.
        unique: whether each row is drawn at most once.

    Examples:
        >>> import ms_dtype as mstype
        >>> from ms_kernels import Tensor
        >>> ring, count, head = [Tensor([[1.0], [2.0]])], Tensor(2, mstype.int32), Tensor(0, mstype.int32)
        >>> sample = BufferSample(2, 2, [(1,)], [mstype.float32], unique=True)
        >>> print(sorted(sample(ring, count, head)[0].ravel().tolist()))
        [1.0, 2.0]
    """

    def __init__(
        self, capacity: int, batch_size: int, buffer_shape: Any, buffer_dtype: Any, seed: int = 0, unique: bool = False
    ) -> None:
        super().__init__("BufferSample", capacity, buffer_shape, buffer_dtype)
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
            fail(ValueError, "BufferSample", "'batch_size'", "be a positive int", describe(batch_size))
        self.batch_size, self.seed, self.unique = batch_size, seed, unique

    def __call__(self, data: Any, count: Any, head: Any) -> Any:
        """Return a batch of rows of each tensor.

        Raises:
            ValueError: shapes or types that do not fit, or fewer rows than to be drawn.
        """
        self._check(data)
        used = int(count)
        if used < (self.batch_size if self.unique else 1):
            fail(ValueError, self.name, "number of rows", f"be at least {self.batch_size}", str(used))
        seed, offset = draw()
        rng = np.random.default_rng([(self.seed or seed) & 0xFFFFFFFFFFFFFFFF, offset & 0xFFFFFFFFFFFFFFFF])
        chosen = rng.permutation(used)[: self.batch_size] if self.unique else rng.integers(0, used, self.batch_size)
        return self._rows(data, (int(head) + chosen) % self.capacity)
