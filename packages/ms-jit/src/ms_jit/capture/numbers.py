"""Python's numbers that depend on a tensor: 0-d tensors in the graph, but numbers where dtypes are found."""

from __future__ import annotations

from typing import Any

import ms_dtype as mstype
from ms_jit.capture.errors import Uncapturable
from ms_jit.trees import tensors_in
from ms_kernels.core.dispatch import Op
from ms_kernels.core.tensor import TensorBase

__all__ = ["Numbers"]

_CLOSED = ("add", "sub", "mul", "neg")  # what gives Python's int for ints
_ASKING = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_TRUTH = ("logical_and", "logical_or", "logical_not", "not_equal", "reshape")


class Numbers:
    """The tensors that stand for ints and bools of Python."""

    def __init__(self) -> None:
        self._arrays: dict[int, Any] = {}

    def add(self, tensor: TensorBase) -> None:
        """Let a tensor stand for a number."""
        self._arrays[id(tensor._raw)] = tensor._raw

    def holds(self, tensor: TensorBase) -> bool:
        """Whether a tensor stands for a number."""
        return id(tensor._raw) in self._arrays

    def check(self, op: Op, args: tuple[Any, ...], outs: tuple[TensorBase, ...]) -> None:
        """Called when an op gave results.

        Raises:
            Uncapturable: it would give others for the number itself.
        """
        if not self._arrays:
            return
        given = tensors_in(args)
        numbers = [tensor for tensor in given if self.holds(tensor)]
        if not numbers:
            return
        others = [tensor for tensor in given if not self.holds(tensor)]
        kinds = {tensor.dtype.kind for tensor in numbers}
        plain = all(type(arg) is int for arg, kind in zip(args, op.kinds) if kind and not isinstance(arg, TensorBase))
        if not others and op.name in (_TRUTH if kinds == {"b"} else _ASKING):
            self._mark(outs)
            return
        rest = op.label in ("FloorMod", "FloorDiv") and type(args[1]) is int and args[1] != 0
        if not others and kinds == {"i"} and plain and (rest or op.name in _CLOSED):
            self._mark(outs)
            return
        for number in numbers:
            for other in others:
                kind = number.dtype.kind
                if mstype.promote(other.dtype, number.dtype) is not mstype.promote_scalar(other.dtype, kind):
                    raise Uncapturable(f"'{op.label}' of a number that depends on a tensor gives another dtype")
        if not others or op.name not in ("add", "sub", "mul", *_ASKING, "logical_and", "logical_or"):
            raise Uncapturable(f"'{op.label}' is computed of a number that depends on a tensor")

    def _mark(self, outs: tuple[TensorBase, ...]) -> None:
        for out in outs:
            self.add(out)
