"""The classes of 2.6's types. Making a type twice gives the same object.

So equality, hashing, copying and pickling all come down to identity:

>>> Int(32) is Int(32), Int(32) == Int(64)
(True, False)
>>> print(Float(32), repr(Float(32)))
Float32 mindspore.float32
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index
from typing import Any, ClassVar, Final, NoReturn, TypeVar

import numpy

from ms_dtype._bfloat16 import np_bfloat16
from ms_dtype._table import Row, rows_of

_Self = TypeVar("_Self", bound="Type")

_interned: Final[dict[tuple[type, tuple[Any, ...]], Any]] = {}


def _numpy_dtype(row: Row) -> numpy.dtype[Any] | None:
    if row.numpy == "bfloat16":
        return None if np_bfloat16 is None else numpy.dtype(np_bfloat16)
    return None if row.numpy is None else numpy.dtype(row.numpy)


class _Meta(type):
    """Looks up a class's rows by its name and keeps `__dict__` out of instances."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Meta:
        rows = rows_of(name)
        if rows:
            namespace["_rows"] = rows
        return super().__new__(cls, name, bases, {"__slots__": (), **namespace})


class Type(metaclass=_Meta):
    """Base of all types; only its subclasses can be made.

    Attributes:
        name: the name after ``mindspore.`` in the repr, such as ``float32``.
        kind: ``b``, ``i``, ``u``, ``f`` (bfloat16 too), ``c``, or ``o`` when tensors cannot hold such elements.
        itemsize: bytes of one element; 0 where that has no meaning, 1 for numbers without a width.
        np: the NumPy dtype of the elements, or None.
        type_id: the number 2.6's native code gives to this type.
        args: what the object was made from, ``(32,)`` for ``Int(32)``.
    """

    __slots__ = ("__weakref__", "_text", "args", "itemsize", "kind", "name", "np", "type_id")
    name: str
    kind: str
    itemsize: int
    np: numpy.dtype[Any] | None
    type_id: int
    args: tuple[Any, ...]
    _text: str
    _rows: ClassVar[Mapping[int, Row]] = {}
    _widths: ClassVar[str] = ""

    def __new__(cls: type[_Self]) -> _Self:
        """Give the one object of this class."""
        return cls._intern()

    @classmethod
    def _intern(cls: type[_Self], bits: int = 0, args: tuple[Any, ...] = (), name: str = "", text: str = "") -> _Self:
        found: _Self | None = _interned.get((cls, args))
        if found is not None:
            return found
        row = cls._rows.get(bits)
        if row is None:
            raise TypeError(f"{cls.__name__}: No constructor defined!")
        made = object.__new__(cls)
        fields = {
            "name": row.name + name,
            "kind": row.kind,
            "itemsize": row.itemsize,
            "np": _numpy_dtype(row),
            "type_id": row.type_id,
            "args": args,
            "_text": row.text + text,
        }
        for field, value in fields.items():
            object.__setattr__(made, field, value)
        # setdefault is atomic: of two threads that got here together, both leave with the same object
        kept: _Self = _interned.setdefault((cls, args), made)
        return kept

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__!r} object attribute {name!r} is read-only")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__!r} object attribute {name!r} is read-only")

    def __repr__(self) -> str:
        return f"mindspore.{self.name}"

    def __str__(self) -> str:
        return self._text

    def __copy__(self: _Self) -> _Self:
        return self

    def __deepcopy__(self: _Self, memo: dict[int, Any]) -> _Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args


class Number(Type):
    """Any number; the base of all number classes."""


class _Sized(Number):
    """Numbers whose class takes a width in bits."""

    def __new__(cls: type[_Self], nbits: int | None = None) -> _Self:
        """Give the type of that width, or the width-less one.

        Raises:
            TypeError: `nbits` is no integer.
            RuntimeError: the class has no such width.
        """
        if nbits is None:
            return cls._intern()
        try:
            bits = index(nbits)
        except TypeError:
            raise TypeError(
                f"For '{cls.__name__}', the 'nbits' must be an int, but got {type(nbits).__name__}."
            ) from None
        if bits == 0 or bits not in cls._rows:
            raise RuntimeError(f"For {cls.__name__} type only support number of {cls._widths}, but got {bits}bits")
        return cls._intern(bits, (bits,))


