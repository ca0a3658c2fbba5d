"""A graph as text, and as Graphviz dot."""

from __future__ import annotations

from typing import Any

from ms_jit.graph.ir import Graph, Node, Value

__all__ = ["dot", "kind", "text"]


class _Names:
    """Short names for values, in order of their appearance: %0 %1 ... for results, %a0 ... inputs, @0 ... captured."""

    def __init__(self, graph: Graph) -> None:
        self.names: dict[int, str] = {}
        for prefix, values in (("%a", graph.inputs), ("@", graph.captured)):
            for i, value in enumerate(values):
                self.names[id(value)] = f"{prefix}{i}"
        count = 0
        for node in graph.nodes:
            for value in node.outs:
                self.names[id(value)] = f"%{count}"
                count += 1

    def __call__(self, value: Value) -> str:
        return self.names.get(id(value), "%?")

    def argument(self, arg: Any) -> str:
        if isinstance(arg, Value):
            return self(arg)
        if type(arg) is list:
            return f"[{', '.join(self.argument(item) for item in arg)}]"
        return repr(arg)


def kind(value: Value) -> str:
    """Return dtype and dims of a value, as "Float32[2, ?]"."""
    dims = "*" if value.shape is None else ", ".join("?" if n < 0 else str(n) for n in value.shape)
    name = "?" if value.dtype is None else str(value.dtype).rpartition(".")[2] or str(value.dtype)
    return f"{name}[{dims}]"


def _call(names: _Names, node: Node) -> str:
    made = ", ".join(f"{names(out)}: {kind(out)}" for out in node.outs)
    called = f"{node.op.name}({', '.join(names.argument(arg) for arg in node.args)})"
    return f"{made} = {called}" if made else called


def text(graph: Graph, sources: bool = False) -> str:
    """Return the graph in lines, one a node; with `sources` each with the user's line that it comes from.

    Examples:
        >>> graph = Graph("f")
        >>> graph.outputs = graph.inputs = [Value((2, -1), None)]
        >>> print(text(graph))
        graph f(%a0: ?[2, ?]):
          return %a0
    """
    names = _Names(graph)
    inputs = ", ".join(f"{names(value)}: {kind(value)}" for value in graph.inputs)
    lines = [f"graph {graph.name}({inputs}):"]
    lines += [f"  {names(value)}: {kind(value)} = captured" for value in graph.captured]
    for node in graph.nodes:
        lines.append("  " + _call(names, node) + (f"  # {node.source}" if sources and node.source else ""))
    lines.append("  return " + ", ".join(names(value) for value in graph.outputs))
    return "\n".join(lines)


def dot(graph: Graph) -> str:
    """Return the graph in the language of Graphviz: boxes for nodes, ovals for what flows in and out."""
    names = _Names(graph)
    lines = [f'digraph "{_escaped(graph.name)}" {{', "  node [fontname=monospace];"]
    for shape, values in (("oval", graph.inputs), ("oval", graph.captured)):
        lines += [f'  "{names(v)}" [shape={shape}, label="{names(v)}\\n{kind(v)}"];' for v in values]
    places = {id(out): f"n{i}" for i, node in enumerate(graph.nodes) for out in node.outs}
    for i, node in enumerate(graph.nodes):
        kinds = "\\n".join(kind(out) for out in node.outs)
        lines.append(f'  n{i} [shape=box, label="{_escaped(node.op.name)}\\n{kinds}"];')
        lines += [f"  {places.get(id(v)) or chr(34) + names(v) + chr(34)} -> n{i};" for v in node.operands]
    for i, value in enumerate(graph.outputs):
        lines.append(f'  "out{i}" [shape=oval];')
        lines.append(f'  {places.get(id(value)) or chr(34) + names(value) + chr(34)} -> "out{i}";')
    return "\n".join([*lines, "}"])


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
