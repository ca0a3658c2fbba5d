"""The order of the packages holds, and the tools that watch over it see what they should."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

import budget
import bump
import levels
import summary


def write(root: Path, name: str, code: str, *, requires: str = "", suffix: str = ".py", version: str = "0.1.0") -> None:
    folder = root / "packages" / name
    source = folder / "src" / name.replace("-", "_")
    source.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(f'[project]\nname = "{name}"\ndependencies = [{requires}]\n')
    (folder / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n\n- New.\n")
    (source / "_version.py").write_text(f'__version__ = "{version}"\n')
    (source / f"module{suffix}").write_text(code)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two packages below, one above them."""
    (tmp_path / "pyproject.toml").write_text(
        '[[tool.importlinter.contracts]]\ntype = "layers"\nlayers = ["ms_top", "ms_low | ms_other"]\n'
    )
    write(tmp_path, "ms-low", "")
    write(tmp_path, "ms-other", "")
    write(tmp_path, "ms-top", "import ms_low.module\n", requires='"ms-low>=0.1,<0.2"')
    return tmp_path


def test_this_repository() -> None:
    assert levels.problems() == []


def test_every_package_has_what_a_package_needs() -> None:
    for package in levels.packages().values():
        source = package.folder / "src" / package.module
        wanted = [package.folder / n for n in ("README.md", "CHANGELOG.md", "LICENSE", "tests")]
        wanted += [source / n for n in ("__init__.py", "_version.py", "py.typed")]
        assert [str(p) for p in wanted if not p.exists()] == []


def test_import_contract_names_every_package() -> None:
    settings = levels.tomllib.loads((levels.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert sorted(settings["root_packages"]) == sorted(p.module for p in levels.packages().values())


def test_a_good_tree_has_no_problems(tree: Path) -> None:
    assert levels.problems(tree) == []


@pytest.mark.parametrize(
    ("name", "code", "suffix", "problem"),
    [
        ("ms-low", "import ms_top", ".py", "module.py imports ms-top, which is not below it"),
        ("ms-low", "from ms_other.module import x", ".py", "module.py imports ms-other, which is not below it"),
        ("ms-low", "from ms_top.core cimport x", ".pyx", "module.pyx imports ms-top, which is not below it"),
        ("ms-low", "cimport ms_top.core as t", ".pxd", "module.pxd imports ms-top, which is not below it"),
        ("ms-low", 'TABLE = ["ms_top.module"]', ".py", "module.py imports ms-top, which is not below it"),
        ("ms-low", "def f():\n    import numpy.linalg\n", ".py", "module.py imports numpy, which is not declared"),
    ],
)
def test_wrong_imports_are_seen(tree: Path, name: str, code: str, suffix: str, problem: str) -> None:
    write(tree, name, code, suffix=suffix)
    assert f"{name}: src/{name.replace('-', '_')}/{problem}" in levels.problems(tree)


@pytest.mark.parametrize(
    ("requires", "problem"),
    [
        ('"ms-low>=0.1,<0.2", "numpy>=2"', "ms-top: declares numpy, but never imports it"),
        ('"ms-low==0.1.0"', "ms-top: the range of ms-low must be of the form >=A,<B, but is '==0.1.0'"),
        ('"ms-low>=0.2,<0.3"', "ms-top: the range of ms-low '>=0.2,<0.3' leaves out its present version 0.1.0"),
    ],
)
def test_wrong_declarations_are_seen(tree: Path, requires: str, problem: str) -> None:
    write(tree, "ms-top", "import ms_low\n", requires=requires)
    assert levels.problems(tree) == [problem]


def test_packages_and_contract_must_agree(tree: Path) -> None:
    write(tree, "ms-new", "")
    assert levels.problems(tree) == ["ms-new: has no level in the import contract"]


def test_cython_and_standard_modules_need_no_declaration(tree: Path) -> None:
    write(tree, "ms-low", "from libc.math cimport exp\ncimport cython\nfrom .x cimport y\nimport os\n", suffix=".pyx")
    assert levels.problems(tree) == []


def test_bump(tree: Path) -> None:
    day = datetime.date(2030, 1, 2)
    assert bump.bump(tree, "ms-low", "patch", day) == "0.1.1"
    assert '"ms-low>=0.1,<0.2"' in (tree / "packages/ms-top/pyproject.toml").read_text()
    assert bump.bump(tree, "ms-low", "minor", day) == "0.2.0"
    assert '"ms-low>=0.2,<0.3"' in (tree / "packages/ms-top/pyproject.toml").read_text()
    changes = (tree / "packages/ms-low/CHANGELOG.md").read_text()
    assert changes.startswith(
        "# Changes\n\n## Unreleased\n\n## 0.2.0 - 2030-01-02\n\n## 0.1.1 - 2030-01-02\n\n- New.\n"
    )
    assert levels.problems(tree) == []
    with pytest.raises(ValueError, match="the 'package' must be one of"):
        bump.bump(tree, "ms-none", "minor", day)


def test_budget_sees_long_files_copies_and_loud_comments(tree: Path) -> None:
    body = "".join(f"a{i} = {i}\n" for i in range(9))
    write(tree, "ms-low", body)
    write(tree, "ms-other", body)
    write(tree, "ms-top", "".join(f"# note {i}\nb = {i}\n" for i in range(400)))
    _rows, over = budget.check(sorted((tree / "packages").iterdir()), tree)
    assert over == [
        "packages/ms-top/src/ms_top/module.py: 800 lines, more than 600",
        "90th percentile of length: 800, more than 350",
        "comments per line of code: 0.9501, more than 0.15",
        "packages/ms-other/src/ms_other/module.py:1 repeats packages/ms-low/src/ms_low/module.py:1",
    ]


def test_budget_counts() -> None:
    text = '"""Doc.\n\nMore.\n"""\n\n# why\nx = """a\nb"""  # also\n\n\ndef f():\n    """Doc."""\n    return 1\n'
    assert budget.count(text) == budget.Count(code=4, comments=1, docstrings=5)


def test_budget_of_wheels(tmp_path: Path) -> None:
    (tmp_path / "ms_a-0.1.0-py3-none-any.whl").write_bytes(b"x" * 1000)
    assert budget.wheels(tmp_path) == ("1 wheels: 0.00 MB", [])
    (tmp_path / "ms_b-0.1.0-py3-none-any.whl").write_bytes(b"x" * budget.WHEELS)
    assert budget.wheels(tmp_path)[1] == ["2 wheels: 10.00 MB, more than 10"]


def test_summary_adds_up() -> None:
    log = "nox > Running session tests(a)\n=== 3 passed, 1 skipped in 0.50s ===\nother\n1 failed, 2 passed in 1.25s\n"
    assert summary.summarise(log)[-1] == "=== 1 failed, 5 passed, 1 skipped in 1.75s ==="
    assert summary.summarise("")[-1] == "=== no tests ran in 0.00s ==="