class Int(_Sized):
    """Signed integers of 4, 8, 16, 32 or 64 bits."""

    _widths = "8bits, 16bits, 32bits and 64bits"


class UInt(_Sized):
    """Unsigned integers of 8, 16, 32 or 64 bits."""

    _widths = "8bits, 16bits, 32bits and 64bits"


class Float(_Sized):
    """IEEE floats of 16, 32 or 64 bits."""

    _widths = "16bits, 32bits and 64bits"


class BFloat(_Sized):
    """The float of 16 bits with float32's exponent."""

    _widths = "16bits"


class Complex(_Sized):
    """Complex numbers of 64 or 128 bits."""

    _widths = "64bits and 128bits"


class Bool(Number):
    """Truth values, one byte each."""


class String(Type):
    """Text."""


def _types(owner: type, arg: str, values: Iterable[Type]) -> tuple[Type, ...]:
    if isinstance(values, (list, tuple)) and all(isinstance(value, Type) for value in values):
        return tuple(values)
    raise TypeError(f"For '{owner.__name__}', the '{arg}' must be a list of Type, but got {values!r}.")


def _join(types: Iterable[Type], separator: str) -> str:
    return separator.join(str(each) for each in types)


class _Sequence(Type):
    """Sequences, which may say the types of their elements."""

    def __new__(cls: type[_Self], elements: Iterable[Type] = ()) -> _Self:
        """Give the type with these elements.

        Raises:
            TypeError: `elements` is no list of types.
        """
        types = _types(cls, "elements", elements)
        return cls._intern(0, (types,) if types else (), text=f"[{_join(types, ',')}]" if types else "")


class List(_Sequence):
    """Lists.

    >>> print(List([Int(32), Float(32)]))
    List[Int32,Float32]
    """


class Tuple(_Sequence):
    """Tuples."""


class Dict(Type):
    """Dictionaries."""


class Slice(Type):
    """Slices."""


class Keyword(Type):
    """A keyword argument."""


class TensorType(Type):
    """Tensors, which may say the type of their elements.

    >>> TensorType(Float(32)), TensorType(Float(32)).element_type()
    (mindspore.tensor[float32], mindspore.float32)
    """

    def __new__(cls: type[_Self], element: Type | None = None) -> _Self:
        """Give the tensor type with that element type.

        Raises:
            TypeError: `element` is no type.
        """
        if element is None:
            return cls._intern()
        if not isinstance(element, Type):
            raise TypeError(f"For '{cls.__name__}', the 'element' must be a Type, but got {element!r}.")
        return cls._intern(0, (element,), f"[{element.name}]", f"[{element}]")

    def element_type(self) -> Type | None:
        """Give the type of the elements, None when it is open."""
        return self.args[0] if self.args else None


class RefType(TensorType):
    """A reference to a tensor (a parameter)."""


class RowTensorType(Type):
    """Tensors that hold some rows of a larger one."""


class COOTensorType(Type):
    """Sparse tensors in coordinate form."""


class CSRTensorType(Type):
    """Sparse tensors in compressed rows."""


class UndeterminedType(Type):
    """A type that is not known yet."""


class Function(Type):
    """Functions, which may say what they take and return.

    >>> print(Function([Int(32), Bool()], Float(32)))
    Func[(Int32, Bool), Float32]
    """

    def __new__(cls: type[_Self], args: Iterable[Type] = (), retval: Type | None = None) -> _Self:
        """Give the function type with these arguments and that result.

        Raises:
            TypeError: `args` is no list of types, or `retval` is no type though there are arguments.
        """
        types = _types(cls, "args", args)
        if retval is None and not types:
            return cls._intern()
        if not isinstance(retval, Type):
            raise TypeError(f"For '{cls.__name__}', the 'retval' must be a Type, but got {retval!r}.")
        return cls._intern(0, (types, retval), text=f"[({_join(types, ', ')}), {retval}]")


class SymbolicKeyType(Type):
    """The key of a value inside an environment."""


class EnvType(Type):
    """An environment of gradients."""


class RefKeyType(Type):
    """The name of a reference."""


class TypeNone(Type):
    """The type of None."""


class TypeNull(Type):
    """No type at all."""


class TypeType(Type):
    """The type of types."""


class TypeAny(Type):
    """Any type."""


class TypeEllipsis(Type):
    """The type of the ellipsis."""


class TypeMsClassType(Type):
    """The type of a class that graphs may use."""
