"""Pooling undone, and pooling over windows that are drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._draw import seeded
from ms_kernels.ops._spatial import spatial
from ms_kernels.ops.pool import at_places, max_pool_grad
from ms_kernels.ops.shape import squeeze, unsqueeze
from ms_kernels.random import samplers

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d"]

Shape = tuple[int, ...]


@op(
    shape=lambda _input, _indices, shape: shape,
    dtype=lambda input, *_rest: input,
    vjp=lambda g, _out, _input, indices, _shape: (lambda: at_places(g, indices), None),
    ascend="copy",
    batch="fold",
    primitive="Unpool(shape)(x, indices)",
)
def unpool(input: Array, indices: Array, shape: Any) -> Any:
    """Return zeros of a shape (N, C, ...) with each element at its flat place in the channel.

    Examples:
        >>> print(ops.Unpool((1, 1, 4))(Tensor([[[5.0, 6.0]]]), Tensor([[[1, 3]]])))
        [[[0. 5. 0. 6.]]]

    Source: ``mindspore.ops.MaxUnpool2D``.
    """
    size = math.prod(shape[2:])
    if indices.size and not (indices.min() >= 0 and indices.max() < size):
        fail(RuntimeError, "MaxUnpool", "'indices'", f"be in [0, {size})", f"{indices.min()} to {indices.max()}")
    out = np.zeros((*shape[:2], size), input.dtype)
    flat = (*shape[:2], math.prod(input.shape[2:]))
    np.put_along_axis(out, indices.reshape(flat), input.reshape(flat), 2)
    return out.reshape(shape)


def _full_size(name: str, n: int, shape: Shape, kernel: Shape, stride: Shape, padding: Shape, wanted: Any) -> Shape:
    """The spatial shape of the result; `wanted` may differ from the plain one by less than a stride."""
    plain = tuple((shape[i + 2] - 1) * stride[i] - 2 * padding[i] + kernel[i] for i in range(n))
    if wanted is None or (isinstance(wanted, tuple) and not wanted):
        return plain
    if not isinstance(wanted, tuple):
        fail(ValueError, name, "'output_size'", "be a tuple", describe(wanted))
    full = spatial(name, "output_size", wanted[-n:], n)
    if len(wanted) not in (n, n + 1, n + 2) or any(abs(f - p) >= s for f, p, s in zip(full, plain, stride)):
        rule = f"be less than a stride from {list(plain)} in each dimension"
        fail(ValueError, name, "'output_size'", rule, str(list(wanted)))
    return full


def _unpooled(name: str, n: int, x: Any, indices: Any, kernel: Any, stride: Any, padding: Any, wanted: Any) -> Any:
    if x.ndim not in (n + 1, n + 2) or x.shape != indices.shape:
        got = f"shapes {list(x.shape)} and {list(indices.shape)}"
        fail(ValueError, name, "'x' and 'indices'", f"have {n + 1} or {n + 2} dimensions, the same ones", got)
    if indices.dtype.kind not in "iu":
        fail(TypeError, name, "dtype of 'indices'", "be int32 or int64", str(indices.dtype))
    batch = x.ndim == n + 2
    if not batch:
        x, indices = unsqueeze(x, 0), unsqueeze(indices, 0)
    k = spatial(name, "kernel_size", kernel, n)
    same = stride is None or (isinstance(stride, int) and stride == 0)
    s = k if same else spatial(name, "stride", stride, n)
    size = _full_size(name, n, x.shape, k, s, spatial(name, "padding", padding, n, 0), wanted)
    if min(size) < 1:
        fail(ValueError, name, "size of the result", "be positive", str(list(size)))
    out = unpool(x, indices, (*x.shape[:2], *size))
    return out if batch else squeeze(out, 0)


def _unpool_nd(n: int, mintf: tuple[str, ...] = (), primitive: tuple[str, ...] = ()) -> Any:
    name = f"max_unpool{n}d"

    def body(
        input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Any:
        return _unpooled(name, n, input, indices, kernel_size, stride, padding, output_size)

    body.__annotations__.update(input="Array", indices="Array")
    body.__name__, body.__module__ = name, __name__
    x, places = f"Tensor(np.full({(1,) * (n + 2)}, 5.0), mstype.float32)", f"Tensor(np.full({(1,) * (n + 2)}, 1))"
    body.__doc__ = (
        f"Undo `max_pool{n}d`: return zeros with each element at its flat place in the channel.\n\nArgs:\n"
        "    input: (C, ...) or (N, C, ...).\n    indices: the places that the pooling gave.\n"
        "    output_size: the spatial shape (or the whole one), less than a stride from the plain one.\n\nRaises:\n"
        "    ValueError: shapes or sizes that do not fit.\n    TypeError: indices that are no integers.\n"
        "    RuntimeError: an index outside of the result.\n\nExamples:\n"
        f"    >>> ops.{name}({x}, {places}, 2).ravel()[:2].tolist()\n    [0.0, 5.0]\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(
        ops=f"{name}(x, indices, kernel_size, stride=None, padding=0, output_size=None)",
        mintf=mintf,
        primitive=primitive,
        rename={
            "ksize": "kernel_size",
            "strides": "stride",
            "pads": "padding",
            "output_shape": "output_size",
            "argmax": "indices",
            "data_format": "",
        },
        name=name,
    )(body)


max_unpool1d = _unpool_nd(1)
max_unpool2d = _unpool_nd(
    2,
    ("max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None)",),
    ("MaxUnpool2D(ksize, strides=0, pads=0, output_shape=(), data_format='NCHW')(x, argmax)",),
)
max_unpool3d = _unpool_nd(
    3, primitive=("MaxUnpool3D(ksize, strides=0, pads=0, output_shape=(), data_format='NCDHW')(x, argmax)",)
)


def _starts(size: int, kernel: int, count: int, u: float) -> list[int]:
    """The first places of `count` windows that a number u from [0, 1) chooses (Graham's pseudo-random sequence)."""
    step = np.float32(size - kernel) / np.float32(count - 1) if count > 1 else np.float32(0)
    first = int(np.float32(u) * step)
    return [*(int((np.float32(i) + np.float32(u)) * step) - first for i in range(count - 1)), size - kernel]


@op(
    shape=lambda shape, _samples, _kernel, size: [(*shape[:2], *size)] * 2,
    dtype=lambda input, *_rest: (input, mstype.int64),
    accepts=FLOATS,
    vjp=lambda g, out, input, _samples, _kernel, _size: (max_pool_grad(g[0], out[1], input.shape), None),
    ascend="extremum",
    batch="fold",
    primitive="FractionalMax(kernel, size)(x, samples)",
    label="FractionalMaxPool",
)
def fractional_max(input: Array, samples: Array, kernel: Any, size: Any) -> Any:
    """Return the largest elements of windows whose places numbers from [0, 1) choose, and their flat places.

    Args:
        samples: (N, C, spatial dimensions), for two dimensions the width's number first.

    Examples:
        >>> x, u = Tensor(np.arange(4).reshape(1, 1, 4), mstype.float32), Tensor([[[0.5]]])
        >>> print(ops.FractionalMax((2,), (2,))(x, u)[0])
        [[[1. 3.]]]

    Source: Graham, Fractional Max-Pooling; ``mindspore.ops.FractionalMaxPoolWithFixedKsize``.
    """
    spaces, n = input.shape[2:], len(kernel)
    out = np.empty((*input.shape[:2], *size), input.dtype)
    where = np.empty(out.shape, np.int64)
    for image in np.ndindex(input.shape[:2]):
        u = samples[image][::-1] if n == 2 else samples[image]
        starts = [_starts(spaces[i], kernel[i], size[i], float(u[i])) for i in range(n)]
        for at in np.ndindex(*size):
            corner = [starts[i][a] for i, a in enumerate(at)]
            window = input[image][tuple(slice(c, c + k) for c, k in zip(corner, kernel))]
            wide = window.astype(np.float32) if window.dtype.kind == "V" else window
            best = np.unravel_index(int(wide.argmax()), window.shape)
            out[image + at] = window[best]
            where[image + at] = np.ravel_multi_index(tuple(c + int(b) for c, b in zip(corner, best)), spaces)
    return out, where


def _fractional(
    name: str, n: int, input: Any, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Any
) -> Any:
    if output_size is None and output_ratio is None:
        fail(ValueError, name, "'output_size' or 'output_ratio'", "be given", "None for both")
    if input.ndim not in (n + 1, n + 2):
        fail(ValueError, name, "'input'", f"have {n + 1} or {n + 2} dimensions", f"shape {list(input.shape)}")
    batch = input.ndim == n + 2
    x = input if batch else unsqueeze(input, 0)
    kernel = spatial(name, "kernel_size", kernel_size, n)
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, tuple) else (output_ratio,) * n
        if len(ratios) != n or not all(0 < r < 1 for r in ratios):
            fail(ValueError, name, "'output_ratio'", f"be {n} numbers in (0, 1)", str(output_ratio))
        output_size = tuple(int(s * r) for s, r in zip(x.shape[2:], ratios))
    size = spatial(name, "output_size", output_size, n)
    if any(o + k - 1 > s for o, k, s in zip(size, kernel, x.shape[2:])):
        got = f"{list(size)} and {list(kernel)} for {list(x.shape[2:])}"
        fail(ValueError, name, "'output_size' and 'kernel_size'", "fit into the input", got)
    if samples is None:
        samples = from_array(samplers.uniform((*x.shape[:2], n), np.float32, *seeded(name)))
    if not isinstance(samples, TensorBase) or samples.shape != (*x.shape[:2], n):
        fail(ValueError, name, "'_random_samples'", f"be a Tensor of shape {[*x.shape[:2], n]}", describe(samples))
    found = fractional_max(x, samples, kernel, size)
    return found if batch else tuple(squeeze(t, 0) for t in found)


