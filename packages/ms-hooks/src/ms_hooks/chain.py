"""How the hooks of a table run one after the other, and what their results may be.

A hook that returns None leaves the values as they are; anything else goes on to the next hook.  All is computed in
local variables, so a hook that raises leaves nothing half done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ms_hooks.table import Hook, HookTable

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]


def _as_args(kind: str, hook: Hook, result: Any, size: int, of: str) -> Args:
    """`result` as a tuple of `size` values; a single value may stand alone."""
    values = result if isinstance(result, tuple) else (result,)
    if len(values) != size:
        raise TypeError(
            f"The {kind} hook return value size is {len(values)} not equal to {of} size {size}, hook: '{hook.name}'."
        )
    return values


def is_tensor(value: object) -> bool:
    """A tensor by protocol."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _as_grads(kind: str, hook: Hook, result: Any, old: Args, of: str) -> Args:
    """As `_as_args`, of tensors; None may stay where None was."""
    grads = _as_args(kind, hook, result, len(old), of)
    for new, was in zip(grads, old, strict=True):
        if not is_tensor(new) and not (new is None and was is None):
            raise TypeError(
                f"The output type of {kind} hook '{hook.name}' should be a tensor but got {type(new).__name__}."
            )
    return grads


def run_forward_pre(table: HookTable, owner: object, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    """Run ``hook(owner, args)``, or ``hook(owner, args, kwargs)`` for one registered with `with_kwargs`.

    Returns:
        The arguments and keyword arguments to call with. A hook returns None, the arguments (one may stand alone), or,
        with `with_kwargs`, a tuple (args, kwargs).

    Raises:
        TypeError: another number of arguments, or no such pair.
    """
    for hook in table.running():
        if not hook.with_kwargs:
            result = hook.fn(owner, args)
        else:
            result = hook.fn(owner, args, kwargs)
            if result is not None:
                pair = isinstance(result, tuple) and len(result) == 2
                if not pair or not isinstance(result[0], tuple) or not isinstance(result[1], Mapping):
                    raise TypeError(
                        f"The forward pre hook '{hook.name}' with kwargs should return None or a tuple (args, kwargs), "
                        f"but got {type(result).__name__}."
                    )
                result, kwargs = result
        if result is not None:
            args = _as_args("forward pre", hook, result, len(args), "input")
    return args, kwargs


def run_forward(table: HookTable, owner: object, args: Args, kwargs: Kwargs, output: Any) -> Any:
    """Run ``hook(owner, args, output)`` or ``hook(owner, args, kwargs, output)``; the result may be any value."""
    for hook in table.running():
        result = hook.fn(owner, args, kwargs, output) if hook.with_kwargs else hook.fn(owner, args, output)
        if result is not None:
            output = result
    return output


def run_backward_pre(table: HookTable, owner: object, grad_output: Args) -> Args:
    """Run ``hook(owner, grad_output)`` over the gradients of the outputs.

    Raises:
        TypeError: a hook returns another number of gradients, or anything but tensors.
    """
    for hook in table.running():
        result = hook.fn(owner, grad_output)
        if result is not None:
            grad_output = _as_grads("backward pre", hook, result, grad_output, "expect output")
    return grad_output


def run_backward(table: HookTable, owner: object, grad_input: Args, grad_output: Args) -> Args:
    """Run ``hook(owner, grad_input, grad_output)``; what it returns takes the place of `grad_input`.

    Raises:
        TypeError: a hook returns another number of gradients, or anything but tensors.
    """
    for hook in table.running():
        result = hook.fn(owner, grad_input, grad_output)
        if result is not None:
            grad_input = _as_grads("backward", hook, result, grad_input, "expect grad input")
    return grad_input


def run_tensor(table: HookTable, grad: Any) -> Any:
    """Run ``hook(grad)`` over the gradient of one tensor.

    Raises:
        RuntimeError: a hook returns no tensor, or one of another shape or dtype.
    """
    for hook in table.running():
        result = hook.fn(grad)
        if result is None:
            continue
        if not is_tensor(result):
            raise RuntimeError(f"Tensor hook '{hook.name}' should return None or a Tensor, but got {type(result)}.")
        if _signature(result) != _signature(grad):
            raise RuntimeError(
                f"Tensor hook '{hook.name}' should return a Tensor of shape {tuple(grad.shape)} and dtype "
                f"{grad.dtype}, but got {tuple(result.shape)} and {result.dtype}."
            )
        grad = result
    return grad


def _signature(tensor: Any) -> tuple[Sequence[int], object]:
    return tuple(tensor.shape), tensor.dtype
