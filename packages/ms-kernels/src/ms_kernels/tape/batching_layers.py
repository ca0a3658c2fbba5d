"""Batching rules of convolutions and normalisations: samples become rows, or channels where weights differ."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.tape.batching import Call, folded, moved, rule, shaped, unfolded

__all__: list[str] = []


def _into_channels(x: Any) -> Any:
    """Put the first axis (samples) of (B, N, C, ...) into the channels: (N, B * C, ...)."""
    x = moved(x, 0, 1)
    return shaped(x, (x.shape[0], x.shape[1] * x.shape[2], *x.shape[3:]))


def _out_of_channels(x: Any, size: int) -> Any:
    return moved(shaped(x, (x.shape[0], size, x.shape[1] // size, *x.shape[2:])), 1, 0)


@rule("conv")
def conv(call: Call) -> Any:
    """One kernel for all: samples are rows; else a group of channels each."""
    x, weight, bias, *how, groups = call.args
    if not call.flags[1] and not call.flags[2]:
        return unfolded(call, call.run((folded(x), weight, bias, *how, groups)))
    flat = None if bias is None else shaped(call.full(2), (-1,))
    out = call.run((_into_channels(call.full(0)), folded(call.full(1)), flat, *how, call.size * groups))
    return _out_of_channels(out, call.size)


@rule("conv_grad_input")
def conv_grad_input(call: Call) -> Any:
    """As `conv`."""
    grad, weight, shape, *how, groups = call.args
    if not call.flags[1]:
        return unfolded(call, call.run((folded(grad), weight, (call.size * shape[0], *shape[1:]), *how, groups)))
    wide = (shape[0], call.size * shape[1], *shape[2:])
    out = call.run((_into_channels(call.full(0)), folded(weight), wide, *how, call.size * groups))
    return _out_of_channels(out, call.size)


@rule("conv_grad_weight")
def conv_grad_weight(call: Call) -> Any:
    """Each sample has a kernel's gradient of its own: samples are groups of channels."""
    _, _, shape, *how, groups = call.args
    wide = (call.size * shape[0], *shape[1:])
    out = call.run((_into_channels(call.full(0)), _into_channels(call.full(1)), wide, *how, call.size * groups))
    return unfolded(call, out)


@rule("layer_norm")
def layer_norm(call: Call) -> Any:
    """Over the last `dims` axes; weights of samples come afterwards."""
    *_, dims, eps = call.args
    if not call.flags[1] and not call.flags[2]:
        return call.run(call.args)
    out, mean, rstd = call.run((call.full(0), None, None, dims, eps))
    return _affine(call, out, len(call.shape(0)) - dims), mean, rstd


def _affine(call: Call, out: Any, before: int, after: int = 0) -> Any:
    """Times `weight`, plus `bias`, which have `before` axes less in front and `after` behind."""
    for i, name in ((1, "mul"), (2, "add")):
        if call.args[i] is not None:
            param = call.full(i)
            shape = (param.shape[0], *(1,) * before, *param.shape[1:], *(1,) * after)
            out = ops_by_name["cast_np"](ops_by_name[name](out, shaped(param, shape)), call.args[0]._kind)
    return out


@rule("layer_norm_grad")
def layer_norm_grad(call: Call) -> Any:
    """The input's gradient by the op; those of the weights summed within each sample."""
    grad, x, mean, rstd, weight, dims = (call.full(i) for i in range(6))
    outer = tuple(range(1, x.ndim - dims))
    given = grad
    if weight is not None and call.flags[4]:
        param = shaped(weight, (call.size, *(1,) * len(outer), *weight.shape[1:]))
        given = ops_by_name["cast_np"](ops_by_name["mul"](grad, param), grad._kind)
    dx = call.run((given, x, mean, rstd, None if call.flags[4] else call.args[4], dims))[0]
    return dx, *_param_grads(grad, x, mean, rstd, outer)


