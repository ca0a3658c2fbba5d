"""Files of MindIR: `load_mindir`, `save_mindir` and `load` of MindSpore 2.6."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ms_jit.mindir.convert import read_program, write_program
from ms_jit.mindir.evaluate import GraphProgram
from ms_jit.mindir.message import Message, parse
from ms_jit.mindir.model import Program
from ms_jit.mindir.wire import MindIRError

__all__ = ["check_file_name", "load", "load_mindir", "save_mindir", "save_program"]

_LEGAL = r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$"
_SPLIT = 1 << 30  # from so many bytes of weights on, they get a file of their own, as in MindSpore
_ALIGN = 64


def check_file_name(name: Any) -> str:
    """A file name that MindSpore accepts.

    Raises:
        TypeError: it is no text.
        ValueError: it is blank or has other signs than letters, digits and @_-.:/\\.
    """
    if not isinstance(name, str):
        raise TypeError(f"The '{name}' must be string, but got {type(name)}.")
    if re.fullmatch(_LEGAL, name) is None:
        raise ValueError(f"The '{name}' is illegal, it must be match regular '{_LEGAL}'.")
    return name


def load_mindir(file_name: str) -> Message:
    """Read a MindIR file as a message that can be changed and saved again (``mindspore.load_mindir``).

    Raises:
        TypeError: the name is no text.
        ValueError: the name is not legal, there is no such file, or it is no MindIR.

    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = os.path.join(folder, "net.mindir")
    ...     save_mindir(Message("ModelProto", producer_name="me"), name)
    ...     model = load_mindir(name)
    >>> model.user_info["version"] = "1"
    >>> print(model)
    producer_name: "me"
    user_info { key: "version" value: "1" }
    <BLANKLINE>
    """
    check_file_name(file_name)
    try:
        data = Path(file_name).resolve().read_bytes()
    except OSError as error:
        raise ValueError(str(error)) from error
    try:
        return parse("ModelProto", data)
    except MindIRError as error:
        raise MindIRError(f"For 'load_mindir', the file '{file_name}' must be MindIR, but it has {error}.") from error


def save_mindir(model: Message, file_name: str) -> None:
    """Write a message as a MindIR file (``mindspore.save_mindir``); ".mindir" is added where it lacks.

    Raises:
        TypeError: `model` is not what `load_mindir` gives, or the name is no text.
        ValueError: the name is not legal.
    """
    check_file_name(file_name)
    if not isinstance(model, Message) or model.kind != "ModelProto":
        raise TypeError(f"For 'save_mindir', the argument 'model' must be ModelProto, but got {type(model)}.")
    _write(_with_ending(file_name), model.SerializeToString())


def load(file_name: str, **kwargs: Any) -> GraphProgram:
    """Load the program of a MindIR file, to run it (``mindspore.load``); `nn.GraphCell` makes a cell of it.

    Raises:
        ValueError: the name is no text or does not end in ".mindir", there is no such file, or a key to decrypt it is
            given, since files are read only as they are.
        RuntimeError: the file holds no program that can run here; the text says why.
    """
    if not isinstance(file_name, str):
        raise ValueError(f"For 'load', the argument 'file_name' must be string, but got {type(file_name)}.")
    what = "For 'load', the argument 'file_name'(MindIR file)"
    if not file_name.endswith(".mindir"):
        raise ValueError(f"{what} should end with '.mindir', please input the correct 'file_name'.")
    if not os.path.exists(file_name):
        raise ValueError(f"{what} does not exist, please check whether the 'file_name' is correct.")
    if kwargs.get("dec_key") is not None or kwargs.get("dec_func") is not None:
        raise ValueError("For 'load', the file must not be encrypted, but got a key or function to decrypt it.")
    path = Path(file_name).resolve()
    try:
        return GraphProgram(read_program(parse("ModelProto", path.read_bytes()), _Beside(path.parent)))
    except (OSError, TypeError, ValueError) as error:  # whatever is wrong with it, from bytes to names and shapes
        raise RuntimeError(f"Load MindIR failed. The file '{file_name}': {error}.") from error


def save_program(program: Program, file_name: str, changes: Any = None) -> None:
    """Write a program as a MindIR file, weights of more than 1 GB into a file beside it.

    Args:
        program: the program.
        file_name: ".mindir" is added where it lacks.
        changes: a function that may change the message before it is written.
    """
    model = write_program(program)
    path = _with_ending(file_name)
    if sum(held.value.nbytes for held in program.parameters.values()) >= _SPLIT:
        path = _split(model, path)
    if changes is not None:
        changes(model)
    _write(path, model.SerializeToString())


class _Beside:
    """Reads weights from files beside the MindIR file, and from nowhere else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, location: str, offset: int, length: int) -> bytes:
        path = Path(self.folder, location).resolve()
        if os.path.isabs(location) or not path.is_relative_to(self.folder):
            raise MindIRError(f"it asks for '{location}', which is not beside it")
        with path.open("rb") as file:
            if offset + length > os.fstat(file.fileno()).st_size:
                raise MindIRError(f"'{location}' is too short")
            file.seek(offset)
            return file.read(length)


def _with_ending(file_name: str) -> Path:
    return Path(file_name if file_name.endswith(".mindir") else f"{file_name}.mindir").resolve()


def _split(model: Message, path: Path) -> Path:
    """Move the weights into a file of their own; gives the name for the rest."""
    folder = path.with_name(f"{path.stem}_variables")
    folder.mkdir(parents=True, exist_ok=True)
    with _replacing(folder / "data_0") as file:
        file.write(b"\x01".ljust(_ALIGN, b"\0"))
        for tensor in model.graph.parameter:
            raw = tensor.raw_data
            tensor.external_data = Message(
                "ExternalDataProto", location=f"{folder.name}/data_0", offset=file.tell(), length=len(raw)
            )
            tensor.ClearField("raw_data")
            file.write(raw)
            file.write(bytes(-len(raw) % _ALIGN))
    return path.with_name(f"{path.stem}_graph.mindir")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _replacing(path) as file:
        file.write(data)


class _replacing:
    """A file that takes the place of `path` when all is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> Any:
        self.file = open(f"{self.path}.{os.getpid()}.part", "wb")
        return self.file

    def __exit__(self, kind: Any, *_rest: Any) -> None:
        self.file.close()
        if kind is None:
            os.replace(self.file.name, self.path)
        else:
            os.unlink(self.file.name)
