"""What an elementwise op is in terms of the loops of a fused block."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ms_dtype as mstype
from ms_jit.graph.ir import Node, Value
from ms_kernels.core.dispatch import Op
from ms_kernels.loops.block import operation
from ms_kernels.opdef import rules

__all__ = ["Lowered", "Number", "lower", "reduction"]

FLOATS = frozenset((mstype.float16, mstype.bfloat16, mstype.float32))
LOOPS = {"floor_divide": "floor_div", "remainder": "remainder", "fmod": "fmod"}  # of ops that name no loop themselves
REDUCTIONS = {"sum": "sum", "mean": "mean", "prod": "prod", "amax": "max", "amin": "min"}
SHORT = 32  # rows of so few 16-bit numbers are reduced side by side, which a block cannot do
LOGICAL = frozenset(("logical_and", "logical_or", "logical_xor", "logical_not"))


class Number:
    """A Python number among the operands, with the dtype that it takes there."""

    __slots__ = ("dtype", "value")

    def __init__(self, value: float, dtype: Any) -> None:
        self.value, self.dtype = value, dtype


class Lowered:
    """The loops of one node, in order.

    Attributes:
        steps: triples (loop, operands, dtype); an operand is a Value, a Number, or the index of an earlier step here.
        double: whether it works in float64.
    """

    __slots__ = ("double", "steps")

    def __init__(self, double: bool) -> None:
        self.steps: list[tuple[str, tuple[Any, ...], Any]] = []
        self.double = double

    def add(self, loop: str, operands: tuple[Any, ...], dtype: Any) -> int:
        """Note a step; returns its index."""
        self.steps.append((loop, operands, dtype))
        return len(self.steps) - 1


def lower(node: Node) -> Lowered | None:
    """The loops that give a node's result bit for bit; None when it has no such loops."""
    op = node.op
    if not isinstance(op, Op) or op.is_composite or node.effect or node.shares or len(node.outs) != 1:
        return None
    if any(value.dtype is None for value in (*node.operands, *node.outs)):
        return None
    rule = _RULES.get(op.name)
    if rule is None:
        if op.loop is None and op.name not in LOOPS:
            return None
        rule = _by_loop
    found = rule(node, op)
    if found is None or found.steps[-1][2] is not node.outs[0].dtype:
        return None
    return found


def reduction(node: Node) -> tuple[str, int, bool] | None:
    """The reduction of a block that gives a node: (loop, over how many of the last dimensions, whether they stay)."""
    op = node.op
    if not isinstance(op, Op) or op.name not in REDUCTIONS or node.effect or not isinstance(node.args[0], Value):
        return None
    value, dim, keepdim, *rest = node.args
    if value.shape is None or (value.dtype not in FLOATS and value.dtype is not mstype.float64):
        return None
    if rest and rest[0] is not None and rest[0] is not value.dtype:
        return None
    axes = sorted(rules.axes(op.label, dim, len(value.shape)))
    if not axes or axes != list(range(len(value.shape) - len(axes), len(value.shape))):
        return None
    row = math.prod(value.shape[axes[0] :])
    if value.dtype.itemsize == 2 and 0 <= row <= SHORT and len(axes) < len(value.shape):
        return None
    return REDUCTIONS[op.name], len(axes), bool(keepdim)


def _class_of(dtypes: list[Any]) -> bool | None:
    """False: all are of the float32 family (or bool), True: float64, None: neither."""
    floats = [d for d in dtypes if d is not mstype.bool_]
    if all(d in FLOATS for d in floats):
        return False
    return True if all(d is mstype.float64 for d in floats) else None


def _converted(made: Lowered, value: Value, dtype: Any) -> Any:
    """An operand in the dtype that an op works in."""
    if value.dtype is dtype:
        return value
    return made.add("from_bool" if value.dtype is mstype.bool_ else "copy", (value,), dtype)


