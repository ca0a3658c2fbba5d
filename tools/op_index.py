"""Write ms_kernels/ops/index.txt, by which op families load as they are needed; with --check only look at it."""

from __future__ import annotations

import sys
from pathlib import Path

import ms_kernels
from ms_kernels.opdef.catalog import INDEX, describe_families


def main(arguments: list[str]) -> int:
    path = Path(ms_kernels.__file__).parent / "ops" / INDEX
    text = describe_families()
    if "--check" in arguments:
        fits = path.exists() and path.read_text(encoding="utf-8") == text
        print(f"{path.name} {'fits' if fits else 'does not fit the op families: run tools/op_index.py'}")
        return 0 if fits else 1
    path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{path.name}: {text.count('family ')} families")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
