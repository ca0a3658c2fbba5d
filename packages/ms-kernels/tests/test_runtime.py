"""The thread pool, the cache of freed blocks and the arrays over it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ms_kernels.core import runtime
from ms_kernels.loops import elementwise

BIG = 1 << 20


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    """Every test leaves the number of threads and the bound of the cache as it found them."""
    threads, limit = runtime.get_threads(), runtime.memory_stats()["limit"]
    yield
    runtime.set_threads(threads)
    runtime.set_memory_limit(limit)


def run(code: str, **env: str) -> str:
    """What a fresh interpreter prints for `code`."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "?", "u1", "i8", "c16", ml_dtypes.bfloat16, "O"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 4), (BIG,), (0, BIG), (1000, 1001), (2,) * 18])
def test_empty_has_shape_dtype_and_c_order(shape: tuple[int, ...], dtype: Any) -> None:
    a = runtime.empty(shape, dtype)
    assert a.shape == shape
    assert a.dtype == np.dtype(dtype)
    assert a.flags.c_contiguous
    assert a.flags.writeable
    assert a.flags.aligned
    if a.nbytes >= 32768 and dtype != "O":
        assert a.ctypes.data % 64 == 0


def test_large_arrays_are_writable_to_the_last_byte() -> None:
    for nbytes in [32768, 40000, (1 << 20) + 1, (2 << 20) - 64, (2 << 20) - 63, 5 << 20]:
        a = runtime.empty(nbytes, "u1")
        a[:] = 7
        assert a.size == nbytes
        assert a.min() == 7


def test_freed_memory_is_used_again() -> None:
    runtime.trim_memory()
    a = runtime.empty(BIG, "f4")
    address = a.ctypes.data
    view = a[10:20]
    del a
    gc.collect()
    assert runtime.memory_stats()["cached"] == 0, "a view keeps the block alive"
    in_use = runtime.memory_stats()["in_use"]
    del view
    after = runtime.memory_stats()
    assert after["cached"] >= 4 * BIG
    assert in_use - after["in_use"] == after["cached"]
    hits = after["hits"]
    assert runtime.empty(BIG, "f4").ctypes.data == address
    assert runtime.memory_stats()["hits"] == hits + 1


def test_cache_is_bounded_and_drops_what_was_unused_for_longest() -> None:
    runtime.trim_memory()
    runtime.set_memory_limit(3 << 20)
    blocks = [runtime.empty(1 << 20, "u1") for _ in range(5)]
    last = blocks[4].ctypes.data
    while blocks:
        del blocks[0]
        assert runtime.memory_stats()["cached"] <= 3 << 20
    assert runtime.memory_stats()["cached"] == 3 << 20
    assert runtime.empty(1 << 20, "u1").ctypes.data == last
    del blocks
    runtime.set_memory_limit(0)
    assert runtime.memory_stats()["cached"] == 0
    runtime.empty(BIG, "f4")
    assert runtime.memory_stats()["cached"] == 0


def test_trim_keeps_what_it_is_told_to() -> None:
    runtime.trim_memory()
    blocks = [runtime.empty(1 << 20, "u1") for _ in range(4)]
    blocks.clear()
    runtime.trim_memory(2 << 20)
    assert runtime.memory_stats()["cached"] == 2 << 20
    runtime.trim_memory()
    assert runtime.memory_stats()["cached"] == 0


def test_impossible_sizes_raise_numpys_errors() -> None:
    with pytest.raises(ValueError, match="too big"):
        runtime.empty((1 << 40, 1 << 40), "f4")
    with pytest.raises(MemoryError):
        runtime.empty(1 << 46, "u1")
    with pytest.raises(ValueError, match="negative"):
        runtime.empty((-1, 2), "f4")


def test_blocks_from_many_threads() -> None:
    wrong: list[int] = []

    def churn(seed: int) -> None:
        rng = np.random.default_rng(seed)
        held: list[np.ndarray[Any, np.dtype[Any]]] = []
        for _ in range(300):
            a = runtime.empty(int(rng.integers(8192, 300_000)), "f4")
            a[:] = seed
            held.append(a)
            if len(held) > 5:
                b = held.pop(int(rng.integers(5)))
                if not (b == seed).all():
                    wrong.append(seed)

    threads = [threading.Thread(target=churn, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_set_threads() -> None:
    runtime.set_threads(3)
    assert runtime.get_threads() == 3
    with pytest.raises(ValueError, match=r"For 'set_threads', the 'n' must be at least 1, but got 0\."):
        runtime.set_threads(0)
    assert runtime.get_threads() == 3


def test_thread_count_comes_from_the_environment() -> None:
    code = "from ms_kernels.core import runtime; print(runtime.get_threads())"
    assert run(code, OMP_NUM_THREADS="3") == "3"
    assert run(code, OMP_NUM_THREADS="4,2") == "4"
    available = run(code, OMP_NUM_THREADS="")
    assert int(available) >= 1
    assert run(code, OMP_NUM_THREADS="many") == available


def test_workers_start_with_the_first_large_operation() -> None:
    code = """
import numpy as np
from ms_kernels.core import runtime
from ms_kernels.loops import elementwise
x = np.ones(1 << 22, np.float32)
elementwise.binary("add", x[:4], x[:4])
before = runtime.started_workers()
elementwise.binary("add", x, x)
print(before, runtime.started_workers())
runtime.set_threads(1)
print(runtime.started_workers())
"""
    assert run(code, OMP_NUM_THREADS="3").split() == ["0", "2", "0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_makes_its_own_workers() -> None:
    code = """
import os, sys
import numpy as np
from ms_kernels.core import runtime
from ms_kernels.loops import elementwise
x = np.ones(1 << 22, np.float32)
elementwise.binary("add", x, x)
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        alone = runtime.started_workers() == 0
        fine = (elementwise.binary("add", x, x) == 2).all()
        os._exit(0 if alone and fine and runtime.started_workers() == 2 else 1)
    if os.waitpid(pid, 0)[1] != 0:
        sys.exit("the child failed")
print((elementwise.binary("add", x, x) == 2).all(), runtime.started_workers())
"""
    assert run(code, OMP_NUM_THREADS="3") == "True 2"


def test_calls_from_several_threads_at_once() -> None:
    x = np.arange(BIG, dtype=np.float32)
    runtime.set_threads(2)
    good: list[bool] = []

    def work() -> None:
        for _ in range(20):
            good.append(bool((elementwise.unary("neg", x) == -x).all()))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(10):
        runtime.set_threads(1 + k % 3)
    for t in threads:
        t.join()
    assert len(good) == 60
    assert all(good)


def test_instruction_set_can_be_held_down() -> None:
    code = "from ms_kernels.core import runtime; print(runtime.instruction_set())"
    assert run(code, MS_KERNELS_ISA="baseline") == "baseline"
    assert run(code) in ("avx2", "baseline")
