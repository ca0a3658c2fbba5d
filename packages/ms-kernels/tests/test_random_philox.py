"""The engine: known answers, and results that depend on nothing but seed, offset and position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ms_kernels.core import runtime
from ms_kernels.random import philox

# Random123's kat_vectors (counter, key, block), and four blocks of MindSpore's own layouts
KNOWN = [
    (0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    (2**128 - 1, 2**64 - 1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (0x0370734413198A2E85A308D3243F6A88, 0x299F31D0A4093822, "d16cfe09 94fdcceb 5001e420 24126ea1"),
    (0, 42, "9ceaf053 77f5493b 12bf50ad 5742b3d7"),
    (1, 42, "fcdb2127 53ba6cfd 838f5a6e 744e06fb"),
    (12 << 64, 42, "d47541fd 863357a8 e4a515e5 9aca4f93"),
]
KINDS: list[tuple[str, Any, dict[str, Any]]] = [
    ("words", np.uint32, {}),
    ("uniform64", np.float32, {"p0": 3.0, "p1": -1.0}),
    ("normal64", np.float32, {"p0": 0.5, "p1": 2.0}),
    ("unit32", np.float32, {"p0": 0.7, "p1": -0.1}),
    ("normal32", np.float32, {"p0": 1.5, "p1": 0.25}),
    ("less", np.bool_, {"p0": 0.3}),
    ("less32", np.float32, {"p0": 0.3}),
    ("mask", np.uint8, {"p0": 0.3}),
    ("int32", np.int64, {"low": -7, "span": 1000003}),
    ("int32", np.int64, {"low": 0, "span": 2**32}),
    ("int32", np.int64, {"low": 3, "span": 1}),
    ("int64", np.int64, {"low": -(2**63), "span": 2**63 + 12345}),
    ("int64", np.int64, {"low": 0, "span": 0}),
    ("unit64", np.float64, {"p0": 1.0}),
    ("normal_double", np.float64, {"p0": 1.0}),
]
IDS = [f"{kind}-{number}" for number, (kind, _, _) in enumerate(KINDS)]


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = runtime.get_threads()
    runtime.set_threads(2)
    yield
    runtime.set_threads(before)


def filled(kind: str, dtype: Any, count: int, first: int = 0, seed: int = 99, high: int = 7, **more: Any) -> Any:
    out = np.zeros(count, dtype)
    philox.fill(kind, out, seed, high, first, **more)
    return out


def truncated(count: int, first: int = 0) -> Any:
    out = np.zeros(count, np.float32)
    philox.fill_truncated(out, 99, 99, first, -1.5, 4.0, 0.25, 1.0)
    return out


@pytest.mark.parametrize("counter, key, block", KNOWN)
def test_known_answers(counter: int, key: int, block: str) -> None:
    assert " ".join(f"{word:08x}" for word in philox.block(counter, key)) == block


def test_words_are_the_blocks_in_order() -> None:
    got = filled("words", np.uint32, 40, seed=2**63 + 5, high=3 << 40)
    want = [word for group in range(10) for word in philox.block(group | (3 << 40) << 64, 2**63 + 5)]
    assert got.tolist() == want


def test_the_group_counter_has_64_bits() -> None:
    first = 4 * (2**32 - 2)
    got = filled("words", np.uint32, 16, first)
    want = [word for group in range(2**32 - 2, 2**32 + 2) for word in philox.block(group | 7 << 64, 99)]
    assert got.tolist() == want


@pytest.mark.parametrize("kind, dtype, more", KINDS, ids=IDS)
def test_every_slice_is_as_in_the_whole(kind: str, dtype: Any, more: dict[str, Any]) -> None:
    whole = filled(kind, dtype, 40000, **more)
    for first, count in ((0, 1), (1, 1), (5, 27), (31, 2), (32, 32), (33, 64), (100, 16390), (39999, 1), (7, 0)):
        part = filled(kind, dtype, count, first, **more)
        assert part.tobytes() == whole[first : first + count].tobytes()


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_slices_of_truncated_normals(first: int, count: int) -> None:
    assert truncated(count, first).tobytes() == truncated(6000)[first : first + count].tobytes()


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kind, dtype, more", KINDS, ids=IDS)
def test_threads_and_instruction_sets_change_nothing(kind: str, dtype: Any, more: dict[str, Any]) -> None:
    count = 100003
    got = filled(kind, dtype, count, **more)
    runtime.set_threads(1)
    assert filled(kind, dtype, count, **more).tobytes() == got.tobytes()
    philox.use_baseline(True)
    try:
        assert filled(kind, dtype, count, **more).tobytes() == got.tobytes()
    finally:
        philox.use_baseline(False)


@pytest.mark.usefixtures("two_threads")
def test_truncated_normals_do_not_depend_on_threads_or_instruction_set() -> None:
    got = truncated(100003)
    runtime.set_threads(1)
    assert truncated(100003).tobytes() == got.tobytes()
    philox.use_baseline(True)
    try:
        assert truncated(100003).tobytes() == got.tobytes()
    finally:
        philox.use_baseline(False)


@pytest.mark.parametrize("span", [1, 2, 3, 10, 2**16 + 1, 2**31, 2**32 - 1, 2**32])
def test_integers_are_the_words_modulo_the_span(span: int) -> None:
    words = filled("words", np.uint32, 20000).astype(np.int64)
    assert (filled("int32", np.int64, 20000, low=-3, span=span) == words % span - 3).all()


def test_a_wrong_array_is_refused() -> None:
    with pytest.raises(ValueError, match="float32"):
        philox.fill("normal64", np.zeros(4), 1, 1)
    with pytest.raises(ValueError, match="contiguous"):
        philox.fill("normal64", np.zeros(8, np.float32)[::2], 1, 1)
    with pytest.raises(ValueError, match="contiguous"):
        philox.fill_truncated(np.zeros(4), 1, 1, 0, -1, 1, 0, 1)


def test_vector_functions_on_every_value_that_u_can_take() -> None:
    """The guard allows for 2**-39 in the result; the parts have to stay well below."""
    u = np.maximum(np.arange(2**23) / 2**23, float(np.float32(1e-7)))
    parts = philox.vector_parts(u)
    if parts is None:
        pytest.skip("a machine without vector kernels")
    angle = 2 * float(np.float32(3.1415926)) * u
    for got, want in zip(parts, (np.log(u), np.cos(angle), np.sin(angle)), strict=True):
        assert np.abs(got / want - 1).max() < 2**-41
