"""All vectors of the specification, on every chip and in every mode that they hold for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ms_kernels.testing.ascend import KNOBS, cases, decode, load, run, ulps

VECTORS = load(Path(__file__).parent / "vectors" / "ascend.json")
ALL = list(cases(VECTORS))


def test_none_is_left_out() -> None:
    assert len(VECTORS) == 242
    assert {v["id"] for _, v, _, _ in ALL} == {v["id"] for v in VECTORS if v["op"] != KNOBS}
    assert sum(v["op"] == KNOBS for v in VECTORS) == 19  # run by ms-common, which has the calls


@pytest.mark.parametrize("vector, profile, mode", [case[1:] for case in ALL], ids=[case[0] for case in ALL])
def test_vector(vector: dict[str, Any], profile: str, mode: str) -> None:
    expected = vector["expected"]
    if "raises" in expected:
        with pytest.raises(RuntimeError, match="must be supported on"):
            run(vector, profile, mode)
        assert expected["raises"] == "RuntimeError"
        return
    found = run(vector, profile, mode)
    if "hex" not in expected:
        assert {key: found[key] for key in expected} == expected
        return
    assert ulps(found, decode(expected)) <= vector.get("ulp", 0)
