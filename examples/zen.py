"""Train an LSTM to write on, character by character, the text that ships with Python as the module `this`."""

import argparse
import codecs
import contextlib
import io

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class Writer(nn.Cell):
    """Characters to vectors, an LSTM, scores of the next character."""

    def __init__(self, characters, width=32, hidden=128):
        super().__init__()
        self.embedding = nn.Embedding(characters, width)
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.scores = nn.Dense(hidden, characters)

    def construct(self, x, state=None):
        out, state = self.lstm(self.embedding(x), state)
        return self.scores(out), state


def load_text():
    """The Zen of Python; importing it prints it, and its source is in rot13."""
    with contextlib.redirect_stdout(io.StringIO()):
        import this
    return codecs.decode(this.s, "rot13")


def windows(codes, size, length, rng):
    """Stretches of the text from random places, and the same one character on."""
    starts = rng.integers(0, len(codes) - length, size)
    rows = np.stack([codes[start : start + length + 1] for start in starts])
    return Tensor(rows[:, :-1]), Tensor(rows[:, 1:])


def write_on(net, codes, count):
    """The characters that the network finds most likely after the given ones."""
    scores, state = net(Tensor(codes[None]))
    for _ in range(count):
        best = ops.argmax(scores[:, -1:], dim=2)
        codes = np.append(codes, best.asnumpy()[0])
        scores, state = net(best.astype(ms.int32), state)
    return codes[-count:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--length", type=int, default=48)
    parser.add_argument("--learning-rate", type=float, default=1e-2)
    args = parser.parse_args()

    ms.set_seed(42)
    text = load_text()
    characters = sorted(set(text))
    codes = np.array([characters.index(c) for c in text], np.int32)
    net = Writer(len(characters))
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=args.learning_rate)

    def forward(x, y):
        scores, _ = net(x)
        return loss_fn(scores.reshape((-1, len(characters))), y.reshape((-1,)))

    grad_fn = ms.value_and_grad(forward, None, net.trainable_params())

    rng = np.random.default_rng(0)
    net.set_train(True)
    for step in range(1, args.steps + 1):
        loss, grads = grad_fn(*windows(codes, args.batch_size, args.length, rng))
        grads = ops.clip_by_global_norm(grads, 1.0)
        optimizer(grads)
        print(f"step {step} loss {float(loss.asnumpy()):.6f}")

    net.set_train(False)
    start = "Beautiful is"
    written = write_on(net, codes[text.index(start) :][: len(start)], 60)
    print(start + "".join(characters[code] for code in written))


if __name__ == "__main__":
    main()
