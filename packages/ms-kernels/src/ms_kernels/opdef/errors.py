"""The one form of error text: "For 'X', the 'arg' must be RULE, but got VALUE."  Every function here raises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import ms_dtype as mstype

__all__ = ["describe", "dtype", "fail", "missing", "operand", "too_many", "unexpected"]


def describe(value: object) -> str:
    """Return what to show of a wrong value: its type, and the value itself when it is short."""
    if value is None:
        return "None"
    kind = type(value).__name__
    if isinstance(value, (bool, int, float, complex, str)):
        text = repr(value)
        return f"{text if len(text) <= 60 else text[:57] + '...'} ({kind})"
    return kind


def fail(kind: type[Exception], name: str, subject: str, rule: str, got: object = None) -> NoReturn:
    """Raise `kind` with the project's one text.

    Args:
        kind: the exception type that MindSpore 2.6 raises here.
        name: the function or primitive, as its user knows it.
        subject: what is wrong: an argument ("'axis'") or a property of it ("shape of 'x'").
        rule: what it has to be, after "must ".
        got: what came instead; strings are put as they are.
    """
    tail = f", but got {got}" if got is not None else ""
    raise kind(f"For '{name}', the {subject} must {rule}{tail}.")


def operand(name: str, arg: str, value: object, numbers: bool = False) -> NoReturn:
    """Something stands for a tensor that is none (nor a number, where `numbers` may stand for one)."""
    fail(TypeError, name, f"'{arg}'", "be a Tensor or a number" if numbers else "be a Tensor", describe(value))


def dtype(name: str, arg: str, got: Any, accepted: Iterable[Any]) -> NoReturn:
    """An operand has an element type that the op does not have."""
    names = sorted({str(mstype.from_numpy(item)) for item in accepted})
    fail(TypeError, name, f"dtype of '{arg}'", f"be one of [{', '.join(names)}]", str(got))


def too_many(name: str, takes: int, given: int) -> NoReturn:
    """More positional arguments than parameters."""
    raise TypeError(f"For '{name}', the number of arguments must be at most {takes}, but got {given}.")


def missing(name: str, arg: str) -> NoReturn:
    """A required argument is not there."""
    raise TypeError(f"For '{name}', the argument '{arg}' must be given, but it is missing.")


def unexpected(name: str, arg: str) -> NoReturn:
    """A keyword that no parameter has."""
    raise TypeError(f"For '{name}', the keyword must be one of its parameters, but got '{arg}'.")


def inplace_shape(name: str, shape: tuple[int, ...], got: tuple[int, ...]) -> NoReturn:
    """The result of an in-place call does not fit."""
    fail(ValueError, name, "result of an in-place call", f"have the shape {list(shape)} of 'input'", str(list(got)))


def inplace_view() -> NoReturn:
    """A recorded change of a view would be lost in its base's gradient."""
    raise RuntimeError(
        "For an in-place operation, the tensor must not be a view while gradients are recorded, but it shares memory "
        "with another tensor: call copy() first, or use the operation that returns a new tensor."
    )


def inplace_leaf() -> NoReturn:
    """A recorded change of a parameter would make its gradient meaningless."""
    raise RuntimeError(
        "For an in-place operation, the tensor must not be a Parameter that takes part in a gradient being recorded: "
        "use the operation that returns a new tensor, or no_grad."
    )


def no_operator(sign: str) -> NoReturn:
    """A Python operator that no op serves (the module with the ops was not imported)."""
    raise TypeError(f"For '{sign}', the operands must have an op, but none is declared: import ms_kernels.")
