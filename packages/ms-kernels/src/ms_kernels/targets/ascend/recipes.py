"""Operators of several steps that the chip computes in an order of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import is_recording
from ms_kernels.core.tensor import from_array
from ms_kernels.loops import elementwise, npu
from ms_kernels.opdef import rules as shape_rules
from ms_kernels.targets.ascend.casts import cast
from ms_kernels.targets.ascend.chip import Array, Chip
from ms_kernels.targets.ascend.kernels import composite, kernel
from ms_kernels.targets.ascend.profiles import BF16, F16, F32
from ms_kernels.targets.ascend.reduction import tree_sum
from ms_kernels.targets.ascend.rules import rule
from ms_kernels.targets.ascend.vector import exp, function, recipe

__all__ = ["gelu_tanh_steps", "layer_norm_steps", "sigmoid_steps", "softmax_steps"]

_ONE = F32.type(1)


def _tree(chip: Chip) -> tuple[int, bool]:
    return chip.choices.repeat_bytes // 4, chip.profile.across == "tree"


@rule("AN-OP-01", "TBE dynamic/softmax_v2.py; MSIT softmax.py", "source")
def softmax_steps(chip: Chip, x: Array) -> Array:
    """softmax: float16: max (float16), x - max (float16), exp, sum, e / s (float32), RN float16; 310p: r = 1/s, then
    e * r. bfloat16 and float32: all float32.

    The definition along the last axis; `x` has two dimensions.
    """
    work = x if x.dtype == F16 else chip.wide(x)
    most = chip.finish(np.asarray(np.max(work, -1, keepdims=True)))
    e = exp(chip, chip.wide(chip.step(np.subtract, work, most)))
    s = tree_sum(chip, e)[..., None]
    if chip.profile.name == "ascend310p" and x.dtype == F16:
        y = chip.step(np.multiply, e, chip.step(np.divide, _ONE, s))
    else:
        y = chip.step(np.divide, e, s)
    return chip.to(y, x.dtype)


@kernel("softmax_typed")
def softmax_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    x, dim = values
    axis = shape_rules.axis("Softmax", dim, x.ndim)
    if not x.size or not x.ndim:
        return np.asarray(op.body(*values))
    n, repeat = x.shape[axis], _tree(chip)
    counts = (math.prod(x.shape[:axis]), n, math.prod(x.shape[axis + 1 :]))
    rows = np.asarray(x, order="C")
    if counts[2] > 1:
        rows = npu.turned(rows, *counts)
    out, bad = npu.softmax(rows, n, chip.profile.name == "ascend310p", *repeat)
    if bad and chip.saturating:
        with np.errstate(all="ignore"):
            out = softmax_steps(chip, rows.reshape(-1, n))
    if counts[2] > 1:
        out = npu.turned(out, counts[0], counts[2], n)
    return np.reshape(out, x.shape)


@rule(
    "AN-OP-02",
    "TBE dynamic/layer_norm_v3.py (default mode); H12; MS ops/infer/ops_func_impl/layer_norm_ext.cc",
    "inferred",
)
def layer_norm_steps(
    chip: Chip, x: Array, weight: Array | None, bias: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """layer_norm: float32 throughout: c = RN(1/n); mean = sum(x*c); d = x - mean; var = sum((d*d)*c); rstd =
    exp(-0.5 * ln(var + eps)); y = ((d * rstd) * gamma) + beta; RN to x's type; mean and rstd are float32.

    The definition over rows (the last axis).
    """
    wide, add, mul = chip.wide(x), np.add, np.multiply
    share = _ONE / F32.type(x.shape[-1])
    mean = tree_sum(chip, chip.step(mul, wide, share))[..., None]
    d = chip.step(np.subtract, wide, mean)
    var = tree_sum(chip, chip.step(mul, chip.step(mul, d, d), share))[..., None]
    logs = function(chip, "log", chip.step(add, var, F32.type(eps)))
    rstd = exp(chip, chip.step(mul, logs, F32.type(-0.5)))
    y = chip.step(mul, d, rstd)
    if weight is not None:
        y = chip.step(mul, y, chip.wide(weight))
    if bias is not None:
        y = chip.step(add, y, chip.wide(bias))
    return chip.to(y, x.dtype), mean, rstd


def _row_of(param: Array | None) -> Array | None:
    if param is None:
        return None
    wide = param if param.dtype == F32 else elementwise.cast(param, F32)
    return np.asarray(wide, order="C").reshape(-1)


@kernel("layer_norm_dims")
def layer_norm_kernel(chip: Chip, op: Any, values: list[Any]) -> tuple[Array, Array, Array]:
    x, weight, bias, dims, eps = values
    kept = (*x.shape[: x.ndim - dims], *([1] * dims))
    n = math.prod(x.shape[x.ndim - dims :])
    if not x.size:
        found: tuple[Array, Array, Array] = op.body(*values)
        return found
    packed, repeat = np.asarray(x, order="C"), _tree(chip)
    out, mean, rstd, bad = npu.layer_norm(packed, _row_of(weight), _row_of(bias), n, eps, *repeat)
    if bad and chip.saturating:
        with np.errstate(all="ignore"):
            rows = packed.reshape(-1, n)
            out, mean, rstd = layer_norm_steps(chip, rows, _row_of(weight), _row_of(bias), eps)
    return chip.narrowed(out, False).reshape(x.shape), mean.reshape(kept), rstd.reshape(kept)


@rule("AN-OP-03", "TBE dynamic/gelu.py", "source")
def gelu_tanh_steps(chip: Chip, x: Array, old: bool = False) -> Array:
    """gelu, tanh form: float32 steps: q = x + 0.044715 * ((x*x)*x); e = exp(-1.5957691 * q); x / (e + 1). 910, and
    310p but for float16 ops.gelu: z = 1.5957691 * q; (x / (exp(-abs z) + 1)) * exp(min(z, 0))."""
    mul, k = np.multiply, F32.type(1.5957691)
    cubed = chip.step(mul, chip.step(mul, x, x), x)
    q = chip.step(np.add, x, chip.step(mul, F32.type(0.044715), cubed))
    if not old:
        e = exp(chip, chip.step(mul, -k, q))
        return chip.step(np.divide, x, chip.step(np.add, e, _ONE))
    z = chip.step(mul, k, q)
    divided = chip.step(np.divide, x, chip.step(np.add, exp(chip, -np.abs(z)), _ONE))
    return chip.step(mul, divided, exp(chip, np.minimum(z, F32.type(0))))


@kernel("gelu_tanh")
def gelu_tanh_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    x, profile = values[0], chip.profile
    old = not profile.new and not (profile.name == "ascend310p" and x.dtype == F16)
    name = "gelu_tanh_old" if old else "gelu_tanh"
    return recipe(chip, name, x, lambda c, v: gelu_tanh_steps(c, v, old))


@kernel("gelu_erf")
@rule("AN-OP-04", "TBE dynamic/gelu_v2.py", "approximation")
def gelu_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """gelu, approximate='none': x * Phi(x) evaluated in float64, RN to float32, RN to x's type."""
    return function(chip, "gelu_erf", values[0])


