"""What 2.6.0 states about set_dump: SF-DUMP-01 to 09."""

from __future__ import annotations

import inspect
import pathlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ms_dump
from ms_dump import set_dump
from ms_dump.testing import Net, Part, files, types
from ms_kernels import Tensor, functional, grad, settings

Files = Callable[..., pathlib.Path]


def test_signature_and_default_state(net: Net) -> None:  # SF-DUMP-01
    assert str(inspect.signature(set_dump)).replace("'", "") == "(target: Any, enabled: bool = True) -> None"
    assert not hasattr(net, "dump") and functional.ReLU().attrs.get("dump") is None
    assert not ms_dump.is_on()


@pytest.mark.parametrize("target", ["conv", None, 3, functional.relu, Net, functional.ReLU])
def test_a_wrong_target(target: Any) -> None:  # SF-DUMP-01
    with pytest.raises(ValueError, match="the 'target' must be an instance of Cell or Primitive, but got <class '"):
        set_dump(target)


@pytest.mark.parametrize("enabled", [1, None, "True"])
def test_a_wrong_enabled(net: Net, enabled: Any) -> None:
    with pytest.raises(ValueError, match="the 'enabled' must be bool"):
        set_dump(net, enabled)
    assert not hasattr(net, "dump")


def test_the_target_is_looked_at_first() -> None:
    with pytest.raises(ValueError, match="'target'"):
        set_dump("conv", 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("GRAPH_MODE with jit level O0 or O1 on the Ascend target", 2),
        ("part of a fused group", 2),
        ("before the training starts", 3),
        ("forward and its backward ops", 3),
        ("SoftmaxCrossEntropyWithLogits", 3),
        ('sparse=True`` and ``reduction="mean"', 3),
        ("set_context(mode=ms.GRAPH_MODE)", 4),
        ('set_device("Ascend")', 4),
        ("MINDSPORE_DUMP_CONFIG", 4),
        ("dump_mode", 4),
    ],
)
def test_the_docstring_says(text: str, row: int) -> None:  # SF-DUMP-02, 03, 04
    said = " ".join((set_dump.__doc__ or "").split())
    assert " ".join(text.split()) in said
    assert "device_target=" not in said


def test_cells_and_primitives_on_and_off(net: Net, ascend: None) -> None:  # SF-DUMP-05
    relu = functional.ReLU()
    for target in (net, relu):
        assert set_dump(target) is None  # type: ignore[func-returns-value]
        assert set_dump(target, enabled=False) is None  # type: ignore[func-returns-value]
    set_dump(relu)
    set_dump(net)
    set_dump(net.conv, False)
    assert relu.attrs["dump"] == "true"
    assert (net.dump, net.conv.dump, net.relu.dump) == (True, False, True)  # type: ignore[attr-defined]


def test_a_part_that_contains_itself_is_flagged_once(ascend: None) -> None:
    outer = Part()
    outer.inner = Part(outer=outer)  # type: ignore[attr-defined]
    set_dump(outer)
    assert outer.inner.dump is True  # type: ignore[attr-defined]


def test_warnings_on_another_target_and_mode(net: Net) -> None:
    settings.mode = 1
    with pytest.warns(UserWarning, match="not supported by set_dump") as seen:
        set_dump(net)
    assert ["device_target is CPU" in str(w.message) for w in seen] == [True, False]
    assert ["mode is PYNATIVE_MODE" in str(w.message) for w in seen] == [False, True]
    assert net.dump is True  # type: ignore[attr-defined]  # still noted
    settings.device_target, settings.mode = "Ascend", 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        set_dump(net)


def test_the_example_runs_and_leaves_only_the_flagged_ops(
    net: Net, image: Tensor, ascend: None, config_file: Files
) -> None:  # SF-DUMP-06, 07
    folder = config_file(2)
    set_dump(net.conv)
    assert net(image).shape == (1, 6, 6, 6)
    assert types(folder) == {"Conv2D"}


def test_dump_mode_0_takes_every_op(net: Net, image: Tensor, ascend: None, config_file: Files) -> None:  # SF-DUMP-08
    folder = config_file(0)
    set_dump(net.conv)
    set_dump(net.relu, False)
    net(image)
    assert types(folder) == {"Conv2D", "ReLU"}


@pytest.mark.parametrize("enable", [False, None])
def test_flags_need_the_synchronous_dump(
    net: Net, image: Tensor, ascend: None, config_file: Files, enable: bool | None
) -> None:  # SF-DUMP-09
    folder = config_file(2, enable)
    set_dump(net)
    net(image)
    assert files(folder) == []


def test_without_a_configuration_nothing_is_observed(net: Net, image: Tensor, ascend: None) -> None:
    from ms_kernels.core.dispatch import process_target

    set_dump(net)
    assert process_target.observer is None
    net(image)
    assert not ms_dump.is_on()


