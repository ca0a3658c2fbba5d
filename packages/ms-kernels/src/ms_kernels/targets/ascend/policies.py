"""The rounding policies that op records name: what happens to an op that has no kernel of its own.

A policy says how the op's body is run.  Every name that a record may give is a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ms_kernels.targets.ascend.chip import Array, Chip
from ms_kernels.targets.ascend.profiles import BF16, F16, F32

__all__ = ["POLICIES", "Policy"]

Run = Callable[[Chip, Any, list[Any]], Any]
_LOW = (F16, F32, BF16)


@dataclass(frozen=True, slots=True)
class Policy:
    """How ops of one kind run.

    Attributes:
        run: the function for ops without a kernel of their own; None runs the body as the CPU does.
        text: what it does, and by which rules.
    """

    run: Run | None
    text: str


def _exact(chip: Chip, op: Any, values: list[Any]) -> Any:
    """The body as it is: it rounds nothing."""
    return op.body(*values)


def _step(chip: Chip, op: Any, values: list[Any]) -> Any:
    """The body, which computes in float32 and rounds once to the operands' type; then the overflow mode."""
    out = op.body(*values)
    if not chip.saturating:
        return out
    if isinstance(out, tuple):
        return tuple(chip.finish(np.asarray(item)) for item in out)
    return chip.finish(np.asarray(out))


def _widened(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.astype(np.float64) if value.dtype in _LOW else value
    return [_widened(item) for item in value] if isinstance(value, list) else value


def _once(chip: Chip, op: Any, values: list[Any]) -> Any:
    """The body in float64, one RN to float32, one RN to the operands' type."""
    kind = next(v.dtype for v in values if isinstance(v, np.ndarray) and v.dtype in _LOW)
    with np.errstate(all="ignore"):
        found = np.asarray(op.body(*[_widened(v) for v in values]))
        return rounded(chip, found, kind)


def rounded(chip: Chip, found: Array, kind: Any) -> Array:
    if found.dtype != np.float64:
        return found
    out = chip.to(found, F32)
    return out if kind == F32 else chip.to(out, kind)


_SAME = "the body's own arithmetic (float32 inside for 16-bit types, one rounding), then the overflow mode"
POLICIES: Mapping[str, Policy] = MappingProxyType(
    {
        "copy": Policy(None, "moves elements, changes no bits (AN-OVF-06)"),
        "create": Policy(None, "makes numbers of attributes alone"),
        "index": Policy(None, "gives places or counts, which are exact"),
        "sort": Policy(None, "orders elements, changes no bits"),
        "logic": Policy(None, "gives truth values"),
        "compare": Policy(None, "compares exactly (not_equal: AN-VEC-08)"),
        "wrap": Policy(None, "integer arithmetic that wraps (AN-VEC-01)"),
        "random": Policy(None, "the stream of AN-RNG-01 to 09, equal on all targets"),
        "cast": Policy(_step, "AN-CAST-01 to 19"),
        "step": Policy(_step, f"one step in the operands' type (AN-TYPE-02, 03): {_SAME}"),
        "step_f32": Policy(_once, "one float32 step computed in float64 (AN-TYPE-06, AN-VEC-10), one RN to the type"),
        "special_f32": Policy(_once, "as step_f32; no source has a recipe"),
        "fused": Policy(_step, f"a gradient or an update of several operations; no source has a recipe: {_SAME}"),
        "pow": Policy(_step, "AN-VEC-07"),
        "floor_div": Policy(_step, "AN-DIV-01 to 04"),
        "remainder": Policy(_step, "AN-DIV-04 to 06"),
        "sum_f32": Policy(_step, f"AN-RED-02; pooling and norms, which have no recipe: {_SAME}"),
        "mean": Policy(_step, "AN-RED-03"),
        "var": Policy(_step, f"no source has a recipe: {_SAME}"),
        "prod_f32": Policy(_step, f"no source has a recipe: {_SAME}"),
        "scan_f32": Policy(_step, f"cumsum: AN-RED-05; products: {_SAME}"),
        "logsumexp": Policy(_step, f"no source has a recipe: {_SAME}"),
        "extremum": Policy(_step, "picks an element, NaN wins (AN-VEC-09, AN-RED-05), then the overflow mode"),
        "softmax": Policy(_step, f"softmax: AN-OP-01; its relatives, which have no recipe: {_SAME}"),
        "layer_norm": Policy(_step, f"layer_norm: AN-OP-02; its relatives, which have no recipe: {_SAME}"),
        "batch_norm": Policy(_step, f"no source has a recipe: {_SAME}"),
        "gelu": Policy(_step, "AN-OP-04"),
        "gelu_tanh": Policy(_step, "AN-OP-03"),
        "dropout": Policy(_step, "AN-RNG-08 to 10"),
        "scatter_add": Policy(_step, f"adds in the order of the indices: {_SAME}"),
        "cube": Policy(_step, "AN-CUBE-01 to 07 with AN-PREC-01 to 07"),
        "matmul": Policy(_step, f"interpolation by weights, on the vector unit: {_SAME}"),
        "fft": Policy(_step, "the transform of the CPU (AN-TYPE-07), then the overflow mode"),
        "lapack": Policy(_step, "the decompositions of the CPU (AN-TYPE-07), then the overflow mode"),
    }
)
