"""Size limits, so that the project stays small enough to read.

`python tools/budget.py [PACKAGE...]`, or `--wheels FOLDER`, prints a table and what is over its limit.
"""

from __future__ import annotations

import argparse
import ast
import io
import statistics
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MEDIAN, P90 = 150, 350  # lines of Python files
CAPS = {".py": 600, ".pyx": 800, ".pxd": 300, ".pxi": 800, ".c": 800, ".h": 800}
COMMENTS, DOCSTRINGS = 0.15, 0.6  # lines per line of code
PRIVATE_DOCSTRINGS = 0.2  # in modules with a _ before their name and no public name inside
RUN = 8  # this many equal lines in a row are a copy
IMPORTS = ("import ", "from ", "cimport ", "np.import_array()")  # such lines are alike everywhere
WHEELS = 10_000_000  # bytes, all together


@dataclass(frozen=True)
class Count:
    """The lines of a Python file by kind."""

    code: int
    comments: int
    docstrings: int

    def __add__(self, other: Count) -> Count:
        return Count(self.code + other.code, self.comments + other.comments, self.docstrings + other.docstrings)


def count(text: str) -> Count:
    """Count code, comment and docstring lines; a line with code and a comment is code."""
    docs: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str:
                docs.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    code: set[int] = set()
    comments: set[int] = set()
    blank = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in blank:
            code.update(range(token.start[0], token.end[0] + 1))
    return Count(len(code - docs), len(comments - code), len(docs))


def is_private(file: Path, text: str) -> bool:
    """Whether a module is private, and so is all that it defines."""
    if not file.stem.startswith("_") or file.stem.startswith("__") or file.stem == "_version":
        return False
    definitions = (n for n in ast.parse(text).body if isinstance(n, (ast.ClassDef, ast.FunctionDef)))
    return all(n.name.startswith("_") for n in definitions)


def sources(folder: Path) -> list[Path]:
    """The source files of a package."""
    return [p for p in sorted(folder.glob("src/**/*")) if p.suffix in CAPS and "build" not in p.parts]


def significant(file: Path) -> list[tuple[int, str]]:
    """The lines that count in a comparison, with their numbers."""
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    return [(i, text) for i, line in lines if (text := line.strip()) and not text.startswith(IMPORTS)]


def copies(files: list[Path], root: Path) -> Iterator[str]:
    """Places where `RUN` lines in a row stand twice; of a longer copy only the first place is told."""
    seen: dict[tuple[str, ...], tuple[Path, int]] = {}
    for file in files:
        lines = significant(file)
        silent_until = 0
        for i in range(len(lines) - RUN + 1):
            window = tuple(text for _, text in lines[i : i + RUN])
            if len(set(window)) == 1:
                continue
            first = seen.setdefault(window, (file, lines[i][0]))
            if first != (file, lines[i][0]) and i >= silent_until:
                silent_until = i + RUN
                yield f"{file.relative_to(root)}:{lines[i][0]} repeats {first[0].relative_to(root)}:{first[1]}"


@dataclass
class Sizes:
    """What is measured of a package, or of all together."""

    lengths: list[int] = field(default_factory=list)
    public: Count = Count(0, 0, 0)
    private: Count = Count(0, 0, 0)

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.lengths + other.lengths, self.public + other.public, self.private + other.private)

    def measures(self) -> dict[str, float]:
        """The figures that have limits."""
        lengths = sorted(self.lengths) or [0]
        code = self.public.code + self.private.code
        return {
            "median length": statistics.median(lengths),
            "90th percentile of length": lengths[min(len(lengths) - 1, int(0.9 * len(lengths)))],
            "comments per line of code": (self.public.comments + self.private.comments) / max(code, 1),
            "docstrings per line of code": self.public.docstrings / max(self.public.code, 1),
            "docstrings per line of code in private modules": self.private.docstrings / max(self.private.code, 1),
        }

    def row(self, name: str) -> str:
        """A row of the table."""
        code = self.public.code + self.private.code
        figures = "".join(f"{value:9.0f}" if value > 2 else f"{value:9.2f}" for value in self.measures().values())
        return f"{name:16}{len(self.lengths):6}{code:7}{figures}{max(self.lengths, default=0):6}"


LIMITS = {
    "median length": MEDIAN,
    "90th percentile of length": P90,
    "comments per line of code": COMMENTS,
    "docstrings per line of code": DOCSTRINGS,
    "docstrings per line of code in private modules": PRIVATE_DOCSTRINGS,
}


def measure(folder: Path, root: Path) -> tuple[Sizes, list[str]]:
    """The sizes of one package, and the files above their cap."""
    sizes, over = Sizes(), []
    for file in sources(folder):
        text = file.read_text(encoding="utf-8")
        length = text.count("\n")
        if length > CAPS[file.suffix]:
            over.append(f"{file.relative_to(root)}: {length} lines, more than {CAPS[file.suffix]}")
        if file.suffix == ".py":
            lines, none = count(text), Count(0, 0, 0)
            sizes += Sizes([length], none, lines) if is_private(file, text) else Sizes([length], lines, none)
    return sizes, over


def check(folders: list[Path], root: Path) -> tuple[list[str], list[str]]:
    """Return (rows of the table, what is over a limit); medians and ratios have limits over all packages together."""
    columns = "".join(f"{word:>9}" for word in ("median", "p90", "comments", "docs", "private"))
    rows = [f"{'package':16}{'files':>6}{'code':>7}{columns}{'max':>6}"]
    over: list[str] = []
    everything = Sizes()
    for folder in folders:
        sizes, capped = measure(folder, root)
        rows.append(sizes.row(folder.name))
        over += capped
        everything += sizes
    rows.append(everything.row("together"))
    for what, value in everything.measures().items():
        if value > LIMITS[what]:
            over.append(f"{what}: {value:.4g}, more than {LIMITS[what]}")
    return rows, over + list(copies([file for folder in folders for file in sources(folder)], root))


def wheels(folder: Path) -> tuple[str, list[str]]:
    """The size of all wheels of ours in a folder (the newest of each package), and a complaint when it is too large."""
    newest: dict[str, Path] = {}
    for wheel in sorted(folder.rglob("ms_*.whl"), key=lambda p: p.stat().st_mtime):
        newest[wheel.name.split("-")[0]] = wheel
    total = sum(p.stat().st_size for p in newest.values())
    text = f"{len(newest)} wheels: {total / 1e6:.2f} MB"
    return text, [f"{text}, more than {WHEELS / 1e6:.0f}"] if total >= WHEELS else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--wheels", type=Path, help="look at the wheels in this folder instead of the sources")
    args = parser.parse_args()
    if args.wheels:
        size, over = wheels(args.wheels)
        rows = [size]
    else:
        folders = sorted(p.parent for p in ROOT.glob("packages/*/pyproject.toml"))
        rows, over = check([f for f in folders if not args.packages or f.name in args.packages], ROOT)
    print("\n".join([*rows, *over]))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
