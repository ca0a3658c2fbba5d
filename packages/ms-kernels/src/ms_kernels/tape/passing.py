"""Primitives that hand their inputs through and work on the gradient: HookBackward, InsertGradientOf."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.primitive import Primitive
from ms_kernels.tape.function import _Function

__all__ = ["HookBackward", "InsertGradientOf"]

Grads = tuple[Any, ...]


class _Pass(_Function):
    """The identity, whose gradients go through a function."""

    run: Callable[[Grads], Grads]

    @staticmethod
    def forward(ctx: Any, run: Callable[[Grads], Grads], *inputs: Any) -> Any:
        ctx.run = run
        return inputs[0] if len(inputs) == 1 else inputs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None, *ctx.run(grads))


def _check(name: str, inputs: Grads) -> None:
    for item in inputs:
        if not isinstance(item, TensorBase):
            fail(TypeError, name, "inputs", "be Tensors", describe(item))


class HookBackward(Primitive):
    """Hands its inputs through and shows their gradients to a hook (``mindspore.ops.HookBackward``).

    Args:
        hook_fn: called with the tuple of gradients; what it returns, unless None, takes their place: a tuple of as
            many, or one gradient when there is one.
        cell_id: a name that is kept as an attribute.

    Raises:
        TypeError: `hook_fn` cannot be called, an input is no Tensor; at the gradient: the hook returns something else.
        ValueError: at the gradient: the hook returns another shape or dtype.

    Examples:
        >>> from ms_kernels import Tensor, grad
        >>> show = HookBackward(print)
        >>> print(grad(lambda x: show(x * x) * 3)(Tensor(2.0)))
        (Tensor(shape=[], dtype=Float32, value= 3),)
        12.0
    """

    def __init__(self, hook_fn: Callable[[Grads], Any], cell_id: str = "") -> None:
        super().__init__("HookBackward")
        if not callable(hook_fn):
            fail(TypeError, self.name, "'hook_fn'", "be a function", describe(hook_fn))
        self.add_prim_attr("cell_id", cell_id)
        self.hook_fn = hook_fn

    def __call__(self, *inputs: Any) -> Any:
        _check(self.name, inputs)
        return _Pass.apply(self._run, *inputs)

    def _run(self, grads: Grads) -> Grads:
        found = self.hook_fn(grads)
        if found is None:
            return grads
        many = found if isinstance(found, tuple) else (found,)
        if len(many) != len(grads):
            fail(TypeError, self.name, "result of the hook", f"be a tuple of {len(grads)} gradients", describe(found))
        for new, old in zip(many, grads):
            if not isinstance(new, TensorBase):
                fail(TypeError, self.name, "result of the hook", "hold Tensors", describe(new))
            if new.shape != old.shape or new.dtype != old.dtype:
                rule, got = f"be {list(old.shape)}, {old.dtype}", f"{list(new.shape)}, {new.dtype}"
                fail(ValueError, self.name, "shape and dtype of the hook's gradient", rule, got)
        return many


class InsertGradientOf(Primitive):
    """Hands its input through and applies a function to its gradient (``mindspore.ops.InsertGradientOf``).

    Args:
        f: called with the gradient; what it returns, unless None, takes its place.

    Raises:
        TypeError: the input is no Tensor; at the gradient: `f` returns something else than a Tensor or None.

    Examples:
        >>> from ms_kernels import Tensor, grad
        >>> half = InsertGradientOf(lambda g: g * 0.5)
        >>> print(grad(lambda x: half(x) * 3)(Tensor(2.0)))
        1.5
    """

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__("InsertGradientOf")
        self.add_prim_attr("f", f)
        self.add_prim_attr("side_effect_backprop", True)

    def __call__(self, x: Any) -> Any:
        _check(self.name, (x,))
        return _Pass.apply(self._run, x)

    def _run(self, grads: Grads) -> Grads:
        found = self.attrs["f"](grads[0])
        return grads if found is None else (found,)
