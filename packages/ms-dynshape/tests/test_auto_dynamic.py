"""Automatic dynamic shape: names, states, and each rule by itself."""

from __future__ import annotations

import inspect
import logging
import math
from collections.abc import Iterator
from typing import Any

import pytest

from ms_dynshape import auto_dynamic_shape, mutable
from ms_dynshape.auto_dynamic_shape import (
    _AutoDynamicShapeManager,
    _AutoIdentifyDynamicShape,
    auto_dynamic_shape_dict,
    forget,
    get_auto_dynamic_shape_args,
    get_auto_dynamic_shape_args_with_check_input_signature,
    update_auto_dynamic_shape_phase,
    update_auto_dynamic_shape_phase_with_check_input_signature,
)

KEY = "the key of these tests"


class Tensor:
    """Has what makes a tensor."""

    def __init__(self, shape: Any, dtype: str = "float32") -> None:
        self.shape = tuple(shape)
        self.dtype = dtype

    def asnumpy(self) -> None: ...


class Parameter(Tensor):
    """Has what makes a Parameter."""

    name = "p"
    requires_grad = True


class Array:
    """An array of another library."""

    shape = (2,)
    dtype = "float32"


def T(*shape: int, dtype: str = "float32") -> Tensor:
    return Tensor(shape, dtype)


def shapes(args: Any) -> list[Any]:
    return [getattr(arg, "shape", arg) for arg in args]


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    forget(KEY)


def call(*args: Any, flag: bool = True) -> Any:
    """One call of a function that takes what it is given, compiled under the next phase."""
    given = list(args)
    result = get_auto_dynamic_shape_args(given, KEY, flag)
    known = auto_dynamic_shape_dict[KEY].auto_dynamic_shape_manager
    phase = f"phase {len(known.real_shape_cache) + len(known.generalize_shape_cache)}"
    update_auto_dynamic_shape_phase(result, KEY, phase)
    return given if result is given else result


def is_on() -> bool:
    return auto_dynamic_shape_dict[KEY].is_enable_auto_dynamic_shape


def test_constants_and_names() -> None:
    assert (auto_dynamic_shape.SHAPE_DIM_ANY, auto_dynamic_shape.SHAPE_RANK_ANY) == (-1, -2)
    assert isinstance(auto_dynamic_shape.auto_dynamic_shape_dict, dict)
    assert not hasattr(auto_dynamic_shape, "auto_dynamic_shepe_dict")
    assert type(auto_dynamic_shape._auto_dynamic_shape) is _AutoIdentifyDynamicShape


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (get_auto_dynamic_shape_args, "compile_args, key_id, enable_auto_dynamic=False"),
        (update_auto_dynamic_shape_phase, "compile_args, key_id, phase"),
        (
            get_auto_dynamic_shape_args_with_check_input_signature,
            "compile_args, key_id, input_signature, enable_auto_dynamic=False",
        ),
        (
            update_auto_dynamic_shape_phase_with_check_input_signature,
            "compile_args, key_id, phase, input_signature",
        ),
    ],
)
def test_signatures(function: Any, want: str) -> None:
    parameters = inspect.signature(function).parameters.values()
    texts = [p.name if p.default is p.empty else f"{p.name}={p.default}" for p in parameters]
    assert ", ".join(texts) == want


def test_a_new_object() -> None:
    new = vars(_AutoIdentifyDynamicShape())
    manager = new.pop("auto_dynamic_shape_manager")
    assert new == {
        "all_shape_cache": {},
        "is_sink_mode": False,
        "is_enable_auto_dynamic_shape": False,
        "save_cache_number": 3,
    }
    assert vars(manager) == {
        "real_shape_cache": [],
        "generalize_shape_cache": [],
        "real_phase_and_compile_args_dict": {},
        "generalize_phase_and_compile_args_dict": {},
    }
    [flag] = inspect.signature(_AutoIdentifyDynamicShape).parameters.values()
    assert (flag.name, flag.default) == ("auto_dynamic", False)


