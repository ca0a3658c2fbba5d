"""Large elementwise ops, softmax and layer normalisation against torch eager, results allocated as users write it."""

from __future__ import annotations

import argparse
import os

import numpy as np
from _compare import compare, heading

# torch's idle threads would else spin on the cores that the other side's turn needs
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
import torch

from ms_kernels import Tensor, functional
from ms_kernels.core.runtime import set_threads

ROWS, COLUMNS = 4096, 4096


def main() -> None:
    """Print milliseconds for 16M float32."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    set_threads(options.threads)
    rng = np.random.default_rng(0)
    p, q = (rng.standard_normal((ROWS, COLUMNS), dtype=np.float32) for _ in range(2))
    gain, shift = np.ones(COLUMNS, np.float32), np.zeros(COLUMNS, np.float32)
    a, b, g, s = Tensor(p), Tensor(q), Tensor(gain), Tensor(shift)
    x, y, h, t = (torch.from_numpy(array.copy()) for array in (p, q, gain, shift))
    heading(f"{ROWS} x {COLUMNS} float32, {options.threads} threads", ["ours", "torch"], "ms")
    norm = torch.nn.functional.layer_norm
    rows = [
        ("add", lambda: a + b, lambda: x + y, 0.7),
        ("mul", lambda: a * b, lambda: x * y, 0.7),
        ("exp", lambda: functional.exp(a), lambda: torch.exp(x), 0.7),
        ("tanh", lambda: functional.tanh(a), lambda: torch.tanh(x), 0.7),
        ("gelu", lambda: functional.gelu(a), lambda: torch.nn.functional.gelu(x), None),
        ("sigmoid", lambda: functional.sigmoid(a), lambda: torch.sigmoid(x), None),
        ("softmax", lambda: functional.softmax(a), lambda: torch.softmax(x, -1), 0.7),
        ("layer_norm", lambda: functional.layer_norm(a, (COLUMNS,), g, s), lambda: norm(x, (COLUMNS,), h, t), 0.7),
        ("sum", lambda: a.sum(), lambda: x.sum(), 1.1),
    ]
    for label, ours, theirs, goal in rows:
        compare(label, {"ours": ours, "torch": theirs}, goal, options.rounds, 1, 1e3)


if __name__ == "__main__":
    main()
