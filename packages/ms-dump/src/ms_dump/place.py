"""Where a call comes from: the cells around it, the user's line, and whether it is part of a gradient.

It is read off the running frames, so that cells and the tape pay nothing for being watched.
"""

from __future__ import annotations

import sys
import threading
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import CodeType, FrameType
from typing import Any
from weakref import WeakKeyDictionary, ref

from ms_dump.marks import flag_of
from ms_kernels import Primitive
from ms_kernels.tape import backward

__all__ = ["Places", "Scope", "Stack", "Steps", "look"]

_WALK: CodeType = backward._walk.__code__
_METHODS = frozenset({"construct", "bprop"})
_KEPT = 200_000  # nodes whose place is remembered, for gradients that are taken later


@dataclass
class Stack:
    """What the frames above a call say.

    Attributes:
        cells: from the outermost to the innermost.
        root: the frame of the outermost.
        node: the node on the tape whose gradient is computed, None in a forward call.
        primitive: the Primitive that was called, None for functions and methods.
        source: (file, line) of the user.
        inside: whether some of the cells run as part of the gradient: one with its own, or one computed again.
    """

    cells: list[Any] = field(default_factory=list)
    root: FrameType | None = None
    node: Any = None
    primitive: Any = None
    source: tuple[str, int] = ("", 0)
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """The place of one call.

    Attributes:
        path: the names of the cells around it, as in "Default/network-Net/conv-Conv2d".
        cell: the class of the innermost cell, "" without one.
        flag: what `set_dump` said of the primitive, or else of that cell.
        source: (file, line) of the user.
        op: the type of the forward op, for calls that compute its gradient.
    """

    path: str = "Default"
    cell: str = ""
    flag: bool | None = None
    source: tuple[str, int] = ("", 0)
    op: str = ""


def look(frame: FrameType | None) -> Stack:
    """Read the stack from a frame upwards."""
    found = Stack()
    cells = found.cells
    seen_source = False
    while frame is not None:
        code = frame.f_code
        name = code.co_name
        if name in _METHODS and code.co_argcount:
            owner = frame.f_locals.get(code.co_varnames[0])
            if owner is not None and callable(getattr(owner, "cells", None)):
                if not cells or cells[-1] is not owner:
                    cells.append(owner)
                found.root = frame
        elif code is _WALK and found.node is None:
            found.node, found.inside = frame.f_locals.get("node"), bool(cells)
        elif name == "__call__" and not cells and found.primitive is None and code.co_filename.startswith("<"):
            owner = frame.f_locals.get(code.co_varnames[0])
            found.primitive = owner if isinstance(owner, Primitive) else None
        if not seen_source and _users(code.co_filename, frame.f_globals.get("__name__")):
            found.source, seen_source = (code.co_filename, frame.f_lineno), True
        frame = frame.f_back
    cells.reverse()
    return found


@lru_cache(maxsize=4096)
def _users(file: str, module: str | None) -> bool:
    """Whether a file is of the program, not of our packages or Python's own modules."""
    top, dot, _ = (module or "").partition(".")
    if top.startswith("ms_") and dot:
        return False
    return top not in sys.stdlib_module_names and not file.startswith("<")


class Places:
    """Turns stacks into scopes, and remembers those of the forward calls for their gradients."""

    def __init__(self) -> None:
        self._names: WeakKeyDictionary[Any, dict[int, str]] = WeakKeyDictionary()
        self._sequences: list[int] = []
        self._scopes: list[Scope] = []

    def scope(self, stack: Stack) -> Scope:
        """The scope of a call; that of the forward call where a gradient is computed."""
        if stack.node is not None and not stack.inside:
            # nodes that no op made (a cell's own gradient) come right after those of the cell
            at = bisect_right(self._sequences, stack.node.sequence) - 1
            if at >= 0:
                return self._scopes[at]
        cells = stack.cells
        said = None if stack.primitive is None else flag_of(stack.primitive)
        if not cells:
            return Scope(flag=said, source=stack.source)
        parts = ["Default", f"network-{type(cells[0]).__name__}"]
        for outer, inner in pairwise(cells):
            parts.append(f"{self._name(outer, inner)}-{type(inner).__name__}")
        flag = flag_of(cells[-1]) if said is None else said
        return Scope("/".join(parts), type(cells[-1]).__name__, flag, stack.source)

    def _name(self, outer: Any, inner: Any) -> str:
        known = self._names.get(outer)
        if known is None or id(inner) not in known:
            known = self._names[outer] = _inner_names(outer)
        return known.get(id(inner), type(inner).__name__)

    def remember(self, out: Any, scope: Scope, kind: str) -> None:
        """Note the scope of the node behind a result, and the type of its op."""
        node = getattr(out, "_tape", None)
        if node is None or node.op is None:
            return
        scope = Scope(scope.path, scope.cell, scope.flag, scope.source, kind)
        sequences, sequence = self._sequences, node.sequence
        if len(sequences) >= _KEPT:
            del sequences[: _KEPT // 2], self._scopes[: _KEPT // 2]
        at = bisect_right(sequences, sequence) if sequences and sequence < sequences[-1] else len(sequences)
        sequences.insert(at, sequence)
        self._scopes.insert(at, scope)


class Steps:
    """Counts the iterations: one ends when the cell that began it is called anew, or by `advance`.

    Attributes:
        iteration: the number of the present one, from 0.
        graph: the number of the outermost cell that was called last, in the order of first calls.
    """

    def __init__(self) -> None:
        self.iteration = self.graph = 0
        self._first: Any = None
        self._graphs: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._made = 0
        self._held = threading.local()

    def see(self, stack: Stack) -> bool:
        """Take note of a call; True when it is the first of a new iteration."""
        if stack.node is not None:
            return False
        if getattr(self._held, "frame", None) is stack.root:
            return False
        self._held.frame = stack.root  # held while it runs, so that no other can have its identity
        if stack.root is None:
            return False
        cell = stack.cells[0]
        if cell not in self._graphs:
            self._graphs[cell] = self._made
            self._made += 1
        self.graph = self._graphs[cell]
        if self._first is None:
            self._first = ref(cell)
            return False
        began = self._first()
        if began is None:
            self._first = ref(cell)
        if began is None or began is cell:
            self.iteration += 1
            return True
        return False

    def advance(self) -> None:
        """End the present iteration."""
        self.iteration += 1
        self._first = None
        self._held.frame = None


def _inner_names(cell: Any) -> dict[int, str]:
    """The names of all cells inside of one, by identity."""
    if not hasattr(cell, "cells_and_names"):
        return {id(part): str(i) for i, part in enumerate(cell.cells())}
    return {id(part): name for name, part in cell.cells_and_names() if name}
