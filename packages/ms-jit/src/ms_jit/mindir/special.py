"""Ops that are no single primitive of MindSpore 2.6, or one with other arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

import ms_dtype
from ms_jit.graph.ir import Value
from ms_jit.mindir.model import Operator
from ms_jit.mindir.operators import CODES, DTYPE_CODES

__all__ = ["SPECIAL", "Call", "encode"]

Outs = Sequence[Value]

_NCHW = CODES["data_format"]["NCHW"]


@dataclass
class Call:
    """One call of a primitive.

    Attributes:
        operator: the primitive.
        inputs: values of the graph, lists of them, other calls, and Python's values.
        item: which part of its result is wanted, None for the whole.
        first: whether it gives only the first of the op's results.
    """

    operator: Operator
    inputs: list[Any]
    item: int | None = None
    first: bool = False


def encode(name: str, value: Any) -> Any:
    """An argument as MindIR has it: numbers for formats, modes and element types."""
    if isinstance(value, ms_dtype.Type):
        return DTYPE_CODES[value.name.rstrip("_")]
    if isinstance(value, str) and name in CODES:
        return CODES[name][value.lower() if name in ("pad_mode", "reduction", "approximate") else value]
    if isinstance(value, list) and not any(isinstance(item, Value) for item in value):
        return tuple(value)
    return value


def _function(name: str, *inputs: Any) -> Call:
    return Call(Operator(name), list(inputs))


def _with_attributes(name: str, inputs: list[Any], **attributes: Any) -> Call:
    return Call(Operator(name, attributes, is_function=False), inputs)


def _rank(value: Any) -> int:
    return len(value.shape) if isinstance(value, Value) and value.shape is not None else 0


def _axes(input: Any, dim: Any) -> tuple[int, ...]:
    if dim is None:
        return tuple(range(_rank(input)))
    return (dim,) if isinstance(dim, int) else tuple(dim)


def _matrix_product(_outs: Outs, input: Any, other: Any, transpose_a: bool, transpose_b: bool) -> Call:
    name = "MatMul" if _rank(input) == _rank(other) == 2 else "BatchMatMul"
    return _function(name, input, other, transpose_a, transpose_b)


def _linear(value: tuple[int, ...]) -> tuple[int, ...]:
    return (1, 1, *value)


def _of_convolution(
    mode: str, names: list[str], weight: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> dict[str, Any]:
    """The attributes of Conv2D and Conv2DTranspose."""
    return {
        "kernel_size": tuple(weight.shape[2:]),
        "mode": 1,
        "out_channel": weight.shape[0],
        "input_names": names,
        "pad": tuple(padding),
        "pad_mode": mode,
        "format": "NCHW",
        "pad_list": tuple(padding),
        "groups": groups,
        "stride": _linear(stride),
        "group": groups,
        "dilation": _linear(dilation),
        "output_names": ["output"],
    }


def _convolution(
    _outs: Outs, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Call | None:
    if _rank(input) != 4:
        return None
    attributes = _of_convolution("pad", ["x", "w"], weight, stride, padding, dilation, groups)
    call = _with_attributes("Conv2D", [input, weight], **attributes)
    return call if bias is None else _function("BiasAdd", call, bias, _NCHW)


def _pool_mode(input: Any, kernel: Any, stride: Any, padding: Any) -> str | None:
    """ "valid" for no padding, "same" for as much as gives one result for each step; else None."""
    if _rank(input) != 4:
        return None
    if not any(padding) or any(length < 0 for length in input.shape[2:]):
        return None if any(padding) else "valid"
    same: list[int] = []
    for length, size, step in zip(input.shape[2:], kernel, stride, strict=True):
        total = max((-(-length // step) - 1) * step + size - length, 0)
        same += [total // 2, total - total // 2]
    return "same" if tuple(padding) == tuple(same) else None


def _max_pool(
    _outs: Outs, input: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, index: Any
) -> Call | None:
    mode = _pool_mode(input, kernel, stride, padding)
    if mode is None or set(dilation) != {1} or ceil_mode:
        return None
    call = _with_attributes(
        "MaxPool",
        [input],
        pad_mode=mode.upper(),
        output_names=["output"],
        kernel_size=_linear(kernel),
        format="NCHW",
        strides=_linear(stride),
        input_names=["x"],
    )
    call.first = True
    return call


def _avg_pool(
    _outs: Outs, input: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, count_pad: bool, divisor: Any
) -> Call | None:
    mode = _pool_mode(input, kernel, stride, padding)
    if mode is None or (mode == "same" and count_pad) or ceil_mode or divisor is not None:
        return None
    return _function("AvgPool", input, tuple(kernel), tuple(stride), CODES["pad_mode"][mode], _NCHW)


def _batch_norm_infer(_outs: Outs, input: Any, mean: Any, var: Any, weight: Any, bias: Any, eps: float) -> Call:
    if weight is None or bias is None:
        weight, bias = (np.full(mean.shape, n, mean.dtype.np) for n in (1, 0))
    call = _function("BatchNorm", input, weight, bias, mean, var, False, float(eps), 0.1, _NCHW)
    call.item = 0
    return call


def _conv_grad_input(
    _outs: Outs, grad: Any, weight: Any, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Call | None:
    if _rank(grad) != 4:
        return None
    names = ["out_backprop", "filter", "input_sizes"]
    attributes = _of_convolution("PAD", names, weight, stride, padding, dilation, groups)
    return _with_attributes("Conv2DTranspose", [grad, weight, tuple(shape)], **attributes)


def _layer_norm(outs: Outs, input: Any, weight: Any, bias: Any, dims: int, eps: float) -> Call:
    axis, kind = _rank(input) - dims, outs[0].dtype.np
    weight = np.ones(input.shape[axis:], kind) if weight is None else weight
    bias = np.zeros(input.shape[axis:], kind) if bias is None else bias
    call = _function("LayerNorm", input, weight, bias, axis, axis, float(eps))
    call.item, call.first = 0, True
    return call


def _adaptive_avg(_outs: Outs, input: Any, size: Any) -> Call | None:
    sizes = (size,) if isinstance(size, int) else tuple(size)
    axes = tuple(range(_rank(input) - len(sizes), _rank(input)))
    return _function("ReduceMean", input, axes, True) if set(sizes) == {1} else None


def _gelu_erf(_outs: Outs, input: Any) -> Call:
    half = _function("Mul", input, 0.5)
    return _function("Mul", half, _function("Add", _function("Erf", _function("Mul", input, math.sqrt(0.5))), 1.0))


def _silu(_outs: Outs, input: Any) -> Call:
    return _function("Mul", input, _function("Sigmoid", input))


def _logsigmoid(_outs: Outs, input: Any) -> Call:
    """min(x, 0) - log(1 + exp(-|x|)), which no x is too large for."""
    rest = _function("Log1p", _function("Exp", _function("Neg", _function("Abs", input))))
    return _function("Sub", _function("Neg", _function("ReLU", _function("Neg", input))), rest)


def _exp2(_outs: Outs, input: Any) -> Call:
    return _function("Exp", _function("Mul", input, math.log(2)))


def _embedding_rows(_outs: Outs, weight: Any, indices: Any, padding_idx: Any, by_freq: bool) -> Call:
    return _function("Gather", weight, indices, 0, 0)


def _prod(outs: Outs, input: Any, dim: Any, keepdim: bool, dtype: Any, widen: bool) -> Call | None:
    return _function("ReduceProd", input, _axes(input, dim), keepdim) if outs[0].dtype == input.dtype else None


def _softmax(_outs: Outs, input: Any, dim: Any) -> Call:
    return _function("Softmax", input, _axes(input, dim))


def _swapaxes(_outs: Outs, input: Any, axis0: int, axis1: int) -> Call:
    order = list(range(_rank(input)))
    order[axis0], order[axis1] = order[axis1], order[axis0]
    return _function("Transpose", input, tuple(order))


def _permute(_outs: Outs, input: Any, dim: Any) -> Call:
    return _function("Transpose", input, tuple(range(_rank(input)))[::-1] if dim is None else tuple(dim))


def _sum(outs: Outs, input: Any, dim: Any, keepdim: bool, dtype: Any, widen: bool) -> Call:
    return _function("SumExt", input, _axes(input, dim), keepdim, encode("dtype", outs[0].dtype))


def _var(_outs: Outs, input: Any, dim: Any, correction: Any, keepdim: bool) -> Call | None:
    axes = _axes(input, dim)
    lengths = [input.shape[axis] for axis in axes]
    if any(length < 0 for length in lengths):
        return None
    count = math.prod(lengths)
    apart = _function("Sub", input, _function("ReduceMean", input, axes, True))
    mean = _function("ReduceMean", _function("Square", apart), axes, keepdim)
    rest = max(count - correction, 0)
    return _function("Mul", mean, count / rest if rest else math.nan)


def _stack(_outs: Outs, tensors: list[Any], dim: int) -> Call:
    return _with_attributes("Stack", [tensors], axis=dim, N=len(tensors), num=len(tensors))


def _index_select(_outs: Outs, input: Any, dim: int, index: Any, name: str) -> Call:
    return _function("Gather", input, index, dim, 0)


def _cumsum(outs: Outs, input: Any, dim: int, dtype: Any, widen: bool) -> Call | None:
    return _function("CumSum", input, dim, False, False) if outs[0].dtype == input.dtype else None


def _logsumexp(_outs: Outs, input: Any, dim: Any, keepdim: bool) -> Call:
    """The greatest is taken out first, as it must be for numbers that exp cannot hold."""
    axes = _axes(input, dim)
    top = _function("ReduceMax", input, axes, True)
    total = _function("ReduceSum", _function("Exp", _function("Sub", input, top)), axes, keepdim, False)
    return _function("Add", _function("Log", total), _function("ReduceMax", input, axes, keepdim))


def _pad(_outs: Outs, input: Any, padding: Any, value: Any) -> Call | None:
    """Its padding names the last dimension first."""
    if value != 0 or any(n < 0 for n in padding):
        return None
    pairs = [tuple(padding[i : i + 2]) for i in range(0, len(padding), 2)]
    pairs += [(0, 0)] * (_rank(input) - len(pairs))
    return _with_attributes("Pad", [input], paddings=tuple(pairs[::-1]), input_names=["x"], output_names=["y"])


def _topk(_outs: Outs, input: Any, k: int, dim: Any, largest: bool, sorted: bool, index: Any) -> Call | None:
    if dim not in (-1, _rank(input) - 1) or not largest or index != ms_dtype.int32:
        return None
    return _with_attributes("TopK", [input, k], sorted=sorted)


def _take_key(_outs: Outs, input: Any, key: Any) -> Call | None:
    """Ints, slices, None and Ellipsis, as a strided slice whose masks tell them apart."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if any(not (part is None or part is Ellipsis or type(part) in (int, slice)) for part in parts):
        return None
    if Ellipsis in parts:
        at = parts.index(Ellipsis)
        missing = _rank(input) - sum(part is not None for part in parts) + 1
        parts[at : at + 1] = [slice(None)] * missing
    begin: list[int] = []
    end: list[int] = []
    strides: list[int] = []
    masks = dict.fromkeys(("begin", "end", "shrink"), 0)
    added, place = [], 0
    for part in parts:
        low, high, step, bit = 0, 1, 1, len(begin)
        if part is None:  # MindSpore counts new dims as those of the operand, and has too few then
            added.append(place)
            place += 1
            continue
        if isinstance(part, int):
            masks["shrink"] |= 1 << bit
            low, high = part, part + 1
        else:
            low, high, step = part.start or 0, part.stop or 0, part.step or 1
            masks["begin"] |= (part.start is None) << bit
            masks["end"] |= (part.stop is None) << bit
            place += 1
            if step < 0:
                return None
        begin.append(low)
        end.append(high)
        strides.append(step)
    bounds = (tuple(begin), tuple(end), tuple(strides))
    call = _function("StridedSlice", input, *bounds, masks["begin"], masks["end"], 0, 0, masks["shrink"])
    if not begin:  # nothing is cut
        call = _function("Identity", input)
    for place in added:
        call = _function("ExpandDims", call, place)
    return call