@pytest.mark.parametrize(("value", "on"), [("1", True), ("0", False), ("2", False), ("true", False), ("", False)])
def test_environment(value: str, on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS_AUTO_DYNAMIC_SHAPE_ENABLE", value)
    made = _AutoIdentifyDynamicShape()
    monkeypatch.delenv("MS_AUTO_DYNAMIC_SHAPE_ENABLE")
    assert made.is_enable_auto_dynamic_shape is on
    assert not _AutoIdentifyDynamicShape().is_enable_auto_dynamic_shape
    monkeypatch.setenv("MS_AUTO_DYNAMIC_SHAPE_ENABLE", value)
    assert _AutoIdentifyDynamicShape(True).is_enable_auto_dynamic_shape


def test_the_first_get_makes_the_object_of_a_key() -> None:
    args = [T(2)]
    assert get_auto_dynamic_shape_args(args, KEY) is args
    first = auto_dynamic_shape_dict[KEY]
    assert get_auto_dynamic_shape_args(args, KEY, True) is args
    assert auto_dynamic_shape_dict[KEY] is first
    assert not is_on()


def test_update() -> None:
    update_auto_dynamic_shape_phase([T(2)], KEY, "phase")
    assert KEY not in auto_dynamic_shape_dict
    args = [T(2)]
    get_auto_dynamic_shape_args(args, KEY, True)
    update_auto_dynamic_shape_phase(args, KEY, "phase")
    known = auto_dynamic_shape_dict[KEY].auto_dynamic_shape_manager
    assert known.real_phase_and_compile_args_dict["phase"] is args
    assert not auto_dynamic_shape_dict[KEY].is_sink_mode


def test_an_input_signature_leaves_all_as_it_is() -> None:
    args = [T(2)]
    get, update = (
        get_auto_dynamic_shape_args_with_check_input_signature,
        update_auto_dynamic_shape_phase_with_check_input_signature,
    )
    for signature in (T(-1), (), [T(-1)]):
        assert get(args, KEY, signature, True) is args
        assert KEY not in auto_dynamic_shape_dict
    assert get(args, KEY, None, True) is args
    update(args, KEY, "no", (T(-1),))
    assert auto_dynamic_shape_dict[KEY].auto_dynamic_shape_manager.real_phase_and_compile_args_dict == {}
    update(args, KEY, "yes", None)
    assert [*auto_dynamic_shape_dict[KEY].auto_dynamic_shape_manager.real_phase_and_compile_args_dict] == ["yes"]


def test_order_of_the_checks() -> None:
    order = []

    class Watched(_AutoIdentifyDynamicShape):
        def _is_enable_auto_dynamic_shape(self, args_list: Any, is_sink_mode: bool) -> bool:
            order.append("kinds")
            return super()._is_enable_auto_dynamic_shape(args_list, is_sink_mode)

        def _check_input_number_and_type(self, args_list: Any) -> bool:
            order.append("types")
            return super()._check_input_number_and_type(args_list)

    assert Watched(False).auto_dynamic_generate_compile_args(3, False) == 3  # not even looked at
    assert order == []
    Watched(True).auto_dynamic_generate_compile_args([T(2)], False)
    assert order == ["kinds", "types"]
    order.clear()
    Watched(True).auto_dynamic_generate_compile_args(["text"], False)
    assert order == ["kinds"]


def test_off_is_for_good() -> None:
    call(T(2))
    for args in (["text"], [T(3)], [T(4)], [T(5)]):
        assert get_auto_dynamic_shape_args(args, KEY, True) is args
        assert not is_on()


def test_no_arguments() -> None:
    for args in ((), []):
        made = _AutoIdentifyDynamicShape(True)
        assert made.auto_dynamic_generate_compile_args(args, False) is args
        assert not made.is_enable_auto_dynamic_shape
    made = _AutoIdentifyDynamicShape(True)
    assert made.auto_dynamic_generate_compile_args([], True) == []
    assert made.is_enable_auto_dynamic_shape
    assert made.is_sink_mode


@pytest.mark.parametrize("place", [0, 1])
def test_none_stays_in_place(place: int) -> None:
    for n in (2, 3, 4):
        args: list[Any] = [T(n, 3)]
        args.insert(place, None)
        result = call(*args)
    assert result[place] is None
    assert result[1 - place].shape == (-1, -1)


@pytest.mark.parametrize(
    "value", ["text", {}, object(), Array(), 1j, b"", T(), T(-1, 2), T(-2), (), [], ("text",), ((T(2), {}),)]
)
@pytest.mark.parametrize("front", [[], [(1,)], [mutable((T(2),))]], ids=["alone", "after a tuple", "after a mutable"])
def test_unfit_arguments(value: Any, front: list[Any]) -> None:
    args = [*front, value]
    assert get_auto_dynamic_shape_args(args, KEY, True) is args
    assert not is_on()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ([T(2)], [T(2), T(2)]),
        ([T(2), T(2)], [T(2)]),
        ([T(2)], [1]),
        ([T(2)], [(1,)]),
        ([1], [T(2)]),
        ([1], [(1,)]),
        ([(1,)], [T(2)]),
        ([(1,)], [1]),
        ([(T(2),)], [(1,)]),
        ([None], [T(2)]),
        ([T(2)], [T(2, dtype="float16")]),
        ([1], [1.0]),
        ([1.0], [1]),
        ([True], [1.0]),
        ([(1,)], [(1.0,)]),
        ([1], [2]),
        ([(1, (2.5,))], [(1, (3.5,))]),
        ([math.nan], [math.nan]),
    ],
)
def test_another_number_kind_type_or_value(first: list[Any], then: list[Any]) -> None:
    call(*first)
    assert is_on()
    assert get_auto_dynamic_shape_args(then, KEY, True) is then
    assert not is_on()


