"""Batching rules of ops that give the same numbers another layout, or join them."""

from __future__ import annotations

import math
from string import ascii_letters
from typing import Any

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.opdef import rules as shape_rules
from ms_kernels.ops.shape import dims_of
from ms_kernels.tape.batching import Call, axis_of, rule, shaped

__all__: list[str] = []


@rule("reshape")
def reshape(call: Call) -> Any:
    """Any layout whose elements stay in order: the op's own shape rule tells which."""
    assert call.op.shape is not None
    return shaped(call.args[0], (call.size, *call.op.shape(call.shape(0), *call.args[1:])))


@rule("broadcast")
def broadcast(call: Call) -> Any:
    """Repeats along new dimensions, which come after the samples' axis."""
    assert call.op.shape is not None
    wanted, shape = call.op.shape(call.shape(0), call.args[1]), call.shape(0)
    x = shaped(call.args[0], (call.size, *(1,) * (len(wanted) - len(shape)), *shape))
    return ops_by_name["broadcast_np"](x, (call.size, *wanted))


@rule("sum_to")
def sum_to(call: Call) -> Any:
    """Sums over the dimensions that a shape has not, or has with size 1."""
    x, shape = call.args
    ones = (1,) * (x.ndim - 1 - len(shape))
    return shaped(call.run((x, (call.size, *ones, *shape))), (call.size, *shape))


@rule("permute")
def permute(call: Call) -> Any:
    """Dimensions in another order, the samples' axis first."""
    ndim, dim = len(call.shape(0)), call.args[1]
    order = tuple(range(ndim))[::-1] if dim is None or dim == () else dims_of("Transpose", dim, "axis")
    return call.run((call.args[0], (0, *(axis_of(d, ndim) for d in order))))


@rule("two_axes")
def two_axes(call: Call) -> Any:
    """Views with two axes, which are the last two arguments: those exchanged, a diagonal across them, its reverse."""
    args = list(call.args)
    back = call.op.params[1] == "shape"
    ndim = len(args[1] if back else call.shape(0))
    if not ndim:
        return args[0]
    args[-2:] = [axis_of(d, ndim) for d in args[-2:]]
    if back:
        args[1] = (call.size, *args[1])
    return call.run(args)


@rule("flip")
def flip(call: Call) -> Any:
    """The order along some axes."""
    ndim = len(call.shape(0))
    axes = shape_rules.axes("flip", dims_of("flip", call.args[1], "dims"), ndim) if call.args[1] != () else ()
    return call.run((call.args[0], tuple(d + 1 for d in axes)))


@rule("axes")
def axes(call: Call) -> Any:
    """Ops over several axes `dim`, none of them negative."""
    args = list(call.args)
    at = call.place("dim")
    args[at] = tuple(d + 1 for d in args[at])
    return call.run(args)


@rule("roll")
def roll(call: Call) -> Any:
    """Moves along some axes, or with None in the flat tensor."""
    x, shifts, dim = call.args
    if dim is None or not call.shape(0):
        return shaped(call.run((shaped(x, (call.size, -1)), sum(dims_of("roll", shifts, "shifts")), 1)), x.shape)
    return call.run((x, shifts, tuple(axis_of(d, len(call.shape(0))) for d in dims_of("roll", dim, "dims"))))


@rule("tile")
def tile(call: Call) -> Any:
    """Repeats of the whole."""
    repeats, shape = dims_of("Tile", call.args[1], "dims"), call.shape(0)
    most = max(len(repeats), len(shape))
    x = shaped(call.args[0], (call.size, *(1,) * (most - len(shape)), *shape))
    return call.run((x, (1, *(1,) * (most - len(repeats)), *repeats)))


@rule("join")
def join(call: Call) -> Any:
    """Tensors joined along an axis, or along a new one."""
    tensors = [call.spread(arg, flag) for arg, flag in zip(call.args[0], call.flags[0])]
    new = call.op.name == "stack"
    if not new and any(t.ndim == 1 for t in tensors):
        return None
    return call.run((tensors, axis_of(call.args[1], tensors[0].ndim - 1 + new)))


@rule("product")
def product(call: Call) -> Any:
    """Products of matrices; where one factor is shared, the samples become rows of the other."""
    a, b, turn_a, turn_b = call.args
    shape_a, shape_b = call.shape(0), call.shape(1)
    assert call.op.shape is not None
    out = (call.size, *call.op.shape(shape_a, shape_b, turn_a, turn_b))
    both = call.flags[0] and call.flags[1]
    if not both and call.flags[0] and len(shape_b) == 2 and not turn_a:
        return shaped(call.run((shaped(a, (math.prod(a.shape[:-1]), a.shape[-1])), b, False, turn_b)), out)
    if not both and call.flags[1] and len(shape_a) == len(shape_b) == 2 and shape_b[0 if turn_b else 1] == 1:
        return shaped(call.run((shaped(b, (call.size, shape_b[1 if turn_b else 0])), a, False, not turn_a)), out)
    if both and len(shape_a) == len(shape_b) == 2 and shape_a[0 if turn_a else 1] == 1:
        n, m = shape_a[1 if turn_a else 0], shape_b[0 if turn_b else 1]
        return ops_by_name["mul"](shaped(a, (call.size, n, 1)), shaped(b, (call.size, 1, m)))
    most = max(len(shape_a), len(shape_b))
    args = [
        shaped(x, (call.size, *(1,) * (most - len(shape)), *shape)) if flag and len(shape) < most else x
        for x, shape, flag in zip((a, b), (shape_a, shape_b), call.flags)
    ]
    return call.run((*args, turn_a, turn_b))


@rule("einsum")
def einsum(call: Call) -> Any:
    """Sums of products: one more label, for the samples."""
    tensors, labels, output = call.args
    label = next(c for c in ascii_letters if not any(c in names for names in labels))
    labels = tuple(label + names if flag else names for names, flag in zip(labels, call.flags[0]))
    return call.run((tensors, labels, label + output))
