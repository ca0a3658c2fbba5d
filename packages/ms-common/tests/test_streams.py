"""Streams and events."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ms_common.streams import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    set_cur_stream,
)


def test_the_current_stream_is_scoped() -> None:
    first, second = Stream(), Stream(1)
    assert first != second
    assert len({first, second, first}) == 2
    assert current_stream() is default_stream()
    with StreamCtx(first):
        assert current_stream() == first
        with StreamCtx(None):
            assert current_stream() == first
        set_cur_stream(second)
        assert current_stream() == second
        set_cur_stream(None)
        assert current_stream() == second
    assert current_stream() is default_stream()
    assert communication_stream() not in (first, second, default_stream())


def test_events_take_the_time() -> None:
    start, end = Event(enable_timing=True), Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="must be recorded"):
        start.elapsed_time(end)
    start.record()
    time.sleep(0.002)
    stream = Stream()
    assert stream.record_event(end) is end
    assert 2 <= start.elapsed_time(end) < 10_000
    plain = stream.record_event()
    with pytest.raises(RuntimeError, match="enable_timing=True"):
        start.elapsed_time(plain)
    assert start.query()
    assert stream.query()
    assert repr(plain) == "Event(enable_timing=0, blocking:0, is_created:1)"
    for wait in (start.synchronize, start.wait, stream.synchronize):
        wait()
    stream.wait_event(start)
    stream.wait_stream(default_stream())


@pytest.mark.parametrize(
    "call",
    [
        lambda: Event(1),  # type: ignore[arg-type]
        lambda: Stream("x"),  # type: ignore[arg-type]
        lambda: StreamCtx(1),  # type: ignore[arg-type]
        lambda: set_cur_stream(1),  # type: ignore[arg-type]
        lambda: Event().record(1),  # type: ignore[arg-type]
        lambda: Event().wait(1),  # type: ignore[arg-type]
        lambda: Event().elapsed_time(1),  # type: ignore[arg-type]
        lambda: Stream().record_event(1),  # type: ignore[arg-type]
        lambda: Stream().wait_event(1),  # type: ignore[arg-type]
        lambda: Stream().wait_stream(1),  # type: ignore[arg-type]
    ],
)
def test_wrong_types(call: Any) -> None:
    with pytest.raises(TypeError, match="must be of type"):
        call()


def test_the_alias_has_them(alias: None) -> None:
    import mindspore

    assert mindspore.runtime.Stream is mindspore.hal.Stream is Stream
    assert mindspore.runtime.default_stream() == default_stream()
