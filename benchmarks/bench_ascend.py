"""The emulated Ascend target against the CPU target of the same library: how many times as long each takes.

Goals: an exact matrix product at 1024 within 4 times, the fast one within 1/0.6, elementwise ops and reductions within
twice, the digits program within 4 times the CPU's time.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _compare import heading, interleaved

from ms_kernels import Tensor, functional, mint, mint_functional
from ms_kernels.core.runtime import set_threads
from ms_kernels.targets.ascend import AscendTarget, Choices

DIGITS = Path(__file__).resolve().parent.parent / "examples" / "digits.py"
PROGRAM = """
import runpy, sys
import ms_common
ms_common.activate()
import mindspore
mindspore.set_device(sys.argv.pop(1))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def on(target: AscendTarget, run: Callable[[], object]) -> Callable[[], object]:
    def call() -> object:
        with target.use():
            return run()

    return call


def row(label: str, run: Callable[[], object], target: AscendTarget, goal: float | None, rounds: int) -> float:
    """Print milliseconds on both targets and their ratio, which should be below the goal."""
    times = interleaved({"ascend": on(target, run), "cpu": run}, rounds, 1)
    ratio = times["ascend"] / times["cpu"]
    wanted = "" if goal is None else f"{goal:8.2f}{'' if ratio <= goal else '  missed'}"
    print(f"{label:34s}" + "".join(f"{t * 1e3:16.3f}" for t in times.values()) + f"{ratio:14.2f}{wanted}")
    return ratio


def images_per_second(device: str) -> float:
    command = [sys.executable, "-c", PROGRAM, device, str(DIGITS), "--epochs", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"images per second: (\d+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def main() -> None:
    """Print milliseconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--profile", default="ascend910b")
    parser.add_argument("--size", type=int, default=4 << 20)
    options = parser.parse_args()
    set_threads(options.threads)
    exact, rng = AscendTarget(options.profile), np.random.default_rng(0)
    fast = AscendTarget(options.profile, choices=Choices(cube="fast"))

    def numbers(*shape: int, kind: type = np.float32) -> Tensor:
        return Tensor(rng.standard_normal(shape, dtype=np.float32).astype(kind))

    names = ["ascend", "cpu"]
    heading(f"{options.profile}, {options.threads} threads: the cube", names, "ms")
    for n in (256, 1024):
        a, b = numbers(n, n), numbers(n, n)
        row(f"matmul {n}, exact", lambda a=a, b=b: mint.matmul(a, b), exact, 4.0, options.rounds)
        row(f"matmul {n}, fast", lambda a=a, b=b: mint.matmul(a, b), fast, 1 / 0.6, options.rounds)
    image, kernel = numbers(8, 32, 28, 28), numbers(32, 32, 3, 3)
    row("conv2d 32 x 28 x 28, exact", lambda: mint_functional.conv2d(image, kernel), exact, None, options.rounds)
    row("conv2d 32 x 28 x 28, fast", lambda: mint_functional.conv2d(image, kernel), fast, None, options.rounds)

    x, y = numbers(options.size), numbers(options.size)
    positive, short = Tensor(np.abs(x.asnumpy()) + np.float32(0.1)), Tensor(x.asnumpy().astype(np.float16))
    square = x.reshape(-1, 2048)
    gain, shift = numbers(2048), numbers(2048)
    one = {
        "add": lambda: x + y,
        "mul by a number": lambda: x * 2.5,
        "div": lambda: x / y,
        "add float16": lambda: short + short,
        "maximum": lambda: mint.maximum(x, y),
        "greater": lambda: x > y,
        "relu": lambda: mint_functional.relu(x),
        "sqrt": lambda: positive.sqrt(),
        "rsqrt": lambda: positive.rsqrt(),
        "exp": lambda: x.exp(),
        "exp float16": lambda: short.exp(),
        "log": lambda: positive.log(),
        "sin": lambda: mint.sin(x),
        "tanh": lambda: x.tanh(),
        "sigmoid": lambda: x.sigmoid(),
        "silu": lambda: mint_functional.silu(x),
        "gelu": lambda: mint_functional.gelu(x),
        "gelu, tanh": lambda: functional.gelu(x, "tanh"),
        "erf": lambda: mint.erf(x),
    }
    several = {
        "sum": lambda: square.sum(),
        "sum over rows": lambda: square.sum(0),
        "sum over columns": lambda: square.sum(1),
        "sum float16": lambda: short.sum(),
        "mean": lambda: square.mean(1),
        "max": lambda: square.max(1),
        "softmax": lambda: mint_functional.softmax(square, -1),
        "layer_norm": lambda: mint_functional.layer_norm(square, (2048,), gain, shift),
    }
    for title, runs in (("elementwise", one), ("reductions", several)):
        heading(f"{title}, {options.size} float32", names, "ms")
        ratios = [row(label, run, exact, 2.0, options.rounds) for label, run in runs.items()]
        print(f"{'geometric mean':66s}{float(np.exp(np.mean(np.log(ratios)))):14.2f}{2.0:8.2f}")

    speeds = {name: images_per_second(device) for name, device in (("ascend", "Ascend"), ("cpu", "CPU"))}
    print(f"\ndigits program: {speeds['cpu'] / speeds['ascend']:.2f} times the CPU target's time (goal 4.00)")


if __name__ == "__main__":
    main()
