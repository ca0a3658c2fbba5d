"""Training steps of whole networks beside torch eager: ResNet-18 and a Transformer encoder layer, forward to update.

`python benchmarks/bench_networks.py [THREADS]`; each row is a median over rounds in which both take their turn.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # torch's idle threads must not keep ours from the cores

import numpy as np
import torch
from _compare import compare, heading
from torch import nn as tnn

import ms_kernels as mk
import ms_nn as nn
from ms_kernels import Tensor
from ms_kernels import functional as ops
from ms_kernels.core.runtime import set_threads

Step = Callable[[], object]
STAGES = [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]
BATCH, TOKENS, WIDTH, HEADS, INNER = 8, 128, 256, 8, 1024


class Block(nn.Cell):
    """The two-convolution residual block."""

    def __init__(self, c: int, k: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(c, k, 3, stride, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(k)
        self.conv2 = nn.Conv2d(k, k, 3, 1, pad_mode="pad", padding=1)
        self.bn2 = nn.BatchNorm2d(k)
        self.short = None
        if stride != 1 or c != k:
            self.short = nn.SequentialCell(nn.Conv2d(c, k, 1, stride), nn.BatchNorm2d(k))

    def construct(self, x: Tensor) -> Tensor:
        out = ops.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return ops.relu(out + (x if self.short is None else self.short(x)))


class TorchBlock(tnn.Module):
    """The same in torch."""

    def __init__(self, c: int, k: int, stride: int) -> None:
        super().__init__()
        self.conv1 = tnn.Conv2d(c, k, 3, stride, 1, bias=False)
        self.bn1 = tnn.BatchNorm2d(k)
        self.conv2 = tnn.Conv2d(k, k, 3, 1, 1, bias=False)
        self.bn2 = tnn.BatchNorm2d(k)
        self.short = None
        if stride != 1 or c != k:
            self.short = tnn.Sequential(tnn.Conv2d(c, k, 1, stride, bias=False), tnn.BatchNorm2d(k))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return torch.relu(out + (x if self.short is None else self.short(x)))


def our_resnet() -> nn.Cell:
    """ResNet-18 with 1,000 classes."""
    blocks = [Block(a, b, stride if i == 0 else 1) for c, b, stride in STAGES for i, a in enumerate((c, b))]
    return nn.SequentialCell(
        nn.Conv2d(3, 64, 7, 2, pad_mode="pad", padding=3),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, pad_mode="pad", padding=1),
        *blocks,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dense(512, 1000),
    )


def torch_resnet() -> tnn.Module:
    """The same in torch."""
    blocks = [TorchBlock(a, b, stride if i == 0 else 1) for c, b, stride in STAGES for i, a in enumerate((c, b))]
    return tnn.Sequential(
        tnn.Conv2d(3, 64, 7, 2, 3, bias=False),
        tnn.BatchNorm2d(64),
        tnn.ReLU(),
        tnn.MaxPool2d(3, 2, 1),
        *blocks,
        tnn.AdaptiveAvgPool2d(1),
        tnn.Flatten(),
        tnn.Linear(512, 1000),
    )


def resnet_images() -> tuple[np.ndarray, np.ndarray]:
    """Eight images of 64x64 and their labels."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((8, 3, 64, 64)).astype(np.float32), rng.integers(0, 1000, 8)


def our_step(net: nn.Cell, loss: Callable[..., Any], *inputs: Tensor) -> Step:
    """Forward, backward and Adam."""
    net.set_train()
    optimizer = nn.Adam(net.trainable_params(), 1e-4)
    graded = mk.value_and_grad(lambda *args: loss(net, *args), None, net.trainable_params())

    def run() -> object:
        value, grads = graded(*inputs)
        optimizer(grads)
        return value

    return run


def torch_step(net: tnn.Module, loss: Callable[..., Any], *inputs: torch.Tensor) -> Step:
    """The same in torch; its Adam with default settings."""
    net.train()
    optimizer = torch.optim.Adam(net.parameters(), 1e-4)

    def run() -> object:
        optimizer.zero_grad()
        value = loss(net, *inputs)
        value.backward()
        optimizer.step()
        return value

    return run


def resnet() -> dict[str, Step]:
    """ResNet-18's step, both ways."""
    images, labels = resnet_images()
    criterion, peer = nn.CrossEntropyLoss(), tnn.CrossEntropyLoss()
    return {
        "ours": our_step(
            our_resnet(), lambda net, x, y: criterion(net(x), y), Tensor(images), Tensor(labels.astype(np.int32))
        ),
        "torch": torch_step(
            torch_resnet(), lambda net, x, y: peer(net(x), y), torch.from_numpy(images), torch.from_numpy(labels)
        ),
    }


def encoder() -> dict[str, Step]:
    """The encoder layer's step, both ways: GELU, normalisation first, no dropout."""
    x = np.random.default_rng(0).standard_normal((BATCH, TOKENS, WIDTH)).astype(np.float32)
    how: dict[str, Any] = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
    ours = nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, **how)
    theirs = tnn.TransformerEncoderLayer(WIDTH, HEADS, INNER, **how)
    return {
        "ours": our_step(ours, lambda net, x: (net(x) ** 2).mean(), Tensor(x)),
        "torch": torch_step(theirs, lambda net, x: (net(x) ** 2).mean(), torch.from_numpy(x)),
    }


def adam() -> dict[str, Step]:
    """Adam alone, over 10^7 parameters in 100 tensors; torch's fused one."""
    rng = np.random.default_rng(0)
    data = [rng.standard_normal((100, 1000)).astype(np.float32) for _ in range(100)]
    weights = [mk.Parameter(Tensor(d), name=f"w{i}") for i, d in enumerate(data)]
    grads = tuple(Tensor(d * 0.1) for d in data)
    ours = nn.Adam(weights, 1e-3)
    peers = [torch.nn.Parameter(torch.from_numpy(d.copy())) for d in data]
    for peer, d in zip(peers, data):
        peer.grad = torch.from_numpy(d * 0.1)
    theirs = torch.optim.Adam(peers, 1e-3, fused=True)
    return {"ours": lambda: ours(grads), "torch": theirs.step}


def main() -> None:
    """Print milliseconds of a step and the ratio."""
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    torch.set_num_threads(threads)
    set_threads(threads)
    heading(f"{threads} threads, one training step", ["ours", "torch"], "ms")
    compare("ResNet-18, 8 x 3x64x64", resnet(), 1.0, 9, 3, 1e3)
    compare("encoder layer, 8 x 128 x 256", encoder(), 1.0, 9, 5, 1e3)
    compare("Adam, 100 x 100,000", adam(), 1.1, 15, 5, 1e3)


if __name__ == "__main__":
    main()
