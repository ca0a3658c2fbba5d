"""Steps of a graph that are no op of the table: changes of tensors, random draws, calls of Python, control flow.

Each has `name`, for the printed graph, and is called with a node's arguments, tensors in place of its values; it
returns a tuple of tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import dispatch, replace
from ms_kernels.core.tensor import from_array
from ms_kernels.random.stream import draw, wrap_int64

__all__ = ["Call", "Copy", "DimOf", "Draw", "Filled", "Hole", "Step", "Store"]


class Step:
    """What the steps have in common."""

    name = "step"

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        """Do the step.

        Raises:
            NotImplementedError: a subclass does not say how.
        """
        raise NotImplementedError(f"For '{type(self).__name__}', the method '__call__' must be defined.")

    def __repr__(self) -> str:
        return f"<step {self.name}>"


class Store(Step):
    """Put the second tensor's values into the first one, in place."""

    name = "store"

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        replace(args[0], args[1])
        return ()


class Call(Step):
    """Call a Python function that changes tensors on its own, with tensors and other values as its arguments."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.name = f"call {getattr(fn, '__qualname__', type(fn).__name__)}"

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        self.fn(*args)
        return ()


class Copy(Step):
    """Give a constant away: a tensor of its own, so that what the caller does to it stays outside."""

    name = "copy"

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        return (from_array(np.array(args[0]._raw)),)


class Draw(Step):
    """Take the next part of a generator's stream: its (seed, offset), as 0-d int64 tensors."""

    name = "draw"

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        seed, offset = draw(self.generator)
        return from_array(np.array(wrap_int64(seed))), from_array(np.array(wrap_int64(offset)))


class DimOf(Step):
    """The value of an expression over the dims of inputs, as a 0-d int64 tensor.

    Attributes:
        places: the numbers of the inputs that are this step's arguments.
    """

    name = "dim"

    def __init__(self, dim: Any, places: tuple[int, ...]) -> None:
        self.dim, self.places = dim, places

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        dims = {(place, axis): n for place, arg in zip(self.places, args) for axis, n in enumerate(arg.shape)}
        return (from_array(np.array(self.dim.value(dims))),)


class Hole:
    """A place in a template: of a tensor operand, or of an attribute that is computed in the graph."""

    __slots__ = ("attribute", "index")

    def __init__(self, index: int, attribute: bool) -> None:
        self.index, self.attribute = index, attribute

    def __repr__(self) -> str:
        return f"<{self.index}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hole) and (self.index, self.attribute) == (other.index, other.attribute)

    def __hash__(self) -> int:
        return hash((self.index, self.attribute))


class Filled(Step):
    """An op of the table some of whose attributes are computed in the graph: ints, or arrays (of an index).

    Attributes:
        template: the op's arguments, with a `Hole` for everything that comes from the graph.
    """

    def __init__(self, op: Any, template: tuple[Any, ...]) -> None:
        self.op, self.template = op, template
        self.name = op.name

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        out = dispatch(self.op, tuple(_filled(item, args) for item in self.template))
        return out if isinstance(out, tuple) else (out,)


def _filled(item: Any, args: tuple[Any, ...]) -> Any:
    if isinstance(item, Hole):
        given = args[item.index]
        if not item.attribute:
            return given
        array = given._a
        return array if array.ndim else array.item()
    if isinstance(item, (tuple, list)):
        return type(item)(_filled(part, args) for part in item)
    if isinstance(item, slice):
        return slice(_filled(item.start, args), _filled(item.stop, args), _filled(item.step, args))
    return item
