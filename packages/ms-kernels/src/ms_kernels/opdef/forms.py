"""Call forms: read from signature texts, and resolved when one public name has several."""

from __future__ import annotations

import ast
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.spec import MISSING, Form, Param

__all__ = ["ALIASES", "parse", "resolve"]

# 2.6 spells the same parameter in several ways: public spelling -> canonical names to try, in this order
ALIASES: dict[str, tuple[str, ...]] = {
    "x": ("input",),
    "input_x": ("input",),
    "logits": ("input",),
    "self": ("input",),
    "input1": ("input",),
    "tensor": ("input",),
    "y": ("other",),
    "input_y": ("other",),
    "x2": ("other",),
    "mat2": ("other",),
    "tensor2": ("other",),
    "divisor": ("other",),
    "value": ("other",),
    "axis": ("dim",),
    "dims": ("dim",),
    "keep_dims": ("keepdim",),
    "keepdims": ("keepdim",),
    "input_perm": ("dim",),
    "exponent": ("other",),
}

KINDS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda v: isinstance(v, TensorBase),
    "Number": lambda v: isinstance(v, numbers.Number),
    "bool": lambda v: isinstance(v, bool),
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "float": lambda v: isinstance(v, float),
    "str": lambda v: isinstance(v, str),
    "tuple": lambda v: isinstance(v, tuple),
    "list": lambda v: isinstance(v, list),
    "dtype": lambda v: isinstance(v, mstype.Type),
    "None": lambda v: v is None,
    "any": lambda v: True,
}


def parse(surface: str, text: str, canonical: Sequence[str], rename: Mapping[str, str]) -> Form:
    """Read a signature such as ``"sum(input, dim=None, *, dtype=None)"``; for primitives ``"Name(init)(call)"``.

    After a ";" may stand values for parameters that the form does not show: ``"sort(input); index=int32"``.
    """
    text, _, rest = text.partition(";")
    fixed = {part.split("=")[0].strip(): _constant(part.split("=")[1]) for part in rest.split(",") if part.strip()}
    call = ast.parse(_as_def(text)).body[0]
    assert isinstance(call, ast.FunctionDef)
    init: tuple[Param, ...] = ()
    params = _params(call, canonical, rename)
    if surface == "primitive":
        init, (_, second) = params, _split(text)
        params = _params(ast.parse(_as_def("call" + second)).body[0], canonical, rename)
    targets = [p.target for p in (*params, *init) if p.target]
    if len(set(targets)) != len(targets):
        raise ValueError(f"two parameters of {text!r} stand for one of {list(canonical)}")
    return Form(surface, call.name, params, init, fixed)


def _constant(text: str) -> Any:
    return _value(ast.parse(text.strip(), mode="eval").body)


def _as_def(text: str) -> str:
    first, _ = _split(text)
    return f"def {first}: pass"


def _split(text: str) -> tuple[str, str]:
    """Cut "Name(a)(b)" into "Name(a)" and "(b)"."""
    depth = 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == ")" and depth == 0:
            return text[: i + 1], text[i + 1 :] or "()"
    raise ValueError(f"unbalanced signature {text!r}")


def _params(node: ast.stmt, canonical: Sequence[str], rename: Mapping[str, str]) -> tuple[Param, ...]:
    assert isinstance(node, ast.FunctionDef)
    spec, out = node.args, []
    gap = len(spec.args) - len(spec.defaults)
    for i, arg in enumerate(spec.args):
        out.append(_param(arg, spec.defaults[i - gap] if i >= gap else None, canonical, rename, False))
    if spec.vararg:
        kinds = ast.unparse(spec.vararg.annotation) if spec.vararg.annotation else "int|Tensor"
        out.append(Param("*" + spec.vararg.arg, _target(spec.vararg.arg, canonical, rename), MISSING, kinds=kinds))
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults):
        out.append(_param(arg, default, canonical, rename, True))
    return tuple(out)


def _param(
    arg: ast.arg, default: ast.expr | None, canonical: Sequence[str], rename: Mapping[str, str], keyword: bool
) -> Param:
    value = MISSING if default is None else _value(default)
    kinds = ast.unparse(arg.annotation) if arg.annotation else ""
    return Param(arg.arg, _target(arg.arg, canonical, rename), value, keyword, kinds)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return getattr(mstype, node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float":
        return float(ast.literal_eval(node.args[0]))
    return ast.literal_eval(node)


def _target(name: str, canonical: Sequence[str], rename: Mapping[str, str]) -> str:
    if rename.get(name) == "":  # accepted for 2.6's sake, without effect
        return ""
    for candidate in (rename.get(name, name), *ALIASES.get(name, ())):
        if candidate in canonical:
            return candidate
    raise ValueError(f"no parameter of {list(canonical)} answers to '{name}'")


def _fits(kinds: str, value: Any) -> bool:
    return not kinds or any(KINDS[kind.strip()](value) for kind in kinds.split("|"))


def bind(form: Form, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return {canonical name: value} if the call fits the form, else None."""
    found: dict[str, Any] = {}
    used = 0
    rest = len(kwargs)
    for i, param in enumerate(form.params):
        if param.name.startswith("*"):
            named = param.name[1:] in kwargs and len(args) == i
            given = (kwargs[param.name[1:]],) if named else args[i:]
            if len(given) == 1 and isinstance(given[0], (tuple, list)):
                given = tuple(given[0])
            if not all(_fits(param.kinds, item) for item in given):
                return None
            found[param.target], used, rest = given, len(args), rest - named
            continue
        if not param.keyword_only and i < len(args):
            value, used = args[i], i + 1
        elif param.name in kwargs:
            value, rest = kwargs[param.name], rest - 1
        elif param.default is not MISSING:
            if param.target:
                found[param.target] = param.default
            continue
        else:
            return None
        if not _fits(param.kinds, value):
            return None
        if param.target:
            found[param.target] = value
    return {**form.fixed, **found} if used == len(args) and rest == 0 else None


def resolve(
    name: str, forms: Sequence[Form], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Form, dict[str, Any]]:
    """Return the first form that the call fits, and the canonical arguments by it.

    Raises:
        TypeError: no form fits; the text lists them all.
    """
    for form in forms:
        found = bind(form, args, kwargs)
        if found is not None:
            return form, found
    got = [type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()]
    valid = "\n".join(f'"{show(form)}"' for form in forms)
    raise TypeError(f'Failed calling {name} with "{name}({", ".join(got)})".\nThe valid calling should be:\n{valid}')


def show(form: Form) -> str:
    """Return a form as text, as 2.6 prints it in its error."""
    parts = []
    for param in form.params:
        if param.keyword_only and "*" not in parts:
            parts.append("*")
        kinds = f"=<{param.kinds.replace('|', ',')}>" if param.kinds else ""
        parts.append(
            f"{param.name}{kinds}" if param.default is MISSING else f"{param.name}{kinds or '=' + str(param.default)}"
        )
    return f"{form.name}({', '.join(parts)})"
