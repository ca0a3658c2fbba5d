"""Random number generators and seeds (``mindspore.Generator``, ``mindspore.set_seed``)."""

from __future__ import annotations

from ms_generator._version import __version__
from ms_generator.default import (
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from ms_generator.generator import Generator
from ms_generator.seeds import get_seed, set_seed

__all__ = [
    "Generator",
    "__version__",
    "default_generator",
    "get_rng_state",
    "get_seed",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "set_seed",
]
