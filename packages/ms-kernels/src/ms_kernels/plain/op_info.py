"""Descriptions of operators that a program brings along: builders of the dicts, and tables to look them up."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ms_kernels.opdef.errors import describe, fail
from ms_kernels.plain.op_types import DataType

__all__ = [
    "AiCPURegOp",
    "CustomRegOp",
    "DataType",
    "TBERegOp",
    "custom_info_register",
    "get_vm_impl_fn",
    "op_info_register",
    "vm_impl_registry",
]


def _is(name: str, key: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        fail(TypeError, name, f"'{key}'", f"be of type {kind.__name__}", describe(value))


class _RegOp:
    """Collects what is said of an operator; each method returns the builder."""

    _KIND = ""
    _KEYS: dict[str, str] = {}

    def __init__(self, op_name: str) -> None:
        if not isinstance(op_name, str) or not op_name:
            fail(ValueError, type(self).__name__, "'op_name'", "be a str that is not empty", describe(op_name))
        self._info: dict[str, Any] = {
            "op_name": op_name,
            "inputs": [],
            "outputs": [],
            "attr": [],
            "fusion_type": "",
            "dtype_format": [],
        }

    def _put(self, key: str, value: Any, kind: type) -> Any:
        _is(type(self).__name__, key, value, kind)
        self._info[key] = value
        return self

    def _add(self, table: str, given: dict[str, Any], extra: dict[str, Any]) -> Any:
        """Add a row; what is None is left out."""
        row = {}
        for key, value in given.items():
            if value is None:
                continue
            _is(type(self).__name__, key, value, {"index": int, "need_compile": bool}.get(key, str))
            row[key if table == "outputs" and key == "need_compile" else _ROW_KEYS.get(key, key)] = value
        self._info[table].append({**row, **extra})
        return self

    def fusion_type(self, fusion_type: str) -> Any:
        """Say how the operator may be joined with others."""
        return self._put("fusion_type", fusion_type, str)

    def dtype_format(self, *args: Any) -> Any:
        """Add a combination of types and formats: one pair for each input and output.

        Raises:
            ValueError: another number of pairs, or something else.
        """
        wanted = len(self._info["inputs"]) + len(self._info["outputs"])
        if len(args) != wanted:
            fail(ValueError, type(self).__name__, "number of formats", f"be {wanted}", str(len(args)))
        for pair in args:
            if not isinstance(pair, tuple) or len(pair) not in (2, 3):
                fail(ValueError, type(self).__name__, "formats", "be tuples of two or three", describe(pair))
        self._info["dtype_format"].append(tuple(args))
        return self

    def get_op_info(self) -> dict[str, Any]:
        """Return the description."""
        return self._info


_ROW_KEYS = {
    "need_compile": "needCompile",
    "param_type": "paramType",
    "value_depend": "valueDepend",
    "value_type": "type",
    "default_value": "defaultValue",
}


class CustomRegOp(_RegOp):
    """Describes a custom operator (``mindspore.ops.CustomRegOp``).

    Examples:
        >>> info = CustomRegOp().input(0, "x").output(0, "y").target("CPU")
        >>> info.dtype_format(DataType.F32_Default, DataType.F32_Default).get_op_info()["inputs"]
        [{'index': 0, 'name': 'x', 'paramType': 'required'}]
    """

    def __init__(self, op_name: str = "Custom") -> None:
        super().__init__(op_name)
        self._info["target"] = "UnKnown"

    def input(self, index: Any = None, name: Any = None, param_type: Any = "required", **kwargs: Any) -> Any:
        """Add an input."""
        return self._add("inputs", {"index": index, "name": name, "param_type": param_type}, kwargs)

    def output(self, index: Any = None, name: Any = None, param_type: Any = "required", **kwargs: Any) -> Any:
        """Add an output."""
        return self._add("outputs", {"index": index, "name": name, "param_type": param_type}, kwargs)

    def attr(
        self, name: Any = None, param_type: Any = None, value_type: Any = None, default_value: Any = None, **kwargs: Any
    ) -> Any:
        """Add an attribute."""
        given = {"name": name, "param_type": param_type, "value_type": value_type, "default_value": default_value}
        return self._add("attr", given, kwargs)

    def target(self, target: str | None = None) -> Any:
        """Say what the operator is for: "CPU", "GPU" or "Ascend"."""
        return self if target is None else self._put("target", target, str)


class AiCPURegOp(_RegOp):
    """Describes an operator of Ascend's AI CPU (``mindspore.ops.AiCPURegOp``).

    Examples:
        >>> AiCPURegOp("Stack").attr("axis", "int").get_op_info()["attr"]
        [{'name': 'axis', 'type': 'int'}]
    """

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name)
        self._info["imply_type"] = "AiCPU"

    def input(self, index: Any = None, name: Any = None, param_type: Any = None, **kwargs: Any) -> Any:
        """Add an input."""
        return self._add("inputs", {"index": index, "name": name, "param_type": param_type}, kwargs)

    def output(self, index: Any = None, name: Any = None, param_type: Any = None, **kwargs: Any) -> Any:
        """Add an output."""
        return self._add("outputs", {"index": index, "name": name, "param_type": param_type}, kwargs)

    def attr(self, name: Any = None, value_type: Any = None, value: Any = None, **kwargs: Any) -> Any:
        """Add an attribute."""
        return self._add("attr", {"name": name, "value_type": value_type, "value": value}, kwargs)


class TBERegOp(_RegOp):
    """Describes an operator of Ascend's tensor boost engine (``mindspore.ops.TBERegOp``).

    Examples:
        >>> info = TBERegOp("Abs").kernel_name("abs").input(0, "x", None, "required", None).get_op_info()
        >>> info["kernel"], info["imply_type"]
        ('abs', 'TBE')
    """

    def __init__(self, op_name: str) -> None:
        super().__init__(op_name)
        self._info |= {"imply_type": "TBE", "async_flag": False, "binfile": "", "compute_cost": 10, "kernel": ""}
        self._info |= {"partial_flag": False, "reshape_type": "", "dynamicRankSupport": False}
        self._info |= {"dynamicShapeSupport": False, "dynamicCompileStatic": False, "needCheckSupport": False}
        self._info |= {"dynamicFormat": False, "op_pattern": "", "real_input_index": [], "input_to_attr_index": []}
        self._info["unknown_shape_formats"] = []

    def input(
        self,
        index: Any = None,
        name: Any = None,
        need_compile: Any = None,
        param_type: Any = None,
        shape: Any = None,
        value_depend: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Add an input."""
        given = {"index": index, "name": name, "need_compile": need_compile, "param_type": param_type, "shape": shape}
        return self._add("inputs", {**given, "value_depend": value_depend}, kwargs)

    def output(
        self,
        index: Any = None,
        name: Any = None,
        need_compile: Any = None,
        param_type: Any = None,
        shape: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Add an output."""
        given = {"index": index, "name": name, "need_compile": need_compile, "param_type": param_type, "shape": shape}
        return self._add("outputs", given, kwargs)

    def attr(
        self,
        name: Any = None,
        param_type: Any = None,
        value_type: Any = None,
        value: Any = None,
        default_value: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Add an attribute."""
        given = {"name": name, "param_type": param_type, "value_type": value_type, "value": value}
        return self._add("attr", {**given, "default_value": default_value}, kwargs)

    def unknown_shape_formats(self, unknown_shape_formats: list[Any]) -> Any:
        """Add the formats for shapes that are not known."""
        _is("TBERegOp", "unknown_shape_formats", unknown_shape_formats, list)
        self._info["unknown_shape_formats"].append(unknown_shape_formats)
        return self


def _setter(name: str, key: str, kind: type, default: Any, text: str) -> Callable[..., Any]:
    def method(self: Any, value: Any = default) -> Any:
        return self._put(key, value, kind)

    method.__name__, method.__qualname__, method.__doc__ = name, f"TBERegOp.{name}", text
    return method


for _method, _key, _kind, _default, _text in (
    ("async_flag", "async_flag", bool, False, "Say whether the operator runs beside others."),
    ("binfile_name", "binfile", str, "", "Name the file with its code."),
    ("compute_cost", "compute_cost", int, 10, "Say what it costs."),
    ("kernel_name", "kernel", str, "", "Name its kernel."),
    ("partial_flag", "partial_flag", bool, True, "Say whether it may be joined in part."),
    ("reshape_type", "reshape_type", str, "", "Say how it changes shapes."),
    ("dynamic_rank_support", "dynamicRankSupport", bool, False, "Say whether the rank may be unknown."),
    ("dynamic_shape", "dynamicShapeSupport", bool, False, "Say whether shapes may be unknown."),
    (
        "dynamic_compile_static",
        "dynamicCompileStatic",
        bool,
        False,
        "Say whether unknown shapes count as known.",
    ),
    ("need_check_supported", "needCheckSupport", bool, False, "Say whether it must be asked what it takes."),
    ("is_dynamic_format", "dynamicFormat", bool, False, "Say whether its formats are chosen at run time."),
    ("op_pattern", "op_pattern", str, "", "Name the pattern of its formats."),
    ("real_input_index", "real_input_index", list, [], "Give the order of its inputs."),
    ("input_to_attr_index", "input_to_attr_index", list, [], "Give the inputs that become attributes."),
):
    setattr(TBERegOp, _method, _setter(_method, _key, _kind, _default, _text))


def op_info_register(op_info: Any) -> Callable[[Any], Any]:
    """Return a decorator that notes a description (a dict) with the function or class that implements the operator.

    Examples:
        >>> @op_info_register(TBERegOp("Abs").get_op_info())
        ... def _abs():
        ...     return 1
        >>> _abs()
        1
    """

    def decorate(implementation: Any) -> Any:
        if isinstance(implementation, type):
            return implementation

        @functools.wraps(implementation)
        def run(*args: Any, **kwargs: Any) -> Any:
            return implementation(*args, **kwargs)

        run.reg_info = op_info  # type: ignore[attr-defined]
        return run

    return decorate


def custom_info_register(*reg_info: Any) -> Callable[[Any], Any]:
    """Return a decorator that notes descriptions of a custom operator with its function: the attribute `reg_info`.

    Examples:
        >>> @custom_info_register(CustomRegOp().get_op_info())
        ... def double(x):
        ...     return x * 2
        >>> double(3), double.reg_info[0]["op_name"]
        (6, 'Custom')
    """
    return op_info_register(reg_info)


class _Implementations(dict[str, Any]):
    """Functions in Python that stand for primitives, by name."""

    def register(self, name: str) -> Callable[[Any], Any]:
        """Return a decorator that enters the function that gives the implementation."""

        def enter(maker: Any) -> Any:
            self[name] = maker
            return maker

        return enter


vm_impl_registry = _Implementations()


def get_vm_impl_fn(prim: Any) -> Any:
    """Return the implementation in Python of a primitive (or of a name); None without one.

    Examples:
        >>> @vm_impl_registry.register("Twice")
        ... def twice(self):
        ...     return lambda x: x * 2
        >>> get_vm_impl_fn("Twice")(4)
        8
    """
    maker = vm_impl_registry.get(prim if isinstance(prim, str) else prim.name)
    return None if maker is None else maker(prim)
