"""The examples in the docstrings; those of the ops and of ms_kernels.tensor have tests of their own."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import ms_kernels

ELSEWHERE = ("ms_kernels.functional", "ms_kernels.mint", "ms_kernels.tensor")
MODULES = [
    module.name
    for module in pkgutil.walk_packages(ms_kernels.__path__, "ms_kernels.")
    if not module.name.startswith(ELSEWHERE)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(name), optionflags=flags).failed == 0
