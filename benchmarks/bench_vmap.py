"""vmap and Jacobians beside torch.func and a loop over samples: `python benchmarks/bench_vmap.py [--threads N]`."""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np
from _compare import compare, heading

# torch's idle threads would else spin on the cores that the other side's turn needs
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
import torch
from torch.func import grad as torch_grad
from torch.func import jacfwd as torch_jacfwd
from torch.func import jacrev as torch_jacrev
from torch.func import vmap as torch_vmap

from ms_kernels import Tensor, functional, grad, jacfwd, jacrev, vmap
from ms_kernels.core.runtime import set_threads

SAMPLES, WIDE, OUT = 64, 64, 10


def network(module: Any, x: Any, w1: Any, w2: Any) -> Any:
    """A small network for one sample."""
    return module.softmax(module.matmul(module.tanh(module.matmul(x, w1)), w2), -1)


def loop(fn: Any, rows: Any, *shared: Any) -> Any:
    """What vmap does without batching rules."""
    return functional.stack([fn(row, *shared) for row in functional.unbind(rows)])


def main() -> None:
    """Print microseconds of one call over all samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    set_threads(options.threads)
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s, dtype=np.float32) / 8 for s in ((SAMPLES, WIDE), (WIDE, WIDE), (WIDE, OUT))]
    x, w1, w2 = map(Tensor, arrays)
    tx, tw1, tw2 = (torch.from_numpy(a.copy()) for a in arrays)

    def ours(row: Any, a: Any, b: Any) -> Any:
        return network(functional, row, a, b)

    def theirs(row: Any, a: Any, b: Any) -> Any:
        return network(torch, row, a, b)

    def our_loss(row: Any, a: Any, b: Any) -> Any:
        return (ours(row, a, b) ** 2).sum()

    def their_loss(row: Any, a: Any, b: Any) -> Any:
        return (theirs(row, a, b) ** 2).sum()

    def curve(v: Any) -> Any:
        return functional.tanh(functional.matmul(v, w1)) * v

    def their_curve(v: Any) -> Any:
        return torch.tanh(torch.matmul(v, tw1)) * v

    forward, t_forward = vmap(ours, (0, None, None)), torch_vmap(theirs, (0, None, None))
    slope, t_slope = grad(our_loss, (1, 2)), torch_grad(their_loss, (1, 2))
    per_sample, t_per_sample = vmap(slope, (0, None, None)), torch_vmap(t_slope, (0, None, None))
    pairs, t_pairs = (
        vmap(vmap(lambda p, q: (p * q).sum(), (None, 0)), (0, None)),
        torch_vmap(torch_vmap(lambda p, q: (p * q).sum(), (None, 0)), (0, None)),
    )
    one, t_one = x[0], tx[0]
    heading(f"{SAMPLES} samples of {WIDE} float32, {options.threads} threads", ["ours", "torch.func"], "us")
    rows = [
        ("network", lambda: forward(x, w1, w2), lambda: t_forward(tx, tw1, tw2), 1.0),
        ("gradients of each sample", lambda: per_sample(x, w1, w2), lambda: t_per_sample(tx, tw1, tw2), 1.0),
        ("vmap of vmap", lambda: pairs(x, x), lambda: t_pairs(tx, tx), 1.0),
        ("jacrev", lambda: jacrev(curve)(one), lambda: torch_jacrev(their_curve)(t_one), 1.0),
        ("jacfwd", lambda: jacfwd(curve)(one), lambda: torch_jacfwd(their_curve)(t_one), 1.0),
        (
            "hessian",
            lambda: jacfwd(jacrev(lambda v: curve(v).sum()))(one),
            lambda: torch_jacfwd(torch_jacrev(lambda v: their_curve(v).sum()))(t_one),
            1.0,
        ),
    ]
    for label, run, peer, goal in rows:
        compare(label, {"ours": run, "torch.func": peer}, goal, options.rounds, 3, 1e6)
    heading("the same beside a loop over the samples", ["vmap", "loop"], "us")
    compare("network", {"vmap": rows[0][1], "loop": lambda: loop(ours, x, w1, w2)}, None, options.rounds, 3, 1e6)

    def looped() -> Any:
        found = [slope(row, w1, w2) for row in functional.unbind(x)]
        return tuple(functional.stack(list(column)) for column in zip(*found))

    compare("gradients of each sample", {"vmap": rows[1][1], "loop": looped}, None, options.rounds, 3, 1e6)


if __name__ == "__main__":
    main()
