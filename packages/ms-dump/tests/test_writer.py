"""The background writer: bounds, order, errors, and that nothing is lost."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import textwrap
import threading
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ms_dump
import ms_fs
from ms_dump.testing import content
from ms_dump.writer import Writer
from ms_fs.local import LocalBackend
from ms_kernels import Tensor, functional


class Slow(LocalBackend):
    """A storage that waits to be let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def put(self, path: str, pieces: Any) -> None:
        assert self.go.wait(20)
        super().put(path, pieces)


class Full(LocalBackend):
    """A storage without room."""

    def put(self, path: str, pieces: Any) -> None:
        raise OSError(28, "No space left on device", path)


@pytest.fixture
def storage() -> Iterator[Any]:
    names = []

    def add(backend: Any) -> str:
        names.append("d" + uuid.uuid4().hex)
        ms_fs.register(names[-1], backend)
        return names[-1]

    yield add
    for name in names:
        ms_fs.unregister(name)


def test_memory_is_bounded(tmp_path: pathlib.Path, storage: Any) -> None:
    slow = Slow()
    writer = Writer(limit=1000)
    url = f"{storage(slow)}://{tmp_path}"
    done = threading.Event()

    def fill() -> None:
        for i in range(10):
            writer.put(f"{url}/{i}", [bytes(300)])
        done.set()

    thread = threading.Thread(target=fill)
    thread.start()
    assert not done.wait(0.3)
    assert writer.most <= 1000
    slow.go.set()
    thread.join(20)
    writer.flush()
    assert done.is_set() and writer.most <= 1000
    assert len(list(tmp_path.iterdir())) == 10


def test_one_that_is_larger_than_the_bound_goes_alone(tmp_path: pathlib.Path) -> None:
    writer = Writer(limit=10)
    for i in range(3):
        writer.put(f"{tmp_path}/{i}", [bytes(100)])
    writer.flush()
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [100] * 3


def test_appends_keep_their_order(tmp_path: pathlib.Path) -> None:
    writer = Writer(threads=4)
    for i in range(300):
        writer.put(f"{tmp_path}/{i % 3}.csv", lambda i=i: [f"{i}\n".encode()], append=True, size=8)
    writer.flush()
    for k in range(3):
        lines = (tmp_path / f"{k}.csv").read_text().split()
        assert lines == [str(i) for i in range(k, 300, 3)]


def test_an_error_reaches_the_program(storage: Any, caplog: pytest.LogCaptureFixture) -> None:
    writer = Writer()
    writer.put(f"{storage(Full())}:///x", [b"1"])
    with pytest.raises(OSError, match="No space left"):
        writer.flush()
    assert "Failed to write the dump file" in caplog.text
    writer.flush()


def test_threads_go_when_there_is_no_work(tmp_path: pathlib.Path) -> None:
    writer = Writer()
    writer.put(f"{tmp_path}/x", [b"1"])
    writer.flush()
    for thread in threading.enumerate():
        if thread.name == "ms_dump":
            thread.join(20)
    assert not any(thread.name == "ms_dump" for thread in threading.enumerate())
    writer.put(f"{tmp_path}/y", [b"2"])
    writer.flush()
    assert (tmp_path / "y").read_bytes() == b"2"


def test_a_dump_within_a_small_queue_is_complete(tmp_path: pathlib.Path) -> None:
    ms_dump.anywhere()
    ms_dump.start(content(tmp_path, queue_bytes=5000))
    x = Tensor(np.arange(1000, dtype=np.float32))
    for _ in range(50):
        x = functional.relu(x) + 1
    ms_dump.stop()
    found = [np.load(path) for path in tmp_path.rglob("*.npy") if ".output." in path.name]
    assert len(found) == 100
    assert sum(int(array[0]) for array in found) == sum(range(51)) + sum(range(50))


@pytest.mark.parametrize("end", ["pass", "raise RuntimeError('no')", "sys.exit(3)"])
@pytest.mark.parametrize("layout", ["mindspore", "msprobe"])
def test_nothing_is_lost_at_the_end_of_a_program(tmp_path: pathlib.Path, end: str, layout: str) -> None:
    program = f"""
        import sys
        import numpy as np
        import ms_dump
        from ms_dump.testing import content
        from ms_kernels import Tensor, functional

        ms_dump.anywhere()
        ms_dump.start(content({str(tmp_path)!r}, layout={layout!r}, saved_data="full"))
        x = Tensor(np.ones(200_000, np.float32))
        for _ in range(20):
            functional.relu(x + 1)
        {end}
    """
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], stderr=subprocess.DEVNULL, timeout=100, check=False
    )
    found = list(tmp_path.rglob("*.npy"))
    assert len(found) == 80
    assert all(np.load(path).shape == (200_000,) for path in found)
    name = "statistic.csv" if layout == "mindspore" else "dump.json"
    (table,) = tmp_path.rglob(name)
    assert table.read_text().count("200000" if layout == "msprobe" else "\n") >= 80


def test_threads_dump_together(tmp_path: pathlib.Path) -> None:
    ms_dump.anywhere()
    ms_dump.start(content(tmp_path, input_output=2))
    x = Tensor(np.ones(10, np.float32))
    threads = [threading.Thread(target=lambda: [functional.relu(x) for _ in range(100)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ms_dump.stop()
    assert len(list(tmp_path.rglob("*.npy"))) == 400
