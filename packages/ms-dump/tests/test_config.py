"""Configurations: what is taken, and errors that name the key."""

from __future__ import annotations

import json
import logging
import os
import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ms_dump import config as configs
from ms_dump.config import CATEGORIES, Kernels, Ranges, parse
from ms_dump.testing import content


def test_the_documented_example_is_taken() -> None:
    example = {
        "common_dump_settings": {
            "op_debug_mode": 0,
            "dump_mode": 0,
            "path": "/absolute_path",
            "net_name": "ResNet50",
            "iteration": "0|5-8|100-120",
            "saved_data": "tensor",
            "input_output": 0,
            "kernels": ["Default/Conv-op12"],
            "support_device": [0, 1, 2, 3, 4, 5, 6, 7],
            "statistic_category": ["max", "min", "l2norm"],
        },
        "e2e_dump_settings": {"enable": True, "trans_flag": True, "stat_calc_mode": "host"},
    }
    found = parse(example)
    assert (found.net_name, found.tensors, found.statistics, found.enable) == ("ResNet50", True, False, True)
    assert 100 in found.iteration and 99 not in found.iteration


@pytest.mark.parametrize("key", ["dump_mode", "net_name", "iteration", "input_output"])
def test_a_missing_key_is_named(key: str) -> None:
    settings = content("/d")
    del settings["common_dump_settings"][key]
    with pytest.raises(ValueError, match=f"the '{key}' must be set in 'common_dump_settings'"):
        parse(settings)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("dump_mode", 3),
        ("dump_mode", True),
        ("dump_mode", "0"),
        ("op_debug_mode", 1),
        ("path", "relative/path"),
        ("path", 3),
        ("net_name", ""),
        ("iteration", "5-3"),
        ("iteration", "a"),
        ("iteration", ""),
        ("iteration", 5),
        ("saved_data", "all"),
        ("input_output", 3),
        ("kernels", "Conv"),
        ("kernels", ["name-regex(()"]),
        ("support_device", [-1]),
        ("support_device", 0),
        ("statistic_category", ["median"]),
        ("overflow_number", -1),
        ("layout", "other"),
        ("queue_bytes", 0),
    ],
)
def test_a_wrong_value_names_its_key(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"For 'MINDSPORE_DUMP_CONFIG', the '{key}' must"):
        parse(content("/d") | {"common_dump_settings": {**content("/d")["common_dump_settings"], key: value}})


@pytest.mark.parametrize(
    ("key", "value"),
    [("enable", 1), ("stat_calc_mode", "gpu"), ("sample_mode", 2), ("sample_num", 0), ("save_kernel_args", "yes")],
)
def test_a_wrong_value_of_the_second_section(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"the '{key}' must"):
        parse({**content("/d"), "e2e_dump_settings": {key: value}})


@pytest.mark.parametrize(
    ("common", "key"),
    [
        ({"op_debug_mode": 3, "dump_mode": 1, "kernels": ["Mul"]}, "dump_mode"),
        ({"op_debug_mode": 3, "saved_data": "full"}, "saved_data"),
        ({"op_debug_mode": 3, "input_output": 1}, "input_output"),
        ({"op_debug_mode": 4, "input_output": 2}, "input_output"),
        ({"op_debug_mode": 4, "iteration": "3"}, "iteration"),
    ],
)
def test_keys_that_do_not_go_together(common: dict[str, Any], key: str) -> None:
    with pytest.raises(ValueError, match=f"the '{key}' must"):
        parse(content("/d", **common))


def test_statistics_of_the_device_are_few() -> None:
    settings = content("/d", saved_data="statistic", statistic_category=["md5"])
    parse(settings)
    settings["e2e_dump_settings"]["stat_calc_mode"] = "device"
    with pytest.raises(ValueError, match="the 'statistic_category' must hold names out of"):
        parse(settings)


def test_kernels_are_needed_for_mode_1() -> None:
    settings = content("/d", 1)
    del settings["common_dump_settings"]["kernels"]
    with pytest.raises(ValueError, match="the 'kernels' must be set"):
        parse(settings)


def test_a_path_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = content("")
    with pytest.raises(ValueError, match="MS_DIAGNOSTIC_DATA_PATH"):
        parse(settings)
    monkeypatch.setenv("MS_DIAGNOSTIC_DATA_PATH", "/data")
    assert parse(settings).path == os.path.join("/data", "debug_dump")
    assert parse(content("/own")).path == "/own"


def test_an_unknown_key_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ms_dump"):
        parse(content("/d", colour="red"))
    assert "'colour'" in caplog.text


def test_a_file_that_is_none(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configs.from_environment() is None
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", str(tmp_path / "none.json"))
    with pytest.raises(ValueError, match="the file must be readable"):
        configs.from_environment()
    (tmp_path / "none.json").write_text("{")
    with pytest.raises(ValueError, match="the file must be JSON"):
        configs.from_environment()
    (tmp_path / "none.json").write_text("[]")
    with pytest.raises(ValueError, match="the 'the file' must be an object"):
        configs.from_environment()
    (tmp_path / "none.json").write_text(json.dumps(content(tmp_path)))
    found = configs.from_environment()
    assert found is not None and found.path == str(tmp_path)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), min_size=1, max_size=6))
def test_ranges_hold_what_they_say(pairs: list[tuple[int, int]]) -> None:
    text = "|".join(f"{first}-{first + more}" if more else str(first) for first, more in pairs)
    wanted = {n for first, more in pairs for n in range(first, first + more + 1)}
    assert {n for n in range(100) if n in Ranges.of(text)} == wanted


def test_spaces_in_ranges() -> None:
    assert 6 in Ranges.of("0 | 5 - 8 | 100")


def test_kernels_by_name_type_and_pattern() -> None:
    some = Kernels.of(["Conv2D-op3", "bias", "name-regex(Default/net/.+)"])
    assert some("Default/a/Conv2D-op3", "Conv2D") and not some("Default/a/Conv2D-op33", "Conv2D")
    assert some("Default/BiasAdd-op1", "BiasAdd")
    assert some("Default/net/x/Mul-op9", "Mul") and not some("Default/nets/Mul-op9", "Mul")


def test_every_category_has_a_measure() -> None:
    import numpy as np

    from ms_dump import statistics

    assert list(statistics.of(np.ones(2), CATEGORIES)) == list(CATEGORIES)
