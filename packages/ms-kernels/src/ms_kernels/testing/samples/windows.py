"""Cases of ms_kernels.ops.windows."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import from_array
from ms_kernels.testing.case import ALL, FLOAT, Case

__all__ = ["CASES"]


def _periodic(function: Any) -> Any:
    def oracle(length: Any, periodic: bool = True, *rest: Any) -> Any:
        count = int(length.item()) if hasattr(length, "item") else length
        if count < 2:
            return np.ones(count)
        return function(count + 1, *rest)[:-1] if periodic else function(count, *rest)

    return oracle


def _window(function: Any, tensor: bool) -> Case:
    def inputs(_: Any) -> Any:
        length = (lambda n: from_array(np.asarray(n))) if tensor else int
        kinds = (mstype.float16, mstype.float32, mstype.float64)
        return [(length(6),), (length(5), False), (length(1),), (length(0),), *((length(4), True, k) for k in kinds)]

    return Case(_periodic(lambda n, *_: function(n)), inputs, ("float32",), grad=0)


def _hamming(count: int, alpha: float = 0.54, beta: float = 0.46, _dtype: Any = None) -> Any:
    return alpha - beta * np.cos(2 * np.pi * np.arange(count) / (count - 1))


def _reverse(x: Any, lengths: Any, seq_dim: int, batch_dim: int = 0) -> Any:
    out = np.moveaxis(x, (batch_dim, seq_dim), (0, 1)).copy()
    for row, n in zip(out, lengths):
        row[:n] = row[:n][::-1].copy()
    return np.moveaxis(out, (0, 1), (batch_dim, seq_dim))


def _mask(lengths: Any, maxlen: Any = None) -> Any:
    size = int(max(lengths.max(), 0)) if maxlen is None else maxlen
    return np.array([[i < n for i in range(size)] for n in lengths.reshape(-1)]).reshape(*lengths.shape, size)


def _tensors(*numbers: float) -> Any:
    return tuple(from_array(np.array(n, np.float32)) for n in numbers)


SIDES = [(3, 4), (4, 3, -1), (3, 3, 1, mstype.int32), (0, 2)]
CASES = {
    "hann_window": _window(np.hanning, False),
    "blackman_window": _window(np.blackman, True),
    "bartlett_window": _window(np.bartlett, True),
    "hamming_window": Case(
        _periodic(_hamming),
        lambda m: [(6,), (5, False), (1,), (0,), (4, True, 0.6, 0.4), (4, True, 0.5, 0.5, mstype.float64)],
        ("float32",),
        grad=0,
    ),
    "kaiser_window": Case(
        _periodic(lambda n, beta=12.0, _dtype=None: np.kaiser(n, beta)),
        lambda m: [(6,), (5, False), (1,), (4, True, 3.0), (4, True, 12.0, mstype.float32)],
        ("float32",),
        grad=0,
    ),
    "logspace": Case(
        lambda a, b, n, base=10, _dtype=None: float(base) ** np.linspace(float(a.item()), float(b.item()), n),
        lambda m: [
            (*_tensors(1, 3), 5),
            (*_tensors(0, -2), 3, 2),
            (*_tensors(1, 3), 1),
            (*_tensors(0, 1), 4, 3, mstype.float64),
        ],
        ("float32",),
        grad=0,
    ),
    "tril_indices": Case(
        lambda r, c, k=0, _dtype=None: np.stack(np.tril_indices(r, k, c)), lambda m: SIDES, ("int64",), grad=0
    ),
    "triu_indices": Case(
        lambda r, c, k=0, _dtype=None: np.stack(np.triu_indices(r, k, c)), lambda m: SIDES, ("int64",), grad=0
    ),
    "sequence_mask": Case(
        _mask,
        lambda m: [(m.ints(4, low=1, high=5),), (m.ints(2, 3), 4), (m.ints(2, dtype=np.int32), 2)],
        ("int64",),
        grad=0,
    ),
    "reverse_sequence": Case(
        _reverse,
        lambda m: [(m(3, 4), np.array([0, 4, 2]), 1), (m(3, 2, 4), np.array([1, 3, 2, 0]), 0, 2)],
        ALL,
    ),
    "empty": Case(
        lambda size, _dtype=None: np.zeros(size), lambda m: [((0, 3),), ((2, 0), mstype.int32)], ("float32",), grad=0
    ),
    "empty_like": Case(lambda x, _dtype=None: x, lambda m: [(m(0, 2),), (m(2, 0), mstype.bool_)], ALL, grad=0),
    "vander": Case(
        np.vander, lambda m: [(m(4),), (m(3), 2), (m(2), 1)], (*FLOAT, "int32"), tolerance={"bfloat16": (6e-2, 3e-2)}
    ),
}
