"""Rewriting expressions: what may ask for a tensor's truth, calls something, or reads from outside."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from ms_jit.capture.convert.scan import bound_names

__all__ = ["Expressions", "attribute_stores", "ms_call"]


def ms_call(name: str, *args: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.expr:
    """Return the call ``_ms.name(*args)``."""
    return ast.Call(ast.Attribute(ast.Name("_ms", ast.Load()), name, ast.Load()), list(args), keywords or [])


def _thunk(value: ast.expr) -> ast.expr:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


class Expressions(ast.NodeTransformer):
    """Rewrites the expressions in a statement or an expression, also those of functions inside.

    Args:
        outside: names from outside of the function.
        owner: the name of its class, "" without.
        first: its first parameter, which `super()` stands for.
    """

    def __init__(self, outside: frozenset[str], owner: str, first: str) -> None:
        self.outside, self.owner, self.first = outside, owner.lstrip("_"), first

    def visit(self, node: ast.AST) -> Any:
        if getattr(node, "_ms_done", False):
            return node
        made = super().visit(node)
        if made is not node and isinstance(made, ast.AST) and hasattr(node, "lineno"):
            ast.copy_location(made, node)
        return made

    @contextlib.contextmanager
    def _hiding(self, names: Iterable[str]) -> Iterator[None]:
        """Names that an inner scope binds are not those from outside there."""
        before = self.outside
        self.outside = before - frozenset(names)
        try:
            yield
        finally:
            self.outside = before

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """An inner function is rewritten whole when it is called; here only what it reads, since others may call it."""
        args = node.args
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        args.defaults = [self.visit(item) for item in args.defaults]
        args.kw_defaults = [None if item is None else self.visit(item) for item in args.kw_defaults]
        with self._hiding({*_params(args), *bound_names(node.body)}):
            node.body = [made for item in node.body for made in (*attribute_stores(item, self), self.visit(item))]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        args = node.args
        args.defaults = [self.visit(item) for item in args.defaults]
        args.kw_defaults = [None if item is None else self.visit(item) for item in args.kw_defaults]
        with self._hiding(_params(args)):
            node.body = self.visit(node.body)
        return node

    def _comprehension(self, node: Any) -> Any:
        with self._hiding(bound_names([item.target for item in node.generators])):
            return self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Name(self, node: ast.Name) -> Any:
        if isinstance(node.ctx, ast.Load) and node.id in self.outside:
            return ms_call("name", ast.Name("_ms_fn", ast.Load()), ast.Constant(node.id), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        node.value = self.visit(node.value)
        if node.attr.startswith("__") and not node.attr.endswith("__") and self.owner:
            node.attr = f"_{self.owner}{node.attr}"
        if isinstance(node.ctx, ast.Load):
            return ms_call("attr", node.value, ast.Constant(node.attr))
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            first = ast.Name("__class__", ast.Load()), ast.Name(self.first, ast.Load())
            return ast.Call(node.func, list(first), [])
        args = [self.visit(arg) for arg in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return ms_call("call", self.visit(node.func), *args, keywords=keywords)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return ms_call(name, *(_thunk(self.visit(value)) for value in node.values))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        node.operand = self.visit(node.operand)
        return ms_call("not_", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return ms_call("choose", self.visit(node.test), *(_thunk(self.visit(x)) for x in (node.body, node.orelse)))

    def visit_Compare(self, node: ast.Compare) -> Any:
        operands = [self.visit(node.left), *(self.visit(item) for item in node.comparators)]
        if len(node.ops) == 1:
            return ast.Compare(operands[0], node.ops, operands[1:])
        if not all(isinstance(item, (ast.Name, ast.Constant)) for item in node.comparators[:-1]):
            return ast.Compare(operands[0], node.ops, operands[1:])  # what stands in the middle is computed once
        pairs = zip(operands, node.ops, operands[1:])
        return ms_call("and_", *(_thunk(ast.Compare(left, [op], [right])) for left, op, right in pairs))


def _params(arguments: ast.arguments) -> set[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {arg.arg for arg in every if arg is not None}


def attribute_stores(node: ast.stmt, expressions: Expressions) -> list[ast.stmt]:
    """Notices of the objects whose attributes, and of the containers whose items, a statement sets or deletes.

    What stands inside of a block has its own notices, where that is rewritten.
    """
    found: list[ast.stmt] = []
    todo: list[ast.AST] = [node]
    while todo:
        item = todo.pop()
        if item is not node and isinstance(item, (ast.Lambda, ast.FunctionDef, ast.ClassDef)):
            continue
        if isinstance(item, (ast.Attribute, ast.Subscript)) and not isinstance(item.ctx, ast.Load):
            name: Any = item.attr if isinstance(item, ast.Attribute) else None
            if any(isinstance(part, ast.Call) for part in ast.walk(item.value)):
                continue  # it would be called twice; see `Guards.intact`
            holder = expressions.visit(deepcopy(item.value))
            found.append(ast.Expr(ms_call("sets", holder, ast.Constant(name))))
        if not isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(item))
    return found
