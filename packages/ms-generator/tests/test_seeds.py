"""set_seed, get_seed and the operators' seeds: every number below is MindSpore 2.6's."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ms_generator import default_generator, get_seed, set_seed
from ms_generator.seeds import OpSeeds, _get_graph_seed
from ms_kernels.random import draw


def test_operator_seeds_without_a_global_seed() -> None:
    seeds = OpSeeds()
    got = [seeds.pair(seed, name) for seed, name in ((None, "a"), (0, "a"), (5, "a"), (5, "a"), (7, "b"))]
    assert got == [(0, 0), (0, 0), (0, 5), (0, 533697033), (0, 7)]


def test_operator_seeds_count_by_kind_and_seed() -> None:
    seeds = OpSeeds()
    seeds.pair(5, "a")
    seeds.start(3)
    got = [seeds.pair(seed, "a") for seed in (None, None, 0, 0, 5, 5, 2**40)]
    assert got == [(3, 0), (3, 533697028), (3, 1067394056), (3, 1601091084), (3, 5), (3, 533697033), (3, 512)]
    seeds.start(9)
    assert [seeds.pair(11, "s")[1] for _ in range(12)] == [
        11,
        533697039,
        1067394067,
        1601091095,
        2134788123,
        521001504,
        1054698532,
        1588395560,
        2122092588,
        508305969,
        1042002997,
        1575700025,
    ]


@pytest.mark.parametrize(
    "seed, first", [(0, 87654321), (2**31 - 1, 0), (2**31, 1), (2**32 - 2, 0), (2**32 - 1, 1), (5, 5)]
)
def test_the_global_seed_is_cut_to_31_bits(seed: int, first: int) -> None:
    seeds = OpSeeds()
    seeds.start(seed)
    got = [seeds.pair(own, name) for own, name in ((5, "x"), (0, "w"), (None, "w"), (2**31 - 1, "x"), (5, "x"))]
    assert got == [(first, 5), (first, 0), (first, 533697028), (first, 0), (first, 533697033)]


@pytest.mark.parametrize("seed, kind", [(5.0, TypeError), (True, TypeError), (-5, ValueError)])
def test_wrong_operator_seeds(seed: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="For 'Dropout', the 'seed' must be an int"):
        OpSeeds().pair(seed, "Dropout")


@pytest.mark.parametrize(
    "seed, kind, text",
    [
        (1.0, TypeError, "be an int, but got 1.0"),
        ("a", TypeError, "be an int, but got 'a'"),
        (None, TypeError, "be an int, but got None"),
        (True, TypeError, "be an int, but got True"),
        (np.int64(3), TypeError, "be an int, but got int64"),
        (-1, ValueError, "be an int >= 0, but got -1"),
        (2**32, ValueError, r"be between 0 and 2\*\*32 - 1, but got 4294967296"),
    ],
)
def test_wrong_seeds_change_nothing(seed: Any, kind: type[Exception], text: str) -> None:
    set_seed(12)
    _get_graph_seed(1, "kept")
    before = pickle.dumps((np.random.get_state(), default_generator.get_state().tolist()))
    with pytest.raises(kind, match=f"For 'set_seed', the 'seed' must {text}"):
        set_seed(seed)
    assert get_seed() == 12
    assert pickle.dumps((np.random.get_state(), default_generator.get_state().tolist())) == before
    assert _get_graph_seed(1, "kept") == (12, 533697029)


def test_counts_can_be_read_and_reset() -> None:
    seeds = OpSeeds()
    seeds.start(9)
    assert [seeds.peek(4, "y"), seeds.pair(4, "y")[1], seeds.peek(4, "y")] == [4, 4, 533697032]
    seeds.reset()
    assert (seeds.peek(4, "y"), seeds.global_seed) == (4, 9)


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_one_call_makes_all_repeat(seed: int) -> None:
    def program() -> list[Any]:
        return [np.random.rand(), draw(), draw(), _get_graph_seed(0, "k"), _get_graph_seed(0, "k")]

    set_seed(seed)
    first = program()
    set_seed(seed)
    assert program() == first
    assert first[1:3] == [(seed, 0), (seed, 12)]
    assert get_seed() == seed


def test_numpy_is_seeded_as_numpy_does_it() -> None:
    set_seed(1)
    assert np.random.randint(1, 2**63, dtype=np.int64) == 7692698082559361260


def test_set_seed_is_no_manual_seed() -> None:
    code = (
        "import ms_generator as m; assert m.get_seed() is None; m.set_seed(3); "
        "print(m.default_generator._generator.attrs['manual_seed'], m.initial_seed())"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False 3\n"


def test_importing_leaves_numpy_alone() -> None:
    code = (
        "import pickle, numpy as np; np.random.seed(5); a = pickle.dumps(np.random.get_state()); import ms_generator; "
        "ms_generator.default_generator.get_state(); print(pickle.dumps(np.random.get_state()) == a)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "True\n"
