"""Names: of op types, of ops, of files."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ms_kernels.core.dispatch import Op

__all__ = ["dtype_name", "file_name", "op_name", "op_type"]

_LONGEST = 200  # bytes of a file's name that the op may take; most file systems end at 255

# ops that a MindSpore program knows under other names than our records say
_TYPES = {
    "batch_norm_train": "BatchNorm",
    "cast_np": "Cast",
    "conv_grad_input": "Conv{n}DBackpropInput",
    "conv_grad_weight": "Conv{n}DBackpropFilter",
    "convolution": "Conv{n}D",
    "cross_entropy_grad": "SparseSoftmaxCrossEntropyWithLogitsGrad",
    "cross_entropy_rows": "SparseSoftmaxCrossEntropyWithLogits",
    "loop_grad": "{loop}Grad",
    "max_pool_grad": "MaxPoolGrad",
}


def op_type(op: Op, args: tuple[Any, ...]) -> str:
    """The type of an op as 2.6's dumps spell it.

    >>> from ms_kernels.core.dispatch import ops_by_name
    >>> op_type(ops_by_name["relu"], ())
    'ReLU'
    """
    text = _TYPES.get(op.name)
    if text is None:
        return _camel(op.label)
    if "{n}" in text:
        return text.format(n=max((getattr(arg, "ndim", 0) for arg in args if hasattr(arg, "_tape")), default=4) - 2)
    if "{loop}" in text:
        return text.format(loop=_camel(next((arg for arg in args if isinstance(arg, str)), "Loop")))
    return text


@lru_cache(maxsize=4096)
def _camel(label: str) -> str:
    label = label.rpartition(".")[2].strip("_")  # "Tensor.__setitem__": a dot would end the type in a file name
    if label[:1].isupper():
        return label
    return "".join(part[:1].upper() + part[1:] for part in label.split("_"))


def op_name(path: str, kind: str, number: int, forward: str = "") -> str:
    """The full name of an op.

    >>> op_name("Default/network-Net", "Mul", 3)
    'Default/network-Net/Mul-op3'
    >>> op_name("Default/network-Net", "Mul", 4, "Exp")
    'Gradients/Default/network-Net/Grad_Exp/Mul-op4'
    """
    if forward:
        return f"Gradients/{path}/Grad_{forward}/{kind}-op{number}"
    return f"{path}/{kind}-op{number}"


@lru_cache(maxsize=8192)
def flat(name: str) -> str:
    """An op's name in a file name: without dots and slashes, and not too long for one.

    >>> flat("Default/network-Net/0.conv-Conv2d/Conv2D-op1")
    'Default_network-Net_0_conv-Conv2d_Conv2D-op1'
    """
    text = re.sub(r"[^\w-]", "_", name, flags=re.ASCII)
    return text if len(text) <= _LONGEST - 60 else text[:40] + "__" + text[-(_LONGEST - 102) :]


def file_name(kind: str, name: str, time: int, side: str, slot: int, dtype: str) -> str:
    """The name of a tensor's file; task and stream are those of the only one there is.

    >>> file_name("Mul", "Default/Mul-op1", 1733905446819790, "output", 0, "float32")
    'Mul.Default_Mul-op1.0.0.1733905446819790.output.0.DefaultFormat.float32.npy'
    """
    return f"{kind}.{flat(name)}.0.0.{time}.{side}.{slot}.DefaultFormat.{dtype}.npy"


@lru_cache(maxsize=64)
def dtype_name(dtype: Any) -> str:
    """A NumPy dtype as file names spell it."""
    return str(dtype)
