"""Joining elementwise nodes into blocks that run in one pass over memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ms_jit.graph.ir import Graph, Node, Value, map_values
from ms_jit.graph.steps import Draw
from ms_jit.passes.lower import Lowered, Number, lower, reduction
from ms_kernels.core.program import Fused, Program
from ms_kernels.loops.block import Block, limits

__all__ = ["fuse"]

LONGEST = 256  # nodes of one block: longer ones are not faster
INPUTS, _, SINKS, _ = limits()
Sink = tuple[str, int, bool]


class _Group:
    """Nodes that become one block, placed where the last of them is; `sinks` are reductions at its end."""

    __slots__ = ("double", "inputs", "made", "nodes", "numbers", "open", "shape", "sinks")

    def __init__(self, shape: Any) -> None:
        self.shape = shape
        self.nodes: list[tuple[int, Lowered]] = []
        self.sinks: list[tuple[int, Sink]] = []
        self.inputs: set[int] = set()
        self.numbers: set[tuple[str, Any]] = set()
        self.made: set[int] = set()
        self.double: bool | None = None
        self.open = True


def fuse(graph: Graph, plain: Callable[[Graph], Program]) -> Graph:
    """Return the graph with groups of elementwise nodes of one shape, and reductions of their results over the last
    dimensions, replaced by fused nodes.

    A group grows along its values, until another node needs one of them or a tensor is changed in place: so it can
    stand where its last node is.  The results stay the same, bit for bit.

    Args:
        graph: what to fuse.
        plain: makes the program that stands in for a block where it does not apply.
    """
    groups = _groups(graph)
    if not groups:
        return graph
    used = _uses(graph)
    at_end: dict[int, list[_Group]] = {}
    inside: set[int] = set()
    for group in groups:
        members = [at for at, _ in (*group.nodes, *group.sinks)]
        at_end.setdefault(max(members), []).append(group)
        inside.update(members)
    new: dict[int, Value] = {}

    def current(value: Value) -> Value:
        return new.get(id(value), value)

    nodes: list[Node] = []
    for at, node in enumerate(graph.nodes):
        if at not in inside:
            nodes.append(_moved(node, new, current))
            continue
        for group in at_end.get(at, ()):
            for part in _parts(graph, group, used, plain):
                moved = Node(part.op, tuple(current(value) for value in part.operands), part.source)
                for old in part.kept:
                    new[id(old)] = moved.out(old.shape, old.dtype)
                nodes.append(moved)
    return graph.copy(nodes=nodes, outputs=[current(value) for value in graph.outputs])


def _moved(node: Node, new: dict[int, Value], current: Callable[[Value], Value]) -> Node:
    if not any(id(value) in new for value in node.operands):
        return node
    moved = Node(node.op, map_values(node.args, current), node.source, node.effect, node.shares)
    for out in node.outs:
        new[id(out)] = moved.out(out.shape, out.dtype)
    return moved


def _groups(graph: Graph) -> list[_Group]:
    """The groups of at least two nodes, in one walk."""
    group_of: dict[int, _Group] = {}  # by the values that their nodes make
    sink_of: dict[int, _Group] = {}
    merged: dict[int, _Group] = {}
    found: list[_Group] = []

    def group_at(value: Value, among: dict[int, _Group] = group_of) -> _Group | None:
        group = among.get(id(value))
        while group is not None and id(group) in merged:
            group = merged[id(group)]
        return group

    current: list[_Group] = []  # those that may still grow
    for at, node in enumerate(graph.nodes):
        if node.effect and not isinstance(node.op, Draw):
            for group in current:
                group.open = False
            current = []
        lowered = lower(node)
        below = [group for group in map(group_at, node.operands) if group is not None]
        for value in node.operands if sink_of else ():
            if (source := group_at(value, sink_of)) is not None:
                source.open = False  # what needs its reduction cannot be part of it
        if lowered is None and below and (sink := reduction(node)) is not None and _takes(below[0], sink):
            below[0].sinks.append((at, sink))
            sink_of[id(node.outs[0])] = below[0]
            continue
        if lowered is None:
            for group in below:
                group.open = False
            continue
        out = node.outs[0]
        joined: _Group | None = None
        for group in below:
            if group is joined or not group.open:
                continue
            if _fits(group, joined, node, lowered, out):
                joined = group if joined is None else _merge(joined, group, merged)
            else:
                group.open = False
        if joined is None:
            joined = _Group(out.shape)
            found.append(joined)
            current.append(joined)
        _join(joined, at, node, lowered)
        group_of[id(out)] = joined
    return [group for group in found if id(group) not in merged and len(group.nodes) + len(group.sinks) > 1]


def _takes(group: _Group, sink: Sink) -> bool:
    """Whether a reduction of one of its values may end a group."""
    return group.open and len(group.sinks) < SINKS and all(other[1] == sink[1] for _, other in group.sinks)


def _fits(group: _Group, joined: _Group | None, node: Node, lowered: Lowered, out: Value) -> bool:
    """Whether a node may enter a group, and that be merged with the one that it entered already."""
    if group.shape != out.shape:
        return False
    double = group.double if group.double is not None else lowered.double
    if lowered.double is not None and lowered.double is not double:
        return False
    fresh = [value for value in node.operands if id(value) not in group.made]
    if joined is None:
        return len(group.nodes) < LONGEST and len(group.inputs) + len(fresh) <= INPUTS and len(group.numbers) < INPUTS
    return (
        len(group.nodes) + len(joined.nodes) < LONGEST
        and len(group.inputs) + len(joined.inputs) + len(fresh) <= INPUTS
        and len(group.numbers) + len(joined.numbers) < INPUTS
        and (joined.double is None or double is None or joined.double is double)
        and len(group.sinks) + len(joined.sinks) <= SINKS
        and len({sink[1] for _, sink in (*group.sinks, *joined.sinks)}) < 2
    )


def _merge(one: _Group, other: _Group, merged: dict[int, _Group]) -> _Group:
    large, small = (one, other) if len(one.nodes) >= len(other.nodes) else (other, one)
    merged[id(small)] = large
    large.nodes += small.nodes
    large.inputs |= small.inputs
    large.numbers |= small.numbers
    large.made |= small.made
    large.sinks += small.sinks
    large.double = small.double if large.double is None else large.double
    return large


def _join(group: _Group, at: int, node: Node, lowered: Lowered) -> None:
    group.nodes.append((at, lowered))
    group.inputs.update(id(value) for value in node.operands if id(value) not in group.made)
    group.numbers.update(
        _key(item) for _, operands, _ in lowered.steps for item in operands if isinstance(item, Number)
    )
    group.made.add(id(node.outs[0]))
    group.double = lowered.double if group.double is None else group.double


def _uses(graph: Graph) -> dict[int, int]:
    """How often each value is used; outputs of the graph count."""
    used: dict[int, int] = {}
    for node in graph.nodes:
        for value in node.operands:
            used[id(value)] = used.get(id(value), 0) + 1
    for value in graph.outputs:
        used[id(value)] = used.get(id(value), 0) + 1
    return used


class _Part:
    """One block of a group: usually all of it."""

    def __init__(self, op: Any, operands: list[Value], kept: list[Value], source: str) -> None:
        self.op, self.operands, self.kept, self.source = op, operands, kept, source


def _parts(graph: Graph, group: _Group, used: dict[int, int], plain: Callable[[Graph], Program]) -> list[_Part]:
    """The blocks of a group; one that has too many values at a time is halved."""
    nodes = sorted(group.nodes, key=lambda item: item[0])
    waiting, parts = [nodes], []
    while waiting:
        some = waiting.pop()
        made = {id(graph.nodes[at].outs[0]) for at, _ in some}
        sinks = sorted((at, sink) for at, sink in group.sinks if id(graph.nodes[at].args[0]) in made)
        try:
            parts.append(_part(graph, some, sinks, used, plain))
        except OverflowError:
            if len(some) == 1:
                raise
            waiting += [some[len(some) // 2 :], some[: len(some) // 2]]
    return parts


def _part(
    graph: Graph, nodes: list[tuple[int, Lowered]], sinks: list[tuple[int, Sink]], used: dict[int, int], plain: Any
) -> _Part:
    members = [graph.nodes[at] for at, _ in nodes]
    ends = [graph.nodes[at] for at, _ in sinks]
    inner: dict[int, int] = {}
    for node in (*members, *ends):
        for value in node.operands:
            inner[id(value)] = inner.get(id(value), 0) + 1
    made = {id(node.outs[0]) for node in members}
    inputs = {id(value): value for node in members for value in node.operands if id(value) not in made}
    kept = [out for out in (node.outs[0] for node in members) if used.get(id(out), 1) > inner.get(id(out), 0)]
    own = Graph(graph.name)
    own.nodes, own.inputs = members + ends, list(inputs.values())
    own.outputs = kept + [node.outs[0] for node in ends]
    reduced = [(node.args[0], sink) for node, (_, sink) in zip(ends, sinks)]
    block = _block([low for _, low in nodes], members, own.inputs, kept, reduced)
    return _Part(Fused(block, partial(plain, own)), own.inputs, own.outputs, members[-1].source)


def _block(
    lowered: list[Lowered],
    members: list[Node],
    inputs: list[Value],
    kept: list[Value],
    reduced: list[tuple[Value, Sink]],
) -> Block:
    number = {id(value): i for i, value in enumerate(inputs)}
    constants: dict[tuple[str, Any], tuple[float, Any]] = {}
    for low in lowered:
        for _, operands, _ in low.steps:
            for item in operands:
                if isinstance(item, Number):
                    constants.setdefault(_key(item), (item.value, item.dtype.np))
    place = {key: len(inputs) + i for i, key in enumerate(constants)}
    steps: list[tuple[str, tuple[int, ...], Any]] = []
    first = len(inputs) + len(constants)
    for low, node in zip(lowered, members):
        base = first + len(steps)
        for loop, operands, dtype in low.steps:
            places = tuple(
                number[id(item)]
                if isinstance(item, Value)
                else place[_key(item)]
                if isinstance(item, Number)
                else base + item
                for item in operands
            )
            steps.append((loop, places, dtype.np))
        number[id(node.outs[0])] = first + len(steps) - 1
    return Block(
        tuple(value.dtype.np for value in inputs),
        tuple(constants.values()),
        tuple(steps),
        tuple(number[id(value)] for value in kept),
        tuple((number[id(value)], *sink) for value, sink in reduced),
    )


def _key(item: Number) -> tuple[str, Any]:
    return float(item.value).hex(), item.dtype
