"""Runs a program of MindIR, node by node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ms_jit.limits import limits
from ms_jit.mindir.model import Constant, Function, Node, Operator, Program
from ms_jit.mindir.operators import MOVES, callable_of
from ms_jit.mindir.wire import MindIRError
from ms_kernels import Parameter, Tensor

__all__ = ["GraphProgram"]


@dataclass
class _Closure:
    """A function with its first arguments, and the values around it."""

    function: Function
    args: tuple[Any, ...] = ()
    around: _Frame | None = None


@dataclass
class _Frame:
    """A function that is running."""

    function: Function
    values: dict[str, Any]
    around: _Frame | None
    target: str = ""  # what its caller calls the result
    position: int = 0
    closed: dict[str, Any] = field(default_factory=dict)

    def find(self, name: str) -> Any:
        frame: _Frame | None = self
        while frame is not None:
            if name in frame.values:
                return frame.values[name]
            frame = frame.around
        raise KeyError(name)


class GraphProgram:
    """A program that was loaded: call it with the arguments of its main function.

    Args:
        program: the program in neutral form.
        values: other values for parameters, by their names in the network.

    Attributes:
        program: what it was made of.
        parameters: its Parameters by their names in the network.

    Raises:
        MindIRError: it needs a primitive that is not there.
        TypeError: a value is no tensor.
        ValueError: a value differs in shape or element type from its parameter.
    """

    def __init__(self, program: Program, values: Mapping[str, Any] | None = None) -> None:
        self.program = program
        self.parameters: dict[str, Parameter] = {}
        self._roots: dict[str, Any] = {f.name: _Closure(f) for f in program.all_functions()}
        given = dict(values or {})
        for name, held in program.parameters.items():
            if held.key not in self.parameters:
                self.parameters[held.key] = _parameter(held.key, held.value, given.get(held.key))
            self._roots[name] = self.parameters[held.key]
        self._calls: dict[int, Callable[[list[Any]], Any]] = {}
        self._constants: dict[int, Any] = {}
        for function in program.all_functions():
            for node in function.nodes:
                if isinstance(node, Constant):
                    self._constants[id(node)] = _constant(node.value)
                elif isinstance(node.operator, Operator) and node.operator.name not in _STRUCTURE:
                    if id(node.operator) not in self._calls:
                        self._calls[id(node.operator)] = callable_of(node.operator)

    @property
    def inputs(self) -> list[Any]:
        """The parameters of the main function, with their types where they are told."""
        return self.program.main.inputs

    def __call__(self, *args: Any) -> Any:
        """Run the program.

        Raises:
            RuntimeError: another number of arguments than the program has inputs, or functions call each other deeper
                than `set_recursion_limit` allows.
        """
        if len(args) != len(self.inputs):
            raise RuntimeError(
                "The input number of parameters is not Compatible. "
                f"Mindir:{len(self.inputs)} inputs: {len(args)} FuncGraph:{self.program.main.name}"
            )
        frames = [self._frame(_Closure(self.program.main), args)]
        while True:
            frame = frames[-1]
            if frame.position == len(frame.function.nodes):
                result = self._get(frame, frame.function.output)
                frames.pop()
                if not frames:
                    return result
                frames[-1].values[frame.target] = result
                continue
            node = frame.function.nodes[frame.position]
            frame.position += 1
            if isinstance(node, Constant):
                frame.values[node.name] = self._constants[id(node)]
                continue
            values = [self._get(frame, name) for name in node.inputs]
            called = self._called(frame, node, values)
            if called is None:
                frame.values[node.name] = self._run(frame, node, values)
                continue
            entered = self._frame(called, values)
            if node.name == frame.function.output and frame.position == len(frame.function.nodes):
                frames.pop()  # nothing is left to do here: a loop must not grow
                entered.target = frame.target
            else:
                entered.target = node.name
            frames.append(entered)
            limits.check_depth(len(frames))

    def _get(self, frame: _Frame, name: str) -> Any:
        if name in frame.values:
            return frame.values[name]
        if name in self._roots:
            found = self._roots[name]
            return _Closure(found.function, (), frame) if isinstance(found, _Closure) else found
        try:
            return frame.find(name)
        except KeyError:
            raise MindIRError(f"'{name}' has no value in '{frame.function.name}'") from None

    def _frame(self, closure: _Closure, args: Sequence[Any]) -> _Frame:
        function, given = closure.function, (*closure.args, *args)
        if len(given) != len(function.inputs):
            raise MindIRError(f"'{function.name}' has {len(function.inputs)} parameters, but got {len(given)} values")
        values = {one.name: value for one, value in zip(function.inputs, given, strict=True)}
        return _Frame(function, values, closure.around if self._open(function) else None)

    def _open(self, function: Function) -> bool:
        """Whether a function uses values of functions around it."""
        known = {*self._roots, *(i.name for i in function.inputs), *(n.name for n in function.nodes)}
        used = {function.output}
        for node in function.nodes:
            if isinstance(node, Node):
                used.update(node.inputs)
                if isinstance(node.operator, str):
                    used.add(node.operator)
        return not used <= known

    def _called(self, frame: _Frame, node: Node, values: list[Any]) -> _Closure | None:
        """The function that a node calls, if it calls one."""
        if not isinstance(node.operator, str):
            return None
        found = self._get(frame, node.operator)
        if not isinstance(found, _Closure):
            raise MindIRError(f"the node '{node.name}' calls '{node.operator}', which is no function")
        return found

    def _run(self, frame: _Frame, node: Node, values: list[Any]) -> Any:
        operator = node.operator
        assert isinstance(operator, Operator)
        if operator.name in _STRUCTURE or operator.name in MOVES:
            try:
                return (_STRUCTURE.get(operator.name) or MOVES[operator.name])(values)
            except (AttributeError, IndexError, KeyError, TypeError) as error:
                raise MindIRError(f"the node '{node.name}' cannot run: {error}") from error
        return self._calls[id(operator)](values)


def _partial(values: list[Any]) -> _Closure:
    closure, *args = values
    return _Closure(closure.function, (*closure.args, *args), closure.around)


def _switch(values: list[Any]) -> Any:
    return values[1] if bool(values[0]) else values[2]


def _switch_layer(values: list[Any]) -> Any:
    return values[1][int(values[0])]


_STRUCTURE: dict[str, Callable[[list[Any]], Any]] = {
    "Partial": _partial,
    "Switch": _switch,
    "SwitchLayer": _switch_layer,
}


def _constant(value: Any) -> Any:
    """A constant as ops take it."""
    if isinstance(value, np.ndarray):
        return Tensor(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_constant(item) for item in value)
    if isinstance(value, dict):
        return {key: _constant(item) for key, item in value.items()}
    return value


def _parameter(key: str, value: Any, given: Any) -> Parameter:
    if given is None:
        return Parameter(Tensor(value), name=key)
    if not isinstance(given, Tensor):
        raise TypeError(
            "For 'GraphCell', the key of the 'params_init' must be str, and the value must be Tensor or Parameter, "
            f"but got the key type: {type(key)}, and the value type: {type(given)}"
        )
    own = Tensor(value)
    if given.shape != own.shape or given.dtype != own.dtype:
        raise ValueError(
            "Only support update parameter by Tensor or Parameter with same shape and dtype as it. "
            f"The parameter '{key}' has shape {own.shape} and dtype {own.dtype}, but got the update value with "
            f"shape {given.shape} and dtype {given.dtype}."
        )
    return Parameter(given, name=key)