def test_a_flag_reaches_backward_ops(net: Net, image: Tensor, ascend: None, config_file: Files) -> None:  # SF-DUMP-03
    folder = config_file(2)
    set_dump(net.conv)

    def loss(x: Any) -> Any:
        return functional.sum(net(x))

    grad(loss)(image)
    assert types(folder) == {"Conv2D", "Conv2DBackpropInput"}
    names = [path.name for path in files(folder)]
    assert any(".Gradients_Default_network-Net_" in name and "_Grad_Conv2D_" in name for name in names)


def test_a_shared_op_leaves_only_backward_data(ascend: None, config_file: Files) -> None:  # SF-DUMP-03
    class SoftmaxCrossEntropyWithLogits(Part):
        def construct(self, logits: Any, labels: Any) -> Any:
            return functional.cross_entropy(logits, labels)

    folder = config_file(2)
    cell = SoftmaxCrossEntropyWithLogits()
    set_dump(cell)
    logits, labels = Tensor(np.eye(3, 4, dtype=np.float32)), Tensor(np.array([0, 1, 2], np.int32))
    grad(cell)(logits, labels)
    names = [path.name for path in files(folder)]
    assert names and all(".Gradients_" in name for name in names)


@pytest.mark.parametrize(("target", "mode"), [("CPU", 0), ("Ascend", 1), ("CPU", 1)])
def test_the_limits_and_what_lifts_them(net: Net, image: Tensor, config_file: Files, target: str, mode: int) -> None:
    settings.device_target, settings.mode = target, mode
    folder = config_file(2)
    with pytest.warns(UserWarning, match="not supported by set_dump"):
        set_dump(net)
    net(image)
    ms_dump.flush()
    assert list(folder.rglob("*.npy")) == []
    ms_dump.anywhere(True)
    net(image)
    assert types(folder) == {"Conv2D", "ReLU"}


def test_level_o2_is_not_dumped(net: Net, image: Tensor, ascend: None, config_file: Files) -> None:  # SF-DUMP-02
    folder = config_file(2)
    net.jit_config_dict = {"jit_level": "O2"}  # type: ignore[attr-defined]
    set_dump(net)
    net(image)
    assert files(folder) == []


class Chain(Part):
    """Elementwise ops that stand together, and one that stands alone."""

    def construct(self, x: Any) -> Any:
        y = functional.exp(functional.tanh(x))
        return functional.matmul(functional.softmax(functional.matmul(y, y.T), -1), functional.relu(x))


@pytest.mark.parametrize(
    ("level", "anywhere", "wanted"),
    [
        ("O1", False, {"MatMul", "Softmax", "ReLU"}),
        ("O1", True, {"MatMul", "Softmax", "ReLU", "Tanh", "Exp"}),
        ("O0", False, {"MatMul", "Softmax", "ReLU", "Tanh", "Exp"}),
    ],
)
def test_an_op_in_a_fused_group_is_not_dumped(
    ascend: None, config_file: Files, level: str, anywhere: bool, wanted: set[str]
) -> None:  # SF-DUMP-02
    folder = config_file(2)
    net = Chain()
    net.jit_config_dict = {"jit_level": level}  # type: ignore[attr-defined]
    ms_dump.anywhere(anywhere)
    set_dump(net)
    for _ in range(2):
        net(Tensor(np.eye(3, dtype=np.float32)))
    assert types(folder) - {"Transpose", "SwapAxes", "T"} == wanted
    assert len([path for path in folder.rglob("ReLU.*") if ".output." in path.name]) == 2


def test_a_flagged_primitive(image: Tensor, ascend: None, config_file: Files) -> None:
    folder = config_file(2)
    relu, tanh = functional.ReLU(), functional.Tanh()
    set_dump(relu)
    tanh(relu(image))
    assert types(folder) == {"ReLU"}


def test_a_primitive_taken_out_of_a_flagged_cell(image: Tensor, ascend: None, config_file: Files) -> None:
    class Both(Part):
        def construct(self, x: Any) -> Any:
            return self.tanh(self.relu(x))  # type: ignore[attr-defined]

    folder = config_file(2)
    cell = Both(relu=functional.ReLU(), tanh=functional.Tanh())
    set_dump(cell)
    set_dump(cell.tanh, False)  # type: ignore[attr-defined]
    cell(image)
    assert types(folder) == {"ReLU"}


def test_single_elementwise_ops_are_not_held_without_bound(ascend: None, config_file: Files) -> None:
    folder = config_file(2, queue_bytes=20_000)

    class Singles(Part):
        def construct(self, x: Any) -> Any:
            kept = [functional.relu(x) for _ in range(10)]
            for _ in range(10):
                functional.tanh(x)  # nothing is left of these
            ms_dump.flush()
            return len(kept), len(list(folder.rglob("*.npy")))

    net = Singles()
    net.jit_config_dict = {"jit_level": "O1"}  # type: ignore[attr-defined]
    set_dump(net)
    _, written = net(Tensor(np.ones(100, np.float32)))
    assert 0 < written < 40
    assert len(files(folder)) == 40
