"""The backward walk: from results back to the nodes whose gradients are wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import TENSORS, Op, is_plain, ops_by_name
from ms_kernels.core.tensor import Node, TensorBase, from_array, untouched
from ms_kernels.tape.batched import again

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
    own: set[tuple[Node, int]] | None = set() if is_plain() else None
    for out, seed in zip(outputs, seeds):
        node = out._tape
        if node is not None and (node in order or node in wanted):
            _accumulate(grads, (node, out._tape_index), seed)
    for node in sorted(order, key=_sequence, reverse=True):
        if node in wanted:
            continue
        given = _collect(grads, node)
        if given is None or (own is not None and _add_part(grads, own, node, given)):
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


def _add_part(grads: Grads, own: set[tuple[Node, int]], node: Node, grad: Any) -> bool:
    """Add the gradient of a slice in place to that of the whole; False where the node is none of a slice.

    So a loop over slices takes the time of one pass, and not of one for each. `own` are the sums that nobody else sees.
    """
    if (
        not isinstance(node.op, Op)
        or node.op.name != "take_key"
        or any(isinstance(k, np.ndarray) for k in node.args[1])
    ):
        return False
    parent, key = node.parents[0], node.args[1]
    if parent is None or (node.metas is not None and grad._kind != node.metas[0][1]):
        return False
    place = (parent, 0 if node.indices is None else node.indices[0])
    old = grads.get(place)
    if old is None:
        shape = node.metas[0][0] if node.metas is not None else grad.shape
        grads[place] = ops_by_name["put_key"](grad, key, shape)
    else:
        if place not in own:
            grads[place] = old = from_array(np.array(old._a))
        old._a[key] += grad._a
    own.add(place)
    return True


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
    args = node.args if untouched(node, op.kinds) else _as_they_were(op, node)
    saved: Any = None
    if node.saved_out is not None:
        outs = tuple(again(saved, node, i) for i, saved in enumerate(node.saved_out))
        saved = outs if node.out_metas is not None else outs[0]
    assert op.vjp is not None  # else nothing would have been recorded
    found = op.vjp(given, saved, *args)
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


def _as_they_were(op: Op, node: Node) -> Sequence[Any]:
    """The arguments for an op's rule: operands that have changed in place since are those of the time of the call.

    Versions are only kept in a node when one was not 0.
    """
    args: Sequence[Any] = node.args
    at = 0
    for place, (arg, kind) in enumerate(zip(node.args, op.kinds)):
        if not kind:
            continue
        several = isinstance(arg, (list, tuple))
        items = list(arg) if several else [arg]
        changed = False
        for i, item in enumerate(items):
            parent = node.parents[at]
            version = node.versions[at] if node.versions else 0
            if parent is not None and isinstance(parent.op, Op) and parent.op.is_view:
                _check_view(op, parent, version)
            if isinstance(item, TensorBase) and item._changes != version:
                items[i] = item._at(version, parent, node.indices[at] if node.indices else 0)
                changed = True
                if items[i] is None:
                    raise RuntimeError(
                        f"For '{op.label}', the tensor needed for its gradient must not be changed in place after its "
                        f"use, but a tensor of shape {list(item.shape)} was."
                    )
            at += 1
        if changed:
            args = [*args[:place], items if several else items[0], *args[place + 1 :]]
        if arg is None and kind == TENSORS:
            break  # a list operand that the rule does not use: how many there were is not known here
    return args


def _check_view(op: Op, view: Node, version: int) -> None:
    """A view may not be used once the memory that it shows has changed: its place on the tape knows nothing of that."""
    if version > (view.versions[0] if view.versions else 0):
        raise RuntimeError(
            f"For '{op.label}', the operand must not be a view of a tensor that was changed in place since it was "
            f"made, but it is one made by '{view.op.label}': make the view again after the change."
        )


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