def _by_scaling(name: str, scale: float) -> Callable[..., Call]:
    def lowered(_outs: Outs, input: Any) -> Call:
        return _function("Mul", _function(name, input), scale)

    return lowered


def _copy(_outs: Outs, input: Any) -> Call:
    return _function("TensorMove", input)


SPECIAL: Mapping[str, Callable[..., Call | None]] = MappingProxyType(
    {
        "adaptive_avg": _adaptive_avg,
        "avg_pool": _avg_pool,
        "batch_norm_infer": _batch_norm_infer,
        "conv_grad_input": _conv_grad_input,
        "convolution": _convolution,
        "copy": _copy,
        "cumsum": _cumsum,
        "embedding_rows": _embedding_rows,
        "exp2": _exp2,
        "gelu_erf": _gelu_erf,
        "index_select": _index_select,
        "layer_norm_dims": _layer_norm,
        "log10": _by_scaling("Log", 0.4342944819032518),
        "log2": _by_scaling("Log", 1.4426950408889634),
        "logsigmoid": _logsigmoid,
        "logsumexp": _logsumexp,
        "matrix_product": _matrix_product,
        "max_pool": _max_pool,
        "pad_constant": _pad,
        "permute": _permute,
        "prod": _prod,
        "silu": _silu,
        "softmax_typed": _softmax,
        "stack": _stack,
        "sum": _sum,
        "swapaxes": _swapaxes,
        "take_key": _take_key,
        "topk": _topk,
        "var": _var,
    }
)
