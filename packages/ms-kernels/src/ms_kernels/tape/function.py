"""_Function: an operation whose forward and backward a user writes."""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import is_recording, scope
from ms_kernels.core.tensor import Node, TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tape.batched import detached, refuse_outer

__all__ = ["_Function"]


class _Call:
    """The op of a node that a `_Function` made; the instance of the class is its context."""

    def __init__(self, context: _Function, slots: list[int], count: int, single: bool) -> None:
        self.context, self.slots, self.count, self.single = context, slots, count, single

    @property
    def materializes(self) -> bool:
        """Whether backward wants zeros for results that nothing depends on."""
        return self.context.materialize_grads

    def backward(self, _node: Node, given: Any) -> list[Any]:
        """Call the user's backward; return one gradient per tensor argument."""
        name = type(self.context).__name__
        found = self.context.backward(self.context, *((given,) if self.single else given))
        grads = found if isinstance(found, tuple) else (found,)
        if len(grads) != self.count:
            fail(RuntimeError, name, "number of gradients from backward", f"be {self.count}", str(len(grads)))
        out = [grads[slot] for slot in self.slots]
        for grad in out:
            if grad is not None and not isinstance(grad, TensorBase):
                fail(TypeError, name, "gradients from backward", "be Tensors or None", describe(grad))
        return out


class _Function:
    """Base class of operations with a gradient of their own (``mindspore.common._Function``).

    Override the static methods ``forward(ctx, *args)`` and ``backward(ctx, *grads)``, then call ``apply``. `ctx` is an
    instance of the class: it keeps what `save_for_backward` is given, and any attribute set on it.

    Examples:
        >>> from ms_kernels import Tensor, grad
        >>> class Cube(_Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x * x
        ...
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_tensors
        ...         return g * x * x * 3
        >>> print(grad(Cube.apply)(Tensor(2.0)))
        12.0
    """

    def __init__(self) -> None:
        self.needs_input_grad: tuple[bool, ...] = ()
        self.saved_tensors: tuple[Any, ...] = ()
        self.materialize_grads = True
        self.dirty_tensors: tuple[Any, ...] = ()
        self.non_differentiable: tuple[Any, ...] = ()

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the result; to be overridden."""
        raise NotImplementedError("For '_Function', the static method 'forward' must be overridden, but it is not.")

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Return one gradient (or None) per argument of forward; to be overridden."""
        raise NotImplementedError("For '_Function', the static method 'backward' must be overridden, but it is not.")

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `saved_tensors` in backward."""
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Tell which arguments forward changed in place."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Tell which results have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """With False, backward gets None for results that nothing depends on, instead of zeros."""
        self.materialize_grads = value

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and put it on the tape where gradients are recorded.

        Raises:
            TypeError: forward gives something else than a Tensor or a tuple holding some.
        """
        refuse_outer(args)
        context = cls()
        slots = [i for i, arg in enumerate(args) if isinstance(arg, TensorBase)]
        recording = is_recording() and any(args[i]._tape is not None for i in slots)
        context.needs_input_grad = tuple(
            recording and isinstance(arg, TensorBase) and arg._tape is not None for arg in args
        )
        tapes = tuple(args[i]._tape for i in slots)
        indices = tuple(args[i]._tape_index for i in slots)
        with scope(recording=False):
            value = cls.forward(context, *args, **kwargs)
        single = not isinstance(value, tuple)
        outs = (value,) if single else value
        if not any(isinstance(out, TensorBase) for out in outs):
            fail(TypeError, cls.__name__, "result of forward", "be a Tensor or a tuple of Tensors", describe(value))
        if not recording:
            return value
        metas = tuple((out.shape, out._kind) if isinstance(out, TensorBase) else ((), bool) for out in outs)
        call = _Call(context, slots, len(args), single)
        shapes = tuple((args[i].shape, args[i]._kind) for i in slots)
        node = Node(call, (), tapes, indices, shapes, None, None if single else metas)
        made = tuple(cls._attach(context, out, node, i, args) for i, out in enumerate(outs))
        context.saved_tensors = tuple(_moved(saved, outs, made) for saved in context.saved_tensors)
        return made[0] if single else made

    @classmethod
    def _attach(cls, context: _Function, out: Any, node: Node, index: int, args: tuple[Any, ...]) -> Any:
        """Put a result on the tape: as it is, or under a new name when it is an argument handed through."""
        if not isinstance(out, TensorBase) or any(out is t for t in context.non_differentiable):
            return out
        dirty = any(out is t for t in context.dirty_tensors)
        if any(out is arg for arg in args) and not dirty:
            out = detached(out)
        if out.dtype.kind in "fc":
            out._set_tape(node, index)
        return out


def _moved(saved: Any, outs: tuple[Any, ...], made: tuple[Any, ...]) -> Any:
    """A saved result, at its place on the tape (as an alias, so that the node does not keep itself alive)."""
    for one, other in zip(outs, made):
        if saved is one and isinstance(other, TensorBase) and other is not saved:
            return other
    return saved
