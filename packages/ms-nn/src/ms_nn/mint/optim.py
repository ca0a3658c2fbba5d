"""Optimizers of ``mindspore.mint.optim``: settings live in `param_groups`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from ms_kernels import Parameter, ParameterTuple, Tensor
from ms_kernels.core.dispatch import effect
from ms_kernels.loops import optim as fused
from ms_kernels.opdef.errors import fail
from ms_nn.cell import Cell
from ms_nn.optim._inplace import Array, advance, run_fused

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]


class Optimizer(Cell):
    """Base of the optimizers whose settings are in `param_groups` (``mindspore.experimental.optim.Optimizer``).

    Args:
        params: a list of Parameters, or of dicts with "params" and settings that differ from `defaults`.
        defaults: the settings.

    Raises:
        TypeError, ValueError: no Parameters, none at all, or one in two groups.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        self.defaults = defaults
        self.state: Any = defaultdict(dict)
        items: list[Any] = [params] if isinstance(params, (Parameter, dict)) else list(params)
        if not items:
            raise ValueError("For 'Optimizer', the argument params must not be empty.")
        if not isinstance(items[0], dict):
            items = [{"params": items}]
        self.param_groups: list[dict[str, Any]] = []
        self._shown_rates: list[float] = []
        for item in items:
            self.add_param_group(item)
        self.parameters = ParameterTuple([param for group in self.param_groups for param in group["params"]])

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group: {"params": [...], setting: value, ...}."""
        if not isinstance(param_group, dict):
            fail(TypeError, "Optimizer", "'param_group'", "be a dict", type(param_group).__name__)
        members = param_group["params"]
        members = [members] if isinstance(members, Parameter) else list(members)
        if not members:
            raise ValueError("For 'Optimizer', the argument params must not be empty.")
        taken = {id(param) for group in self.param_groups for param in group["params"]}
        for param in members:
            if not isinstance(param, Parameter):
                fail(TypeError, "Optimizer", "element of 'params'", "be Parameter", type(param).__name__)
            if id(param) in taken:
                fail(ValueError, "Optimizer", "parameter", "be in one group only", param.name)
            taken.add(id(param))
        group = {"params": members, **self.defaults, **{k: v for k, v in param_group.items() if k != "params"}}
        number = len(self.param_groups)
        rate = float(group["lr"])
        group["lr"] = Parameter(Tensor(np.array(rate, np.float32)), name=f"learning_rate_group_{number}")
        self._shown_rates.append(rate)
        self.param_groups.append(group)

    def _memory(self, prefix: str, params: Any = None) -> ParameterTuple:
        many = self.parameters if params is None else params
        return ParameterTuple([Parameter(Tensor(np.zeros(p.shape, p._kind)), name=f"{prefix}.{p.name}") for p in many])

    def construct(self, gradients: Any) -> bool:
        """Take a step with a tuple of gradients, one for each parameter; returns True.

        Raises:
            TypeError, ValueError: the gradients do not fit the parameters.
        """
        name = type(self).__name__
        if not isinstance(gradients, (tuple, list)):
            fail(TypeError, name, "'gradients'", "be a tuple of Tensors", type(gradients).__name__)
        if len(gradients) != len(self.parameters):
            fail(ValueError, name, "number of 'gradients'", f"be {len(self.parameters)}", str(len(gradients)))
        for grad, param in zip(gradients, self.parameters):
            if not isinstance(grad, Tensor) or grad.shape != param.shape:
                got = list(grad.shape) if isinstance(grad, Tensor) else type(grad).__name__
                fail(
                    ValueError,
                    name,
                    f"gradient of '{param.name}'",
                    f"be a Tensor of shape {list(param.shape)}",
                    str(got),
                )
        effect(self._step, *gradients)
        return True

    def _step(self, *gradients: Tensor) -> None:
        """Change parameters and states by the checked gradients."""
        self._begin_step()
        start = 0
        for group in self.param_groups:
            end = start + len(group["params"])
            self._update(slice(start, end), [grad._a for grad in gradients[start:end]], group, float(self._rate(group)))
            start = end

    @staticmethod
    def _rate(group: dict[str, Any]) -> Any:
        lr = group["lr"]
        return lr._a if isinstance(lr, Tensor) else lr

    def _begin_step(self) -> None:
        """Count the step; subclasses do."""

    def _update(self, places: slice, grads: list[Array], group: dict[str, Any], lr: float) -> None:
        """Update a group, whose parameters have these places among all; subclasses do."""
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            shown = {**group, "lr": self._shown_rates[i] if isinstance(group["lr"], Parameter) else group["lr"]}
            lines += [f"    {key}: {shown[key]}" for key in sorted(shown) if key != "params"]
        return "\n".join([*lines, ")"])


def _check_rate(name: str, lr: Any) -> None:
    if isinstance(lr, bool) or (not isinstance(lr, (float, Tensor)) and not (isinstance(lr, int) and name == "SGD")):
        fail(TypeError, name, "type of 'lr'", "be 'float'", f"type '{type(lr).__name__}'")
    if float(lr._a if isinstance(lr, Tensor) else lr) < 0:
        raise ValueError(f"Invalid learning rate: {lr}")


class SGD(Optimizer):
    """Gradient descent (``mindspore.mint.optim.SGD``).

    Args:
        params: see `Optimizer`.
        lr: not below 0.
        momentum, dampening, weight_decay, nesterov: as `ms_nn.SGD`.
        maximize: go up in place of down.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> SGD([w], 0.5)((Tensor([1.0]),))
    True
    >>> print(w.asnumpy())
    [0.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        _check_rate("SGD", lr)
        for arg, value in (("momentum", momentum), ("weight_decay", weight_decay)):
            if value < 0:
                raise ValueError(f"Invalid {arg} value: {value}")
        if nesterov and not (momentum > 0 and dampening == 0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
                f"but got 'momentum' {momentum}, 'dampening' {dampening}"
            )
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "weight_decay": float(weight_decay),
                "dampening": dampening,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )
        for group, rate in zip(self.param_groups, self._shown_rates):
            group["lr_float"] = rate
        self.accum = self._memory("momentum_buf")
        self.step_t = Parameter(Tensor(np.array(0, np.int32)), name="step_t")

    def _begin_step(self) -> None:
        advance(self.step_t, lambda old: old + 1)

    def _update(self, places: slice, grads: list[Array], group: dict[str, Any], lr: float) -> None:
        numbers = {"lr": lr, "weight_decay": group["weight_decay"], "grad_scale": -1.0 if group["maximize"] else 1.0}
        if not group["momentum"]:
            run_fused(fused.sgd, group["params"], grads, **numbers)
            return
        first = int(self.step_t._a) == 1  # the velocity starts at the whole first gradient
        numbers.update(momentum=group["momentum"], dampening=0.0 if first else group["dampening"])
        run_fused(fused.sgd, group["params"], grads, self.accum[places], nesterov=group["nesterov"], **numbers)


