"""Convolutions in one to three dimensions, and the transposed ones."""

from __future__ import annotations

from typing import Any

from ms_kernels.loops import conv as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._spatial import spatial, spread_padding
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import reshape, squeeze, unsqueeze

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose2d", "convolution"]

Shape = tuple[int, ...]


def _out_shape(
    shape: Shape, weight: Shape, bias: Any, stride: Shape, padding: Shape, dilation: Shape, groups: int
) -> Shape:
    n = len(weight) - 2
    if len(shape) != n + 2 or n < 1:
        fail(ValueError, f"Conv{n}D", "'input'", f"have {n + 2} dimensions", f"shape {list(shape)}")
    if shape[1] != weight[1] * groups:
        fail(
            ValueError,
            f"Conv{n}D",
            "channels of 'input'",
            f"be {weight[1] * groups} ('weight' times 'groups')",
            str(shape[1]),
        )
    if weight[0] % groups:
        fail(ValueError, f"Conv{n}D", "output channels", f"be a multiple of 'groups' {groups}", str(weight[0]))
    if bias is not None and bias != (weight[0],):
        fail(ValueError, f"Conv{n}D", "shape of 'bias'", f"be [{weight[0]}]", str(list(bias)))
    sizes = []
    for i in range(n):
        room = shape[i + 2] + padding[2 * i] + padding[2 * i + 1] - dilation[i] * (weight[i + 2] - 1) - 1
        if room < 0:
            fail(
                ValueError,
                f"Conv{n}D",
                "kernel",
                "fit into the padded input",
                f"kernel {list(weight[2:])} for {list(shape[2:])}",
            )
        sizes.append(room // stride[i] + 1)
    return (shape[0], weight[0], *sizes)


def _call(flat: Any, general: Any, two: bool, *args: Any) -> Any:
    return flat(*args) if two else general(*args)


def _convolution_vjp(
    g: Any, _out: Any, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Any:
    return (
        lambda: conv_grad_input(g, weight, input.shape, stride, padding, dilation, groups),
        lambda: conv_grad_weight(g, input, weight.shape, stride, padding, dilation, groups),
        None if bias is None else lambda: sum_(g, (0, *range(2, g.ndim))),
    )


@op(
    shape=_out_shape,
    dtype=rules.same,
    accepts=FLOATS,
    vjp=_convolution_vjp,
    ascend="cube",
    batch="conv",
    primitive="Convolution(stride, padding, dilation=(1, 1), groups=1)(x, weight, bias=None)",
    label="Conv",
)
def convolution(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = (1, 1),
    padding: Any = (0, 0, 0, 0),
    dilation: Any = (1, 1),
    groups: int = 1,
) -> Any:
    """Return the cross-correlation of (N, C, ...) with (O, C / groups, ...) kernels, plus a bias a channel.

    Args:
        stride, dilation: one int a spatial dimension.
        padding: (before, after) of each spatial dimension, flat.

    Examples:
        >>> x, w = Tensor(np.ones((1, 1, 3, 3)), mstype.float32), Tensor(np.ones((1, 1, 2, 2)), mstype.float32)
        >>> print(ops.Convolution((1, 1), (0, 0, 0, 0))(x, w))
        [[[[4. 4.]
           [4. 4.]]]]

    Source: ``mindspore.ops.Conv2D``.
    """
    return _call(loops.conv2d, loops.convnd, input.ndim == 4, input, weight, bias, stride, padding, dilation, groups)


def _conv_grad_input_vjp(
    g: Any, _out: Any, grad: Any, weight: Any, _shape: Any, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Any:
    return (
        lambda: convolution(g, weight, None, stride, padding, dilation, groups),
        lambda: conv_grad_weight(grad, g, weight.shape, stride, padding, dilation, groups),
    )


@op(
    shape=lambda _grad, _weight, shape, *_rest: shape,
    dtype=rules.same,
    vjp=_conv_grad_input_vjp,
    ascend="cube",
    batch="conv_grad_input",
    primitive="ConvolutionInputGrad(shape, stride, padding, dilation=(1, 1), groups=1)(dy, weight)",
    rename={"dy": "grad"},
)
def conv_grad_input(
    grad: Array, weight: Array, shape: Any, stride: Any, padding: Any, dilation: Any = (1, 1), groups: int = 1
) -> Any:
    """Return the gradient of a convolution's input: a transposed convolution of the result's gradient.

    Examples:
        >>> dy, w = Tensor(np.ones((1, 1, 2, 2)), mstype.float32), Tensor(np.ones((1, 1, 2, 2)), mstype.float32)
        >>> print(ops.ConvolutionInputGrad((1, 1, 3, 3), (1, 1), (0, 0, 0, 0))(dy, w)[0, 0])
        [[1. 2. 1.]
         [2. 4. 2.]
         [1. 2. 1.]]

    Source: ``mindspore.ops.Conv2DBackpropInput``.
    """
    two = len(shape) == 4
    return _call(
        loops.conv2d_grad_input, loops.convnd_grad_input, two, grad, weight, shape, stride, padding, dilation, groups
    )


@op(
    shape=lambda _grad, _input, shape, *_rest: shape,
    dtype=rules.same,
    vjp=lambda g, _out, grad, input, _shape, stride, padding, dilation, groups: (
        lambda: convolution(input, g, None, stride, padding, dilation, groups),
        lambda: conv_grad_input(grad, g, input.shape, stride, padding, dilation, groups),
    ),
    ascend="cube",
    batch="conv_grad_weight",
    primitive="ConvolutionWeightGrad(shape, stride, padding, dilation=(1, 1), groups=1)(dy, x)",
    rename={"dy": "grad"},
)
def conv_grad_weight(
    grad: Array, input: Array, shape: Any, stride: Any, padding: Any, dilation: Any = (1, 1), groups: int = 1
) -> Any:
    """Return the gradient of a convolution's kernels.

    Examples:
        >>> dy, x = Tensor(np.ones((1, 1, 2, 2)), mstype.float32), Tensor(np.ones((1, 1, 3, 3)), mstype.float32)
        >>> print(ops.ConvolutionWeightGrad((1, 1, 2, 2), (1, 1), (0, 0, 0, 0))(dy, x)[0, 0])
        [[4. 4.]
         [4. 4.]]

    Source: the derivative of the convolution.
    """
    two = len(shape) == 4
    return _call(
        loops.conv2d_grad_weight, loops.convnd_grad_weight, two, grad, input, shape, stride, padding, dilation, groups
    )


def run_conv(
    name: str,
    n: int,
    input: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    pad_mode: str,
    padding: Any,
    dilation: Any,
    groups: Any,
) -> Any:
    if weight.ndim != n + 2 or input.ndim not in (n + 1, n + 2):
        got = f"shapes {list(input.shape)} and {list(weight.shape)}"
        fail(ValueError, name, "'input' and 'weight'", f"have {n + 2} dimensions", got)
    if isinstance(groups, bool) or not isinstance(groups, int) or groups < 1:
        fail(ValueError, name, "'groups'", "be a positive int", describe(groups))
    steps, gaps = spatial(name, "stride", stride, n), spatial(name, "dilation", dilation, n)
    batch = input.ndim == n + 2
    x = input if batch else unsqueeze(input, 0)
    pads = spread_padding(name, pad_mode, padding, x.shape[2:], weight.shape[2:], steps, gaps)
    out = convolution(x, weight, bias, steps, pads, gaps, groups)
    return out if batch else squeeze(out, 0)


def _by_mode(n: int, word: str, sizes: str, kernel: str, example: str, shown: str) -> Any:
    """Declare the convolution over n dimensions that is padded by a mode."""
    name = f"conv{n}d"

    def body(
        input: Array,
        weight: Array,
        bias: Array | None = None,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        return run_conv(name, n, input, weight, bias, stride, pad_mode, padding, dilation, groups)

    body.__module__ = __name__
    body.__doc__ = f"""Return the {word}-dimensional convolution: of (N, C, {sizes}) by (O, C / groups, {kernel}).

Args:
    pad_mode: "valid", "same" (as many outputs as ``size / stride``, rounded up) or "pad" (by `padding`).
    padding: for "pad": an int, one for each dimension, or two for each (before and after).

Raises:
    ValueError: shapes or options that do not fit.
    TypeError: an option of the wrong type.

Examples:
    >>> ones = lambda *shape: Tensor(np.ones(shape), mstype.float32)
    >>> print({example})
    {shown}

Source: ``mindspore.ops.{name}``."""
    form = f"{name}(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, groups=1)"
    return composite(ops=form, name=name)(body)


conv1d = _by_mode(1, "one", "L", "l", "ops.conv1d(ones(1, 1, 4), ones(1, 1, 2))", "[[[2. 2. 2.]]]")
conv2d = _by_mode(
    2,
    "two",
    "H, W",
    "h, w",
    "ops.conv2d(ones(1, 1, 3, 3), ones(1, 1, 3, 3), pad_mode='same')[0, 0]",
    "[[4. 6. 4.]\n     [6. 9. 6.]\n     [4. 6. 4.]]",
)
conv3d = _by_mode(
    3, "three", "D, H, W", "d, h, w", "ops.conv3d(ones(1, 1, 2, 2, 2), ones(1, 1, 2, 2, 2))", "[[[[[8.]]]]]"
)


@composite(
    ops="conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
    mintf="conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1)",
)
def conv_transpose2d(
    input: Array,
    weight: Array,
    bias: Array | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Return the transposed convolution of (N, C, H, W) with (C, O / groups, h, w) kernels: the convolution's adjoint.

    Examples:
        >>> x, w = Tensor(np.ones((1, 1, 2, 2)), mstype.float32), Tensor(np.ones((1, 1, 2, 2)), mstype.float32)
        >>> print(ops.conv_transpose2d(x, w)[0, 0])
        [[1. 2. 1.]
         [2. 4. 2.]
         [1. 2. 1.]]

    Source: ``mindspore.ops.conv_transpose2d``.
    """
    name = "conv_transpose2d"
    s, p, d = (
        spatial(name, "stride", stride, 2),
        spatial(name, "padding", padding, 2, 0),
        spatial(name, "dilation", dilation, 2),
    )
    extra = spatial(name, "output_padding", output_padding, 2, 0)
    if input.ndim != 4 or weight.ndim != 4 or input.shape[1] != weight.shape[0]:
        got = f"shapes {list(input.shape)} and {list(weight.shape)}"
        fail(ValueError, name, "'input' and 'weight'", "be (N, C, H, W) and (C, O, h, w)", got)
    size = tuple(
        (input.shape[i + 2] - 1) * s[i] - 2 * p[i] + d[i] * (weight.shape[i + 2] - 1) + 1 + extra[i] for i in range(2)
    )
    shape = (input.shape[0], weight.shape[1] * groups, *size)
    if min(size) < 1:
        fail(ValueError, name, "size of the result", "be positive", str(size))
    out = conv_grad_input(input, weight, shape, s, (p[0], p[0], p[1], p[1]), d, groups)
    return out if bias is None else out + reshape(bias, (1, bias.size, 1, 1))
