"""Capturing one call of a function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ms_jit.capture.control import Control
from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.ints import TracedInt
from ms_jit.capture.snapshot import Contents
from ms_jit.capture.standins import double
from ms_jit.capture.tracer import Tracer
from ms_jit.graph.check import check
from ms_jit.graph.ir import Graph
from ms_jit.graph.steps import Copy
from ms_jit.trees import Form, form_of, is_plain, leaves_of, rebuild
from ms_kernels import Parameter
from ms_kernels.core.dispatch import scope
from ms_kernels.core.tensor import TensorBase

__all__ = ["Captured", "capture"]


class Captured:
    """A call that became a graph.

    Attributes:
        graph: its inputs are the tensors among the arguments, in order (positional, then by name), but Parameters.
        form: what the function returned, with places for the graph's outputs.
        result: what the function returned this time.
        tracer: what wrote the graph down.
    """

    def __init__(self, graph: Graph, form: Form, result: Any, tracer: Tracer) -> None:
        self.graph, self.form, self.result, self.tracer = graph, form, result, tracer


def capture(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    name: str,
    rewrite: bool = False,
    unknown: Sequence[Sequence[int]] = (),
) -> Captured:
    """Call a function and capture what it does.

    Args:
        rewrite: capture both ways of its control flow over tensors, too.
        unknown: for each tensor among the arguments, the axes whose dims may differ from run to run; () for none.

    Raises:
        Uncapturable: it cannot be; what it did to tensors and generators from outside is taken back.
        Exception: what the function raises.
    """
    tracer = Tracer(name)
    given: list[TensorBase] = []
    form = form_of((args, kwargs), given)
    own = [tensor if isinstance(tensor, Parameter) else double(tensor) for tensor in given]
    for i, (tensor, mine) in enumerate(zip(given, own)):
        if mine is not tensor:
            tracer.input(mine, unknown[i] if unknown else ())
    args, kwargs = rebuild(form, own)
    if rewrite:
        tracer.control = Control(tracer)
    contents = Contents((args, kwargs))
    try:
        with scope(observer=tracer):
            if tracer.control is not None:
                fn = functools.partial(tracer.control.call, fn)
            result = fn(*args, **kwargs)
        if tracer.failures:
            raise tracer.failures[0]
        tracer.finish()
        if not contents():
            raise Uncapturable("a container among the arguments is changed")
        _check_own(tracer, contents, result)
        return _finished(tracer, result, {id(mine): tensor for tensor, mine in zip(given, own)})
    except Uncapturable:
        tracer.undo.back()
        raise
    except Exception as error:
        if not tracer.failures:
            raise
        tracer.undo.back()
        raise tracer.failures[0] from error


def _check_own(tracer: Tracer, contents: Contents, result: Any) -> None:
    """A graph gives containers of its own: those of others have to be given by Python."""
    theirs = {id(part) for part in contents.containers()}
    todo = [result]
    while todo:
        item = todo.pop()
        if isinstance(item, (list, dict)) and (id(item) in theirs or tracer.guarded(item)):
            raise Uncapturable("a container from outside is returned")
        if isinstance(item, (list, tuple, dict)):
            todo.extend(item.values() if isinstance(item, dict) else item)


def _finished(tracer: Tracer, result: Any, given: dict[int, TensorBase]) -> Captured:
    found: list[Any] = []
    form = form_of(result, found)
    for leaf in leaves_of(form):
        if type(leaf.value) is TracedInt:
            leaf.value = int(leaf.value)
        if not is_plain(leaf.value):
            raise Uncapturable(f"an object of type '{type(leaf.value).__name__}' is returned")
    for leaf in leaves_of(form, tensors=True):
        tensor = found[leaf.index]
        if tracer.numbers.holds(tensor):
            leaf.value = bool if tensor.dtype.kind == "b" else int
    graph = tracer.graph
    for tensor in found:
        value = tracer.value_of(tensor)
        if value.constant:
            value = tracer.add(Copy(), (value,), (tensor,)).outs[0]
        graph.outputs.append(value)
    result = rebuild(form, [given.get(id(tensor), tensor) for tensor in found])
    return Captured(check(graph), form, result, tracer)
