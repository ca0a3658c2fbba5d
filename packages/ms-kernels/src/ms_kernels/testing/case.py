"""A Case per op: inputs and an oracle, from which the table-driven tests are made."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ms_dtype as mstype

__all__ = ["ALL", "Case", "FLOAT", "INT", "Maker", "NUMBER", "REAL", "TOLERANCE", "cases"]

FLOAT = ("float16", "bfloat16", "float32", "float64")
INT = ("int8", "int16", "int32", "int64", "uint8")
REAL = (*FLOAT, *INT)
NUMBER = (*REAL, "complex64", "complex128")
ALL = (*NUMBER, "bool_")

# relative and absolute error allowed against the float64 oracle: some roundings of each type
TOLERANCE = {
    "float16": (4e-3, 1e-3),
    "bfloat16": (3e-2, 1e-2),
    "float32": (2e-5, 2e-6),
    "float64": (1e-11, 1e-12),
    "complex64": (2e-5, 2e-6),
    "complex128": (1e-11, 1e-12),
}


class Maker:
    """Makes the arrays of one dtype for a case; numbers are exactly representable in the dtype by construction."""

    def __init__(self, dtype: str, seed: int = 0) -> None:
        self.dtype = dtype
        self.np = np.dtype(getattr(mstype, dtype).np)
        self.rng = np.random.default_rng(seed)

    def _cast(self, values: Any) -> Any:
        return np.asarray(values).astype(self.np)

    def __call__(self, *shape: int, low: float = -3.0, high: float = 3.0) -> Any:
        """Numbers between low and high (rounded for integers; both signs only where the type has them)."""
        if self.dtype == "bool_":
            return np.asarray(self.rng.random(shape) < 0.5)
        values = self.rng.uniform(low, high, shape)
        if self.dtype.startswith("complex"):
            values = values + 1j * self.rng.uniform(low, high, shape)
        if self.dtype.startswith(("int", "uint")):
            values = np.rint(np.abs(values) if self.dtype.startswith("uint") else values)
        return self._cast(values)

    def positive(self, *shape: int, low: float = 0.25, high: float = 3.0) -> Any:
        """Numbers above 0 (from 1 for integers)."""
        if self.dtype.startswith(("int", "uint")):
            return self._cast(self.rng.integers(1, 5, shape))
        return self(*shape, low=low, high=high)

    def away(self, *shape: int, gap: float = 0.25) -> Any:
        """Numbers of both signs, none nearer than `gap` to 0: safe around kinks."""
        sign = np.where(self.rng.random(shape) < 0.5, -1, 1)
        size = self.rng.uniform(gap, 3.0, shape)
        if self.dtype.startswith(("int", "uint")):
            size = np.ceil(size)
        return self._cast(size if self.dtype.startswith("uint") else size * sign)

    def distinct(self, *shape: int) -> Any:
        """Numbers no two of which are equal, well apart: safe for maxima and sorting."""
        count = int(np.prod(shape))
        values = self.rng.permutation(count).reshape(shape) - (0 if self.dtype.startswith("uint") else count // 2)
        return self._cast(values * (0.25 if self.dtype in FLOAT and count <= 512 else 1))

    def ints(self, *shape: int, low: int = 0, high: int = 3, dtype: Any = np.int64) -> Any:
        """Integers in [low, high), for indices."""
        return self.rng.integers(low, high, shape).astype(dtype)

    def bools(self, *shape: int) -> Any:
        return np.asarray(self.rng.random(shape) < 0.5)


@dataclass(frozen=True)
class Case:
    """What the table-driven tests need to know of one op.

    Attributes:
        oracle: the op in plain NumPy, on arrays widened to float64 (or complex128), with the op's canonical arguments.
        inputs: makes some tuples of canonical arguments (arrays for operands; trailing defaults may be left out).
        dtypes: the operand dtypes to sweep.
        grad: 0 no gradient check, 1 first order only (with the reason in `note`), 2 second order as well.
        tolerance: overrides of TOLERANCE.
        views: whether operands may be replaced by strided views.
        wrt: the operands that have a gradient (their places among the arguments); None for all.
        results: how many of the results have one; 0 for all.
        note: reason for an exception.
    """

    oracle: Callable[..., Any]
    inputs: Callable[[Maker], Sequence[tuple[Any, ...]]]
    dtypes: Sequence[str] = FLOAT
    grad: int = 2
    tolerance: dict[str, tuple[float, float]] = field(default_factory=dict)
    views: bool = True
    wrt: tuple[int, ...] | None = None
    results: int = 0
    note: str = ""

    def allowed(self, dtype: str) -> tuple[float, float]:
        return self.tolerance.get(dtype, TOLERANCE.get(dtype, (0.0, 0.0)))


def cases() -> dict[str, Case]:
    """All cases by op name; a name in two families is an error."""
    from ms_kernels.testing import samples

    found: dict[str, Case] = {}
    for module in pkgutil.iter_modules(samples.__path__):
        table = importlib.import_module(f"{samples.__name__}.{module.name}").CASES
        for name, case in table.items():
            if name in found:
                raise ValueError(f"two cases for op '{name}'")
            found[name] = case
    return found