def _operands(made: Lowered, args: tuple[Any, ...], exact: bool) -> tuple[list[Any], Any] | None:
    """Operands brought to their common dtype, and that; `exact`: numbers of 16-bit types are rounded another way."""
    dtype: Any = None
    for arg in args:
        if isinstance(arg, Value):
            dtype = arg.dtype if dtype is None else mstype.promote(dtype, arg.dtype)
        elif type(arg) not in (int, float):
            return None
    if dtype is not mstype.float64 and dtype not in FLOATS:
        return None
    out: list[Any] = []
    for arg in args:
        if isinstance(arg, Value):
            out.append(_converted(made, arg, dtype))
            continue
        if exact and dtype.itemsize == 2:
            return None
        try:
            float(arg)
        except OverflowError:
            return None
        out.append(Number(arg, dtype))
    return out, dtype


def _by_loop(node: Node, op: Op) -> Lowered | None:
    """An op whose loop has a name: one or two tensors or numbers, then attributes that must have their defaults."""
    loop = op.loop or LOOPS[op.name]
    count = sum(1 for kind in op.kinds if kind)
    family = _class_of([value.dtype for value in node.operands])
    if family is None:
        return None
    rest, alpha = node.args[count:], None
    if rest != op.defaults[: len(rest)]:
        if op.name not in ("add", "sub") or type(rest[0]) not in (int, float):
            return None
        alpha = rest[0]
    found = operation(loop, family)
    if found is None or found[0] != count or found[2]:
        return None
    made = Lowered(family)
    operands = _operands(made, node.args[:count], op.loop is None or alpha is not None)
    if operands is None:
        return None
    values, dtype = operands
    if alpha is not None:
        if isinstance(values[1], Number) or dtype.itemsize == 2:
            return None  # these round the factor another way
        values[1] = made.add("mul", (values[1], Number(alpha, dtype)), dtype)
    if op.name == "pow":
        power = values[1]
        if not isinstance(power, Number) or not isinstance(node.args[0], Value):
            return None  # a tensor as exponent may turn out to be the number 2
        if power.value == 2 and dtype.itemsize != 2:
            loop, values = "square", values[:1]
    made.add(loop, tuple(values), mstype.bool_ if found[1] else dtype)
    return made


def _loop_grad(node: Node, op: Op) -> Lowered | None:
    grad, value, kind = node.args
    family = _class_of([grad.dtype, value.dtype])
    if family is None or grad.dtype is not value.dtype or operation(kind, family) != (2, False, 0):
        return None
    made = Lowered(family)
    made.add(kind, (grad, value), grad.dtype)
    return made


def _where(node: Node, op: Op) -> Lowered | None:
    condition, left, right = node.args
    family = _class_of([left.dtype, right.dtype])
    if family is None or condition.dtype is not mstype.bool_ or left.dtype is not right.dtype:
        return None
    if left.dtype is mstype.bool_:
        return None
    made = Lowered(family)
    made.add("where", (condition, left, right), left.dtype)
    return made


def _cast(node: Node, op: Op) -> Lowered | None:
    value, dtype = node.args[0], node.outs[0].dtype
    if not isinstance(value, Value) or dtype is mstype.bool_:
        return None
    family = _class_of([value.dtype, dtype])
    if family is None:
        return None
    made = Lowered(family)
    if made.steps or value.dtype is mstype.bool_:
        made.add("from_bool", (value,), dtype)
    else:
        made.add("copy", (value,), dtype)
    return made


def _logical(node: Node, op: Op) -> Lowered | None:
    if any(not isinstance(arg, Value) or arg.dtype is not mstype.bool_ for arg in node.args):
        return None
    made = Lowered(False)
    made.add(op.name, node.args, mstype.bool_)
    return made


_RULES: dict[str, Callable[[Node, Op], Lowered | None]] = {
    "loop_grad": _loop_grad,
    "where_typed": _where,
    "cast": _cast,
    "cast_np": _cast,
    "copy": _cast,
    **dict.fromkeys(LOGICAL, _logical),
}
