"""Reductions, softmax, normalisations and indexing beside torch: `python benchmarks/bench_reduce.py [TEXT]`.

Every line gives the best time of ours and of torch, measured in turns in one run, and their ratio. Both allocate their
results. TEXT picks the lines whose name contains it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from ms_kernels.core.runtime import get_threads
from ms_kernels.loops import index, norm, reduce

Work = Callable[[], object]
Line = tuple[str, Work, Work]
aten = torch.ops.aten


def pair(*shape: int, seed: int = 0) -> tuple[np.ndarray[Any, np.dtype[Any]], torch.Tensor]:
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return x, torch.from_numpy(x)


def reductions() -> Iterator[Line]:
    x, t = pair(4096, 4096)
    tall, ttall = pair(1 << 20, 16)
    small, tsmall = pair(8, 8)
    yield "sum all", lambda: reduce.reduce("sum", x, (0, 1)), t.sum
    for axis in (1, 0):
        yield f"sum {axis}", partial(reduce.reduce, "sum", x, (axis,)), partial(t.sum, axis)
        yield f"max {axis}", partial(reduce.reduce, "max", x, (axis,)), partial(t.amax, axis)
        yield f"var {axis}", partial(reduce.var, x, (axis,)), partial(t.var, axis)
        yield f"logsumexp {axis}", partial(reduce.reduce, "logsumexp", x, (axis,)), partial(t.logsumexp, axis)
        yield f"argmax {axis}", partial(reduce.argmax, x, axis), partial(t.argmax, axis)
        yield f"cumsum {axis}", partial(reduce.cumulate, "cumsum", x, axis), partial(t.cumsum, axis)
    yield "sum of short rows", lambda: reduce.reduce("sum", tall, (1,)), lambda: ttall.sum(1)
    yield "sum of 8x8", lambda: reduce.reduce("sum", small, (0, 1)), tsmall.sum


def rows() -> Iterator[Line]:
    x, t = pair(4096, 4096)
    g, tg = pair(4096, 4096, seed=1)
    one, zero = np.ones(4096, np.float32), np.zeros(4096, np.float32)
    tone, tzero = torch.from_numpy(one), torch.from_numpy(zero)
    labels = np.random.default_rng(2).integers(0, 4096, 4096)
    for axis in (1, 0):
        y = norm.softmax(x, axis)
        ty = torch.from_numpy(y)
        backward = partial(aten._softmax_backward_data, tg, ty, axis, torch.float32)
        yield f"softmax {axis}", partial(norm.softmax, x, axis), partial(t.softmax, axis)
        yield f"log_softmax {axis}", partial(norm.log_softmax, x, axis), partial(t.log_softmax, axis)
        yield f"softmax_grad {axis}", partial(norm.softmax_grad, g, y, axis), backward
    half, thalf = x.astype(np.float16), t.half()
    yield "float16 softmax 1", lambda: norm.softmax(half, 1), lambda: thalf.softmax(1)
    _, mean, rstd = norm.layer_norm(x, one, zero, 1e-5, 1)
    tm, tr = torch.from_numpy(mean), torch.from_numpy(rstd)
    yield (
        "layer_norm",
        lambda: norm.layer_norm(x, one, zero, 1e-5, 1),
        lambda: functional.layer_norm(t, (4096,), tone, tzero),
    )
    yield (
        "layer_norm_grad",
        lambda: norm.layer_norm_grad(g, x, mean, rstd, one, 1),
        lambda: aten.native_layer_norm_backward(tg, t, [4096], tm, tr, tone, tzero, [True] * 3),
    )
    yield "rms_norm", lambda: norm.rms_norm(x, one, 1e-5, 1), lambda: functional.rms_norm(t, (4096,), tone)
    yield (
        "cross_entropy",
        lambda: norm.cross_entropy(x, labels, None, -100, 0),
        lambda: functional.cross_entropy(t, torch.from_numpy(labels), reduction="none"),
    )


def images() -> Iterator[Line]:
    for shape in ((32, 64, 56, 56), (64, 16, 8, 8)):
        x, t = pair(*shape)
        g, tg = pair(*shape, seed=1)
        one = np.ones(shape[1], np.float32)
        tone = torch.from_numpy(one)
        _, mean, _, rstd = norm.batch_norm(x, one, one, 1e-5)
        tm, tr = torch.from_numpy(mean), torch.from_numpy(rstd)
        name = "x".join(map(str, shape))
        forward = partial(functional.batch_norm, t, None, None, tone, tone, training=True)
        backward = partial(aten.native_batch_norm_backward, tg, t, tone, None, None, tm, tr, True, 1e-5, [True] * 3)
        yield f"batch_norm {name}", partial(norm.batch_norm, x, one, one, 1e-5), forward
        yield f"batch_norm_grad {name}", partial(norm.batch_norm_grad, g, x, mean, rstd, one), backward
        groups = partial(functional.group_norm, t, 8, tone, tone)
        yield f"group_norm {name}", partial(norm.group_norm, x, 8, one, one, 1e-5), groups


def indexing() -> Iterator[Line]:
    table, ttable = pair(50_000, 256)
    ids = np.random.default_rng(3).integers(0, 50_000, 20_000)
    tids = torch.from_numpy(ids)
    g, tg = pair(20_000, 256, seed=1)
    columns = np.repeat(ids[:, None], 256, axis=1)
    tcolumns = torch.from_numpy(columns)
    out, tout = pair(50_000, 256, seed=2)
    yield "take rows", lambda: index.take(table, ids, 0), lambda: ttable[tids]
    yield "gather", lambda: index.gather(table, columns, 0), lambda: ttable.gather(0, tcolumns)
    yield "index_add", lambda: index.index_add(out, ids, g, 0), lambda: tout.index_add_(0, tids, tg)
    yield "scatter_add", lambda: index.scatter_add(out, columns, g, 0), lambda: tout.scatter_add_(0, tcolumns, tg)


def once(work: Work) -> float:
    """Seconds of one call; short work is repeated within the measurement."""
    start = time.perf_counter()
    work()
    took = time.perf_counter() - start
    if took > 1e-3:
        return took
    count = int(2e-3 / max(took, 1e-7)) + 1
    start = time.perf_counter()
    for _ in range(count):
        work()
    return (time.perf_counter() - start) / count


def main() -> None:
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    torch.set_num_threads(get_threads())
    print(f"{get_threads()} threads, float32, 2^24 items where no shape is given; ms\n{'':34}ours    torch  ratio")
    for family in (reductions, rows, images, indexing):
        for name, ours, theirs in family():
            if wanted not in name:
                continue
            a = b = float("inf")
            for _ in range(12):
                a = min(a, once(ours))
                time.sleep(0.005)  # the other library's waiting threads go to sleep
                b = min(b, once(theirs))
                time.sleep(0.005)
            print(f"{name:28}{a * 1e3:10.4f}{b * 1e3:9.4f}{a / b:7.2f}", flush=True)


if __name__ == "__main__":
    main()
