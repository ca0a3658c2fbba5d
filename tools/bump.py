"""Raises the version of one package: `python tools/bump.py PACKAGE major|minor|patch`.

Edits its `_version.py`, gives what stands under "Unreleased" in its CHANGELOG.md the version and the date, and
moves the ranges of the packages that depend on it when they leave the new version out. Prints the tag to set; commits
nothing.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from pathlib import Path

import levels

PARTS = ("major", "minor", "patch")


def raised(version: str, part: str) -> str:
    """The version with one part raised and those after it at 0.

    >>> raised("0.1.4", "minor"), raised("1.2.3", "patch")
    ('0.2.0', '1.2.4')
    """
    numbers = [int(n) for n in version.split(".")]
    at = PARTS.index(part)
    return ".".join(map(str, [*numbers[:at], numbers[at] + 1, *[0] * (len(numbers) - at - 1)]))


def next_range(version: str) -> str:
    """The range that holds a version up to the next one that may break callers.

    >>> next_range("0.2.0"), next_range("1.4.2")
    ('>=0.2,<0.3', '>=1.4,<2')
    """
    major, minor = version.split(".")[:2]
    return f">={major}.{minor},<{f'0.{int(minor) + 1}' if major == '0' else int(major) + 1}"


def _replace(file: Path, pattern: str, text: str) -> None:
    old = file.read_text(encoding="utf-8")
    new, times = re.subn(pattern, text, old, count=1, flags=re.MULTILINE)
    if times != 1:
        raise ValueError(f"{file}: found nothing like {pattern}")
    file.write_text(new, encoding="utf-8")


def bump(root: Path, name: str, part: str, today: datetime.date) -> str:
    """Do it; return the new version."""
    ours = levels.packages(root)
    if name not in ours:
        raise ValueError(f"For 'bump', the 'package' must be one of {sorted(ours)}, but got {name}.")
    package = ours[name]
    new = raised(package.version, part)
    _replace(package.folder / "CHANGELOG.md", r"^## Unreleased$", f"## Unreleased\n\n## {new} - {today.isoformat()}")
    _replace(
        package.folder / "src" / package.module / "_version.py", r'__version__ = "[^"]+"', f'__version__ = "{new}"'
    )
    for other in ours.values():
        rule = other.requires.get(name)
        if rule is not None and levels.range_problem(rule, new):
            _replace(other.folder / "pyproject.toml", rf'"{name}{re.escape(rule)}"', f'"{name}{next_range(new)}"')
    return new


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package")
    parser.add_argument("part", choices=PARTS)
    args = parser.parse_args()
    try:
        new = bump(levels.ROOT, args.package, args.part, datetime.datetime.now(datetime.timezone.utc).date())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{args.package} {new}: tag the commit {args.package}-v{new}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
