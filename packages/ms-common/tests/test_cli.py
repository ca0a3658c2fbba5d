"""`python -m ms_common`: programs run as Python would run them, only with `import mindspore` in place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import ms_common
from ms_common import cli

RUN = ("-m", "ms_common", "run")
SHOW = """\
import os, sys
import mindspore
print(__name__, os.path.isabs(__file__), os.path.basename(__file__), __spec__, __package__ or None)
print(os.path.basename(sys.argv[0]), sys.argv[1:])
print(os.path.realpath(sys.path[0]) == os.path.dirname(os.path.realpath(__file__)))
print(sys.modules["__main__"].__dict__ is globals())
"""


def test_script(program: Any, tmp_path: Path) -> None:
    script = tmp_path / "show.py"
    script.write_text(SHOW, encoding="utf-8")
    expected = ["__main__ True show.py None None", "show.py ['--epochs', '3', '-x']", "True", "True"]
    for words in (
        (str(script), "--epochs", "3", "-x"),
        ("--force", str(script), "--epochs", "3", "-x"),
        (str(script), "--", "--epochs", "3", "-x"),
    ):
        assert program(None, *RUN, *words).stdout.splitlines() == expected
    # The same but for the alias: what Python itself does.
    plain = program(SHOW.replace("import mindspore\n", ""), "--epochs", "3", "-x").stdout
    assert plain.replace("program.py", "show.py").splitlines() == expected


def test_relative_path_and_neighbour_modules(program: Any, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "neighbour.py").write_text("from mindspore import float32 as value\n", encoding="utf-8")
    (tmp_path / "inner" / "main.py").write_text("import neighbour\nprint(neighbour.value)\n", encoding="utf-8")
    done = program(None, *RUN, os.path.join("inner", "main.py"), cwd=tmp_path)
    assert done.stdout == "Float32\n"


def test_module(program: Any, tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "job.py").write_text(
        "import sys, mindspore\nprint(__name__, __package__, __spec__.name, sys.argv[1:])\n", encoding="utf-8"
    )
    done = program(None, *RUN, "-m", "package.job", "one", "--two", cwd=tmp_path)
    assert done.stdout == "__main__ package package.job ['one', '--two']\n"


def test_exit_codes_and_errors(program: Any) -> None:
    for source, code in (("raise SystemExit(7)", 7), ("import sys; sys.exit('gone')", 1), ("1 / 0", 1)):
        done = program(source, check=False)
        script = done.args[-1]
        ours = program(None, *RUN, script, check=False)
        assert (ours.returncode, done.returncode) == (code, code)
        assert ours.stderr.splitlines()[-1] == done.stderr.splitlines()[-1] if done.stderr else not ours.stderr


@pytest.mark.parametrize(
    "words, told",
    [
        (["run"], "no SCRIPT given"),
        (["run", "--nosuch", "x.py"], "unknown option --nosuch"),
        (["run", "--device"], "--device must be followed"),
        (["run", "nosuch.py"], "cannot open 'nosuch.py'"),
        (["walk"], "unknown command 'walk'"),
    ],
)
def test_usage_errors(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        assert cli.main(words) == 2
    finally:
        ms_common.deactivate()
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, expected",
    [
        (["s.py"], cli.Command("s.py")),
        (["s.py", "--device", "CPU", "-a"], cli.Command("s.py", options={"--device": "CPU"}, arguments=["-a"])),
        (
            ["--device=CPU", "s.py", "--force", "-a"],
            cli.Command("s.py", options={"--device": "CPU"}, force=True, arguments=["-a"]),
        ),
        (["s.py", "-a", "--device", "CPU"], cli.Command("s.py", arguments=["-a", "--device", "CPU"])),
        (["s.py", "--", "--device", "CPU"], cli.Command("s.py", arguments=["--device", "CPU"])),
        (["-m", "pytest", "-q"], cli.Command("pytest", module=True, arguments=["-q"])),
    ],
)
def test_parse(words: list[str], expected: cli.Command) -> None:
    assert cli.parse(words) == expected


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert cli.main(["--help"]) == cli.main(["run", "--help"]) == 0
    assert capsys.readouterr().out == cli.USAGE * 3
    assert cli.main(["version"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == f"ms-common {ms_common.__version__} (MindSpore 2.6.0)"


def test_device(program: Any, tmp_path: Path) -> None:
    script = tmp_path / "show.py"
    script.write_text("import mindspore\nprint(mindspore.get_current_device())\n", encoding="utf-8")
    assert program(None, *RUN, str(script), "--device", "CPU").stdout == "('CPU', 0)\n"
    done = program(None, *RUN, str(script), "--device", "TPU", check=False)
    assert done.returncode == 1
    assert "'device_target' must be one of ['CPU', 'GPU', 'Ascend'], but got 'TPU'" in done.stderr


def test_worker_processes(program: Any, tmp_path: Path) -> None:
    """Spawned workers load the main program before anything else: the alias has to be there already."""
    source = """\
import multiprocessing, sys
import mindspore
from mindspore.common import dtype

def work(value):
    import mindspore.common.dtype as again
    return value is again.float16, __name__, type(sys.meta_path[0]).__name__

if __name__ == "__main__":
    for method in multiprocessing.get_all_start_methods():
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.apply(work, (dtype.float16,)))
"""
    script = tmp_path / "workers.py"
    script.write_text(source, encoding="utf-8")
    expected = {
        "fork": "fork (True, '__main__', 'AliasFinder')",
        "spawn": "spawn (True, '__mp_main__', 'AliasFinder')",
        "forkserver": "forkserver (True, '__mp_main__', 'AliasFinder')",
    }
    lines = program(None, *RUN, str(script)).stdout.splitlines()
    assert lines == [expected[line.split()[0]] for line in lines]
    assert len(lines) == len(set(lines)) >= 1
    # The same for a program that switches the alias on itself, only in its main branch.
    guarded = source.replace("import mindspore\nfrom mindspore.common import dtype\n", "").replace(
        '"__main__":\n', '"__main__":\n    import ms_common; ms_common.activate(); from mindspore.common import dtype\n'
    )
    assert program(guarded).stdout.splitlines() == lines
