"""Largest and smallest elements, and their places."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.loops import reduce as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import fail
from ms_kernels.opdef.register import FLOATS, op
from ms_kernels.ops._rows import named
from ms_kernels.ops._tape import cast_np
from ms_kernels.ops.compare import equal
from ms_kernels.ops.reduce import _all_axes, _reduce, spread, sum_

__all__ = ["amax", "amin", "argmax", "argmin"]


def _extremum(name: str, loop: str, function: Any, primitive: str, word: str, shown: str) -> Any:
    def body(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        axes = rules.axes(primitive, dim, input.ndim)
        if any(input.shape[i] == 0 for i in axes):
            fail(ValueError, primitive, "reduced dimensions", "not be empty", f"shape {list(input.shape)}")
        return _reduce(loop, function, input, axes, keepdim)

    text = (
        f"Return the {word} over some dimensions (all by default); NaN if there is one.\n\n"
        "Elements that share the extremum share its gradient.\n\n"
        "Raises:\n    ValueError: a reduced dimension is empty, an axis is out of range."
    )
    named(body, name, __name__, text, f"ops.{name}(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0)", shown)

    def vjp(g: Any, out: Any, input: Any, dim: Any, _keepdim: Any) -> Any:
        hit = cast_np(equal(input, spread(out, input.shape, dim)), g._kind)
        return spread(g, input.shape, dim) * (hit / sum_(hit, _all_axes(dim, input.ndim), True))

    return op(
        shape=rules.reduced(primitive),
        dtype=rules.same,
        vjp=vjp,
        fuse="reduce",
        ascend="extremum",
        ops=[f"{name}(input, axis=None, keepdims=False)", f"reduce_{loop}(x, axis=())"],
        mint=f"{name}(input, dim=(), keepdim=False)",
        tensor=[f"{name}(axis=None, keepdims=False)", f"{name}(dim=None, keepdim=False)"],
        primitive=f"{primitive}(keep_dims=False)(x, axis=())",
        name=name,
    )(body)


amax = _extremum("amax", "max", np.max, "ReduceMax", "largest element", "[3. 4.]")


amin = _extremum("amin", "min", np.min, "ReduceMin", "smallest element", "[1. 2.]")


def _place_shape(shape: tuple[int, ...], dim: Any = None, keepdim: bool = False, _index: Any = None) -> tuple[int, ...]:
    if dim is None:
        return ()
    return rules.reduced("Argmax")(shape, rules.axis("Argmax", dim, len(shape)), keepdim)


def _place(name: str, function: Any, primitive: str, word: str, axis_name: str, shown: str) -> Any:
    def body(input: Any, dim: Any = None, keepdim: bool = False, index: Any = mstype.int64) -> Any:
        if not input.size:
            fail(ValueError, primitive, "input", "not be empty", f"shape {list(input.shape)}")
        if dim is None:
            input, dim, keepdim = input.reshape(-1), 0, False
        elif not input.ndim:
            return np.zeros((), index.np)
        axis = rules.axis(primitive, dim, input.ndim)
        if input.dtype in FLOATS:
            found = function(loops)(input, axis, keepdim)
        else:
            found = function(np)(input, axis=axis, keepdims=keepdim)
        return found.astype(index.np, copy=False)

    text = (
        f"Return where the {word} element is along a dimension (by default, in the flat tensor), as int64.\n\n"
        "Of equal elements the first is meant; NaN comes before all."
    )
    named(body, name, __name__, text, f"ops.{name}(Tensor([[1.0, 5.0], [7.0, 3.0]]), 1)", shown)
    kind = "; index=int32" if name == "argmin" else ""  # as 2.6 has it
    keep = "keepdim" if axis_name == "dim" else "keepdims"
    return op(
        shape=_place_shape,
        dtype=lambda _input, _dim=None, _keepdim=False, index=mstype.int64: index,
        nondiff="the result is an index",
        fuse="reduce",
        ascend="index",
        batch="place",
        ops=f"{name}(input, {axis_name}=None, {keep}=False){kind}",
        mint=f"{name}(input, dim=None, keepdim=False)",
        tensor=[f"{name}(axis=None, keepdims=False){kind}", f"{name}(dim=None, keepdim=False){kind}"],
        primitive=f"{primitive}(axis=-1, output_type=int32)(input_x)",
        rename={"output_type": "index"},
        name=name,
    )(body)


argmax = _place("argmax", lambda home: home.argmax, "Argmax", "largest", "dim", "[1 0]")


argmin = _place("argmin", lambda home: home.argmin, "Argmin", "smallest", "axis", "[0 1]")
