"""Executors register to be told which graphs to free."""

from __future__ import annotations

import gc
from typing import Any

from ms_dynshape import auto_dynamic_shape
from ms_dynshape.executors import Executors


class Mine:
    def __init__(self) -> None:
        self.freed: list[set[str]] = []

    def del_net_res(self, obj: Any, phases: set[str]) -> None:
        assert obj is None
        self.freed.append(phases)


def test_all_that_registered_are_told() -> None:
    executors, mine, other = Executors(), Mine(), Mine()
    executors.register(mine)
    executors.register(other)
    executors.register(mine)
    executors.get_instance().del_net_res(None, {"a"})
    assert (mine.freed, other.freed) == ([{"a"}], [{"a"}])
    executors.unregister(mine)
    executors.del_net_res(None, {"b"})
    assert (mine.freed, other.freed) == ([{"a"}], [{"a"}, {"b"}])
    assert list(executors) == [other]


def test_an_executor_that_is_gone_is_not_held() -> None:
    executors = Executors()
    mine = Mine()
    executors.register(mine)
    del mine
    gc.collect()
    assert list(executors) == []
    executors.del_net_res(None, {"a"})


def test_both_kinds_hear_of_a_phase_that_gives_way() -> None:
    class Tensor:
        def __init__(self, shape: Any, dtype: str = "float32") -> None:
            self.shape, self.dtype = tuple(shape), dtype

        def asnumpy(self) -> None: ...

    graph, jit = Mine(), Mine()
    auto_dynamic_shape.GraphExecutor_.register(graph)
    auto_dynamic_shape.JitExecutor_.register(jit)
    for shape in ((2,), (3,), (4,), (4, 1)):
        args = auto_dynamic_shape.get_auto_dynamic_shape_args([Tensor(shape)], "executors", True)
        auto_dynamic_shape.update_auto_dynamic_shape_phase(args, "executors", f"phase of {shape}")
    auto_dynamic_shape.forget("executors")
    assert graph.freed == jit.freed == [{"phase of (4,)"}]
