"""The package as a whole: its examples run, and importing it stays cheap."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import ms_dtype

MODULES = ["ms_dtype", *(f"ms_dtype.{each.name}" for each in pkgutil.iter_modules(ms_dtype.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_examples_exist() -> None:
    assert sum(doctest.testmod(importlib.import_module(name)).attempted for name in MODULES) > 30


def test_imports_only_what_it_declares() -> None:
    program = (
        "import sys, numpy, ml_dtypes\n"
        "before = set(sys.modules)\n"
        "import ms_dtype\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["ms_dtype"]


def test_version() -> None:
    assert ms_dtype.__version__.count(".") == 2
