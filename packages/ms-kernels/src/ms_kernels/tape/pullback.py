"""A function recorded once, whose gradient can then be asked for many times: what `vjp` and the Jacobians stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import is_recording, scope
from ms_kernels.core.tensor import TensorBase, from_array, next_sequence
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.backward import backward
from ms_kernels.tape.batched import kept
from ms_kernels.tape.grad import _flat, _leaf, _Leaves, _map, _off, _or_zeros

__all__ = ["Pullback", "Pushforward", "check_flag", "check_function", "split_aux"]


def check_function(name: str, fn: Any, kind: type[Exception] = TypeError) -> None:
    """Raise unless fn can be called."""
    if not callable(fn):
        fail(kind, name, "'fn'", "be a function or a Cell", describe(fn))


def check_flag(name: str, key: str, value: Any) -> None:
    """Raise unless value is a bool."""
    if not isinstance(value, bool):
        fail(TypeError, name, f"'{key}'", "be a bool", describe(value))


def split_aux(name: str, value: Any, has_aux: bool) -> tuple[Any, Any]:
    """Return what is to be differentiated, and what is only passed on (one value alone, or a tuple of them)."""
    if not has_aux:
        return value, None
    if not isinstance(value, (tuple, list)) or len(value) < 2:
        fail(ValueError, name, "output of 'fn'", "be a tuple of two or more with 'has_aux'", describe(value))
    rest = tuple(value[1:])
    return value[0], rest[0] if len(rest) == 1 else rest


class Pullback:
    """One recorded call of a function.

    Args:
        fn: the function.
        args: its arguments.
        positions: which of them to differentiate by; each is or holds tensors.
        weights: what else to differentiate by.
        has_aux: only the first result is differentiated.
        name: the public function that asks, for error texts.

    Attributes:
        value: the result to be differentiated, with no tape behind it unless an outer function records.
        aux: the other results.
        outputs: its tensors, in order, with their places on the tape.
        inputs: the arguments at `positions` as the function saw them.

    Raises:
        TypeError: an argument holds no tensor, or the result holds none.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any],
        positions: Sequence[int],
        weights: Sequence[TensorBase] = (),
        has_aux: bool = False,
        name: str = "vjp",
    ) -> None:
        self.since = next_sequence()
        given = list(args)
        for position in positions:
            if not _flat(given[position]):
                got = describe(given[position])
                fail(TypeError, name, f"input {position} of 'fn'", "be or hold Tensors to differentiate by", got)
            given[position] = _map(given[position], _leaf)
        self.inputs = [given[position] for position in positions]
        self.weights = list(weights)
        leaves = _Leaves(self.weights)
        try:
            with scope(recording=True):
                self.value, self.aux = split_aux(name, fn(*given), has_aux)
        finally:
            leaves.release()
        self.targets = [leaf._tape for item in self.inputs for leaf in _flat(item)] + leaves.nodes
        found = _flat(self.value)
        if not found:
            fail(TypeError, name, "output of 'fn'", "be a Tensor or hold Tensors", describe(self.value))
        self.outputs = [kept(out) for out in found]
        if not is_recording():
            self.value, self.aux = _map(self.value, _off), _map(self.aux, _off)

    def __call__(self, seeds: Sequence[TensorBase], recording: bool | None = None) -> tuple[list[Any], list[Any]]:
        """Return the gradients of the inputs (in their structure) and of the weights, given those of the outputs."""
        with scope(recording=is_recording() if recording is None else recording):
            found = iter(backward(self.outputs, seeds, self.targets, self.since))
            by_input = [_map(item, lambda leaf: _or_zeros(next(found), leaf)) for item in self.inputs]
            return by_input, [_or_zeros(next(found), weight) for weight in self.weights]


class Pushforward:
    """The derivative of a recorded function along tangents of its inputs.

    The pullback is linear in the gradients it is given; its own pullback is the derivative wanted.
    """

    def __init__(self, pull: Pullback) -> None:
        self.pull = pull
        self.since = next_sequence()
        self.seeds = [_leaf(from_array(np.zeros(out.shape, out._kind))) for out in pull.outputs]
        by_input, _ = pull(self.seeds, recording=True)
        self.rows = [grad for item in by_input for grad in _flat(item)]

    def __call__(self, tangents: Sequence[TensorBase]) -> list[Any]:
        """Return the tangent of each output."""
        targets = [seed._tape for seed in self.seeds]
        with scope(recording=is_recording()):
            found = backward(self.rows, tangents, targets, self.since)
            return [_or_zeros(grad, seed) for grad, seed in zip(found, self.seeds)]
