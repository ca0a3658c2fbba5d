"""Which register holds which value, when it is free again, and how much memory is in use at most."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ms_jit.graph.ir import Graph, Value

__all__ = ["Plan", "plan"]

ALIGN = 64  # the blocks of the cache of freed memory are multiples of it


@dataclass
class Plan:
    """Where values live.

    Attributes:
        registers: how many registers there are; the inputs have the first ones.
        place: the register of each value, by its id; values that nobody uses have none.
        frees: for each node, the registers to clear after it.
        peak: bytes of results that exist at the same time at most, inputs and captured tensors left out; values with
            unknown dims count with 1 in place of those.
        total: bytes of all results together: what it would take if nothing were freed.
    """

    registers: int
    place: dict[int, int]
    frees: list[tuple[int, ...]] = field(default_factory=list)
    peak: int = 0
    total: int = 0


def plan(graph: Graph) -> Plan:
    """Give each value of a graph a register from the node that makes it to the last one that uses it.

    A result takes the register of an operand that ends at its node, if there is one.

    >>> plan(Graph("f")).registers
    0
    """
    last: dict[int, int] = {}
    for at, node in enumerate(graph.nodes):
        for value in node.operands:
            last[id(value)] = at
    for value in graph.outputs:
        last[id(value)] = len(graph.nodes)
    made = Plan(len(graph.inputs), {id(value): i for i, value in enumerate(graph.inputs)})
    captured = {id(value) for value in graph.captured}
    free: list[int] = []
    ends: list[list[Value]] = [[] for _ in range(len(graph.nodes) + 1)]
    for value in graph.inputs:
        if id(value) in last:
            ends[last[id(value)]].append(value)
    memory = _Memory(graph)
    for at, node in enumerate(graph.nodes):
        released = [made.place[id(value)] for value in ends[at]]
        for out in node.outs:
            if id(out) not in last:
                continue
            ends[last[id(out)]].append(out)
            if released:
                made.place[id(out)] = released.pop()
            elif free:
                made.place[id(out)] = free.pop()
            else:
                made.place[id(out)] = made.registers
                made.registers += 1
        made.frees.append(tuple(released))
        free += released
        memory.step(node.outs, ends[at])
    for value in graph.outputs:
        if id(value) in captured and id(value) not in made.place:
            made.place[id(value)] = made.registers
            made.registers += 1
    made.peak, made.total = memory.peak, memory.total
    return made


class _Memory:
    """Counts bytes while a graph is walked; what shares memory counts once, until the last that shares it ends."""

    def __init__(self, graph: Graph) -> None:
        self.now = self.peak = self.total = 0
        self.root: dict[int, int] = {}
        self.users: dict[int, int] = {}
        self.bytes: dict[int, int] = {}
        for node in graph.nodes:
            for out in node.outs:
                base = next((self.root.get(id(v), id(v)) for v in node.operands), id(out)) if node.shares else id(out)
                self.root[id(out)] = base

    def step(self, outs: list[Value], ended: list[Value]) -> None:
        for out in outs:
            base = self.root[id(out)]
            if base == id(out):
                size = nbytes(out)
                self.bytes[base] = size
                self.now += size
                self.total += size
            self.users[base] = self.users.get(base, 0) + 1
        self.peak = max(self.peak, self.now)
        for value in ended:
            base = self.root.get(id(value), id(value))
            self.users[base] = self.users.get(base, 1) - 1
            if self.users[base] == 0:
                self.now -= self.bytes.pop(base, 0)


def nbytes(value: Value) -> int:
    """The bytes of a value's block; unknown dims count as 1, an unknown dtype or rank as nothing."""
    if value.shape is None or value.dtype is None:
        return 0
    size: int = math.prod(max(n, 1) if n < 0 else n for n in value.shape) * value.dtype.itemsize
    return -(-size // ALIGN) * ALIGN
