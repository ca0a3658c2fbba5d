"""Train on the handwritten digits so that the program can be stopped at any moment, killed too, and started again.

After each epoch a checkpoint holds the network, the optimizer with its moments and its place in the learning-rate
schedule, the random generator, and the epoch. A later start goes on from the newest one, to the very same result.
"""

import argparse
import hashlib
import os

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from sklearn.datasets import load_digits


class Net(nn.Cell):
    """A convolution with normalisation and pooling, then a classifier with dropout."""

    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2)
        )
        self.flatten = nn.Flatten()
        self.dropout = nn.Dropout(p=0.3)
        self.classifier = nn.Dense(8 * 4 * 4, 10)

    def construct(self, x):
        return self.classifier(self.dropout(self.flatten(self.features(x))))


def digest(net, optimizer):
    """A number that tells whether two trainings are in the same state, to the last bit."""
    state = hashlib.sha256()
    for name, param in sorted({p.name: p for cell in (net, optimizer) for p in cell.get_parameters()}.items()):
        state.update(name.encode() + param.asnumpy().tobytes())
    return state.hexdigest()[:16]


def newest(folder):
    """The checkpoint to go on from, if there is one. Files are whole: a save that was cut off leaves none."""
    found = [name for name in os.listdir(folder) if name.endswith(".ckpt") and not name.startswith(".")]
    return os.path.join(folder, max(found)) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="where the checkpoints are")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--keep", type=int, default=2)
    args = parser.parse_args()

    digits = load_digits()
    images = (digits.images[:, None] / 16.0).astype(np.float32)
    labels = digits.target.astype(np.int32)
    steps = len(labels) // args.batch_size

    ms.set_seed(42)
    net = Net()
    loss_fn = nn.CrossEntropyLoss()
    schedule = nn.CosineDecayLR(1e-4, 5e-3, args.epochs * steps)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=schedule, weight_decay=1e-4)
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())

    os.makedirs(args.folder, exist_ok=True)
    first = 1
    path = newest(args.folder)
    if path is not None:
        saved = ms.load_checkpoint(path)
        first = int(saved.pop("epoch")) + 1
        ms.set_rng_state(saved.pop("generator"))
        ms.load_param_into_net(net, saved)
        ms.load_param_into_net(optimizer, saved)

    net.set_train(True)
    for epoch in range(first, args.epochs + 1):
        order = np.random.default_rng(epoch).permutation(len(labels))
        for start in range(0, steps * args.batch_size, args.batch_size):
            chosen = order[start : start + args.batch_size]
            loss, grads = grad_fn(Tensor(images[chosen]), Tensor(labels[chosen]))
            optimizer(grads)
        params = [*net.get_parameters(), *optimizer.get_parameters()]
        everything = [{"name": p.name, "data": p} for p in params]
        name = os.path.join(args.folder, f"epoch-{epoch:04d}.ckpt")
        ms.save_checkpoint(everything, name, append_dict={"epoch": epoch, "generator": ms.default_generator})
        for old in sorted(n for n in os.listdir(args.folder) if n.startswith("epoch-"))[: -args.keep]:
            os.remove(os.path.join(args.folder, old))
        print(f"epoch {epoch}: loss {float(loss.asnumpy()):.4f}", flush=True)

    net.set_train(False)
    accuracy = float((ops.argmax(net(Tensor(images)), dim=1).asnumpy() == labels).mean())
    print(f"accuracy: {accuracy:.2%}")
    print(f"state: {digest(net, optimizer)}")


if __name__ == "__main__":
    main()
