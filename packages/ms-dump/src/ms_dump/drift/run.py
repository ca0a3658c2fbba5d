"""Runs a program twice, on two targets at the same time, and compares as the results come."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Listener
from typing import IO, Any

from ms_dump.drift.collect import Report
from ms_dump.drift.pairing import pairs
from ms_dump.drift.side import KEY
from ms_dump.drift.wire import Call, decode

__all__ = ["compare"]

Command = Callable[[str], Sequence[str]]  # the address to call -> the words of a command line


class _Side:
    """One running program: its process, what it prints, and the stream of its calls."""

    def __init__(self, name: str, command: Command, environ: dict[str, str]) -> None:
        self.name = name
        self.key = secrets.token_bytes(32)
        self.listener = Listener(authkey=self.key)
        self.output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed by end
        words = command(str(self.listener.address))
        env = {**os.environ, **environ, KEY: self.key.hex()}
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.output, env=env
        )
        self.connection: Connection | None = None
        self._accepted = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        try:
            self.connection = self.listener.accept()
        except (OSError, EOFError):  # the listener was closed: the program ended without a word
            return
        self._accepted.set()

    def calls(self) -> Iterator[Call]:
        """The calls of the program, as they come, until it ends."""
        while not self._accepted.wait(0.1):
            if self.process.poll() is not None and not self._accepted.wait(0.5):
                return
        assert self.connection is not None
        while True:
            try:
                data = self.connection.recv_bytes()
            except (EOFError, ConnectionError):
                return
            yield decode(data)

    def end(self) -> dict[str, Any]:
        """Wait for the program; how it ended, and the end of what it printed."""
        code = self.process.wait()
        self.listener.close()
        if self.connection is not None:
            self.connection.close()
        self.output.seek(0, os.SEEK_END)
        size = self.output.tell()
        self.output.seek(max(0, size - 4000))
        said = self.output.read().decode(errors="replace")
        self.output.close()
        return {"exit": code, "output": said}

    def kill(self) -> None:
        """End the program; harmless when it has ended."""
        if self.process.poll() is None:
            self.process.kill()


def compare(npu: Command, bench: Command, about: dict[str, Any], rows: IO[str] | None = None, seed: int = 0) -> Report:
    """Run two command lines that call `side`, and compare their ops in order of execution.

    Each side waits for the other, so that neither memory nor disk grows with the length of the run.

    Args:
        npu, bench: give the words of a command line for an address.
        about: the head of the report.
        rows: gets the JSON report as it grows.
        seed: for Python's hashes, which order sets; the programs' own seeds are their commands' business.

    Returns:
        The report; its `about` tells how both sides ended.
    """
    environ = {"PYTHONHASHSEED": str(seed), "MINDSPORE_DUMP_CONFIG": ""}
    report = Report(about, rows)
    ours = _Side("npu", npu, environ)
    try:
        theirs = _Side("bench", bench, environ)
    except OSError:
        ours.kill()
        raise
    try:
        for left, right in pairs(ours.calls(), theirs.calls(), lambda call: call.key):
            report.add(left, right)
    except BaseException:
        ours.kill()
        theirs.kill()
        raise
    finally:
        ended = {side.name: side.end() for side in (ours, theirs)}
    report.finish(ended=ended)
    return report
