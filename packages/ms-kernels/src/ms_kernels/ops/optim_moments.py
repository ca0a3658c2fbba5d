"""Steps of optimizers as 2.6's primitives do them, in place: momentum, RMSProp, Adagrad and their kin.

All change their Parameters (or Tensors) and return Tensors on the same memory; no gradient passes through.
"""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import scope
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.arithmetic import maximum
from ms_kernels.ops.compare import greater, where
from ms_kernels.ops.elementary import abs_, sign, sqrt
from ms_kernels.ops.update import changed

__all__ = ["alike", "changed_all"]


def alike(name: str, first: Any, *others: Any) -> None:
    """Raise unless tensors have one shape."""
    for other in others:
        if isinstance(other, TensorBase) and other.shape != first.shape:
            fail(ValueError, name, "shapes of its inputs", f"be equal to {list(first.shape)}", str(list(other.shape)))


def changed_all(*pairs: tuple[Any, Any]) -> Any:
    """Give tensors new values, all of which are computed already; returns what was changed, one alone or a tuple."""
    found = tuple(changed(target, value) for target, value in pairs)
    return found[0] if len(found) == 1 else found


@composite(
    primitive="ApplyMomentum(use_nesterov=False, use_locking=False, gradient_scale=1.0)"
    "(variable, accumulation, learning_rate, gradient, momentum)",
    rename={"use_locking": ""},
)
def apply_momentum(
    variable: Array,
    accumulation: Array,
    learning_rate: Any,
    gradient: Array,
    momentum: Any,
    use_nesterov: bool = False,
    gradient_scale: float = 1.0,
) -> Any:
    """Do ``a = a * momentum + g``, ``v = v - lr * a`` (Nesterov: ``v - lr * (g + a * momentum)``); returns v.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a = Parameter(Tensor([1.0]), name="v"), Parameter(Tensor([0.5]), name="a")
        >>> print(ops.ApplyMomentum()(v, a, 0.1, Tensor([1.0]), 0.5), a.asnumpy())
        [0.875] [1.25]

    Source: ``mindspore.ops.ApplyMomentum``.
    """
    alike("ApplyMomentum", variable, accumulation, gradient)
    with scope(recording=False):
        g = gradient * gradient_scale
        a = accumulation * momentum + g
        v = variable - learning_rate * (g + a * momentum if use_nesterov else a)
        return changed_all((accumulation, a), (variable, v))[1]


@composite(
    primitive="ApplyKerasMomentum(use_locking=False, use_nesterov=False)(var, accum, lr, grad, momentum)",
    rename={"use_locking": ""},
)
def apply_keras_momentum(
    var: Array, accum: Array, lr: Any, grad: Array, momentum: Any, use_nesterov: bool = False
) -> Any:
    """Do ``a = a * momentum - lr * g``, ``v = v + a`` (Nesterov: ``v + a * momentum - lr * g``); returns v and a.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a = ops.ApplyKerasMomentum()(Tensor([1.0]), Tensor([0.5]), 0.5, Tensor([1.0]), 0.5)
        >>> print(v, a)
        [0.75] [-0.25]

    Source: ``mindspore.ops.ApplyKerasMomentum``.
    """
    alike("ApplyKerasMomentum", var, accum, grad)
    with scope(recording=False):
        a = accum * momentum - grad * lr
        v = var + (a * momentum - grad * lr if use_nesterov else a)
        return changed_all((var, v), (accum, a))


