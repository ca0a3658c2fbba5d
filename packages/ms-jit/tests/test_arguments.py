"""JitConfig, the checks of jit's arguments, marks and limits: recorded answers of MindSpore 2.6, and live."""

from __future__ import annotations

import importlib.util
import inspect
import json
import logging
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ms_jit
from ms_jit import JitConfig, check_arguments, jit_class, lazy_inline, limits, no_inline, set_recursion_limit

VECTORS = Path(__file__).parent / "vectors"
RECORD = json.loads((VECTORS / "arguments.json").read_text(encoding="utf-8"))


def _load(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _load(VECTORS / "make_arguments.py")


class Cell:
    """Has what makes a Cell."""

    def construct(self) -> None: ...

    def cells_and_names(self) -> None: ...

    def __repr__(self) -> str:
        return "Cell()"


Cell.__module__ = "mindspore.nn.cell"


def _check(**kwargs: Any) -> None:
    own = {n: kwargs.pop(n) for n in list(kwargs) if n in inspect.signature(check_arguments).parameters}
    check_arguments(**own, options=kwargs)


@pytest.fixture(scope="module")
def ours() -> dict[str, list[str]]:
    names: dict[str, Any] = {name: getattr(ms_jit, name) for name in ("JitConfig", "jit_class", "lazy_inline")}
    names |= {"no_inline": no_inline, "Base": Cell, "check": _check, "set_recursion_limit": set_recursion_limit}
    results: dict[str, list[str]] = make.evaluate(names)
    set_recursion_limit()
    return results


@pytest.mark.parametrize("text", RECORD)
def test_recorded(text: str, ours: dict[str, list[str]]) -> None:
    newer = " and no __dict__ for setting new attributes"  # Python 3.13 adds this to its own error
    assert [part.removesuffix(newer) for part in ours[text]] == RECORD[text]


def test_every_expression_is_recorded() -> None:
    assert set(RECORD) == set(make.EXPRESSIONS)


@pytest.mark.oracle
def test_live(tmp_path: Path, ours: dict[str, list[str]]) -> None:
    if "MS26_PYTHON" not in os.environ:
        pytest.skip("MS26_PYTHON is not set")
    file = tmp_path / "live.json"
    command = [os.environ["MS26_PYTHON"], str(VECTORS / "make_arguments.py"), str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=tmp_path)
    assert ours == json.loads(file.read_text(encoding="utf-8"))


def test_signatures() -> None:
    """As 2.6's, beside the annotations."""
    texts = {f: [(p.name, p.default) for p in inspect.signature(f).parameters.values()] for f in (JitConfig, no_inline)}
    assert texts[JitConfig][:-1] == [
        ("jit_level", ""),
        ("exc_mode", "auto"),
        ("jit_syntax_level", ""),
        ("debug_level", "RELEASE"),
        ("infer_boost", "off"),
    ]
    assert list(inspect.signature(JitConfig).parameters)[-1] == "kwargs"
    assert texts[no_inline] == [("fn", None)]
    assert list(inspect.signature(lazy_inline).parameters) == ["fn", "attrs", "policy"]
    assert inspect.signature(set_recursion_limit).parameters["recursion_limit"].default == 1000


@pytest.mark.parametrize(("level", "want"), [("O0", "ms_backend"), ("O1", "ms_backend"), ("O2", "GE"), ("", None)])
def test_backend_of_a_level(level: str, want: str | None) -> None:
    assert JitConfig(level).jit_config_dict.get("backend") == want
    for given in ("", None, "GE", "ms_backend"):
        assert JitConfig(level, backend=given).jit_config_dict["backend"] is given


def test_config_holds_all_options() -> None:
    config = JitConfig("O1", "sink", "LAX", "DEBUG", "on", more=[1])
    assert config.jit_config_dict == {
        "jit_level": "O1",
        "exc_mode": "sink",
        "jit_syntax_level": "LAX",
        "debug_level": "DEBUG",
        "infer_boost": "on",
        "backend": "ms_backend",
        "more": [1],
    }


def test_checked_arguments() -> None:
    checked = check_arguments("trace", "O1", 1, True, "GE", {"ge_options": {}, "exec_order": "dfs", "mode": "x"})
    assert (checked.capture_mode, checked.jit_level, checked.backend) == ("trace", "O1", "GE")
    assert checked.dynamic is True
    assert checked.fullgraph is True
    assert checked.options == {"ge_options": {}}
    assert checked.old == {"mode": "x"}
    assert check_arguments().backend == "ms_backend"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"foo": 1}, "For 'jit(options)', the option argument 'foo' is not recognized, please check!"),
        (
            {"ge_options": {}},
            "For 'jit(options)', the option 'ge_options' is only support backend in '['GE']', but got 'ms_backend', "
            "ignore it.",
        ),
        (
            {"mode": "PIJit"},
            "For 'jit', the parameter 'mode' has been deprecated. Please use the parameter 'capture_mode' instead.",
        ),
        ({"compile_once": True}, "For 'jit', the parameter 'compile_once' has been deprecated."),
        ({"hash_args": 1}, None),
        ({"infer_boost": "on"}, None),
    ],
)
def test_log(options: dict[str, Any], text: str | None, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ms_jit"):
        check_arguments(options=options)
    assert caplog.messages == ([] if text is None else [text])


def test_jit_class_of_other_cells() -> None:
    class Mine(Cell):
        pass

    with pytest.raises(TypeError, match=r"cannot be used for nn\.Cell"):
        jit_class(Mine)
    assert not hasattr(Mine, "__ms_class__")


def test_lazy_inline() -> None:
    class Block(Cell):
        @lazy_inline(attrs="size", policy="front")
        def __init__(self, size: int) -> None:
            """Make one."""
            self.size = size

    block: Any = Block(3)
    assert block.cell_init_args == "lazy_inline_Block3"
    assert block.no_inline is False
    assert Block.__init__.__doc__ == "Make one."
    with pytest.raises(TypeError, match="too many positional arguments"):
        Block(1, 2)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match=r"should decorate the __init__ function, not the class Block\. File: .*\.py"):
        lazy_inline(Block)


def test_lazy_inline_outside_of_cells(caplog: pytest.LogCaptureFixture) -> None:
    class Plain:
        @lazy_inline
        def __init__(self) -> None:
            pass

    with caplog.at_level(logging.WARNING, "ms_jit"):
        Plain()
    assert caplog.messages[0].startswith("The Plain must be a cell and must has a construct function. line: ")


def test_recursion_limit() -> None:
    set_recursion_limit(5)
    limits.check_depth(5)
    with pytest.raises(RuntimeError, match=r"Exceed function call depth limit 5, \(function call depth: 6\)"):
        limits.check_depth(6)
    with pytest.raises(ValueError, match="must > 0, but got '2147483648'"):
        set_recursion_limit(2**31)
    set_recursion_limit()
    assert limits.call_depth == 1000
