"""`mutable`: marks a value as one that changes from call to call, so that a graph must not fold it in."""

from __future__ import annotations

from typing import Any, cast

from ms_dynshape._kinds import _is_tensor


class _Marked:
    """What every marked copy carries (the attribute names are 2.6's and are looked up by them)."""

    __ms_mutable__: bool
    __ms_dynamic_len__: bool
    __ms_origin_object__: object


class _Int(int, _Marked):
    pass


class _Float(float, _Marked):
    pass


class _Bool(int, _Marked):
    """A bool cannot be subclassed: an int that is 0 or 1 and prints as a bool."""

    def __new__(cls, value: object) -> _Bool:
        return super().__new__(cls, bool(value))

    @property
    def value(self) -> bool:
        return self != 0

    def __repr__(self) -> str:
        return repr(self != 0)

    __str__ = __repr__

    def __and__(self, other: int) -> int:
        return (self != 0) & other

    def __or__(self, other: int) -> int:
        return (self != 0) | other

    def __xor__(self, other: int) -> int:
        return (self != 0) ^ other


class _List(list[Any], _Marked):
    pass


class _Tuple(tuple[Any, ...], _Marked):
    pass


class _Dict(dict[Any, Any], _Marked):
    pass


# bool before int: the first that fits counts
_MARKED: tuple[tuple[type, type[_Marked]], ...] = (
    (bool, _Bool),
    (_Bool, _Bool),
    (int, _Int),
    (float, _Float),
    (list, _List),
    (tuple, _Tuple),
    (dict, _Dict),
)


def _allowed(value: object, outer: tuple[int, ...] = ()) -> bool:
    """Whether `value` can be marked; `outer` holds the ids of the containers around it."""
    if isinstance(value, (bool, int, float)):
        return True
    if not isinstance(value, (list, tuple, dict)):
        return _is_tensor(value)
    if id(value) in outer:
        return False
    items = value.values() if isinstance(value, dict) else value
    return all(_allowed(item, (*outer, id(value))) for item in items)


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Mark `input_data` as changing from call to call (`mindspore.mutable` of 2.6).

    A jitted function then takes it as an input instead of a constant, so a new value needs no new compilation.

    Args:
        input_data: bool, int, float, tensor, or a list, tuple or dict of them, nested as deep as wanted.
        dynamic_len: a list or tuple may also change its length.

    Returns:
        A tensor: itself, with the mark. Anything else: an equal copy that carries the mark.

    Raises:
        TypeError: `input_data` holds anything else or itself, `dynamic_len` is no bool, or it is True and
            `input_data` is neither list nor tuple.

    >>> mutable([1, 2.0], dynamic_len=True)
    [1, 2.0]
    >>> mutable(3) + 1
    4
    """
    kind = type(input_data).__name__
    if not _allowed(input_data):
        raise TypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their "
            f"nested structures with no self-reference, but got {kind}: {input_data}."
        )
    if not isinstance(dynamic_len, bool):
        raise TypeError(f"For 'mutable', the second input should be bool, but got: {type(dynamic_len).__name__}")
    if dynamic_len and not isinstance(input_data, (list, tuple)):
        raise TypeError(
            f"For 'mutable', when the variable_len is True, the first input should be list or tuple, but got: {kind}"
        )
    marked = next((cast(Any, copy)(input_data) for base, copy in _MARKED if isinstance(input_data, base)), None)
    if marked is None:
        marked = input_data  # a tensor; it names no origin, since a reference to itself would keep it alive
    else:
        marked.__ms_origin_object__ = getattr(input_data, "__ms_origin_object__", input_data)
    marked.__ms_mutable__ = True
    marked.__ms_dynamic_len__ = dynamic_len
    return marked
