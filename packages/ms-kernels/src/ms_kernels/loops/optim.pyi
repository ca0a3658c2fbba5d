from collections.abc import Sequence
from typing import Any

import numpy as np

_Arrays = Sequence[np.ndarray[Any, np.dtype[Any]]]

# fmt: off
def adam(
    params: _Arrays, grads: _Arrays, m: _Arrays, v: _Arrays, *, lr: float, beta1: float = 0.9, beta2: float = 0.999,
    eps: float = 1e-8, beta1_power: float = 0.0, beta2_power: float = 0.0, weight_decay: float = 0.0,
    nesterov: bool = False, vhat: _Arrays | None = None, grad_scale: float = 1.0,
) -> None: ...
def adamw(
    params: _Arrays, grads: _Arrays, m: _Arrays, v: _Arrays, *, lr: float, beta1: float = 0.9, beta2: float = 0.999,
    eps: float = 1e-8, beta1_power: float = 0.0, beta2_power: float = 0.0, weight_decay: float = 0.01,
    vhat: _Arrays | None = None, maximize: bool = False, grad_scale: float = 1.0,
) -> None: ...
def sgd(
    params: _Arrays, grads: _Arrays, velocity: _Arrays | None = None, *, lr: float, momentum: float = 0.0,
    dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False, grad_scale: float = 1.0,
) -> None: ...
def adagrad(
    params: _Arrays, grads: _Arrays, accum: _Arrays, *, lr: float, eps: float = 0.0, weight_decay: float = 0.0,
    update_slots: bool = True, grad_scale: float = 1.0,
) -> None: ...
def rmsprop(
    params: _Arrays, grads: _Arrays, mean_square: _Arrays, moment: _Arrays, mean_grad: _Arrays | None = None, *,
    lr: float, decay: float = 0.9, momentum: float = 0.0, eps: float = 1e-10, weight_decay: float = 0.0,
    grad_scale: float = 1.0,
) -> None: ...
