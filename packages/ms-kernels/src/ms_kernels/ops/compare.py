"""Comparisons, logic, and choice by a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ms_kernels.loops import elementwise as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import named, unary
from ms_kernels.ops._tape import meet

__all__ = [
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "not_equal",
    "where",
]

BOOL = "the result is bool"


def _compare(
    name: str, sign: str, loop: str, function: Any, shown: str, aliases: Sequence[str], primitive: str, dunder: str
) -> Any:
    def body(input: Any, other: Any) -> Any:
        return loops.binary(loop, input, other) if input.dtype in FLOATS else function(input, other)

    text = f"Return where ``input {sign} other``, broadcast together, as bool; with NaN only != is True."
    named(body, name, __name__, text, f"ops.{aliases[0]}(Tensor([1.0, 2.0]), Tensor(2.0))", shown)
    return op(
        shape=rules.broadcast(primitive),
        dtype=rules.boolean,
        promote=1,
        nondiff=BOOL,
        loop=loop,
        fuse="elementwise",
        ascend="compare",
        ops=[f"{n}(input, other)" for n in aliases],
        mint=[f"{n}(input, other)" for n in aliases if n != "equal"],
        tensor=[f"{n}(other)" for n in aliases],
        primitive=f"{primitive}()(x, y)",
        dunder=dunder,
        name=name,
    )(body)


equal = _compare("equal", "==", "eq", np.equal, "[False  True]", ("eq", "equal"), "Equal", "__eq__")
not_equal = _compare("not_equal", "!=", "ne", np.not_equal, "[ True False]", ("ne", "not_equal"), "NotEqual", "__ne__")
less = _compare("less", "<", "lt", np.less, "[ True False]", ("lt", "less"), "Less", "__lt__")
less_equal = _compare(
    "less_equal", "<=", "le", np.less_equal, "[ True  True]", ("le", "less_equal"), "LessEqual", "__le__"
)
greater = _compare("greater", ">", "gt", np.greater, "[False False]", ("gt", "greater"), "Greater", "__gt__")
greater_equal = _compare(
    "greater_equal", ">=", "ge", np.greater_equal, "[False  True]", ("ge", "greater_equal"), "GreaterEqual", "__ge__"
)


def _logical(name: str, function: Any, shown: str, primitive: str) -> Any:
    def body(input: Any, other: Any) -> Any:
        return function(input.astype(bool, copy=False), other.astype(bool, copy=False))

    text = f"Return ``{name.replace('_', ' ')}`` of two tensors, broadcast together, as bool; numbers count as != 0."
    named(body, name, __name__, text, f"ops.{name}(Tensor([True, True, False]), Tensor([True, False, False]))", shown)
    return op(
        shape=rules.broadcast(primitive),
        dtype=rules.boolean,
        promote=1,
        nondiff=BOOL,
        fuse="elementwise",
        ascend="logic",
        ops=f"{name}(input, other)",
        mint=f"{name}(input, other)",
        tensor=f"{name}(other)",
        primitive=f"{primitive}()(x, y)",
        name=name,
    )(body)


logical_and = _logical("logical_and", np.logical_and, "[ True False False]", "LogicalAnd")
logical_or = _logical("logical_or", np.logical_or, "[ True  True False]", "LogicalOr")
logical_xor = _logical("logical_xor", np.logical_xor, "[False  True False]", "LogicalXor")
logical_not = unary(
    "logical_not",
    "Return where an element is 0 (or False), as bool.",
    "ops.logical_not(Tensor([True, False])) -> [False  True]",
    np.logical_not,
    loop=False,
    dtype=rules.boolean,
    nondiff=BOOL,
    primitive="LogicalNot",
    ascend="logic",
)
isnan = unary(
    "isnan",
    "Return where an element is NaN, as bool.",
    "ops.isnan(Tensor([1.0, float('nan')])) -> [False  True]",
    np.isnan,
    dtype=rules.boolean,
    nondiff=BOOL,
    primitive="IsNan",
    ascend="logic",
)
isinf = unary(
    "isinf",
    "Return where an element is infinite, as bool.",
    "ops.isinf(Tensor([1.0, float('-inf')])) -> [False  True]",
    np.isinf,
    dtype=rules.boolean,
    nondiff=BOOL,
    primitive="IsInf",
    ascend="logic",
)
isfinite = unary(
    "isfinite",
    "Return where an element is neither infinite nor NaN, as bool.",
    "ops.isfinite(Tensor([1.0, float('inf')])) -> [ True False]",
    np.isfinite,
    dtype=rules.boolean,
    nondiff=BOOL,
    primitive="IsFinite",
    ascend="logic",
)


def _where_dtype(_condition: Any, *values: Any) -> Any:
    return rules.promote(*values)


def _where_typed_vjp(g: Any, _out: Any, condition: Any, _input: Any, _other: Any) -> Any:
    return (
        None,
        where_typed(condition, g, g * 0),
        where_typed(condition, g * 0, g),
    )


@op(
    shape=rules.broadcast("Select"),
    dtype=_where_dtype,
    promote=0,
    vjp=_where_typed_vjp,
    fuse="elementwise",
    ascend="copy",
    primitive="Select()(condition, x, y)",
    label="where",
)
def where_typed(condition: Array, input: Array, other: Array) -> Any:
    """Return elements of `input` where `condition` holds, else of `other`; both have one dtype.

    Examples:
        >>> print(ops.Select()(Tensor([True, False]), Tensor([1.0, 2.0]), Tensor([8.0, 9.0])))
        [1. 9.]

    Source: ``mindspore.ops.Select``.
    """
    if input.dtype in FLOATS and condition.dtype == bool:
        return loops.ternary("where", condition, input, other)
    return np.where(condition.astype(bool, copy=False), input, other)


@composite(
    promote=1,
    ops=["where(condition, input, other)", "select(condition, input, other)"],
    mint="where(condition, input, other)",
    tensor=["where(condition, other)", "where(condition, y)"],
)
def where(condition: Array, input: Array, other: Array) -> Any:
    """Return elements of `input` where `condition` holds, else of `other`, broadcast together, in their common dtype.

    Examples:
        >>> print(ops.where(Tensor([True, False]), Tensor([1.0, 2.0]), 9))
        [1. 9.]

    Source: ``mindspore.ops.where``.
    """
    return where_typed(condition, *meet(input, other))