def _fractional_nd(n: int, primitive: str) -> Any:
    name = f"fractional_max_pool{n}d"

    def body(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        samples: Any = None,
    ) -> Any:
        outs = _fractional(name, n, input, kernel_size, output_size, output_ratio, samples)
        return outs if return_indices else outs[0]

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        "Return the largest elements of windows of `kernel_size` whose places are drawn, and with `return_indices` "
        "their flat places.\n\nArgs:\n    output_size: the spatial shape of the result.\n"
        "    output_ratio: what part of the input's it is, where no size is given.\n"
        "    _random_samples: numbers from [0, 1) that choose the places, (N, C, spatial dimensions).\n\n"
        "Raises:\n    ValueError: sizes that do not fit, neither size nor "
        f"ratio.\n\nExamples:\n    >>> ops.{name}(Tensor(np.ones({(1,) + (4,) * (n + 1)}), mstype.float32), 2, 2).shape"
        f"\n    {(1, 4) + (2,) * n}\n\nSource: Graham, Fractional Max-Pooling; ``mindspore.ops.{name}``."
    )
    return composite(
        ops=f"{name}(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, "
        "_random_samples=None)",
        primitive=f"{primitive}(ksize, output_shape, data_format='')(input_x, random_samples); return_indices=True",
        rename={
            "_random_samples": "samples",
            "random_samples": "samples",
            "ksize": "kernel_size",
            "output_shape": "output_size",
            "data_format": "",
        },
        name=name,
    )(body)


fractional_max_pool2d = _fractional_nd(2, "FractionalMaxPoolWithFixedKsize")
fractional_max_pool3d = _fractional_nd(3, "FractionalMaxPool3DWithFixedKsize")
