"""Train a small Transformer encoder to read handwritten digits row by row: eight tokens of eight pixels each.

The data are the 1,797 images that ship with scikit-learn.
"""

import argparse
import json
import time

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer
from sklearn.datasets import load_digits
from tqdm import tqdm


class Reader(nn.Cell):
    """Rows become tokens; an extra token in front gathers what the classifier looks at."""

    def __init__(self, width=48, heads=4, inner=96, layers=2):
        super().__init__()
        self.embed = nn.Dense(8, width)
        self.first = Parameter(initializer(Normal(0.02), (1, 1, width)), name="first")
        self.places = Parameter(initializer(Normal(0.02), (1, 9, width)), name="places")
        layer = nn.TransformerEncoderLayer(
            width, heads, inner, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers)
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.classifier = nn.Dense(width, 10)

    def construct(self, rows):
        tokens = self.embed(rows)
        first = ops.broadcast_to(self.first, (rows.shape[0], 1, tokens.shape[2]))
        tokens = ops.cat((first, tokens), axis=1) + self.places
        return self.classifier(self.norm(self.encoder(tokens)[:, 0]))


def load_data(test_share=0.2, seed=1):
    """The images as float32 (N, 8, 8) in [0, 1] and their labels, split by a fixed seed."""
    digits = load_digits()
    rows = (digits.images / 16.0).astype(np.float32)
    labels = digits.target.astype(np.int32)
    order = np.random.default_rng(seed).permutation(len(labels))
    test, train = np.split(order, [int(len(order) * test_share)])
    return (rows[train], labels[train]), (rows[test], labels[test])


def batches(rows, labels, size, rng):
    order = rng.permutation(len(labels))
    for start in range(0, len(order) - size + 1, size):
        chosen = order[start : start + size]
        yield Tensor(rows[chosen]), Tensor(labels[chosen])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--losses", help="write the loss of each step to this file, as JSON")
    args = parser.parse_args()

    ms.set_seed(42)
    (train_rows, train_labels), (test_rows, test_labels) = load_data()
    net = Reader()
    loss_fn = nn.CrossEntropyLoss()
    steps = len(train_labels) // args.batch_size
    rates = nn.cosine_decay_lr(1e-4, args.learning_rate, args.epochs * steps, steps, args.epochs)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=rates, weight_decay=0.01)

    def forward(rows, labels):
        return loss_fn(net(rows), labels)

    grad_fn = ms.value_and_grad(forward, None, net.trainable_params())

    rng = np.random.default_rng(0)
    losses = []
    start = time.perf_counter()
    net.set_train(True)
    for epoch in range(1, args.epochs + 1):
        with tqdm(total=steps, desc=f"epoch {epoch:2d}", unit="batch") as bar:
            for rows, labels in batches(train_rows, train_labels, args.batch_size, rng):
                loss, grads = grad_fn(rows, labels)
                optimizer(ops.clip_by_global_norm(grads, 1.0))
                losses.append(float(loss.asnumpy()))
                bar.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
                bar.update()
    seconds = time.perf_counter() - start

    net.set_train(False)
    predicted = ops.argmax(net(Tensor(test_rows)), dim=1)
    accuracy = float((predicted.asnumpy() == test_labels).mean())
    print(f"test accuracy: {accuracy:.2%}")
    print(f"images per second: {len(losses) * args.batch_size / seconds:.0f}")
    if args.losses:
        with open(args.losses, "w", encoding="utf-8") as file:
            json.dump(losses, file)


if __name__ == "__main__":
    main()