@composite(
    primitive="SGD(dampening=0.0, weight_decay=0.0, nesterov=False)"
    "(parameters, gradient, learning_rate, accum, momentum, stat)",
    rename={"parameters": "variable"},
)
def sgd_step(
    variable: Array,
    gradient: Array,
    learning_rate: Any,
    accum: Array,
    momentum: Any,
    stat: Array,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> Any:
    """Do a step of gradient descent with momentum; where `stat` is above 0 the accumulation starts anew.

    Raises:
        ValueError: shapes that differ, Nesterov's momentum with dampening.

    Examples:
        >>> v, one, zero = Tensor([1.0, 1.0]), Tensor([1.0, 1.0]), Tensor([1.0, 0.0])
        >>> print(ops.SGD()(v, one, Tensor(0.5), one * 2, Tensor(0.5), zero))
        [0.5 0. ]

    Source: ``mindspore.ops.SGD``.
    """
    alike("SGD", variable, gradient, accum, stat)
    if nesterov and dampening != 0:
        fail(ValueError, "SGD", "'dampening'", "be 0 with 'nesterov'", str(dampening))
    with scope(recording=False):
        g = gradient + variable * weight_decay if weight_decay else gradient
        fresh = greater(stat, 0)
        a = where(fresh, g, accum * momentum + g * (1 - dampening))
        v = variable - learning_rate * (g + a * momentum if nesterov else a)
        return changed_all((accum, a), (stat, where(fresh, stat * 0, stat)), (variable, v))[2]


@composite(
    primitive="ApplyRMSProp(use_locking=False)"
    "(var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon)",
    rename={"use_locking": ""},
)
def apply_rms_prop(
    var: Array,
    mean_square: Array,
    moment: Array,
    learning_rate: Any,
    grad: Array,
    decay: Any,
    momentum: Any,
    epsilon: Any,
) -> Any:
    """Do ``s = s * decay + g^2 * (1 - decay)``, ``m = m * momentum + lr * g / sqrt(s + epsilon)``, ``v = v - m``.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, s, m = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
        >>> print(ops.ApplyRMSProp()(v, s, m, 0.5, Tensor([2.0]), 0.75, 0.0, 0.0))
        [0.]

    Source: ``mindspore.ops.ApplyRMSProp``.
    """
    alike("ApplyRMSProp", var, mean_square, moment, grad)
    with scope(recording=False):
        s = mean_square * decay + grad * grad * (1 - decay)
        m = moment * momentum + grad * learning_rate / sqrt(s + epsilon)
        return changed_all((mean_square, s), (moment, m), (var, var - m))[2]


@composite(
    primitive="ApplyCenteredRMSProp(use_locking=False)"
    "(var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon)",
    rename={"use_locking": ""},
)
def apply_centered_rms_prop(
    var: Array,
    mean_gradient: Array,
    mean_square: Array,
    moment: Array,
    grad: Array,
    learning_rate: Any,
    decay: Any,
    momentum: Any,
    epsilon: Any,
) -> Any:
    """Do a step of `ApplyRMSProp` with the variance of the gradient in place of its mean square.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, zero = Tensor([1.0]), Tensor([0.0])
        >>> print(ops.ApplyCenteredRMSProp()(v, zero, zero.copy(), zero.copy(), Tensor([2.0]), 0.5, 0.5, 0.0, 0.0))
        [0.]

    Source: ``mindspore.ops.ApplyCenteredRMSProp``.
    """
    alike("ApplyCenteredRMSProp", var, mean_gradient, mean_square, moment, grad)
    with scope(recording=False):
        d = mean_gradient * decay + grad * (1 - decay)
        s = mean_square * decay + grad * grad * (1 - decay)
        m = moment * momentum + grad * learning_rate / sqrt(s - d * d + epsilon)
        return changed_all((mean_gradient, d), (mean_square, s), (moment, m), (var, var - m))[3]


@composite(primitive="ApplyAdagrad(update_slots=True)(var, accum, lr, grad)")
def apply_adagrad(var: Array, accum: Array, lr: Any, grad: Array, update_slots: bool = True) -> Any:
    """Do ``a = a + g^2`` (with `update_slots`), ``v = v - lr * g / sqrt(a)``; returns v and a.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a = ops.ApplyAdagrad()(Tensor([1.0]), Tensor([12.0]), 0.5, Tensor([2.0]))
        >>> print(v, a)
        [0.75] [16.]

    Source: Duchi, Hazan and Singer; ``mindspore.ops.ApplyAdagrad``.
    """
    alike("ApplyAdagrad", var, accum, grad)
    with scope(recording=False):
        a = accum + grad * grad if update_slots else accum * 1
        return changed_all((var, var - grad * lr / sqrt(a)), (accum, a))


@composite(primitive="ApplyAdagradV2(epsilon, update_slots=True)(var, accum, lr, grad)")
def apply_adagrad_v2(var: Array, accum: Array, lr: Any, grad: Array, epsilon: float, update_slots: bool = True) -> Any:
    """As `ApplyAdagrad`, with `epsilon` added to the root; returns v and a.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a = ops.ApplyAdagradV2(0.0)(Tensor([1.0]), Tensor([12.0]), 0.5, Tensor([2.0]))
        >>> print(v, a)
        [0.75] [16.]

    Source: ``mindspore.ops.ApplyAdagradV2``.
    """
    alike("ApplyAdagradV2", var, accum, grad)
    with scope(recording=False):
        a = accum + grad * grad if update_slots else accum * 1
        return changed_all((var, var - grad * lr / (sqrt(a) + epsilon)), (accum, a))


@composite(
    primitive="ApplyAdagradDA(use_locking=False)"
    "(var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step)",
    rename={"use_locking": ""},
)
def apply_adagrad_da(
    var: Array,
    gradient_accumulator: Array,
    gradient_squared_accumulator: Array,
    grad: Array,
    lr: Any,
    l1: Any,
    l2: Any,
    global_step: Any,
) -> Any:
    """Do a step of dual averaging: the parameter, which is returned, from sums of gradients and of their squares.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a, s = Tensor([1.0]), Tensor([0.0]), Tensor([0.0])
        >>> print(ops.ApplyAdagradDA()(v, a, s, Tensor([2.0]), 0.5, 0.5, 0.0, Tensor(2, mstype.int32)), a, s)
        [-0.25] [2.] [4.]

    Source: Duchi, Hazan and Singer; ``mindspore.ops.ApplyAdagradDA``.
    """
    alike("ApplyAdagradDA", var, gradient_accumulator, gradient_squared_accumulator, grad)
    with scope(recording=False):
        a, s = gradient_accumulator + grad, gradient_squared_accumulator + grad * grad
        shrunk = sign(a) * maximum(abs_(a) - l1 * global_step, 0)
        v = shrunk * -lr / (l2 * global_step * lr + sqrt(s))
        return changed_all((var, v), (gradient_accumulator, a), (gradient_squared_accumulator, s))[0]


@composite(primitive="ApplyAdadelta()(var, accum, accum_update, lr, rho, epsilon, grad)")
def apply_adadelta(var: Array, accum: Array, accum_update: Array, lr: Any, rho: Any, epsilon: Any, grad: Array) -> Any:
    """Do a step whose size is the ratio of the mean squares of earlier steps and of gradients; returns all three.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a, u = ops.ApplyAdadelta()(Tensor([1.0]), Tensor([0.0]), Tensor([1.0]), 0.5, 0.75, 0.0, Tensor([2.0]))
        >>> print(v, a, u)
        [0.] [1.] [1.75]

    Source: Zeiler, ADADELTA; ``mindspore.ops.ApplyAdadelta``.
    """
    alike("ApplyAdadelta", var, accum, accum_update, grad)
    with scope(recording=False):
        a = accum * rho + grad * grad * (1 - rho)
        step = sqrt(accum_update + epsilon) / sqrt(a + epsilon) * grad
        u = accum_update * rho + step * step * (1 - rho)
        return changed_all((var, var - step * lr), (accum, a), (accum_update, u))