def test_close_numbers_are_equal_and_the_new_one_is_handed_on() -> None:
    call(T(2), 0.1 + 0.2)
    call(T(3), 0.3)
    result = call(T(4), 0.3)
    assert shapes(result) == [(-1,), 0.3]
    assert shapes(call(T(5), 0.1 + 0.2)) == [(-1,), 0.1 + 0.2]
    assert call(T(6), True) is not None
    assert not is_on()


def test_compare_arguments() -> None:
    compare = _AutoDynamicShapeManager()._compare_input_args_and_cache_args
    equal: list[tuple[list[Any], list[Any]]] = [
        ([1], [1.0]),
        ([True], [1]),
        ([0.1 + 0.2], [0.3]),
        ([T(2, 3)], [T(2, 3)]),
        ([Parameter((2,))], [T(2)]),
        ([None, 1], [None, 1]),
        ([(1, [T(2)])], [[1, (T(2),)]]),
        ([], []),
    ]
    for a, b in equal:
        assert compare(a, b)
    for a, b in [([1], [2]), ([T(2)], [T(3)]), ([T(2)], [T(2, dtype="int32")]), ([(1,)], [(2,)]), ([T(2)], [None])]:
        assert not compare(a, b)


@pytest.mark.parametrize(
    ("arg", "cache", "want"),
    [
        (1, 1, True),
        (1, 2, False),
        (1, 1.0, False),
        (1.0, 1, False),
        (True, 1, True),
        (1, True, True),
        (True, 1.0, False),
        (0.1 + 0.2, 0.3, True),
        (1.0, 1 + 1e-8, False),
        (0.0, 1e-12, False),
        (10**12, 10**12 + 1, True),
        (math.nan, math.nan, False),
        (math.inf, math.inf, True),
    ],
)
def test_numbers(arg: float, cache: float, want: bool) -> None:
    assert _AutoIdentifyDynamicShape()._check_input_int_float(arg, cache) is want


def test_the_third_signature() -> None:
    same = T(7)
    assert call(T(2, 3, dtype="float16"), same)[0].shape == (2, 3)
    assert call(T(3, 3, dtype="float16"), same)[0].shape == (3, 3)
    result = call(T(4, 3, dtype="float16"), same)
    assert type(result) is tuple
    assert (type(result[0]), result[0].shape, result[0].dtype) == (Tensor, (-1, -1), "float16")
    assert result[1] is same
    other_rank = call(T(4, 3, 1, dtype="float16"), same)
    assert (other_rank[0].shape, other_rank[0].dtype) == ((-2,), "float16")


def test_least_general_wins() -> None:
    call(T(2), T(2, 3))
    call(T(3, 3), T(3, 3))
    # beside the first call the rank of one tensor is unknown, beside the second the dims of two are
    assert shapes(call(T(2, 3), T(2, 3))) == [(-1, -1), (-1, -1)]


@pytest.mark.parametrize("plain", [(1, 2), [1, 2], (T(5),), mutable([(1, 2), 3])])
def test_a_plain_sequence_keeps_the_call(plain: Any) -> None:
    for n in (2, 3, 4, 5):
        args = [T(n), plain]
        result = call(*args)
        assert shapes(result)[0] == (n,)
        assert result[1] is plain
    assert is_on()


@pytest.mark.parametrize(("kind", "want"), [(tuple, tuple), (list, list)])
def test_mutable_sequences_keep_their_type(kind: Any, want: type) -> None:
    for n in (2, 3, 4):
        result = call(mutable(kind([T(n), mutable(kind([T(1, n), 2.5]))])))
    assert type(result[0]) is want
    assert type(result[0][1]) is want
    assert result[0][0].shape == (-1,)
    assert shapes(result[0][1]) == [(-1, -1), 2.5]


