"""Hooks on the gradient of one tensor."""

from __future__ import annotations

from functools import partial
from typing import Any

from ms_hooks import HookTable, check_hook, run_tensor
from ms_kernels.core.operators import Operators
from ms_kernels.tape.batched import refuse_outer

__all__ = ["Hooks"]


class Hooks(Operators):
    """The part of Tensor that lets functions see, and change, its gradient."""

    __slots__ = ()

    def register_hook(self, hook: Any) -> Any:
        """Call ``hook(grad)`` when the gradient of this tensor is known; what it returns, unless None, replaces it.

        Returns:
            A handle with the method ``remove()``.

        Raises:
            TypeError: `hook` cannot be called, or not with one argument.

        Examples:
            >>> x = Tensor([1.0, 2.0])
            >>> handle = x.register_hook(lambda g: g * 10)
            >>> print(grad(lambda x: (x * x).sum())(x))
            [20. 40.]
            >>> handle.remove()
        """
        check_hook("register_hook", hook, 1)
        refuse_outer((self,))
        own = vars(self)
        table = own.get("_hook_table")
        if table is None:
            table = own["_hook_table"] = HookTable()
        handle = table.register_on(self, hook)
        own["_hooks"] = partial(run_tensor, table)
        self._attach_hooks()
        return handle

    def _attach_hooks(self) -> None:
        """Tell the tape's node of this tensor, if there is one, about its hooks."""
        node, run = self._tape, vars(self).get("_hooks")
        if node is None or run is None:
            return
        if node.hooks is None:
            node.hooks = {}
        node.hooks[self._tape_index] = run

    def _remove_hook(self) -> None:
        """Called by a handle after it took its hook out of the table."""
        if vars(self).get("_hook_table"):
            return
        vars(self).pop("_hooks", None)
        node = self._tape
        if node is not None and node.hooks is not None:
            node.hooks.pop(self._tape_index, None)

    def hooks(self) -> list[Any]:
        """Return the functions that `register_hook` was given and that were not removed."""
        return [hook.fn for hook in (vars(self).get("_hook_table") or {}).values()]
