"""From a graph to a program that runs it."""

from __future__ import annotations

from dataclasses import dataclass

from ms_jit.execute.plan import Plan, plan
from ms_jit.graph.ir import Graph, Value, map_values
from ms_jit.passes.fuse import fuse
from ms_jit.pause import without_collector
from ms_kernels.core.program import Program, Ref, Step

__all__ = ["Built", "build", "program_of"]


@dataclass(frozen=True)
class Built:
    """A graph ready to run.

    Attributes:
        program: what runs.
        recorded: what runs where gradients are recorded: the single ops.
        plan: where its values live; `plan.peak` is the most memory that its results take at a time, in bytes.
        graph: what `program` does.
    """

    program: Program
    recorded: Program
    plan: Plan
    graph: Graph


@without_collector()
def build(graph: Graph, level: str = "O0") -> Built:
    """Make the program of a graph: op by op at "O0", with groups of elementwise ops fused at "O1".

    The results are the same, bit for bit.

    >>> build(Graph("f")).program.run(())
    ()
    """
    where = plan(graph)
    single = program_of(graph, where)
    if level != "O1":
        return Built(single, single, where, graph)
    fused = fuse(graph, _plain)
    if len(fused.nodes) == len(graph.nodes):
        return Built(single, single, where, graph)
    where = plan(fused)
    return Built(program_of(fused, where), single, where, fused)


def program_of(graph: Graph, where: Plan) -> Program:
    """The program that runs a graph's nodes in order, with its values in the places of a plan."""
    tensors = {id(value): value.tensor for value in graph.captured}

    def operand(value: Value) -> object:
        tensor = tensors.get(id(value))
        return Ref(where.place[id(value)]) if tensor is None else tensor

    steps = []
    for node, frees in zip(graph.nodes, where.frees):
        outs = tuple(where.place.get(id(out), -1) for out in node.outs)
        steps.append(Step(node.op, map_values(node.args, operand), outs, frees))
    outputs = tuple(where.place[id(value)] for value in graph.outputs)
    kept = tuple({where.place[id(v)]: v.tensor for v in graph.outputs if id(v) in tensors}.items())
    return Program(steps, where.registers, len(graph.inputs), outputs, kept)


def _plain(graph: Graph) -> Program:
    return program_of(graph, plan(graph))
