"""Changing parameters in place: the arrays behind them, and the rules run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["Array", "advance", "run_fused", "run_rule", "writable"]

Array = np.ndarray[Any, Any]


def writable(param: Any) -> Array:
    """The array of a parameter, to be changed in place."""
    array: Array = param._a
    if not array.flags.writeable:
        array = array.copy()
        param._set(array)
    return array


def advance(param: Any, rule: Callable[[Array], Any]) -> Array:
    """Replace the values of a small parameter, a counter or a power, by ``rule(values)``; returns them."""
    array = writable(param)
    array[...] = rule(array)
    param._touch()
    return array


def run_fused(fn: Callable[..., None], params: Sequence[Any], grads: list[Array], *states: Any, **numbers: Any) -> None:
    """Run one of ``ms_kernels.loops.optim`` over many parameters and their states at once."""
    fn(
        [writable(param) for param in params],
        grads,
        *([writable(item) for item in state] for state in states),
        **numbers,
    )
    for many in (params, *states):
        for item in many:
            item._touch()


def run_rule(rule: Callable[..., None], items: Iterable[Any], grad: Array) -> None:
    """Run ``rule(p, g, *states)`` over one parameter and its states; 16-bit ones are computed in float32."""
    own = list(items)
    stored = [writable(item) for item in own]
    narrow = stored[0].dtype.itemsize < 4
    work = [array.astype(np.float32) for array in stored] if narrow else stored
    rule(work[0], grad.astype(work[0].dtype, copy=False), *work[1:])
    for item, array, result in zip(own, stored, work):
        if narrow:
            array[...] = result
        item._touch()
