"""Networks as MindSpore 2.6 exports them, and what they give there.

`python make_mindir.py [FILE]`, with the Python of an environment that has MindSpore, exports the networks below, runs
the files and writes mindir.json: the bytes of each file (base64), inputs, results and the weights afterwards.
`python make_mindir.py run FILE` runs the files that are in such a JSON file instead, and writes the results into it.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def ones(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


class TwoResults(nn.Cell):
    def construct(self, x, y):
        return x + y, x * 2


class Nested(nn.Cell):
    def construct(self, x):
        return x, (x + 1, x * 2), 3


class Lists(nn.Cell):
    def construct(self, x):
        return [x, x + 1], (x,)


class Branch(nn.Cell):
    def construct(self, x):
        if x.sum() > 3:
            return x * 2
        return x - 1


class Loop(nn.Cell):
    def construct(self, x):
        while x.sum() < 100:
            x = x * 2 + 1
        return x


class LongLoop(nn.Cell):
    def construct(self, x):
        n = x.sum() * 0
        while n < 3000:
            n = n + 1
        return n


class BranchOfWeights(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")

    def construct(self, x):
        if x.sum() > 3:
            return x * self.w
        return x - self.w


class Constants(nn.Cell):
    def __init__(self):
        super().__init__()
        self.c = Tensor([2.0, 3.0, 4.0])

    def construct(self, x):
        return x * self.c + Tensor([1.0, 2.0, 3.0])


class Update(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(ones(2, 3), name="w")

    def construct(self, x):
        self.w += x
        return self.w * 2


class Unknown(nn.Cell):
    def construct(self, x):
        return ops.reshape(x, (x.shape[0] * 3,)) + 1


class UnknownRank(nn.Cell):
    def construct(self, x):
        return x * 2


class Reductions(nn.Cell):
    def construct(self, x):
        return ops.ReduceSum(True)(x, (0, 1)), x.mean(), x.max(), ops.argmax(x, 1), ops.transpose(x, (1, 0)), x.sum(0)


class Primitives(nn.Cell):
    def construct(self, x):
        tiled, chosen = ops.Tile()(x, (2, 1)), ops.Select()(x > 1, x, -x)
        picked = ops.Gather()(x, Tensor([0]), 0)
        hot = ops.OneHot()(Tensor([1]), 3, Tensor(1.0), Tensor(0.0))
        wide = ops.BroadcastTo((2, 2, 3))(x)
        return tiled, chosen, picked, hot, wide, ops.Squeeze(0)(x[None]), ops.Unstack(0)(x), ops.Maximum()(x, x * x)


class Smooth(nn.Cell):
    def construct(self, x):
        return (
            ops.LogSoftmax()(x),
            ops.Sigmoid()(x),
            ops.Pow()(x, 2.0),
            ops.gelu(x, approximate="tanh"),
            ops.gelu(x, "none"),
        )


class Slices(nn.Cell):
    def construct(self, x):
        return x[0], x[:, 1:], x[..., None]


class Joins(nn.Cell):
    def construct(self, x):
        return ops.concat((x, x), 1), ops.stack([x, x]), ops.split(x, 1, 0)


class Casts(nn.Cell):
    def construct(self, x):
        return x.astype(ms.int32), ops.cast(x, ms.float16), x > 1


class Normed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.act = nn.LayerNorm((3,)), nn.GELU()

    def construct(self, x):
        return self.norm(self.act(x))


class Convolved(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2)
        self.pool, self.flat, self.dense = nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(18, 3)

    def construct(self, x):
        return ops.softmax(self.dense(self.flat(self.pool(ops.relu(self.norm(self.conv(x)))))))


class Pools(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p, self.q = nn.AvgPool2d(2, 2), nn.AvgPool2d(3, 1, pad_mode="same")

    def construct(self, x):
        return self.p(x), self.q(x)


class Transposed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2dTranspose(1, 3, 3)

    def construct(self, x):
        return self.conv(x)


class Entropy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.loss = nn.CrossEntropyLoss()

    def construct(self, x):
        return self.loss(x, Tensor([1, 0], ms.int32))


class Embedded(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 3)

    def construct(self, x):
        return self.table(x)


class Shared(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.SequentialCell(nn.Dense(3, 3, activation="relu"), nn.Dense(3, 3))

    def construct(self, x):
        return self.dense(x) + self.dense(x * 2)


class NoInput(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(3.0), name="w")

    def construct(self):
        return self.w * 2


class Trained(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(1)
        self.norm.set_train(True)

    def construct(self, x):
        return self.norm(x)


class Layer(nn.Cell):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def construct(self, x):
        return self.layer(x)


X = Tensor((np.arange(6) % 5).reshape(2, 3).astype(np.float32))
IMAGE = Tensor((np.arange(36) % 7).reshape(1, 1, 6, 6).astype(np.float32))
LINE = Tensor((np.arange(12) % 7).reshape(1, 2, 6).astype(np.float32))
STEPS = Tensor((np.arange(6) % 5).reshape(2, 1, 3).astype(np.float32))
LAYERS = [
    *(
        (f"nn.{name}()", X)
        for name in ("ELU", "SeLU", "HSigmoid", "HSwish", "Mish", "SiLU", "SoftShrink", "LogSigmoid")
    ),
    *((f"nn.{name}()", X) for name in ("Softmin", "Softsign", "Tanhshrink", "ReLU6", "CELU", "Hardtanh", "Tanh")),
    *((text, X) for text in ("nn.LeakyReLU(0.1)", "nn.Threshold(0.1, 20)", "nn.GELU(False)", "nn.BatchNorm1d(3)")),
    *((text, IMAGE) for text in ("nn.PReLU(1)", "nn.GroupNorm(1, 1)", "nn.LRN()", "nn.AdaptiveAvgPool2d(2)")),
    *(
        (text, IMAGE)
        for text in ("nn.AdaptiveMaxPool2d(2)", "nn.Flatten()", "nn.Pad(((0, 0), (0, 0), (1, 1), (1, 1)))")
    ),
    *((f"nn.{name}", IMAGE) for name in ("ConstantPad2d(1, 2.0)", "ReflectionPad2d(1)", "ZeroPad2d(1)")),
    *((f'nn.Upsample(size=(8, 8), mode="{mode}")', IMAGE) for mode in ("nearest", "bilinear")),
    ('nn.Conv2d(1, 4, 3, dilation=2, pad_mode="pad", padding=2, has_bias=True)', IMAGE),
    *((text, LINE) for text in ("nn.AvgPool1d(2, 2)", "nn.MaxPool1d(2, 2)", "nn.Conv1d(2, 3, 3)", "nn.GLU(1)")),
    *((f"nn.{name}(3, 2)", STEPS) for name in ("LSTM", "GRU", "RNN")),
    ('nn.Dense(3, 2, activation="tanh")', X),
    ("nn.OneHot(depth=4)", Tensor([1, 2], ms.int32)),
]
UNKNOWN = Tensor(shape=[None, 3], dtype=ms.float32)


def eval_layer(text: str) -> nn.Cell:
    """A network of one layer."""
    return Layer(eval(text))


NETS: dict[str, tuple[Callable[[], nn.Cell], list[Tensor], list[Tensor]]] = {
    cls.__name__: (cls, args, args)
    for cls, args in [
        (TwoResults, [X, X]),
        *(
            (cls, [X])
            for cls in (Nested, Lists, Branch, Loop, LongLoop, BranchOfWeights, Constants, Update, Reductions)
        ),
        *((cls, [X]) for cls in (Primitives, Smooth, Slices, Joins, Casts, Normed, Entropy, Shared)),
        *((cls, [IMAGE]) for cls in (Convolved, Pools, Transposed, Trained)),
        (Embedded, [Tensor([[1, 2]], ms.int32)]),
        (NoInput, []),
    ]
}
NETS["Unknown"] = (Unknown, [UNKNOWN], [X])
NETS |= {text: (partial(eval_layer, text), [x], [x]) for text, x in LAYERS}
NETS["UnknownRank"] = (UnknownRank, [Tensor(shape=None, dtype=ms.float32)], [IMAGE])


def write(value: Any) -> Any:
    """A result as JSON: tensors as dtype, shape and numbers."""
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [write(item) for item in value]}
    if isinstance(value, Tensor):
        array = value.asnumpy()
        return {"dtype": array.dtype.name, "shape": list(array.shape), "data": array.ravel().tolist()}
    return {"value": value}


def read(value: dict[str, Any]) -> Tensor:
    return Tensor(np.array(value["data"], value["dtype"]).reshape(value["shape"]))


def run(file: str, args: list[Tensor]) -> dict[str, Any]:
    """Run a file."""
    cell = nn.GraphCell(ms.load(file))
    result = write(cell(*args))
    return {"result": result, "weights": {p.name: write(p.value()) for p in cell.get_parameters()}}


def export(name: str) -> dict[str, Any]:
    make, declared, args = NETS[name]
    ms.export(make(), *declared, file_name="net", file_format="MINDIR")
    data = base64.b64encode(Path("net.mindir").read_bytes()).decode()
    return {"file": data, "inputs": [write(a) for a in args], **run("net.mindir", args)}


def rerun(records: dict[str, Any]) -> dict[str, Any]:
    """The records with what their files give now, or why they do not run."""
    for record in records.values():
        file = f"net{len(os.listdir())}.mindir"
        Path(file).write_bytes(base64.b64decode(record["file"]))
        try:
            record.update(run(file, [read(a) for a in record["inputs"]]))
        except Exception as error:
            record.update(result=f"{type(error).__name__}: {error}", weights={})
    return records


def main(*args: str) -> None:
    again = args[:1] == ("run",)
    target = Path(args[-1] if args else Path(__file__).with_name("mindir.json")).resolve()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # MindSpore leaves files where it runs
        records = rerun(json.loads(target.read_text())) if again else {name: export(name) for name in NETS}
    lines = [f"{json.dumps(name)}: {json.dumps(record, separators=(',', ':'))}" for name, record in records.items()]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
