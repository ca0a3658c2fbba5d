"""Records curve.json with MindSpore 2.6 itself: losses of a small CNN over 30 steps of Adam, and of a MLP."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, has_bias=True)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(64, 10)

    def construct(self, x: Tensor) -> Tensor:
        x = self.pool(self.relu(self.bn1(self.conv1(x))))
        x = self.pool(self.relu(self.conv2(x)))
        return self.fc(self.flatten(x))


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.RandomState(11)
    labels = rng.randint(0, 10, 96)
    images = rng.standard_normal((96, 1, 8, 8)) * 0.5
    images += np.random.RandomState(12).standard_normal((10, 1, 8, 8))[labels]
    return images.astype(np.float32), labels.astype(np.int32)


def losses(kind: str) -> list[float]:
    ms.set_seed(4)
    images, labels = data()
    if kind == "cnn":
        net = Net()
        optimizer = nn.Adam(net.trainable_params(), 2e-3, weight_decay=1e-4)
        loss_fn = nn.CrossEntropyLoss()
    else:
        net = nn.SequentialCell(
            nn.Flatten(), nn.Dense(64, 32, activation="tanh"), nn.LayerNorm((32,)), nn.Dense(32, 10)
        )
        optimizer = nn.SGD(net.trainable_params(), nn.CosineDecayLR(0.01, 0.2, 30), momentum=0.9, nesterov=True)
        loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net.set_train()

    def forward(x: Tensor, y: Tensor) -> Tensor:
        return loss_fn(net(x), y)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    found = []
    for i in range(30):
        part = slice(i % 3 * 32, i % 3 * 32 + 32)
        loss, grads = step(Tensor(images[part]), Tensor(labels[part]))
        optimizer(grads)
        found.append(float(loss.asnumpy()))
    net.set_train(False)
    return [*found, float(loss_fn(net(Tensor(images)), Tensor(labels)).asnumpy())]


if __name__ == "__main__":
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("curve.json")
    target.write_text(
        json.dumps({"mindspore": ms.__version__, **{kind: losses(kind) for kind in ("cnn", "mlp")}}) + "\n"
    )