@rule("AN-OP-05", "TBE dynamic/sigmoid.py", "source")
def sigmoid_steps(chip: Chip, x: Array) -> Array:
    """sigmoid: e = exp(-x); 1 / (e + 1). float16 and bfloat16 in float32 on 910b and 310p; on 910 in the tensor's own
    type, after x = max(x, -88.7) (float32) or max(x, -11.089) (float16)."""
    one = x.dtype.type(1)
    if chip.profile.name == "ascend910":
        floor = x.dtype.type(-88.7 if x.dtype == F32 else -11.089)
        x = npu.maximum(np.asarray(x, order="C"), np.full(x.shape, floor), False)
    e = function(chip, "exp_half" if x.dtype == F16 else "exp", -x)
    return chip.step(np.divide, one, chip.step(np.add, e, one))


@kernel("sigmoid")
def sigmoid_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    x, name = values[0], "sigmoid"
    if chip.profile.name == "ascend910":
        name = "sigmoid_half" if x.dtype == F16 else "sigmoid_old"
    out, bad = npu.unary(name, x)
    if not bad or not chip.saturating:
        return out
    inside = x if chip.profile.name == "ascend910" else chip.wide(x)
    with np.errstate(all="ignore"):
        return chip.to(sigmoid_steps(chip, inside), x.dtype)


@kernel("npu_get_float_status")
def get_status(chip: Chip, op: Any, values: list[Any]) -> Array:
    values[0][...] = chip.status
    return np.zeros_like(values[0])


@kernel("npu_clear_float_status")
def clear_status(chip: Chip, op: Any, values: list[Any]) -> Array:
    chip.status[:] = 0
    return np.zeros_like(values[0])


@rule("AN-RNG-10", "TBE dynamic/drop_out_do_mask.py", "source")
def apply_mask(chip: Chip, x: Array, mask: Array, p: float) -> Array:
    """Apply a dropout mask: keep = 1-p in x's type; r = 1/keep; y = x*r where the bit is 1, else 0. Steps in x's type,
    float32 for bfloat16."""
    work = chip.wide(x) if x.dtype == BF16 else x
    keep = work.dtype.type(1) - work.dtype.type(p)
    bits = np.unpackbits(mask, count=x.size, bitorder="little").reshape(x.shape).astype(bool)
    with np.errstate(all="ignore"):
        scaled = chip.step(np.multiply, work, work.dtype.type(1) / keep)
    return cast(chip, np.where(bits, scaled, work.dtype.type(0)), x.dtype)


@composite("dropout_apply")
def dropout_apply_steps(target: Any, op: Any, args: tuple[Any, ...]) -> Any:
    """The op's body with the scale of the mask in the tensor's type; shapes and probability are checked by it."""
    out = op.body(*args)
    x, mask, keep = args
    if is_recording() or x._kind not in (F16, F32, BF16):
        return out
    share = float(keep.item() if hasattr(keep, "item") else keep)
    return from_array(apply_mask(target.chip, x._a, mask._a, 1 - share))
