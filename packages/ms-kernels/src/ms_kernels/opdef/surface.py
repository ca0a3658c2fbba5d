"""Builds the public callables from the op records: functions, Tensor methods, in-place twins and Primitive classes."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from typing import Any

from ms_kernels.core.dispatch import Op, dispatch, dispatch_inplace
from ms_kernels.opdef.catalog import catalog
from ms_kernels.opdef.forms import resolve
from ms_kernels.opdef.primitive import Primitive
from ms_kernels.opdef.spec import MISSING, Form, Param

__all__ = ["build", "install"]


def _rows(surface: str, name: str, ops: list[Op]) -> list[tuple[Op, Form]]:
    return [(op, form) for op in ops for form in op.record.forms if form.surface == surface and form.name == name]


def build(surface: str, name: str, module: str) -> Any:
    """Make the callable (or Primitive class) of one public name; loads the families that declare it."""
    rows = _rows(surface, name, catalog.ops(surface, name))
    made: Any
    if surface == "primitive":
        made = _primitive(name, *rows[0])
    elif len(rows) == 1:
        made = _function(surface, name, *rows[0])
    else:
        made = _resolving(surface, name, rows)
    made.__module__ = module
    made.__doc__ = rows[0][0].record.doc
    return made


def install(owner: type, module: str) -> None:
    """Attach the methods of the surfaces "tensor" and "inplace" to a class; a name must not be there already."""
    for surface in ("tensor", "inplace"):
        for name in catalog.names(surface):
            if name in vars(owner):
                raise ValueError(f"{owner.__name__}.{name} is defined twice")
            setattr(owner, name, _Method(owner, surface, name, module))


class _Method:
    """Stands for a method until it is first looked up, then puts the built function in its own place."""

    def __init__(self, *how: Any) -> None:
        self.how = how

    def __get__(self, instance: Any, kind: Any = None) -> Any:
        owner, surface, name, module = self.how
        method = build(surface, name, module)
        method.__qualname__ = f"{owner.__name__}.{name}"
        setattr(owner, name, method)
        return method if instance is None else method.__get__(instance, kind)


def _receiver(op: Op, form: Form) -> str:
    """The canonical parameter that a method's `self` stands for: the first that the form does not name."""
    taken = {p.target for p in form.params} | form.fixed.keys()
    return next(p for p in op.params if p not in taken)


def _arguments(op: Op, given: dict[str, str]) -> str:
    """The source of the canonical argument tuple; what a form does not give is the op's own default."""
    first_default = op.arity - len(op.defaults)
    parts = []
    for i, name in enumerate(op.params):
        if name in given:
            parts.append(given[name])
        elif i >= first_default:
            parts.append(f"_d[{i - first_default}]")
        else:
            raise ValueError(f"a call form of '{op.name}' gives no '{name}'")
    return "(" + "".join(f"{part}, " for part in parts).rstrip(" ") + ")"  # no argument: ()


def _fixed(form: Form) -> dict[str, str]:
    return {name: f"_fixed['{name}']" for name in form.fixed}


def _header(params: tuple[Param, ...], defaults: dict[str, Any]) -> Iterator[str]:
    """The parameters as source text; defaults are put in `defaults` and named."""
    star = False
    for param in params:
        if param.name.startswith("*"):
            star = True
            yield param.name
            continue
        if param.keyword_only and not star:
            star = True
            yield "*"
        if param.default is MISSING:
            yield param.name
        else:
            defaults[f"_default_{param.name}"] = param.default
            yield f"{param.name}=_default_{param.name}"


def _compile(source: str, name: str, space: dict[str, Any]) -> Any:
    space["__name__"] = "ms_kernels"  # where the functions say that they are from
    exec(compile(source, f"<ms_kernels {name}>", "exec"), space)  # the text comes from the op records alone
    return space[name]