class Adam(Optimizer):
    """Adam (``mindspore.mint.optim.Adam``).

    p = p - lr * m' / (sqrt(v') + eps) with the moments corrected for their bias.

    Args:
        params: see `Optimizer`.
        lr: not below 0.
        betas: how much of the old means stays.
        eps: not below 0.
        weight_decay: added to the gradient, times the parameter.
        amsgrad: divide by the greatest v so far.
        maximize: go up in place of down.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> Adam([w], 0.5)((Tensor([3.0]),))
    True
    >>> print(w.asnumpy().round(4))
    [0.5]
    """

    _decoupled = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: Any = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        _check_rate(type(self).__name__, lr)
        if eps < 0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        if weight_decay < 0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )
        self.exp_avg = self._memory("exp_avg")
        self.exp_avg_sq = self._memory("exp_avg_sq")
        for group in self.param_groups:
            if group["amsgrad"]:
                group["max_exp_avg_sq"] = self._memory("max_exp_avg_sq", group["params"])
        self.state_step = Parameter(Tensor(np.zeros(1, np.float32)), name="state_step")

    def _begin_step(self) -> None:
        advance(self.state_step, lambda old: old + 1)

    def _update(self, places: slice, grads: list[Array], group: dict[str, Any], lr: float) -> None:
        beta1, beta2 = group["betas"]
        step = float(self.state_step._a[0])
        numbers = {
            "lr": lr,
            "beta1": beta1,
            "beta2": beta2,
            "beta1_power": beta1**step,
            "beta2_power": beta2**step,
            "weight_decay": group["weight_decay"],
            "grad_scale": -1.0 if group["maximize"] else 1.0,
            "eps": group["eps"] * (1.0 if self._decoupled else (1 - beta2**step) ** 0.5),
        }
        states = [self.exp_avg[places], self.exp_avg_sq[places]]
        if group["amsgrad"]:
            states.append(group["max_exp_avg_sq"])
        run_fused(self._rule, group["params"], grads, *states, **numbers)

    def _rule(self, params: Any, grads: Any, m: Any, v: Any, top: Any = None, **numbers: Any) -> None:
        (fused.adamw if self._decoupled else fused.adam)(params, grads, m, v, vhat=top, **numbers)


class AdamW(Adam):
    """Adam with the weight decay kept out of the moments (``mindspore.mint.optim.AdamW``); arguments as `Adam`.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0]), name="w")
    >>> AdamW([w], 0.1, weight_decay=0.5)((Tensor([0.0]),))
    True
    >>> print(w.asnumpy())
    [0.95]
    """

    _decoupled = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: Any = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)
