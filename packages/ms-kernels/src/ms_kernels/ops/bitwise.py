"""Bitwise operations on integers and bool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ms_kernels.opdef import rules
from ms_kernels.opdef.register import INTS, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._rows import named

__all__ = ["bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"]

BITS = INTS | {np.dtype(bool)}
EXACT = "integers have no gradient"


def _bits(
    name: str, text: str, shown: str, function: Any, primitive: str, dunder: str, names: Sequence[str], mint: bool
) -> Any:
    def body(input: Any, other: Any) -> Any:
        return function(input, other)

    text = (
        f"Return {text}, broadcast together, in the operands' common integer type.\n\n"
        "Raises:\n    TypeError: an operand is neither integer nor bool."
    )
    named(body, name, __name__, text, f"ops.{name}(Tensor([5, 12]), Tensor([3, 2]))", shown)
    return op(
        shape=rules.broadcast(primitive),
        dtype=rules.promote,
        accepts=BITS if "shift" not in name else INTS,
        nondiff=EXACT,
        fuse="elementwise",
        ascend="wrap",
        ops=[f"{n}(input, other)" for n in names],
        mint=f"{name}(input, other)" if mint else (),
        tensor=[f"{n}(other)" for n in names],
        primitive=f"{primitive}()(x, y)",
        dunder=dunder,
        name=name,
    )(body)


bitwise_and = _bits(
    "bitwise_and", "``input & other``", "[1 0]", np.bitwise_and, "BitwiseAnd", "__and__", ("bitwise_and",), True
)
bitwise_or = _bits(
    "bitwise_or", "``input | other``", "[ 7 14]", np.bitwise_or, "BitwiseOr", "__or__", ("bitwise_or",), True
)
bitwise_xor = _bits(
    "bitwise_xor", "``input ^ other``", "[ 6 14]", np.bitwise_xor, "BitwiseXor", "__xor__", ("bitwise_xor",), True
)
left_shift = _bits(
    "bitwise_left_shift",
    "``input << other``",
    "[40 48]",
    np.left_shift,
    "LeftShift",
    "__lshift__",
    ("bitwise_left_shift",),
    False,
)
right_shift = _bits(
    "bitwise_right_shift",
    "``input >> other``",
    "[0 3]",
    np.right_shift,
    "RightShift",
    "__rshift__",
    ("bitwise_right_shift",),
    False,
)


@op(
    shape=rules.same,
    dtype=rules.same,
    accepts=BITS,
    nondiff=EXACT,
    fuse="elementwise",
    ascend="wrap",
    mint="bitwise_not(input)",
    tensor="bitwise_not()",
    ops="bitwise_not(input)",
    primitive="Invert()(x)",
    dunder="__invert__",
)
def bitwise_not(input: Array) -> Any:
    """Return ``~input``: every bit turned, and for bool the negation.

    Raises:
        TypeError: the input is neither integer nor bool.

    Examples:
        >>> print(mint.bitwise_not(Tensor([0, 5])))
        [-1 -6]

    Source: ``mindspore.mint.bitwise_not``.
    """
    return np.invert(input)
