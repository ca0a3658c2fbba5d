"""Everything recorded from MindSpore 2.6's `mindspore.common.dtype`, asked again here."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import ms_dtype

RECORDED = json.loads(Path(__file__).with_name("vectors").joinpath("dtypes.json").read_text())
ACCIDENTAL = {"absolute_import", "enum", "isfunction", "np", "_simple_types"}  # imports and a private table of 2.6
# (expression, our answer): a bare sequence type is one object here, so it prints in one way
OTHER = {"str(T.List([]))": "'List'", "str(T.Tuple([]))": "'Tuple'"}
OWN_WORDS = ("KeyError", "AttributeError", "TypeError: __init__()", "TypeError: ('The argument")
NAMES = {
    "m": ms_dtype,
    "T": ms_dtype.typing,
    "np": np,
    "objects": SimpleNamespace(
        tensor=SimpleNamespace(dtype=ms_dtype.float32, shape=(1,)),
        bfloat16_tensor=SimpleNamespace(dtype=ms_dtype.bfloat16, shape=(1,)),
        parameter=SimpleNamespace(dtype=ms_dtype.int64, shape=(1,)),
        cell=SimpleNamespace(construct=None),
        primitive=SimpleNamespace(__primitive_flag__=True),
        function=lambda: None,
    ),
}


def plain(answer: str) -> str:
    """Level the spellings of classes, which differ between NumPy's versions and between the two libraries."""
    for there, here in (
        ("numpy.bool_'", "numpy.bool'"),
        ("mindspore._c_expression.typing.", ""),
        ("ms_dtype.classes.", ""),
        ("ml_dtypes.bfloat16", "bfloat16"),
    ):
        answer = answer.replace(there, here)
    return answer


def ask(expression: str) -> str:
    try:
        return repr(eval(expression, dict(NAMES)))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("expression", RECORDED["answers"])
def test_answers_as_recorded(expression: str) -> None:
    expected = plain(OTHER.get(expression, RECORDED["answers"][expression]))
    answer = plain(ask(expression))
    if expected.startswith((*OWN_WORDS, "RuntimeError: Not support", "RuntimeError: Convert")):
        answer, expected = answer.partition(":")[0], expected.partition(":")[0]
    if "not callable" in expected:
        answer, expected = answer.partition(":")[0], expected.partition(":")[0]
    assert answer == expected


def test_every_name_is_there() -> None:
    assert {name for name in RECORDED["module"] if not hasattr(ms_dtype, name)} <= ACCIDENTAL
    assert [name for name in RECORDED["typing"] if not hasattr(ms_dtype.typing, name)] == []
    assert set(RECORDED["all"]) <= set(ms_dtype.__all__)


def test_all_lists_what_exists() -> None:
    for module in (ms_dtype, ms_dtype.typing):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
        assert len(set(module.__all__)) == len(module.__all__)
