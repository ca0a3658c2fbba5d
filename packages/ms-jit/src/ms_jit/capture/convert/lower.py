"""Rewriting a function so that its control flow over tensors can be captured.

The rewritten function does what the old one did, but asks `_ms` (see `ms_jit.capture.control`) where Python would ask
for the truth of a value, call something, or read an attribute or a name from outside:

- ``if``, ``while`` become calls that get the branches as functions and the names that these bind as a state;
- an ``if`` that returns early takes the statements after it into the branches;
- ``break`` and ``continue`` become flags;
- ``and``, ``or``, ``not``, ``x if c else y`` and chained comparisons become calls.

Loops that return, and ``try`` blocks, keep Python's own control flow: there a tensor's truth cannot be captured.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ms_jit.capture.convert.expressions import Expressions, attribute_stores, ms_call
from ms_jit.capture.convert.scan import bound_names, contains, leaves

__all__ = ["define", "lower"]

_LEAVING = (ast.Return, ast.Break, ast.Continue)


def lower(function: ast.FunctionDef, outside: frozenset[str], owner: str) -> ast.FunctionDef:
    """Return the rewritten function.

    Args:
        function: its definition, without decorators.
        outside: the names that it takes from outside: globals and those of enclosing functions.
        owner: the name of its class, for names that begin with two underscores; "" without.
    """
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    params = {arg.arg for arg in every if arg is not None}
    locals_ = [name for name in bound_names(function.body) if name not in params]
    first = next((arg.arg for arg in [*arguments.posonlyargs, *arguments.args]), "")
    lowering = _Lowering(Expressions(outside, owner, first))
    body = lowering.block(function.body)
    if not body:
        body = [ast.Pass()]
    names = [*locals_, *lowering.made]
    start: list[ast.stmt] = [_assign(name, ms_call("Unbound", ast.Constant(name))) for name in names]
    made = define(function.name, arguments, start + body)
    return ast.fix_missing_locations(ast.copy_location(made, function))


def define(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """Return a function definition, in the form of every Python version."""
    made = ast.FunctionDef(name, arguments, body, [], None, None)
    if "type_params" in ast.FunctionDef._fields:
        setattr(made, "type_params", [])  # noqa: B010  (older stubs do not know it)
    return made


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _not(value: ast.expr) -> ast.expr:
    return ms_call("not_", value)


class _Lowering:
    """Rewrites blocks; `made` are the names of flags that it brought in."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.made: list[str] = []
        self._count = 0

    def _fresh(self, kind: str) -> str:
        self._count += 1
        return f"_ms_{kind}_{self._count}"

    def _flag(self, kind: str) -> str:
        name = self._fresh(kind)
        self.made.append(name)
        return name

    def value(self, node: Any) -> Any:
        return self.expressions.visit(node)

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            if isinstance(statement, ast.If) and contains([statement], ast.Return):
                return out + self._early_return(statement, list(statements[i + 1 :]))
            made = self.statement(statement)
            for item in made:
                ast.copy_location(item, statement)
            out += made
        return out

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        if isinstance(node, ast.If):
            return self._if(node)
        if isinstance(node, (ast.While, ast.For)):
            return self._loop(node)
        if isinstance(node, ast.With) and not contains(node.body, *_LEAVING):
            node.items = [self.value(item) for item in node.items]
            node.body = self.block(node.body)
            return [node]
        if isinstance(node, (ast.With, ast.Try)) or type(node).__name__ in ("TryStar", "Match"):
            return [*attribute_stores(node, self.expressions), self._plain(node)]
        if isinstance(node, ast.FunctionDef):
            return [self.value(node)]  # and converted when it is called
        if isinstance(node, ast.ClassDef):
            return [node]
        return [*attribute_stores(node, self.expressions), self.value(node)]

    # -- if -----------------------------------------------------------------------------------------------------------

    def _if(self, node: ast.If) -> list[ast.stmt]:
        names = bound_names([*node.body, *node.orelse])
        branches = (
            self._function("then", self.block(node.body), names),
            self._function("else", self.block(node.orelse), names),
        )
        state = self._state(names)
        call = ms_call("branch", self.value(node.test), *(_load(f.name) for f in branches), *_state_args(state, names))
        return [*branches, *state, ast.Expr(call)]

    def _early_return(self, node: ast.If, rest: list[ast.stmt]) -> list[ast.stmt]:
        """``if`` with a return inside: both branches go on to the end of the function."""
        names = bound_names([*node.body, *node.orelse, *rest])
        after = self._function("rest", self.block(rest), names)
        onward: list[ast.stmt] = [ast.Return(ast.Call(_load(after.name), [], []))]
        functions = []
        for kind, block in (("then", node.body), ("else", node.orelse)):
            body = self.block(block if leaves(block) else [*block, *_marked(onward)])
            functions.append(self._function(kind, body, names))
        state = self._state(names)
        call = ms_call("choose", self.value(node.test), *(_load(f.name) for f in functions), *_state_args(state, names))
        out: list[ast.stmt] = [after, *functions, *state, ast.Return(call)]
        for item in out:
            ast.copy_location(item, node)
        return out

    def _function(self, kind: str, body: list[ast.stmt], names: list[str]) -> ast.FunctionDef:
        bound = sorted({*names, *(name for name in bound_names(body) if not name.startswith("_ms_"))})
        flags = [name for name in self.made if name in bound_names(body)]
        head: list[ast.stmt] = [ast.Nonlocal([*bound, *flags])] if bound or flags else []
        return _define(self._fresh(kind), [], [*head, *(body or [ast.Pass()])])

    def _state(self, names: list[str]) -> list[ast.stmt]:
        """Functions that get and set the names."""
        if not names:
            return []
        get = _define(self._fresh("get"), [], [ast.Return(ast.Tuple([_load(name) for name in names], ast.Load()))])
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        put = _define(
            self._fresh("set"), ["_ms_state"], [ast.Nonlocal(list(names)), ast.Assign([target], _load("_ms_state"))]
        )
        return [get, put]

    # -- loops --------------------------------------------------------------------------------------------------------

    def _loop(self, node: ast.While | ast.For) -> list[ast.stmt]:
        if contains(node.body, ast.Return) or contains([node], ast.Try) or node.orelse:
            return [self._plain(node)]
        stop = self._flag("break") if contains(_own(node.body), ast.Break) else ""
        skip = self._flag("continue") if contains(_own(node.body), ast.Continue) else ""
        body = self.block(_flagged(node.body, stop, skip))
        if skip:
            body.insert(0, _assign(skip, ast.Constant(False)))
        before: list[ast.stmt] = [_assign(stop, ast.Constant(False))] if stop else []
        if isinstance(node, ast.For):
            return before + self._for(node, body, stop)
        flags = [name for name in (stop, skip) if name]
        names = sorted({*bound_names(node.body), *bound_names([node.test])}) + flags
        test = self.value(node.test)
        if stop:
            test = ms_call("and_", _thunk(_not(_load(stop))), _thunk(test))
        functions = [
            self._function("test", [ast.Return(test)], bound_names([node.test])),
            self._function("body", body, names),
        ]
        state = self._state(names)
        call = ms_call("loop", *(_load(f.name) for f in functions), *_state_args(state, names))
        return [*before, *functions, *state, ast.Expr(call)]

    def _for(self, node: ast.For, body: list[ast.stmt], stop: str) -> list[ast.stmt]:
        """``for`` stays a Python loop over what is known; a break that depends on a tensor switches its rounds off."""
        target: ast.expr = node.target
        if stop:
            target = ast.Name(self._fresh("item"), ast.Store())  # the name itself stays when rounds are switched off
            body = [ast.Assign([node.target], _load(target.id)), *body]
            names = sorted({*bound_names(node.body), *bound_names([node.target])}) + [stop]
            inner = self._function("body", body, names)
            nothing = self._function("else", [], [])
            state = self._state(names)
            ways = _load(inner.name), _load(nothing.name)
            call = ms_call("branch", _not(_load(stop)), *ways, *_state_args(state, names))
            leave = ast.If(ms_call("surely", _load(stop)), [ast.Break()], [])
            body = [inner, nothing, *state, ast.Expr(call), leave]
        return [ast.For(target, ms_call("items", self.value(node.iter)), body or [ast.Pass()], [])]

    # -- Python's own -------------------------------------------------------------------------------------------------

    def _plain(self, node: Any) -> Any:
        """A statement with Python's own control flow: only its expressions are rewritten, and truth is asked for."""
        return _Plain(self).visit(node)


