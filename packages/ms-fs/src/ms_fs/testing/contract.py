"""What every backend has to keep: a test class to inherit.

class TestMine(BackendContract):
    @pytest.fixture
    def place(self):
        return MyBackend(), "a/folder/of/mine"
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from ms_fs.spec import Backend

__all__ = ["BackendContract"]


class BackendContract:
    """Tests of one backend; a subclass gives the fixture `place`: the backend, and an empty folder in it."""

    @pytest.fixture
    def place(self) -> tuple[Backend, str]:
        """The backend and a folder."""
        raise NotImplementedError

    def write(self, backend: Backend, path: str, data: bytes) -> None:
        """Write a file in the atomic way."""
        with backend.create(path) as sink:
            sink.write(data)

    def names(self, place: tuple[Backend, str]) -> list[str]:
        """What the folder holds."""
        backend, folder = place
        return backend.list(folder) if backend.exists(folder) else []

    def test_has_a_name(self, place: tuple[Backend, str]) -> None:
        assert place[0].name

    @pytest.mark.parametrize("data", [b"", b"a", bytes(range(256)) * 5000], ids=["empty", "one", "many"])
    def test_what_is_written_is_read(self, place: tuple[Backend, str], data: bytes) -> None:
        backend, folder = place
        path = f"{folder}/x.bin"
        self.write(backend, path, data)
        with backend.open(path) as file:
            assert file.read() == data
        assert backend.size(path) == len(data)
        assert self.names(place) == ["x.bin"]

    def test_reading_can_seek(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        self.write(backend, f"{folder}/x", bytes(range(100)))
        with backend.open(f"{folder}/x") as file:
            assert file.seek(0, os.SEEK_END) == 100
            file.seek(10)
            assert file.read(3) == bytes([10, 11, 12])
            file.seek(2)
            assert file.read(1) == bytes([2])

    def test_a_name_can_be_any_text(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        self.write(backend, f"{folder}/Gewicht ü 権.ckpt", b"1")
        assert self.names(place) == ["Gewicht ü 権.ckpt"]

    def test_a_new_file_replaces_the_old(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        self.write(backend, f"{folder}/x", b"a longer old one")
        self.write(backend, f"{folder}/x", b"new")
        with backend.open(f"{folder}/x") as file:
            assert file.read() == b"new"
        assert self.names(place) == ["x"]

    def test_the_quick_way_writes_the_same(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        backend.make_folder(folder)
        backend.put(f"{folder}/x", [b"a longer old one"])
        backend.put(f"{folder}/x", [b"ne", memoryview(b"w")])
        with backend.open(f"{folder}/x") as file:
            assert file.read() == b"new"
        assert self.names(place) == ["x"]

    def test_appending_adds_and_makes(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        backend.make_folder(folder)
        backend.append(f"{folder}/x", [b"one "])
        backend.append(f"{folder}/x", [b"two ", b"three"])
        with backend.open(f"{folder}/x") as file:
            assert file.read() == b"one two three"

    def test_a_second_name_holds_the_same(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        self.write(backend, f"{folder}/x", b"same")
        backend.link(f"{folder}/x", f"{folder}/y")
        with backend.open(f"{folder}/y") as file:
            assert file.read() == b"same"
        with pytest.raises(OSError):
            backend.link(f"{folder}/none", f"{folder}/z")

    def test_nothing_shows_before_the_end(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        with backend.create(f"{folder}/x") as sink:
            sink.write(b"half")
            assert not backend.exists(f"{folder}/x")
        assert backend.exists(f"{folder}/x")

    @pytest.mark.parametrize("kind", [OSError, KeyboardInterrupt, ValueError])
    def test_after_an_error_all_is_as_before(self, place: tuple[Backend, str], kind: type[BaseException]) -> None:
        backend, folder = place
        path = f"{folder}/x"
        self.write(backend, path, b"old")

        def fail() -> None:
            with backend.create(path) as sink:
                sink.write(b"new and longer")
                raise kind(28, "No space left on device")

        with pytest.raises(kind) as caught:
            fail()
        if kind is OSError:
            assert path in str(caught.value)
        with backend.open(path) as file:
            assert file.read() == b"old"
        assert self.names(place) == ["x"]

    def test_progress_is_told(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        told: list[int] = []
        with backend.create(f"{folder}/x", progress=told.append) as sink:
            sink.write(bytes(1000))
            sink.write(bytes(24))
        assert sum(told) == sink.written == 1024

    @pytest.mark.parametrize("what", ["open", "remove"])
    def test_what_is_missing_is_told(self, place: tuple[Backend, str], what: str) -> None:
        backend, folder = place
        call: Any = getattr(backend, what)
        with pytest.raises(FileNotFoundError):
            call(f"{folder}/nothing")
        assert not backend.exists(f"{folder}/nothing")

    def test_remove(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        self.write(backend, f"{folder}/x", b"1")
        backend.remove(f"{folder}/x")
        assert not backend.exists(f"{folder}/x")

    def test_rename_replaces(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        self.write(backend, f"{folder}/old", b"1")
        self.write(backend, f"{folder}/new", b"22")
        backend.rename(f"{folder}/old", f"{folder}/new")
        assert self.names(place) == ["new"]
        assert backend.size(f"{folder}/new") == 1

    def test_folders(self, place: tuple[Backend, str]) -> None:
        backend, folder = place
        backend.make_folder(f"{folder}/a/b")
        backend.make_folder(f"{folder}/a/b")
        self.write(backend, f"{folder}/a/b/x", b"1")
        assert backend.is_folder(f"{folder}/a")
        assert not backend.is_folder(f"{folder}/a/b/x")
        assert backend.list(f"{folder}/a/b") == ["x"]
        assert backend.list(f"{folder}/a") == ["b"]
