"""mindspore.context and the device settings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from ms_common import context, device
from ms_common.options import OPTIONS
from ms_kernels import settings
from ms_kernels.core import runtime


@pytest.fixture(autouse=True)
def settings_as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(type(settings), "started", False)  # other tests have run ops
    for name in ("HCCL_DETERMINISTIC", "TE_PARALLEL_COMPILER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    before = (settings.mode, settings.device_target, settings.device_id, runtime.get_threads())
    yield
    settings.mode, settings.device_target, settings.device_id = before[:3]
    runtime.set_threads(before[3])
    context.K_CONTEXT.reset()
    device.CHOSEN.reset()


def test_constants() -> None:
    names = ("GRAPH_MODE", "PYNATIVE_MODE", "STRICT", "COMPATIBLE", "LAX", "RELEASE", "DEBUG")
    assert [getattr(context, name) for name in names] == [0, 1, 0, 1, 2, 0, 1]


# What a fresh 2.6 answers, for all properties that have one there.
DEFAULTS = {
    "mode": 1,
    "device_target": "CPU",
    "device_id": 0,
    "save_graphs": 0,
    "save_graphs_path": ".",
    "precompile_only": False,
    "max_call_depth": 1000,
    "deterministic": "OFF",
    "pynative_synchronize": False,
    "jit_level": "",
    "jit_config": {},
    "max_device_memory": 1024.0,
    "memory_optimize_level": 0,
    "enable_graph_kernel": False,
    "graph_kernel_flags": "",
    "grad_for_scalar": False,
    "enable_compile_cache": None,
    "compile_cache_path": "",
    "inter_op_parallel_num": 0,
    "jit_syntax_level": 2,
    "debug_level": 0,
    "ascend_config": {},
    "gpu_config": {},
    "print_file_path": "",
    "env_config_path": "",
    "check_bprop": False,
    "enable_reduce_precision": True,
    "aoe_tune_mode": "",
    "aoe_config": {},
    "mempool_block_size": 1.0,
    "exec_order": "bfs",
    "op_timeout": 900,
    "disable_format_transform": False,
    "memory_offload": False,
    "support_binary": False,
    "infer_boost": "off",
    "reserve_class_name_in_scope": True,
    "variable_memory_max_size": "0",
}


def test_defaults() -> None:
    assert {key: context.get_context(key) for key in DEFAULTS} == DEFAULTS
    assert set(OPTIONS) == {*DEFAULTS, "runtime_num_threads"}
    assert context.get_context("runtime_num_threads") == runtime.get_threads()


@pytest.mark.parametrize(
    "key, value, got",
    [
        ("mode", 0, 0),
        ("mode", True, 1),
        ("device_target", "CPU", "CPU"),
        ("device_id", 3, 3),
        ("runtime_num_threads", 2, 2),
        ("deterministic", "ON", "ON"),
        ("save_graphs", True, 1),
        ("save_graphs", 2, 2),
        ("jit_config", {"jit_level": "O0"}, {"jit_level": "O0"}),
        ("max_device_memory", "3GB", 3.0),
        ("max_device_memory", "3.5GB", 3.5),
        ("mempool_block_size", "2GB", 2.0),
        ("memory_optimize_level", "O1", 1),
        ("memory_offload", "ON", True),
    ],
)
def test_set_and_get(key: str, value: Any, got: Any) -> None:
    context.set_context(**{key: value})
    answer = context.get_context(key)
    assert (answer, type(answer)) == (got, type(got))


def test_zero_threads_leaves_the_pool() -> None:
    runtime.set_threads(2)
    context.set_context(runtime_num_threads=0)
    assert runtime.get_threads() == 2


def test_settings_are_those_of_the_kernels() -> None:
    context.set_context(mode=context.GRAPH_MODE, device_id=2)
    assert (settings.mode, settings.device_id) == (0, 2)
    settings.device_id = 1
    assert context.get_context("device_id") == 1
    assert device.get_current_device() == ("CPU", 1)


@pytest.mark.parametrize(
    "given, kind, text",
    [
        ({"mode": 2}, ValueError, r"'mode' must be one of \[0, 1\], but got 2"),
        ({"mode": None}, ValueError, r"'mode' must be one of \[0, 1\], but got None"),
        ({"mode": "0"}, TypeError, "'mode' must be of type int, but got '0'"),
        ({"device_target": "TPU"}, ValueError, "'device_target' must be one of .*but got 'TPU'"),
        ({"device_target": "cpu"}, ValueError, "'device_target' must be one of .*but got 'cpu'"),
        ({"device_target": 1}, TypeError, "'device_target' must be of type str, but got 1"),
        (
            {"device_target": "GPU"},
            RuntimeError,
            "'device_target' must be .*'GPU'.*Unsupported device target GPU",
        ),
        ({"device_id": -1}, ValueError, r"'device_id' must be in the range \[0, 4095\], but got -1"),
        ({"device_id": 4096}, ValueError, "'device_id' must be in the range"),
        ({"device_id": "0"}, TypeError, "'device_id' must be of type int"),
        ({"nosuch": 1}, ValueError, "keyword must be a setting of 2.6, but got 'nosuch'"),
        ({"max_call_depth": 0}, ValueError, "'max_call_depth' must be at least 1, but got 0"),
        ({"runtime_num_threads": -1}, ValueError, "'runtime_num_threads' must be at least 0"),
        ({"deterministic": "x"}, ValueError, r"'deterministic' must be one of \['ON', 'OFF'\]"),
        ({"save_graphs": 5}, ValueError, r"'save_graphs' must be in the range \[0, 3\]"),
        ({"save_graphs_path": 3}, TypeError, "'save_graphs_path' must be of type str"),
        ({"pynative_synchronize": 1}, TypeError, "'pynative_synchronize' must be of type bool"),
        ({"jit_config": 3}, TypeError, "'jit_config' must be of type dict"),
        ({"jit_syntax_level": 7}, ValueError, "'jit_syntax_level' must be one of"),
        ({"debug_level": 5}, ValueError, "'debug_level' must be one of"),
        ({"memory_optimize_level": "O2"}, ValueError, "'memory_optimize_level' must be one of"),
        ({"max_device_memory": "3"}, ValueError, "'max_device_memory' must be a size such as '3.5GB', but got '3'"),
        ({"exec_order": "x"}, ValueError, "'exec_order' must be one of"),
        ({"op_timeout": -1}, ValueError, "'op_timeout' must be at least 0"),
    ],
)
def test_bad_values(given: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match="For 'set_context', the .*" + text):
        context.set_context(**given)


def test_nothing_is_set_when_one_value_is_wrong() -> None:
    with pytest.raises(ValueError, match="nosuch"):
        context.set_context(mode=0, nosuch=2)
    with pytest.raises(TypeError, match="device_id"):
        context.set_context(mode=0, device_id="1")
    assert context.get_context("mode") == 1


def test_positional_arguments_and_bad_keys() -> None:
    with pytest.raises(TypeError):
        context.set_context(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'attr_key' must be of type str, but got 1"):
        context.get_context(1)  # type: ignore[arg-type]
    for key in ("nosuch", "enable_sparse", "profiling_mode"):
        with pytest.raises(ValueError, match=f"'attr_key' must be a setting of 2.6, but got '{key}'"):
            context.get_context(key)


def test_determinism_by_context_may_change() -> None:
    context.set_context(deterministic="ON")
    assert os.environ["HCCL_DETERMINISTIC"] == "true"
    context.set_context(deterministic="OFF")
    assert "HCCL_DETERMINISTIC" not in os.environ
    assert context.get_context("deterministic") == "OFF"


def test_what_has_no_effect_is_said(caplog: pytest.LogCaptureFixture) -> None:
    context.set_context(enable_graph_kernel=True)
    context.set_context(device_id=0)
    context.set_context(mode=1)
    first, second = caplog.messages
    assert "'enable_graph_kernel' has no effect" in first
    assert "'device_id' is deprecated" in second
    assert "mindspore.set_device()" in second
    assert {record.filename for record in caplog.records} == {"test_context.py"}


class TestDevice:
    def test_set_device(self) -> None:
        device.set_device("CPU", 2)
        info = device.get_current_device()
        assert (repr(info), info.device_target, info.device_id) == ("('CPU', 2)", "CPU", 2)
        device.set_device("CPU", 2)
        with pytest.raises(RuntimeError, match="For 'set_device', the setting must be made once"):
            device.set_device("CPU")
        assert device.get_current_device() == ("CPU", 2)

    @pytest.mark.parametrize(
        "args, kind, text",
        [
            (("TPU",), ValueError, "'device_target' must be one of"),
            ((1,), TypeError, "'device_target' must be of type str"),
            (("CPU", -1), ValueError, "'device_id' must be at least 0, but got -1"),
            (("CPU", "0"), TypeError, "'device_id' must be of type int"),
            (("GPU",), RuntimeError, "Unsupported device target GPU"),
        ],
    )
    def test_bad_values(self, args: tuple[Any, ...], kind: type[Exception], text: str) -> None:
        with pytest.raises(kind, match="For 'set_device', the .*" + text):
            device.set_device(*args)
        assert device.get_current_device() == ("CPU", 0)

    def test_set_deterministic(self) -> None:
        device.set_deterministic(True)
        assert context.get_context("deterministic") == "ON"
        assert (os.environ["HCCL_DETERMINISTIC"], os.environ["TE_PARALLEL_COMPILER"]) == ("true", "1")
        context.set_context(deterministic="OFF")
        assert context.get_context("deterministic") == "ON"
        with pytest.raises(RuntimeError, match="For 'set_deterministic', the setting must be made once"):
            device.set_deterministic(False)
        with pytest.raises(TypeError, match="'deterministic' must be of type bool, but got 1"):
            device.set_deterministic(1)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "num, kind", [(0, ValueError), (-1, ValueError), ("a", TypeError), (1.5, TypeError), (True, TypeError)]
    )
    def test_bad_threads(self, num: Any, kind: type[Exception]) -> None:
        with pytest.raises(kind, match="For 'threads_num', the 'num' must be"):
            device.threads_num(num)

    def test_threads(self, alias: None) -> None:
        import mindspore

        before = runtime.get_threads()
        mindspore.device_context.cpu.op_tuning.threads_num(before + 1)
        assert runtime.get_threads() == before + 1
        assert mindspore.get_context("runtime_num_threads") == before + 1
        with pytest.raises(RuntimeError, match="For 'threads_num', the setting must be made once"):
            mindspore.device_context.cpu.op_tuning.threads_num(before)

    def test_cpu(self, alias: None) -> None:
        from mindspore.device_context import cpu

        assert cpu.is_available() is True
        assert cpu.device_count() == 1


def test_run_check(alias: None, capsys: pytest.CaptureFixture[str]) -> None:
    import mindspore

    assert mindspore.run_check() is None
    first, second = capsys.readouterr().out.splitlines()
    assert first == "MindSpore version:  2.6.0"
    assert second.startswith("The result of multiplication calculation is correct")
    assert "[CPU]" in second
