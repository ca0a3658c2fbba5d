"""What the results of a call have for dims, where those of its operands may differ from run to run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ms_jit.capture.dims import Dim
from ms_jit.capture.ints import TracedInt, mapped
from ms_kernels.core.dispatch import Op
from ms_kernels.core.tensor import TensorBase

if TYPE_CHECKING:
    from ms_jit.capture.tracer import Tracer

__all__ = ["shapes_of"]

Shapes = list[tuple[Any, ...]]


def shapes_of(tracer: Tracer, op: Op, args: tuple[Any, ...], outs: tuple[TensorBase, ...]) -> Shapes:
    """Return the dims of each result: ints, expressions, None where only a run can tell.

    Found by asking the op's shape rule about primes in place of the dims that may differ.  Where the rule refuses them,
    or gives what does not come from them, dims are fixed to those of now, one first, until it does not: the graph is
    for these alone from then on.
    """
    now: Shapes = [out._raw.shape for out in outs]
    symbols = tracer.dims.free(_dims_in(tracer, args))
    if op.shape is not None:
        for fixed in ((), *((symbol,) for symbol in reversed(symbols)), tuple(symbols)):
            found = _asked(tracer, op, args, now, tracer.dims.assignment(*fixed))
            if found is not None:
                for symbol in fixed:
                    tracer.dims.fix(symbol)
                return found
    for symbol in symbols:
        tracer.dims.fix(symbol)
    return now


def _dims_in(tracer: Tracer, value: Any) -> Iterator[Dim]:
    """The expressions in operands and attributes."""
    if isinstance(value, TensorBase):
        yield from (n for n in tracer.shape_of(tracer.value_of(value)) if isinstance(n, Dim))
    elif type(value) is TracedInt:
        if isinstance(value.source, Dim):
            yield value.source
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _dims_in(tracer, item)
    elif type(value) is slice:
        yield from _dims_in(tracer, (value.start, value.stop, value.step))


def _asked(
    tracer: Tracer, op: Op, args: tuple[Any, ...], now: Shapes, dims: Mapping[tuple[int, int], int]
) -> Shapes | None:
    """What the shape rule gives for an assignment of the symbols; None when that tells nothing."""
    assert op.shape is not None
    try:
        given: Any = op.shape(*(_parameter(tracer, arg, kind, dims) for arg, kind in zip(args, op.kinds)))
    except Exception:  # a rule may raise anything for dims that do not fit
        return None
    shapes = list(given) if isinstance(given, list) else [given] * len(now)
    if len(shapes) != len(now) or any(shape is None or len(shape) != len(own) for shape, own in zip(shapes, now)):
        return None
    made = []
    for shape, own in zip(shapes, now):
        found = tuple(_dim(tracer, int(n), current) for n, current in zip(shape, own))
        if any(n is _UNKNOWN for n in found):
            return None
        made.append(found)
    return made


_UNKNOWN = object()


def _dim(tracer: Tracer, given: int, now: int) -> Any:
    if given == -1:
        return None
    if given == now:
        return now
    found = tracer.dims.of_prime(given, now)
    return _UNKNOWN if found is None else found


def _parameter(tracer: Tracer, arg: Any, kind: int, dims: Mapping[tuple[int, int], int]) -> Any:
    """A parameter of the shape rule: the dims of an operand, an attribute as it is."""
    if not kind:
        return mapped(arg, lambda i: i.source.value(dims) if isinstance(i.source, Dim) else i._number)
    if isinstance(arg, TensorBase):
        shape = tracer.shape_of(tracer.value_of(arg))
        return tuple(n.value(dims) if isinstance(n, Dim) else -1 if n is None else n for n in shape)
    if isinstance(arg, (list, tuple)) and any(isinstance(item, TensorBase) for item in arg):
        return [_parameter(tracer, item, kind, dims) for item in arg]
    return arg.shape if isinstance(arg, np.ndarray) else None if arg is None else ()
