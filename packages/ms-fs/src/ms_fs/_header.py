"""A parser for the headers of safetensors files, and for nothing else that JSON could say.

A general parser builds whatever a file asks for, many times its size; here memory is bounded, and depth is three.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ms_fs.errors import CheckpointError

__all__ = ["Entry", "parse"]

_SPACE = re.compile(r"[ \t\n\r]*")
_SPACES = (" ", "\t", "\n", "\r")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}(?![0-9])")
_MAX_NUMBERS = 64
# What nearly all files say, in the library's own form; anything else goes the long way, with the same result.
_TEXT = re.compile(r'"([^"\\\x00-\x1f]*)"')
_INT = "(?:0|[1-9][0-9]{0,17})"
_ENTRY = re.compile(
    rf'{{"dtype":"([A-Z0-9_]{{1,16}})","shape":\[((?:{_INT},){{0,63}}{_INT}|)\],"data_offsets":\[({_INT}),({_INT})\]}}'
)


@dataclass
class Entry:
    """What a header says of a tensor."""

    dtype: str
    shape: tuple[int, ...]
    offsets: tuple[int, int]


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, what: str) -> CheckpointError:
        return CheckpointError(f"the header has no {what} at character {self.at}")

    def peek(self) -> str:
        """The next character that is no space, or nothing at the end."""
        if self.text[self.at : self.at + 1] in _SPACES:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # matches anything
        return self.text[self.at : self.at + 1]

    def take(self, mark: str) -> None:
        if self.peek() != mark:
            raise self.fail(f"'{mark}'")
        self.at += 1

    def more(self, end: str) -> bool:
        """After an item: whether another one follows."""
        if self.peek() == end:
            self.at += 1
            return False
        self.take(",")
        return True

    def string(self) -> str:
        if self.text[self.at : self.at + 1] != '"':
            self.peek()
        if found := _TEXT.match(self.text, self.at):
            self.at = found.end()
            return found[1]
        self.take('"')
        start = end = self.at
        while True:
            end = self.text.find('"', end)
            if end < 0:
                raise self.fail("end of a text")
            slashes = end
            while slashes > start and self.text[slashes - 1] == "\\":
                slashes -= 1
            if (end - slashes) % 2 == 0:
                break
            end += 1
            start = end
        begin, self.at = self.at - 1, end + 1
        try:
            made = json.loads(self.text[begin : self.at])
            made.encode()
        except ValueError:  # bad escapes, control characters, halves of surrogate pairs
            raise self.fail("text") from None
        assert isinstance(made, str)
        return made

    def numbers(self) -> tuple[int, ...]:
        self.take("[")
        made: list[int] = []
        if self.peek() == "]":
            self.at += 1
            return ()
        while True:
            self.peek()
            found = _NUMBER.match(self.text, self.at)
            if not found or len(made) == _MAX_NUMBERS:
                raise self.fail("number")
            made.append(int(found[0]))
            self.at = found.end()
            if not self.more("]"):
                return tuple(made)

    def object(self) -> Iterator[str]:
        """The keys of an object; before it goes on, the caller has read what stands after the key."""
        self.take("{")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            key = self.string()
            self.take(":")
            yield key
            if not self.more("}"):
                return


def _entry(scan: _Scanner, name: str) -> Entry:
    if found := _ENTRY.match(scan.text, scan.at):
        scan.at = found.end()
        shape = tuple(map(int, found[2].split(","))) if found[2] else ()
        return Entry(found[1], shape, (int(found[3]), int(found[4])))
    dtype: str | None = None
    lists: dict[str, tuple[int, ...]] = {}
    for key in scan.object():
        if key in lists or (key == "dtype" and dtype is not None):
            raise CheckpointError(f"'{name}' says its {key} twice")
        if key == "dtype":
            dtype = scan.string()
        elif key in ("shape", "data_offsets"):
            lists[key] = scan.numbers()
        else:
            raise CheckpointError(f"'{name}' has a field '{key[:40]}', which is unknown")
    if dtype is None or len(lists) < 2 or len(lists["data_offsets"]) != 2:
        raise CheckpointError(f"'{name}' lacks its dtype, shape or data_offsets")
    start, stop = lists["data_offsets"]
    return Entry(dtype, lists["shape"], (start, stop))


def _texts(scan: _Scanner) -> dict[str, str]:
    made: dict[str, str] = {}
    for key in scan.object():
        made[key] = scan.string()
    return made


def parse(data: bytes) -> tuple[dict[str, Entry], dict[str, str]]:
    """The tensors of a header by name, and its texts.

    Raises:
        CheckpointError: it says something else.

    >>> parse(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}')
    ({'a': Entry(dtype='F32', shape=(2,), offsets=(0, 8))}, {})
    """
    try:
        scan = _Scanner(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise CheckpointError(f"the header is no UTF-8: {error.reason}") from None
    entries: dict[str, Entry] = {}
    texts: dict[str, str] | None = None
    for name in scan.object():
        if name == "__metadata__":
            if texts is not None:
                raise CheckpointError("the header has two '__metadata__'")
            texts = _texts(scan)
        elif name in entries:
            raise CheckpointError(f"'{name}' is there twice")
        else:
            entries[name] = _entry(scan, name)
    if scan.peek():
        raise scan.fail("end")
    return entries, texts or {}
