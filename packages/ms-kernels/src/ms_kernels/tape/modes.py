"""Scoped modes of the tape."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import scope
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail

__all__ = ["no_grad", "record", "stop_gradient_"]


def record() -> scope:
    """Context manager: calls inside are written to the tape.

    Examples:
        >>> from ms_kernels.core.dispatch import is_recording
        >>> with record():
        ...     is_recording()
        True
    """
    return scope(recording=True)


def no_grad() -> scope:
    """Context manager: calls inside are not written to the tape (``mindspore._no_grad``).

    Examples:
        >>> from ms_kernels import Tensor, grad
        >>> def f(x):
        ...     with no_grad():
        ...         y = x * x
        ...     return x * y
        >>> print(grad(f)(Tensor(3.0)))
        9.0
    """
    return scope(recording=False)


def stop_gradient_(input: Any) -> None:
    """Make a tensor a constant for everything computed from it afterwards (``mindspore.ops.stop_gradient_``).

    Raises:
        TypeError: `input` is no Tensor.
        RuntimeError: it is a Parameter that takes part in gradients: set its `requires_grad` to False instead.

    Examples:
        >>> from ms_kernels import Tensor, grad
        >>> def f(x):
        ...     y = x * x
        ...     stop_gradient_(y)
        ...     return x * y
        >>> print(grad(f)(Tensor(3.0)))
        9.0
    """
    if not isinstance(input, TensorBase):
        fail(TypeError, "stop_gradient_", "'input'", "be a Tensor", describe(input))
    if input._tape is not None and input._tape.op is None:
        fail(RuntimeError, "stop_gradient_", "'input'", "not be a Parameter with requires_grad=True", describe(input))
    input._set_tape(None)
