"""Matrix products, convolutions and pooling beside NumPy and torch: `python benchmarks/bench_linalg.py [THREADS]`.

Every line gives the best time of ours and its ratio to a peer's, measured in turns in one run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from ms_kernels.core.runtime import get_threads, set_threads
from ms_kernels.loops import conv, pool
from ms_kernels.loops.linalg import matmul, set_blas

torch: Any
try:
    import torch
except ImportError:
    torch = None

Work = Callable[[], object]
CONVOLUTIONS = [  # images, channels in, side, channels out, kernel, stride, padding, groups
    (8, 64, 56, 64, 3, 1, 1, 1),
    (64, 1, 8, 16, 3, 1, 1, 1),
    (64, 16, 4, 32, 3, 1, 1, 1),
    (8, 64, 16, 128, 3, 2, 1, 1),
    (8, 64, 56, 256, 1, 1, 0, 1),
    (8, 3, 64, 64, 7, 2, 3, 1),
    (8, 96, 56, 96, 3, 1, 1, 96),
    (1, 512, 7, 512, 3, 1, 1, 1),
]
POOLS = [((64, 16, 8, 8), 2, 2, 0), ((8, 64, 56, 56), 3, 2, 1)]


def once(work: Work) -> float:
    """Seconds of one call; short work is repeated within it."""
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


def best(works: dict[str, Work], rounds: int = 12) -> dict[str, float]:
    """The best time of each, taken in turns: what slows the machine down for a while slows all of them."""
    times = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            time.sleep(0.005)  # another library's waiting threads go to sleep
            once(work)
            times[name] = min(times[name], once(work))
    return times


def show(title: str, works: dict[str, Work]) -> None:
    times = best(works)
    ours = times.pop("ours")
    peers = "  ".join(f"{ours / t:6.2f} x {name} ({t * 1e3:.4g} ms)" for name, t in times.items())
    print(f"{title:44s} {ours * 1e3:9.4g} ms  {peers}", flush=True)


def products(rng: np.random.Generator) -> None:
    a = rng.standard_normal((1024, 1024), dtype=np.float32)
    b = rng.standard_normal((1024, 1024), dtype=np.float32)

    def beside(title: str, x: Any, y: Any) -> None:
        works: dict[str, Work] = {"ours": partial(matmul, x, y), "NumPy": partial(np.matmul, x, y)}
        if torch:
            works["torch"] = partial(torch.matmul, torch.from_numpy(x), torch.from_numpy(y))
        show(title, works)

    beside("matmul 1024 float32", a, b)
    set_blas(False)
    show("  with the built-in kernel", {"ours": partial(matmul, a, b), "NumPy": partial(np.matmul, a, b)})
    set_blas(True)
    for dtype in (np.float16, ml_dtypes.bfloat16):
        half = partial(matmul, a.astype(dtype), b.astype(dtype))
        show(f"matmul 1024 {np.dtype(dtype)}", {"ours": half, "own float32": partial(matmul, a, b)})
    for n in (4, 16, 32, 128, 512):
        beside(f"matmul {n} float32", a[:n, :n].copy(), b[:n, :n].copy())
    many = [rng.standard_normal((64, 8, *side), dtype=np.float32) for side in ((128, 32), (32, 128))]
    beside("matmul 512 of 128x32x128 float32", *many)


def both_gradients(x: Any, w: Any, dy: Any, rest: Any) -> None:
    conv.conv2d_grad_input(dy, w, x.shape, *rest)
    conv.conv2d_grad_weight(dy, x, w.shape, *rest)


def convolutions(rng: np.random.Generator) -> None:
    for n, c, side, k, r, stride, pad, groups in CONVOLUTIONS:
        x = rng.standard_normal((n, c, side, side), dtype=np.float32)
        w = rng.standard_normal((k, c // groups, r, r), dtype=np.float32)
        rest: Any = ((stride, stride), (pad,) * 4, (1, 1), groups)
        dy = conv.conv2d(x, w, None, *rest)
        forward: dict[str, Work] = {"ours": partial(conv.conv2d, x, w, None, *rest)}
        backward: dict[str, Work] = {"ours": partial(both_gradients, x, w, dy, rest)}
        if torch:
            tx, tw, ty = (torch.from_numpy(v) for v in (x, w, dy))
            how: Any = ([stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups)
            forward["torch"] = partial(torch.ops.aten.convolution, tx, tw, None, *how)
            backward["torch"] = partial(
                torch.ops.aten.convolution_backward, ty, tx, tw, None, *how, [True, True, False]
            )
        name = f"N{n} C{c} {side}x{side} {r}x{r}/{stride} K{k}" + (f" g{groups}" if groups > 1 else "")
        show(f"conv2d {name}", forward)
        show("  both gradients", backward)


def pools(rng: np.random.Generator) -> None:
    for shape, k, s, p in POOLS:
        x = rng.standard_normal(shape, dtype=np.float32)
        args: dict[str, Any] = {"kernel": (k, k), "stride": (s, s), "padding": (p, p)}
        largest: dict[str, Work] = {"ours": partial(pool.max_pool2d, x, return_indices=True, **args)}
        mean: dict[str, Work] = {"ours": partial(pool.avg_pool2d, x, **args)}
        if torch:
            t: Any = torch.from_numpy(x)
            functional: Any = torch.nn.functional
            largest["torch"] = partial(functional.max_pool2d, t, k, s, p, return_indices=True)
            mean["torch"] = partial(functional.avg_pool2d, t, k, s, p)
        show(f"max_pool2d {shape} {k}/{s}", largest)
        show(f"avg_pool2d {shape} {k}/{s}", mean)


def main() -> None:
    if len(sys.argv) > 1:
        set_threads(int(sys.argv[1]))
    if torch:
        torch.set_num_threads(get_threads())
    else:
        print("torch is not installed: no comparison with it")
    print(f"{get_threads()} threads; ratios below 1 mean that ours is faster")
    rng = np.random.default_rng(0)
    products(rng)
    convolutions(rng)
    pools(rng)


if __name__ == "__main__":
    main()
