"""Records numpy.json with MindSpore 2.6 itself: what `mindspore.numpy` gives for the expressions below."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

EXPRESSIONS = """
ones(3) | ones((2, 1)) | ones([2], ms.int32) | ones((2,), "int32") | ones((2,), int) | ones(2.5) | ones((2, -1))
zeros(2) | zeros((2,), bool) | full((2,), 3) | full((2,), 3.5) | full((2,), True) | full(2, 3, ms.float16)
full((2, 3), x[0]) | empty((2,)) | ones_like(i) | ones_like(i, ms.float32, (2,)) | zeros_like([1, 2])
full_like(i, 7) | full_like(i, 7.5) | arange(3) | arange(3.0) | arange(1, 4) | arange(1, 4, 0.5) | arange(5, 0, -2)
arange(0, 4, 2, ms.float32) | arange(2, dtype=ms.float16) | linspace(0, 1, 3) | linspace(0, 4, 5, dtype=ms.int32)
eye(2) | eye(2, 3, 1) | eye(3, 2, -1) | identity(2) | concatenate((x, x)) | concatenate((x, x), axis=None)
concatenate([x, x], 1) | concatenate((i, x[0])) | concatenate(x) | stack([x, x], -1) | split(i, 2) | split(i, 3)
split(x, (1,), 1) | split(x, [1, 2], axis=-1) | split(i, 2.0) | tile(i, 2) | tile(x, (2, 1, 1)) | tile(x, (2,))
roll(i, 1) | roll(x, 1) | roll(x, (1, 1), (0, 1)) | roll(x, -1, 1) | tensordot(x, x, ((0, 1), (0, 1)))
tensordot(x, x.T, 1) | tensordot(x, x, ([1], [1])) | tensordot(i, i, 1) | reshape(x, (3, 2)) | reshape(x, -1) | ravel(x)
transpose(x) | transpose(x, (1, 0)) | expand_dims(x, 0) | expand_dims(x, (0, 1)) | squeeze(x[None])
squeeze(x[None], 0) | where(x > 2, x, 0.0) | where(x > 2) | moveaxis(x, 0, 1) | swapaxes(x, 0, 1) | flip(i) | flip(x, 1)
broadcast_to(i, (2, 4)) | repeat(i, 2) | repeat(x, 2, 1) | repeat(x, [1, 2], 0) | matmul(x, x.T) | dot(x, x.T)
dot(i, i) | dot(x, x[0]) | outer(i, i) | inner(x, x) | array([1, 2]) | array([1.0, 2]) | array(x) | asarray([1, 2])
asarray([True]) | array([1, 2], ms.float16) | array(2.5) | array([1], ndmin=3)
meshgrid(i, i) | meshgrid(i, x[0], indexing="ij")
"""


def results() -> dict[str, Any]:
    """The result of each expression: element type, shape and numbers; a list of them; or the type of the error."""
    import mindspore as ms
    from mindspore import Tensor
    from mindspore import numpy as module

    names = {
        **{name: getattr(module, name) for name in dir(module) if not name.startswith("_")},
        "ms": ms,
        "x": Tensor(np.arange(6).reshape(2, 3).astype(np.float32)),
        "i": Tensor(np.arange(4, dtype=np.int32)),
    }

    def plain(found: Any) -> Any:
        if isinstance(found, (list, tuple)):
            return [type(found).__name__, *(plain(item) for item in found)]
        return [str(found.dtype), list(found.shape), found.asnumpy().tolist()]

    out = {}
    for expression in EXPRESSIONS.replace("\n", "|").split("|"):
        if expression.strip():
            try:
                out[expression.strip()] = plain(eval(expression.strip(), dict(names, bool=bool, int=int)))
            except (TypeError, ValueError) as error:
                out[expression.strip()] = type(error).__name__
    return out


if __name__ == "__main__":
    import mindspore

    mindspore.set_context(mode=mindspore.PYNATIVE_MODE, pynative_synchronize=True)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("numpy.json")
    target.write_text(json.dumps({"mindspore": "2.6.0", "results": results()}) + "\n")
