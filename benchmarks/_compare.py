"""Times of two or more ways to do the same thing, in interleaved rounds, printed as ratios."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

__all__ = ["compare", "heading", "interleaved"]

Runs = dict[str, Callable[[], object]]


def interleaved(runs: Runs, rounds: int, calls: int) -> dict[str, float]:
    """Return seconds per call of each run: the median over rounds in which all take their turn."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(rounds + 2):
        for name, run in runs.items():
            start = time.perf_counter()
            for _ in range(calls):
                run()
            if round_ >= 2:  # the first two warm up
                found[name].append((time.perf_counter() - start) / calls)
    return {name: float(np.median(times)) for name, times in found.items()}


def heading(title: str, names: list[str], unit: str) -> None:
    """Print the table's first line."""
    print(
        f"\n{title}\n{'':34s}"
        + "".join(f"{name + ', ' + unit:>16s}" for name in names)
        + f"{'ours / peer':>14s}{'goal':>8s}"
    )


def compare(label: str, runs: Runs, goal: float | None, rounds: int, calls: int, scale: float) -> float:
    """Print one row: each run's time in units of 1 / `scale` seconds, and the ratio of the first to the second."""
    times = interleaved(runs, rounds, calls)
    first, second = list(times.values())[:2]
    ratio = first / second
    wanted = "" if goal is None else f"{goal:8.2f}{'' if ratio <= goal else '  missed'}"
    print(f"{label:34s}" + "".join(f"{t * scale:16.2f}" for t in times.values()) + f"{ratio:14.2f}{wanted}")
    return ratio
