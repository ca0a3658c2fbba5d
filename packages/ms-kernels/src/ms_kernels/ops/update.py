"""Ops that change a Parameter (or Tensor) in place: assign, scatter_*, scatter_nd_*.

The result is a Tensor on the same memory. No gradient passes through such a change of a Parameter, as in 2.6.
"""

from __future__ import annotations

from typing import Any

from ms_kernels.core.dispatch import replace
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.arithmetic import add, mul, sub
from ms_kernels.ops.getitem import set_key
from ms_kernels.ops.scatter_nd import combine_key, positions, tensor_scatter
from ms_kernels.ops.scatters import is_parameter, overwrite
from ms_kernels.tape.batched import known

__all__ = ["assign", "assign_add", "assign_sub", "changed"]


def changed(target: Any, value: Any) -> Any:
    return overwrite(target, value) if is_parameter(target) else replace(target, value)


def _value_for(name: str, variable: Any, value: Any) -> Any:
    """The value in the variable's type, after 2.6's checks."""
    if not isinstance(variable, TensorBase):
        fail(TypeError, name, "'variable'", "be a Parameter or a Tensor", describe(variable))
    shape = value.shape if isinstance(value, TensorBase) else ()
    if not isinstance(value, (TensorBase, bool, int, float)):
        fail(TypeError, name, "'value'", "be a Tensor or a number", describe(value))
    if shape != variable.shape:
        fail(ValueError, name, "shape of 'value'", f"be {list(variable.shape)}", str(list(shape)))
    if not isinstance(value, TensorBase):
        return add(mul(variable, 0), value)
    if value.dtype is variable.dtype:
        return value
    if value.dtype.kind in "fc" and variable.dtype.kind in "biu":
        fail(TypeError, name, "dtype of 'value'", f"go into {variable.dtype}", str(value.dtype))
    return cast_np(value, variable._kind)


def _assign(name: str, primitive: str, combine: Any, text: str, shown: str) -> Any:
    def body(variable: Any, value: Any) -> Any:
        part = _value_for(primitive, variable, value)
        return changed(variable, part if combine is None else combine(variable, part))

    body.__annotations__.update(variable="Array", value="Array")
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = (
        f"{text}, in place; returns a Tensor on the same memory.\n\n"
        "Raises:\n    ValueError: the shapes differ.\n    TypeError: the value does not go into its type.\n\n"
        "Examples:\n    >>> w = Parameter(Tensor([1.0, 2.0]), name='w')\n"
        f"    >>> out = ops.{name}(w, Tensor([3.0, 4.0]))\n    >>> print(w.asnumpy())\n    {shown}\n\n"
        f"Source: ``mindspore.ops.{name}``."
    )
    return composite(
        ops=f"{name}(variable, value)",
        primitive=f"{primitive}()(variable, value)",
        rename={"value": "value"},
        name=name,
    )(body)


assign = _assign("assign", "Assign", None, "Give a Parameter the elements of `value`", "[3. 4.]")
assign_add = _assign("assign_add", "AssignAdd", add, "Add `value` to a Parameter", "[4. 6.]")
assign_sub = _assign("assign_sub", "AssignSub", sub, "Take `value` from a Parameter", "[-2. -2.]")

_TEXTS = {
    "update": "replaced by those of",
    "add": "increased by",
    "sub": "decreased by",
    "mul": "multiplied by",
    "div": "divided by",
    "max": "replaced, where it is larger, by",
    "min": "replaced, where it is smaller, by",
}
_ROWS = {
    "update": "[7. 2. 4.]",
    "add": "[8. 2. 7.]",
    "sub": "[-6.  2. -1.]",
    "mul": "[ 7.  2. 12.]",
    "div": "[0.14285715 2.         0.75      ]",
    "max": "[7. 2. 4.]",
    "min": "[1. 2. 3.]",
}


