"""The examples in the docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import ms_generator


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(ms_generator.__path__)])
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"ms_generator.{name}")).failed == 0
