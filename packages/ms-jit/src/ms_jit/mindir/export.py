"""Captured graphs as programs of MindIR: `export` of MindSpore 2.6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ms_jit.capture.errors import Uncapturable
from ms_jit.capture.run import capture
from ms_jit.mindir.files import check_file_name, save_program
from ms_jit.mindir.graphs import write_graph
from ms_jit.mindir.model import (
    Program,
)
from ms_jit.passes import optimize
from ms_jit.trees import tensors_in
from ms_kernels import Tensor

__all__ = ["export", "program_of"]

_LENGTHS = (5, 7, 11, 13)  # told apart, and none is 1
_FORMATS = ["AIR", "ONNX", "MINDIR"]


def export(net: Any, *inputs: Any, file_name: str, file_format: str, **kwargs: Any) -> None:
    """Write what a network does to such inputs as a MindIR file (``mindspore.export``).

    A tensor whose shape has unknown dims (-1) makes a program for any length there.

    Args:
        net: a Cell, or a function.
        inputs: tensors (only shapes and dtypes count) and constants, as `net` takes them.
        file_name: ".mindir" is added where it lacks.
        file_format: "MINDIR"; 2.6's other formats are not written here.
        **kwargs: ``custom_func`` may change the message (see `load_mindir`) before it is written.

    Raises:
        TypeError: the name is no text, or `net` is not callable.
        ValueError: the name is not legal, or the format is none, or not MINDIR; the rank of an input is unknown.
        RuntimeError: the function does what a file cannot hold; the text says what and where.
    """
    if file_format not in _FORMATS:
        raise ValueError(f"For 'export', 'file_format' must be one of {_FORMATS}, but got {file_format}.")
    check_file_name(file_name)
    if file_format != "MINDIR":
        raise ValueError(f"For 'export', 'file_format' must be MINDIR here, but got {file_format}.")
    if not callable(net) or isinstance(net, type):
        raise TypeError(f"For 'export', the 'net' must be a Cell or a function, but got {net}.")
    if kwargs.get("enc_key") is not None:
        raise ValueError("For 'export', the file must not be encrypted, but got an 'enc_key'.")
    save_program(program_of(net, inputs), file_name, kwargs.get("custom_func"))


def program_of(net: Callable[..., Any], inputs: tuple[Any, ...], version: str = "2.6.0") -> Program:
    """The program that a network is for such inputs.

    Raises:
        ValueError: an input has an unknown rank, or unknown dims inside of a list.
        RuntimeError: the function does what MindIR cannot hold.

    >>> program = program_of(lambda x: x * x, (Tensor([1.0, 2.0]),))
    >>> [node.operator.name for node in program.main.nodes]
    ['Mul']
    """
    unknown: list[list[int]] = []
    given = tuple(_sample(value, unknown) for value in inputs)
    name = f"{type(net).__name__}_construct" if hasattr(net, "construct") else getattr(net, "__name__", "main")
    name = "".join(sign if sign.isalnum() else "_" for sign in name)
    try:
        captured = capture(net, given, {}, name, rewrite=True, unknown=unknown if any(unknown) else ())
    except Uncapturable as error:
        at = f" at {error.source}" if error.source else ""
        raise RuntimeError(f"For 'export', the function must be one graph, but{at} {error.reason}.") from error
    captured.tracer.undo.back()  # an export changes no weights
    return write_graph(optimize(captured.graph), captured.form, version)


def _sample(value: Any, unknown: list[list[int]]) -> Any:
    """A tensor that an input may be; notes which of its dims are unknown."""
    for tensor in tensors_in(value):
        shape = tuple(tensor.shape)
        unknown.append([axis for axis, dim in enumerate(shape) if dim == -1])
        if min(shape, default=0) >= 0:
            continue
        if shape == (-2,) or tensor is not value:
            raise ValueError(f"For 'export', the inputs must have known ranks, but got a tensor of the shape {shape}.")
        lengths = [_LENGTHS[axis % len(_LENGTHS)] if dim < 0 else dim for axis, dim in enumerate(shape)]
        value = Tensor(np.ones(lengths, tensor.dtype.np))
    return value
