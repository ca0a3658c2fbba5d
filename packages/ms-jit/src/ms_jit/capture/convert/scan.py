"""What a block of statements does: which names it binds, whether it leaves early."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["bound_names", "contains", "leaves"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _here(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of this scope: what functions and classes hold inside is left out."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            todo.extend(ast.iter_child_nodes(node))


def bound_names(block: Iterable[ast.AST]) -> list[str]:
    """The names that statements bind in their own scope, sorted."""
    found: set[str] = set()
    for node in _here(block):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return sorted(found)


def contains(block: Iterable[ast.AST], *kinds: type[ast.AST]) -> bool:
    """Whether one of the kinds of node is in the scope of the statements."""
    return any(isinstance(node, kinds) for node in _here(block))


def leaves(block: list[ast.stmt]) -> bool:
    """Whether the end of a block is never reached: it returns or raises on every way."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    if isinstance(last, ast.If):
        return leaves(last.body) and leaves(last.orelse)
    return isinstance(last, ast.With) and leaves(last.body)
