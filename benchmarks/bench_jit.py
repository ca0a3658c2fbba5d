"""Compiled functions against torch and our own eager mode: cache hits, whole programs on 16M numbers, first calls."""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # torch's idle threads must leave the cores to the others

import numpy as np
import torch
from _compare import compare, heading, interleaved

from ms_jit.api import jit
from ms_kernels import Parameter, Tensor, functional
from ms_kernels.core.runtime import set_threads
from ms_nn import Adam

COUNT, ROW = 1 << 24, 1024
Program = Callable[..., Any]
NN = torch.nn.functional


def level(fn: Program, name: str) -> Program:
    """The function compiled."""
    made: Program = jit(fn, jit_level=name)
    return made


def four_ops(x: Any, w: Any, b: Any) -> Any:
    """What the cache hits are measured with."""
    return functional.relu(functional.tanh(x * w + b))


def hits(peers: bool) -> None:
    """Nanoseconds of a call that is compiled already."""
    torch.set_num_threads(1)
    data = np.random.default_rng(0).normal(size=(3, 2, 2)).astype(np.float32)
    ours, theirs = [Tensor(a) for a in data], [torch.from_numpy(a) for a in data]
    x, w, b = ours
    p, q, r = theirs

    def torch_ops(p: Any, q: Any, r: Any) -> Any:
        return torch.relu(torch.tanh(p * q + r))

    plain, fused = level(four_ops, "O0"), level(four_ops, "O1")
    heading("four ops on 2x2 float32, one thread", ["ours", "other"], "ns")
    others: dict[str, Callable[[], object]] = {
        "torch eager": lambda: torch_ops(p, q, r),
        "our eager": lambda: four_ops(x, w, b),
    }
    if peers:
        compiled = torch.compile(torch_ops)
        others["torch.compile"] = lambda: compiled(p, q, r)
        if importlib.util.find_spec("jax"):
            import jax

            jitted = jax.jit(lambda p, q, r: jax.nn.relu(jax.numpy.tanh(p * q + r)))
            arrays = [jax.numpy.asarray(a) for a in data]
            others["jax.jit"] = lambda: jitted(*arrays)
    for name, call in others.items():
        compare(f"O1 / {name}", {"ours": lambda: fused(x, w, b), "other": call}, 1.0, 31, 3000, 1e9)
        compare(f"O0 / {name}", {"ours": lambda: plain(x, w, b), "other": call}, 1.0, 31, 3000, 1e9)
    times = interleaved({"O0": lambda: plain(x, w, b), "O1": lambda: fused(x, w, b)}, 31, 3000)
    for name, seconds in times.items():
        print(f"{name}: {seconds * 1e9:.0f} ns (goal 2000){'' if seconds < 2e-6 else '  missed'}")


def adam_ops(p: Any, m: Any, v: Any, g: Any) -> Any:
    """A step of Adam written out in ops."""
    m = m * 0.9 + g * 0.1
    v = v * 0.999 + g * g * 0.001
    return p - m / (functional.sqrt(v) + 1e-8) * 1e-3, m, v


def programs(shape: tuple[int, ...]) -> dict[str, tuple[Program, tuple[Any, ...], Program, float | None]]:
    """By name: ours, its arguments as arrays, torch's, and how long ours may take in terms of torch's eager mode."""
    rng = np.random.default_rng(1)
    x, w2, b2, g = (rng.normal(size=shape).astype(np.float32) for _ in range(4))
    w, b = (rng.normal(size=shape[-1]).astype(np.float32) for _ in range(2))
    positive, out, row = np.abs(b2), torch.empty(shape), shape[-1:]
    f = functional

    def torch_adam(p: Any, m: Any, v: Any, g: Any) -> Any:
        m = m * 0.9 + g * 0.1
        v = v * 0.999 + g * g * 0.001
        return p - m / (torch.sqrt(v) + 1e-8) * 1e-3, m, v

    return {
        "gelu(x * w + b), rows": (
            lambda x, w, b: f.gelu(x * w + b),
            (x, w, b),
            lambda x, w, b: NN.gelu(x * w + b),
            0.25,
        ),
        "gelu(x * w + b), all": (
            lambda x, w, b: f.gelu(x * w + b),
            (x, w2, b2),
            lambda x, w, b: NN.gelu(x * w + b),
            0.25,
        ),
        "layer_norm": (
            lambda x, w, b: f.layer_norm(x, row, w, b),
            (x, w, b),
            lambda x, w, b: NN.layer_norm(x, row, w, b),
            0.25,
        ),
        "softmax (torch: out=)": (
            lambda x: f.softmax(x, -1),
            (x,),
            lambda x: torch.softmax(x, -1, out=out),
            1 / 1.2,
        ),
        "Adam in ops": (adam_ops, (x, w2, positive, g), torch_adam, None),
        "silu(x) * y": (lambda x, y: f.silu(x) * y, (x, w2), lambda x, y: NN.silu(x) * y, None),
        "mean((x - y)^2)": (
            lambda x, y: f.mean((x - y) * (x - y)),
            (x, w2),
            lambda x, y: torch.mean((x - y) * (x - y)),
            None,
        ),
        "relu(x @ w + b)": (
            lambda x, w, b: f.relu(f.matmul(x[:1024], w) + b),
            (x, w2[: shape[-1]], b),
            lambda x, w, b: torch.relu(torch.matmul(x[:1024], w) + b),
            None,
        ),
    }


