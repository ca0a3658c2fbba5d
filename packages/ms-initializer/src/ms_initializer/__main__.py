"""`python -m ms_initializer plot NAME --shape 256,128 [--out FILE.png] [--seed N]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ms_generator import set_seed
from ms_initializer.plot import plot


def _shape(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ms_initializer")
    command = parser.add_subparsers(required=True).add_parser("plot", help="draw histogram and singular values")
    command.add_argument("name", help='an initializer, such as "he_uniform"')
    command.add_argument("--shape", type=_shape, default=(256, 128), help="dims with commas between")
    command.add_argument("--out", default="", help="the PNG file; NAME.png by default")
    command.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        set_seed(given.seed)
        print(plot(given.name, given.shape, given.out or f"{given.name}.png"))
    except (RuntimeError, TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
