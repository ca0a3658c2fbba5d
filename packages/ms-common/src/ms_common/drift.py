"""`python -m ms_common drift`: what a program computes on an emulated NPU, op by op, beside another target."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ms_common.cli import Command

__all__ = ["OPTIONS", "SIDE_OPTIONS", "drift", "side"]

OPTIONS = ("--profile", "--against", "-o", "--seed")
SIDE_OPTIONS = ("--address", "--target", "--seed")
CHIPS = ("ascend910b", "ascend910_93", "ascend910", "ascend310p")


def drift(command: Command) -> int:
    """Run the program on both targets, print a summary, write the report; 1 when a side did not end well.

    Raises:
        ValueError: a target that there is none of, or a seed that is no number.
    """
    from ms_dump.drift import compare, summary, write_html

    options = command.options
    profile, against = options.get("--profile", "ascend910b"), options.get("--against", "CPU")
    _check("--profile", profile, CHIPS)
    _check("--against", against, ("CPU", *CHIPS))
    seed = options.get("--seed", "0")
    if not seed.isdecimal():
        raise ValueError(f"--seed must be a number, but got '{seed}'")
    page = Path(options.get("-o", "drift.html"))
    rows = page.with_suffix(".json")
    program = ["-m", command.program] if command.module else [command.program]
    program += ["--", *command.arguments]

    def words(target: str, address: str) -> list[str]:
        forced = ["--force"] if command.force else []
        own = [f"--address={address}", f"--target={target}", f"--seed={seed}"]
        return [sys.executable, "-m", "ms_common", "drift-side", *own, *forced, *program]

    about = {
        "npu": f"Ascend ({profile})",
        "bench": against if against == "CPU" else f"Ascend ({against})",
        "program": " ".join([command.program, *command.arguments]),
        "seed": int(seed),
    }
    with open(rows, "w", encoding="utf-8") as file:
        report = compare(
            lambda address: words(profile, address),
            lambda address: words(against, address),
            about,
            file,
            int(seed),
        )
    with open(page, "w", encoding="utf-8") as file:
        write_html(report, file)
    print(summary(report))
    print(f"  Report: {page} and {rows}")
    return int(any(ended["exit"] for ended in report.about["ended"].values()))


def _check(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ValueError(f"{option} must be one of {', '.join(known)}, but got '{value}'")


def side(command: Command) -> None:
    """Prepare this process to be one side of a comparison: seeds, target, and where its ops are sent."""
    from ms_dump.drift import side as begin
    from ms_generator import set_seed

    options = command.options
    seed = int(options["--seed"])
    random.seed(seed)
    set_seed(seed)
    target = options["--target"]
    begin(options["--address"], "CPU" if target == "CPU" else "Ascend", None if target == "CPU" else target)
    os.environ.pop("MINDSPORE_DUMP_CONFIG", None)