def _marked(statements: list[ast.stmt]) -> list[ast.stmt]:
    for statement in statements:
        statement._ms_done = True  # type: ignore[attr-defined]  # the call of the rest is no user's code
    return statements


def _define(name: str, params: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(param) for param in params], None, [], [], None, [])
    return define(name, arguments, body)


def _thunk(value: ast.expr) -> ast.expr:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


def _state_args(state: list[ast.stmt], names: list[str]) -> list[ast.expr]:
    if not state:
        return []
    functions = [_load(item.name) for item in state if isinstance(item, ast.FunctionDef)]
    return [*functions, ast.Tuple([ast.Constant(name) for name in names], ast.Load())]


def _own(block: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements without those of inner loops, whose breaks are their own."""
    found: list[ast.stmt] = []
    for statement in block:
        if isinstance(statement, (ast.While, ast.For)):
            continue
        if isinstance(statement, ast.If):
            found += _own(statement.body) + _own(statement.orelse)
        elif isinstance(statement, ast.With):
            found += _own(statement.body)
        else:
            found.append(statement)
    return found


def _flagged(block: Sequence[ast.stmt], stop: str, skip: str) -> list[ast.stmt]:
    """The body of a loop with flags in place of its breaks and continues; what follows one is switched off by it."""
    out: list[ast.stmt] = []
    for i, statement in enumerate(block):
        if isinstance(statement, ast.Break):
            return [*out, ast.copy_location(_assign(stop, ast.Constant(True)), statement)]
        if isinstance(statement, ast.Continue):
            return [*out, ast.copy_location(_assign(skip, ast.Constant(True)), statement)]
        if isinstance(statement, ast.If) and contains(_own([statement]), ast.Break, ast.Continue):
            then = _flagged(statement.body, stop, skip) or [ast.Pass()]
            inner = ast.If(statement.test, then, _flagged(statement.orelse, stop, skip))
            out.append(ast.copy_location(inner, statement))
            rest = _flagged(block[i + 1 :], stop, skip)
            flags: list[ast.expr] = [_load(flag) for flag in (stop, skip) if flag]
            if rest:
                test = _done(_not(flags[0]))
                if len(flags) == 2:
                    test = _done(ms_call("and_", _thunk(_not(flags[0])), _thunk(_not(flags[1]))))
                out.append(ast.copy_location(ast.If(test, rest, []), statement))
            return out
        out.append(statement)
    return out


def _done(node: ast.expr) -> ast.expr:
    node._ms_done = True  # type: ignore[attr-defined]
    return node


class _Plain(ast.NodeTransformer):
    """Rewrites the expressions of statements that keep their control flow."""

    def __init__(self, lowering: _Lowering) -> None:
        self.lowering = lowering

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    def _asked(self, node: Any) -> Any:
        node.test = ms_call("truth", self.lowering.value(node.test))
        node.body = [self.visit(item) for item in node.body]
        node.orelse = [self.visit(item) for item in node.orelse]
        return node

    visit_If = visit_While = _asked

    def generic_visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            return self.lowering.value(node)
        return super().generic_visit(node)
