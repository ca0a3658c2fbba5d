"""Generator and the default generator's functions: MindSpore 2.6's states, attributes and errors."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
import ms_generator
from ms_generator import Generator, default_generator
from ms_kernels import Parameter, Tensor
from ms_kernels.random import draw


def bytes_of(seed: int, offset: int) -> list[int]:
    return list(seed.to_bytes(8, "little", signed=True) + offset.to_bytes(8, "little", signed=True))


def test_seed_and_offset_are_parameters_that_follow_the_state() -> None:
    g = Generator()
    for parameter, name in ((g._seed, "seed"), (g._offset, "offset")):
        assert isinstance(parameter, Parameter)
        assert (parameter.name, parameter.dtype, parameter.shape) == (name, mstype.int64, ())
        assert not parameter.requires_grad
        assert int(parameter) == 0
    seed, offset = g._seed, g._offset
    g.manual_seed(31)
    draw(g)
    assert (int(seed), int(offset)) == (31, 12)
    assert g._seed is seed


def test_the_class_says_what_it_promises() -> None:
    text = " ".join((Generator.__doc__ or "").split())
    assert "With seed and offset fixed, the same calls give the same numbers" in text
    assert "Any number of generators can be in use at once, also inside functions compiled in graph mode" in text


def test_the_primitive_knows_whether_manual_seed_succeeded() -> None:
    g, other = Generator(), Generator()
    assert g._generator.attrs["manual_seed"] is False
    assert g._generator.attrs["primitive_target"] == "CPU"
    g.seed()
    g.set_state(other.get_state())
    with pytest.raises(TypeError):
        g.manual_seed("1")  # type: ignore[arg-type]
    assert g._generator.attrs["manual_seed"] is False
    assert g.manual_seed(5) is g
    assert g.initial_seed() == 5
    assert g._generator.attrs["manual_seed"] is True
    assert other._generator.attrs["manual_seed"] is False
    g.seed()
    assert g._generator.attrs["manual_seed"] is True


@pytest.mark.parametrize("seed", [1.0, "1", None, np.int64(3), Tensor(3)])
def test_a_seed_that_is_no_int_changes_nothing(seed: Any) -> None:
    g = Generator().manual_seed(8)
    draw(g)
    with pytest.raises(TypeError, match=r"^Seed must be an integer\.$"):
        g.manual_seed(seed)
    assert g.get_state().tolist() == bytes_of(8, 12)


@pytest.mark.parametrize("seed, kept", [(0, 0), (-1, -1), (True, 1), (2**63, -(2**63)), (2**64 - 1, -1)])
def test_seeds_wrap_as_int64(seed: int, kept: int) -> None:
    g = Generator().manual_seed(seed)
    assert g.initial_seed() == kept
    assert g.get_state().tolist() == bytes_of(kept, 0)


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_seeds_of_more_than_64_bits_are_refused(seed: int) -> None:
    g = Generator()
    with pytest.raises(ValueError, match="For 'manual_seed', the 'seed' must be in"):
        g.manual_seed(seed)
    assert g.get_state().tolist() == bytes_of(0, 0)


def test_state_goes_out_and_in() -> None:
    g = Generator().manual_seed(42)
    draw(g), draw(g)
    state = g.get_state()
    assert isinstance(state, Tensor)
    assert (state.dtype, state.shape) == (mstype.uint8, (16,))
    assert state.tolist() == bytes_of(42, 24)
    drawn = draw(g)
    assert state.tolist() == bytes_of(42, 24)  # a copy, not a view
    g.set_state(state)
    assert draw(g) == drawn == (42, 24)


@pytest.mark.parametrize(
    "state, kind",
    [
        (3, TypeError),
        (np.zeros(16, np.uint8), TypeError),
        (Tensor([1, 2, 3]), TypeError),
        (Tensor(np.zeros(16, np.int8)), TypeError),
        (Tensor(np.zeros(15, np.uint8)), ValueError),
        (Tensor(np.zeros((2, 8), np.uint8)), ValueError),
    ],
)
def test_wrong_states_are_refused_and_change_nothing(state: Any, kind: type[Exception]) -> None:
    g = Generator().manual_seed(7)
    with pytest.raises(kind, match="For 'set_state', the "):
        g.set_state(state)
    assert g.get_state().tolist() == bytes_of(7, 0)


def test_a_step_gives_the_state_before_it() -> None:
    g = Generator().manual_seed(3)
    for offset in (0, 12):
        seed, at = g._step(12)
        assert (seed.dtype, int(seed), int(at)) == (mstype.int64, 3, offset)
    assert int(g._offset) == 24


def test_system_seeds() -> None:
    g = Generator()
    draw(g)
    first, second = g.seed(), g.seed()
    assert first != second
    assert g.get_state().tolist() == bytes_of(second, 0)


@pytest.mark.parametrize("twin", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_go_their_own_way(twin: Any) -> None:
    g = Generator().manual_seed(3)
    draw(g)
    other = twin(g)
    assert draw(other) == draw(g) == (3, 12)
    draw(g)
    assert draw(other) == (3, 24)
    assert other._generator.attrs["manual_seed"] is True


def test_module_functions_act_on_the_default_generator() -> None:
    assert ms_generator.manual_seed(5) is default_generator
    assert ms_generator.initial_seed() == default_generator.initial_seed() == 5
    assert default_generator._generator.attrs["manual_seed"] is True
    state = ms_generator.get_rng_state()
    assert draw() == (5, 0)
    assert draw(default_generator) == (5, 12)
    ms_generator.set_rng_state(state)
    assert draw() == (5, 0)
    seed = ms_generator.seed()
    assert ms_generator.initial_seed() == seed
    with pytest.raises(TypeError, match=r"Seed must be an integer\."):
        ms_generator.manual_seed(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="For 'set_state', the 'state' must be a Tensor"):
        ms_generator.set_rng_state(3)  # type: ignore[arg-type]


def test_generators_leave_numpy_alone() -> None:
    before = pickle.dumps(np.random.get_state())
    g = Generator().manual_seed(4)
    g.seed(), draw(g), draw(), ms_generator.seed(), ms_generator.manual_seed(1)
    assert pickle.dumps(np.random.get_state()) == before


def test_threads_share_a_generator_without_equal_draws() -> None:
    g, got = Generator().manual_seed(1), []

    def work() -> None:
        got.extend([draw(g)[1] for _ in range(500)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == list(range(0, 2000 * 12, 12))
