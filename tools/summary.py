"""Adds up the summary lines of several pytest runs: `python tools/summary.py LOG`.

Prints one line per session and one total in pytest's own form, the last line of a check that runs many things.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

SESSION = re.compile(r"nox > Running session (\S+)")
SUMMARY = re.compile(r"^=*\s*(\d+ \w+.*) in ([\d.]+)s\b.*$")
ORDER = ("failed", "passed", "skipped", "deselected", "xfailed", "xpassed", "warnings", "errors")


def summarise(log: str) -> list[str]:
    """The lines to print.

    >>> summarise("nox > Running session tests(a)\\n3 passed, 1 skipped in 0.50s\\n2 failed, 1 passed in 1.00s")
    ['tests(a): 3 passed, 1 skipped', 'tests(a): 2 failed, 1 passed', '=== 2 failed, 4 passed, 1 skipped in 1.50s ===']
    """
    session, lines, total, seconds = "", [], Counter[str](), 0.0
    for line in log.splitlines():
        if found := SESSION.search(line):
            session = found[1]
        elif found := SUMMARY.match(line):
            lines.append(f"{session}: {found[1]}")
            seconds += float(found[2])
            for number, word in re.findall(r"(\d+) (\w+)", found[1]):
                total[{"error": "errors", "warning": "warnings"}.get(word, word)] += int(number)
    counts = ", ".join(f"{total[word]} {word}" for word in ORDER if total[word]) or "no tests ran"
    return [*lines, f"=== {counts} in {seconds:.2f}s ==="]


if __name__ == "__main__":
    print("\n".join(summarise(Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace"))))
