"""Parameter and ParameterTuple."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, ParameterTuple, Tensor, grad
from ms_kernels.tensor import initial as module
from ms_kernels.tensor.parameter import set_initializer_resolver

TYPES = (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
# which types (bool first, then TYPES) a Parameter of each type takes in `set_data`, recorded from MindSpore 2.6
TAKES = {
    "int8": "..xxxxxxxxxxxxx",
    "int16": "...xx.xxxxxxxxx",
    "int32": "....x.xxxxxxxxx",
    "int64": "......xxxxxxxxx",
    "uint8": "..xxx.xxxxxxxxx",
    "uint16": "xxxxxx.xxxxxxxx",
    "uint32": "xxxxxxx.xxxxxxx",
    "uint64": "xxxxxxxx.xxxxxx",
    "float16": "......xxx.xxxxx",
    "bfloat16": "......xxx....xx",
    "float32": "......xxx.x.xxx",
    "float64": "......xxx.x..xx",
    "complex64": "......xxx.....x",
    "complex128": "......xxx......",
}


@pytest.fixture
def no_resolver() -> Iterator[None]:
    """Without an initializer package."""
    before = list(module._resolvers)
    module._resolvers.clear()
    yield
    module._resolvers[:] = before


def make(**args: Any) -> Parameter:
    return Parameter(Tensor([1.0, 2.0]), **{"name": "w", **args})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("w", "w"),
        (None, "Parameter"),
        ("", "Parameter"),
        (" ", "Parameter"),
        ("a.b.c", "a.b.c"),
        ("a b", "a b"),
        ("$", "$"),
    ],
)
def test_names(given: Any, name: str) -> None:
    assert make(name=given).name == name
    other = make()
    other.name = given
    assert other.name == name


@pytest.mark.parametrize("wrong", [3, b"w", "a" * 1025, ["w"]])
def test_wrong_names(wrong: Any) -> None:
    with pytest.raises(ValueError, match="For 'Parameter', the 'name' must"):
        make(name=wrong)
    with pytest.raises(ValueError, match="For 'Parameter', the 'name' must"):
        make().name = wrong


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (3, mstype.int32),
        (3.0, mstype.float32),
        ([1, 2], mstype.int64),
        ([1.0], mstype.float32),
        (np.ones(3), mstype.float64),
        (Tensor([1], mstype.int8), mstype.int8),
        (Tensor(True), mstype.bool_),
    ],
)
def test_data(data: Any, dtype: Any) -> None:
    assert Parameter(data).dtype == dtype


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        (ValueError, {"default_input": True}),
        (TypeError, {"default_input": (1, 2)}),
        (TypeError, {"default_input": "a"}),
        (TypeError, {"default_input": np.float32(3)}),
        (TypeError, {"default_input": None}),
        (TypeError, {}),
        (ValueError, {"default_input": Tensor(dtype=mstype.float32, shape=(2, None))}),
        (TypeError, {"default_input": 1, "requires_grad": 1}),
        (TypeError, {"default_input": 1, "layerwise_parallel": 1}),
        (TypeError, {"default_input": 1, "parallel_optimizer": 1}),
        (TypeError, {"default_input": 1, "storage_format": 1}),
        (ValueError, {"default_input": 1, "device": "Ascend"}),
        (TypeError, {"default_input": 1, "nothing": 1}),
    ],
)
def test_errors(kind: type[Exception], args: dict[str, Any]) -> None:
    with pytest.raises(kind):
        Parameter(**args)


def test_data_is_its_own() -> None:
    x, array = Tensor([1.0, 2.0]), np.ones(2, np.float32)
    of_tensor, of_array = Parameter(x), Parameter(array)
    x[0] = array[0] = 9
    of_tensor.add_(1)
    assert of_tensor.tolist() == [2.0, 3.0]
    assert of_array.tolist() == [1.0, 1.0]
    assert x.tolist() == [9.0, 2.0]


def test_initializers_fill_at_once_and_for_one_parameter() -> None:
    numbers = iter(range(1, 10))
    waiting = Tensor(dtype=mstype.float32, shape=(2,), init=lambda a: a.fill(next(numbers)))
    p = Parameter(waiting, name="w")
    assert not p.has_init
    assert p.init is None
    assert p.tolist() == [1.0, 1.0]
    assert next(numbers) == 2
    assert p.init_data() is p
    assert p.init_data(set_sliced=True) is p


def test_it_is_a_tensor() -> None:
    p = make()
    assert isinstance(p, Tensor)
    assert type(p + 1) is type(p.astype(mstype.float16)) is type(p[0]) is Tensor
    assert p.data is p
    assert p is p[...]
    assert (p == p).tolist() == [True, True]
    assert len(p) == 2
    p.note = 3
    assert p.note == 3
    with pytest.raises(AttributeError):
        p.data = Tensor(1)


def test_flags() -> None:
    p = make()
    assert (p.layerwise_parallel, p.parallel_optimizer, p.parallel_optimizer_comm_recompute) == (False, True, False)
    assert (p.cache_enable, p.comm_fusion, p.sliced, p.is_init, p.inited_param, p.key, p.unique) == (
        False,
        1,
        False,
        False,
        None,
        -1,
        False,
    )
    for name in ("layerwise_parallel", "parallel_optimizer", "parallel_optimizer_comm_recompute", "cache_enable"):
        setattr(p, name, True)
        assert getattr(p, name) is True
        with pytest.raises(TypeError, match=f"'{name}' must be a bool"):
            setattr(p, name, 1)
    p.comm_fusion = 2
    assert p.comm_fusion == 2
    with pytest.raises(ValueError):
        p.comm_fusion = -1
    with pytest.raises(TypeError):
        p.comm_fusion = "a"  # type: ignore[assignment]
    p.sliced = True
    assert p.sliced
    p.add_pipeline_stage(1)
    with pytest.raises(TypeError):
        p.add_pipeline_stage(-1)


def test_requires_grad() -> None:
    p = make()
    square = lambda: (p * p).sum()  # noqa: E731
    assert grad(square, None, p)().tolist() == [2.0, 4.0]
    p.requires_grad = False
    assert not p.requires_grad
    with pytest.raises(TypeError, match="'requires_grad' must be a bool"):
        p.requires_grad = 1  # type: ignore[assignment]
    assert not make(requires_grad=False).requires_grad
    assert Parameter(make(requires_grad=False)).requires_grad


def test_value_is_a_tensor_of_now() -> None:
    p = make()
    now = p.value()
    assert type(now) is Tensor
    p.set_data(Tensor([5.0, 6.0]))
    assert now.tolist() == [1.0, 2.0]
    assert grad(lambda: (p.value() * 3).sum(), None, p)().tolist() == [3.0, 3.0]


def test_set_data() -> None:
    p, x = make(), Tensor([3.0, 4.0])
    assert p.set_data(x) is p
    x[0] = 9
    assert p.tolist() == [3.0, 4.0]
    assert p.set_data(Tensor([1, 2])).dtype == mstype.float32
    assert p.set_data(Tensor([1.0, 2.0, 3.0])).shape == (3,)
    assert p.set_data(Tensor([1.0]), slice_shape=True).shape == (1,)
    assert p.set_data(5.0).shape == ()
    assert p.set_data(Parameter(Tensor([7.0]), name="z")).name == "w"
    waiting = Tensor(dtype=mstype.float32, shape=(2,), init=lambda a: a.fill(8))
    assert p.set_data(waiting).tolist() == [8.0, 8.0]
    assert p.requires_grad
    for wrong in ([1.0], np.ones(1), "a", None, True):
        with pytest.raises(TypeError, match=r"For 'Parameter.set_data', the 'data' must"):
            p.set_data(wrong)


@pytest.mark.parametrize("own", sorted(TAKES))
def test_set_data_takes_the_types_that_2_6_takes(own: str) -> None:
    for given, verdict in zip(("bool_", *TYPES), TAKES[own], strict=True):
        p = Parameter(Tensor([1, 2], getattr(mstype, own)), name="w")
        data = Tensor([0, 1], getattr(mstype, given))
        if verdict == ".":
            assert p.set_data(data).dtype == getattr(mstype, own)
            assert p.tolist() == [0, 1]
        else:
            with pytest.raises(TypeError, match="see set_dtype"):
                p.set_data(data)


def test_set_dtype() -> None:
    p = make()
    p.set_dtype(mstype.float16)
    assert (p.dtype, p.name, p.requires_grad) == (mstype.float16, "w", True)


@pytest.mark.usefixtures("no_resolver")
def test_clone() -> None:
    p = make(requires_grad=False, layerwise_parallel=True)
    q = p.clone()
    assert (q.name, q.requires_grad, q.layerwise_parallel, q.tolist()) == ("w", False, True, [1.0, 2.0])
    q.set_data(Tensor([5.0, 5.0]))
    assert p.tolist() == [1.0, 2.0]
    assert p.clone(init="zeros").tolist() == p.clone("Zero").tolist() == [0.0, 0.0]
    assert p.clone(init="ones").tolist() == p.clone(init=1).tolist() == [1.0, 1.0]
    assert p.clone(init=Tensor([7.0, 8.0])).tolist() == [7.0, 8.0]
    for kind, wrong in ((ValueError, "nothing"), (ValueError, Tensor([1.0])), (TypeError, [1]), (TypeError, None)):
        with pytest.raises(kind, match=r"For 'Parameter.clone'"):
            p.clone(init=wrong)


@pytest.mark.usefixtures("no_resolver")
def test_clone_asks_the_initializer_package() -> None:
    asked: list[Any] = []

    def resolver(init: Any, shape: tuple[int, ...], dtype: Any) -> Tensor:
        asked.append((init, shape, dtype))
        return Tensor(dtype=dtype, shape=shape, init=lambda a: a.fill(6))

    set_initializer_resolver(resolver)
    assert make().clone(init="he_normal").tolist() == [6.0, 6.0]
    assert asked == [("he_normal", (2,), mstype.float32)]


def test_copies_are_parameters() -> None:
    p = make(requires_grad=False)
    for q in (copy.copy(p), copy.deepcopy(p), p.copy()):
        assert isinstance(q, Parameter)
        assert (q.name, q.requires_grad) == ("w", False)
        q[0] = 9
        assert p.tolist() == [1.0, 2.0]
    assert copy.deepcopy(make()).requires_grad


def test_tuples() -> None:
    a, b = Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([2.0]), name="b")
    both = ParameterTuple([a, b])
    assert both == (a, b)
    assert isinstance(both, tuple)
    assert ParameterTuple([]) == ()
    assert ParameterTuple(p for p in (a,)) == (a,)
    assert ParameterTuple([a, a]) == (a, a)
    assert type(both[:1]) is tuple
    assert "ParameterTuple" in repr(ParameterTuple)
    wrong: Any
    for kind, wrong in (
        (TypeError, [Tensor(1)]),
        (TypeError, [1]),
        (TypeError, a),
        (TypeError, 3),
        (ValueError, [Parameter(1), Parameter(2)]),
        (ValueError, [a, Parameter(1, name="a")]),
    ):
        with pytest.raises(kind):
            ParameterTuple(wrong)


@pytest.mark.usefixtures("no_resolver")
def test_clone_of_tuples() -> None:
    both = ParameterTuple(
        [Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([2.0]), name="b.c", requires_grad=False)]
    )
    moments = both.clone("pre", init="zeros")
    assert type(moments) is ParameterTuple
    assert [(p.name, p.tolist(), p.requires_grad) for p in moments] == [
        ("pre.a", [0.0], True),
        ("pre.b.c", [0.0], False),
    ]
    assert [p.tolist() for p in both.clone(prefix="x.y_1")] == [[1.0], [2.0]]
    wrong: Any
    for kind, wrong in (
        (TypeError, 3),
        (ValueError, ""),
        (ValueError, "a b"),
        (ValueError, ".a"),
        (ValueError, "a$"),
        (ValueError, "é"),
    ):
        with pytest.raises(kind):
            both.clone(wrong)
