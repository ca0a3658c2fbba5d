"""Random fills beside torch, NumPy and MindSpore: `python benchmarks/bench_random.py [COUNT]`.

Every line: 10^9 numbers a second of ours, and the ratio to each peer measured in turns in the same run.  MindSpore is
measured where MS26_PYTHON names an interpreter that has it, in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from ms_kernels.core.runtime import empty, set_threads
from ms_kernels.random import initial, samplers

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

Work = Callable[[], object]
MINDSPORE = """
import json, sys, time
import numpy as np
from mindspore.common import initializer as m
a = np.zeros(int(sys.argv[1]), np.float32)
work = {
    "normal": lambda: m._random_normal(5, a, 0.0, 0.01),
    "uniform": lambda: m._random_uniform(5, a, -0.1, 0.1),
    "truncated normal": lambda: m._truncated_normal(5, a, -2.0, 2.0, 0.0, 0.01),
}
times = {}
for name, run in work.items():
    taken = []
    for _ in range(4):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    times[name] = min(taken)
print(json.dumps(times))
"""


def once(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def best(works: dict[str, Work], rounds: int = 8) -> dict[str, float]:
    """The best time of each, taken in turns."""
    times = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            time.sleep(0.01)  # another library's waiting threads go to sleep
            times[name] = min(times[name], once(work))
    return times


def rows(count: int) -> dict[str, dict[str, Work]]:
    """For each line ours and the peers' way."""
    out = empty((count,), np.float32)
    x = np.ones(count, np.float32)
    many = 10_000_000
    rng = np.random.default_rng(1)
    table: dict[str, dict[str, Work]] = {
        "normal": {"ours": lambda: initial.normal(out, 5, 0.0, 0.01)},
        "uniform": {"ours": lambda: initial.uniform(out, 5, -0.1, 0.1)},
        "truncated normal": {"ours": lambda: initial.truncated_normal(out, 5, -2.0, 2.0, 0.0, 0.01)},
        "rand": {"ours": lambda: samplers.uniform((count,), np.float32, 5, 0)},
        "randn": {"ours": lambda: samplers.normal((count,), np.float32, 5, 0)},
        "bernoulli": {"ours": lambda: samplers.bernoulli((count,), np.float32, 5, 0, 0.3)},
        "dropout mask": {"ours": lambda: samplers.dropout_mask(count, 5, 0, 0.5)},
        "dropout": {"ours": lambda: samplers.dropout(x, 0.5, 5, 0)},
        "randint": {"ours": lambda: samplers.integers((count,), np.int64, 5, 0, 0, 1000)},
        "randperm 10^7": {"ours": lambda: samplers.permutation(many, 5, 0), "numpy": lambda: rng.permutation(many)},
    }
    if torch is not None:
        y = torch.ones(count)
        mask = torch.empty(count, dtype=torch.bool)
        peers: dict[str, Work] = {
            "normal": lambda: torch.randn(count),
            "uniform": lambda: torch.rand(count),
            "rand": lambda: torch.rand(count),
            "randn": lambda: torch.randn(count),
            "bernoulli": lambda: torch.empty(count).bernoulli_(0.3),
            "dropout mask": lambda: mask.bernoulli_(0.5),
            "dropout": lambda: torch.nn.functional.dropout(y, 0.5),
            "randint": lambda: torch.randint(0, 1000, (count,)),
            "randperm 10^7": lambda: torch.randperm(many),
        }
        for name, work in peers.items():
            table[name]["torch"] = work
    return table


def mindspore(count: int) -> dict[str, float]:
    """MindSpore's times, empty without it."""
    if "MS26_PYTHON" not in os.environ:
        return {}
    command = [os.environ["MS26_PYTHON"], "-c", MINDSPORE, str(count)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    times: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return times


def main(count: int) -> None:
    """Print the lines for one and for two threads."""
    recorded = mindspore(count)
    table = rows(count)
    for threads in (1, 2):
        set_threads(threads)
        if torch is not None:
            torch.set_num_threads(threads)
        for name, works in table.items():
            times = best(works, 3 if "10^7" in name else 8)
            ours = times.pop("ours")
            if name in recorded:
                times["MindSpore"] = recorded[name]
            size = 10_000_000 if "10^7" in name else count
            ratios = "".join(f"  {taken / ours:6.2f}x {peer}" for peer, taken in times.items())
            print(f"{threads} thread{'s'[: threads - 1]}  {name:17} {size / ours / 1e9:7.3f} G/s{ratios}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 24)
