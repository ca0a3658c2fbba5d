"""Steps of optimizers for some rows of a Parameter, as 2.6's sparse primitives do them, in place.

"Fused" ones first add up the gradients of rows that are named twice.
"""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import scope
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.elementary import sqrt
from ms_kernels.ops.getitem import set_key, take_key
from ms_kernels.ops.index import index_sum
from ms_kernels.ops.optim_adam import adam_moments, ftrl, root
from ms_kernels.ops.optim_descent import proximal
from ms_kernels.ops.optim_moments import alike, changed_all
from ms_kernels.ops.scatter_nd import combine_key, positions
from ms_kernels.ops.search import unique_in_order

__all__: list[str] = []


def _rows(name: str, var: Any, grad: Any, indices: Any, fused: bool) -> tuple[Any, Any]:
    """The rows that are named, and the gradient of each; with `fused` each once."""
    if indices.ndim != 1 or grad.shape != (*indices.shape, *var.shape[1:]):
        rule = f"be [{indices.size}, *{list(var.shape[1:])}]"
        fail(ValueError, name, "shape of 'grad'", rule, str(list(grad.shape)))
    rows = positions(name, indices, var.shape[0])
    if fused:
        once, back = unique_in_order(indices)
        return positions(name, once, var.shape[0]), index_sum(grad, 0, back, once.size)
    return rows, grad


def _stepwise(var: Any, others: tuple[Any, ...], rows: Any, grad: Any, step: Any) -> Any:
    """Change rows by ``step(rows of each tensor, gradient)``; one that is named twice twice, one after the other."""
    states = (var, *others)
    values = list(states)
    groups = [slice(i, i + 1) for i in range(len(rows))] if len(set(rows.tolist())) < len(rows) else [slice(None)]
    for group in groups:
        at = (rows[group],)
        found = step(*(take_key(value, at) for value in values), take_key(grad, (group,)))
        values = [set_key(value, at, new) for value, new in zip(values, found)]
    return changed_all(*zip(states, values))


@composite(
    primitive="SparseApplyAdagradV2(lr, epsilon, use_locking=False, update_slots=True)(var, accum, grad, indices)",
    rename={"use_locking": ""},
)
def sparse_apply_adagrad_v2(
    var: Array, accum: Array, grad: Array, indices: Array, lr: float, epsilon: float, update_slots: bool = True
) -> Any:
    """Do a step of Adagrad for the rows that `indices` names; returns the parameter and the sums of squares.

    Raises:
        ValueError: shapes that do not fit.
        RuntimeError: an index out of range.

    Examples:
        >>> v, a = Tensor([[1.0], [2.0]]), Tensor([[12.0], [5.0]])
        >>> print(ops.SparseApplyAdagradV2(0.5, 0.0)(v, a, Tensor([[2.0]]), Tensor([0], mstype.int32))[0])
        [[0.75]
         [2.  ]]

    Source: ``mindspore.ops.SparseApplyAdagradV2``.
    """
    alike("SparseApplyAdagradV2", var, accum)
    rows, grads = _rows("SparseApplyAdagradV2", var, grad, indices, False)

    def step(v: Any, a: Any, g: Any) -> Any:
        a = a + g * g if update_slots else a
        return v - g * lr / (sqrt(a) + epsilon), a

    with scope(recording=False):
        return _stepwise(var, (accum,), rows, grads, step)


def _ftrl(name: str, fused: bool) -> Any:
    def body(
        var: Any,
        accum: Any,
        linear: Any,
        grad: Any,
        indices: Any,
        lr: float,
        l1: float,
        l2: float,
        lr_power: float,
    ) -> Any:
        alike(name, var, accum, linear)
        rows, grads = _rows(name, var, grad, indices, fused)
        with scope(recording=False):
            return _stepwise(
                var, (accum, linear), rows, grads, lambda v, a, z, g: ftrl(v, a, z, g, lr, l1, l2, lr_power)
            )

    body.__annotations__.update(dict.fromkeys(("var", "accum", "linear", "grad", "indices"), "Array"))
    body.__name__, body.__module__ = "fused_sparse_ftrl" if fused else "sparse_apply_ftrl", __name__
    more = ", gradients of a row that is named twice added up" if fused else ""
    body.__doc__ = (
        f"Do a step that follows the regularized leader for the rows that `indices` names{more}.\n\nReturns:\n"
        "    The parameter and the two other tensors.\n\nRaises:\n    ValueError: shapes that do not fit.\n"
        "    RuntimeError: an index out of range.\n\nExamples:\n"
        "    >>> v, a, z = Tensor([[1.0], [2.0]]), Tensor([[1.0], [1.0]]), Tensor([[0.0], [0.0]])\n"
        f"    >>> step = ops.{name}(0.5, 0.25, 0.0, -1.0)\n"
        "    >>> print(step(v, a, z, Tensor([[2.0]]), Tensor([0], mstype.int32))[0])\n"
        f"    [[0.575]\n     [2.   ]]\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(
        primitive=f"{name}(lr, l1, l2, lr_power, use_locking=False)(var, accum, linear, grad, indices)",
        rename={"use_locking": ""},
    )(body)


sparse_apply_ftrl = _ftrl("SparseApplyFtrl", False)
fused_sparse_ftrl = _ftrl("FusedSparseFtrl", True)


