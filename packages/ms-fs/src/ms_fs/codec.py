"""`save` and `load`: dicts of NumPy arrays to files of either format and back, on any storage."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ms_fs import ckpt, crypto, safetensors
from ms_fs._crc import crc_of_zeros
from ms_fs.errors import CheckpointError, CheckpointNotFoundError
from ms_fs.progress import bar
from ms_fs.registry import resolve
from ms_fs.sink import Sink, byte_chunks
from ms_fs.types import CKPT_NAMES

__all__ = ["FORMATS", "Path", "as_array", "format_of", "load", "names", "save", "stream", "write_to"]

Path = str | os.PathLike[str]
Items = Mapping[str, NDArray[Any] | str] | Iterable[tuple[str, NDArray[Any] | str]]
FORMATS = ("ckpt", "safetensors")
_CRC = b"crc_num"
_TRAILER = len(_CRC) + 10
_CRC_TEXT = "For 'load_checkpoint', the crc check has failed. Please check whether the ckpt file is damaged: {}."


def format_of(path: Path, format: str | None) -> str:
    """The format that is asked for, or the one that a file's name tells: "safetensors" by its suffix, else "ckpt".

    Raises:
        ValueError: there is no such format.

    >>> format_of("a.safetensors", None), format_of("a", None)
    ('safetensors', 'ckpt')
    """
    if format is None:
        return "safetensors" if os.fspath(path).endswith(".safetensors") else "ckpt"
    if format not in FORMATS:
        raise ValueError(f"For 'format_of', the 'format' must be one of {list(FORMATS)}, but got {format!r}.")
    return format


def as_array(name: Any, value: Any) -> NDArray[Any] | str:
    """What is saved of a value: an array or a number as an array, a text as it is.

    Raises:
        TypeError: a name is no string, or a value has a type that no file can hold.
        ValueError: a name is no Unicode.
    """
    if not isinstance(name, str):
        raise TypeError(f"For 'save', a name must be a string, but got {type(name).__name__}.")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"For 'save', a name must be Unicode text, but got {name!r}.") from None
    if isinstance(value, str):
        return str(value)
    array = np.asarray(value)
    native = array.dtype.newbyteorder("=") if array.dtype.isbuiltin == 0 else array.dtype
    if native not in CKPT_NAMES:
        raise TypeError(f"For 'save', the type of '{name}' must be one of a tensor, but got {array.dtype}.")
    return array if native == array.dtype else array.astype(native)


def _crc_of_tensors(tensors: Mapping[str, NDArray[Any]]) -> int:
    """2.6's sum over a safetensors file: names and bytes by name, but as many zeros as it says for an int without dims.

    Negative ones, at which 2.6 fails, count by their bytes here.
    """
    crc = 0
    for name in sorted(tensors):
        array = tensors[name]
        crc = zlib.crc32(name.encode(), crc)
        if array.ndim == 0 and array.dtype.kind in "iu" and array >= 0:
            crc = crc_of_zeros(int(array), crc)
            continue
        for chunk in byte_chunks(array):
            crc = zlib.crc32(chunk, crc)
    return crc


def save(
    tensors: Mapping[str, Any] | Iterable[tuple[str, Any]],
    path: Path,
    format: str | None = None,
    *,
    crc: bool = False,
    key: bytes | None = None,
    mode: str = "AES-GCM",
    progress: bool | None = None,
    permissions: int | None = None,
) -> None:
    """Write arrays, numbers and (in .ckpt) texts; the file is replaced as a whole or stays as it was.

    Args:
        tensors: names and values, a dict or pairs. Pairs that come one by one are written so into a .ckpt file, which
            can then be larger than memory.
        path: a path, or a URL of any registered storage or of fsspec.
        format: "ckpt" or "safetensors"; None: by the suffix.
        crc: add a checksum that `load` can check.
        key, mode: encrypt a .ckpt file, by "AES-GCM", "AES-CBC" or "SM4-CBC".
        progress: a bar; None: on terminals, when it takes long.
        permissions: what the file permits, as for `os.chmod`.

    Raises:
        TypeError, ValueError: a name or value that the format cannot hold, a name that is there twice, a wrong key.
        OSError: the storage refuses; `path` is in the text.

    >>> import numpy as np
    >>> save({"weight": np.eye(2), "epoch": 3}, "memory://doc.safetensors")
    >>> load("memory://doc.safetensors")["epoch"]
    array(3)
    """
    kind = format_of(path, format)
    if key is not None and kind == "safetensors":
        raise ValueError("For the format 'safetensors', the 'key' must be None: it has no encryption.")
    if key is not None:
        crypto.check_key("save", key, mode)
    pairs = _checked(tensors.items() if isinstance(tensors, Mapping) else tensors)
    items: Items = pairs
    size: int | None = None
    if isinstance(tensors, Mapping) or kind == "safetensors":
        items = dict(pairs)
        size = ckpt.total(items.items())
        if kind == "safetensors":
            safetensors.order(_arrays(items))
    backend, inner = resolve(path)
    with bar(size, os.path.basename(os.fspath(path)), progress) as report:
        with backend.create(inner, permissions=permissions, progress=report) as sink:
            write_to(sink, items, kind, crc=crc, key=key, mode=mode)


def _checked(pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, NDArray[Any] | str]]:
    """The pairs as they are written; each name once."""
    seen: set[str] = set()
    for name, value in pairs:
        made = as_array(name, value)
        if name in seen:
            raise ValueError(f"For 'save', a name must be there once, but got '{name}' twice.")
        seen.add(name)
        yield name, made


def _arrays(items: Items) -> dict[str, NDArray[Any]]:
    """The items of a safetensors file, none of which is a text."""
    made: dict[str, NDArray[Any]] = {}
    for name, value in items.items() if isinstance(items, Mapping) else items:
        if isinstance(value, str):
            raise TypeError(f"For the format 'safetensors', the values must be arrays, but '{name}' is a text.")
        made[name] = value
    return made


def write_to(
    sink: Sink,
    items: Items,
    format: str,
    *,
    crc: bool = False,
    key: bytes | None = None,
    mode: str = "AES-GCM",
) -> None:
    """Write a whole file into a sink; the values are as `as_array` gives them."""
    if format == "safetensors":
        arrays = _arrays(items)
        texts = {_CRC.decode(): str(_crc_of_tensors(arrays))} if crc else None
        safetensors.write(arrays, sink, texts)
        return
    if crc:
        sink.start_crc()
    target: Any = sink if key is None else crypto.EncryptingSink(sink, key, mode)
    ckpt.write(items.items() if isinstance(items, Mapping) else items, target)
    if key is not None:
        target.finish()
    if crc:
        sink.write(_CRC + (sink.crc or 0).to_bytes(10, "big"))


def load(
    path: Path,
    format: str | None = None,
    *,
    choose: Callable[[str], bool] | None = None,
    crc: bool = False,
    key: bytes | None = None,
    mode: str = "AES-GCM",
    mapped: bool = True,
) -> dict[str, NDArray[Any] | str]:
    """Read what `save` or 2.6 wrote.

    Args:
        path: a path, or a URL of any registered storage or of fsspec.
        format: "ckpt" or "safetensors"; None: by the suffix.
        choose: which names are wanted; None: all.
        crc: check the checksum, where the file has one.
        key, mode: of an encrypted file.
        mapped: arrays of a local safetensors file show its memory: nothing is read until it is used, and changes stay
            private. Such a file must not be cut while arrays live; being replaced does no harm.

    Returns:
        New arrays, and texts as strings, in the order of the file.

    Raises:
        CheckpointNotFoundError: there is no such file.
        CheckpointError: the file is damaged, encrypted, or no checkpoint. Memory stays within a few times its size.

    >>> save({"a": 1, "b": 2}, "memory://two.ckpt")
    >>> load("memory://two.ckpt", choose=lambda name: name == "b")
    {'b': array(2)}
    """
    if crc and format_of(path, format) == "safetensors":
        return _load_with_sum(path, choose, mapped)
    return dict(stream(path, format, choose=choose, crc=crc, key=key, mode=mode, mapped=mapped))


def stream(
    path: Path,
    format: str | None = None,
    *,
    key: bytes | None = None,
    mode: str = "AES-GCM",
    choose: Callable[[str], bool] | None = None,
    mapped: bool = True,
    crc: bool = False,
) -> Iterator[tuple[str, NDArray[Any] | str]]:
    """`load` by pairs of a name and a value, so that a file may be larger than memory.

    The checksum of a safetensors file is not looked at, since it goes by names, not by places.

    Raises:
        CheckpointNotFoundError, CheckpointError: as in `load`, when it comes to them.

    >>> save([("a", 1), ("b", "text")], "memory://pairs.ckpt")
    >>> [name for name, _ in stream("memory://pairs.ckpt")]
    ['a', 'b']
    """
    kind = format_of(path, format)
    with _opened(path) as (file, size), _explained(path, key):
        if kind == "safetensors":
            yield from safetensors.read(file, size, choose, mapped=mapped)[0]
        else:
            yield from _stream_ckpt(path, file, size, choose, crc, key, mode)


def _load_with_sum(path: Path, choose: Callable[[str], bool] | None, mapped: bool) -> dict[str, NDArray[Any] | str]:
    with _opened(path) as (file, size), _explained(path, None):
        pairs, texts = safetensors.read(file, size, mapped=mapped)
        found = dict(pairs)
        wanted = texts.get(_CRC.decode())
        if wanted is not None and wanted != str(_crc_of_tensors(found)):
            raise CheckpointError(_CRC_TEXT.format(os.fspath(path)))
    return {name: array for name, array in found.items() if choose is None or choose(name)}


def names(path: Path, format: str | None = None) -> list[str]:
    """The names in a file, without reading what they stand for.

    Raises:
        CheckpointNotFoundError, CheckpointError: as in `load`.

    >>> save({"a": 1, "b": 2}, "memory://names.ckpt")
    >>> names("memory://names.ckpt")
    ['a', 'b']
    """
    found: list[str] = []

    def note(name: str) -> bool:
        found.append(name)
        return False

    load(path, format, choose=note)
    return found


class _opened:
    """An open file and its size."""

    def __init__(self, path: Path) -> None:
        self._backend, self._inner = resolve(path)
        self._path = path

    def __enter__(self) -> tuple[IO[bytes], int]:
        if self._backend.is_folder(self._inner):
            raise IsADirectoryError(21, "Is a directory", os.fspath(self._path))
        try:
            self._file = self._backend.open(self._inner)
        except FileNotFoundError:
            raise CheckpointNotFoundError(2, "No such file or directory", os.fspath(self._path)) from None
        return self._file, self._file.seek(0, os.SEEK_END)

    def __exit__(self, *error: object) -> None:
        self._file.close()


@contextmanager
def _explained(path: Path, key: bytes | None) -> Iterator[None]:
    """What is wrong with a file is told with its path, in 2.6's words."""
    try:
        yield
    except CheckpointError as error:
        raise type(error)(_text(path, error, key)) from error.__cause__


