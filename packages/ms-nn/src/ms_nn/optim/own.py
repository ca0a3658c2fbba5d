"""What optimizers of users need beside `Optimizer`: `mindspore.nn.optim.optimizer.opt_init_args_register`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["opt_init_args_register"]


def opt_init_args_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Let an optimizer's `__init__` note its arguments, defaults included, before it runs.

    `init_params` holds "params", `init_learning_rate` the learning rate, `init_args` all others.

    >>> class Own:
    ...     @opt_init_args_register
    ...     def __init__(self, params, learning_rate=0.1, beta=0.9): pass
    >>> Own([], 0.5).init_args, Own([]).init_learning_rate
    ({'beta': 0.9}, 0.1)
    """
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def noting(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        if "params" in given:
            object.__setattr__(self, "init_params", {"params": given.pop("params")})
        if "learning_rate" in given:
            object.__setattr__(self, "init_learning_rate", given.pop("learning_rate"))
        object.__setattr__(self, "init_args", given)
        fn(self, *args, **kwargs)

    return noting
