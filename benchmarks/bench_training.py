"""One training step of the digits CNN against torch eager, in one run."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

BATCH = 64


def ours() -> Callable[[], object]:
    """The step on our packages."""
    import ms_common

    ms_common.activate()
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
    step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())
    rng = np.random.default_rng(0)
    images = Tensor(rng.random((BATCH, 1, 8, 8), np.float32))
    labels = Tensor(rng.integers(0, 10, BATCH).astype(np.int32))

    def run() -> object:
        loss, grads = step(images, labels)
        optimizer(grads)
        return loss

    return run


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
    options = parser.parse_args()
    from ms_kernels.core.runtime import set_threads

    set_threads(options.threads)
    runs = {"ours": ours(), "torch": theirs(options.threads)}
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
    print(f"ratio of medians {median['ours'] / median['torch']:.2f}, of best {best['ours'] / best['torch']:.2f}")


if __name__ == "__main__":
    main()
