"""`mindspore.runtime`: what the kernels' memory holds, and giving it back."""

from __future__ import annotations

import doctest

from ms_common import runtime, streams
from ms_kernels import Tensor, functional


def test_examples() -> None:
    assert doctest.testmod(runtime).failed == 0


def test_memory_follows_large_tensors() -> None:
    x = Tensor([1.0]).broadcast_to((1 << 20,))
    before = runtime.memory_allocated()
    y = functional.exp(x.copy())
    assert runtime.memory_allocated() - before >= 4 << 20
    del y
    assert runtime.memory_reserved() >= 4 << 20
    runtime.empty_cache()
    assert runtime.memory_reserved() == runtime.memory_allocated() <= before
    runtime.synchronize()
    runtime.launch_blocking()


def test_the_alias_has_it() -> None:
    from ms_common.alias.table import rows

    assert set(rows["mindspore.runtime"].names()) == {*runtime.__all__, *streams.__all__}
    assert set(runtime.__all__) <= set(rows["mindspore"].names())
