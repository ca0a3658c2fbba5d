from __future__ import annotations

from collections.abc import Iterator

import pytest

from ms_kernels.core import runtime


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "oracle: compares with a real MindSpore 2.6")


@pytest.fixture(params=[(1, False), (2, False), (2, True)], ids=["1-thread", "2-threads", "baseline"])
def engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each number of threads and instruction set, for the loops that the test's module calls `loops`."""
    before = runtime.get_threads()
    threads, baseline = request.param
    runtime.set_threads(threads)
    request.module.loops.use_baseline(baseline)
    yield
    runtime.set_threads(before)
    request.module.loops.use_baseline(False)
