"""Streams and events of `mindspore.runtime` and `mindspore.hal`.

Every operator has its result when it returns, so there is nothing to wait for: streams order what is ordered anyway,
and events tell the time.
"""

from __future__ import annotations

import itertools
import time
from contextvars import ContextVar
from typing import Any

from ms_kernels import settings
from ms_kernels.opdef import errors

__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "set_cur_stream",
]


def _typed(function: str, name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        errors.fail(TypeError, function, f"'{name}'", f"be of type {kind.__name__}", errors.describe(value))


class Event:
    """A mark in a stream: 2.6's `mindspore.runtime.Event`.

    Args:
        enable_timing: whether `elapsed_time` can be asked.
        blocking: remembered only.

    Raises:
        TypeError: an argument is no bool.

    >>> start, end = Event(enable_timing=True), Event(enable_timing=True)
    >>> start.record()
    >>> end.record()
    >>> start.elapsed_time(end) >= 0
    True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        _typed("Event", "enable_timing", enable_timing, bool)
        _typed("Event", "blocking", blocking, bool)
        self._timed, self._blocking = enable_timing, blocking
        self._at: float | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Take the present moment; TypeError if `stream` is no Stream."""
        if stream is not None:
            _typed("Event.record", "stream", stream, Stream)
        self._at = time.perf_counter()

    def wait(self, stream: Stream | None = None) -> None:
        """Let a stream wait for the mark; TypeError if `stream` is no Stream."""
        if stream is not None:
            _typed("Event.wait", "stream", stream, Stream)

    def synchronize(self) -> None:
        """Wait for the mark."""

    def query(self) -> bool:
        """Whether all before the mark is done: it is."""
        return True

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds between this mark and a later one.

        Raises:
            TypeError: the other is no Event.
            RuntimeError: one of them does not take the time, or is not recorded.
        """
        _typed("Event.elapsed_time", "end_event", end_event, Event)
        if not (self._timed and end_event._timed):
            raise RuntimeError("For 'Event.elapsed_time', both events must be made with enable_timing=True.")
        if self._at is None or end_event._at is None:
            raise RuntimeError("For 'Event.elapsed_time', both events must be recorded.")
        return (end_event._at - self._at) * 1e3

    def __repr__(self) -> str:
        made = int(self._at is not None)
        return f"Event(enable_timing={int(self._timed)}, blocking:{int(self._blocking)}, is_created:{made})"


class Stream:
    """A queue of operators: 2.6's `mindspore.runtime.Stream`; operators run at once here, whatever the stream.

    Args:
        priority: remembered only.

    Raises:
        TypeError: the priority is no int.

    >>> s = Stream()
    >>> with StreamCtx(s):
    ...     current_stream() == s
    True
    """

    def __init__(self, priority: int = 0) -> None:
        _typed("Stream", "priority", priority, int)
        self._id = next(_NUMBERS)

    @property
    def id(self) -> int:
        """The number of the stream; 0 is the default one."""
        return self._id

    @property
    def device_name(self) -> str:
        """The target's name."""
        return settings.device_target

    @property
    def device_id(self) -> int:
        """The number of the device."""
        return settings.device_id

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event, by default a new one, and return it; TypeError for anything else."""
        found = Event() if event is None else event
        _typed("Stream.record_event", "event", found, Event)
        found.record(self)
        return found

    def wait_event(self, event: Event) -> None:
        """Let what follows wait for an event; TypeError for anything else."""
        _typed("Stream.wait_event", "event", event, Event)

    def wait_stream(self, stream: Stream) -> None:
        """Let what follows wait for another stream; TypeError for anything else."""
        _typed("Stream.wait_stream", "stream", stream, Stream)

    def synchronize(self) -> None:
        """Wait until all is done."""

    def query(self) -> bool:
        """Whether all is done: it is."""
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other._id == self._id

    def __hash__(self) -> int:
        return hash((Stream, self._id))

    def __repr__(self) -> str:
        return f"Stream(device_name={self.device_name}, device_id:{self.device_id}, stream id:{self._id})"


_NUMBERS = itertools.count()
_DEFAULT, _COMMUNICATION = Stream(), Stream()
_current: ContextVar[Stream] = ContextVar("ms_common_stream", default=_DEFAULT)


class StreamCtx:
    """Context manager: a stream is the current one inside; None changes nothing (`mindspore.runtime.StreamCtx`).

    Raises:
        TypeError: neither a Stream nor None.
    """

    def __init__(self, ctx_stream: Stream | None) -> None:
        if ctx_stream is not None:
            _typed("StreamCtx", "ctx_stream", ctx_stream, Stream)
        self._stream = ctx_stream
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = _current.set(self._stream or _current.get())

    def __exit__(self, *exc: object) -> None:
        _current.reset(self._before)


def current_stream() -> Stream:
    """Return the current stream: 2.6's `mindspore.runtime.current_stream`.

    >>> current_stream()
    Stream(device_name=CPU, device_id:0, stream id:0)
    """
    return _current.get()


def default_stream() -> Stream:
    """Return the default stream: 2.6's `mindspore.runtime.default_stream`."""
    return _DEFAULT


def communication_stream() -> Stream:
    """Return the stream of communication: 2.6's `mindspore.runtime.communication_stream`."""
    return _COMMUNICATION


def set_cur_stream(stream: Stream | None) -> None:
    """Make a stream the current one; None changes nothing: 2.6's `mindspore.runtime.set_cur_stream`.

    Raises:
        TypeError: neither a Stream nor None.
    """
    if stream is not None:
        _typed("set_cur_stream", "stream", stream, Stream)
        _current.set(stream)