def test_nothing_is_lost() -> None:
    """What MindSpore drops here: a None where a tensor was, the end of a sequence that became longer."""
    for n in (2, 3):
        call(T(n), T(3), mutable([T(n)]))
    result = call(T(4), None, mutable([T(4), T(1)]))
    assert result[1] is None
    assert shapes(result[2]) == [(-1,), (1,)]


def test_generalize_one(caplog: pytest.LogCaptureFixture) -> None:
    one = _AutoIdentifyDynamicShape(True)._do_generalize_one_input_shape
    items, fits = one([T(2), 1, None], [T(3), 1, None], "real", 0, False)
    assert fits
    assert type(items) is list
    assert shapes(items) == [(-1,), 1, None]
    caplog.set_level(logging.INFO)
    args = [T(2), 1]
    items, fits = one(args, [T(3), 2], "real", 0, False)
    assert items is args
    assert fits is False
    assert caplog.messages[0].startswith("In auto dynamic shape mode, scalar/tuple/list must be equal")
    assert one([(1,)], [(1,)], "real", 0, False)[1] is False


class Recorder:
    """Stands for an executor."""

    def __init__(self, name: str, told: list[Any]) -> None:
        self.name = name
        self.told = told

    def get_instance(self) -> Recorder:
        return self

    def del_net_res(self, obj: Any, phases: set[str]) -> None:
        self.told.append((self.name, obj, phases))


def test_the_oldest_general_phase_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    known = []
    for n, phase in ((2, "a"), (3, "b"), (4, "c")):
        args = get_auto_dynamic_shape_args([T(n)], KEY, True)
        update_auto_dynamic_shape_phase(args, KEY, phase)
    told: list[Any] = []
    monkeypatch.setattr(auto_dynamic_shape, "GraphExecutor_", Recorder("graph", told))
    monkeypatch.setattr(auto_dynamic_shape, "JitExecutor_", Recorder("jit", told))
    update_auto_dynamic_shape_phase(get_auto_dynamic_shape_args([T(5)], KEY), KEY, "c")
    assert told == []
    update_auto_dynamic_shape_phase(get_auto_dynamic_shape_args([T(5, 1)], KEY), KEY, "d")
    assert told == [("graph", None, {"c"}), ("jit", None, {"c"})]
    manager = auto_dynamic_shape_dict[KEY].auto_dynamic_shape_manager
    known = [manager.real_phase_and_compile_args_dict, manager.generalize_phase_and_compile_args_dict]
    assert [list(phases) for phases in known] == [["a", "b"], ["d"]]
    auto_dynamic_shape_dict[KEY].save_cache_number = 4
    update_auto_dynamic_shape_phase([T(1)], KEY, "e")
    assert list(manager.generalize_phase_and_compile_args_dict) == ["d", "e"]


def test_sink_mode() -> None:
    cover = inspect.getattr_static(_AutoIdentifyDynamicShape, "_do_generalize_in_sink")
    assert isinstance(cover, staticmethod)
    cover = cover.__func__
    assert cover((2, 3), (2, 3), 0, 0, "real") == (2, 3)
    assert cover((4, 3), (2, 3), 0, 0, "real") == [-1, -1]
    assert cover([4, 3], [2, 3, 1], 0, 0, "real") == [-2]
    with pytest.raises(ValueError, match=r"In sink mode, cell input can not be scalar\."):
        cover((), (2, 3), 0, 0, "real")
    made = _AutoIdentifyDynamicShape(True)
    for n in (2, 3):
        made.update_phase_and_compile_args(
            made.auto_dynamic_generate_compile_args([mutable((n, 3))], True), f"phase {n}", True
        )
    assert made.auto_dynamic_generate_compile_args([mutable((4, 3))], True) == ([-1, -1],)
    plain = [(4, 3)]
    assert made.auto_dynamic_generate_compile_args(plain, True) is plain
    assert made.is_enable_auto_dynamic_shape


def test_parameters_never_generalise() -> None:
    for n in (2, 2, 3, 4, 5):
        assert shapes(call(Parameter((n,)))) == [(n,)]
    assert is_on()
    forget(KEY)
    parameter = Parameter((2,))
    for n in (2, 3, 4):
        result = call(parameter, T(n))
    assert result[0] is parameter
    assert result[1].shape == (-1,)


def test_forget() -> None:
    call(T(2))
    forget(KEY)
    forget(KEY)
    assert KEY not in auto_dynamic_shape_dict
