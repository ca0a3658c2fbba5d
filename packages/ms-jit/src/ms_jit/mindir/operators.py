"""What runs the operators of MindIR: the primitives of ms-kernels, and a few that only move values."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import ms_dtype
import ms_kernels
from ms_jit.mindir.model import MONAD, Operator
from ms_jit.mindir.primitives import MORE_INPUTS
from ms_jit.mindir.wire import MindIRError
from ms_kernels import functional, mint, mint_functional
from ms_kernels.opdef.primitive import Primitive

__all__ = ["CODES", "DTYPE_CODES", "MOVES", "attribute_names", "callable_of", "decode"]

# Attributes that are numbers in MindIR and names in Python: by their own name, or first by the primitive's and theirs.
_FORMATS = {"NCHW": 0, "NHWC": 1}
_REDUCTIONS = {"sum": 0, "mean": 1, "none": 2}
CODES: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "data_format": _FORMATS,
        "format": _FORMATS,
        "pad_mode": {"pad": 0, "same": 1, "valid": 2},
        "reduction": _REDUCTIONS,
        "approximate": {"none": 0, "tanh": 1},
        "indexing": {"ij": 0, "xy": 1},
        "rounding_mode": {"trunc": 1, "floor": 2},
        "TensorScatterElements.reduction": {"none": 0, "add": 1},
    }
)
DTYPE_CODES: Mapping[str, int] = MappingProxyType(
    {
        "bool": 30,
        **{f"int{8 << i}": 32 + i for i in range(4)},
        **{f"uint{8 << i}": 37 + i for i in range(4)},
        **{f"float{16 << i}": 42 + i for i in range(3)},
        "bfloat16": 45,
        "complex64": 48,
        "complex128": 49,
    }
)
_DTYPES = {code: getattr(ms_dtype, "bool_" if name == "bool" else name) for name, code in DTYPE_CODES.items()}
_DTYPE_NAMES = frozenset({"dtype", "dst_type", "output_type", "type"})
# Attributes that MindSpore's primitives call otherwise than their parameters.
_RENAMED = {"format": "data_format", "strides": "stride", "eps": "epsilon", "shape": "shape"}

# Primitives that stand for a function of mint: those of another name, and those that give more than the function does.
_FUNCTIONS = MappingProxyType({"ClampScalar": "clamp", "ClampTensor": "clamp", "DivMod": "div", "DivMods": "div"})
_FIRST_OF_SEVERAL = frozenset({"BatchNormExt", "GroupNorm", "LayerNormExt"})
_SPATIAL = frozenset({"dilation", "kernel_size", "stride", "strides"})

Call = Callable[[list[Any]], Any]


def _scalar_to_tensor(values: list[Any]) -> Any:
    return ms_kernels.Tensor(values[0], _DTYPES[values[1]] if len(values) > 1 else None)


MOVES: Mapping[str, Call] = MappingProxyType(
    {
        "Load": lambda values: values[0],
        "Depend": lambda values: values[0],
        "UpdateState": lambda _values: MONAD,
        "Return": lambda values: values[0],
        "return": lambda values: values[0],
        "MakeTuple": tuple,
        "make_tuple": tuple,
        "MakeList": list,
        "make_list": list,
        "MakeDict": lambda values: dict(zip(values[0], values[1], strict=True)),
        "make_dict": lambda values: dict(zip(values[0], values[1], strict=True)),
        "TupleGetItem": lambda values: values[0][values[1]],
        "tuple_getitem": lambda values: values[0][values[1]],
        "ListGetItem": lambda values: values[0][values[1]],
        "list_getitem": lambda values: values[0][values[1]],
        "TensorMove": lambda values: values[0].copy(),
        "StopGradient": lambda values: ms_kernels.stop_gradient(values[0]),
        "ScalarToTensor": _scalar_to_tensor,
    }
)


def callable_of(operator: Operator) -> Call:
    """What computes an operator: a function of the list of its inputs.

    Raises:
        MindIRError: ms-kernels has no such primitive, or it has no such attributes.
    """
    if operator.name in MOVES:
        return MOVES[operator.name]
    if re.fullmatch(r"[A-Za-z]\w*", operator.name) is None:
        raise MindIRError(f"'{operator.name}' is no name of a primitive")
    made = _primitive(operator.name)
    if made is not None:
        taken = _parameters(made.__call__)[1:]
        return _of_inputs(made, taken) if operator.is_function else _of_attributes(made, operator)
    function = _function(operator.name)
    if function is None:
        raise MindIRError(f"there is no primitive '{operator.name}'")
    call = _of_function(function)
    return (lambda values: (call(values),)) if operator.name in _FIRST_OF_SEVERAL else call


def attribute_names(name: str) -> list[str] | None:
    """The names of the attributes of a primitive, in order; None when there is no such primitive."""
    made = _primitive(name)
    return None if made is None else _parameters(made)


def _primitive(name: str) -> type[Primitive] | None:
    found = getattr(functional, name, None)
    return found if inspect.isclass(found) and issubclass(found, Primitive) else None


def decode(name: str, value: Any, primitive: str = "") -> Any:
    """An attribute as Python has it; MindIR has numbers for formats, modes and element types."""
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    if name in _DTYPE_NAMES:
        return _DTYPES.get(value, value)
    codes = CODES.get(f"{primitive}.{name}") or CODES.get(name, {})
    return next((text for text, code in codes.items() if code == value), value)


def _single(made: Callable[..., Any], value: Any) -> Any:
    """MindSpore stores the one axis of Softmax as a tuple."""
    return value[0] if made.__name__ == "Softmax" and isinstance(value, tuple) and len(value) == 1 else value


def _spatial(value: Any) -> Any:
    """MindSpore stores strides of convolutions with those of the batch and the channels, which are 1."""
    return value[2:] if isinstance(value, tuple) and len(value) == 4 and value[:2] == (1, 1) else value


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _plain(values: list[Any]) -> list[Any]:
    """Inputs without what only orders side effects."""
    return [value for value in values if value is not MONAD]


def _named(names: list[str], values: list[Any]) -> list[tuple[str, Any]]:
    return [(names[i] if i < len(names) else "", value) for i, value in enumerate(values)]


def _of_function(function: Callable[..., Any]) -> Call:
    """A function; MindSpore's primitives have no parameters that are known by name alone."""
    kinds = inspect.signature(function).parameters
    alone = {name for name, one in kinds.items() if one.kind is one.KEYWORD_ONLY}

    def call(values: list[Any]) -> Any:
        given = [(name, decode(name, value)) for name, value in _named(list(kinds), _plain(values))]
        named = {name: value for name, value in given if name in alone}
        return function(*(value for name, value in given if name not in alone), **named)

    return call


