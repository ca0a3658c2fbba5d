"""Passes: pure functions from graph to graph."""

from __future__ import annotations

from ms_jit.graph.check import check
from ms_jit.graph.ir import Graph
from ms_jit.passes.common import share_common
from ms_jit.passes.dead import drop_dead
from ms_jit.passes.fold import fold_constants
from ms_jit.passes.simplify import simplify
from ms_jit.pause import without_collector

__all__ = ["PASSES", "drop_dead", "fold_constants", "optimize", "share_common", "simplify"]

PASSES = (drop_dead, fold_constants, simplify, share_common, drop_dead)


@without_collector()
def optimize(graph: Graph) -> Graph:
    """Return the graph after all passes, each of which is checked to give a valid one."""
    for run in PASSES:
        graph = check(run(graph))
    return graph
