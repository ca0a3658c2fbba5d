"""The rules of the emulated NPU: all are stated, and the document shows them as the code has them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from ms_common.ascend.rules import load
from ms_kernels.targets.ascend.rules import CONFIDENCE

ROOT = Path(__file__).resolve().parent.parent
SECTIONS = {
    "CAST": 19,
    "CUBE": 7,
    "DIV": 7,
    "FMT": 5,
    "HF32": 6,
    "KNOB": 12,
    "OP": 5,
    "OVF": 7,
    "PREC": 7,
    "RED": 5,
    "REP": 11,
    "RNG": 10,
    "TYPE": 7,
    "VEC": 10,
}


def test_every_rule_is_stated() -> None:
    rules = load()
    assert set(rules) == {f"AN-{section}-{i:02d}" for section, count in SECTIONS.items() for i in range(1, count + 1)}
    for rule in rules.values():
        assert rule.text and rule.source and rule.place, rule
        assert rule.confidence in CONFIDENCE


def test_vectors_name_rules_and_their_confidence() -> None:
    rules = load()
    path = ROOT / "packages" / "ms-kernels" / "tests" / "vectors" / "ascend.json"
    for vector in json.loads(path.read_text(encoding="utf-8"))["vectors"]:
        assert rules[vector["row"]].confidence == vector["confidence"], vector["id"]


def test_the_document_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, "tools/ascend_rules.py", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run python tools/ascend_rules.py"
