"""Batching rules: how an op is done for all samples at once.  Each op's record names one, or it is derived.

A rule gets a `Call` and returns the result (or the tuple of them) with the samples along the first axis; None when it
does not serve this call, which is then done for one sample after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ms_kernels.core.dispatch import TENSORS, Op, dispatch, ops_by_name
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules as shape_rules

if TYPE_CHECKING:
    from ms_kernels.tape.level import Level

__all__ = ["Call", "Rule", "axis_of", "moved", "rule", "rule_of", "shaped"]

Rule = Callable[["Call"], Any]
RULES: dict[str, Rule] = {}


def rule(name: str) -> Callable[[Rule], Rule]:
    """Enter the decorated rule under the name by which records ask for it."""

    def enter(function: Rule) -> Rule:
        RULES[name] = function
        return function

    return enter


@cache
def rule_of(op: Op) -> Rule | None:
    """Return the rule that an op's record names, or the one that its shape rule implies."""
    named = op.record.batch
    if not named:
        if op.shape is shape_rules.same or getattr(op.shape, "broadcasts", False):
            named = "elementwise"
        elif getattr(op.shape, "__qualname__", "") == "reduced.<locals>.rule":
            named = "reduce"
        else:
            return None
    from ms_kernels.tape import (  # noqa: F401  (they enter their rules)
        batching_index,
        batching_layers,
        batching_moves,
        batching_recurrent,
    )

    return RULES[named]


class Call:
    """One call with tensors of samples among its operands.

    Attributes:
        op: what is called.
        args: its arguments, with the tensor of all samples in place of each that stands for one.
        flags: which arguments these are (of a list of operands: a list).
        level: the running `vmap`.
    """

    __slots__ = ("args", "flags", "level", "op")

    def __init__(self, op: Op, args: list[Any], flags: list[Any], level: Level) -> None:
        self.op, self.args, self.flags, self.level = op, args, flags, level

    @property
    def size(self) -> int:
        """The number of samples."""
        return self.level.size

    def place(self, name: str) -> int:
        """Where among the arguments a parameter is."""
        return self.op.params.index(name)

    def shape(self, i: int) -> tuple[int, ...]:
        """The shape of operand i in one sample."""
        arg = self.args[i]
        shape: tuple[int, ...] = arg.shape if isinstance(arg, TensorBase) else np.shape(arg)
        return shape[1:] if self.flags[i] else shape

    def full(self, i: int) -> Any:
        """Operand i with the samples along its first axis, repeated for each if they share it."""
        return self.spread(self.args[i], self.flags[i])

    def spread(self, arg: Any, flag: bool) -> Any:
        """As `full`, of any operand."""
        if flag or not isinstance(arg, TensorBase):
            return arg
        return ops_by_name["broadcast_np"](arg, (self.size, *arg.shape))

    def run(self, args: Any) -> Any:
        """Call the op with these arguments."""
        return dispatch(self.op, tuple(args))


def shaped(x: Any, shape: tuple[int, ...]) -> Any:
    """Return a tensor in another shape."""
    return x if x.shape == shape else ops_by_name["reshape"](x, shape)


def moved(x: Any, start: int, end: int) -> Any:
    """Return a tensor with one axis at another place."""
    if start == end:
        return x
    order = [i for i in range(x.ndim) if i != start]
    order.insert(end, start)
    return ops_by_name["permute"](x, tuple(order))


def axis_of(value: Any, ndim: int) -> int:
    """Return an axis of one sample as that of all samples; of a sample without dimensions: 1."""
    return shape_rules.axis("vmap", value, ndim) + 1


@rule("elementwise")
def elementwise(call: Call) -> Any:
    """Operands that meet element by element: those of fewer dimensions get new ones after the samples' axis."""
    places = [i for i, kind in enumerate(call.op.kinds) if kind and call.args[i] is not None]
    if any(call.op.kinds[i] == TENSORS for i in places):
        return None
    args = list(call.args)
    if len(places) > 1:
        most = max(len(call.shape(i)) for i in places)
        for i in places:
            shape = call.shape(i)
            if call.flags[i] and len(shape) < most:
                args[i] = shaped(args[i], (call.size, *(1,) * (most - len(shape)), *shape))
    return call.run(args)


@rule("leading")
def leading(call: Call) -> Any:
    """Ops on the last dimensions, which take any others before them."""
    return call.run(call.full(i) if kind else arg for i, (kind, arg) in enumerate(zip(call.op.kinds, call.args)))


@rule("reduce")
def reduce(call: Call) -> Any:
    """Reductions over `dim`: None or nothing stands for all."""
    at = call.place("dim")
    args, shape = list(call.args), call.shape(0)
    if not shape:
        shape = (1,)
        args[0] = shaped(args[0], (call.size, 1))
        if "keepdim" in call.op.params:
            args[call.place("keepdim")] = False
        shape_rules.axes(call.op.label, args[at], 0)
        args[at] = (1,)
    else:
        args[at] = tuple(i + 1 for i in shape_rules.axes(call.op.label, args[at], len(shape)))
    return call.run(args)


@rule("axis")
def axis(call: Call) -> Any:
    """Ops along one axis `dim` of operands with the same number of dimensions."""
    at = call.place("dim")
    args = [call.full(i) if kind else arg for i, (kind, arg) in enumerate(zip(call.op.kinds, call.args))]
    ndim = max(len(call.shape(i)) for i, kind in enumerate(call.op.kinds) if kind)
    args[at] = axis_of(-1 if args[at] is None else args[at], ndim)
    if ndim:
        return call.run(args)
    args = [shaped(arg, (call.size, 1)) if kind else arg for kind, arg in zip(call.op.kinds, args)]
    found = call.run(args)
    if isinstance(found, tuple):
        return tuple(shaped(item, (call.size,)) for item in found)
    return shaped(found, (call.size,))


@rule("place")
def place(call: Call) -> Any:
    """The place of an extremum: along `dim`, or with None in the flat tensor."""
    at = call.place("dim")
    args, shape = list(call.args), call.shape(0)
    if args[at] is None or not shape:
        args[0], args[call.place("keepdim")] = shaped(args[0], (call.size, -1)), False
        args[at] = 1
    else:
        args[at] = axis_of(args[at], len(shape))
    return call.run(args)


@rule("fold")
def fold(call: Call) -> Any:
    """Ops on (N, ...) that treat each of N alone: the samples are put into N, in operands and in `shape`."""
    args = list(call.args)
    for i, kind in enumerate(call.op.kinds):
        if kind and args[i] is not None:
            args[i] = folded(call.full(i))
        elif call.op.params[i] == "shape":
            args[i] = (call.size * args[i][0], *args[i][1:])
    return unfolded(call, call.run(args))


def folded(x: Any) -> Any:
    """Put the first axis of all samples into the second."""
    return shaped(x, (x.shape[0] * x.shape[1], *x.shape[2:]))


def unfolded(call: Call, found: Any) -> Any:
    """The reverse of `folded`, of each result."""
    if isinstance(found, tuple):
        return tuple(unfolded(call, item) for item in found)
    return shaped(found, (call.size, found.shape[0] // call.size, *found.shape[1:]))
