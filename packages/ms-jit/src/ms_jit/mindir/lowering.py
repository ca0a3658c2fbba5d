"""Ops of ms-kernels as primitives of MindSpore 2.6."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import ms_dtype
from ms_jit.graph.ir import Value
from ms_jit.mindir.model import Operator
from ms_jit.mindir.operators import DTYPE_CODES
from ms_jit.mindir.primitives import ATTRIBUTE_PRIMITIVES, FUNCTION_PRIMITIVES, MORE_INPUTS
from ms_jit.mindir.special import SPECIAL, Call, encode

__all__ = ["lower"]

_OF_AXES = frozenset({"Squeeze", *(f"Reduce{name}" for name in ("All", "Any", "Max", "Mean", "Min", "Prod", "Sum"))})
_OF_ONE_AXIS = frozenset({"Argmax", "Argmin"})


def lower(op: Any, args: tuple[Any, ...], outs: Sequence[Value] = ()) -> Call | None:
    """The primitive that does what an op does to these arguments; None when MindSpore has none.

    Args:
        op: an op of the table.
        args: its arguments in canonical order, values of the graph for tensors.
        outs: its results.

    >>> from ms_kernels import functional
    >>> lower(functional.Neg.op, (3,)).operator.name
    'Neg'
    """
    given = dict(zip(op.params, args, strict=True))
    special = SPECIAL.get(op.name)
    if special is not None:
        return special(outs, **given)
    for form in op.record.forms:
        if form.surface == "primitive" and (form.name in FUNCTION_PRIMITIVES or form.name in ATTRIBUTE_PRIMITIVES):
            call = _by_form(op, form, given)
            if call is not None:
                return call
    return None


def _by_form(op: Any, form: Any, given: Mapping[str, Any]) -> Call | None:
    """A call in one of the forms that the op itself has a primitive for."""
    said = {param.target for param in (*form.params, *form.init)}
    defaults = inspect.signature(op.record._body).parameters
    for name, value in given.items():
        if name in form.fixed:
            expected = form.fixed[name]
        elif name not in said:
            expected = defaults[name].default
        else:
            continue
        if value is not expected and value != expected:
            return None
    if not said <= set(given) or (form.name in _OF_ONE_AXIS and given["dim"] is None):
        return None
    inputs = [_axes(form.name, encode(param.name, given[param.target])) for param in form.params]
    init = [(param.name, _axes(form.name, given[param.target])) for param in form.init]
    if form.name in FUNCTION_PRIMITIVES:
        inputs += MORE_INPUTS.get(form.name, ())
        return Call(Operator(form.name), [*inputs, *(encode(name, value) for name, value in init)])
    return Call(Operator(form.name, {name: _attribute(value) for name, value in init}, is_function=False), inputs)


def _axes(primitive: str, value: Any) -> Any:
    """Reductions and Squeeze take their axes as a tuple, and no axes for all."""
    if primitive not in _OF_AXES:
        return value
    return () if value is None else (value,) if type(value) is int else value


def _attribute(value: Any) -> Any:
    return DTYPE_CODES[value.name.rstrip("_")] if isinstance(value, ms_dtype.Type) else value