def _text(path: Path, error: CheckpointError, key: bytes | None) -> str:
    if str(error).startswith("For "):
        return str(error)
    reason = (
        "The file may be corrupted, and the content cannot be parsed"
        if key is None
        else "The file may be encrypted or tempered with, please pass in the correct 'dec_key' or check the file "
        "integrity"
    )
    return f"Failed to read the checkpoint file {os.fspath(path)}. {reason}: {error}."


def _stream_ckpt(
    path: Path,
    file: IO[bytes],
    size: int,
    choose: Callable[[str], bool] | None,
    crc: bool,
    key: bytes | None,
    mode: str,
) -> Iterator[tuple[str, NDArray[Any] | str]]:
    size, wanted = _without_trailer(file, size)
    if crc and wanted is not None and wanted != _crc_of_file(file, size):
        raise CheckpointError(_CRC_TEXT.format(os.fspath(path)))
    file.seek(0)
    if key is not None:
        file = plain = crypto.Decrypted(file, size, key, mode)  # type: ignore[assignment]
        size = plain.size
    elif crypto.is_encrypted(file.read(4)):
        raise CheckpointError("it is encrypted, but there is no key")
    file.seek(0)
    yield from ckpt.read(file, size, choose)


def _without_trailer(file: IO[bytes], size: int) -> tuple[int, int | None]:
    """The size of a file without its checksum, and the checksum, None when it has none."""
    if size < _TRAILER:
        return size, None
    file.seek(size - _TRAILER)
    trailer = file.read(_TRAILER)
    if not trailer.startswith(_CRC):
        return size, None
    return size - _TRAILER, int.from_bytes(trailer[len(_CRC) :], "big")


def _crc_of_file(file: IO[bytes], size: int) -> int:
    file.seek(0)
    crc, left = 0, size
    while left:
        data = file.read(min(left, 1 << 22))
        if not data:
            raise CheckpointError("the file ends too early")
        crc, left = zlib.crc32(data, crc), left - len(data)
    return crc
