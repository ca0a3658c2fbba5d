"""The other side of a save by a process: frames from standard input into one file, whole or not at all."""

from __future__ import annotations

import json
import sys
from typing import IO

from ms_fs.registry import resolve

__all__ = ["main"]


def main(path: str, permissions: str, source: IO[bytes]) -> int:
    """Write the file; 0 when it is there, else 1, with the reason as JSON on standard error."""
    backend, inner = resolve(path)
    try:
        with backend.create(inner, permissions=int(permissions) if permissions else None) as sink:
            while length := int.from_bytes(_exactly(source, 4), "little"):
                sink.write(_exactly(source, length))
    except OSError as error:
        print(json.dumps({"errno": error.errno, "text": error.strerror or str(error)}), file=sys.stderr)
        return 1
    return 0


def _exactly(source: IO[bytes], length: int) -> bytes:
    data = source.read(length)
    if len(data) < length:
        raise OSError(32, "the program that saves has ended")
    return data


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.stdin.buffer))
