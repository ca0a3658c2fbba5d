"""Shape and dtype rules: they see shapes (dims may be -1, unknown) or dtypes in place of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ms_dtype as mstype
from ms_dynshape import broadcast_shapes
from ms_kernels.opdef.errors import fail

Shape = tuple[int, ...]
__all__ = [
    "Shape",
    "axes",
    "axis",
    "boolean",
    "broadcast",
    "floating",
    "int64",
    "matmul_shape",
    "promote",
    "reduced",
    "same",
]


def same(first: Any, *_rest: Any) -> Any:
    """The shape (or dtype) of the first operand."""
    return first


def broadcast(name: str) -> Callable[..., Any]:
    """A rule for operands that are broadcast together; `name` is the one in the error text."""

    def rule(*shapes: Any) -> Any:
        out: Any = ()
        for shape in shapes:
            if isinstance(shape, tuple) and out != shape:
                try:
                    out = broadcast_shapes(out, shape)
                except ValueError:
                    got = " and ".join(str(list(s)) for s in shapes if isinstance(s, tuple))
                    fail(ValueError, name, "shapes of its inputs", "be broadcastable", got)
        return out

    rule.broadcasts = True  # type: ignore[attr-defined]
    return rule


def axis(name: str, value: Any, ndim: int, arg: str = "axis") -> int:
    """Return an axis as a number in [0, ndim); raise if it is none."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        fail(TypeError, name, f"'{arg}'", "be an int", type(value).__name__)
    number = int(value)
    limit = max(ndim, 1)
    if not -limit <= number < limit:
        fail(ValueError, name, f"'{arg}'", f"be in [{-limit}, {limit})", str(number))
    return number + ndim if number < 0 and ndim else number % limit


def axes(name: str, value: Any, ndim: int, arg: str = "axis") -> tuple[int, ...]:
    """Return axes (None or an empty tuple: all) as sorted numbers in [0, ndim), each once."""
    if value is None or (isinstance(value, (tuple, list)) and not value):
        return tuple(range(ndim))
    items: Sequence[Any] = value if isinstance(value, (tuple, list)) else (value,)
    found = [axis(name, item, ndim, arg) for item in items]
    if len(set(found)) != len(found):
        fail(ValueError, name, f"'{arg}'", "not name a dimension twice", str(tuple(items)))
    return tuple(sorted(found)) if ndim else ()


def reduced(name: str) -> Callable[..., Shape]:
    """A rule for reductions: (shape, dim, keepdim, ...)."""

    def rule(shape: Shape, dim: Any = None, keepdim: bool = False, *_rest: Any) -> Shape:
        gone = axes(name, dim, len(shape), "axis")
        if keepdim:
            return tuple(1 if i in gone else n for i, n in enumerate(shape))
        return tuple(n for i, n in enumerate(shape) if i not in gone)

    return rule


def matmul_shape(name: str) -> Callable[..., Shape]:
    """The rule of NumPy's matmul for operands of one or more dimensions."""

    def rule(a: Shape, b: Shape, *_rest: Any) -> Shape:
        if not a or not b:
            fail(ValueError, name, "inputs", "have at least one dimension", f"shapes {list(a)} and {list(b)}")
        left, right = (a if len(a) > 1 else (1, *a)), (b if len(b) > 1 else (*b, 1))
        if left[-1] != right[-2] and -1 not in (left[-1], right[-2]):
            got = f"{left[-1]} and {right[-2]} in shapes {list(a)} and {list(b)}"
            fail(ValueError, name, "inner dimensions", "be equal", got)
        try:
            batch = broadcast_shapes(left[:-2], right[:-2])
        except ValueError:
            fail(ValueError, name, "batch dimensions", "be broadcastable", f"{list(a)} and {list(b)}")
        return (*batch, *((left[-2],) if len(a) > 1 else ()), *((right[-1],) if len(b) > 1 else ()))

    return rule


def _dtypes(args: Sequence[Any]) -> list[Any]:
    return [item for arg in args for item in (arg if isinstance(arg, list) else [arg]) if isinstance(item, mstype.Type)]


def promote(*args: Any) -> Any:
    """The dtype that all operands are brought to."""
    found = _dtypes(args)
    out = found[0]
    for item in found[1:]:
        out = mstype.promote(out, item)
    return out


def floating(*args: Any) -> Any:
    """As `promote`, with integers and bool becoming float32."""
    out = promote(*args)
    return out if out.kind in "fc" else mstype.float32


def boolean(*_args: Any) -> Any:
    """bool, whatever the operands are."""
    return mstype.bool_


def int64(*_args: Any) -> Any:
    """int64, whatever the operands are."""
    return mstype.int64
