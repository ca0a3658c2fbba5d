"""The backward walk: from results back to the nodes whose gradients are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import TENSORS, Op, ops_by_name
from ms_kernels.core.tensor import Node, TensorBase, from_array, from_saved

__all__ = ["backward"]

Grads = dict[tuple[Node, int], Any]


def backward(
    outputs: Sequence[TensorBase],
    seeds: Sequence[TensorBase],
    targets: Sequence[Node],
    since: int,
    indices: Sequence[int] | None = None,
) -> list[Any]:
    """Return the gradient of each target node (None where the outputs do not depend on it).

    Args:
        outputs: tensors with a place on the tape.
        seeds: the gradient of each output.
        targets: nodes at which the walk stops.
        since: nodes numbered below this belong to an outer function; they count as constants.
        indices: which output of each target is meant. The gradients then go on to an outer walk, so that the targets'
            own hooks do not run; without, it is the first output, with its hooks.

    Raises:
        RuntimeError: a tensor that a gradient rule needs was changed in place after its use.
    """
    wanted = set(targets)
    order = _needed(outputs, wanted, since)
    grads: Grads = {}
    for out, seed in zip(outputs, seeds):
        node = out._tape
        if node is not None and (node in order or node in wanted):
            _accumulate(grads, (node, out._tape_index), seed)
    for node in sorted(order, key=_sequence, reverse=True):
        if node in wanted:
            continue
        given = _collect(grads, node)
        if given is None:
            continue
        for parent, index, grad in _walk(node, given, order, wanted):
            _accumulate(grads, (parent, index), grad)
    if indices is not None:
        return [grads.get((node, index)) for node, index in zip(targets, indices)]
    done = {node: _hooked(node, 0, grads.pop((node, 0), None)) for node in wanted}
    return [done[node] for node in targets]


def _sequence(node: Node) -> int:
    return node.sequence


def _needed(outputs: Sequence[TensorBase], wanted: set[Node], since: int) -> set[Node]:
    """The nodes between the outputs and the targets: reachable from the former and depending on the latter."""
    seen: set[Node] = set()
    todo = [out._tape for out in outputs if out._tape is not None]
    while todo:
        node = todo.pop()
        if node in seen or (node.sequence < since and node not in wanted):
            continue
        seen.add(node)
        if node not in wanted:
            todo.extend(parent for parent in node.parents if parent is not None)
    useful: set[Node] = set()
    for node in sorted(seen, key=_sequence):
        if node in wanted or any(parent in useful for parent in node.parents if parent is not None):
            useful.add(node)
    return useful


def _accumulate(grads: Grads, key: tuple[Node, int], grad: Any) -> None:
    old = grads.get(key)
    grads[key] = grad if old is None else ops_by_name["add"](old, grad)


def _collect(grads: Grads, node: Node) -> Any:
    """What the rule of a node gets: its output's gradient, or a tuple of them with zeros for unused outputs."""
    if node.out_metas is None:
        return _hooked(node, 0, grads.pop((node, 0), None))
    found = [_hooked(node, i, grads.pop((node, i), None)) for i in range(len(node.out_metas))]
    if all(item is None for item in found):
        return None
    if not getattr(node.op, "materializes", True):
        return tuple(found)
    return tuple(from_array(np.zeros(*meta)) if item is None else item for item, meta in zip(found, node.out_metas))


def _hooked(node: Node, index: int, grad: Any) -> Any:
    if grad is None or node.hooks is None or index not in node.hooks:
        return grad
    return node.hooks[index](grad)


def _walk(node: Node, given: Any, order: set[Node], wanted: set[Node]) -> list[tuple[Node, int, Any]]:
    """Apply a node's gradient rule; return (parent, its output number, gradient) for the parents that need one."""
    if not isinstance(node.op, Op):
        entries = node.op.backward(node, given)
    else:
        entries = _entries(node.op, node, given)
    out = []
    for i, parent in enumerate(node.parents):
        if parent is None or not (parent in order or parent in wanted):
            continue
        grad = entries[i]
        if callable(grad) and not isinstance(grad, TensorBase):
            grad = grad()
        if grad is None:
            continue
        index = 0 if node.indices is None else node.indices[i]
        out.append((parent, index, _fit(grad, node.metas[i] if node.metas else None)))
    return out


def _entries(op: Op, node: Node, given: Any) -> list[Any]:
    """Call an op's own rule; return one entry per operand (lists of operands laid flat)."""
    _check_versions(op, node)
    saved: Any = None
    if node.saved_out is not None:
        outs = tuple(from_saved(array, node, i) for i, array in enumerate(node.saved_out))
        saved = outs if node.out_metas is not None else outs[0]
    assert op.vjp is not None  # else nothing would have been recorded
    found = op.vjp(given, saved, *node.args)
    if not isinstance(found, tuple):
        found = (found,)
    flat: list[Any] = []
    for item in found:
        flat.extend(item) if isinstance(item, list) else flat.append(item)
    if len(flat) != len(node.parents):
        raise RuntimeError(
            f"the gradient rule of '{op.name}' gave {len(flat)} entries for {len(node.parents)} operands"
        )
    return flat


def _check_versions(op: Op, node: Node) -> None:
    """No operand that the rule uses may have changed since the call (versions are only kept when one was not 0)."""
    at = 0
    for arg, kind in zip(node.args, op.kinds):
        if not kind:
            continue
        items = arg if isinstance(arg, (list, tuple)) else (arg,)
        for item in items:
            if isinstance(item, TensorBase) and item._changes != (node.versions[at] if node.versions else 0):
                raise RuntimeError(
                    f"For '{op.label}', the tensor needed for its gradient must not be changed in place after its use, "
                    f"but a tensor of shape {list(item.shape)} was."
                )
            at += 1
        if arg is None and kind == TENSORS:
            break  # a list operand that the rule does not use: how many there were is not known here


def _fit(grad: Any, meta: Any) -> Any:
    """Sum a gradient over the dimensions that were broadcast, and give it the operand's dtype."""
    if meta is None:
        return grad
    shape, dtype = meta
    if grad.shape != shape:
        grad = ops_by_name["sum_to"](grad, shape)
    if grad._kind != dtype:
        grad = ops_by_name["cast_np"](grad, dtype)
    return grad
