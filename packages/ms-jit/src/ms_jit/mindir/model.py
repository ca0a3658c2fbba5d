"""Programs of MindIR in a neutral form: functions, nodes, constants and parameters, without their encoding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

__all__ = [
    "MONAD",
    "Constant",
    "Function",
    "Input",
    "Node",
    "Operator",
    "OtherType",
    "ParameterValue",
    "Program",
    "ScalarType",
    "SequenceType",
    "TensorType",
    "Type",
]


@dataclass(frozen=True)
class TensorType:
    """A tensor.

    Attributes:
        shape: its dims, -1 for any length; (-2,) for any rank.
        dtype: name of the element type, as "float32".
        parameter: the name of the parameter that it is, or "".
    """

    shape: tuple[int, ...]
    dtype: str
    parameter: str = ""


@dataclass(frozen=True)
class ScalarType:
    """A number, a bool or a text of the given type."""

    dtype: str


@dataclass(frozen=True)
class SequenceType:
    """A tuple or a list of items of the given types."""

    items: tuple[Type, ...]
    is_list: bool = False


@dataclass(frozen=True)
class OtherType:
    """What is neither: a function, None, the order of side effects."""

    name: str


Type = TensorType | ScalarType | SequenceType | OtherType


class _Monad:
    """The order of side effects: a value that is passed from one effect to the next."""

    def __repr__(self) -> str:
        return "MONAD"


MONAD = _Monad()


@dataclass
class Operator:
    """An operator as nodes name it.

    Attributes:
        name: the name of the primitive, as "MatMul".
        attributes: its attributes by name.
        is_function: whether its attributes are inputs of the nodes.
        instance: the attribute of its cell that held it, or "".
    """

    name: str
    attributes: dict[str, Any] = field(default_factory=dict)
    is_function: bool = True
    instance: str = ""


@dataclass
class Constant:
    """A value that is known: None, a bool, a number, a text, an ndarray, MONAD, or a tuple, list or dict of them."""

    name: str
    value: Any


@dataclass
class Node:
    """A call.

    Attributes:
        name: what its result is called.
        operator: the operator, or the name of a function or of the value that holds one.
        inputs: names of values.
        type: what it gives, where told.
        scope: where it comes from, as "Default/fc-Dense/MatMul-op0".
    """

    name: str
    operator: Operator | str
    inputs: list[str]
    type: Type | None = None
    scope: str = ""


@dataclass
class Input:
    """A parameter of a function."""

    name: str
    type: Type | None = None


@dataclass
class Function:
    """A function: nodes in an order in which they can run.

    Attributes:
        name: its name.
        inputs: its parameters.
        nodes: constants and calls.
        output: the name of its result.
        output_type: what that is, where told.
        attributes: remarks of the compiler.
    """

    name: str
    inputs: list[Input] = field(default_factory=list)
    nodes: list[Constant | Node] = field(default_factory=list)
    output: str = ""
    output_type: Type | None = None
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass
class ParameterValue:
    """A weight.

    Attributes:
        name: the name by which nodes use it.
        key: its name in the network, as "fc.weight".
        value: its data.
    """

    name: str
    key: str
    value: npt.NDArray[Any]


@dataclass
class Program:
    """A whole program: its main function, those that it calls, and its weights.

    Attributes:
        main: where it starts.
        functions: the others by name.
        parameters: the weights by the names that nodes use.
        producer: the program that wrote it, and its version.
        user_info: remarks of the user.
    """

    main: Function
    functions: dict[str, Function] = field(default_factory=dict)
    parameters: dict[str, ParameterValue] = field(default_factory=dict)
    producer: tuple[str, str] = ("ms-jit", "")
    user_info: dict[str, str] = field(default_factory=dict)

    def all_functions(self) -> list[Function]:
        """The main function and the others."""
        return [self.main, *self.functions.values()]
