"""Cases of ms_kernels.ops.getitem."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import ALL, NUMBER, Case, Maker

__all__ = ["CASES"]


def _keys(m: Maker) -> list[Any]:
    return [
        (0,),
        (slice(None, None, -2),),
        (Ellipsis, 1),
        (None, slice(0, 0)),
        (slice(None), m.ints(2, 2, high=3)),
        (m.ints(4, low=-3, high=3), m.ints(4, high=4)),
        (m.bools(3, 4),),
        (m.ints(2, high=3), slice(1, 3)),
    ]


def _put(x: Any, key: Any, shape: Any) -> Any:
    out = np.zeros(shape, x.dtype)
    np.add.at(out, key, x)
    return out


def _set(x: Any, key: Any, value: Any) -> Any:
    out = x.copy()
    out[key] = value
    return out


CASES = {
    "take_key": Case(lambda x, key: x[key], lambda m: [(m(3, 4), key) for key in _keys(m)], ALL),
    "put_key": Case(
        _put,
        lambda m: [(m(*np.empty((3, 4))[key].shape), key, (3, 4)) for key in _keys(m)],
        (*NUMBER,),
    ),
    "set_key": Case(
        _set,
        lambda m: (
            [(m(3, 4), key, m()) for key in (*_keys(m)[:4], _keys(m)[6])]
            + [(m(3, 4), (1,), m(4)), (m(3, 4), (1,), m(1))]
        ),
        ALL,
    ),
}
