"""Handles: what registering a hook returns, and how the hook is taken away again.

A handle owns nothing: it keeps neither the table of hooks nor the tensor alive, and it may outlive both.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import MutableMapping
from typing import Any, Protocol, TypeVar

_Self = TypeVar("_Self", bound="_Handle")


class RemovesHook(Protocol):
    """A tensor, as a handle sees it."""

    def _remove_hook(self) -> None: ...


class _Nothing:
    """Stands for a referent that is gone."""


class _Handle:
    """A context manager that takes its hook away at the end."""

    def remove(self) -> None:
        raise NotImplementedError

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.remove()


class HookHandle(_Handle):
    """Handle of a hook in an ordered table (`mindspore.common.hook_handle.HookHandle` of 2.6).

    Args:
        hook_dict: the table, held weakly: a `HookTable`, an OrderedDict or another mapping that takes weak references.
            The hook belongs there under the key `handle_id`, which is unique in the process. None: a handle of nothing.

    Raises:
        TypeError: `hook_dict` takes no weak reference (a plain dict, a list, a number).

    >>> from collections import OrderedDict
    >>> table = OrderedDict()
    >>> with HookHandle(table) as handle:
    ...     table[handle.handle_id] = print
    >>> handle.remove()
    >>> table
    OrderedDict()
    """

    _ids = itertools.count()  # one C call, so two threads never get the same

    hook_dict_ref: weakref.ref[MutableMapping[int, Any]] | None
    handle_id: int

    def __init__(self, hook_dict: MutableMapping[int, Any] | None = None) -> None:
        self.hook_dict_ref = None
        if hook_dict is not None:
            self.hook_dict_ref = weakref.ref(hook_dict)
            self.handle_id = next(self._ids)

    def remove(self) -> None:
        """Take the hook out of its table; doing it again, or when the table is gone, is harmless."""
        table = self.hook_dict_ref() if self.hook_dict_ref is not None else None
        if table is not None:
            table.pop(self.handle_id, None)

    def __reduce__(self) -> tuple[type[HookHandle], tuple[()]]:
        # copies of a hooked object have no hooks, so the copy of a handle is a handle of nothing
        return type(self), ()


class _TensorHookHandle(_Handle):
    """Handle of a hook on a tensor (`mindspore.common.hook_handle._TensorHookHandle` of 2.6).

    Args:
        tensor: held weakly by `tensor_ref`.

    `id` is None until the hook is registered; until then `remove` does nothing.

    Raises:
        TypeError: `tensor` takes no weak reference.
    """

    id: int | None
    tensor_ref: weakref.ref[Any]

    def __init__(self, tensor: RemovesHook) -> None:
        self.id = None
        self.tensor_ref = weakref.ref(tensor)
        self._table_ref: weakref.ref[MutableMapping[int, Any]] | None = None
        self._removed: int | None = None

    def _registered(self, table: MutableMapping[int, Any], key: int) -> None:
        self.id = key
        self._table_ref = weakref.ref(table)

    def remove(self) -> None:
        """Take the hook away, then tell the tensor (`_remove_hook()`); harmless again, or when the tensor is gone."""
        if self.id is None or self.id == self._removed:
            return
        self._removed = self.id
        table = self._table_ref() if self._table_ref is not None else None
        if table is not None:
            table.pop(self.id, None)
        tensor = self.tensor_ref()
        if tensor is not None:
            tensor._remove_hook()

    def __reduce__(self) -> tuple[type[_TensorHookHandle], tuple[_Nothing]]:
        return type(self), (_Nothing(),)
