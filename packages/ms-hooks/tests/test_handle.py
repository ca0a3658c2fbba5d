"""Handles hold nothing alive, and removing is always safe."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import threading
import weakref
from collections import OrderedDict
from typing import Any

import pytest

from ms_hooks import HookHandle, HookTable, _TensorHookHandle


class FakeTensor:
    """Records that it was told."""

    def __init__(self, table: HookTable | None = None) -> None:
        self.told: list[list[int]] = []
        self.table = table

    def _remove_hook(self, *args: object) -> None:
        assert args == ()
        self.told.append(list(self.table or ()))


class Slotted:
    __slots__ = ()


def test_signatures() -> None:
    assert list(inspect.signature(HookHandle).parameters) == ["hook_dict"]
    assert inspect.signature(HookHandle).parameters["hook_dict"].default is None
    parameter = inspect.signature(_TensorHookHandle).parameters["tensor"]
    assert parameter.default is inspect.Parameter.empty
    with pytest.raises(TypeError):
        _TensorHookHandle()  # type: ignore[call-arg]


def test_handle_of_nothing() -> None:
    handle = HookHandle()
    assert vars(handle) == {"hook_dict_ref": None}
    handle.remove()
    handle.remove()


@pytest.mark.parametrize("table", [3, {}, [], Slotted()])
def test_no_weak_reference(table: Any) -> None:
    with pytest.raises(TypeError, match="cannot create weak reference"):
        HookHandle(table)
    with pytest.raises(TypeError, match="cannot create weak reference"):
        _TensorHookHandle(table)


def test_remove_takes_only_its_own_hook() -> None:
    table: OrderedDict[int, str] = OrderedDict()
    first, second = HookHandle(table), HookHandle(table)
    assert first.handle_id < second.handle_id
    table[first.handle_id], table[second.handle_id] = "a", "b"
    first.remove()
    first.remove()
    assert list(table.values()) == ["b"]


def test_table_may_be_gone() -> None:
    table: OrderedDict[int, str] = OrderedDict()
    handle = HookHandle(table)
    seen = weakref.ref(table)
    del table
    gc.collect()
    assert seen() is None
    handle.remove()


def test_ids_are_unique_across_threads_and_kinds() -> None:
    table = HookTable()
    ids: list[int] = []
    tensor = FakeTensor()

    def work() -> None:
        for _ in range(200):
            ids.append(table.register(print).handle_id)
            ids.append(table.register_on(tensor, print).id or 0)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == len(ids) == len(table) == 1600


def test_context_manager_removes_even_after_an_error() -> None:
    table = HookTable()
    with pytest.raises(ZeroDivisionError), table.register(print):
        1 // (len(table) - 1)
    assert not table


def test_copies_of_a_handle_refer_to_nothing() -> None:
    table = HookTable()
    handle = table.register(print)
    for twin in (copy.copy(handle), copy.deepcopy(handle), pickle.loads(pickle.dumps(handle))):
        assert type(twin) is HookHandle
        twin.remove()
    assert len(table) == 1
    tensor = FakeTensor(table)
    on_tensor = table.register_on(tensor, print)
    for copied in (copy.deepcopy(on_tensor), pickle.loads(pickle.dumps(on_tensor))):
        assert copied.id is None
        assert copied.tensor_ref() is None
        copied.remove()
    assert tensor.told == []


def test_tensor_handle_before_registration() -> None:
    tensor = FakeTensor()
    handle = _TensorHookHandle(tensor)
    assert handle.id is None
    assert isinstance(handle.tensor_ref, weakref.ref)
    assert handle.tensor_ref() is tensor
    handle.remove()
    assert tensor.told == []


def test_tensor_handle_with_an_id_set_from_outside_tells_the_tensor() -> None:
    tensor = FakeTensor()
    handle = _TensorHookHandle(tensor)
    handle.id = 5
    handle.remove()
    assert len(tensor.told) == 1
    assert handle.id == 5


def test_hook_goes_before_the_tensor_is_told_and_only_once() -> None:
    table = HookTable()
    tensor = FakeTensor(table)
    stays = table.register_on(tensor, str)
    goes = table.register_on(tensor, print)
    goes.remove()
    goes.remove()
    assert tensor.told == [[stays.id]]
    with stays:
        pass
    assert tensor.told == [[stays.id], []]


def test_tensor_may_be_gone() -> None:
    table = HookTable()
    tensor = FakeTensor()
    handle = table.register_on(tensor, print)
    seen = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert seen() is None
    handle.remove()
    handle.remove()
    assert not table
    lonely = HookTable().register_on(FakeTensor(), print)
    gc.collect()
    lonely.remove()
