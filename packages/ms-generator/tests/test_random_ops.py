"""Random functions follow the default generator, or the one that they are given."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ms_generator
from ms_generator import Generator, default_generator, set_seed
from ms_kernels import Tensor, mint
from ms_kernels import functional as ops

TAKING: dict[str, Callable[..., Any]] = {
    "rand": lambda **k: mint.rand(50, **k),
    "randn": lambda **k: mint.randn(50, **k),
    "randint": lambda **k: mint.randint(0, 1000, (50,), **k),
    "randperm": lambda **k: mint.randperm(50, **k),
    "bernoulli": lambda **k: mint.bernoulli(Tensor(np.full(50, 0.5, np.float32)), **k),
    "normal": lambda **k: mint.normal(0.0, 1.0, (50,), **k),
    "multinomial": lambda **k: mint.multinomial(Tensor(np.ones(50, np.float32)), 50, True, **k),
    "Tensor.bernoulli": lambda **k: Tensor(np.full(50, 0.5, np.float32)).bernoulli(**k),
    "Tensor.uniform": lambda **k: Tensor(np.ones(50, np.float32)).uniform(**k),
    "Tensor.uniform_": lambda **k: Tensor(np.ones(50, np.float32)).uniform_(**k),
    "Tensor.normal_": lambda **k: Tensor(np.ones(50, np.float32)).normal_(**k),
    "Tensor.random_": lambda **k: Tensor(np.ones(50, np.float32)).random_(**k),
}
FOLLOWING: dict[str, Callable[[], Any]] = {
    **TAKING,
    "dropout": lambda: ops.dropout(Tensor(np.ones(50, np.float32)), 0.5),
    "uniform": lambda: ops.uniform((50,), Tensor(0.0), Tensor(1.0)),
    "ops.normal": lambda: ops.normal((50,), 0.0, 1.0),
    "gamma": lambda: ops.gamma((50,), Tensor([3.0]), Tensor([1.0])),
    "poisson": lambda: ops.random_poisson((50,), Tensor(50.0)),
    "laplace": lambda: ops.standard_laplace((50,)),
    "shuffle": lambda: ops.shuffle(Tensor(np.arange(50))),
    "rrelu": lambda: ops.rrelu(Tensor(-np.ones(50, np.float32))),
}


@pytest.mark.parametrize("draw", TAKING.values(), ids=TAKING)
def test_a_generator_gives_its_numbers_again(draw: Callable[..., Any]) -> None:
    g, other = Generator().manual_seed(5), Generator().manual_seed(6)
    default = default_generator.get_state().tolist()
    first, second = draw(generator=g).asnumpy(), draw(generator=g).asnumpy()
    assert (first != second).any()
    assert int(g._offset) == 24
    assert default_generator.get_state().tolist() == default
    g.manual_seed(5)
    assert (draw(generator=g).asnumpy() == first).all()
    assert (draw(generator=other).asnumpy() != first).any()
    state = g.get_state()
    assert (draw(generator=g).asnumpy() == second).all()
    g.set_state(state)
    assert (draw(generator=g).asnumpy() == second).all()


@pytest.mark.parametrize("draw", FOLLOWING.values(), ids=FOLLOWING)
def test_without_one_the_default_generator_decides(draw: Callable[[], Any]) -> None:
    set_seed(3)
    first, second = draw().asnumpy(), draw().asnumpy()
    assert (first != second).any()
    assert default_generator.get_state().tolist()[8] == 24
    set_seed(3)
    assert (draw().asnumpy() == first).all()
    ms_generator.manual_seed(3)
    assert (draw().asnumpy() == first).all()


def test_the_size_does_not_matter_to_the_offset() -> None:
    g = Generator()
    mint.rand(100_000, generator=g)
    mint.rand(1, generator=g)
    assert int(g._offset) == 24


@pytest.mark.parametrize("generator", [3, "cpu", np.random.default_rng(1)])
def test_what_is_no_generator_is_refused(generator: Any) -> None:
    with pytest.raises(TypeError, match="The 'generator' must be a Generator or None, but got"):
        mint.rand(2, generator=generator)


def _in_a_child(work: Callable[[], list[float]]) -> list[float]:
    """What `work` gives in a forked process."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, json.dumps(work()).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    assert os.waitpid(child, 0)[1] == 0
    return list(json.loads(text))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # other tests may have started threads
def test_a_forked_child_goes_on_from_the_same_state() -> None:
    g = Generator().manual_seed(5)
    mint.rand(3, generator=g)

    def own() -> list[float]:
        return list(mint.rand(3, generator=g).tolist())

    def seeded_anew() -> list[float]:
        g.manual_seed(6)
        return own()

    child, other = _in_a_child(own), _in_a_child(seeded_anew)
    here = own()
    assert child == here
    assert other != here
    assert other == mint.rand(3, generator=Generator().manual_seed(6)).tolist()


def test_threads_with_generators_of_their_own_repeat() -> None:
    def work(seed: int) -> list[Any]:
        g = Generator().manual_seed(seed)
        return [mint.randn(200, generator=g).tolist() for _ in range(30)]

    alone = [work(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == alone
