"""Steps that hold graphs: a branch, a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ms_jit.graph.interpret import interpret
from ms_jit.graph.ir import Graph
from ms_jit.graph.steps import Step

__all__ = ["Cond", "While"]

Runner = Callable[[tuple[Any, ...]], Any]


class _Holding(Step):
    """A step over inner graphs, which are interpreted until `compile` gives something faster."""

    def __init__(self, *graphs: Graph) -> None:
        self.graphs = graphs
        self.runners: list[Runner] = [lambda args, graph=graph: interpret(graph, args) for graph in graphs]  # type: ignore[misc]

    def compile(self, prepare: Callable[[Graph], Graph], runner: Callable[[Graph], Runner]) -> None:
        """Pass the graphs through `prepare`, and run them by what `runner` makes of them."""
        self.graphs = tuple(prepare(graph) for graph in self.graphs)
        self.runners = [runner(graph) for graph in self.graphs]


class Cond(_Holding):
    """One of two graphs, chosen by the first argument; then come the first one's inputs, then the other's."""

    name = "cond"

    def __init__(self, then: Graph, other: Graph, count: int) -> None:
        super().__init__(then, other)
        self.count = count

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        flag, given = args[0], args[1:]
        if flag._a.item():
            return tuple(self.runners[0](given[: self.count]))
        return tuple(self.runners[1](given[self.count :]))


class While(_Holding):
    """The second graph again and again, while the first one gives true.

    The arguments are the loop's values, then what else the first uses, then what else the second uses.
    """

    name = "while"

    def __init__(self, test: Graph, body: Graph, values: int, count: int) -> None:
        super().__init__(test, body)
        self.values, self.count = values, count

    def __call__(self, *args: Any) -> tuple[Any, ...]:
        state = tuple(args[: self.values])
        asked, used = args[self.values :][: self.count], args[self.values + self.count :]
        ask, body = self.runners
        while ask((*state, *asked))[0]._a.item():
            state = tuple(body((*state, *used)))
        return state