def _param_grads(grad: Any, x: Any, mean: Any, rstd: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    mul, sub, total = ops_by_name["mul"], ops_by_name["sub"], ops_by_name["sum"]
    dw, db = mul(grad, mul(sub(x, mean), rstd)), grad
    wide = rstd._kind
    found = [ops_by_name["cast_np"](item, wide) for item in (dw, db)]
    return tuple(total(item, axes) if axes else item for item in found)


@rule("group_norm")
def group_norm(call: Call) -> Any:
    """Samples are rows; weights of samples come afterwards."""
    _, weight, bias, groups, eps = call.args
    own = call.flags[1] or call.flags[2]
    given = (None, None) if own else (weight, bias)
    out, mean, rstd = unfolded(call, call.run((folded(call.full(0)), *given, groups, eps)))
    return (_affine(call, out, 1, len(call.shape(0)) - 2) if own else out), mean, rstd


@rule("group_norm_grad")
def group_norm_grad(call: Call) -> Any:
    """The input's gradient by the op; those of the weights summed within each sample."""
    grad, x, mean, rstd, weight, groups = (call.full(i) for i in range(6))
    given, own = grad, weight is not None and call.flags[4]
    if own:
        param = shaped(weight, (call.size, 1, weight.shape[1], *(1,) * (x.ndim - 3)))
        given = ops_by_name["cast_np"](ops_by_name["mul"](grad, param), grad._kind)
    flat = [folded(item) for item in (given, x, mean, rstd)]
    dx = unfolded(call, call.run((*flat, None if own else call.args[4], groups))[0])
    n, c = x.shape[1:3]
    cut = (call.size, n, groups, c // groups, *x.shape[3:])
    lift = (call.size, n, groups, *(1,) * (len(cut) - 3))
    axes = (1, *range(4, len(cut)))
    dw, db = _param_grads(shaped(grad, cut), shaped(x, cut), shaped(mean, lift), shaped(rstd, lift), axes)
    return dx, shaped(dw, (call.size, c)), shaped(db, (call.size, c))


@rule("channels")
def channels(call: Call) -> Any:
    """Ops on (N, C, ...) with parameters (C) for each channel: samples are channels, in operands and in results."""
    args = []
    for i, kind in enumerate(call.op.kinds):
        arg = call.args[i]
        if kind and arg is not None:
            arg = call.full(i)
            arg = shaped(arg, (-1,)) if arg.ndim == 2 else _into_channels(arg)
        args.append(arg)
    found = call.run(args)
    several = found if isinstance(found, tuple) else (found,)
    outs = tuple(
        shaped(item, (call.size, -1)) if item.ndim == 1 else _out_of_channels(item, call.size) for item in several
    )
    return outs if isinstance(found, tuple) else outs[0]


@rule("rms_norm")
def rms_norm(call: Call) -> Any:
    """Over the weight's axes, the last ones; weights of samples come afterwards."""
    x, weight, eps = call.args
    if not call.flags[1]:
        return call.run(call.args)
    dims = weight.ndim - 1
    one = ops_by_name["ones_like"](weight, None)
    plain = ops_by_name["take_key"](one, (0,))
    out, rstd = call.run((call.full(0), plain, eps))
    param = shaped(weight, (call.size, *(1,) * (out.ndim - 1 - dims), *weight.shape[1:]))
    return ops_by_name["cast_np"](ops_by_name["mul"](out, param), x._kind), rstd


@rule("rms_norm_grad")
def rms_norm_grad(call: Call) -> Any:
    """The input's gradient by the op; the weight's summed within each sample."""
    grad, x, rstd, weight = (call.full(i) for i in range(4))
    mul, cast, dims = ops_by_name["mul"], ops_by_name["cast_np"], weight.ndim - 1
    outer = tuple(range(1, x.ndim - dims))
    param = shaped(weight, (call.size, *(1,) * len(outer), *weight.shape[1:]))
    one = ops_by_name["take_key"](ops_by_name["ones_like"](weight, None), (0,))
    dx = call.run((cast(mul(grad, param), grad._kind), x, rstd, one))[0]
    dw = cast(mul(mul(grad, x), rstd), rstd._kind)
    return dx, cast(ops_by_name["sum"](dw, outer) if outer else dw, weight._kind)


@rule("label_rows")
def label_rows(call: Call) -> Any:
    """Losses of (N, C) by labels (N): samples are rows, weights of classes shared."""
    if call.flags[call.place("weight")]:
        return None
    at = call.place("weight")
    args = [
        folded(call.full(i)) if kind and i != at and call.args[i] is not None else call.args[i]
        for i, kind in enumerate(call.op.kinds)
    ]
    return unfolded(call, call.run(args))
