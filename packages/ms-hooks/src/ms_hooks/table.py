"""Ordered tables of hooks that may change while they run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ms_hooks.handle import HookHandle, RemovesHook, _TensorHookHandle


class Hook(NamedTuple):
    """A hook as it stands in a table."""

    fn: Callable[..., Any]
    with_kwargs: bool = False

    @property
    def name(self) -> str:
        """How messages call it."""
        fn = self.fn
        while isinstance(fn, partial):
            fn = fn.func
        return getattr(fn, "__qualname__", None) or type(fn).__qualname__


def check_hook(register: str, fn: object, count: int | None = None) -> None:
    """Raise the TypeError of 2.6 when `fn` cannot be called, or not with `count` arguments.

    Args:
        register: the method that got it, for the message.
        fn: the hook. What tells no signature, as some functions in C, is taken as it is.
        count: how many arguments it will get; None: unknown.
    """
    if not callable(fn):
        raise TypeError(
            f"When using '{register}(hook_fn)', the type of 'hook_fn' must be callable, but got {type(fn)}."
        )
    try:
        takes = None if count is None else inspect.signature(fn)
    except ValueError:
        return
    if count is None or takes is None:
        return
    try:
        takes.bind(*(None,) * count)
    except TypeError:
        raise TypeError(
            f"For '{register}', the hook '{Hook(fn).name}' must take {count} arguments, but has the signature {takes}."
        ) from None


class HookTable(dict[int, Hook]):
    """Hooks by id, in the order of their registration.

    Copies and pickles of a table are empty: hooks belong to the object they were registered on.

    >>> table = HookTable()
    >>> first, second = table.register(str.upper), table.register(str.lower)
    >>> first.remove()
    >>> [hook.fn("Hi") for hook in table.running()]
    ['hi']
    """

    def register(self, fn: Callable[..., Any], with_kwargs: bool = False) -> HookHandle:
        """Add a hook at the end and return its handle."""
        handle = HookHandle(self)
        self[handle.handle_id] = Hook(fn, with_kwargs)
        return handle

    def register_on(self, tensor: RemovesHook, fn: Callable[..., Any]) -> _TensorHookHandle:
        """Add a hook of `tensor` at the end; removing it by the handle returned also tells the tensor."""
        handle = _TensorHookHandle(tensor)
        key = next(HookHandle._ids)
        self[key] = Hook(fn)
        handle._registered(self, key)
        return handle

    def running(self) -> Iterator[Hook]:
        """The hooks of one run: those there at its start, less those removed before their turn."""
        for key, hook in list(self.items()):
            if key in self:
                yield hook

    def __reduce__(self) -> tuple[type[HookTable], tuple[()]]:
        return type(self), ()

    def __copy__(self) -> HookTable:
        return type(self)()
