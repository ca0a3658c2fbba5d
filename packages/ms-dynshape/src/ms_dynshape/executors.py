"""The executors that hold compiled graphs, so that they can be told to free one."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, Protocol

__all__ = ["Executors", "Holder"]


class Holder(Protocol):
    """What holds compiled graphs by their phase."""

    def del_net_res(self, obj: Any, phases: set[str]) -> None:
        """Free the graphs of `phases`; those that it does not have are no error."""


class Executors:
    """All executors of one kind; told as one, in the order in which they registered.

    They are held weakly: one that is gone needs not be told.

    >>> class Mine:
    ...     def del_net_res(self, obj, phases):
    ...         print("freed", phases)
    >>> executors, mine = Executors(), Mine()
    >>> executors.register(mine)
    >>> executors.get_instance().del_net_res(None, {"train"})
    freed {'train'}
    """

    def __init__(self) -> None:
        self._holders: list[weakref.ref[Holder]] = []

    def __iter__(self) -> Iterator[Holder]:
        return (holder for ref in list(self._holders) if (holder := ref()) is not None)

    def register(self, holder: Holder) -> None:
        """From now on tell `holder`; once is enough."""
        self._holders = [weakref.ref(known) for known in self if known is not holder] + [weakref.ref(holder)]

    def unregister(self, holder: Holder) -> None:
        """Tell `holder` no more."""
        self._holders = [weakref.ref(known) for known in self if known is not holder]

    def get_instance(self) -> Executors:
        """The executor to talk to (2.6's spelling): all of them."""
        return self

    def del_net_res(self, obj: Any, phases: set[str]) -> None:
        """Tell every executor to free the graphs of `phases`."""
        for holder in self:
            holder.del_net_res(obj, phases)
