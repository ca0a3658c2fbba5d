"""Steps of optimizers as 2.6's primitives do them, in place: plain, signed and proximal gradient descent."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import scope
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.arithmetic import maximum
from ms_kernels.ops.elementary import abs_, exp, sign, sqrt
from ms_kernels.ops.optim_moments import alike, changed_all
from ms_kernels.ops.update import changed

__all__ = ["proximal"]


def _signed(name: str, shown: str, text: str, factor: Any) -> Any:
    primitive = f"Apply{name}"
    first = "alpha" if name == "AddSign" else "logbase"

    def body(var: Any, m: Any, lr: Any, base: Any, sign_decay: Any, beta: Any, grad: Any) -> Any:
        alike(primitive, var, m, grad)
        with scope(recording=False):
            mean = m * beta + grad * (1 - beta)
            step = factor(base, sign(grad) * sign(mean) * sign_decay) * grad
            return changed_all((var, var - step * lr), (m, mean))

    body.__annotations__.update(var="Array", m="Array", grad="Array")
    body.__name__, body.__module__ = f"apply_{name[:-4].lower()}_sign", __name__
    body.__doc__ = (
        f"Do a step along the gradient times ``{text}``, s being 1 where the gradient and its mean agree in sign, "
        "else -1 or 0.\n\nReturns:\n    The parameter and the mean.\n\nRaises:\n    ValueError: shapes that differ.\n\n"
        f"Examples:\n    >>> v, m = Tensor([1.0]), Tensor([0.0])\n"
        f"    >>> out = ops.{primitive}()(v, m, 0.5, 0.0, 1.0, 0.5, Tensor([2.0]))\n"
        f"    >>> print(v, m)\n    {shown}\n\nSource: Bello and others, Neural Optimizer Search; ``mindspore.ops."
        f"{primitive}``."
    )
    return composite(primitive=f"{primitive}()(var, m, lr, {first}, sign_decay, beta, grad)", rename={first: "base"})(
        body
    )


apply_add_sign = _signed("AddSign", "[0.] [1.]", "alpha + sign_decay * s", lambda base, s: s + base)
apply_power_sign = _signed("PowerSign", "[0.] [1.]", "exp(logbase * sign_decay * s)", lambda base, s: exp(s * base))


@composite(primitive="ApplyGradientDescent()(var, alpha, delta)")
def apply_gradient_descent(var: Array, alpha: Any, delta: Array) -> Any:
    """Do ``v = v - alpha * delta``; returns v.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> print(ops.ApplyGradientDescent()(Tensor([1.0]), 0.5, Tensor([2.0])))
        [0.]

    Source: ``mindspore.ops.ApplyGradientDescent``.
    """
    alike("ApplyGradientDescent", var, delta)
    with scope(recording=False):
        return changed(var, var - delta * alpha)


def proximal(v: Any, step: Any, l1: Any, l2: Any) -> Any:
    """Shrink values toward 0 by ``l1 * step`` and divide them by ``1 + l2 * step``."""
    return sign(v) * maximum(abs_(v) - step * l1, 0) / (step * l2 + 1)


@composite(primitive="ApplyProximalGradientDescent()(var, alpha, l1, l2, delta)")
def apply_proximal_gradient_descent(var: Array, alpha: Any, l1: Any, l2: Any, delta: Array) -> Any:
    """Do ``v = v - alpha * delta``, shrunk toward 0 by ``alpha * l1`` and divided by ``1 + alpha * l2``; returns v.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> print(ops.ApplyProximalGradientDescent()(Tensor([3.0]), 0.5, 1.0, 2.0, Tensor([2.0])))
        [0.75]

    Source: Duchi and Singer, forward-backward splitting; ``mindspore.ops.ApplyProximalGradientDescent``.
    """
    alike("ApplyProximalGradientDescent", var, delta)
    with scope(recording=False):
        step = cast_np(var * 0, var._kind) + alpha
        return changed(var, proximal(var - delta * alpha, step, l1, l2))


@composite(
    primitive="ApplyProximalAdagrad(use_locking=False)(var, accum, lr, l1, l2, grad)", rename={"use_locking": ""}
)
def apply_proximal_adagrad(var: Array, accum: Array, lr: Any, l1: Any, l2: Any, grad: Array) -> Any:
    """As `ApplyProximalGradientDescent`, with the step ``lr / sqrt(a)`` of Adagrad; returns v and a.

    Raises:
        ValueError: shapes that differ.

    Examples:
        >>> v, a = ops.ApplyProximalAdagrad()(Tensor([1.0]), Tensor([12.0]), 0.5, 0.0, 8.0, Tensor([2.0]))
        >>> print(v, a)
        [0.375] [16.]

    Source: ``mindspore.ops.ApplyProximalAdagrad``.
    """
    alike("ApplyProximalAdagrad", var, accum, grad)
    with scope(recording=False):
        a = accum + grad * grad
        step = lr / sqrt(a)
        return changed_all((var, proximal(var - step * grad, step, l1, l2)), (accum, a))
