"""Every public call form of every op hands its arguments to the right places."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import ms_kernels
from ms_kernels.core.dispatch import Op
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.catalog import catalog
from ms_kernels.opdef.forms import bind
from ms_kernels.opdef.register import all_ops
from ms_kernels.opdef.spec import MISSING, Form, Param
from ms_kernels.opdef.surface import build
from ms_kernels.testing.case import Case, Maker, cases

CASES = cases()
FORMS: list[Any] = [
    pytest.param(op, form, id=f"{form.surface}-{form.name}-{i}")
    for name, op in sorted(all_ops().items())
    if name in CASES and op.record.family not in ("_tape", "random")  # random ones give other numbers each time
    for i, form in enumerate(op.record.forms)
]


def tensors(value: Any, kind: int) -> Any:
    if kind and isinstance(value, (list, tuple)):
        return [tensors(item, kind) for item in value]
    return from_array(value.copy()) if kind and isinstance(value, np.ndarray) else value


def copied(value: Any) -> Any:
    """Tensors of their own for a call that may change them."""
    if isinstance(value, (list, tuple)):
        return type(value)(copied(item) for item in value)
    return copy.deepcopy(value) if isinstance(value, TensorBase) else value


def same(one: Any, two: Any) -> None:
    if isinstance(two, (tuple, list)):
        assert len(one) == len(two)
        for a, b in zip(one, two):
            same(a, b)
    elif isinstance(two, TensorBase):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(one._a, two._a)
    else:
        assert one == two or one is two


def split(params: tuple[Param, ...], values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The values as positional and keyword arguments of a form."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    by_name = False
    for param in params:
        if param.name.startswith("*"):
            args.extend(values[param.target] or ())
        elif not param.target:
            by_name = True  # accepted without effect, and left out: what follows is given by name
        elif param.keyword_only or by_name:
            kwargs[param.name] = values[param.target]
        else:
            args.append(values[param.target])
    return args, kwargs


def inputs(case: Case, op: Op) -> list[dict[str, Any]]:
    dtype = "float32" if "float32" in case.dtypes else case.dtypes[0]
    made = []
    for args in case.inputs(Maker(dtype))[:3]:
        full = op.complete(tuple(args), {})
        made.append({name: tensors(value, kind) for name, kind, value in zip(op.params, op.kinds, full)})
    return made


def receiver(op: Op, form: Form) -> str:
    """The canonical parameter that stands before the dot; none for functions."""
    taken = {p.target for p in form.params} | form.fixed.keys()
    return next(p for p in op.params if p not in taken) if form.surface in ("tensor", "inplace") else ""


def fits(op: Op, form: Form, values: dict[str, Any]) -> bool:
    """Whether a form can say all these values: what it does not name must be the default."""
    named = {p.target for p in (*form.params, *form.init)} | form.fixed.keys()
    method = form.surface in ("tensor", "inplace")
    if method:
        named.add(next(p for p in op.params if p not in {p.target for p in form.params} | form.fixed.keys()))
    defaults = dict(zip(op.params[op.required :], op.defaults))
    left = [name for name in op.params if name not in named]
    return all(name in defaults and (values[name] is defaults[name] or values[name] == defaults[name]) for name in left)


def first_fit(form: Form, args: list[Any], kwargs: dict[str, Any]) -> Form | None:
    """The form of this name that such a call means: the first that it fits."""
    rows = [row for op in catalog.ops(form.surface, form.name) for row in op.record.forms]
    rows = [row for row in rows if (row.surface, row.name) == (form.surface, form.name)]
    return next((row for row in rows if bind(row, tuple(args), kwargs) is not None), None)


@pytest.mark.parametrize(("op", "form"), FORMS)
def test_form(op: Op, form: Form) -> None:
    public = build(form.surface, form.name, "tests")
    for values in inputs(CASES[op.name], op):
        values = {**values, **form.fixed}
        if not fits(op, form, values):
            continue
        values.update(form.fixed)
        before: tuple[Any, ...] = (values[receiver(op, form)],) if receiver(op, form) else ()
        if before and not isinstance(before[0], TensorBase):
            continue
        args, kwargs = split(form.params, values)
        if first_fit(form, args, kwargs) is not form:
            continue
        wanted = op(*copied(tuple(values.values())))
        if form.surface == "inplace":
            if isinstance(wanted, tuple) or wanted.shape != before[0].shape:
                continue
            changed = from_array(before[0]._a.copy())
            assert public(changed, *args, **kwargs) is changed
            np.testing.assert_array_equal(changed._a, wanted._a.astype(changed._a.dtype))
            continue
        if form.surface == "primitive":
            if any(not p.target and p.default is MISSING for p in form.init):
                continue  # 2.6 asks for something that has no effect
            init = {p.name: values[p.target] for p in form.init if p.target}
            same(public(**init)(*copied(args), **kwargs), wanted)
            continue
        same(public(*copied(before), *copied(args), **kwargs), wanted)
        if not any(p.name.startswith("*") for p in form.params):
            by_name = {p.name: copied(values[p.target]) for p in form.params if p.target}
            same(public(*before, **by_name), wanted)


def test_forms_are_many() -> None:
    assert len(FORMS) > 500
    assert {form.values[1].surface for form in FORMS} >= {"ops", "mint", "tensor", "inplace", "primitive"}
    assert ms_kernels.functional.add(1, 2).item() == 3
