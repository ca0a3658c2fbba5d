"""Checks that imports, declared dependencies and the order of the packages agree.

`python tools/levels.py [ROOT]` prints what is wrong. import-linter and deptry see Python only; this looks into Cython's
`cimport` too, and at the version ranges between the packages.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
CYTHON_OWN = {"cpython", "cython", "libc", "libcpp", "openmp", "posix"}
CYTHON_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\b|c?import\s+([\w., ]+))", re.MULTILINE)
LAZY_IMPORT = re.compile(r"ms_\w+(\.\w+)*")
REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*([^;]*)")


def canonical(name: str) -> str:
    """The name of a distribution as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True)
class Package:
    """One folder of packages/."""

    name: str
    folder: Path
    requires: dict[str, str]
    extras: dict[str, str]

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    @property
    def version(self) -> str:
        text = (self.folder / "src" / self.module / "_version.py").read_text(encoding="utf-8")
        found = re.search(r'__version__ = "([^"]+)"', text)
        if found is None:
            raise ValueError(f"{self.name}: _version.py holds no __version__")
        return found[1]


def _requirements(lines: list[str]) -> dict[str, str]:
    found = (REQUIREMENT.match(line) for line in lines)
    return {canonical(m[1]): m[2].strip() for m in found if m}


def packages(root: Path = ROOT) -> dict[str, Package]:
    """All packages by name."""
    found = {}
    for file in sorted(root.glob("packages/*/pyproject.toml")):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        extras = [line for lines in project.get("optional-dependencies", {}).values() for line in lines]
        found[project["name"]] = Package(
            project["name"], file.parent, _requirements(project.get("dependencies", [])), _requirements(extras)
        )
    return found


def levels(root: Path = ROOT) -> dict[str, int]:
    """The level of each package by the import contract; those of one level must not know each other."""
    settings: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    layers = next(c["layers"] for c in settings["importlinter"]["contracts"] if c["type"] == "layers")
    return {
        canonical(module): level
        for level, layer in enumerate(reversed(layers))
        for module in re.split(r"[|:\s]+", layer.strip("() "))
    }


def imports(file: Path) -> set[str]:
    """The top-level modules that a Python or Cython file imports, absolute ones only.

    In Python also those of ours that a string names, since tables import lazily.
    """
    text = file.read_text(encoding="utf-8")
    if file.suffix in (".pyx", ".pxd", ".pxi"):
        names = [n for m in CYTHON_IMPORT.finditer(text) for n in (m[1] or m[2]).split(",")]
        return {n.strip().split(" ")[0].split(".")[0] for n in names if not n.startswith(".")} - CYTHON_OWN
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and LAZY_IMPORT.fullmatch(node.value):
            found.add(node.value.split(".")[0])
    return found


def used(package: Package, ours: set[str]) -> dict[str, Path]:
    """The distributions that a package's sources import, each with one file that does."""
    own = {name.replace("-", "_") for name in ours}
    found: dict[str, Path] = {}
    for file in sorted(package.folder.glob("src/**/*")):
        if file.suffix in (".py", ".pyx", ".pxd", ".pxi"):
            for module in imports(file) - set(sys.stdlib_module_names) - {package.module, ""}:
                if LAZY_IMPORT.fullmatch(module) and module not in own:
                    continue  # a string that only looks like one of our modules
                found.setdefault(canonical(module), file.relative_to(package.folder))
    return found


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def range_problem(rule: str, version: str) -> str | None:
    """What is wrong with a range between two packages of ours."""
    bounds = re.fullmatch(r">=([\d.]+),\s*<([\d.]+)", rule)
    if bounds is None:
        return f"must be of the form >=A,<B, but is '{rule}'"
    low, high = _version(bounds[1]), _version(bounds[2])
    return None if low <= _version(version) < high else f"'{rule}' leaves out its present version {version}"


def problems(root: Path = ROOT) -> list[str]:
    """All disagreements, one line each."""
    found: list[str] = []
    ours, level = packages(root), levels(root)
    found += [f"{name}: has no level in the import contract" for name in ours if name not in level]
    found += [
        f"{name}: stands in the import contract, but there is no such package" for name in level if name not in ours
    ]
    for name, package in ours.items():
        imported = used(package, set(ours))
        for other, file in imported.items():
            if other in ours and level.get(other, 0) >= level.get(name, 0):
                found.append(f"{name}: {file} imports {other}, which is not below it")
            if other not in package.requires and other not in package.extras:
                found.append(f"{name}: {file} imports {other}, which is not declared")
        found += [
            f"{name}: declares {other}, but never imports it" for other in package.requires if other not in imported
        ]
        for other, rule in package.requires.items():
            if other in ours and (wrong := range_problem(rule, ours[other].version)):
                found.append(f"{name}: the range of {other} {wrong}")
    return found


if __name__ == "__main__":
    lines = problems(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)
    print("\n".join(lines) or "levels, imports and dependencies agree")
    sys.exit(bool(lines))
