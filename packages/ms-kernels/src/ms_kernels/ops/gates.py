"""Gated activations, 2.6's fast GeLU, rotary positions, and sums with a bias."""

from __future__ import annotations

from typing import Any

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.activation import gelu, silu
from ms_kernels.ops.elementary import sigmoid
from ms_kernels.ops.linalg import matmul
from ms_kernels.ops.rearrange import concat, stack
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.sections import chunk
from ms_kernels.ops.shape import permute, reshape

__all__ = ["bias_add", "bidense", "fast_gelu", "rotary_position_embedding", "swiglu"]


def _check_float(name: str, arg: str, x: Any) -> None:
    if x._kind not in FLOATS:
        fail(TypeError, name, f"dtype of '{arg}'", "be a float type", str(x.dtype))


@composite(ops="swiglu(input, dim=-1)")
def swiglu(input: Array, dim: int = -1) -> Any:
    """Return ``silu(a) * b`` of the halves a and b of a tensor along a dimension.

    Raises:
        TypeError: an input that is no float tensor.
        ValueError: a dimension that is none.
        RuntimeError: a dimension of odd size.

    Examples:
        >>> print(ops.swiglu(Tensor([[0.0, 1.0, 5.0, 2.0]])))
        [[0.        1.4621172]]

    Source: Shazeer, GLU Variants Improve Transformer; ``mindspore.ops.swiglu``.
    """
    _check_float("swiglu", "input", input)
    axis = rules.axis("swiglu", dim, input.ndim, "dim")
    if not input.ndim or input.shape[axis] % 2:
        fail(RuntimeError, "swiglu", "size of dimension 'dim'", "be even", f"shape {list(input.shape)}")
    a, b = chunk(input, 2, axis)
    return silu(a) * b


@composite(ops="fast_gelu(x)", primitive=["FastGeLU()(x)", "FastGelu()(x)"])
def fast_gelu(input: Array) -> Any:
    """Return ``x * sigmoid(1.702 x)``, 2.6's fast GeLU.

    Raises:
        TypeError: an input that is no float tensor.

    Examples:
        >>> print(ops.fast_gelu(Tensor([-1.0, 0.5])))
        [-0.15420423  0.35038844]

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units; ``mindspore.ops.fast_gelu``.
    """
    _check_float("FastGeLU", "x", input)
    return input * sigmoid(input * 1.702)


@composite(primitive="Gelu()(x)")
def gelu_old(input: Array) -> Any:
    """Return GeLU by its tanh formula: the old name of the primitive `GeLU`.

    Examples:
        >>> print(ops.Gelu()(Tensor([0.0, 1.0])))
        [0.       0.841192]

    Source: ``mindspore.ops.Gelu``.
    """
    return gelu(input, "tanh")


@composite(ops="rotary_position_embedding(x, cos, sin, mode=0)")
def rotary_position_embedding(input: Array, cos: Array, sin: Array, mode: int = 0) -> Any:
    """Return ``x * cos + rotated(x) * sin`` for a tensor of four dimensions.

    Args:
        cos, sin: broadcast to x.
        mode: 0: the halves of the last dimension form the pairs that are rotated; 1: neighbours do.

    Raises:
        TypeError: a mode that is no int.
        ValueError: another mode, an input of other dimensions, an odd last dimension.

    Examples:
        >>> x, zero, one = Tensor([[[[1.0, 2.0]]]]), Tensor([[[[0.0, 0.0]]]]), Tensor([[[[1.0, 1.0]]]])
        >>> print(ops.rotary_position_embedding(x, zero, one))
        [[[[-2.  1.]]]]

    Source: Su et al., RoFormer; ``mindspore.ops.rotary_position_embedding``.
    """
    name = "rotary_position_embedding"
    if isinstance(mode, bool) or not isinstance(mode, int):
        fail(TypeError, name, "'mode'", "be an int", describe(mode))
    if mode not in (0, 1):
        fail(ValueError, name, "'mode'", "be 0 or 1", describe(mode))
    if input.ndim != 4 or input.shape[-1] % 2:
        fail(ValueError, name, "'x'", "have four dimensions, the last even", f"shape {list(input.shape)}")
    if mode == 0:
        first, second = chunk(input, 2, 3)
        turned = concat([second * -1, first], 3)
    else:
        pairs = reshape(input, (*input.shape[:-1], input.shape[-1] // 2, 2))
        turned = reshape(stack([pairs[..., 1] * -1, pairs[..., 0]], 4), input.shape)
    return input * cos + turned * sin


@composite(ops="bias_add(input_x, bias)", primitive="BiasAdd(data_format='NCHW')(input_x, bias)")
def bias_add(input: Array, bias: Array, data_format: str = "NCHW") -> Any:
    """Return (N, C, ...) plus a bias for each channel.

    Args:
        data_format: "NCHW", "NCDHW" (channels second) or "NHWC" (channels last).

    Raises:
        ValueError: a bias that is not (C), an input of fewer than two dimensions, another format.

    Examples:
        >>> print(ops.bias_add(Tensor([[1.0, 2.0]]), Tensor([0.5, 1.5])))
        [[1.5 3.5]]

    Source: ``mindspore.ops.bias_add``.
    """
    if data_format not in ("NCHW", "NHWC", "NCDHW"):
        fail(ValueError, "BiasAdd", "'data_format'", "be 'NCHW', 'NHWC' or 'NCDHW'", describe(data_format))
    if input.ndim < 2:
        fail(ValueError, "BiasAdd", "'input_x'", "have two dimensions or more", f"shape {list(input.shape)}")
    last = data_format == "NHWC"
    if bias.shape != (input.shape[-1 if last else 1],):
        wanted = f"be [{input.shape[-1 if last else 1]}]"
        fail(ValueError, "BiasAdd", "shape of 'bias'", wanted, str(list(bias.shape)))
    return input + (bias if last else reshape(bias, (bias.size, *((1,) * (input.ndim - 2)))))


@composite(ops="bidense(input1, input2, weight, bias=None)", rename={"input1": "input", "input2": "other"})
def bidense(input: Array, other: Array, weight: Array, bias: Array | None = None) -> Any:
    """Return ``x1 @ weight[o] . x2 + bias[o]`` for each output o: (..., O) of (..., I), (..., J) and (O, I, J).

    Raises:
        ValueError: sizes that do not fit.

    Examples:
        >>> print(ops.bidense(Tensor([[1.0, 2.0]]), Tensor([[3.0]]), Tensor([[[1.0], [1.0]]])))
        [[9.]]

    Source: ``mindspore.ops.bidense``.
    """
    ok = weight.ndim == 3 and input.ndim and other.ndim and input.shape[:-1] == other.shape[:-1]
    if not ok or (input.shape[-1], other.shape[-1]) != weight.shape[1:]:
        got = f"{list(input.shape)}, {list(other.shape)} and {list(weight.shape)}"
        fail(ValueError, "bidense", "shapes", "be (..., I), (..., J) and (O, I, J)", got)
    outs, left, right = weight.shape
    if bias is not None and bias.shape != (outs,):
        fail(ValueError, "bidense", "shape of 'bias'", f"be [{outs}]", str(list(bias.shape)))
    flat = reshape(input, (-1, left)) if input.ndim != 2 else input
    mixed = matmul(flat, reshape(permute(weight, (1, 0, 2)), (left, outs * right)))
    out = sum_(reshape(mixed, (*input.shape[:-1], outs, right)) * reshape(other, (*other.shape[:-1], 1, right)), -1)
    return out if bias is None else out + bias
