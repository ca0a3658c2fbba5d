"""Tensors, ops and gradients used by many threads at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ms_kernels import Parameter, Tensor, functional, grad, is_recording, value_and_grad

WORKERS = 8


def together(work: Callable[[int], Any], workers: int = WORKERS) -> list[Any]:
    """Run ``work(i)`` in threads that start at one moment and take turns often; return the results."""
    start = threading.Barrier(workers)

    def run(i: int) -> Any:
        start.wait()
        return work(i)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(run, range(workers)))
    finally:
        sys.setswitchinterval(before)


def test_small_ops() -> None:
    def work(i: int) -> float:
        x = Tensor(np.full((3, 4), i, np.float32))
        for _ in range(300):
            x = (x * 2 + 1 - x.astype(x.dtype)).reshape(4, 3).T - 1
        return float(x.sum().item())

    assert together(work) == [12.0 * i for i in range(WORKERS)]


def test_large_ops_share_the_pool() -> None:
    data = np.random.default_rng(0).standard_normal((512, 700)).astype(np.float32)
    wanted = functional.softmax(Tensor(data) * 2.0, -1).asnumpy().copy()

    def work(_i: int) -> bool:
        x = Tensor(data)
        return all(np.array_equal(functional.softmax(x * 2.0, -1).asnumpy(), wanted) for _ in range(5))

    assert all(together(work))


def test_gradients_of_one_parameter() -> None:
    w = Parameter(Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3)), name="w")

    def loss(x: Any) -> Any:
        y = w * x
        return (y * y + functional.exp(w * 0)).sum()

    def work(i: int) -> list[Any]:
        out = []
        for _ in range(50):
            value, (by_x, by_w) = value_and_grad(loss, 0, w)(Tensor(float(i)))
            out.append((value.item(), by_x.item(), by_w.tolist()))
        return out

    square = float((np.arange(6.0) ** 2).sum())
    for i, results in enumerate(together(work)):
        by_w = (2.0 * i * i * np.arange(6.0)).reshape(2, 3).tolist()
        assert results == [(square * i * i + 6, 2.0 * i * square, by_w)] * 50


def test_gradients_of_a_parameter_that_is_off_the_tape() -> None:
    w = Parameter(Tensor([3.0]), name="w", requires_grad=False)

    def work(i: int) -> list[Any]:
        return [grad(lambda: (w * w * float(i)).sum(), None, w)().tolist() for _ in range(100)]

    for i, results in enumerate(together(work)):
        assert results == [[6.0 * i]] * 100
    assert not w.requires_grad


def test_recording_is_of_one_thread() -> None:
    inside, seen = threading.Event(), threading.Event()
    states: list[bool] = []

    def other() -> None:
        inside.wait(10)
        states.append(is_recording())
        seen.set()

    thread = threading.Thread(target=other)
    thread.start()

    def loss(x: Any) -> Any:
        inside.set()
        assert seen.wait(10)
        states.append(is_recording())
        return x * x

    assert grad(loss)(Tensor(3.0)).item() == 6.0
    thread.join()
    assert states == [False, True]


def test_each_thread_writes_its_own_rows() -> None:
    x = Tensor(np.zeros((WORKERS, 1000), np.float32))

    def work(i: int) -> None:
        for k in range(50):
            x[i, k::50] = float(i)
            x[i].add_(1)

    together(work)
    for i, row in enumerate(x.asnumpy()):
        assert set(row) == {float(i) + 50 - k for k in range(50)}
