"""Train a small convolutional network on the 1,797 handwritten digits that ship with scikit-learn."""

import argparse
import json
import time

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_digits
from tqdm import tqdm


class Net(nn.Cell):
    """Two blocks of convolution, normalisation and pooling, then a classifier."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 16, 3, pad_mode="pad", padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(16, 32, 3, pad_mode="pad", padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.flatten = nn.Flatten()
        self.classifier = nn.Dense(32 * 2 * 2, 10)

    def construct(self, x):
        return self.classifier(self.flatten(self.features(x)))


def load_data(test_share=0.2, seed=1):
    """The images as float32 (N, 1, 8, 8) in [0, 1] and their labels, split by a fixed seed."""
    digits = load_digits()
    images = (digits.images[:, None] / 16.0).astype(np.float32)
    labels = digits.target.astype(np.int32)
    order = np.random.default_rng(seed).permutation(len(labels))
    test, train = np.split(order, [int(len(order) * test_share)])
    return (images[train], labels[train]), (images[test], labels[test])


def batches(images, labels, size, rng):
    order = rng.permutation(len(labels))
    for start in range(0, len(order) - size + 1, size):
        chosen = order[start : start + size]
        yield Tensor(images[chosen]), Tensor(labels[chosen])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--losses", help="write the loss of each step to this file, as JSON")
    args = parser.parse_args()

    ms.set_seed(42)
    (train_images, train_labels), (test_images, test_labels) = load_data()
    net = Net()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=args.learning_rate)

    def forward(images, labels):
        return loss_fn(net(images), labels)

    grad_fn = ms.value_and_grad(forward, None, net.trainable_params())

    rng = np.random.default_rng(0)
    steps = len(train_labels) // args.batch_size
    losses = []
    start = time.perf_counter()
    net.set_train(True)
    for epoch in range(1, args.epochs + 1):
        with tqdm(total=steps, desc=f"epoch {epoch:2d}", unit="batch") as bar:
            for images, labels in batches(train_images, train_labels, args.batch_size, rng):
                loss, grads = grad_fn(images, labels)
                optimizer(grads)
                losses.append(float(loss.asnumpy()))
                bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
                bar.update()
    seconds = time.perf_counter() - start

    net.set_train(False)
    predicted = ops.argmax(net(Tensor(test_images)), dim=1)
    accuracy = float((predicted.asnumpy() == test_labels).mean())
    print(f"test accuracy: {accuracy:.2%}")
    print(f"images per second: {len(losses) * args.batch_size / seconds:.0f}")
    if args.losses:
        with open(args.losses, "w", encoding="utf-8") as file:
            json.dump(losses, file)


if __name__ == "__main__":
    main()
