"""Steps of optimizers as 2.6's primitives do them, in place: Adam and its kin, FTRL."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import scope
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.arithmetic import maximum, pow_
from ms_kernels.ops.compare import greater, where
from ms_kernels.ops.elementary import abs_, sign, sqrt
from ms_kernels.ops.optim_moments import alike, changed_all

__all__ = ["adam_moments", "ftrl"]


def root(x: Any) -> Any:
    """The square root of a tensor or a number."""
    return x**0.5


def adam_moments(m: Any, v: Any, g: Any, beta1: Any, beta2: Any) -> tuple[Any, Any]:
    """The next running means of gradients and of their squares."""
    return m * beta1 + g * (1 - beta1), v * beta2 + g * g * (1 - beta2)


_ADAM = "beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient"


@composite(
    primitive=[
        f"Adam(use_locking=False, use_nesterov=False)(var, m, v, {_ADAM})",
        f"AdamNoUpdateParam(use_locking=False, use_nesterov=False)(m, v, {_ADAM}); var=None",
    ],
    rename={"use_locking": ""},
)
def adam_step(
    var: Array | None,
    m: Array,
    v: Array,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    gradient: Array,
    use_nesterov: bool = False,
) -> Any:
    """Do a step of Adam; returns the parameter and both means, or without a parameter what would be added to it.

    Args:
        beta1_power, beta2_power: beta1 and beta2 to the power of the step's number.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> p, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
        >>> print(ops.Adam()(p, m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, Tensor([2.0]))[0])
        [0.5]
        >>> m, v = Tensor([0.0]), Tensor([0.0])
        >>> print(ops.AdamNoUpdateParam()(m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, Tensor([2.0])))
        [-0.5]

    Source: Kingma and Ba, Adam; ``mindspore.ops.Adam``, ``mindspore.ops.AdamNoUpdateParam``.
    """
    alike("Adam", m, var, v, gradient)
    with scope(recording=False):
        m1, v1 = adam_moments(m, v, gradient, beta1, beta2)
        rate = root(1 - beta2_power) / (1 - beta1_power) * lr
        way = m1 * beta1 + gradient * (1 - beta1) if use_nesterov else m1
        step = way * -rate / (sqrt(v1) + epsilon)
        if var is None:
            changed_all((m, m1), (v, v1))
            return step
        return changed_all((var, var + step), (m, m1), (v, v1))


_DECAY = "(use_locking=False)(var, m, v, lr, beta1, beta2, epsilon, decay, gradient"


@composite(
    primitive=[f"AdamWeightDecay{_DECAY})", f"FusedCastAdamWeightDecay{_DECAY}, global_norm)"],
    rename={"use_locking": "", "global_norm": "norm"},
)
def adam_weight_decay(
    var: Array,
    m: Array,
    v: Array,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    decay: Any,
    gradient: Array,
    norm: Any = None,
) -> Any:
    """Do a step of Adam without correction of the bias, with `decay` times the parameter added to it.

    Args:
        gradient: of any type; the primitive with `global_norm` divides it by that first.

    Returns:
        The parameter and both means.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> p, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
        >>> print(ops.AdamWeightDecay()(p, m, v, 0.5, 0.5, 0.75, 0.0, 1.0, Tensor([2.0]))[0])
        [0.]

    Source: Loshchilov and Hutter; ``mindspore.ops.AdamWeightDecay``, ``mindspore.ops.FusedCastAdamWeightDecay``.
    """
    alike("AdamWeightDecay", var, m, v, gradient)
    with scope(recording=False):
        g = gradient if gradient.dtype is m.dtype else cast_np(gradient, m._kind)
        m1, v1 = adam_moments(m, v, g if norm is None else g * (1 / norm), beta1, beta2)
        p = var - (m1 / (sqrt(v1) + epsilon) + var * decay) * lr
        return changed_all((var, p), (m, m1), (v, v1))


def _amsgrad(name: str, states: Any, gradient: Any, powers: Any, lr: Any, betas: Any, epsilon: Any) -> Any:
    var, m, v, vhat = states
    alike(name, var, m, v, vhat, gradient)
    with scope(recording=False):
        m1, v1 = adam_moments(m, v, gradient, *betas)
        most = maximum(vhat, v1)
        rate = root(1 - powers[1]) / (1 - powers[0]) * lr
        p = var - m1 * rate / (sqrt(most) + epsilon)
        return changed_all((var, p), (m, m1), (v, v1), (vhat, most))


@composite(
    primitive="ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False)"
    "(var, m, v, vhat, beta1_power, beta2_power, lr, grad)",
    rename={"use_locking": ""},
)
def apply_adam_with_amsgrad(
    var: Array,
    m: Array,
    v: Array,
    vhat: Array,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    grad: Array,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
) -> Any:
    """Do a step of Adam that divides by the largest mean square so far; returns all four tensors.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> p, m, v, top = Tensor([1.0]), Tensor([0.0]), Tensor([0.0]), Tensor([4.0])
        >>> print(ops.ApplyAdamWithAmsgrad(0.5, 0.75, 0.0)(p, m, v, top, 0.5, 0.75, 0.5, Tensor([2.0]))[0])
        [0.75]

    Source: Reddi, Kale and Kumar; ``mindspore.ops.ApplyAdamWithAmsgrad``.
    """
    powers = (beta1_power, beta2_power)
    return _amsgrad("ApplyAdamWithAmsgrad", (var, m, v, vhat), grad, powers, lr, (beta1, beta2), epsilon)


@composite(
    primitive="ApplyAdamWithAmsgradV2(use_locking=False)"
    "(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)",
    rename={"use_locking": ""},
)
def apply_adam_with_amsgrad_v2(
    var: Array,
    m: Array,
    v: Array,
    vhat: Array,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Array,
) -> Any:
    """As `ApplyAdamWithAmsgrad`, with the betas and epsilon as operands.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> p, m, v, top = Tensor([1.0]), Tensor([0.0]), Tensor([0.0]), Tensor([4.0])
        >>> print(ops.ApplyAdamWithAmsgradV2()(p, m, v, top, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, Tensor([2.0]))[0])
        [0.75]

    Source: ``mindspore.ops.ApplyAdamWithAmsgradV2``.
    """
    powers = (beta1_power, beta2_power)
    return _amsgrad("ApplyAdamWithAmsgradV2", (var, m, v, vhat), grad, powers, lr, (beta1, beta2), epsilon)


@composite(primitive="ApplyAdaMax()(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad)")
def apply_ada_max(
    var: Array, m: Array, v: Array, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Array
) -> Any:
    """Do a step of Adam that divides by a running maximum of the gradient; returns all three tensors.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> p, m, v = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
        >>> print(ops.ApplyAdaMax()(p, m, v, 0.5, 0.5, 0.5, 0.75, 0.0, Tensor([2.0]))[0])
        [0.5]

    Source: Kingma and Ba, AdaMax; ``mindspore.ops.ApplyAdaMax``.
    """
    alike("ApplyAdaMax", var, m, v, grad)
    with scope(recording=False):
        m1, most = m * beta1 + grad * (1 - beta1), maximum(v * beta2, abs_(grad))
        p = var - lr / (1 - beta1_power) * m1 / (most + epsilon)
        return changed_all((var, p), (m, m1), (v, most))


def ftrl(
    var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any
) -> tuple[Any, Any, Any]:
    """The next values of a step that follows the regularized leader."""
    a = accum + grad * grad
    new, old = pow_(a, -lr_power), pow_(accum, -lr_power)
    z = linear + grad - (new - old) / lr * var
    v = (sign(z) * l1 - z) / (new / lr + l2 * 2)
    return where(greater(abs_(z), l1), v, v * 0), a, z


@composite(
    primitive="ApplyFtrl(use_locking=False)(var, accum, linear, grad, lr, l1, l2, lr_power)",
    rename={"use_locking": ""},
)
def apply_ftrl(var: Array, accum: Array, linear: Array, grad: Array, lr: Any, l1: Any, l2: Any, lr_power: Any) -> Any:
    """Do a step that follows the regularized leader; returns the parameter.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a, z = Tensor([1.0]), Tensor([1.0]), Tensor([0.0])
        >>> print(ops.ApplyFtrl()(v, a, z, Tensor([2.0]), 0.5, 0.25, 0.0, -1.0))
        [0.575]

    Source: McMahan and others, Ad Click Prediction; ``mindspore.ops.ApplyFtrl``.
    """
    alike("ApplyFtrl", var, accum, linear, grad)
    if isinstance(lr, (int, float)) and lr <= 0:
        fail(ValueError, "ApplyFtrl", "'lr'", "be positive", str(lr))
    with scope(recording=False):
        v, a, z = ftrl(var, accum, linear, grad, lr, l1, l2, lr_power)
        return changed_all((var, v), (accum, a), (linear, z))[0]
