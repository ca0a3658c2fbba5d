"""mindspore.log: levels, line format, where messages go."""

from __future__ import annotations

import logging
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import ms_common
from ms_common import log

LINE = re.compile(
    r"\[(?P<level>[A-Z]+)\] ME\(\d+:\d+,MainProcess\):\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} "
    r"\[(?P<place>.+):(?P<line>\d+)\] (?P<text>.*)"
)
PROGRAM = """\
import ms_common
ms_common.activate()
from mindspore import log
log.debug("a %s", "b"); log.info("i %d", 3); log.warning("w"); log.error("e"); log.critical("c")
print(log.get_level(), log.get_log_config())
"""


@pytest.mark.parametrize(
    "level, shown",
    [
        (None, "WARNING ERROR CRITICAL"),
        ("", "WARNING ERROR CRITICAL"),
        ("0", "DEBUG INFO WARNING ERROR CRITICAL"),
        ("1", "INFO WARNING ERROR CRITICAL"),
        ("2", "WARNING ERROR CRITICAL"),
        ("3", "ERROR CRITICAL"),
        ("4", "CRITICAL"),
    ],
)
def test_levels(program: Any, level: str | None, shown: str) -> None:
    done = program(PROGRAM, env={} if level is None else {"GLOG_v": level})
    lines = [LINE.fullmatch(line) for line in done.stderr.splitlines()]
    assert [line and line["level"] for line in lines] == shown.split()
    assert {line and line["line"] for line in lines} == {"4"}
    assert all(line is not None and line["place"].endswith("program.py") for line in lines)
    assert {"DEBUG": "a b", "INFO": "i 3"}.get(shown.split()[0], "") in done.stderr
    glog = level or "2"
    assert done.stdout == f"{glog} {{'GLOG_v': '{glog}', 'GLOG_logtostderr': '1'}}\n"


@pytest.mark.parametrize(
    "env",
    [
        {"GLOG_v": "5"},
        {"GLOG_v": "x"},
        {"GLOG_stderrthreshold": "9"},
        {"GLOG_logtostderr": "2"},
        {"GLOG_logtostderr": "0"},
        {"GLOG_logtostderr": "0", "GLOG_log_dir": "logs", "logger_maxBytes": "-1"},
        {"GLOG_logtostderr": "0", "GLOG_log_dir": "logs", "logger_backupCount": "many"},
    ],
)
def test_bad_environment(monkeypatch: pytest.MonkeyPatch, env: dict[str, str]) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    culprit = list(env)[-1] if env != {"GLOG_logtostderr": "0"} else "GLOG_log_dir"
    with pytest.raises(ValueError, match=f"environment variable '{culprit}' must be"):
        ms_common.activate()
    assert not ms_common.is_active()


def test_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in {
        "GLOG_logtostderr": "0",
        "GLOG_log_dir": str(tmp_path),
        "GLOG_v": "1",
        "GLOG_stderrthreshold": "3",
        "RANK_ID": "7",
        "logger_maxBytes": "200",
        "logger_backupCount": "2",
    }.items():
        monkeypatch.setenv(name, value)
    ms_common.activate()
    try:
        config = log.get_log_config()
        assert not list(tmp_path.rglob("mindspore.log.*"))
        log.info("first")
        log.error("second")
        for _ in range(8):
            log.warning("x" * 100)
    finally:
        ms_common.deactivate()
    directory = tmp_path.resolve() / "rank_7" / "logs"
    assert config == {
        "GLOG_v": "1",
        "GLOG_logtostderr": "0",
        "GLOG_log_dir": str(directory),
        "logger_maxBytes": 200,
        "logger_backupCount": 2,
        "GLOG_stderrthreshold": "3",
    }
    assert len(list(directory.iterdir())) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("second")


def test_packages_log_under_their_own_names(alias: None, capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger("ms_kernels.tensor").warning("from inside")
    logging.getLogger("ms_kernels.tensor").info("too low")
    logging.getLogger("another").error("not ours")
    match = LINE.fullmatch(capsys.readouterr().err.strip())
    assert match is not None
    assert match["text"] == "from inside"


def test_places_inside_a_package_are_short() -> None:
    path = str(Path("/opt/site-packages/ms_nn/optim/adam.py"))
    record = logging.LogRecord("ms_nn.optim", logging.INFO, path, 12, "text", None, None)
    match = LINE.fullmatch(log.Formatter().format(record))
    assert match is not None
    assert (match["place"], match["line"]) == ("ms_nn/optim/adam.py", "12")


def test_exceptions_and_stacks(alias: None, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise KeyError("lost")
    except KeyError:
        log.error("failed", exc_info=True)
    text = capsys.readouterr().err
    assert "] failed\nTraceback" in text
    assert "KeyError: 'lost'" in text


def test_basic_config_of_the_program_does_not_print_twice(program: Any) -> None:
    done = program("import logging; logging.basicConfig()\n" + PROGRAM)
    assert len(done.stderr.splitlines()) == 3


def test_a_level_that_the_program_set_stays(program: Any) -> None:
    source = "import logging; logging.getLogger('mindspore').setLevel(logging.ERROR)\n" + PROGRAM
    assert len(program(source).stderr.splitlines()) == 2


def test_deactivate_leaves_logging_as_it_was() -> None:
    logger = logging.getLogger("ms_kernels")
    before = (logger.level, logger.propagate, list(logger.handlers))
    ms_common.activate()
    assert (logger.level, logger.propagate, list(logger.handlers)) != before
    ms_common.deactivate()
    assert (logger.level, logger.propagate, list(logger.handlers)) == before


def test_no_warnings_of_resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOG_logtostderr", "0")
    monkeypatch.setenv("GLOG_log_dir", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ms_common.activate()
        log.error("written")
        ms_common.deactivate()
    (file,) = tmp_path.rglob("mindspore.log.*")
    assert "written" in file.read_text(encoding="utf-8")
