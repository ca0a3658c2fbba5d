"""The settings of the Ascend target: the specification's sequences of calls, each in a fresh process, and more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ms_common import context, device, hal, runtime
from ms_common.ascend import op_debug, op_precision, op_tuning
from ms_common.ascend._calls import CALLS
from ms_kernels import settings
from ms_kernels.targets.ascend import emulator

VECTORS = json.loads((Path(__file__).parent / "vectors" / "ascend_knobs.json").read_text(encoding="utf-8"))["vectors"]
CASES = [(vector, profile) for vector in VECTORS for profile in vector["profile"]]
# Runs sequences of calls, each in a process of its own (a fork of one that has done nothing but import), and prints
# what each call gave.
PROGRAM = """
import json, os, sys
import ms_common
ms_common.activate()
import mindspore as ms
from ms_kernels.targets.ascend import emulator
from ms_kernels.targets.ascend.precision import READS

def code(name):
    return emulator.precision.code(emulator.target().chip.profile, READS[name.rpartition(".")[2]])

def product():
    x = ms.Tensor([[1.0]])
    ms.mint.matmul(x, x)

def run(steps, env):
    os.environ.update(env)
    own = {"effective": emulator.precision.effective, "env": os.environ.get}
    own |= {"cube_math_type": code, "mint.matmul": product}
    found = []
    for step in steps:
        call = own.get(step["call"])
        if call is None:
            call = ms
            for name in step["call"].split("."):
                call = getattr(call, name)
        try:
            answer = {"returns": call(*step["args"], **step.get("kwargs", {}))}
        except Exception as error:
            answer = {"raises": type(error).__name__}
        found.append(answer)
    print(json.dumps(found), flush=True)

cases = json.loads(sys.stdin.read())
for case in cases[:-1]:
    child = os.fork()
    if not child:
        run(*case)
        os._exit(0)
    os.waitpid(child, 0)
run(*cases[-1])
"""


def _program(cases: list[Any]) -> list[list[dict[str, Any]]]:
    env = {**os.environ, "GLOG_v": "4"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=json.dumps(cases), env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def answers() -> list[list[dict[str, Any]]]:
    cases: list[Any] = [
        [v["expected"]["steps"], {**v.get("attrs", {}).get("env", {}), "MS_ASCEND_PROFILE": profile}]
        for v, profile in CASES
    ]
    if hasattr(os, "fork"):
        return _program(cases)
    return [found for case in cases for found in _program([case])]


def test_all_vectors_are_there() -> None:
    assert len(VECTORS) == 19


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{v['id']}-{profile}" for v, profile in CASES])
def test_vector(number: int, answers: list[list[dict[str, Any]]]) -> None:
    for step, answer in zip(CASES[number][0]["expected"]["steps"], answers[number], strict=True):
        if "raises" in step:
            assert answer == {"raises": step["raises"]}, step
        else:
            assert "raises" not in answer, (step, answer)
        if "returns" in step:
            assert answer["returns"] == step["returns"], step


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Settings as in a new process, on the Ascend target."""

    def reset() -> None:
        for kept in (CALLS, device.CHOSEN, context.K_CONTEXT, emulator.precision):
            kept.reset()

    monkeypatch.setattr(type(settings), "started", False)
    reset()
    settings.device_target = "Ascend"
    yield
    settings.device_target, settings.device_id = "CPU", 0
    reset()


TUNING = [
    (op_tuning.op_compile, True, False, "x", ValueError),
    (op_tuning.aoe_tune_mode, "online", "offline", "x", ValueError),
    (op_tuning.aoe_job_type, "1", "2", "3", ValueError),
    (op_debug.debug_option, "oom", None, "x", ValueError),
    (op_debug.execute_timeout, 5, 6, -1, ValueError),
    (op_debug.execute_timeout, 5, 6, "x", TypeError),
    (op_debug.aclinit_config, {"err_msg_mode": "1"}, None, {"x": "1"}, ValueError),
    (op_debug.aclinit_config, {"max_opqueue_num": "20000"}, None, {"max_opqueue_num": 1}, TypeError),
]


