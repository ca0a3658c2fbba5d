"""Parameter groups: what an optimizer is given, checked and made uniform."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ms_kernels import Parameter, Tensor
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.lr_schedule import LearningRateSchedule

__all__ = ["Group", "parse"]

_KEYS = ["params", "lr", "weight_decay", "order_params", "grad_centralization"]


@dataclass(eq=False)
class Group:
    """Parameters that share their settings; `lr` is a float, an array with one number per step, or a schedule."""

    params: list[Parameter]
    lr: Any
    weight_decay: Any
    own_lr: bool = False
    centralize: bool = False
    from_dict: bool = False


def parse(name: str, parameters: Any, lr: Any, weight_decay: Any) -> tuple[list[Group], list[Parameter] | None]:
    """The groups of an optimizer called `name`, and the order of their parameters when one is asked for."""
    if not isinstance(parameters, Iterable):
        fail(TypeError, "Optimizer", "argument parameters", "be Iterable type", str(type(parameters)))
    items = list(parameters)
    if not items:
        raise ValueError("For 'Optimizer', the argument parameters must not be empty.")
    if not all(isinstance(item, dict) for item in items) and not all(isinstance(item, Parameter) for item in items):
        raise TypeError(
            "For 'Optimizer', all elements of the argument 'parameters' must be 'Parameter' or 'dict', "
            "please check the 'parameters'."
        )
    lr, weight_decay = _lr(name, lr), _decay(name, weight_decay)
    if isinstance(items[0], Parameter):
        groups, order = [Group(items, lr, weight_decay)], None
    else:
        groups, order = _from_dicts(name, items, lr, weight_decay)
    names: set[str] = set()
    for param in (param for group in groups for param in group.params):
        if param.name in names:
            raise ValueError(
                f"The value {param} , its name '{param.name}' already exists. "
                "Please set a unique name for the parameter."
            )
        names.add(param.name)
    return groups, order


def _from_dicts(
    name: str, items: list[dict[str, Any]], lr: Any, weight_decay: Any
) -> tuple[list[Group], list[Parameter] | None]:
    groups: list[Group] = []
    order: list[Parameter] | None = None
    seen: set[int] = set()
    for item in items:
        for key in item:
            if key not in _KEYS:
                raise KeyError(
                    f"For 'Optimizer', the key in group params must be one of in {_KEYS}, but got {list(item)}."
                )
        if "order_params" in item:
            if len(item) > 1:
                raise ValueError("For 'Optimizer', a dict with 'order_params' must have no other key.")
            order = list(item["order_params"])
            continue
        params = list(item["params"])
        if not params:
            raise ValueError("For 'Optimizer', the argument group `params` must not be empty.")
        for param in params:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"For 'Optimizer', the element in group `params` must be Parameter, but got {type(param)}."
                )
            if id(param) in seen:
                raise RuntimeError(
                    f"For 'Optimizer', the {param.name} parameter already exists, "
                    "it does not support repeated setting. "
                    "Please check whether the optimizer parameter has been set multiple times."
                )
            seen.add(id(param))
        centralize = item.get("grad_centralization", False)
        if not isinstance(centralize, bool):
            fail(TypeError, "Optimizer", "'grad_centralization'", "be a bool", type(centralize).__name__)
        groups.append(
            Group(
                params,
                _lr(name, item["lr"]) if "lr" in item else lr,
                _decay(name, item["weight_decay"]) if "weight_decay" in item else weight_decay,
                "lr" in item,
                centralize,
                True,
            )
        )
    if order is not None and {id(param) for param in order} != seen:
        raise ValueError("For 'Optimizer', the parameters in 'order_params' must be those of all groups.")
    return groups, order


def _lr(name: str, lr: Any) -> Any:
    """A learning rate as a float, a float32 array or a schedule."""
    if isinstance(lr, (int, float)) and not isinstance(lr, bool):
        return _check.real(name, "learning rate", lr, least=0)
    if isinstance(lr, Tensor) and lr.ndim == 0:
        return _check.real(name, "learning rate", float(lr.asnumpy()), least=0)
    if isinstance(lr, Tensor) and lr.ndim == 1:
        lr = lr.asnumpy()
    if isinstance(lr, LearningRateSchedule):
        return lr
    if isinstance(lr, Iterable) and not isinstance(lr, (str, bytes, Tensor, dict)):
        return np.array([_check.real(name, "learning rate", float(item), least=0) for item in lr], np.float32)
    kinds = "int, float, Tensor, Iterable or LearningRateSchedule"
    return fail(TypeError, "Optimizer", "argument 'learning_rate'", f"be {kinds}", str(type(lr)))


def _decay(name: str, weight_decay: Any) -> Any:
    """A weight decay as a float or a Cell."""
    if isinstance(weight_decay, (int, float)) and not isinstance(weight_decay, bool):
        return _check.real(name, "weight_decay", weight_decay, least=0)
    if isinstance(weight_decay, Cell):
        return weight_decay
    raise TypeError(
        f"For 'Optimizer', the argument 'Weight_decay' must be int, float or Cell.but got {type(weight_decay)}"
    )
