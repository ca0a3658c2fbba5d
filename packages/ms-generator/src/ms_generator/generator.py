"""Generator: MindSpore 2.6's class over a stream of ms-kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_generator.state import pack, unpack
from ms_kernels import Parameter, Primitive, Tensor, from_numpy
from ms_kernels.random.stream import STEP, Stream

__all__ = ["Generator"]


class Generator:
    """A source of random numbers with its own seed and offset (``mindspore.Generator``).

    With seed and offset fixed, the same calls give the same numbers, on every target.  Each random call that is handed
    the generator moves its offset by 12, whatever the size of the result.  Any number of generators can be in use at
    once, also inside functions compiled in graph mode.

    One generator may serve several threads: no two calls get the same numbers, but which call gets which depends on the
    order in which they come; threads that have to repeat exactly take a generator each.  After a fork, parent and child
    continue from the same state; seed one of them anew.

    A new generator has seed 0 and offset 0.

    Examples:
        >>> g = Generator()
        >>> g.manual_seed(5).initial_seed()
        5
        >>> saved = g.get_state()
        >>> g.set_state(saved)
        >>> print(saved)
        [5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0]
    """

    def __init__(self) -> None:
        self._stream = Stream(0)
        self._parameters: dict[str, Parameter] = {}
        self._generator = Primitive("Generator")
        # its state is host memory on every target
        for name, value in (("side_effect_mem", True), ("primitive_target", "CPU"), ("manual_seed", False)):
            self._generator.add_prim_attr(name, value)

    def _parameter(self, name: str, place: int) -> Parameter:
        if name not in self._parameters:
            view = self._stream.array[place, ...]  # memory of the stream: shows its present value
            made = Parameter(from_numpy(view), name=name, requires_grad=False)
            made._set(view)  # a Parameter copies what it is given
            self._parameters[name] = made
        return self._parameters[name]

    @property
    def _seed(self) -> Parameter:
        """The seed, an int64 Parameter that follows the state."""
        return self._parameter("seed", 0)

    @property
    def _offset(self) -> Parameter:
        """The offset, an int64 Parameter that follows the state."""
        return self._parameter("offset", 1)

    def seed(self) -> int:
        """Take a seed from the operating system and set the offset to 0; returns the seed."""
        return self._stream.randomize()

    def manual_seed(self, seed: int) -> Generator:
        """Set the seed, and the offset to 0.

        Args:
            seed: any integer of 64 bits; 2**63 and above wrap, as in an int64.

        Returns:
            The generator itself.

        Raises:
            TypeError: `seed` is not an int.
            ValueError: `seed` has more than 64 bits.
        """
        if not isinstance(seed, int):
            raise TypeError("Seed must be an integer.")
        if not -(1 << 63) <= seed < 1 << 64:
            raise ValueError(f"For 'manual_seed', the 'seed' must be in [-2**63, 2**64), but got {seed}.")
        self._stream.set(seed)
        self._generator.add_prim_attr("manual_seed", True)
        return self

    def initial_seed(self) -> int:
        """Return the seed that the generator was started with."""
        return self._stream.peek()[0]

    def get_state(self) -> Tensor:
        """Return the state: a uint8 Tensor of shape (16,), the int64 seed and the int64 offset."""
        return Tensor(pack(*self._stream.peek()))

    def set_state(self, state: Tensor) -> None:
        """Put the generator into a state that `get_state` returned.

        Raises:
            TypeError: `state` is not a Tensor of type uint8.
            ValueError: its shape is not (16,).
        """
        self._stream.set(*unpack("set_state", state))

    def _step(self, step: Any = STEP) -> tuple[Tensor, Tensor]:
        """Return (seed, offset) for one random call as int64 Tensors and move the offset by `step`."""
        seed, offset = self._stream.reserve(int(step))
        return Tensor(np.int64(seed), mstype.int64), Tensor(np.int64(offset), mstype.int64)

    def __reduce__(self) -> Any:
        return _rebuild, (*self._stream.peek(), self._generator.attrs["manual_seed"])


def _rebuild(seed: int, offset: int, seeded: bool) -> Generator:
    """Make a copied or unpickled generator."""
    made = Generator()
    made._stream.set(seed, offset)
    made._generator.add_prim_attr("manual_seed", seeded)
    return made
