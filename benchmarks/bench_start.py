"""What the first op costs in a new process: time and memory, against NumPy with ml_dtypes and torch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

OURS = """
import ms_common
ms_common.activate()
import mindspore as ms
from mindspore import nn, ops, mint
ops.exp(ms.Tensor([1.0, 2.0]) + 1)
"""
PEERS = {
    "ours": OURS,
    "ms_initializer": "import ms_initializer",
    "numpy": "import numpy",
    "numpy + ml_dtypes": "import numpy, ml_dtypes",
    "torch": "import torch; torch.exp(torch.tensor([1.0, 2.0]) + 1)",
}
TAIL = """
import resource, sys
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
GOALS = {"ours": (0.3, 60), "ms_initializer": (0.2, 60)}  # seconds, MB


def measure(code: str, times: int = 7) -> tuple[float, float]:
    """Return (seconds, MB resident): the medians over new processes, the first one left out."""
    found = []
    for _ in range(times + 1):
        script = "import time; start = time.perf_counter()\n" + code + TAIL
        out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        found.append([float(part) for part in out.split()])
    seconds, megabytes = np.median(np.array(found[1:]), axis=0)
    return float(seconds), float(megabytes)


def main() -> None:
    """Print seconds and megabytes of each."""
    for name, code in PEERS.items():
        try:
            seconds, megabytes = measure(code)
        except subprocess.CalledProcessError:
            print(f"{name:20s} not installed")
            continue
        goal = ""
        if name in GOALS:
            most, most_mb = GOALS[name]
            met = seconds < most and megabytes < most_mb
            goal = f"   goal: < {most} s and < {most_mb} MB{'' if met else '  missed'}"
        print(f"{name:20s}{seconds:8.3f} s{megabytes:8.0f} MB{goal}")


if __name__ == "__main__":
    main()