@composite(
    primitive="SparseApplyRMSProp(rho, momentum, epsilon, use_locking=False)(var, ms, mom, lr, grad, indices)",
    rename={"use_locking": ""},
)
def sparse_apply_rms_prop(
    var: Array,
    ms: Array,
    mom: Array,
    lr: Any,
    grad: Array,
    indices: Array,
    rho: float,
    momentum: float,
    epsilon: float,
) -> Any:
    """Do a step of RMSProp for the rows that `indices` names; returns all three tensors.

    Raises:
        ValueError: shapes that do not fit.
        RuntimeError: an index out of range.

    Examples:
        >>> v, s, m = Tensor([[1.0], [2.0]]), Tensor([[0.0], [1.0]]), Tensor([[0.0], [0.0]])
        >>> step = ops.SparseApplyRMSProp(0.75, 0.0, 0.0)
        >>> print(step(v, s, m, 0.5, Tensor([[2.0]]), Tensor([0], mstype.int32))[0])
        [[0.]
         [2.]]

    Source: ``mindspore.ops.SparseApplyRMSProp``.
    """
    alike("SparseApplyRMSProp", var, ms, mom)
    rows, grads = _rows("SparseApplyRMSProp", var, grad, indices, False)

    def step(v: Any, s: Any, m: Any, g: Any) -> Any:
        s = s * rho + g * g * (1 - rho)
        m = m * momentum + g * lr / sqrt(s + epsilon)
        return v - m, s, m

    with scope(recording=False):
        return _stepwise(var, (ms, mom), rows, grads, step)


def _proximal_adagrad(name: str, fused: bool) -> Any:
    def body(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any, indices: Any) -> Any:
        alike(name, var, accum)
        rows, grads = _rows(name, var, grad, indices, fused)

        def step(v: Any, a: Any, g: Any) -> Any:
            a = a + g * g
            rate = lr / sqrt(a)
            return proximal(v - rate * g, rate, l1, l2), a

        with scope(recording=False):
            return _stepwise(var, (accum,), rows, grads, step)

    body.__annotations__.update(dict.fromkeys(("var", "accum", "grad", "indices"), "Array"))
    body.__name__ = ("fused_sparse" if fused else "sparse_apply") + "_proximal_adagrad"
    body.__module__ = __name__
    more = ", gradients of a row that is named twice added up" if fused else ""
    body.__doc__ = (
        f"Do a proximal step of Adagrad for the rows that `indices` names{more}.\n\nReturns:\n"
        "    The parameter and the sums of squares.\n\nRaises:\n    ValueError: shapes that do not fit.\n"
        "    RuntimeError: an index out of range.\n\nExamples:\n"
        "    >>> v, a, g = Tensor([[1.0], [2.0]]), Tensor([[12.0], [1.0]]), Tensor([[2.0]])\n"
        f"    >>> print(ops.{name}()(v, a, 0.5, 0.0, 8.0, g, Tensor([0], mstype.int32))[0])\n"
        f"    [[0.375]\n     [2.   ]]\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(
        primitive=f"{name}(use_locking=False)(var, accum, lr, l1, l2, grad, indices)", rename={"use_locking": ""}
    )(body)


sparse_apply_proximal_adagrad = _proximal_adagrad("SparseApplyProximalAdagrad", False)
fused_sparse_proximal_adagrad = _proximal_adagrad("FusedSparseProximalAdagrad", True)


def _adam(name: str, lazy: bool, text: str, shown: str) -> Any:
    def body(
        var: Any,
        m: Any,
        v: Any,
        beta1_power: Any,
        beta2_power: Any,
        lr: Any,
        beta1: Any,
        beta2: Any,
        epsilon: Any,
        gradient: Any,
        indices: Any,
        use_nesterov: bool = False,
    ) -> Any:
        alike(name, var, m, v)
        rows, grads = _rows(name, var, gradient, indices, True)
        rate = root(1 - beta2_power) / (1 - beta1_power) * lr

        def step(p: Any, m: Any, v: Any, g: Any) -> Any:
            m, v = adam_moments(m, v, g, beta1, beta2)
            way = m * beta1 + g * (1 - beta1) if use_nesterov else m
            return p - way * rate / (sqrt(v) + epsilon), m, v

        with scope(recording=False):
            if lazy:
                return _stepwise(var, (m, v), rows, grads, step)
            whole = combine_key(var * 0, (rows,), grads, "add")
            return changed_all(*zip((var, m, v), step(var, m, v, whole)))

    body.__annotations__.update(dict.fromkeys(("var", "m", "v", "gradient", "indices"), "Array"))
    body.__name__ = "fused_sparse_lazy_adam" if lazy else "fused_sparse_adam"
    body.__module__ = __name__
    body.__doc__ = (
        f"Do a step of Adam for a gradient of some rows, {text}.\n\nReturns:\n    The parameter and both means.\n\n"
        "Raises:\n    ValueError: shapes that do not fit.\n    RuntimeError: an index out of range.\n\nExamples:\n"
        "    >>> p, m, v = Tensor([[1.0], [2.0]]), Tensor([[0.0], [1.0]]), Tensor([[0.0], [1.0]])\n"
        "    >>> at = Tensor([0, 0], mstype.int32)\n"
        f"    >>> step = ops.{name}()\n"
        "    >>> print(step(p, m, v, 0.5, 0.75, 0.5, 0.5, 0.75, 0.0, Tensor([[1.0], [1.0]]), at)[0])\n"
        f"    {shown}\n\nSource: ``mindspore.ops.{name}``."
    )
    return composite(
        primitive=f"{name}(use_locking=False, use_nesterov=False)"
        "(var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, indices)",
        rename={"use_locking": ""},
    )(body)


fused_sparse_adam = _adam("FusedSparseAdam", False, "of 0 for the others", "[[0.5      ]\n     [1.7113249]]")
fused_sparse_lazy_adam = _adam("FusedSparseLazyAdam", True, "the others staying as they are", "[[0.5]\n     [2. ]]")
