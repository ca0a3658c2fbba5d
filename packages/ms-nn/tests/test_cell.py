"""Cell: registration, names, modes, copies, printing."""

from __future__ import annotations

import copy
import pickle
import threading
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_kernels import Parameter, ParameterTuple, Tensor


def parameter(*shape: int, name: str | None = None, **kwargs: Any) -> Parameter:
    return Parameter(Tensor(np.ones(shape or (2,), np.float32)), name=name, **kwargs)


class Inner(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = parameter()
        self.b = parameter(name="bias")
        self.t = Tensor([1, 2])
        self.pt = ParameterTuple([parameter(name="x"), parameter(name="y")])
        self.lst = [parameter(name="l0"), parameter(name="l1")]
        self.d = nn.Dense(2, 3)
        self.n = None

    def construct(self, x: Any) -> Any:
        return x


class Outer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.a = Inner()
        self.c = nn.SequentialCell(nn.Dense(2, 2), Inner())

    def construct(self, x: Any) -> Any:
        return self.a(x)


INNER = ["w", "b", "x", "y", "d.weight", "d.bias"]
OUTER = [*("a." + n for n in INNER), "c.0.weight", "c.0.bias", *("c.1." + n for n in INNER)]


# -- registration and names -------------------------------------------------------------------------------------------


def test_names_of_parameters() -> None:
    cell = Inner()
    assert [p.name for p in cell.get_parameters()] == ["w", "bias", "x", "y", "d.weight", "d.bias"]
    assert [name for name, _ in cell.parameters_and_names()] == INNER
    outer = Outer()
    assert [name for name, _ in outer.parameters_and_names()] == OUTER
    assert [p.name for p in outer.get_parameters()] == OUTER
    assert list(outer.parameters_dict()) == OUTER
    assert [name for name, _ in outer.parameters_and_names(name_prefix="q")][:2] == ["q.a.w", "q.a.b"]
    assert [p.name for p in outer.trainable_params()] == OUTER
    assert outer.untrainable_params() == []
    assert outer.trainable_params(recurse=False) == []


def test_names_of_cells() -> None:
    outer = Outer()
    assert [name for name, _ in outer.cells_and_names()] == ["", "a", "a.d", "c", "c.0", "c.1", "c.1.d"]
    assert list(outer.name_cells()) == ["a", "c"]
    assert [type(cell).__name__ for cell in outer.cells()] == ["Inner", "SequentialCell"]
    outer.update_cell_prefix()
    assert (outer.param_prefix, outer.a.param_prefix, outer.a.d.param_prefix) == ("", "a", "a.d")
    outer.generate_scope()
    assert outer.get_scope() is None
    assert outer.a.d.get_scope() == "Default/a-Inner/d-Dense"
    assert outer.get_sub_cell("a.d") is outer.a.d
    assert outer.get_sub_cell("") is outer
    with pytest.raises(AttributeError, match="has no attribute `zz`"):
        outer.get_sub_cell("a.zz")


def test_parameters_live_outside_the_instance_dict() -> None:
    cell = Inner()
    assert not {"w", "b", "d", "pt"} & set(vars(cell))
    assert {"t", "lst", "n"} <= set(vars(cell))
    assert {"w", "d", "pt", "t"} <= set(dir(cell))
    assert [p.name for p in cell.pt] == ["x", "y"]


def test_update_parameters_name() -> None:
    outer = Outer()
    outer.update_parameters_name("pre.")
    assert [p.name for p in outer.get_parameters()] == ["pre." + name for name in OUTER]
    with pytest.raises(TypeError, match="'prefix' must be str"):
        outer.update_parameters_name(3)  # type: ignore[arg-type]


def test_a_cell_under_two_names_counts_once() -> None:
    class Shared(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Dense(2, 2)
            self.b = self.a

    cell = Shared()
    assert [name for name, _ in cell.parameters_and_names()] == ["a.weight", "a.bias"]
    assert [p.name for p in cell.get_parameters()] == ["b.weight", "b.bias"]
    assert [name for name, _ in cell.cells_and_names()] == ["", "a"]


def test_a_parameter_in_two_cells_counts_once() -> None:
    class Tied(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Dense(2, 2)
            self.b = nn.Dense(2, 2)
            self.b.weight = self.a.weight

    assert [name for name, _ in Tied().parameters_and_names()] == ["a.weight", "a.bias", "b.bias"]


def test_auto_prefix_off() -> None:
    cell = nn.Cell(auto_prefix=False)
    cell.d = nn.Dense(2, 2)
    assert [p.name for p in cell.get_parameters()] == ["weight", "bias"]


def test_attributes_become_parameters_and_cells() -> None:
    cell = nn.Cell()
    cell.x = 3
    cell.x = parameter()
    assert cell.x.name == "x" and "x" not in vars(cell)
    cell.y = None
    cell.y = nn.ReLU()
    assert list(cell.name_cells()) == ["y"]
    del cell.x
    assert not hasattr(cell, "x")
    del cell.y
    assert not list(cell.cells())
    with pytest.raises(AttributeError):
        del cell.y


def test_assignment_to_a_parameter() -> None:
    dense = nn.Dense(2, 2)
    old = dense.weight
    dense.weight = Tensor(np.full((2, 2), 5, np.float32))
    assert dense.weight is old
    np.testing.assert_array_equal(old.asnumpy(), np.full((2, 2), 5))
    dense.weight = parameter(2, 2)
    assert dense.weight is not old and dense.weight.name == "weight"
    dense.weight = parameter(2, 2, name="new")
    assert dense.weight.name == "new"
    with pytest.raises(TypeError, match="Parameter 'weight' already exists in network, can not assign this type"):
        dense.weight = 3
    with pytest.raises(KeyError, match="the weight child cell already exists"):
        dense.weight = nn.ReLU()


def test_assignment_to_a_cell() -> None:
    outer = Outer()
    outer.a = nn.ReLU()
    assert repr(outer.a) == "ReLU()"
    outer.a = None
    assert outer.a is None
    assert repr(outer).splitlines()[1] == "  (a): None"
    with pytest.raises(TypeError, match="Sub cell 'a' already exists in network, can not assign this type"):
        outer.a = 3
    with pytest.raises(KeyError, match="the a parameter already exists"):
        outer.a = parameter()


def test_before_init() -> None:
    class EarlyParameter(nn.Cell):
        def __init__(self) -> None:
            self.w = parameter()
            super().__init__()

    class EarlyCell(nn.Cell):
        def __init__(self) -> None:
            self.w = nn.ReLU()
            super().__init__()

    for kind in (EarlyParameter, EarlyCell):
        with pytest.raises(AttributeError, match=r"please call Cell.__init__"):
            kind()


def test_equal_names_in_a_parameter_tuple() -> None:
    cell = nn.Cell()
    with pytest.raises(ValueError, match="must differ"):
        cell.pt = ParameterTuple([parameter(), parameter()])


def test_insert_param_to_cell() -> None:
    cell = nn.Cell()
    cell.d = nn.Dense(1, 1)
    cell.insert_param_to_cell("q", parameter())
    assert cell.q.name == "q"
    for name, value, kind, text in [
        ("a.b", parameter(), KeyError, "should not contain"),
        ("", parameter(), KeyError, "should not be None"),
        ("r", 3, TypeError, "must be 'Parameter'"),
        ("d", parameter(), KeyError, "already exists"),
        (3, parameter(), TypeError, "must be str"),
    ]:
        with pytest.raises(kind, match=text):
            cell.insert_param_to_cell(name, value)  # type: ignore[arg-type]


def test_insert_child_to_cell() -> None:
    cell = nn.Cell()
    cell.number = 3
    cell.insert_child_to_cell("r", nn.Dense(1, 1))
    assert [p.name for p in cell.get_parameters()] == ["weight", "bias"]
    for name, value, kind, text in [
        ("q", 3, TypeError, "'child_cell' must be 'Cell'"),
        (3, nn.ReLU(), TypeError, "'child_name' must be str"),
        ("", nn.ReLU(), KeyError, "can not be None"),
        ("number", nn.ReLU(), KeyError, "already exists"),
    ]:
        with pytest.raises(kind, match=text):
            cell.insert_child_to_cell(name, value)  # type: ignore[arg-type]


def test_check_names() -> None:
    cell = nn.Cell()
    cell.w = parameter(name="n")
    cell.check_names()
    cell.check_names_and_refresh_name()
    cell.v = parameter(name="n")
    for check in (cell.check_names, cell.check_names_and_refresh_name):
        with pytest.raises(ValueError, match="its name 'n' already exists"):
            check()


def test_jit_config_is_kept() -> None:
    class Config:
        jit_config_dict = {"jit_level": "O0"}

    cell = nn.Cell()
    assert cell.jit_config_dict == {}
    cell.set_jit_config(Config())
    assert cell.jit_config_dict == {"jit_level": "O0"}


def test_recompute_flags() -> None:
    nn.Cell().recompute(mp_comm_recompute=True)
    with pytest.raises(ValueError, match="the keyword must be one of"):
        nn.Cell().recompute(mode=True)
    with pytest.raises(TypeError, match="'mp_comm_recompute' must be a bool"):
        nn.Cell().recompute(mp_comm_recompute=1)


# -- calls ------------------------------------------------------------------------------------------------------------


def test_construct_gets_all_kinds_of_arguments() -> None:
    class Keyword(nn.Cell):
        def construct(self, x: Any, *rest: Any, k: int = 1, **more: Any) -> Any:
            return x * k + sum(rest) + more.get("plus", 0)

    assert float(Keyword()(Tensor(2.0), 1, k=3, plus=10)) == 17.0


def test_wrong_arguments() -> None:
    cell = Inner()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        cell()
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        cell(1, 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        cell(y=1)


def test_no_construct() -> None:
    with pytest.raises(AttributeError, match=r"For 'Cell', the method 'construct' is not defined."):
        nn.Cell()(1)


def test_missing_attribute() -> None:
    with pytest.raises(AttributeError, match=r"The 'Inner' object has no attribute 'zzz'."):
        _ = Inner().zzz


# -- modes ------------------------------------------------------------------------------------------------------------


def test_set_train() -> None:
    outer = Outer()
    assert outer.training is False and outer.phase == "train"
    assert outer.set_train() is outer
    assert outer.training and outer.a.d.training and outer.phase == "train"
    outer.set_train(False)
    assert not outer.training and not outer.c[1].d.training
    assert outer.phase == "predict" and outer.a.phase == "train"


def test_flags() -> None:
    outer = Outer()
    assert nn.Cell(flags={"z": 1}).get_flags() == {"z": 1}
    assert outer.add_flags(foo=True) is outer
    assert outer.foo is True and outer.get_flags() == {"foo": True}
    outer.add_flags_recursive(bar=1)
    assert outer.a.d.bar == 1
    assert outer.set_grad() is outer
    assert outer.requires_grad and not outer.a.requires_grad


@pytest.mark.parametrize("dtype", [ms_dtype.float16, ms_dtype.bfloat16])
def test_to_float(dtype: Any) -> None:
    dense = nn.Dense(2, 2).to_float(dtype)
    assert dense(Tensor(np.ones((1, 2), np.float32))).dtype == dtype
    assert dense.weight.dtype == ms_dtype.float32
    assert isinstance(dense.weight, Parameter)
    flags = dense.get_flags()
    assert {key for key in ("fp16", "fp32", "bf16") if flags[key]} == {"fp16" if dtype == ms_dtype.float16 else "bf16"}


def test_to_float_trains_the_float32_parameters() -> None:
    from ms_kernels import value_and_grad

    dense = nn.Dense(2, 1, "ones", "zeros").to_float(ms_dtype.float16)
    x = Tensor(np.ones((1, 2), np.float32))
    _, (weight, bias) = value_and_grad(lambda: dense(x).sum(), None, dense.trainable_params())()
    assert weight.dtype == ms_dtype.float32
    np.testing.assert_array_equal(weight.asnumpy(), [[1, 1]])
    np.testing.assert_array_equal(bias.asnumpy(), [1])


def test_to_float_ends_with_the_call() -> None:
    class Fails(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = parameter()

        def construct(self, x: Any) -> Any:
            assert self.w.dtype == ms_dtype.float16
            raise ZeroDivisionError

    cell = Fails().to_float(ms_dtype.float16)
    with pytest.raises(ZeroDivisionError):
        cell(1)
    assert cell.w.dtype == ms_dtype.float32


def test_to_float_wrong_type() -> None:
    with pytest.raises(ValueError, match=r"must be mstype.float32, mstype.float16 or mstype.bfloat16"):
        nn.Cell().to_float(ms_dtype.int32)


def test_apply_goes_bottom_up() -> None:
    seen: list[str] = []
    outer = Outer()
    assert outer.apply(lambda cell: seen.append(type(cell).__name__)) is outer
    assert seen == ["Dense", "Inner", "Dense", "Dense", "Inner", "SequentialCell", "Outer"]


def test_inputs_are_kept() -> None:
    cell = nn.Cell()
    assert cell.get_inputs() is None
    cell.set_inputs(1, 2)
    assert cell.get_inputs() == (1, 2)


def test_threads_share_a_cell() -> None:
    dense = nn.Dense(2, 2).to_float(ms_dtype.float16)
    kinds: list[Any] = []

    def call() -> None:
        for _ in range(50):
            kinds.append(dense(Tensor(np.ones((1, 2), np.float32))).dtype)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds == [ms_dtype.float16] * 150


# -- copies, state, printing ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [copy.deepcopy, lambda cell: pickle.loads(pickle.dumps(cell))], ids=["deepcopy", "pickle"]
)
def test_copies_are_independent(make: Any) -> None:
    outer = Outer()
    twin = make(outer)
    assert [p.name for p in twin.get_parameters()] == OUTER
    assert all(isinstance(p, Parameter) and p.requires_grad for p in twin.get_parameters())
    twin.a.w.set_data(Tensor(np.zeros(2, np.float32)))
    np.testing.assert_array_equal(outer.a.w.asnumpy(), [1, 1])
    twin.extra = nn.ReLU()
    assert not hasattr(outer, "extra")
    assert repr(make(outer)) == repr(outer)


def test_shared_cells_stay_shared_in_copies() -> None:
    shared = nn.Dense(2, 2)
    twin = copy.deepcopy(nn.SequentialCell(shared, shared))
    assert twin[0] is twin[1]


def test_shallow_copy_has_its_own_tables() -> None:
    dense = nn.Dense(2, 2)
    twin = copy.copy(dense)
    assert twin.weight is dense.weight
    twin.extra = nn.ReLU()
    assert not hasattr(dense, "extra")


def test_state_dict() -> None:
    class Counting(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.d = nn.Dense(2, 1)
            self.count = nn.Buffer(Tensor([1.0]))
            self.scratch = nn.Buffer(Tensor([2.0]), persistent=False)

    cell, other = Counting(), Counting()
    assert list(cell.state_dict()) == ["count", "d.weight", "d.bias"]
    assert [name for name, _ in cell.named_buffers()] == ["count", "scratch"]
    assert cell.get_buffer("count") is cell.count
    for wrong in ("d.weight", "zz", "zz.count"):
        with pytest.raises(AttributeError, match="must be the path of a buffer"):
            cell.get_buffer(wrong)
    collected: OrderedDict[str, Any] = OrderedDict(first=1)
    assert cell.state_dict(destination=collected, prefix="p.") is collected
    assert list(collected) == ["first", "p.count", "p.d.weight", "p.d.bias"]
    other.load_state_dict(cell.state_dict())
    np.testing.assert_array_equal(other.d.weight.asnumpy(), cell.d.weight.asnumpy())
    with pytest.raises(RuntimeError, match=r"missing keys: count.\n\tunexpected keys: z."):
        other.load_state_dict({"z": Tensor(1.0), "d.weight": cell.d.weight, "d.bias": cell.d.bias})
    report = other.load_state_dict({"z": Tensor(1.0)}, strict=False)
    assert report.unexpected_keys == ["z"] and report.missing_keys == ["count", "d.weight", "d.bias"]
    with pytest.raises(RuntimeError, match=r'"d.weight" must have the shape'):
        other.load_state_dict({"d.weight": Tensor([1.0])}, strict=False)


def test_printing() -> None:
    class Extra(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.seq = nn.SequentialCell(nn.ReLU(), nn.SequentialCell(nn.Tanh()))

        def extend_repr(self) -> str:
            return "note=1"

    assert repr(Extra()) == (
        "Extra(\n  note=1\n  (seq): SequentialCell(\n    (0): ReLU()\n    (1): SequentialCell(\n"
        "      (0): Tanh()\n    )\n  )\n)"
    )
    assert repr(nn.Cell()) == "Cell()"
    assert bool(nn.Cell()) and nn.Cell().cls_name == "Cell"


def test_init_parameters_data() -> None:
    outer = Outer()
    found = outer.init_parameters_data()
    assert [p.name for p in found] == OUTER
    assert all(key is value for key, value in found.items())
