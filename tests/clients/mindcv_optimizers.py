"""Trains a small network with each optimizer of mindcv for a few steps; prints the losses as one line of JSON.

Plain MindSpore. Arguments are names that mindcv's `create_optimizer` knows.
"""

import json
import sys
import types
from importlib.util import find_spec
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn


def prepare():
    """Let single files load without what the package's own `__init__` pulls in."""
    home = Path(next(iter(find_spec("mindcv").submodule_search_locations)))
    for name in ("mindcv", "mindcv.optim"):
        module = types.ModuleType(name)
        module.__path__ = [str(home.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = module


def losses(name):
    from mindcv.optim.optim_factory import create_optimizer

    ms.set_seed(0)
    net = nn.SequentialCell(nn.Dense(6, 8), nn.ReLU(), nn.Dense(8, 3))
    optimizer = create_optimizer(net.trainable_params(), opt=name, lr=0.01, weight_decay=1e-2)
    images = Tensor(np.random.RandomState(0).standard_normal((16, 6)).astype(np.float32))
    labels = Tensor((np.arange(16) % 3).astype(np.int32))
    loss_fn = nn.CrossEntropyLoss()
    step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    found = []
    for _ in range(8):
        loss, grads = step(images, labels)
        optimizer(grads)
        found.append(float(loss.asnumpy()))
    return found


def main():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    prepare()
    print(json.dumps({name: losses(name) for name in sys.argv[1:]}))


if __name__ == "__main__":
    main()
