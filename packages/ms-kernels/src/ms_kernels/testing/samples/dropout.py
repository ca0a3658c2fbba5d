"""Cases of ms_kernels.ops.dropout."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker
from ms_kernels.testing.samples.random import DRAWN_CASE

__all__ = ["CASES"]


def _kept(m: Maker) -> list[tuple[Any, ...]]:
    return [(m(3, 4), 0.0, 1, 0), (m(0, 2), 0.5, 1, 0)]


def _by_mask(x: Any, mask: Any, keep: float) -> Any:
    bits = np.array([(int(byte) >> i) & 1 for byte in mask for i in range(8)][: x.size])
    return x * bits.reshape(x.shape) / keep


def _all(ndim: int) -> Case:
    return Case(lambda x, keep: (x, np.ones(x.shape, bool)), lambda m: [(m(*(2,) * ndim), 1.0)], FLOAT, results=1)


CASES = {
    "dropout_keep": Case(lambda x, p, seed, offset: (x, np.ones(x.shape, bool)), _kept, FLOAT, results=1),
    "dropout": Case(lambda x, p=0.5, training=True: x, lambda m: [(m(3, 4), 0.5, False), (m(3), 0)], FLOAT),
    "dropout_all": Case(lambda x, keep: (x, np.ones(x.shape)), lambda m: [(m(3, 4), 1.0)], FLOAT, results=1, wrt=(0,)),
    "dropout2d_all": _all(4),
    "dropout3d_all": _all(5),
    "dropout_mask": Case(
        lambda size, keep: np.full(-(-size[0] // 128) * 16, 255),
        lambda m: [((100,), 1.0), ((129,), 1.0)],
        ("float32",),
        0,
    ),
    "dropout_apply": Case(_by_mask, lambda m: [(m(3, 5), m.ints(16, high=256, dtype=np.uint8), 0.25)], FLOAT, wrt=(0,)),
    "rrelu": Case(lambda x, low, high: np.where(x > 0, x, x * low), lambda m: [(m.away(3, 4), 0.25, 0.25)], FLOAT),
    "gumbel_softmax": Case(
        lambda x, tau, hard: np.eye(5)[[1, 3]],
        lambda m: [((np.eye(5)[[1, 3]] * 1000).astype(m.np), 0.5, True)],
        FLOAT,
        0,
        tolerance={"float16": (0, 1e-3), "bfloat16": (0, 1e-2)},
        note="every call draws anew: its gradient has a test of its own",
    ),
    **dict.fromkeys(("dropout1d", "dropout2d", "dropout3d"), DRAWN_CASE),
}
