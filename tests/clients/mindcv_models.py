"""Builds networks of mindcv, runs them and trains each for a step; prints a line of JSON for each.

Plain MindSpore. Arguments are MODULE:FUNCTION:SIZE:CLASSES, the side of the images and the number of classes.
"""

import importlib
import json
import sys
import time
import types
from importlib.util import find_spec
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn


def prepare():
    """Let single model files load without what the package's own `__init__` pulls in: data sets, downloads, OpenCV."""
    home = Path(next(iter(find_spec("mindcv").submodule_search_locations)))
    for name in ("mindcv", "mindcv.models", "mindcv.utils"):
        module = types.ModuleType(name)
        module.__path__ = [str(home.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = module


def logits_of(out):
    return out[0] if isinstance(out, tuple) else out


def run(module, function, size, classes):
    """The logits of a fresh network, the loss of its first step, and whether that loss is the same when asked twice."""
    build = getattr(importlib.import_module(f"mindcv.models.{module}"), function)
    ms.set_seed(0)
    net = build(num_classes=classes)
    images = Tensor(np.random.RandomState(0).standard_normal((2, 3, size, size)).astype(np.float32))
    labels = Tensor(np.array([1, 2], np.int32))
    net.set_train(False)
    logits = logits_of(net(images)).asnumpy()

    net.set_train(True)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
    step = ms.value_and_grad(lambda x, y: loss_fn(logits_of(net(x)), y), None, optimizer.parameters)
    losses = []
    for _ in range(2):
        loss, grads = step(images, labels)
        losses.append(float(loss.asnumpy()))
    before = [p.asnumpy().copy() for p in optimizer.parameters]
    optimizer(grads)
    moved = sum(not np.array_equal(old, new.asnumpy()) for old, new in zip(before, optimizer.parameters))
    return {
        "logits": [float(f"{v:.8g}") for v in logits.ravel()],
        "loss": losses[0],
        "steady": losses[0] == losses[1],
        "parameters": len(before),
        "moved": moved,
        "finite": all(bool(np.isfinite(p.asnumpy()).all()) for p in optimizer.parameters),
    }


def main():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    prepare()
    for argument in sys.argv[1:]:
        module, function, size, classes = argument.split(":")
        start = time.perf_counter()
        found = run(module, function, int(size), int(classes))
        print(json.dumps({"model": argument, "seconds": round(time.perf_counter() - start, 2), **found}), flush=True)


if __name__ == "__main__":
    main()
