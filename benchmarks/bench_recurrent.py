"""Recurrent layers beside torch eager: forward, and forward with the gradients of input and parameters.

`python benchmarks/bench_recurrent.py [THREADS]`; each row is a median over rounds in which both take their turn.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # torch's idle threads must not keep ours from the cores

import numpy as np
import torch
from _compare import compare, heading
from torch import nn as tnn

import ms_nn
from ms_kernels import Tensor, value_and_grad
from ms_kernels.core.runtime import set_threads

Run = Callable[[], object]


def forward(kind: str, steps: int, batch: int, size: int) -> dict[str, Run]:
    """The outputs alone, both ways."""
    data = np.random.default_rng(0).standard_normal((steps, batch, size)).astype(np.float32)
    net, peer = getattr(ms_nn, kind)(size, size), getattr(tnn, kind)(size, size)
    x, y = Tensor(data), torch.from_numpy(data)

    def theirs() -> object:
        with torch.no_grad():
            return peer(y)

    return {"ours": lambda: net(x), "torch": theirs}


def both(kind: str, steps: int, batch: int, size: int, layers: int = 1, two_ways: bool = False) -> dict[str, Run]:
    """Forward, then the gradients of the sum of the outputs, both ways."""
    data = np.random.default_rng(0).standard_normal((steps, batch, size)).astype(np.float32)
    net = getattr(ms_nn, kind)(size, size, num_layers=layers, bidirectional=two_ways)
    peer = getattr(tnn, kind)(size, size, num_layers=layers, bidirectional=two_ways)
    x, y = Tensor(data), torch.from_numpy(data).requires_grad_()
    step = value_and_grad(lambda x: net(x)[0].sum(), 0, net.trainable_params())

    def theirs() -> object:
        peer.zero_grad()
        y.grad = None
        loss = peer(y)[0].sum()
        loss.backward()
        return loss

    return {"ours": lambda: step(x), "torch": theirs}


def main() -> None:
    """Print milliseconds per call."""
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    set_threads(threads)
    torch.set_num_threads(threads)
    names, rounds, scale = ["ours", "torch"], 15, 1e3
    heading(f"{threads} threads, forward", names, "ms")
    compare("LSTM 64 x 32 x 128", forward("LSTM", 64, 32, 128), None, rounds, 3, scale)
    heading(f"{threads} threads, forward and backward", names, "ms")
    compare("LSTM 64 x 32 x 128", both("LSTM", 64, 32, 128), 1.0, rounds, 3, scale)
    compare("GRU 64 x 32 x 128", both("GRU", 64, 32, 128), None, rounds, 3, scale)
    compare("RNN 64 x 32 x 128", both("RNN", 64, 32, 128), None, rounds, 3, scale)
    compare("LSTM two layers, both ways", both("LSTM", 64, 32, 128, 2, True), None, rounds, 1, scale)
    compare("LSTM 128 x 1 x 64", both("LSTM", 128, 1, 64), None, rounds, 5, scale)
    compare("LSTM 16 x 128 x 512", both("LSTM", 16, 128, 512), None, rounds, 1, scale)


if __name__ == "__main__":
    main()