def _doc(name: str, places: str, how: str, indices: str) -> str:
    return (
        f"Change a Parameter in place: its {places} that `indices` names are {_TEXTS[how]} `updates`.\n\n"
        "Raises:\n    RuntimeError: a place out of range.\n    ValueError: `updates` has a shape that does not "
        "fit.\n    TypeError: indices that are no integers.\n\nExamples:\n"
        "    >>> w = Parameter(Tensor([1.0, 2.0, 3.0]), name='w')\n"
        f"    >>> out = ops.{name}(w, Tensor({indices}), Tensor([7.0, 4.0]))\n    >>> print(w.asnumpy())\n"
        f"    {_ROWS[how]}\n\nSource: ``mindspore.ops.{name}``."
    )


def _rows(name: str, how: str, input: Any, indices: Any, updates: Any) -> Any:
    if not input.ndim:
        fail(ValueError, name, "'input_x'", "have at least one dimension", "none")
    if indices.size and int(known(indices).min()) < 0:
        fail(RuntimeError, name, "'indices'", f"be in [0, {input.shape[0]})", str(int(known(indices).min())))
    places = positions(name, indices, input.shape[0])
    wanted = (*places.shape, *input.shape[1:])
    if updates.shape != wanted:
        fail(ValueError, name, "shape of 'updates'", f"be {list(wanted)}", str(list(updates.shape)))
    return set_key(input, (places,), updates) if how == "update" else combine_key(input, (places,), updates, how)


def _scatter(how: str, nd: bool, function: bool = True) -> Any:
    name = f"scatter_nd_{how}" if nd else f"scatter_{how}"
    primitive = f"Scatter{'Nd' if nd else ''}{how.capitalize()}"

    def body(input: Any, indices: Any, updates: Any) -> Any:
        part = updates if updates.dtype is input.dtype else cast_np(updates, input._kind)
        return changed(input, (tensor_scatter if nd else _rows)(primitive, how, input, indices, part))

    body.__annotations__.update(input="Array", indices="Array", updates="Array")
    body.__name__, body.__module__ = name, __name__
    body.__doc__ = _doc(
        name if function else f"{primitive}()", "elements" if nd else "rows", how, "[[0], [2]]" if nd else "[0, 2]"
    )
    locking = ", use_locking=False" if nd and how != "update" else ""
    return composite(
        ops=f"{name}(input_x, indices, updates{locking})" if function else (),
        primitive=f"{primitive}(use_locking={how == 'update'})(input_x, indices, updates)",
        rename={"use_locking": ""},
        name=name if nd else f"{name}_rows",
    )(body)


scatter_nd_update = _scatter("update", True)
scatter_nd_add = _scatter("add", True)
scatter_nd_sub = _scatter("sub", True)
scatter_nd_mul = _scatter("mul", True)
scatter_nd_div = _scatter("div", True)
scatter_nd_max = _scatter("max", True)
scatter_nd_min = _scatter("min", True)
scatter_update_rows = _scatter("update", False)
scatter_add_rows = _scatter("add", False)
scatter_sub_rows = _scatter("sub", False, function=False)
scatter_mul_rows = _scatter("mul", False)
scatter_div_rows = _scatter("div", False)
scatter_max_rows = _scatter("max", False)
scatter_min_rows = _scatter("min", False)


@composite(
    ops="inplace_index_add(var, indices, updates, axis)",
    primitive="InplaceIndexAdd(axis)(var, indices, updates)",
)
def inplace_index_add(var: Array, indices: Array, updates: Array, dim: int) -> Any:
    """Add the slices of `updates` to those of a Parameter that `indices` names along an axis, in place.

    Raises:
        ValueError: the shapes do not fit.
        RuntimeError: an index out of range.

    Examples:
        >>> w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
        >>> out = ops.inplace_index_add(w, Tensor([0, 2]), Tensor([7.0, 4.0]), 0)
        >>> print(w.asnumpy())
        [8. 2. 7.]

    Source: ``mindspore.ops.inplace_index_add``.
    """
    from ms_kernels.ops.scatters import index_add

    return changed(var, index_add(var + 0, dim, indices, updates))
