"""Promotion of every pair, against what MindSpore 2.6 computed in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ms_dtype
from ms_dtype import element_types, promote, promote_scalar

RECORDED = json.loads(Path(__file__).with_name("vectors").joinpath("promotion.json").read_text())
NAMES = [each.name for each in element_types]


def answer(function: Callable[..., ms_dtype.Type], *arguments: object) -> str:
    try:
        return function(*arguments).name
    except TypeError as error:
        return f"TypeError: {error}"


def test_the_recording_is_whole() -> None:
    assert list(RECORDED["tensor_tensor"]) == NAMES
    assert all(list(row) == NAMES for row in RECORDED["tensor_tensor"].values())
    for kind in ("tensor_scalar", "scalar_tensor"):
        assert list(RECORDED[kind]) == NAMES
        assert all(list(row) == list("bifc") for row in RECORDED[kind].values())


@pytest.mark.parametrize("left", NAMES)
@pytest.mark.parametrize("right", NAMES)
def test_two_tensors(left: str, right: str) -> None:
    found = answer(promote, getattr(ms_dtype, left), getattr(ms_dtype, right))
    assert found == RECORDED["tensor_tensor"][left][right]


@pytest.mark.parametrize("order", ["tensor_scalar", "scalar_tensor"])
@pytest.mark.parametrize("kind", "bif")
@pytest.mark.parametrize("name", NAMES)
def test_tensor_with_number(name: str, kind: str, order: str) -> None:
    assert answer(promote_scalar, getattr(ms_dtype, name), kind) == RECORDED[order][name][kind]


@pytest.mark.parametrize("name", NAMES)
def test_tensor_with_complex_which_2_6_refuses(name: str) -> None:
    assert RECORDED["tensor_scalar"][name]["c"].startswith("TypeError: Failed calling Add")
    expected = {
        **dict.fromkeys(NAMES, "complex64"),
        **dict.fromkeys(("float64", "complex128"), "complex128"),
        **{
            each: f"TypeError: Type implicit conversion between Tensor[Complex64] and {text} is not supported."
            for each, text in (("uint16", "UInt16"), ("uint32", "UInt32"), ("uint64", "UInt64"))
        },
    }
    assert answer(promote_scalar, getattr(ms_dtype, name), "c") == expected[name]


def test_order_does_not_matter_and_bool_is_neutral() -> None:
    for left in element_types:
        assert promote(left, left) is left
        assert promote(ms_dtype.bool_, left) is left
        for right in element_types:
            assert answer(promote, left, right)[:9] == answer(promote, right, left)[:9]


@pytest.mark.parametrize("odd", [ms_dtype.int_, ms_dtype.string, ms_dtype.qint4x2, None, "int8"])
def test_what_is_no_element_type_is_refused(odd: Any) -> None:
    with pytest.raises(TypeError, match="Type implicit conversion between"):
        promote(odd, ms_dtype.int8)
    with pytest.raises(TypeError, match=r"Type implicit conversion between Tensor\[Int64\] and"):
        promote_scalar(odd, "i")


def test_unknown_kind_of_number() -> None:
    with pytest.raises(
        ValueError, match="For 'promote_scalar', the 'kind' must be one of 'b', 'i', 'f', 'c', but got 'u'"
    ):
        promote_scalar(ms_dtype.int8, "u")
