"""Fixtures: the alias switched on for one test, and programs in an interpreter of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ms_common

Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def alias() -> Iterator[None]:
    """The alias is active during the test, and gone after it."""
    ms_common.activate()
    yield
    ms_common.deactivate()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Run Python source as a script, or a list of interpreter arguments, in a fresh interpreter."""

    def run(
        source: str | None = None,
        *args: str,
        options: tuple[str, ...] = (),
        env: dict[str, str] | None = None,
        check: bool = True,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *options]
        if source is not None:
            script = tmp_path / "program.py"
            script.write_text(source, encoding="utf-8")
            command.append(str(script))
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("GLOG_", "logger_"))} | (env or {})
        done = subprocess.run(
            [*command, *args], env=environ, cwd=cwd, capture_output=True, text=True, timeout=120, check=False
        )
        if check and done.returncode != 0:
            pytest.fail(f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    return run
