"""What stands between a Cell's call and its `construct`: precision, backward hooks, custom `bprop`, recomputation."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

from ms_kernels import Parameter, Tensor
from ms_kernels.core.dispatch import is_recording
from ms_kernels.core.tensor import Node
from ms_kernels.tape.batched import detached, refuse_outer
from ms_kernels.tape.modes import no_grad
from ms_kernels.tape.recompute import recompute

if TYPE_CHECKING:
    from ms_nn.cell import Cell

__all__ = [
    "BackwardWatch",
    "before_backward",
    "cast",
    "cast_parameter",
    "is_recording",
    "placed",
    "precision",
    "recomputed",
    "with_bprop",
]

Grads = tuple[Any, ...]

# the precision that `to_float` asked for, while such a cell runs: its parameters are then read in that precision
precision: ContextVar[Any] = ContextVar("ms_nn_precision", default=None)

# -- precision --------------------------------------------------------------------------------------------------------


def cast(value: Any, dtype: Any) -> Any:
    """The floating point tensors inside tuples, lists and dicts in another dtype."""
    if isinstance(value, Tensor):
        return value.astype(dtype) if value.dtype.kind == "f" and value.dtype != dtype else value
    if type(value) in (tuple, list):
        return type(value)(cast(item, dtype) for item in value)
    if type(value) is dict:
        return {key: cast(item, dtype) for key, item in value.items()}
    return value


def cast_parameter(value: Any, dtype: Any) -> Any:
    """A parameter as a cell's `construct` reads it: converted when a precision is set, but never the trained object."""
    return value if dtype is None or not isinstance(value, Parameter) else cast(value, dtype)


# -- places on the tape -----------------------------------------------------------------------------------------------


class _Gate:
    """An identity on the tape whose gradient passes through a function of tuples."""

    def __init__(self, rule: Callable[[Grads], Grads]) -> None:
        self.rule = rule

    def backward(self, _node: Node, given: Any) -> Grads:
        """One gradient for each tensor that went in."""
        return self.rule(given if isinstance(given, tuple) else (given,))


def _tensors(value: Any) -> list[Tensor]:
    """The differentiable tensors of a result or of arguments, in order."""
    if isinstance(value, Tensor):
        return [value] if value.dtype.kind in "fc" else []
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []


def _replace(value: Any, new: Any) -> Any:
    """`value` with its differentiable tensors taken from the iterator `new`."""
    if isinstance(value, Tensor):
        return next(new) if value.dtype.kind in "fc" else value
    if isinstance(value, (tuple, list)):
        return type(value)(_replace(item, new) for item in value)
    return value


def placed(op: Any, sources: list[Tensor], value: Any) -> Any:
    """The tensors of `value` as results of a node with the rule `op`, whose operands are `sources`."""
    outputs = _tensors(value)
    if not outputs:
        return value
    node = Node(
        op,
        (),
        tuple(source._tape for source in sources),
        tuple(source._tape_index for source in sources),
        out_metas=tuple((out.shape, out._kind) for out in outputs),
    )
    found = []
    for index, out in enumerate(outputs):
        fresh = detached(out)
        fresh._set_tape(node, index)
        found.append(fresh)
    return _replace(value, iter(found))


def _check_grads(hook: str, new: Grads, old: Grads) -> Grads:
    for one, was in zip(new, old):
        if isinstance(one, Tensor) and (one.shape != was.shape or one.dtype != was.dtype):
            raise ValueError(
                f"For '{hook}', the returned gradient must be a Tensor of shape {list(was.shape)} and dtype "
                f"{was.dtype}, but got {list(one.shape)} and {one.dtype}."
            )
    return new


class BackwardWatch:
    """One call of a cell that has backward hooks: they run when the gradient of its inputs is known."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.grad_output: Grads = ()
        self.constant = 0  # how many inputs there are, when none of them has a gradient

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with a place on the tape where the hooks run."""
        refuse_outer(args)
        tensors = _tensors(args)
        self.constant = 0 if any(tensor._tape is not None for tensor in tensors) else len(tensors)
        return args if self.constant else placed(_Gate(self._at_inputs), tensors, args)

    def leave(self, out: Any) -> Any:
        """The result, with a place on the tape that keeps its gradient for the hooks."""
        return placed(_Gate(self._at_outputs), _tensors(out), out)

    def _at_outputs(self, grads: Grads) -> Grads:
        self.grad_output = grads
        if self.constant:
            self.cell._run_backward_hooks((None,) * self.constant, grads)
        return grads

    def _at_inputs(self, grads: Grads) -> Grads:
        return _check_grads("register_backward_hook", self.cell._run_backward_hooks(grads, self.grad_output), grads)


def before_backward(cell: Cell, out: Any) -> Any:
    """The result, with a place on the tape where the backward pre hooks run."""

    def rule(grads: Grads) -> Grads:
        return _check_grads("register_backward_pre_hook", cell._run_backward_pre_hooks(grads), grads)

    return placed(_Gate(rule), _tensors(out), out)


# -- other gradients --------------------------------------------------------------------------------------------------


class _Bprop:
    """The gradient rule of a call of a cell with its own `bprop`."""

    def __init__(self, cell: Any, args: tuple[Any, ...], out: Any, params: list[Parameter]) -> None:
        self.cell, self.args, self.out, self.params = cell, args, out, params

    def backward(self, _node: Node, given: Any) -> list[Any]:
        """The gradients of the arguments' tensors, then those of the parameters."""
        dout = _replace(self.out, iter(given if isinstance(given, tuple) else (given,)))
        found = self.cell.bprop(*self.args, self.out, dout)
        by_param: dict[Any, Any] = {}
        if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict):
            found, by_param = found
        grads = found if isinstance(found, tuple) else (found,)
        if len(grads) < len(self.args):
            raise RuntimeError(
                f"For '{type(self.cell).__name__}', the bprop must return a gradient for each of the "
                f"{len(self.args)} inputs of construct, but got {len(grads)}."
            )
        flat: list[Any] = []
        for arg, grad in zip(self.args, grads):
            wanted = len(_tensors(arg))
            items = _tensors(grad) if isinstance(arg, (tuple, list)) else [grad]
            flat.extend(items if len(items) == wanted else [None] * wanted)
        return flat + [by_param.get(param) for param in self.params]


def with_bprop(cell: Any) -> Callable[..., Any]:
    """`construct` of a cell whose gradient is what its method ``bprop(*inputs, out, dout)`` returns."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not is_recording():
            return cell.construct(*args, **kwargs)
        refuse_outer(args)
        with no_grad():
            out = cell.construct(*args, **kwargs)
        params = [param for param in cell.trainable_params() if param._tape is not None]
        sources = _tensors(args) + params
        if all(source._tape is None for source in sources):
            return out
        return placed(_Bprop(cell, args, out, params), sources, out)

    return call


class _Block:
    """A cell's `construct` in the precision of now, for when it runs again."""

    def __init__(self, cell: Any) -> None:
        self.construct = cell.construct
        own = cell.mixed_precision_type
        self.dtype = precision.get() if own is None else own

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        token = precision.set(self.dtype)
        try:
            return self.construct(*args, **kwargs)
        finally:
            precision.reset(token)


def recomputed(cell: Any) -> Callable[..., Any]:
    """`construct` of a cell whose intermediate results are not kept, but computed again for the gradient."""
    return partial(recompute, _Block(cell))
