"""`Optimizer`: parameters and their groups, learning rates, weight decay and loss scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Parameter, ParameterTuple, Tensor
from ms_kernels import functional as F
from ms_kernels.core.dispatch import effect
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.containers import CellList
from ms_nn.lr_schedule import LearningRateSchedule
from ms_nn.optim._groups import Group, parse
from ms_nn.optim._inplace import Array, advance, run_fused, run_rule

__all__ = ["Optimizer"]


class _IteratorLearningRate(LearningRateSchedule):
    """A list of learning rates, one for each step."""

    def __init__(self, learning_rate: Array, name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(Tensor(learning_rate), name=name)

    def construct(self, global_step: Any) -> Any:
        """The step's learning rate."""
        rates, step = self.learning_rate._a, int(global_step._a.reshape(-1)[0])
        if not step < len(rates):
            fail(RuntimeError, "Optimizer", "number of steps", f"be at most {len(rates)}, as many as learning rates")
        return Tensor(rates[step])


class _ConvertToCell(LearningRateSchedule):
    """A fixed learning rate among dynamic ones."""

    def __init__(self, learning_rate: Parameter) -> None:
        super().__init__()
        self.learning_rate = learning_rate

    def construct(self, global_step: Any) -> Any:
        """The learning rate."""
        return self.learning_rate + 0.0


class _WrappedWeightDecay(Cell):
    """A weight decay that depends on the step, times the loss scale."""

    def __init__(self, weight_decay: Any, loss_scale: float) -> None:
        super().__init__()
        self.weight_decay = weight_decay
        self._scale = loss_scale

    def construct(self, global_step: Any) -> Any:
        """The step's weight decay."""
        found = (
            self.weight_decay(global_step)
            if isinstance(self.weight_decay, Cell)
            else Tensor(self.weight_decay, mstype.float32)
        )
        return found * self._scale