def _runner(surface: str, name: str) -> Callable[..., Any]:
    """In place for the twins, and for functions that 2.6 names so: `ops.uniform_`, `relu_`."""
    twin = surface == "inplace" or (surface in ("ops", "mint", "mintf") and name.endswith("_"))
    return dispatch_inplace if twin else dispatch


def _flat(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sizes given one by one, or as one tuple or list."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def _function(surface: str, name: str, op: Op, form: Form) -> Callable[..., Any]:
    space: dict[str, Any] = {"_op": op, "_d": op.defaults, "_fixed": form.fixed, "_flat": _flat}
    space["_call"] = _runner(surface, name)
    given = _fixed(form) | {p.target: p.name.lstrip("*") for p in form.params if p.target}
    header = list(_header(form.params, space))
    if surface in ("tensor", "inplace"):
        given[_receiver(op, form)] = "self"
        header.insert(0, "self")
    stars = [p.name[1:] for p in form.params if p.name.startswith("*")]
    safe = name + "_" if keyword.iskeyword(name) else name
    source = f"def {safe}({', '.join(header)}):\n" + "".join(
        f"    if len({star}) != 1 or not isinstance({star}[0], int):\n        {star} = _flat({star})\n"
        for star in stars
    )
    made: Callable[..., Any] = _compile(source + f"    return _call(_op, {_arguments(op, given)})\n", safe, space)
    return made


def _resolving(surface: str, name: str, rows: list[tuple[Op, Form]]) -> Callable[..., Any]:
    """A callable with several forms: which one fits is found once for each combination of argument types."""
    method = surface in ("tensor", "inplace")
    forms = [form for _, form in rows]
    ops = {id(form): op for op, form in rows}
    made: dict[int, Callable[..., Any]] = {}
    known: dict[Any, Callable[..., Any]] = {}
    shown = f"Tensor.{name}" if method else name
    starred = any(p.name.startswith("*") for form in forms for p in form.params)  # their items' types count too

    def choose(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        form, _ = resolve(shown, forms, args, kwargs)
        if id(form) not in made:
            made[id(form)] = _function(surface, name, ops[id(form)], form)
        return made[id(form)]

    def pick(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        if starred:
            return choose(args, kwargs)
        key: Any = tuple(map(type, args))
        if kwargs:
            key = (key, tuple((word, type(value)) for word, value in kwargs.items()))
        found = known.get(key)
        if found is None:
            found = known[key] = choose(args, kwargs)
        return found

    if method:

        def public(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not kwargs:
                found = known.get(tuple(map(type, args)))
                if found is not None:
                    return found(self, *args)
            return pick(args, kwargs)(self, *args, **kwargs)
    else:

        def public(*args: Any, **kwargs: Any) -> Any:  # type: ignore[misc]
            if not kwargs:
                found = known.get(tuple(map(type, args)))
                if found is not None:
                    return found(*args)
            return pick(args, kwargs)(*args, **kwargs)

    public.__name__ = public.__qualname__ = name
    return public


def _primitive(name: str, op: Op, form: Form) -> type[Primitive]:
    space: dict[str, Any] = {"_op": op, "_d": op.defaults, "_dispatch": dispatch, "_base": Primitive.__init__}
    space["_fixed"] = form.fixed
    given = _fixed(form) | {p.target: p.name.lstrip("*") for p in form.params if p.target}
    given |= {p.target: f"self.{p.name}" for p in form.init if p.target}
    init, call = list(_header(form.init, space)), list(_header(form.params, space))
    stored = "".join(f"    self.{p.name} = self.attrs['{p.name}'] = {p.name}\n" for p in form.init)
    source = (
        f"def __init__(self{''.join(', ' + p for p in init)}):\n    _base(self, '{name}')\n{stored}"
        f"def __call__(self{''.join(', ' + p for p in call)}):\n    return _dispatch(_op, {_arguments(op, given)})\n"
    )
    _compile(source, "__init__", space)
    body = {"__init__": space["__init__"], "__call__": space["__call__"], "op": op}
    return type(name, (Primitive,), body)