@pytest.mark.usefixtures("fresh")
class TestSettings:
    @pytest.mark.parametrize("call, good, other, bad, kind", TUNING)
    def test_tuning(self, call: Any, good: Any, other: Any, bad: Any, kind: type[Exception]) -> None:
        with pytest.raises(kind, match=f"For '{call.__name__}'"):
            call(bad)
        call(good)
        call(good)
        if other is not None:
            with pytest.raises(RuntimeError, match="must be set once"):
                call(other)

    def test_first_call_elsewhere_is_logged(self, caplog: pytest.LogCaptureFixture) -> None:
        settings.device_target = "CPU"
        op_tuning.op_compile("x")  # type: ignore[arg-type]
        assert "the target must be Ascend, but got CPU" in caplog.text
        with pytest.raises(ValueError, match="'value' must be one of"):
            op_tuning.op_compile("x")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "config, kind",
        [
            ({"jit_compile": 1}, TypeError),
            ({"atomic_clean_policy": 5}, ValueError),
            ({"matmul_allow_hf32": "x"}, ValueError),
            ({"op_precision_mode": "./there_is_none.ini"}, ValueError),
            ({"op_debug_option": "x"}, ValueError),
            ({"ge_options": {"x": {}}}, ValueError),
            ({"ge_options": {"global": {"a": 1}}}, TypeError),
            ({"parallel_speed_up_json_path": 1}, TypeError),
            ({"host_scheduling_max_threshold": "x"}, TypeError),
            ({"topo_order": {"g": "x"}}, ValueError),
            ({"cur_step_num": True}, TypeError),
            ({"need_ckpt": 1}, TypeError),
            ({1: 1}, ValueError),
        ],
    )
    def test_bad_config(self, config: dict[Any, Any], kind: type[Exception]) -> None:
        with pytest.raises(kind, match="For '"):
            context.set_context(ascend_config=config)
        assert context.get_context("ascend_config") == {}

    def test_config_may_come_again(self) -> None:
        context.set_context(ascend_config={"precision_mode": "force_fp16", "jit_compile": True})
        context.set_context(ascend_config={"precision_mode": "force_fp32", "ge_options": {"global": {"a": "b"}}})
        assert emulator.precision.effective("precision_mode") == "force_fp32"
        assert context.get_context("ascend_config")["jit_compile"] is True

    def test_config_is_ignored_on_the_cpu(self, caplog: pytest.LogCaptureFixture) -> None:
        settings.device_target = "CPU"
        context.set_context(ascend_config={"precision_mode": "x"})
        assert "ignored on CPU" in caplog.text
        assert context.get_context("ascend_config") == {}

    @pytest.mark.parametrize("line, high", [("Exp=high_precision", True), ("Exp=high_performance  # fast", False)])
    def test_precision_file(self, tmp_path: Path, line: str, high: bool) -> None:
        path = tmp_path / "modes.ini"
        path.write_text(f"Sqrt=high_performance\n{line}\n", encoding="utf-8")
        op_precision.op_precision_mode(str(path))
        assert emulator.choices.high_precision is high
        emulator.change(choices=type(emulator.choices)())

    def test_device_once(self) -> None:
        device.set_device("Ascend", 1)
        device.set_device("Ascend", 1)
        assert device.get_current_device() == ("Ascend", 1)
        for args in (("Ascend",), ("CPU", 1)):
            with pytest.raises(RuntimeError, match="made once"):
                device.set_device(*args)

    def test_device_after_a_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(settings), "started", True)
        with pytest.raises(RuntimeError, match="one has run"):
            device.set_device("CPU")
        with pytest.raises(TypeError, match="'device_id' must stay 0"):
            context.set_context(device_id=1)

    def test_soc_version(self) -> None:
        found = context.MSContext.get_instance()
        assert found.get_ascend_soc_version() == "ascend910b"
        settings.device_target = "CPU"
        assert found.get_ascend_soc_version() == ""

    def test_runtime_once(self) -> None:
        runtime.dispatch_threads_num(2)
        runtime.set_kernel_launch_group(2, 8)
        runtime.set_cpu_affinity(True)
        runtime.set_memory("1GB", max_size="2048GB")
        for again in (
            lambda: runtime.dispatch_threads_num(2),
            lambda: runtime.set_kernel_launch_group(2, 8),
            lambda: runtime.set_cpu_affinity(True),
            lambda: runtime.set_memory("1GB"),
        ):
            with pytest.raises(RuntimeError, match="made once"):
                again()

    @pytest.mark.parametrize(
        "call, kind",
        [
            (lambda: runtime.dispatch_threads_num("x"), TypeError),  # type: ignore[arg-type]
            (lambda: runtime.dispatch_threads_num(0), ValueError),
            (lambda: runtime.set_kernel_launch_group(0), ValueError),
            (lambda: runtime.set_cpu_affinity(1), TypeError),  # type: ignore[arg-type]
            (lambda: runtime.set_memory(1), TypeError),  # type: ignore[arg-type]
            (lambda: runtime.set_memory("x"), ValueError),
            (lambda: runtime.set_memory(optimize_level="O3"), ValueError),
        ],
    )
    def test_runtime_refuses(self, call: Any, kind: type[Exception]) -> None:
        with pytest.raises(kind, match="must be"):
            call()


