"""Encrypted files as 2.6 writes them: blocks of 64 MiB, each with a mark, its lengths and an IV of its own.

A block of AES-GCM is: mark, tag (16 bytes), length of the rest, length of the IV, IV, length of the data, data. AES-CBC
and SM4-CBC have no tag and pad the data (PKCS #7). Numbers have 4 bytes, the lowest first. Of the 16 bytes of an IV
AES-GCM uses the first 12.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any

from ms_fs.errors import CheckpointError, UnsafeFileError

__all__ = ["BLOCK", "MODES", "Decrypted", "EncryptingSink", "check_key", "is_encrypted"]

BLOCK = 64 << 20
_IV = 16


@dataclass(frozen=True)
class _Mode:
    mark: int
    cipher: str
    tag: int
    keys: tuple[int, ...]


MODES: Mapping[str, _Mode] = MappingProxyType(
    {
        "AES-GCM": _Mode(0x7F3A5ED8, "AES", 16, (16, 24, 32)),
        "AES-CBC": _Mode(0x7F3A5ED9, "AES", 0, (16, 24, 32)),
        "SM4-CBC": _Mode(0x7F3A5EDA, "SM4", 0, (16,)),
    }
)
_MARKS = {mode.mark.to_bytes(4, "little") for mode in MODES.values()}


def check_key(name: str, key: Any, mode: Any) -> None:
    """A key of a length that the mode takes.

    Raises:
        TypeError: `key` is no bytes.
        ValueError: an unknown mode, or another length.

    >>> check_key("save", b"0123456789abcdef", "SM4-CBC")
    """
    if not isinstance(key, bytes):
        raise TypeError(f"For '{name}', the key must be bytes, but got {type(key).__name__}.")
    if mode not in MODES:
        raise ValueError(f"For '{name}', the mode of encryption must be one of {list(MODES)}, but got {mode!r}.")
    if len(key) not in MODES[mode].keys:
        lengths = " or ".join(map(str, MODES[mode].keys))
        raise ValueError(f"For '{name}', the key of {mode} must have {lengths} bytes, but got {len(key)}.")


def is_encrypted(start: bytes) -> bool:
    """Whether a file that begins so is encrypted."""
    return start[:4] in _MARKS


def _cipher(mode: str, key: bytes, iv: bytes, tag: bytes | None = None) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise ImportError(
            "Encrypted checkpoints need the package 'cryptography': install ms-fs[encryption]."
        ) from error
    kind = MODES[mode]
    how = modes.GCM(iv[:12], tag) if kind.tag else modes.CBC(iv)
    return Cipher(getattr(algorithms, kind.cipher)(key), how)


class EncryptingSink:
    """Collects what is written, and hands on a block whenever one is full; `finish` writes the last."""

    def __init__(self, sink: Any, key: bytes, mode: str) -> None:
        check_key("save", key, mode)
        _cipher(mode, key, bytes(_IV))  # a missing package should show before any work
        self._sink, self._key, self._mode = sink, key, mode
        self._held = bytearray()

    def write(self, data: Any) -> None:
        """Take bytes."""
        view = memoryview(data)
        while len(view):
            part = view[: BLOCK - len(self._held)]
            self._held += part
            view = view[len(part) :]
            if len(self._held) == BLOCK:
                self.finish()

    def finish(self) -> None:
        """Write what is held as a block."""
        if not self._held:
            return
        kind, iv = MODES[self._mode], os.urandom(_IV)
        encryptor = _cipher(self._mode, self._key, iv).encryptor()
        if not kind.tag:
            padding = 16 - len(self._held) % 16
            self._held += bytes([padding]) * padding
        data = encryptor.update(self._held) + encryptor.finalize()
        self._held.clear()
        tag = encryptor.tag if kind.tag else b""
        rest = _number(_IV) + iv + _number(len(data))
        self._sink.write(_number(kind.mark) + tag + _number(len(rest) + len(data)) + rest)
        self._sink.write(data)


def _number(value: int) -> bytes:
    return value.to_bytes(4, "little")


@dataclass(frozen=True)
class _Block:
    start: int  # of the data, in the file
    length: int
    iv: bytes
    tag: bytes


class Decrypted(io.RawIOBase):
    """The plain bytes of an encrypted file; one block is held at a time.

    Args:
        file: binary and seekable.
        size: the number of its bytes.
        key, mode: as when it was written.

    Raises:
        CheckpointError: it is not encrypted in this mode, damaged, or the key is another.
    """

    def __init__(self, file: IO[bytes], size: int, key: bytes, mode: str) -> None:
        check_key("load", key, mode)
        self._file, self._key, self._mode = file, key, mode
        self._blocks = list(_blocks(file, size, mode))
        full = BLOCK if MODES[mode].tag else BLOCK + 16 - BLOCK % 16
        if any(block.length != full for block in self._blocks[:-1]):
            raise UnsafeFileError("a block in the middle is not full")
        self._held: tuple[int, bytes] = (-1, b"")
        self._position = 0
        last = len(self._plain(len(self._blocks) - 1)) if self._blocks else 0
        self.size = BLOCK * max(len(self._blocks) - 1, 0) + last

    def _plain(self, index: int) -> bytes:
        if self._held[0] == index:
            return self._held[1]
        self._held = (-1, b"")
        block = self._blocks[index]
        self._file.seek(block.start)
        data = self._file.read(block.length)
        try:
            decryptor = _cipher(self._mode, self._key, block.iv, block.tag or None).decryptor()
            plain: bytes = decryptor.update(data) + decryptor.finalize()
        except ImportError:
            raise
        except Exception:  # InvalidTag, ValueError: which of them depends on the mode
            raise CheckpointError("a block cannot be decrypted") from None
        if not block.tag:
            padding = plain[-1] if plain else 0
            if not 1 <= padding <= 16 or plain[-padding:] != bytes([padding]) * padding:
                raise CheckpointError("a block cannot be decrypted")
            plain = plain[:-padding]
        if len(plain) != BLOCK and index != len(self._blocks) - 1:
            raise CheckpointError("a block in the middle is too short")
        self._held = (index, plain)
        return plain

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a plain position."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Read at most to the end of a block."""
        if self._position >= self.size:
            return 0
        index, start = divmod(self._position, BLOCK)
        part = memoryview(self._plain(index))[start : start + len(buffer)]
        memoryview(buffer)[: len(part)] = part
        self._position += len(part)
        return len(part)


def _blocks(file: IO[bytes], size: int, mode: str) -> Any:
    kind = MODES[mode]
    mark, at = _number(kind.mark), 0
    head = 4 + kind.tag + 8 + _IV + 4
    while at < size:
        file.seek(at)
        data = file.read(head)
        if len(data) < head or data[:4] != mark:
            raise CheckpointError(f"it is not encrypted as {mode}")
        tag = data[4 : 4 + kind.tag]
        rest, iv_length = (int.from_bytes(data[i : i + 4], "little") for i in (4 + kind.tag, 8 + kind.tag))
        length = int.from_bytes(data[-4:], "little")
        start = at + head
        if iv_length != _IV or rest != 8 + _IV + length or length > min(BLOCK + 16, size - start):
            raise UnsafeFileError("a block claims lengths that it cannot have")
        yield _Block(start, length, data[12 + kind.tag : 12 + kind.tag + _IV], tag)
        at = start + length
