"""Checkpoints as NumPy arrays, on any storage: `save`, `load`, storages by name, and atomic writes.

>>> import numpy as np, ms_fs
>>> ms_fs.save({"weight": np.ones((2, 3), np.float32)}, "memory://model.ckpt")
>>> ms_fs.load("memory://model.ckpt")["weight"].shape
(2, 3)
"""

from ms_fs._version import __version__
from ms_fs.background import Pending, pending, save_in_background, wait
from ms_fs.codec import load, names, save, stream
from ms_fs.errors import CheckpointError, CheckpointNotFoundError, UnsafeFileError
from ms_fs.file_system import FileSystem, _register_basic_file_system, _register_mindio_file_system
from ms_fs.paths import join, split
from ms_fs.registry import backend, known, register, resolve, unregister
from ms_fs.sink import Sink
from ms_fs.spec import Backend

__all__ = [
    "Backend",
    "CheckpointError",
    "CheckpointNotFoundError",
    "FileSystem",
    "Pending",
    "Sink",
    "UnsafeFileError",
    "__version__",
    "_register_basic_file_system",
    "_register_mindio_file_system",
    "backend",
    "join",
    "known",
    "load",
    "names",
    "pending",
    "register",
    "resolve",
    "save",
    "save_in_background",
    "split",
    "stream",
    "unregister",
    "wait",
]
