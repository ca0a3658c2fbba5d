"""What a dump costs: installed but off, and every tensor of a training step on the local disk."""

from __future__ import annotations

import shutil
import sys
import tempfile
import warnings
from pathlib import Path

from _compare import compare, heading

import ms_common

ms_common.activate()
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

import mindspore as ms  # noqa: E402
from digits import Net, load_data  # noqa: E402
from mindspore import Tensor, nn  # noqa: E402

import ms_dump  # noqa: E402

OFF = (1.02, 60, 1, 1e3 / 10)


def main() -> None:
    """Print milliseconds per step of the digits program."""
    (images, labels), _ = load_data()
    net, loss_fn = Net(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
    net.set_train(True)
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())
    x, y = Tensor(images[:64]), Tensor(labels[:64])
    warnings.simplefilter("ignore")  # set_dump says that it does nothing here: that is what is measured
    folder = tempfile.mkdtemp(prefix="bench_dump")

    def step() -> None:
        _, grads = grad_fn(x, y)
        optimizer(grads)

    def flagged(on: bool) -> None:
        ms_dump.set_dump(net, on)
        for _ in range(10):
            step()

    def dumped(saved: str) -> None:
        path = tempfile.mkdtemp(dir=folder)  # all are removed at the end, which is not part of a dump
        common = {"dump_mode": 0, "path": path, "net_name": "Net", "iteration": "all", "input_output": 0}
        ms_dump.start({"common_dump_settings": {**common, "saved_data": saved}, "e2e_dump_settings": {"enable": True}})
        try:
            five()
        finally:  # all is on the disk when it ends
            ms_dump.stop()

    def five() -> None:
        for _ in range(5):
            step()

    try:
        heading("digits, a step with 64 images", ["with", "without"], "ms")
        compare("set_dump, no configuration", {"with": lambda: flagged(True), "without": lambda: flagged(False)}, *OFF)
        ms_dump.anywhere()
        for saved in ("tensor", "statistic"):
            runs = {"with": lambda saved=saved: dumped(saved), "without": five}
            compare(f"every {saved}, all written", runs, 3.0, 15, 1, 1e3 / 5)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