class TestQueries:
    @pytest.mark.parametrize("name", ["get_device_name", "get_device_properties", "get_device_capability"])
    @pytest.mark.parametrize(
        "args, kind",
        [((1, "CPU"), ValueError), ((-1, "CPU"), ValueError), (("0", "CPU"), TypeError), ((0, "GPU"), ValueError)],
    )
    def test_bad_device(self, name: str, args: tuple[Any, ...], kind: type[Exception]) -> None:
        with pytest.raises(kind, match=f"For '{name}'"):
            getattr(hal, name)(*args)

    @pytest.mark.parametrize("target, kind", [("X", ValueError), (1, TypeError), ("GPU", ValueError)])
    def test_bad_target(self, target: Any, kind: type[Exception]) -> None:
        for name in ("device_count", "memory_stats", "memory_allocated", "get_arch_list", "memory_summary"):
            with pytest.raises(kind, match=f"For '{name}'"):
                getattr(hal, name)(target)

    def test_answers(self) -> None:
        assert (hal.device_count(), hal.device_count("Ascend"), hal.get_device_name(0, "Ascend")) == (
            1,
            1,
            "Ascend910B",
        )
        assert hal.get_device_properties(0, "CPU") is None
        assert hal.get_arch_list("CPU") is None

    def test_memory_is_that_of_the_pool(self) -> None:
        from ms_kernels.core.runtime import empty

        runtime.reset_peak_memory_stats()
        before = hal.memory_allocated()
        block = empty((1 << 20,), "float32")
        held = hal.memory_allocated() - before
        assert held >= block.nbytes
        del block
        assert hal.memory_allocated() == before
        assert hal.max_memory_allocated("CPU") == before + held
        stats = runtime.memory_stats()
        assert stats["total_idle_memory"] >= held
        assert f"{runtime.max_memory_allocated() / (1 << 20):.2f} MB" in runtime.memory_summary()
        hal.reset_max_memory_allocated()
        hal.reset_max_memory_reserved()
        assert runtime.max_memory_allocated() == before
        assert runtime.max_memory_reserved() == runtime.memory_reserved()


def test_the_chip_is_chosen_by_a_name_of_our_own() -> None:
    import ms_common

    assert ms_common.get_profile() == "ascend910b"
    ms_common.set_profile("ascend910")
    assert emulator.profile == "ascend910"
    ms_common.set_profile("ascend910b")
