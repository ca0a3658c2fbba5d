"""Every op of the table on the emulated chips: it has a policy, and gives what the oracle gives but for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels.core.tensor import from_array
from ms_kernels.opdef.register import all_ops
from ms_kernels.targets.ascend import AscendTarget
from ms_kernels.targets.ascend.kernels import COMPOSITES, KERNELS
from ms_kernels.targets.ascend.policies import POLICIES
from ms_kernels.targets.ascend.precision import Precision
from ms_kernels.testing.case import FLOAT, Case, Maker, cases

CASES = cases()
OPS = all_ops()
INTEGER_RULES = {
    "floor_divide",
    "remainder",
    "cast",
    "cast_np",
    "truncate_mod",
    "fmod",
}  # vectors and test_ascend_rules


def tensors(op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    def convert(kind: int, arg: Any) -> Any:
        if kind and isinstance(arg, (list, tuple)):
            return [from_array(item) for item in arg]
        return from_array(arg) if kind and isinstance(arg, np.ndarray) else arg

    return tuple(convert(kind, arg) for kind, arg in zip(op.kinds, op.complete(args, {})))


def flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def near(got: Any, want: Any, case: Case) -> None:
    """The same but for a few roundings; NaN and infinities at the same places."""
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    if got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want)
        return
    rtol, atol = case.allowed(mstype.from_numpy(got.dtype).name)
    kind = np.complex128 if got.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(got.astype(kind), want.astype(kind), rtol=rtol, atol=atol)


def test_every_op_has_a_policy() -> None:
    missing = [op.name for op in OPS.values() if not op.is_composite and op.record.ascend not in POLICIES]
    assert not missing
    assert {op.record.ascend for op in OPS.values() if not op.is_composite} <= set(POLICIES)


def test_kernels_are_of_ops() -> None:
    assert set(KERNELS) <= set(OPS)
    assert all(not OPS[name].is_composite for name in KERNELS)
    assert all(OPS[name].is_composite for name in COMPOSITES)


def test_an_op_without_a_policy_is_refused() -> None:
    class Nameless:
        name, body, label, is_view = "nameless", staticmethod(np.negative), "Nameless", False

        class record:
            ascend = "there is no such policy"

    with pytest.raises(KeyError):
        AscendTarget().run(Nameless, [np.ones(2, np.float32)])


SWEEP = [(name, dtype) for name, case in sorted(CASES.items()) for dtype in case.dtypes if name not in INTEGER_RULES]


def run(target: AscendTarget, op: Any, args: tuple[Any, ...]) -> tuple[list[Any], str]:
    """The results on a target, or none and why it refuses."""
    given = tensors(op, args)
    with target.use():
        try:
            return flat(op(*given)), ""
        except RuntimeError as error:
            return [], str(error)


@pytest.mark.parametrize(("name", "dtype"), SWEEP)
def test_values(name: str, dtype: str) -> None:
    op, case = OPS[name], CASES[name]
    knobs = Precision()
    knobs.set("conv_allow_hf32", False)  # so that float32 stays float32
    for cpu, chip in zip(case.inputs(Maker(dtype)), case.inputs(Maker(dtype))):
        want = flat(op(*tensors(op, cpu)))
        found, refused = run(AscendTarget("ascend910b", precision=knobs), op, chip)
        if refused:
            assert dtype == "float64"
            assert "must be supported on ascend910b, but got float64" in refused
            continue
        for got, wanted in zip(found, want, strict=True):
            near(got._a, wanted._a, case)


OLD = [(name, dtype) for name, dtype in SWEEP if dtype in FLOAT and not OPS[name].is_composite]


@pytest.mark.parametrize(("name", "dtype"), OLD)
@pytest.mark.parametrize("profile", ["ascend910", "ascend310p"])
def test_older_chips_saturate(name: str, dtype: str, profile: str) -> None:
    op, case = OPS[name], CASES[name]
    moves = op.record.ascend in ("copy", "sort", "random", "index", "create")
    for args in case.inputs(Maker(dtype)):
        found, refused = run(AscendTarget(profile), op, args)
        if refused:
            assert f"must be supported on {profile}" in refused
            assert dtype in ("bfloat16", "float64") or args[-1] is mstype.bfloat16
            continue
        assert dtype != "bfloat16" or op.is_view or not any(t.dtype is mstype.bfloat16 for t in found)
        for out in found:
            if not moves and dtype in ("float16", "float32"):
                assert np.isfinite(out._a).all() or out._a.dtype.kind in "cb"


@pytest.mark.parametrize("profile", ["ascend910b", "ascend910", "ascend310p"])
def test_operands_meet_by_the_casts_of_the_chip(profile: str) -> None:
    """AN-CAST-07 where types are promoted, too: older chips take int64 to float32 through int32."""
    wide = from_array(np.array([(1 << 40) + 5, -7, 1 << 31], np.int64))
    zero = from_array(np.zeros(3, np.float32))
    with AscendTarget(profile).use():
        added = OPS["add"](wide, zero).asnumpy()
        cast = OPS["cast_np"](wide, np.dtype(np.float32)).asnumpy()
    want = [float((1 << 40) + 5), -7.0, float(1 << 31)] if profile == "ascend910b" else [5.0, -7.0, -float(1 << 31)]
    np.testing.assert_array_equal(added, np.array(want, np.float32))
    np.testing.assert_array_equal(cast, added)
