"""Step sizes from the length of whole parameters: LARS and AdaFactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_kernels import Parameter, ParameterTuple, Tensor
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.optim import rules
from ms_nn.optim._inplace import Array, advance
from ms_nn.optim.base import Optimizer

__all__ = ["LARS", "AdaFactor"]


def _default_filter(param: Any) -> bool:
    return "LayerNorm" not in param.name and "bias" not in param.name


class LARS(Optimizer):
    """Gradients scaled to the length of their parameters, for another optimizer (``nn.LARS``; You et al. 2017).

    ratio = coefficient * |p| / (|g| + weight_decay * |p| + epsilon); the other optimizer gets ratio * (g + weight_decay
    * p) and adds no decay itself.

    Args:
        optimizer: what takes the step; its weight decay and learning rate are used.
        epsilon, coefficient: floats.
        use_clip: the ratio divided by the learning rate is at most 1.
        lars_filter: which parameters are treated so; by default those without "LayerNorm" and "bias" in their names.

    Raises:
        TypeError: an argument of the wrong type.

    >>> from ms_kernels import Parameter, Tensor
    >>> from ms_nn import SGD
    >>> w = Parameter(Tensor([3.0, 4.0]), name="w")
    >>> optimizer = LARS(SGD([w], 1.0), coefficient=0.1)
    >>> optimizer((Tensor([0.0, 10.0]),))
    (True,)
    >>> print(w.asnumpy().round(4))  # |p| = 5, |g| = 10
    [3.  3.5]
    """

    def __init__(
        self,
        optimizer: Any,
        epsilon: float = 1e-05,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Any], bool] = _default_filter,
    ) -> None:
        _check.instance("LARS", "optimizer", optimizer, Optimizer, "an Optimizer")
        super().__init__(0.0, [Parameter(Tensor(np.float32(0.0)), name="fake_param")])
        for arg, value in (("epsilon", epsilon), ("coefficient", coefficient)):
            if not isinstance(value, float):
                fail(TypeError, "LARS", f"type of '{arg}'", "be 'float'", f"type '{type(value).__name__}'")
        self.learning_rate.name = "fake_lr"
        self.epsilon, self.coefficient = epsilon, coefficient
        self.use_clip = _check.boolean("LARS", "use_clip", use_clip)
        self.opt = optimizer
        self.parameters = optimizer.parameters
        self.param_length = len(self.parameters)
        self.lars_flag = tuple(lars_filter(param) for param in self.parameters)
        # scale and decay belong before the ratio, so they move from the other optimizer to this one
        for moved in ("grad_centralization", "grad_centralization_flags", "loss_scale", "reciprocal_scale", "is_group"):
            setattr(self, moved, getattr(optimizer, moved))
        self._decays, self.dynamic_weight_decay = optimizer._decays, optimizer.dynamic_weight_decay
        self.__dict__["_decay_cells"] = optimizer.__dict__.get("_decay_cells")
        optimizer._decays, optimizer.dynamic_weight_decay = (0.0,) * self.param_length, False
        optimizer.reciprocal_scale = 1.0

    def _step(self, *gradients: Tensor) -> None:
        """Let the other optimizer take a step with the scaled gradients."""
        lrs, decays = self.opt._learning_rates(), self._weight_decays()
        scaled = []
        for param, grad, lr, decay, chosen in zip(self.parameters, gradients, lrs, decays, self.lars_flag):
            p, g = param._a.astype(np.float32), grad._a.astype(np.float32) * np.float32(self.reciprocal_scale)
            whole = g + np.float32(decay) * p
            scaled.append(self._ratio(p, g, decay, lr) * whole if chosen else whole)
        self.opt._step(*(Tensor(value.astype(grad._a.dtype)) for value, grad in zip(scaled, gradients)))
        self.assignadd(self.global_step, self.global_step_increase_tensor)

    def _ratio(self, p: Array, g: Array, decay: float, lr: float) -> Any:
        length, slope = float(np.linalg.norm(p)), float(np.linalg.norm(g))
        if not (length > 0 and slope > 0):
            return np.float32(1.0)
        ratio = self.coefficient * length / (slope + decay * length + self.epsilon)
        return np.float32(min(ratio / lr, 1.0) if self.use_clip else ratio)


class AdaFactor(Optimizer):
    """Adam whose second moments are products of rows and columns (``mindspore.nn.AdaFactor``; Shazeer and Stern 2018).

    Args:
        params, weight_decay, loss_scale: see `Optimizer`.
        learning_rate: a number for `relative_step` False, otherwise None.
        eps: (added to squared gradients, the least length of a parameter).
        clip_threshold: the step's root mean square is at most this.
        decay_rate: power of the step's number by which the second moments remember, in (0, 1).
        beta1: how much of the old step stays; 0 for none.
        scale_parameter: the learning rate is times the root mean square of the parameter.
        relative_step: the learning rate is 1 / sqrt(step), at most 0.01.
        warmup_init: it is at most 1e-6 * step; needs `relative_step`.
        compression: kept for 2.6's sake; moments have their parameter's dtype.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Parameter, Tensor
    >>> w = Parameter(Tensor([1.0, 1.0]), name="w")
    >>> optimizer = AdaFactor([w], beta1=0.0)
    >>> optimizer((Tensor([3.0, -3.0]),))
    (True,)
    >>> print(w.asnumpy().round(4))
    [0.99 1.01]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = None,
        eps: Any = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        name = "AdaFactor"
        if learning_rate is not None and relative_step:
            fail(ValueError, name, "'learning_rate'", "be None with 'relative_step'", str(learning_rate))
        if warmup_init and not relative_step:
            fail(ValueError, name, "'relative_step'", "be True for 'warmup_init'", str(relative_step))
        if learning_rate is None and not relative_step:
            fail(ValueError, name, "'learning_rate'", "be a number without 'relative_step'", "None")
        if not isinstance(eps, (list, tuple)) or len(eps) != 2:
            fail(ValueError, name, "'eps'", "be two numbers", str(eps))
        _check.real(name, "weight_decay", weight_decay, least=0)
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        self.eps = tuple(_check.real(name, "eps", item, least=0) for item in eps)
        self.clip_threshold = _check.real(name, "clip_threshold", clip_threshold, least=0)
        self.decay_rate = -_check.within(name, "decay_rate", decay_rate, 0, 1, "()")
        self.beta1 = _check.real(name, "beta1", beta1, least=0)
        self.scale_parameter = _check.boolean(name, "scale_parameter", scale_parameter)
        self.relative_step = _check.boolean(name, "relative_step", relative_step)
        self.warmup_init = _check.boolean(name, "warmup_init", warmup_init)
        self.compression = _check.boolean(name, "compression", compression)
        self.use_first_moment = self.beta1 > 0
        if self.use_first_moment:
            self.exp_avg = self.state("exp_avg")
        factored = [param.ndim >= 2 for param in self.parameters]
        rows = [param.shape[:-1] if two else (1,) for param, two in zip(self.parameters, factored)]
        columns = [(*p.shape[:-2], p.shape[-1]) if two else (1,) for p, two in zip(self.parameters, factored)]
        whole = [(1,) if two else param.shape for param, two in zip(self.parameters, factored)]
        self.exp_avg_sq_row = self._moments("exp_avg_sq_row", rows)
        self.exp_avg_sq_col = self._moments("exp_avg_sq_col", columns)
        self.exp_avg_sq = self._moments("exp_avg_sq", whole)
        self.step = Parameter(Tensor(np.zeros(1, np.float32)), name="afactor_step")

    @property
    def supports_memory_efficient_fp16(self) -> bool:
        """That 16-bit parameters need no float32 copies."""
        return True

    @property
    def supports_flat_params(self) -> bool:
        """That parameters laid flat are no matrices any more."""
        return False

    def _moments(self, prefix: str, shapes: list[Any]) -> ParameterTuple:
        pairs = zip(self.parameters, shapes)
        return ParameterTuple(
            [Parameter(Tensor(np.zeros(shape, p._a.dtype)), name=f"{prefix}_{p.name}") for p, shape in pairs]
        )

    def _update(self, grads: list[Array], lrs: list[float], decays: tuple[float, ...]) -> None:
        step = float(advance(self.step, lambda old: old + 1)[0])
        keep = 1.0 - step**self.decay_rate
        if self.relative_step:
            relative = min(1e-6 * step if self.warmup_init else 1e-2, 1.0 / step**0.5)
            lrs = [relative] * self.param_length
        means: Any = self.exp_avg if self.use_first_moment else [None] * self.param_length
        first = iter(zip(lrs, decays, means))

        def rule(p: Array, g: Array, row: Array, column: Array, square: Array, _lr: float) -> None:
            lr, decay, mean = next(first)
            lr *= max(self.eps[1], rules.root_mean_square(p)) if self.scale_parameter else 1.0
            update = rules.adafactor_direction(g, row, column, square, keep, self.eps[0])
            update *= lr / max(1.0, rules.root_mean_square(update) / self.clip_threshold)
            if mean is not None:
                update = advance(mean, lambda old: old * self.beta1 + update * (1 - self.beta1)).astype(p.dtype)
            p -= update + decay * lr * p

        states = (self.exp_avg_sq_row, self.exp_avg_sq_col, self.exp_avg_sq)
        self._apply(rule, grads, lrs, (0.0,) * self.param_length, states)
