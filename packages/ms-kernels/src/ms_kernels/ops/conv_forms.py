"""Convolutions in 2.6's other forms: `mint.nn.functional`, primitives, the transposed one in three dimensions."""

from __future__ import annotations

from typing import Any

from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._spatial import spatial, spread_padding
from ms_kernels.ops.conv import conv_grad_input, run_conv
from ms_kernels.ops.shape import dims_of

__all__ = ["conv1d_mint", "conv2d_mint", "conv3d_mint", "conv3d_transpose"]


def _by_padding(n: int, word: str) -> Any:
    """Declare mint's convolution over n dimensions: what is padded, and how, is one argument."""

    def body(
        input: Array,
        weight: Array,
        bias: Array | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        mode, pad = (padding, 0) if isinstance(padding, str) else ("pad", padding)
        return run_conv(f"conv{n}d", n, input, weight, bias, stride, mode, pad, dilation, groups)

    ones = f"Tensor(np.ones({(1, 1) + (2,) * n}), mstype.float32)"
    body.__module__ = __name__
    body.__doc__ = (
        f'Return the {word}-dimensional convolution; `padding` is an int, one a dimension, "valid" or "same".\n\n'
        "Raises:\n    ValueError: shapes or options that do not fit.\n    TypeError: an option of the wrong type.\n\n"
        f"Examples:\n    >>> ms_kernels.mint_functional.conv{n}d({ones}, {ones}).item()\n    {2.0**n}\n\n"
        f"Source: ``mindspore.mint.nn.functional.conv{n}d``."
    )
    form = f"conv{n}d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)"
    return composite(mint=form if n == 2 else (), mintf=form, name=f"conv{n}d_mint")(body)


conv1d_mint = _by_padding(1, "one")
conv2d_mint = _by_padding(2, "two")
conv3d_mint = _by_padding(3, "three")


def _is_one(name: str, **options: Any) -> None:
    for arg, value in options.items():
        if value != 1:
            fail(ValueError, name, f"'{arg}'", "be 1", describe(value))


def _check_kernel(name: str, n: int, weight: Any, out_channel: Any, kernel_size: Any, axis: int = 0) -> None:
    """The primitives say the weight's shape a second time."""
    kernel = spatial(name, "kernel_size", kernel_size, n)
    if weight.ndim != n + 2 or weight.shape[2:] != kernel or weight.shape[axis] != out_channel:
        wanted = f"have {out_channel} channels and the kernel {list(kernel)}"
        fail(ValueError, name, "'weight'", wanted, f"shape {list(weight.shape)}")


def _conv_primitive(n: int) -> Any:
    name, layout = f"Conv{n}D", "NCHW" if n == 2 else "NCDHW"

    def body(
        input: Any,
        weight: Any,
        out_channel: int,
        kernel_size: Any,
        mode: int = 1,
        pad_mode: str = "valid",
        pad: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        group: int = 1,
        data_format: str = layout,
    ) -> Any:
        _is_one(name, mode=mode)
        if data_format != layout:
            fail(ValueError, name, "'data_format'", f"be '{layout}'", describe(data_format))
        _check_kernel(name, n, weight, out_channel, kernel_size)
        return run_conv(name, n, input, weight, None, stride, pad_mode, pad, dilation, group)

    body.__annotations__.update(input="Array", weight="Array")
    body.__name__, body.__module__ = f"conv{n}d_channels", __name__
    ones = f"Tensor(np.ones({(1, 1) + (2,) * n}), mstype.float32)"
    body.__doc__ = (
        f"Return the convolution of (N, C, ...) with (out_channel, C / group, ...) kernels in {n} dimensions.\n\n"
        "Raises:\n    ValueError: a weight of other channels or kernel, options that do not fit.\n\nExamples:\n"
        f"    >>> ops.{name}(1, 2)({ones}, {ones}).item()\n    {2.0**n}\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(
        primitive=f"{name}(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, "
        f"data_format='{layout}')(x, weight)"
    )(body)


conv2d_channels = _conv_primitive(2)
conv3d_channels = _conv_primitive(3)


def _flat(x: Any, ndim: int, name: str) -> None:
    if x.ndim != ndim:
        fail(ValueError, name, "'x' and 'weight'", f"have {ndim} dimensions", f"{x.ndim} dimensions")


def _transposed(out_channel: str) -> Any:
    name = out_channel

    def body(
        dout: Any,
        weight: Any,
        input_size: Any,
        out_channel: int,
        kernel_size: Any,
        pad_mode: str = "valid",
        pad: Any = 0,
        pad_list: Any = None,
        mode: int = 1,
        stride: Any = 1,
        dilation: Any = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> Any:
        _is_one(name, mode=mode)
        if data_format != "NCHW":
            fail(ValueError, name, "'data_format'", "be 'NCHW'", describe(data_format))
        _check_kernel(name, 2, weight, out_channel, kernel_size)
        _flat(dout, 4, name)
        size = dims_of(name, input_size, "input_size")
        if len(size) != 4:
            fail(ValueError, name, "'input_size'", "have four numbers", str(size))
        steps, gaps = spatial(name, "stride", stride, 2), spatial(name, "dilation", dilation, 2)
        given = pad if pad_list is None else pad_list
        pads = spread_padding(name, pad_mode, given, size[2:], weight.shape[2:], steps, gaps)
        plain = tuple(
            (size[i + 2] + pads[2 * i] + pads[2 * i + 1] - gaps[i] * (weight.shape[i + 2] - 1) - 1) // steps[i] + 1
            for i in range(2)
        )
        if dout.shape != (size[0], weight.shape[0], *plain):
            wanted = f"be {[size[0], weight.shape[0], *plain]} for 'input_size' {list(size)}"
            fail(ValueError, name, "shape of 'dout'", wanted, str(list(dout.shape)))
        return conv_grad_input(dout, weight, size, steps, pads, gaps, group)

    body.__annotations__.update(dout="Array", weight="Array")
    body.__name__, body.__module__ = "conv2d_transpose" if name == "Conv2DTranspose" else "conv2d_back", __name__
    body.__doc__ = (
        "Return the transposed convolution: the gradient of a convolution's input of shape `input_size`.\n\nRaises:\n"
        "    ValueError: shapes or options that do not fit.\n\nExamples:\n"
        "    >>> y, w = Tensor([[[[2.0]]]]), Tensor(np.ones((1, 1, 2, 2)), mstype.float32)\n"
        f"    >>> ops.{name}(1, 2)(y, w, (1, 1, 2, 2)).tolist()\n    [[[[2.0, 2.0], [2.0, 2.0]]]]\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(
        primitive=f"{name}(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, "
        "dilation=1, group=1, data_format='NCHW')(dout, weight, input_size)"
    )(body)


conv2d_transpose = _transposed("Conv2DTranspose")
conv2d_back = _transposed("Conv2DBackpropInput")


@composite(
    ops="conv3d_transpose(inputs, weight, pad_mode='valid', padding=0, stride=1, dilation=1, group=1, "
    "output_padding=0)",
    rename={"inputs": "input"},
)
def conv3d_transpose(
    input: Array,
    weight: Array,
    pad_mode: str = "valid",
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    output_padding: Any = 0,
) -> Any:
    """Return the transposed convolution of (N, C, D, H, W) with (C, O / group, d, h, w) kernels.

    Args:
        pad_mode: "valid", "same" (sizes times the stride) or "pad" (by `padding`).
        output_padding: added to the size of the result.

    Raises:
        ValueError: shapes or options that do not fit.

    Examples:
        >>> x = Tensor(np.ones((1, 1, 1, 1, 1)), mstype.float32)
        >>> ops.conv3d_transpose(x, Tensor(np.ones((1, 1, 2, 2, 2)), mstype.float32)).shape
        (1, 1, 2, 2, 2)

    Source: ``mindspore.ops.conv3d_transpose``.
    """
    name = "conv3d_transpose"
    for x in (input, weight):
        _flat(x, 5, name)
    if input.shape[1] != weight.shape[0] or input.shape[1] % group:
        got = f"shapes {list(input.shape)} and {list(weight.shape)}"
        fail(ValueError, name, "channels of 'inputs' and 'weight'", "be equal and a multiple of 'group'", got)
    steps, gaps = spatial(name, "stride", stride, 3), spatial(name, "dilation", dilation, 3)
    extra = spatial(name, "output_padding", output_padding, 3, 0)
    reach = tuple(gaps[i] * (weight.shape[i + 2] - 1) + 1 for i in range(3))
    if str(pad_mode).lower() == "same":
        size = tuple(input.shape[i + 2] * steps[i] for i in range(3))
        pads = spread_padding(name, pad_mode, padding, size, weight.shape[2:], steps, gaps)
        size = tuple(size[i] + extra[i] for i in range(3))
    else:
        pads = spread_padding(name, pad_mode, padding, input.shape[2:], weight.shape[2:], steps, gaps)
        size = tuple(
            (input.shape[i + 2] - 1) * steps[i] + reach[i] - pads[2 * i] - pads[2 * i + 1] + extra[i] for i in range(3)
        )
    if min(size) < 1:
        fail(ValueError, name, "size of the result", "be positive", str(list(size)))
    shape = (input.shape[0], weight.shape[1] * group, *size)
    return conv_grad_input(input, weight, shape, steps, pads, gaps, group)


@composite(
    primitive="Conv3DTranspose(in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, "
    "dilation=1, group=1, output_padding=0, data_format='NCDHW')(dout, weight)",
    rename={"dout": "input", "pad": "padding"},
)
def conv3d_transpose_channels(
    input: Array,
    weight: Array,
    in_channel: int,
    out_channel: int,
    kernel_size: Any,
    mode: int = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    output_padding: Any = 0,
    data_format: str = "NCDHW",
) -> Any:
    """Return the transposed convolution of (N, C, D, H, W), C = in_channel, with (C, out_channel / group, ...) kernels.

    Raises:
        ValueError: a weight of other channels or kernel, options that do not fit.

    Examples:
        >>> x, w = Tensor(np.ones((1, 1, 1, 1, 1)), mstype.float32), Tensor(np.ones((1, 1, 2, 2, 2)), mstype.float32)
        >>> ops.Conv3DTranspose(1, 1, 2)(x, w).shape
        (1, 1, 2, 2, 2)

    Source: ``mindspore.ops.Conv3DTranspose``.
    """
    name = "Conv3DTranspose"
    _is_one(name, mode=mode)
    if data_format != "NCDHW":
        fail(ValueError, name, "'data_format'", "be 'NCDHW'", describe(data_format))
    _check_kernel(name, 3, weight, in_channel, kernel_size)
    if weight.shape[1] * group != out_channel:
        fail(ValueError, name, "'out_channel'", f"be {weight.shape[1] * group}", describe(out_channel))
    return conv3d_transpose(input, weight, pad_mode, padding, stride, dilation, group, output_padding)
