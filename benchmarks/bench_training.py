"""One training step of the digits CNN, plain and compiled, against torch eager, in one run.

``--wheel PYTHON`` also times the step compiled by the real MindSpore of that interpreter, in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

BATCH = 64


def ours(level: str = "") -> Callable[[], object]:
    """The step on our packages, compiled when a level is named."""
    import ms_common

    ms_common.activate()
    return mindspore_step(level)


def mindspore_step(level: str) -> Callable[[], object]:
    """The step as a MindSpore program."""
    import mindspore as ms
    from mindspore import Tensor, nn

    class Net(nn.Cell):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.SequentialCell(
                nn.Conv2d(1, 16, 3, pad_mode="pad", padding=1),
                nn.BatchNorm2d(16),
                nn.ReLU(),
                nn.MaxPool2d(2, 2),
                nn.Conv2d(16, 32, 3, pad_mode="pad", padding=1),
                nn.BatchNorm2d(32),
                nn.ReLU(),
                nn.MaxPool2d(2, 2),
                nn.Flatten(),
                nn.Dense(128, 10),
            )

        def construct(self, x: Tensor) -> Tensor:
            return self.body(x)

    net = Net()
    net.set_train()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-3)

    def forward(images: Tensor, labels: Tensor) -> Tensor:
        return loss_fn(net(images), labels)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    rng = np.random.default_rng(0)
    images = Tensor(rng.random((BATCH, 1, 8, 8), np.float32))
    labels = Tensor(rng.integers(0, 10, BATCH).astype(np.int32))

    def whole(images: Tensor, labels: Tensor) -> Tensor:
        loss, grads = step(images, labels)
        optimizer(grads)
        return loss

    compiled = ms.jit(whole, jit_level=level) if level else whole
    return lambda: compiled(images, labels)


def wheel(python: str, rounds: int, steps: int) -> float:
    """The best milliseconds of the step compiled by the wheel of an interpreter."""
    with tempfile.TemporaryDirectory() as folder:  # the wheel leaves files where it runs
        command = [python, str(Path(__file__).resolve()), "--alone", "--rounds", str(rounds), "--steps", str(steps)]
        out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return float(out.stdout.split()[-1])


def alone(rounds: int, steps: int) -> None:
    """Print the best milliseconds of the compiled step on the mindspore of this interpreter."""
    run = mindspore_step("O0")
    found = []
    for _ in range(rounds + 2):
        start = time.perf_counter()
        for _ in range(steps):
            last = run()
        last.asnumpy()  # type: ignore[attr-defined]  # the wheel runs ahead of Python
        found.append((time.perf_counter() - start) / steps * 1e3)
    print(min(found[2:]))


def theirs(threads: int) -> Callable[[], object]:
    """The step on torch."""
    import torch
    from torch import nn

    torch.set_num_threads(threads)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(128, 10),
    )
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    rng = np.random.default_rng(0)
    images = torch.from_numpy(rng.random((BATCH, 1, 8, 8), np.float32))
    labels = torch.from_numpy(rng.integers(0, 10, BATCH))

    def run() -> object:
        optimizer.zero_grad()
        loss = loss_fn(net(images), labels)
        loss.backward()
        optimizer.step()
        return loss

    return run


def main() -> None:
    """Print milliseconds and the ratio: medians of interleaved rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--wheel", metavar="PYTHON", help="interpreter with the real MindSpore")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(options.rounds, options.steps)
        return
    from ms_kernels.core.runtime import set_threads

    set_threads(options.threads)
    runs = {"ours": ours(), "jit O0": ours("O0"), "jit O1": ours("O1"), "torch": theirs(options.threads)}
    times: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(options.rounds + 2):
        for name, run in runs.items():
            start = time.perf_counter()
            for _ in range(options.steps):
                run()
            if round_ >= 2:
                times[name].append((time.perf_counter() - start) / options.steps * 1e3)
    best = {name: min(found) for name, found in times.items()}
    median = {name: float(np.median(found)) for name, found in times.items()}
    for name in runs:
        print(f"{name:6s} best {best[name]:7.3f} ms   median {median[name]:7.3f} ms")
    print(f"ours / torch: medians {median['ours'] / median['torch']:.2f}, best {best['ours'] / best['torch']:.2f}")
    compiled = min(best["jit O0"], best["jit O1"])
    print(f"compiled / ours: {compiled / best['ours']:.2f}   goal 0.90")
    if options.wheel:
        real = wheel(options.wheel, options.rounds, options.steps)
        print(f"wheel, compiled: {real:7.3f} ms   compiled / wheel: {compiled / real:.2f}   goal 0.40")


if __name__ == "__main__":
    main()
