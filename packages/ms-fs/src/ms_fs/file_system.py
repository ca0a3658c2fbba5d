"""`FileSystem`: how files are made and opened, by Python itself or by MindIO (``mindspore.common.file_system``)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["FileSystem", "_register_basic_file_system", "_register_mindio_file_system"]

_LOG = logging.getLogger("ms_fs")


class FileSystem:
    """Two functions, each with the arguments that follow the path.

    Attributes:
        create, create_args: make a file for writing.
        open, open_args: open a file for reading.
        backend: "basic" or "mindio".

    >>> fs = FileSystem()
    >>> fs.backend, fs.create_args, fs.open_args
    ('basic', ('ab',), ('rb',))
    """

    def __init__(self) -> None:
        self.create: Callable[..., Any] = open
        self.create_args: tuple[Any, ...] = ("ab",)
        self.open: Callable[..., Any] = open
        self.open_args: tuple[Any, ...] = ("rb",)
        self.backend = "basic"


def _register_basic_file_system(fs: FileSystem) -> bool:
    """Let `fs` use Python's own files; `backend` stays as it is, as in 2.6.

    >>> _register_basic_file_system(FileSystem())
    True
    """
    fs.create = open
    fs.create_args = ("ab",)
    fs.open = open
    fs.open_args = ("rb",)
    return True


def _register_mindio_file_system(fs: FileSystem) -> bool:
    """Let `fs` use MindIO, where it is installed and starts.

    Returns:
        Whether it does; if not, `fs` is as it was.

    Raises:
        Exception: what MindIO's start raises, other than AttributeError.
    """
    try:
        mindio: Any = import_module("mindio")
    except ImportError:
        return False
    try:
        code = mindio.initialize()
    except AttributeError as error:
        _LOG.warning("Failed to initialize MindIO: %s", error)
        return False
    if code != 0:
        _LOG.warning("Failed to initialize MindIO: ret = %s", code)
        return False
    create, opener = mindio.create_file, mindio.open_file
    fs.create, fs.create_args = create, ()
    fs.open, fs.open_args = opener, ()
    fs.backend = "mindio"
    _LOG.info("The weights are stored using MindIO as the backend.")
    return True