class Optimizer(Cell):
    """Base of the optimizers (``mindspore.nn.Optimizer``).

    An optimizer is called with a tuple of gradients, one for each of `parameters` in their order, and changes the
    parameters in place.

    Args:
        learning_rate: a number; a list, tuple or 1-D Tensor with one number per step; or a LearningRateSchedule.
        parameters: a list of Parameters, or of groups: dicts with "params" and, as it may be, "lr", "weight_decay",
            "grad_centralization"; one dict may hold "order_params", all parameters in the order of the gradients.
        weight_decay: a number not below 0, or a Cell that gives one for a step. Parameters with "beta" or "gamma" in
            their names are left out, except in groups.
        loss_scale: the gradients are divided by it.

    Raises:
        TypeError, ValueError, KeyError, RuntimeError: an argument of the wrong type or out of range; unknown keys in a
            group; a parameter in two groups; two parameters of one name.
    """

    def __init__(self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0) -> None:
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        self.loss_scale = _check.real(name, "loss_scale", loss_scale, above=0)
        groups, order = parse(name, parameters, learning_rate, weight_decay)
        self.is_group = bool(groups) and groups[0].from_dict
        self.is_group_lr = any(group.own_lr for group in groups)
        self.is_group_params_ordered = order is not None
        members = [(param, group) for group in groups for param in group.params]
        if order is not None:
            by_id = {id(param): group for param, group in members}
            members = [(param, by_id[id(param)]) for param in order]
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        self.global_step_increase_tensor = Tensor(np.ones(1, np.int32))
        self._set_learning_rates(groups, members)
        self.parameters = ParameterTuple([param for param, _ in members])
        self._set_weight_decay(members)
        self.grad_centralization = any(group.centralize for group in groups)
        self.grad_centralization_flags = tuple(group.centralize for _, group in members)
        self.param_length = len(self.parameters)
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = 1.0 / self.loss_scale

    # -- construction -------------------------------------------------------------------------------------------------

    def _set_learning_rates(self, groups: list[Group], members: list[tuple[Parameter, Group]]) -> None:
        """Register `learning_rate`: a Parameter, a schedule, or one of them for each parameter."""
        self.dynamic_lr = any(not isinstance(group.lr, float) for group in groups)
        default = next((group for group in groups if not group.own_lr), None)
        made: dict[int, Any] = {}
        shared: Any = None
        for i, group in enumerate(groups):
            if group.own_lr:
                made[id(group)] = self._single_lr(group.lr, f"learning_rate_group_{i}")
            else:
                shared = self._single_lr(group.lr, "learning_rate") if shared is None else shared
                made[id(group)] = shared
        if not self.is_group_lr:
            self.learning_rate = made[id(default)]
            return
        rates = [made[id(group)] for _, group in members]
        if self.dynamic_lr:
            cells = {id(rate): rate if isinstance(rate, Cell) else _ConvertToCell(rate) for rate in rates}
            self.learning_rate = CellList([cells[id(rate)] for rate in rates], auto_prefix=False)
        else:
            for rate in {id(rate): rate for rate in rates if rate is not shared}.values():
                self.insert_param_to_cell(rate.name, rate)
            self._params_list["learning_rate"] = tuple(rates)
        self._rates = rates

    def _single_lr(self, lr: Any, name: str) -> Any:
        if isinstance(lr, float):
            return Parameter(Tensor(np.array(lr, np.float32)), name=name)
        return lr if isinstance(lr, Cell) else _IteratorLearningRate(lr, name)

    def _set_weight_decay(self, members: list[tuple[Parameter, Group]]) -> None:
        decays = []
        for param, group in members:
            skip = not self.is_group and ("beta" in param.name or "gamma" in param.name)
            decays.append(0.0 if skip else group.weight_decay)
        self.dynamic_weight_decay = any(isinstance(decay, Cell) for decay in decays)
        self.decay_flags = tuple(isinstance(decay, Cell) or decay > 0 for decay in decays)
        self.exec_weight_decay = any(self.decay_flags)
        self._decays = tuple(0.0 if isinstance(decay, Cell) else decay for decay in decays)
        if not self.dynamic_weight_decay:
            self.weight_decay: Any = self.get_weight_decay()
            return
        wrapped = {id(d): _WrappedWeightDecay(d, self.loss_scale) for d in decays}
        cells = [wrapped[id(decay)] for decay in decays]
        one = next(cell for cell, decay in zip(cells, decays) if isinstance(decay, Cell))
        self.weight_decay = CellList(cells, auto_prefix=False) if self.is_group else one
        self.__dict__["_decay_cells"] = [
            cell if isinstance(decay, Cell) else None for cell, decay in zip(cells, decays)
        ]

    def state(self, prefix: str, init: float = 0.0, params: Any = None) -> ParameterTuple:
        """A Parameter of each parameter's shape and dtype, named `prefix`.name, for an optimizer's own memory."""
        made = []
        for param in self.parameters if params is None else params:
            first = np.zeros(param.shape, param._kind)
            if init:
                first[...] = init
            made.append(Parameter(Tensor(first), name=f"{prefix}.{param.name}"))
        return ParameterTuple(made)

    # -- for subclasses ------------------------------------------------------------------------------------------------

    @property
    def unique(self) -> bool:
        """Kept for 2.6's sake: sparse gradients are made unique; there are none here."""
        return True

    @property
    def target(self) -> str:
        """Where the update runs."""
        return "CPU"

    def get_lr(self) -> Any:
        """The learning rate of the coming step: a Parameter or Tensor, or a tuple with one for each parameter."""
        if not self.is_group_lr:
            rate = self.learning_rate
            return rate(self.global_step).reshape(()) if isinstance(rate, Cell) else rate
        if not self.dynamic_lr:
            return tuple(self._rates)
        return tuple(cell(self.global_step).reshape(()) for cell in self.learning_rate)

    def get_lr_parameter(self, param: Any) -> Any:
        """The learning rate, as it is registered, of a Parameter or of each of a list of them.

        Raises:
            TypeError: something else is asked for.
        """
        asked = [param] if isinstance(param, Parameter) else list(param) if isinstance(param, (list, tuple)) else [None]
        for item in asked:
            if not isinstance(item, Parameter):
                fail(
                    TypeError,
                    "get_lr_parameter",
                    "'param'",
                    "be 'Parameter' or list of 'Parameter'",
                    type(item).__name__,
                )
        places = {id(own): i for i, own in enumerate(self.parameters)}
        rates = list(self.learning_rate) if self.is_group_lr else [self.learning_rate] * self.param_length
        found = [rates[places[id(item)]] if id(item) in places else None for item in asked]
        return found[0] if isinstance(param, Parameter) else found

    def get_weight_decay(self) -> Any:
        """The weight decay of the coming step, times the loss scale; in groups one per parameter."""
        values = [Tensor(decay * self.loss_scale, mstype.float32) for decay in self._weight_decays()]
        if self.is_group:
            return tuple(values)
        return max(values, key=lambda value: float(value._a))

    def decay_weight(self, gradients: Any) -> Any:
        """The gradients with the weight decay added."""
        if not self.exec_weight_decay:
            return gradients
        return tuple(
            grad + param * (decay * self.loss_scale) if decay else grad
            for grad, param, decay in zip(gradients, self.parameters, self._weight_decays())
        )

    def scale_grad(self, gradients: Any) -> Any:
        """The gradients divided by the loss scale."""
        return tuple(grad * self.reciprocal_scale for grad in gradients) if self.need_scale else gradients

    def gradients_centralization(self, gradients: Any) -> Any:
        """The gradients of convolutions in groups with "grad_centralization", less their mean."""
        return tuple(
            grad - F.mean(grad, tuple(range(1, grad.ndim)), True) if flag and grad.ndim > 3 else grad
            for grad, flag in zip(gradients, self.grad_centralization_flags)
        )

    def flatten_gradients(self, gradients: Any) -> Any:
        """The gradients themselves: parameters are never laid flat here."""
        return gradients

    def assignadd(self, param: Parameter, value: Any) -> Parameter:
        """Add to a parameter in place; 2.6's optimizers count their steps with it."""
        advance(param, lambda array: array + value._a)
        return param

    # -- the step -----------------------------------------------------------------------------------------------------

    def construct(self, gradients: Any) -> Any:
        """Take a step; returns a tuple of True, one for each parameter.

        Raises:
            TypeError: the gradients are no tuple or list of Tensors.
            ValueError: their number or a shape differs from the parameters'.
        """
        self._check_gradients(gradients)
        if self.grad_centralization:
            gradients = self.gradients_centralization(gradients)
        effect(self._step, *gradients)
        return (True,) * self.param_length

    def _step(self, *gradients: Tensor) -> None:
        """Change parameters and states by the checked gradients."""
        lrs = self._learning_rates()
        self._update([grad._a for grad in gradients], lrs, self._weight_decays())
        self.assignadd(self.global_step, self.global_step_increase_tensor)

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        """Change the parameters; subclasses define it."""
        raise NotImplementedError(f"For '{type(self).__name__}', the method 'construct' or '_update' must be defined.")

    def _fused(
        self,
        fn: Callable[..., None],
        grads: list[Array],
        lrs: Sequence[float],
        decays: Sequence[float],
        states: Sequence[Any],
        **numbers: Any,
    ) -> None:
        """Run a fused rule once for all parameters that share learning rate and weight decay."""
        shared: dict[tuple[float, float], list[int]] = {}
        for i, key in enumerate(zip(lrs, decays)):
            shared.setdefault(key, []).append(i)
        for (lr, decay), places in shared.items():
            everything = len(places) == self.param_length
            params, *own = (many if everything else [many[i] for i in places] for many in (self.parameters, *states))
            some = grads if everything else [grads[i] for i in places]
            run_fused(fn, params, some, *own, lr=lr, weight_decay=decay, grad_scale=self.reciprocal_scale, **numbers)

    def _apply(
        self,
        rule: Callable[..., None],
        grads: list[Array],
        lrs: Sequence[float],
        decays: Sequence[float],
        states: Sequence[Any],
        *numbers: Any,
    ) -> None:
        """Run ``rule(p, g, *states, lr, *numbers)`` for one parameter after the other."""
        for i, param in enumerate(self.parameters):
            step = partial(_adjusted, rule, self.reciprocal_scale, decays[i], (lrs[i], *numbers))
            run_rule(step, [param, *(state[i] for state in states)], grads[i])

    def _check_gradients(self, gradients: Any) -> None:
        name = type(self).__name__
        if not isinstance(gradients, (tuple, list)):
            fail(TypeError, name, "'gradients'", "be a tuple of Tensors", type(gradients).__name__)
        if len(gradients) != self.param_length:
            fail(
                ValueError,
                name,
                "number of 'gradients'",
                f"be {self.param_length}, as of the parameters",
                str(len(gradients)),
            )
        for grad, param in zip(gradients, self.parameters):
            if not isinstance(grad, Tensor):
                fail(TypeError, name, f"gradient of '{param.name}'", "be a Tensor", type(grad).__name__)
            if grad.shape != param.shape:
                fail(
                    ValueError,
                    name,
                    f"shape of the gradient of '{param.name}'",
                    f"be {list(param.shape)}",
                    str(list(grad.shape)),
                )

    def _learning_rates(self) -> list[float]:
        found = self.get_lr()
        if isinstance(found, tuple):
            return [float(rate._a) for rate in found]
        return [float(found._a)] * self.param_length

    def _weight_decays(self) -> tuple[float, ...]:
        if not self.dynamic_weight_decay:
            return self._decays
        return tuple(
            fixed if cell is None else float(cell(self.global_step)._a.reshape(-1)[0]) / self.loss_scale
            for cell, fixed in zip(self.__dict__["_decay_cells"], self._decays)
        )


def _adjusted(rule: Any, scale: float, decay: float, numbers: tuple[Any, ...], p: Array, g: Array, *own: Array) -> None:
    """Run a rule on a gradient that is scaled and has the weight decay added."""
    g = g * scale if scale != 1.0 else g
    rule(p, g + p * decay if decay else g, *own, *numbers)
