"""The state dict with hooks, extra state and buffers, and a cell's smaller switches, as 2.6 has them."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_kernels import Tensor
from ms_nn.cell import register_cell_buffer_registration_hook


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Dense(2, 2)
        self.b = nn.Buffer(Tensor([1.0, 2.0]))


class WithExtra(Net):
    def __init__(self) -> None:
        super().__init__()
        self.extra = 0

    def get_extra_state(self) -> Any:
        return {"extra": self.extra}

    def set_extra_state(self, state: Any) -> None:
        self.extra = state["extra"]


def values(net: nn.Cell) -> dict[str, Any]:
    return {name: Tensor(value.asnumpy()) for name, value in net.state_dict().items()}


def test_hooks_of_state_dict() -> None:
    net, seen = Net(), []
    net.register_state_dict_pre_hook(lambda *args: seen.append(("pre", args[0] is net, *args[1:])))
    net.register_state_dict_post_hook(lambda *args: seen.append(("post", list(args[1]), *args[2:])))
    net.a.register_state_dict_pre_hook(lambda *args: seen.append(("a.pre", *args[1:])))
    handle = net.a.register_state_dict_post_hook(lambda *args: seen.append(("a.post", list(args[1]), *args[2:])))
    names = ["x.b", "x.a.weight", "x.a.bias"]
    assert list(net.state_dict(prefix="x.")) == names
    assert seen == [
        ("pre", True, "x.", False),
        ("a.pre", "x.a.", False),
        ("a.post", names, "x.a.", {}),
        ("post", names, "x.", {}),
    ]
    handle.remove()
    seen.clear()
    net.state_dict(OrderedDict(), "y.", True)
    assert [item[0] for item in seen] == ["pre", "a.pre", "post"]
    assert seen[0][2:] == ("y.", True)


def test_a_post_hook_changes_the_dict_but_returns_nothing() -> None:
    net = Net()
    with net.register_state_dict_post_hook(lambda _cell, found, prefix, _about: found.__delitem__(prefix + "b")):
        assert list(net.state_dict()) == ["a.weight", "a.bias"]
    with (
        net.register_state_dict_post_hook(lambda _cell, found, _prefix, _about: found),
        pytest.raises(RuntimeError, match="must return None"),
    ):
        net.state_dict()
    assert list(net.state_dict()) == ["b", "a.weight", "a.bias"]


def test_destination_is_an_ordered_dict() -> None:
    with pytest.raises(TypeError, match="must be OrderedDict"):
        Net().state_dict({})
    assert Net().state_dict()._metadata == {"": {}, "a": {}}


def test_a_shared_cell_gives_its_state_under_both_names() -> None:
    shared = nn.Cell()
    shared.x = nn.Dense(1, 1)
    shared.y = shared.x
    assert list(shared.state_dict()) == ["x.weight", "x.bias", "y.weight", "y.bias"]
    assert repr(shared.load_state_dict(values(shared))) == "<All keys matched successfully>"


def test_hooks_of_load_state_dict() -> None:
    net, seen = Net(), []
    given = values(Net())
    net.register_load_state_dict_pre_hook(lambda *args: seen.append(("pre", list(args[1]), *args[2:])))
    net.a.register_load_state_dict_pre_hook(lambda *args: seen.append(("a.pre", args[2])))
    net.register_load_state_dict_post_hook(lambda cell, report: seen.append(("post", cell.a.bias.tolist(), report)))
    report = net.load_state_dict(given)
    assert [item[0] for item in seen] == ["pre", "a.pre", "post"]
    assert seen[0][1:] == (["b", "a.weight", "a.bias"], "", {}, True, [], [], [])
    assert seen[1][1] == "a."
    assert seen[2][1:] == (given["a.bias"].tolist(), report)


def test_a_pre_hook_renames_and_a_post_hook_forgives() -> None:
    net, given = Net(), values(Net())
    given["old"] = given.pop("a.bias")

    def rename(_cell: Any, found: Any, *_rest: Any) -> None:
        found["a.bias"] = found.pop("old")

    with net.register_load_state_dict_pre_hook(rename):
        net.load_state_dict(given)
    assert net.a.bias.tolist() == given["old"].tolist()

    def forgive(_cell: Any, report: Any) -> None:
        report.missing_keys.clear()
        report.unexpected_keys.clear()

    with net.register_load_state_dict_post_hook(forgive):
        net.load_state_dict({"b": Tensor([7.0, 8.0]), "zz": Tensor(1.0)})
    assert net.b.tolist() == [7.0, 8.0]
    with (
        net.register_load_state_dict_post_hook(lambda _cell, report: report),
        pytest.raises(AssertionError, match="not expected to return"),
    ):
        net.load_state_dict(values(net))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"a.bias": Tensor([1.0, 2.0, 3.0])}, r'"a.bias" must have the shape \(2,\), but got \(3,\)'),
        ({"a.bias": np.ones(2, np.float32)}, '"a.bias" must be a Tensor, but got ndarray'),
        ({"zz": Tensor(1.0)}, "unexpected keys: zz"),
        ({"b": None}, "missing keys: b"),
    ],
)
def test_a_refused_state_changes_nothing(change: dict[str, Any], text: str) -> None:
    net = Net()
    given: dict[str, Any] = {**values(Net()), **change}
    before = {name: value.tolist() for name, value in net.state_dict().items()}
    with pytest.raises(RuntimeError, match=text):
        net.load_state_dict({name: value for name, value in given.items() if value is not None})
    assert {name: value.tolist() for name, value in net.state_dict().items()} == before


def test_extra_state() -> None:
    source, target = WithExtra(), WithExtra()
    source.extra = 5
    assert list(source.state_dict()) == ["b", "_extra_state", "a.weight", "a.bias"]
    target.load_state_dict(source.state_dict())
    assert target.extra == 5
    with pytest.raises(RuntimeError, match="missing keys: _extra_state"):
        target.load_state_dict(values(Net()))
    with pytest.raises(RuntimeError, match="unexpected keys: _extra_state"):
        Net().load_state_dict(source.state_dict())
    for ask in (Net().get_extra_state, lambda: Net().set_extra_state(1)):
        with pytest.raises(RuntimeError, match="should never be called"):
            ask()


def test_hooks_stay_with_their_cell() -> None:
    net, seen = Net(), []
    net.register_state_dict_pre_hook(lambda *_args: seen.append(1))
    for twin in (copy.copy(net), copy.deepcopy(net)):
        twin.state_dict()
    assert seen == []
    net.a.register_state_dict_pre_hook(lambda *_args: seen.append(2))  # no lambda can be pickled, so it is left out
    pickle.loads(pickle.dumps(net.a)).state_dict()
    assert seen == []
    nn.Cell.state_dict(net)
    assert seen == [1, 2]


def test_buffers_are_tensors() -> None:
    net, seen = Net(), []
    assert isinstance(net.b, Tensor) and (net.b + 1).tolist() == [2.0, 3.0]
    net.b = Tensor([3.0, 4.0])
    assert [b.tolist() for b in net.buffers()] == [[3.0, 4.0]]
    with register_cell_buffer_registration_hook(lambda cell, name, data: seen.append((cell, name)) or data * 2):
        net.register_buffer("c", Tensor([5.0]))
    net.register_buffer("d", Tensor([5.0]))
    assert seen == [(net, "c")]
    assert (net.c.tolist(), net.d.tolist()) == ([10.0], [5.0])


def test_set_inputs_by_name() -> None:
    class Adds(nn.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return x + y

    cell, x = Adds(), Tensor([1.0])
    cell.set_inputs(y=x)
    assert list(cell.get_inputs()) == ["y"]
    cell.set_inputs(y=x, x=x)
    assert list(cell.get_inputs()) == ["x", "y"]
    with pytest.raises(ValueError, match=r"valid key is \['x', 'y'\], but got z"):
        cell.set_inputs(z=x)
    with pytest.raises(ValueError, match="should only set inputs or kwargs"):
        cell.set_inputs(x, y=x)


def test_precision_of_values() -> None:
    cell = nn.Dense(1, 1)
    assert cell.get_mixed_precision_type().name == "NOTSET"
    inputs = (Tensor([1.0]), Tensor([1]))
    assert cell.auto_cast_inputs(inputs) is inputs
    cell.to_float(ms_dtype.float16)
    assert cell.get_mixed_precision_type().name == "FP16"
    assert [x.dtype for x in cell.auto_cast_inputs(inputs)] == [ms_dtype.float16, ms_dtype.int64]
    assert [x.dtype for x in cell.cast_inputs(inputs, ms_dtype.float16)] == [ms_dtype.float16] * 2
    assert cell.cast_param(cell.weight) is cell.weight  # it does not run


def test_flags_of_parameters_and_debugging() -> None:
    net = nn.SequentialCell(nn.Dense(1, 1))
    assert net.set_comm_fusion(2, recurse=False) is net and net[0].weight.comm_fusion == 1
    assert net.set_comm_fusion(2)[0].weight.comm_fusion == 2
    with pytest.raises(ValueError, match="not be negative"):
        net.set_comm_fusion(-1)
    assert not net.bprop_debug
    net.bprop_debug = True
    assert net.bprop_debug
    with pytest.raises(TypeError, match="must be bool"):
        net.bprop_debug = 1
