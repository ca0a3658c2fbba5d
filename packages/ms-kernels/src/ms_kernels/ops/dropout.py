"""Dropout, and activations whose slope or noise is drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.dispatch import is_recording, replace
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import FLOATS, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._draw import FLAGS, extent, number, seeded
from ms_kernels.ops._tape import broadcast_np, cast_np
from ms_kernels.ops.compare import greater, where
from ms_kernels.ops.create import ones_like
from ms_kernels.ops.extremes import argmax
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.matrices import one_hot
from ms_kernels.ops.random_fill import fill_uniform
from ms_kernels.ops.softmax import softmax
from ms_kernels.random import distributions, samplers
from ms_kernels.tape.batched import constant

__all__ = ["dropout", "dropout_keep", "gumbel_softmax", "rrelu"]


@op(
    shape=lambda input, _p, _seed, _offset: [input, input],
    dtype=lambda input, _p, _seed, _offset: (input, mstype.bool_),
    accepts=FLOATS,
    vjp=lambda g, out, _input, p, _seed, _offset: g[0] * out[1] * (1 / (1 - p) if p < 1 else 0),
    fuse="elementwise",
    ascend="dropout",
    batch="elementwise",
    primitive="DropoutKeep(p, seed, offset)(x)",
    label="dropout",
)
def dropout_keep(input: Array, p: float, seed: int, offset: int) -> Any:
    """Return the elements kept with probability 1 - p and divided by it, 0 elsewhere, and where they were kept.

    Examples:
        >>> y, kept = ops.DropoutKeep(0.0, 1, 0)(Tensor([1.0, 2.0]))
        >>> print(y, kept)
        [1. 2.] [ True  True]

    Source: Srivastava et al., Dropout; ``mindspore.ops.Dropout``.
    """
    return samplers.dropout(input, p, seed, offset)


def _checked_p(name: str, p: Any) -> float:
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        fail(TypeError, name, "'p'", "be a float", describe(p))
    if not 0 <= p <= 1:
        fail(ValueError, name, "'p'", "be in [0, 1]", describe(p))
    return float(p)


def _checked_keep(name: str, keep: Any) -> float:
    if isinstance(keep, bool) or not isinstance(keep, (int, float)):
        fail(TypeError, name, "'keep_prob'", "be a float", describe(keep))
    if not 0 < keep <= 1:
        fail(ValueError, name, "'keep_prob'", "be in (0, 1]", describe(keep))
    return float(keep)


@composite(
    ops="dropout(input, p=0.5, training=True, seed=None)",
    mintf="dropout(input, p=0.5, training=True, inplace=False)",
)
def dropout(input: Array, p: float = 0.5, training: bool = True, seed: int | None = None, inplace: bool = False) -> Any:
    """Return the tensor with each element 0 with probability p, the others divided by 1 - p; itself when not training.

    Args:
        inplace: put the result into the input as well.

    Raises:
        ValueError: p outside of [0, 1].
        TypeError: p is no number, the input no float.

    Examples:
        >>> print(ops.dropout(Tensor([1.0, 2.0]), training=False))
        [1. 2.]

    Source: ``mindspore.ops.dropout``.
    """
    p = _checked_p("dropout", p)
    if not training or p == 0:
        return input
    out = dropout_keep(input, p, *seeded("dropout", seed))[0]
    return replace(input, out) if inplace else out


def _channels(name: str, input: Any, p: float, lead: int) -> tuple[Any, Any]:
    """Whole channels kept or dropped: the result, and where elements were kept (bool)."""
    one = ones_like(take_key(input, (*(slice(None),) * lead, *(slice(0, 1),) * (input.ndim - lead))), None)
    scale, kept = dropout_keep(one, p, *seeded(name))
    return input * scale, broadcast_np(kept, input.shape)


def _dropout_nd(name: str, ndims: tuple[int, ...], mintf: tuple[str, ...] = ()) -> Any:
    def body(input: Any, p: float = 0.5, training: bool = True) -> Any:
        p = _checked_p(name, p)
        if input.ndim not in ndims:
            wanted = " or ".join(map(str, ndims))
            fail(ValueError, name, "'input'", f"have {wanted} dimensions", f"shape {list(input.shape)}")
        if not training or p == 0:
            return input
        return _channels(name, input, p, 2 if input.ndim == max(ndims) else 1)[0]

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        "Return the tensor with whole channels 0 with probability p, the others divided by 1 - p; itself when not "
        f"training.\n\nRaises:\n    ValueError: p outside of [0, 1], an input of other dimensions.\n\n"
        f"Examples:\n    >>> print(ops.{name}(Tensor(np.ones({(1,) * max(ndims)}), mstype.float32), "
        f"training=False).shape)\n    {(1,) * max(ndims)}\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(ops=f"{name}(input, p=0.5, training=True)", mintf=mintf, name=name)(body)


dropout1d = _dropout_nd("dropout1d", (2, 3))
dropout2d = _dropout_nd("dropout2d", (4,), ("dropout2d(input, p=0.5, training=True)",))
dropout3d = _dropout_nd("dropout3d", (5,))


@composite(
    primitive="Dropout(keep_prob=0.5, Seed0=0, Seed1=0)(x)",
    rename={"Seed0": "seed", "Seed1": "seed2"},
    name="dropout_all",
)
def dropout_all(input: Array, keep_prob: float = 0.5, seed: Any = 0, seed2: Any = 0) -> Any:
    """Return the elements kept with probability `keep_prob` and divided by it, and 1 where they were kept, else 0.

    Raises:
        ValueError: `keep_prob` outside of (0, 1].

    Examples:
        >>> print(*ops.Dropout(keep_prob=1.0)(Tensor([5.0, 6.0])))
        [5. 6.] [1. 1.]

    Source: ``mindspore.ops.Dropout``.
    """
    keep = _checked_keep("Dropout", keep_prob)
    out, kept = dropout_keep(input, 1 - keep, *seeded("Dropout", seed, seed2))
    return out, cast_np(kept, input._kind)


def _channel_primitive(name: str, ndim: int) -> Any:
    def body(input: Any, keep_prob: float = 0.5) -> Any:
        if input.ndim != ndim:
            fail(ValueError, name, "'x'", f"have {ndim} dimensions", f"shape {list(input.shape)}")
        return _channels(name, input, 1 - _checked_keep(name, keep_prob), 2)

    body.__annotations__["input"] = "Array"
    body.__name__, body.__module__ = f"{name.lower()}_all", __name__
    body.__doc__ = (
        "Return the tensor with whole channels kept with probability `keep_prob` and divided by it, and True where "
        "they were kept.\n\nRaises:\n    ValueError: `keep_prob` outside of (0, 1], an input of other dimensions.\n\n"
        f"Examples:\n    >>> y, kept = ops.{name}(1.0)(Tensor(np.ones({(1,) * ndim}), mstype.float32))\n"
        f"    >>> y.item(), kept.item()\n    (1.0, True)\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(primitive=f"{name}(keep_prob=0.5)(x)")(body)


dropout2d_all = _channel_primitive("Dropout2D", 4)
dropout3d_all = _channel_primitive("Dropout3D", 5)


def _mask_bytes(shape: tuple[int, ...]) -> int:
    return -(-math.prod(shape) // 128) * 16


@op(
    shape=lambda size, *_rest: (_mask_bytes(extent("DropoutGenMask", size)),),
    dtype=lambda *_args: mstype.uint8,
    primitive="DropoutGenMask(Seed0=0, Seed1=0)(shape, keep_prob)",
    rename={"shape": "size", "Seed0": "seed", "Seed1": "seed2"},
    **FLAGS,
)
def dropout_mask(size: Any, keep_prob: Any, seed: Any = 0, seed2: Any = 0) -> Any:
    """Return one bit for each element of a shape, 1 with probability `keep_prob`, in whole groups of 16 bytes.

    Raises:
        ValueError: `keep_prob` outside of (0, 1].

    Examples:
        >>> ops.DropoutGenMask()((2, 4), 1.0)[0].item()
        255

    Source: ``mindspore.ops.DropoutGenMask``.
    """
    keep = _checked_keep("DropoutGenMask", number("DropoutGenMask", "keep_prob", keep_prob))
    shape = extent("DropoutGenMask", size)
    return samplers.dropout_mask(math.prod(shape), *seeded("DropoutGenMask", seed, seed2), 1 - keep)


@composite(primitive="DropoutDoMask()(x, mask, keep_prob)")
def dropout_apply(input: Array, mask: Array, keep_prob: Any) -> Any:
    """Return the elements whose bit of a mask is 1, divided by `keep_prob`, and 0 elsewhere.

    Raises:
        ValueError: a mask of another size than `DropoutGenMask` gives for the shape; `keep_prob` outside of (0, 1].

    Examples:
        >>> x, mask = Tensor([5.0, 6.0]), Tensor([1] + [0] * 15, mstype.uint8)
        >>> print(ops.DropoutDoMask()(x, mask, 0.5))
        [10.  0.]

    Source: ``mindspore.ops.DropoutDoMask``.
    """
    keep = _checked_keep("DropoutDoMask", number("DropoutDoMask", "keep_prob", keep_prob))
    if mask.shape != (_mask_bytes(input.shape),):
        got = str(list(mask.shape))
        fail(ValueError, "DropoutDoMask", "shape of 'mask'", f"be [{_mask_bytes(input.shape)}]", got)
    bits = np.unpackbits(mask._a.astype(np.uint8), count=input.size, bitorder="little").reshape(input.shape)
    return input * from_array((bits / keep).astype(input._kind))


@composite(ops="rrelu(input, lower=0.125, upper=0.3333333333333333)")
def rrelu(input: Array, lower: float = 0.125, upper: float = 0.3333333333333333) -> Any:
    """Return x where it is 0 or more, else x times a slope drawn from [lower, upper) for each element.

    Raises:
        TypeError: a bound that is no number, an input that is no float.
        ValueError: bounds outside of [0, 1], `lower` above `upper`.

    Examples:
        >>> print(ops.rrelu(Tensor([-4.0, 2.0]), 0.25, 0.25))
        [-1.  2.]

    Source: Xu et al., Empirical Evaluation of Rectified Activations; ``mindspore.ops.rrelu``.
    """
    low, high = number("rrelu", "lower", lower), number("rrelu", "upper", upper)
    if not 0 <= low <= high <= 1:
        fail(ValueError, "rrelu", "'lower' and 'upper'", "be in [0, 1], 'lower' not above", f"{low} and {high}")
    if input._kind not in FLOATS:
        fail(TypeError, "rrelu", "dtype of 'input'", "be a float type", str(input.dtype))
    slope = fill_uniform(input, low, high)
    return where(greater(input, 0), input, input * slope)


@op(
    shape=rules.same,
    dtype=rules.same,
    accepts=FLOATS,
    primitive="GumbelLike()(x)",
    label="gumbel_softmax",
    **FLAGS,
)
def gumbel_like(input: Array) -> Any:
    """Return Gumbel numbers in a tensor's shape and dtype.

    Examples:
        >>> ops.GumbelLike()(Tensor([5.0, 6.0])).shape
        (2,)

    Source: Gumbel's distribution, -ln(-ln U).
    """
    return distributions.gumbel(input.shape, input.dtype, *seeded("gumbel_softmax"))


@composite(ops="gumbel_softmax(logits, tau=1.0, hard=False, dim=-1)")
def gumbel_softmax(input: Array, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Any:
    """Return samples of the Gumbel-Softmax distribution: softmax((logits + Gumbel noise) / tau).

    Args:
        hard: give one-hot samples, with the gradient of the soft ones.

    Raises:
        TypeError: logits that are no float tensor, a tau, hard or dim of another type.
        ValueError: a tau that is not above 0.

    Examples:
        >>> print(ops.gumbel_softmax(Tensor([[0.0, 99.0]]), hard=True))
        [[0. 1.]]

    Source: Jang, Gu and Poole, Categorical Reparameterization with Gumbel-Softmax; ``mindspore.ops.gumbel_softmax``.
    """
    if isinstance(tau, bool) or not isinstance(tau, (int, float)):
        fail(TypeError, "gumbel_softmax", "'tau'", "be a float", describe(tau))
    if not isinstance(hard, bool):
        fail(TypeError, "gumbel_softmax", "'hard'", "be a bool", describe(hard))
    if not tau > 0:
        fail(ValueError, "gumbel_softmax", "'tau'", "be above 0", describe(tau))
    axis = rules.axis("gumbel_softmax", dim, input.ndim, "dim")
    soft = softmax((input + gumbel_like(input)) * (1 / tau), axis)
    if not hard:
        return soft
    picked = cast_np(one_hot(argmax(soft, axis), soft.shape[axis], 1, 0, axis), soft._kind)
    return constant(picked - soft) + soft if is_recording() else picked
