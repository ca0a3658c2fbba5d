"""`Hookable`: gives a class forward and backward hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ms_hooks import chain
from ms_hooks.handle import HookHandle
from ms_hooks.table import HookTable, check_hook

_NONE: Mapping[str, HookTable] = MappingProxyType({})
# how many arguments the hooks of a kind get, without the kwargs
_COUNTS: Mapping[str, int] = MappingProxyType({"forward_pre": 2, "forward": 3, "backward_pre": 2, "backward": 3})


class Hookable:
    """Mixin with the hook methods of `mindspore.nn.Cell` 2.6; the class calls the `_run_*` methods at the right time.

    `_hook_tables` is falsy until the first registration, so a call without hooks costs one attribute look-up.
    Copies and pickles of the object have no hooks.

    >>> class Double(Hookable):
    ...     def __call__(self, *args, **kwargs):
    ...         args, kwargs = self._run_forward_pre_hooks(args, kwargs)
    ...         return self._run_forward_hooks(args, kwargs, 2 * args[0])
    >>> double = Double()
    >>> with double.register_forward_hook(lambda cell, args, output: output + args[0]):
    ...     double(10)
    30
    >>> double(10)
    20
    """

    _hook_tables: Mapping[str, HookTable] = _NONE

    def _register(self, kind: str, fn: Callable[..., Any], with_kwargs: bool = False) -> HookHandle:
        if not isinstance(with_kwargs, bool):
            raise TypeError(
                f"For 'register_{kind}_hook', the 'with_kwargs' must be bool, but got {type(with_kwargs).__name__}."
            )
        check_hook(f"register_{kind}_hook", fn, _COUNTS[kind] + with_kwargs)
        tables = self._hook_tables
        if kind not in tables:
            tables = {**tables, kind: HookTable()}
            # past any __setattr__ of the class: this is neither parameter nor sub-cell
            object.__setattr__(self, "_hook_tables", tables)
        return tables[kind].register(fn, with_kwargs)

    def _has_hooks(self, *kinds: str) -> bool:
        """Whether there is a hook of any of the kinds (forward_pre, forward, backward_pre, backward)."""
        tables = self._hook_tables
        return bool(tables) and any(tables.get(kind) for kind in kinds)

    def register_forward_pre_hook(self, hook_fn: Callable[..., Any], with_kwargs: bool = False) -> HookHandle:
        """Call ``hook_fn(cell, args)`` before each forward; what it returns, unless None, takes the place of args.

        With `with_kwargs` it is ``hook_fn(cell, args, kwargs)`` and returns None or a tuple (args, kwargs).

        Raises:
            TypeError: `hook_fn` cannot be called so. In the forward: it returns another number of arguments.
        """
        return self._register("forward_pre", hook_fn, with_kwargs)

    def register_forward_hook(self, hook_fn: Callable[..., Any], with_kwargs: bool = False) -> HookHandle:
        """Call ``hook_fn(cell, args, output)`` after each forward; what it returns, unless None, is the new output.

        With `with_kwargs` it is ``hook_fn(cell, args, kwargs, output)``.

        Raises:
            TypeError: `hook_fn` cannot be called so.
        """
        return self._register("forward", hook_fn, with_kwargs)

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Call ``hook_fn(cell, grad_output)`` before the gradient passes the cell; it may return a new grad_output.

        Raises:
            TypeError: `hook_fn` cannot be called so. In the backward: it returns no tensors, or another number of them.
        """
        return self._register("backward_pre", hook_fn)

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Call ``hook_fn(cell, grad_input, grad_output)`` after the gradient; it may return a new grad_input.

        Raises:
            TypeError: `hook_fn` cannot be called so. In the backward: it returns no tensors, or another number of them.
        """
        return self._register("backward", hook_fn)

    def _run_forward_pre_hooks(self, args: chain.Args, kwargs: chain.Kwargs) -> tuple[chain.Args, chain.Kwargs]:
        table = self._hook_tables.get("forward_pre")
        return chain.run_forward_pre(table, self, args, kwargs) if table else (args, kwargs)

    def _run_forward_hooks(self, args: chain.Args, kwargs: chain.Kwargs, output: Any) -> Any:
        table = self._hook_tables.get("forward")
        return chain.run_forward(table, self, args, kwargs, output) if table else output

    def _run_backward_pre_hooks(self, grad_output: chain.Args) -> chain.Args:
        table = self._hook_tables.get("backward_pre")
        return chain.run_backward_pre(table, self, grad_output) if table else grad_output

    def _run_backward_hooks(self, grad_input: chain.Args, grad_output: chain.Args) -> chain.Args:
        table = self._hook_tables.get("backward")
        return chain.run_backward(table, self, grad_input, grad_output) if table else grad_input
