"""The examples in the docstrings of ms_kernels.tensor."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
import ms_kernels

PACKAGE = importlib.import_module("ms_kernels.tensor")
MODULES = sorted(m.name for m in pkgutil.iter_modules(PACKAGE.__path__))
CLASSES = {"Tensor", "Parameter", "ParameterTuple"}  # whose __module__ is that of 2.6


def documented(module: Any) -> Iterator[tuple[str, str]]:
    """The docstrings of what a module defines: functions, classes, and what stands in their bodies."""
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None)
        if own != module.__name__ and not (name in CLASSES and str(own).startswith("mindspore.common")):
            continue
        yield name, inspect.getdoc(value) or ""
        for key, part in vars(value).items() if isinstance(value, type) else ():
            function = inspect.unwrap(getattr(part, "fget", None) or getattr(part, "__func__", part))
            if getattr(getattr(function, "__code__", None), "co_filename", "") == module.__file__:
                yield f"{name}.{key}", inspect.getdoc(part) or ""


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"ms_kernels.tensor.{name}")
    space = {
        **{key: getattr(ms_kernels, key) for key in (*CLASSES, "grad")},
        **vars(module),
        "np": np,
        "mstype": mstype,
    }
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for where, text in documented(module):
        runner.run(doctest.DocTestParser().get_doctest(text, dict(space), where, module.__file__, 0))
    assert runner.failures == 0


def test_public_parts_are_documented() -> None:
    silent = []
    for name in MODULES:
        module = importlib.import_module(f"ms_kernels.tensor.{name}")
        silent += [
            f"{name}.{where}" for where, text in documented(module) if not text and where.split(".")[-1][0] != "_"
        ]
    assert not silent
