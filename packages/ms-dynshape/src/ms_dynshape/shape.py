"""Rules over whole shapes: broadcasting, number of elements, fitting a shape to a declared one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from ms_dynshape.dim import SHAPE_DIM_ANY, SHAPE_RANK_ANY, Dim, facts, is_known, meet, mul
from ms_dynshape.symbol import Symbol

Shape: TypeAlias = tuple[Dim, ...]
Declared: TypeAlias = Iterable[Dim | None] | None

ANY_RANK: Shape = (SHAPE_RANK_ANY,)


def is_dynamic_rank(shape: Sequence[Dim]) -> bool:
    """Whether not even the number of dimensions is known.

    >>> is_dynamic_rank((-2,)), is_dynamic_rank((-1, 2))
    (True, False)
    """
    return len(shape) == 1 and shape[0] == SHAPE_RANK_ANY


def is_dynamic(shape: Sequence[Dim]) -> bool:
    """Whether any length, or the rank, is unknown.

    >>> is_dynamic((-2,)), is_dynamic((2, Symbol())), is_dynamic((2, 3))
    (True, True, False)
    """
    return not all(is_known(dim) for dim in shape)


def broadcast_dims(a: Dim, b: Dim) -> Dim:
    """The length that dimensions of lengths `a` and `b` broadcast to.

    Raises:
        ValueError: the lengths differ for certain and neither can be 1.

    >>> broadcast_dims(1, 5), broadcast_dims(-1, 5), broadcast_dims(-1, 1), broadcast_dims(-1, -1)
    (5, 5, -1, -1)
    """
    if a is b or b == 1:
        return a
    if a == 1:
        return b
    x, y = facts(a), facts(b)
    a_may_be_one, b_may_be_one = (f.step != 0 and f.low <= 1 for f in (x, y))
    if a_may_be_one and b_may_be_one:
        if x.high is None or y.high is None or x.low < 1 or y.low < 1:
            return SHAPE_DIM_ANY
        return Symbol(max=max(x.high, y.high))
    if a_may_be_one or b_may_be_one:
        return b if a_may_be_one else a
    joint = meet(a, b)
    if joint is None:
        raise ValueError(f"For 'broadcast', the dims must be equal or 1, but got {a} and {b}.")
    return joint


def broadcast_shapes(a: Shape = (), b: Shape | None = None, *more: Shape) -> Shape:
    """The shape that tensors of the given shapes broadcast to.

    Unknown dims (-1, `Symbol`) give way to known ones; an unknown rank makes the result's rank unknown.

    Raises:
        ValueError: two lengths differ and neither can be 1.

    >>> broadcast_shapes((2, 1, 3), (4, 1)), broadcast_shapes((-1, 3), (1, 3)), broadcast_shapes((-2,), (3,))
    ((2, 4, 3), (-1, 3), (-2,))
    """
    if more:
        return broadcast_shapes(broadcast_shapes(a, b), *more)
    if b is None or a == b:
        return a
    if is_dynamic_rank(a) or is_dynamic_rank(b):
        return ANY_RANK
    long, short = (a, b) if len(a) >= len(b) else (b, a)
    lead = len(long) - len(short)
    out = list(long)
    try:
        for i, q in enumerate(short, lead):
            p = out[i]
            if p is not q and p != q:
                out[i] = broadcast_dims(p, q)
    except ValueError:
        raise ValueError(f"For 'broadcast', the shapes must agree or be 1 in each dim, but got {a} and {b}.") from None
    return tuple(out)


def numel(shape: Sequence[Dim]) -> Dim:
    """How many elements a tensor of this shape has.

    >>> numel((2, 3)), numel(()), numel((2, -1)), numel((0, -1)), numel((-2,))
    (6, 1, -1, 0, -1)
    """
    if is_dynamic_rank(shape):
        return SHAPE_DIM_ANY
    total: Dim = 1
    for dim in shape:
        total = mul(total, dim)
    return 0 if 0 in shape else total


def declare(shape: Declared) -> Shape:
    """The usual form of a declared shape: None dims become -1, None as a whole becomes (-2,).

    Raises:
        TypeError: a dim is neither int, Symbol nor None.
        ValueError: a dim is below -1, or -2 does not stand alone.

    >>> declare([None, 3]), declare(None), declare([-2])
    ((-1, 3), (-2,), (-2,))
    """
    if shape is None:
        return ANY_RANK
    dims: list[Dim] = []
    for dim in shape:
        if dim is None:
            dim = SHAPE_DIM_ANY
        elif isinstance(dim, bool) or not isinstance(dim, (int, Symbol)):
            raise TypeError(f"For 'shape', each dim must be int, Symbol or None, but got {type(dim).__name__}: {dim}.")
        dims.append(dim)
    if not is_dynamic_rank(dims) and any(not isinstance(d, Symbol) and d < SHAPE_DIM_ANY for d in dims):
        raise ValueError(f"For 'shape', each dim must be >= -1, or -2 alone, but got {dims}.")
    return tuple(dims)


def check_match(shape: Sequence[int], declared: Declared, bound: dict[int, int] | None = None) -> None:
    """Check that a concrete shape is one of those that `declared` allows.

    Args:
        shape: known lengths.
        declared: lengths, None or -1 (any length), `Symbol`; None or (-2,) as a whole allow any rank.
        bound: lengths that unique symbols have taken so far (by `Symbol.id`); new ones are added when all fits.
            Hand the same dict to several calls to hold one unique symbol to one length in all of them.

    Raises:
        ValueError: the rank or a length does not fit; the text names the place.

    >>> check_match((8, 3), (Symbol(divisor=4), None))
    >>> check_match((6, 3), (Symbol(divisor=4), None))
    Traceback (most recent call last):
        ...
    ValueError: For 'shape', the dim 0 must be {'divisor': 4}, but got 6.
    """
    want = declare(declared)
    if is_dynamic_rank(want):
        return
    if len(shape) != len(want):
        raise ValueError(f"For 'shape', the rank must be {len(want)}, but got {len(shape)}: {tuple(shape)}.")
    taken = {} if bound is None else dict(bound)
    for i, (length, dim) in enumerate(zip(shape, want, strict=True)):
        if meet(length, dim) is None:
            raise ValueError(f"For 'shape', the dim {i} must be {dim}, but got {length}.")
        if isinstance(dim, Symbol) and dim.unique and taken.setdefault(dim.id, length) != length:
            raise ValueError(f"For 'shape', the dim {i} must be {taken[dim.id]} as before, but got {length}.")
    if bound is not None:
        bound.update(taken)


def matches(shape: Sequence[int], declared: Declared) -> bool:
    """Whether a concrete shape is one of those that `declared` allows.

    >>> matches((2, 3), (None, 3)), matches((2, 3), (-1, 4)), matches((2, 3), None)
    (True, False, True)
    """
    try:
        check_match(shape, declared)
    except ValueError:
        return False
    return True
