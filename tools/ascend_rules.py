"""Writes the table of rules in `docs/ascend.md`, between its two marks; with --check only tells if it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "ascend.md"
BEGIN, END = "<!-- rules: begin -->\n", "<!-- rules: end -->\n"


def main() -> int:
    from ms_common.ascend.rules import load
    from ms_kernels.targets.ascend.rules import as_markdown

    load()
    text = DOCUMENT.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    wanted = f"{head}{BEGIN}\n{as_markdown()}\n{END}{tail}"
    if "--check" in sys.argv:
        return int(text != wanted)
    DOCUMENT.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