def large(shape: tuple[int, ...], rounds: int) -> None:
    """Milliseconds of whole programs."""
    heading(f"{shape[0]}x{shape[1]} float32, two threads", ["O1", "torch", "our eager"], "ms")
    slower = []
    for name, (fn, arrays, other, goal) in programs(shape).items():
        tensors, theirs = [Tensor(a) for a in arrays], [torch.from_numpy(a) for a in arrays]
        runs: dict[str, Callable[[], object]] = {
            "O1": partial(level(fn, "O1"), *tensors),
            "torch": partial(other, *theirs),
            "our eager": partial(fn, *tensors),
        }
        compare(name, runs, goal, rounds, 1, 1e3)
        if (ratio := _least(runs["O1"], runs["our eager"], 2 * rounds)) > 1.03:
            slower.append(f"{name}: {ratio:.2f}")
    print("slower than our eager:", "; ".join(slower) or "none")


def _least(one: Callable[[], object], other: Callable[[], object], rounds: int) -> float:
    """The best time of one in terms of the best time of the other, taken in turns."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for i, run in enumerate((one, other)):
            best[i] = min(best[i], _first(run))
    return best[0] / best[1]


def optimizer_step(rounds: int) -> None:
    """The optimizer's own step, compiled, against torch's fused one."""
    data = np.random.default_rng(2).normal(size=COUNT).astype(np.float32)
    weight, grad = Parameter(Tensor(data), name="weight"), Tensor(data * 0.1)
    ours = Adam([weight], 1e-3)
    step = level(lambda g: ours((g,)), "O1")
    p = torch.nn.Parameter(torch.from_numpy(data.copy()))
    p.grad = torch.from_numpy(data * np.float32(0.1))
    theirs = torch.optim.Adam([p], 1e-3, fused=True)
    heading("Adam step, 16M parameters", ["O1", "torch fused", "our eager"], "ms")
    runs: dict[str, Callable[[], object]] = {
        "O1": lambda: step(grad),
        "torch fused": theirs.step,
        "our eager": lambda: ours((grad,)),
    }
    compare("Adam", runs, 1 / 0.9, rounds, 1, 1e3)


def first_calls() -> None:
    """Seconds of the first call of a function of many ops."""

    def chain(count: int) -> Program:
        def run(x: Any, w: Any) -> Any:
            for k in range(count // 4):
                x = functional.tanh(x * w + x) - float(k % 7)
            return x

        return run

    x, w = (Tensor(np.full((2, 2), value, np.float32)) for value in (0.5, 0.25))
    print("\nfirst call, ms")
    for name in ("O0", "O1"):
        for count, goal in ((200, 0.05), (20_000, 5.0)):
            best = min(_first(level(chain(count), name), x, w) for _ in range(3 if count < 1000 else 1))
            print(
                f"{name}, {count:6d} ops {best * 1e3:10.1f}   goal {goal * 1e3:.0f}{'' if best < goal else '  missed'}"
            )


def _first(fn: Program, *args: Any) -> float:
    start = time.perf_counter()
    fn(*args)
    return time.perf_counter() - start


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", action="store_true", help="also torch.compile and jax, where they are installed")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=("hits", "large", "first"))
    args = parser.parse_args()
    if args.only in (None, "hits"):
        hits(args.peers)
    torch.set_num_threads(2)
    set_threads(2)
    if args.only in (None, "large"):
        large((COUNT // ROW, ROW), args.rounds)
        optimizer_step(args.rounds)
    if args.only in (None, "first"):
        first_calls()


if __name__ == "__main__":
    main()
