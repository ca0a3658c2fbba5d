"""Weight initializers that give MindSpore 2.6's numbers (``mindspore.common.initializer``)."""

from __future__ import annotations

from ms_initializer._version import __version__
from ms_initializer.base import Initializer, aliases, initializer, register
from ms_initializer.constant import Constant, One, Zero
from ms_initializer.inside import (  # noqa: F401  (names from inside of 2.6's module)
    _INITIALIZER_ALIAS,
    _assignment,
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
    _calculate_in_and_out,
    _init_random_normal,
    _init_random_uniform,
    _init_truncated_normal,
    _numpy_seed,
    _register,
)
from ms_initializer.random import (
    HeNormal,
    HeUniform,
    Normal,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
)
from ms_initializer.structured import Dirac, Identity, Orthogonal, Sparse

__all__ = [
    "Constant",
    "Dirac",
    "HeNormal",
    "HeUniform",
    "Identity",
    "Initializer",
    "Normal",
    "One",
    "Orthogonal",
    "Sparse",
    "TruncatedNormal",
    "Uniform",
    "VarianceScaling",
    "XavierNormal",
    "XavierUniform",
    "Zero",
    "__version__",
    "aliases",
    "initializer",
    "register",
]
