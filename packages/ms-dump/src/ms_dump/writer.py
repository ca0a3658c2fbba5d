"""Files written in the background, with a bound on the memory that waits."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import ms_fs
from ms_dump.snapshot import Snapshot

__all__ = ["Writer"]

_LOG = logging.getLogger("ms_dump")
_IDLE = 0.5  # seconds after which a thread without work ends
_GLANCE = 0.05  # seconds between looks at whether the program has ended

Buffer = Any
Job = tuple[str, Any, int, bool, Sequence[Snapshot]]


class Writer:
    """Writes files in threads of its own, in any order; several appends to one file keep theirs.

    The threads come with work and go without it, and the interpreter waits for them: what was handed over is written
    even when the program ends by an exception.

    Args:
        limit: bytes that may wait; `put` waits for room.
        threads: how many write at a time. One makes the most of links: nobody writes what another is writing.

    >>> writer = Writer()
    >>> writer.put("memory://dump/a.txt", [b"one ", b"two"])
    >>> writer.flush()
    >>> ms_fs.resolve("memory://dump/a.txt")[0].open("memory://dump/a.txt").read()
    b'one two'
    """

    def __init__(self, limit: int = 256 << 20, threads: int = 1) -> None:
        self.limit, self.threads = limit, threads
        self.most = 0  # the largest number of bytes that have waited
        self.error: BaseException | None = None
        self._lock = threading.RLock()
        self._work = threading.Condition(self._lock)  # there is something to do
        self._done = threading.Condition(self._lock)  # something has been done
        self._jobs: deque[Job] = deque()
        self._waiting = self._busy = self._alive = 0
        self._appending: set[str] = set()
        self._folders: set[str] = set()

    def put(
        self, path: str, pieces: Any, *, append: bool = False, size: int | None = None, uses: Sequence[Snapshot] = ()
    ) -> None:
        """Hand over a file, or what is added to one; the buffers must not change any more.

        Args:
            path: a path or URL; folders are made.
            pieces: buffers, or a function that makes them, called in the background.
            append: add to the file.
            size: the bytes of memory that wait with it; by default those of the buffers.
            uses: the snapshots that a function works with.

        Raises:
            OSError: an earlier write has failed.
        """
        if size is None:
            size = sum(map(len, pieces))
        self._add((path, pieces, size, append, uses))

    def put_all(self, folder: str, files: Sequence[tuple[str, Snapshot]]) -> None:
        """Hand over several snapshots, by the names of their files in a folder; a name for each.

        Raises:
            OSError: an earlier write has failed.
        """
        uses = [snapshot for _, snapshot in files]
        self._add((folder, files, sum(snapshot.size for snapshot in uses), False, uses))

    def _add(self, job: Job) -> None:
        size = job[2]
        with self._lock:
            while self.error is None and self._waiting and self._waiting + size > self.limit:
                self._done.wait()
            self._raise()
            for snapshot in job[4]:
                snapshot.uses += 1
            self._jobs.append(job)
            self._waiting += size
            self.most = max(self.most, self._waiting)
            if self._alive < self.threads and len(self._jobs) > self._alive - self._busy:
                self._start()
            self._work.notify()

    def flush(self) -> None:
        """Wait until all is written.

        Raises:
            OSError: something could not be.
        """
        with self._lock:
            while self._jobs or self._busy:
                self._done.wait()
            self._raise()

    def _raise(self) -> None:
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def _start(self) -> None:
        self._alive += 1
        try:
            threading.Thread(target=self._run, name="ms_dump", daemon=False).start()
        except RuntimeError:  # the interpreter ends and takes no new threads: this one writes
            self._alive -= 1
            if not self._alive:
                self._drain()

    def _run(self) -> None:
        idle = 0.0
        with self._lock:
            while True:
                job = self._next()
                if job is not None:
                    idle = 0.0
                    self._do(job)
                elif idle >= _IDLE or not threading.main_thread().is_alive():
                    self._alive -= 1
                    return
                else:
                    idle = 0.0 if self._work.wait(_GLANCE) else idle + _GLANCE

    def _drain(self) -> None:
        while (job := self._next()) is not None:
            self._do(job)

    def _next(self) -> Job | None:
        for i, job in enumerate(self._jobs):
            if not (job[3] and job[0] in self._appending):
                del self._jobs[i]
                return job
        return None

    def _do(self, job: Job) -> None:
        """Write one file; the lock is held before and after, but not meanwhile."""
        path, pieces, size, append, uses = job
        self._busy += 1
        if append:
            self._appending.add(path)
        self._lock.release()
        error: BaseException | None = None
        try:
            self._write(path, pieces, append)
        except Exception as found:
            error = found
        finally:
            self._lock.acquire()
            self._busy -= 1
            self._waiting -= size
            self._appending.discard(path)
            for snapshot in uses:
                snapshot.uses -= 1
                if not snapshot.uses and (error is None or snapshot.path is not None):
                    snapshot.release()
            if error is not None:
                _LOG.critical("Failed to write the dump file %s: %s", path, error)
                self.error = self.error or error
            self._done.notify_all()
            if append and self._jobs:
                self._work.notify()  # the next to the same file

    def _write(self, path: str, pieces: Any, append: bool) -> None:
        backend, inner = ms_fs.resolve(path)
        several = isinstance(pieces, list) and isinstance(pieces[0], tuple)
        folder = inner if several else ms_fs.split(inner)[0]
        if folder not in self._folders:
            backend.make_folder(folder)
            self._folders.add(folder)
        if several:
            for name, snapshot in pieces:
                file = ms_fs.join(folder, name)
                if snapshot.path is not None:
                    backend.link(snapshot.path, file)
                else:
                    if snapshot.wanted:
                        snapshot.measure()  # here, where nobody waits for it
                    backend.put(file, snapshot.pieces())
                    snapshot.path = file
            return
        if callable(pieces):
            pieces = pieces()
        if append:
            backend.append(inner, pieces)
        else:
            backend.put(inner, pieces)
