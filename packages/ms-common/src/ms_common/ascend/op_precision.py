"""`mindspore.device_context.ascend.op_precision`: in which types the cube multiplies, and how exact operators are.

A value set here counts before one of ``set_context(ascend_config=...)``; the first operator that reads a
value fixes it.
"""

from __future__ import annotations

from typing import Any

from ms_common.ascend._calls import CALLS, typed
from ms_kernels.targets.ascend import emulator, set_choices

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]


def precision_mode(mode: str) -> None:
    """Choose the types in which float32 matrices are multiplied.

    Args:
        mode: force_fp16, allow_fp32_to_fp16, allow_fp32_to_bf16, allow_mix_precision, allow_mix_precision_fp16,
            allow_mix_precision_bf16, must_keep_origin_dtype or force_fp32.

    Raises:
        ValueError: another word.
        RuntimeError: another word was set before.

    Source: ``mindspore.device_context.ascend.op_precision.precision_mode``.
    """
    if CALLS.accepted("precision_mode"):
        emulator.precision.set("precision_mode", mode)


def matmul_allow_hf32(value: bool) -> None:
    """Allow HF32 inputs, of 11 mantissa bits, to matrix products of float32; off by default.

    Raises:
        ValueError: neither True nor False.
        RuntimeError: the other value was set before.

    Source: ``mindspore.device_context.ascend.op_precision.matmul_allow_hf32``.
    """
    if CALLS.accepted("matmul_allow_hf32"):
        emulator.precision.set("matmul_allow_hf32", value)


def conv_allow_hf32(value: bool) -> None:
    """Allow HF32 inputs, of 11 mantissa bits, to convolutions of float32; on by default.

    Raises:
        ValueError: neither True nor False.
        RuntimeError: the other value was set before.

    Source: ``mindspore.device_context.ascend.op_precision.conv_allow_hf32``.
    """
    if CALLS.accepted("conv_allow_hf32"):
        emulator.precision.set("conv_allow_hf32", value)


def op_precision_mode(path: str) -> None:
    """Name a file that says which operators take their exact form.

    Of its lines ``Operator=high_precision`` the one for ``Exp`` has an effect here (and one for ``*``).

    Raises:
        TypeError: `path` is no str.
        ValueError: there is no such file.
        RuntimeError: another file was named before.

    Source: ``mindspore.device_context.ascend.op_precision.op_precision_mode``.
    """
    typed("op_precision_mode", "path", path, str)
    if CALLS.accepted("op_precision_mode"):
        emulator.precision.set("op_precision_mode", path)
        set_choices(high_precision=_asks(path))


def _asks(path: str) -> bool:
    words: dict[str, Any] = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name, equals, word = line.partition("#")[0].partition("=")
            if equals:
                words[name.strip().lower()] = word.strip()
    return "high_precision" in (words.get("exp"), words.get("*"))
