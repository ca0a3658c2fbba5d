"""Makers of uniform declarations: the elementwise functions of one operand, each a row of its family's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ms_kernels.loops import elementwise as loops
from ms_kernels.opdef import rules
from ms_kernels.opdef.register import FLOATS, op

__all__ = ["EVERYWHERE", "named", "unary"]

EVERYWHERE = ("ops", "mint", "tensor")


def named(body: Callable[..., Any], name: str, module: str, text: str, example: str, shown: str) -> None:
    """Give a body that was made for one of several ops its name and documentation; `input`, `other` are operands.

    Args:
        text: what it computes, and the sections before the example.
        example, shown: a Python expression, and what printing it shows.
    """
    body.__name__, body.__module__ = name, module
    body.__annotations__.update({word: "Array" for word in ("input", "other") if word in body.__annotations__})
    body.__doc__ = f"{text}\n\nExamples:\n    >>> print({example})\n    {shown}\n\nSource: ``mindspore.ops.{name}``."


def unary(
    name: str,
    text: str,
    example: str,
    function: Callable[..., Any],
    vjp: Callable[..., Any] | None = None,
    *,
    loop: bool = True,
    dtype: Callable[..., Any] = rules.floating,
    aliases: Sequence[str] = (),
    surfaces: Sequence[str] = EVERYWHERE,
    arg: str = "input",
    primitive: str = "",
    inplace: bool = False,
    nondiff: str = "",
    accepts: Any = None,
    ascend: str = "step_f32",
    dunder: str = "",
) -> Any:
    """Declare an elementwise function of one operand.

    Args:
        text: what it computes, the first sentence of its documentation.
        example: a Python expression and what printing it shows, separated by " -> ".
        function: the NumPy function for what the native loop of this name does not serve.
        loop: whether there is a native loop (float16, bfloat16, float32, float64).
        surfaces: the namespaces that have it: "ops", "mint", "mintf" (mint.nn.functional), "tensor".
        inplace: whether there is a Tensor method that ends in "_".
    """

    def body(input: Any) -> Any:
        if loop and input.dtype in FLOATS:
            return loops.unary(name, input)
        if input.dtype in FLOATS and input.dtype.itemsize == 2 and dtype is not rules.boolean:
            return function(input.astype(np.float32)).astype(input.dtype)
        return function(input)

    source, _, shown = example.partition(" -> ")
    named(body, name, f"{__package__}.{_family()}", text, source, shown)
    spellings = (name, *aliases)
    return op(
        shape=rules.same,
        dtype=dtype,
        vjp=vjp,
        nondiff=nondiff,
        accepts=accepts,
        loop=name if loop else "",
        fuse="elementwise",
        ascend=ascend,
        ops=[f"{n}({arg})" for n in spellings] if "ops" in surfaces else (),
        mint=[f"{n}({arg})" for n in spellings] if "mint" in surfaces else (),
        mintf=[f"{n}{end}(input)" for n in spellings for end in ("", "_")[: 1 + inplace]]
        if "mintf" in surfaces
        else (),
        tensor=[f"{n}()" for n in spellings] if "tensor" in surfaces else (),
        inplace=f"{name}_()" if inplace else (),
        primitive=f"{primitive}()(x)" if primitive else (),
        dunder=dunder,
        name=name,
    )(body)


def _family() -> str:
    """The module that is declaring: the caller's caller."""
    import sys

    return str(sys._getframe(2).f_globals["__name__"]).rsplit(".", 1)[-1]
