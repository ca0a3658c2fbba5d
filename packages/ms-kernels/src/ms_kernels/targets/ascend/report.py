"""Comparison of two tensors as msprobe reports it: metrics, verdict, pre-check.

Writers of dumps and reports build on these functions; the names of files and columns are in `LAYOUT`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ms_kernels.targets.ascend.chip import Array
from ms_kernels.targets.ascend.rules import rule, state

__all__ = ["LAYOUT", "METRICS", "compare", "precheck", "verdict"]

_COMPARE = "MSTT core/compare/npy_compare.py"
_DUMP = "MSTT docs/zh/dump/mindspore_data_dump_instruct.md"
METRICS = (
    "Cosine",
    "EucDist",
    "MaxAbsErr",
    "MaxRelativeErr",
    "One Thousandth Err Ratio",
    "Five Thousandths Err Ratio",
)
EPSILON = float(np.finfo(float).eps)

LAYOUT: Mapping[str, str] = MappingProxyType(
    {
        "dump": "{dump_path}/step{step}/rank{rank}/",
        "data": "dump_tensor_data/{name}.npy",
        "api": "{kind}.{api}.{call}.{direction}.{side}.{index}",
        "cell": "Cell.{name}.{cls}.{direction}.{call}.{side}.{index}",
        "mindspore": "{op_type}.{op_name}.{task_id}.{stream_id}.{timestamp}.{side}.{slot}.{format}.{dtype}.npy",
    }
)
state(
    "AN-REP-06",
    "Columns: NPU/Bench Name, dtype, shape, Requires_grad; the metrics; NPU/Bench max, min, mean, l2norm; "
    "Requires_grad Consistent; Accuracy Reached or Not; Err_message. The statistic mode has Max/Min/Mean/L2norm diff "
    'and relative error; Result "Warning" if abs(diff) > 0.5 * (max(abs npu, abs bench) + 1e-10); the md5 mode '
    "compares CRC-32.",
    "MSTT core/common/const.py, core/compare/utils.py",
    "source",
)
state(
    "AN-REP-08",
    'Dump tree: step{n}/rank{r}/ (directory "rank" when not distributed) with dump.json, stack.json, construct.json, '
    "dump_error_info.log and dump_tensor_data/*.npy: `LAYOUT`.",
    _DUMP,
    "documented",
)
state(
    "AN-REP-09",
    "npy names: {kind}.{api}.{call}.{forward,backward}.{input,output}.{i}.npy, Cell.{name}.{Class}....npy: `LAYOUT`.",
    _DUMP,
    "documented",
)
state(
    "AN-REP-10",
    'dump.json: task, level, framework "mindspore", dump_data_dir, data: name: input_args, input_kwargs, output lists '
    "of {type, dtype, shape, Max, Min, Mean, Norm, data_name}.",
    _DUMP,
    "documented",
)
state(
    "AN-REP-11",
    "MindSpore's own dump file name, bfloat16 stored as float32, and statistic.csv: `LAYOUT`.",
    "MSD tutorials/source_en/debug/dump.md",
    "documented",
)


@rule("AN-REP-01", _COMPARE, "source")
def compare(npu: Array, bench: Array) -> dict[str, Any]:
    """Metrics in this order: Cosine, EucDist (L2 of the difference), MaxAbsErr, MaxRelativeErr, One Thousandth and Five
    Thousandths Err Ratio; in float64, all but EucDist rounded to 12 decimals.

    >>> found = compare(np.float32([1, 2, 3, 5]), np.float32([1, 2, 3, 4]))
    >>> found["Cosine"], found["MaxAbsErr"]
    (0.993999088548, 1.0)
    """
    if npu.shape != bench.shape:
        return dict.fromkeys(METRICS, "shape unmatched")
    prepared = _finite(npu, bench)
    if prepared is None:
        return dict.fromkeys(METRICS, "N/A")
    a, b = prepared
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    errors = _relative(a, b)
    most = float(np.max(errors)) if errors.size else 0.0
    values = (
        _cosine(wide_a, wide_b),
        float(np.linalg.norm((wide_a - wide_b).reshape(-1))),
        round(float(np.max(np.abs(wide_a - wide_b), initial=0.0)), 12),
        "Nan" if np.isnan(most) else round(most, 12),
        *(round(np.count_nonzero(errors < limit) / max(errors.size, 1), 12) for limit in (0.001, 0.005)),
    )
    return dict(zip(METRICS, values))


@rule("AN-REP-04", _COMPARE, "source")
def _finite(npu: Array, bench: Array) -> tuple[Array, Array] | None:
    """Inf and NaN at the same positions are replaced by 0 on both sides, otherwise all metrics are "N/A"; shapes that
    differ give "shape unmatched"."""
    if npu.dtype.kind in "iub":
        return npu, bench
    odd_a, odd_b = ~np.isfinite(npu), ~np.isfinite(bench)
    same = (odd_a == odd_b) & (~odd_a | (np.isnan(npu) & np.isnan(bench)) | (npu == bench))
    if not same.all():
        return None
    return np.where(odd_a, npu.dtype.type(0), npu), np.where(odd_b, bench.dtype.type(0), bench)


@rule("AN-REP-02", _COMPARE, "source")
def _relative(npu: Array, bench: Array) -> Array:
    """Relative error abs((npu - bench)/bench) in the arrays' own float type (integers: float64); where bench is 0, add
    2.220446049250313e-16 to both (in float16 that is lost: 0/0 gives "Nan")."""
    if npu.dtype.kind in "iub":
        npu, bench = npu.astype(np.float64), bench.astype(np.float64)
    zero = bench == 0
    eps = npu.dtype.type(EPSILON)
    with np.errstate(all="ignore"):
        a, b = np.where(zero, npu + eps, npu), np.where(zero, bench + eps, bench)
        return np.abs((a - b) / b)


@rule("AN-REP-03", _COMPARE, "source")
def _cosine(a: Array, b: Array) -> Any:
    """Cosine: both norms <= that epsilon: 1.0; one of them: "Nan"; length 1 or 0-d: "unsupported"; above 0.9999
    rounded to 6 digits."""
    if a.size == 1 or a.ndim == 0:
        return "unsupported"
    x, y = a.reshape(-1), b.reshape(-1)
    norms = float(np.linalg.norm(x)), float(np.linalg.norm(y))
    if max(norms) <= EPSILON:
        return 1.0
    if min(norms) <= EPSILON:
        return "Nan"
    found = float(np.dot(x / norms[0], y / norms[1]))
    return round(found, 6) if found > 0.9999 else round(found, 12)


@rule("AN-REP-05", "MSTT core/compare/multiprocessing_compute.py", "source")
def verdict(cosine: Any, max_abs_err: Any) -> str:
    """ "Accuracy Reached or Not": shape mismatch "Unmatched"; a metric "N/A": "No"; not a number such as "unsupported":
    "None"; No if (cos < 0.99 and maxabs > 0.001) or cos < 0.9 or maxabs > 1; else Yes (so a "Nan" cosine alone does not
    fail).

    >>> verdict(0.98, 0.002)
    'No'
    """
    if "shape unmatched" in (cosine, max_abs_err):
        return "Unmatched"
    if "N/A" in (cosine, max_abs_err):
        return "No"
    try:
        c, error = float(cosine), float(max_abs_err)
    except ValueError:
        return "None"
    return "No" if (c < 0.99 and error > 0.001) or c < 0.9 or error > 1 else "Yes"


@rule("AN-REP-07", "MSTT mindspore/api_accuracy_checker/base_compare_algorithm.py", "source")
def precheck(cosine: float, max_abs_err: float) -> str:
    """MindSpore API pre-check: "pass" if cosine > 0.99 and MaxAbsErr < 0.001 (the code; its manual says 0.0001)."""
    return "pass" if cosine > 0.99 and max_abs_err < 0.001 else "error"