def _of_inputs(made: Callable[..., Any], taken: list[str]) -> Call:
    """A primitive whose attributes are its last inputs."""
    attributes = _parameters(made)

    more = MORE_INPUTS.get(made.__name__, ())

    def call(values: list[Any]) -> Any:
        values = _plain(values)
        if more and len(values) > len(taken):
            if tuple(values[len(taken) : len(taken) + len(more)]) != more:
                raise MindIRError(f"the primitive '{made.__name__}' has inputs that are not understood: {values}")
            del values[len(taken) : len(taken) + len(more)]
        inputs, given = _named(taken, values[: len(taken)]), _named(attributes, values[len(taken) :])
        primitive = made(*(_single(made, decode(n, v, made.__name__)) for n, v in given))
        return primitive(*(decode(n, v, made.__name__) for n, v in inputs))

    return call


def _of_attributes(made: Callable[..., Any], operator: Operator) -> Call:
    """A primitive that has its attributes once for all calls."""
    known = _parameters(made)
    given = {}
    padded = str(operator.attributes.get("pad_mode", "pad")).lower() in ("pad", "0")
    for name, value in operator.attributes.items():
        if name in ("pad", "pad_list") and not padded:
            continue  # what the mode came to, not what was asked for
        parameter = name if name in known else _RENAMED.get(name, "")
        if parameter in known:
            decoded = decode(parameter, value, made.__name__)
            given[parameter] = _spatial(decoded) if parameter in _SPATIAL else decoded
    try:
        primitive = made(**given)
    except (TypeError, ValueError) as error:
        raise MindIRError(f"the primitive '{operator.name}' cannot be made: {error}") from error
    return lambda values: primitive(*_plain(values))


@cache
def _function(name: str) -> Callable[..., Any] | None:
    """The function of mint that a primitive without a class of its own stands for: "SumExt" is `sum`."""
    word = _FUNCTIONS.get(name) or re.sub(r"(Ext|V\d|View)$", "", name)
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word).lower()
    for place in (mint, mint_functional):
        for spelling in (word, word.replace("_", "")):
            found = getattr(place, spelling, None)
            if found is not None and not inspect.ismodule(found):
                return found  # type: ignore[no-any-return]
    return None
