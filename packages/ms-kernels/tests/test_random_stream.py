"""Streams: seeds, offsets, the default one, threads and forks."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from ms_kernels.random import Stream, default_stream, draw
from ms_kernels.random.stream import STEP


def test_a_call_takes_twelve() -> None:
    stream = Stream(5)
    assert [stream.reserve(), stream.reserve(), stream.peek()] == [(5, 0), (5, STEP), (5, 24)]
    assert stream.array.tolist() == [5, 24]
    stream.set(9)
    assert stream.peek() == (9, 0)


@pytest.mark.parametrize("seed, kept", [(2**63, -(2**63)), (-1, -1), (2**64 - 1, -1)])
def test_seeds_wrap_as_int64(seed: int, kept: int) -> None:
    assert Stream(seed).peek() == (kept, 0)
    stream = Stream(0)
    stream.set(1, 2**63 - 6)
    stream.reserve()
    assert stream.peek() == (1, -(2**63) + 6)


def test_unseeded_streams_differ_and_leave_numpy_alone() -> None:
    before = np.random.get_state()
    seeds = {Stream(None).reserve()[0] for _ in range(4)} | {Stream(0).randomize() for _ in range(4)}
    after = np.random.get_state()
    assert len(seeds) == 8
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert (before[1] == after[1]).all()  # type: ignore[index]
    assert before[2] == after[2]  # type: ignore[index]


def test_draw_takes_what_it_is_given() -> None:
    class Counting:
        def _step(self, step: int) -> tuple[int, int]:
            return 7, step

    class Wrapping:
        _stream = Stream(3)

    assert draw(Counting()) == (7, STEP)
    assert draw(Wrapping()) == (3, 0)
    assert draw(Stream(4)) == (4, 0)
    state = default_stream().peek()
    assert draw() == state
    assert default_stream().peek() == (state[0], state[1] + STEP)
    with pytest.raises(TypeError, match="The 'generator' must be a Generator or None, but got int"):
        draw(3)


def test_threads_get_offsets_of_their_own() -> None:
    stream, got = Stream(1), []

    def work() -> None:
        mine = [stream.reserve()[1] for _ in range(2000)]
        got.extend(mine)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == list(range(0, 8000 * STEP, STEP))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_goes_on_from_the_same_state() -> None:
    stream = Stream(6)
    stream.reserve()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, repr(stream.reserve()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 100).decode() == repr(stream.reserve()) == "(6, 12)"
    os.close(reader)
    os.close(writer)
