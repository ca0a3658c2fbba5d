"""recompute: a cell that keeps no activations, and runs again when its gradient is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ms_kernels.core.dispatch import is_recording, scope
from ms_kernels.core.tensor import Node, TensorBase, next_sequence
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.random.stream import default_stream
from ms_kernels.tape.backward import backward
from ms_kernels.tape.batched import detached, kept
from ms_kernels.tape.grad import _flat, _map

__all__ = ["recompute"]


class _Replay:
    """The op of a node that stands for a whole cell: its gradient rule runs the cell again."""

    materializes = True

    def __init__(self, block: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.block = block
        self.metas: tuple[Any, ...] = ()
        self.args, self.kwargs = _map((args, kwargs), _kept)
        self.changes = [x._changes for x in _flat((args, kwargs))]
        self.watched = _flat((args, kwargs))
        self.random = default_stream().peek()

    def backward(self, node: Node, given: Any) -> list[Any]:
        """Run the cell with the random numbers of the first time, and walk back over what it recorded."""
        if [x._changes for x in self.watched] != self.changes:
            rule = "not be changed in place before its gradient is computed"
            fail(RuntimeError, "recompute", "inputs of the block", rule, "a changed one")
        stream = default_stream()
        now = stream.peek()
        since = next_sequence()
        stream.set(*self.random)
        try:
            with scope(recording=True):
                value = self.block(*self.args, **self.kwargs)
        finally:
            stream.set(*now)
        outputs = [out for out in _flat(value) if _made_since(out, since)]
        if _metas(outputs) != self.metas:
            fail(RuntimeError, "recompute", "block", "give the same results when it runs again", describe(value))
        seeds = [given] if node.out_metas is None else list(given)
        with scope(recording=is_recording()):
            return backward(outputs, seeds, [place for place in node.parents if place is not None], since, node.indices)


def _kept(x: TensorBase) -> Any:
    """A tensor as it is on the tape now: its own place may change later. Parameters keep theirs."""
    if x._tape is None or x._tape.op is None:
        return x
    return kept(x)


def _made_since(out: TensorBase, since: int) -> bool:
    return out._tape is not None and out._tape.sequence >= since


def _metas(outputs: list[TensorBase]) -> tuple[Any, ...]:
    return tuple((out.shape, out._kind) for out in outputs)


def _outside(outputs: list[TensorBase], since: int) -> Iterator[tuple[Node, int]]:
    """The places on the tape, older than the call, that its outputs depend on."""
    seen: set[Node] = set()
    found: set[tuple[Node, int]] = set()
    todo = [out._tape for out in outputs if out._tape is not None]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        for at, parent in enumerate(node.parents):
            if parent is None:
                continue
            place = (parent, 0 if node.indices is None else node.indices[at])
            if parent.sequence >= since:
                todo.append(parent)
            elif place not in found:
                found.add(place)
                yield place


def recompute(block: Any, *args: Any, **kwargs: Any) -> Any:
    """Call block so that nothing inside is kept for the gradient; it is run again there (``mindspore.recompute``).

    The second run draws the random numbers of the first (those of the default stream, whose state is put back). Time is
    traded for memory: of the activations, only the block's inputs and outputs live on. Everything that the block uses
    gets its gradient: inputs, its parameters, tensors of the surroundings.

    Args:
        block: a Cell.
        args, kwargs: what to call it with.

    Raises:
        TypeError: `block` is no Cell.
        RuntimeError: at the gradient: an input was changed in place since, or the block gives other results.

    Examples:
        >>> from ms_kernels import Tensor, grad
        >>> class Cube:
        ...     def construct(self, x):
        ...         return x * x * x
        ...
        ...     __call__ = construct
        >>> print(grad(lambda x: recompute(Cube(), x))(Tensor(2.0)))
        12.0
    """
    if not callable(block) or not hasattr(block, "construct"):
        fail(TypeError, "recompute", "'block'", "be a Cell", describe(block))
    if not is_recording():
        return block(*args, **kwargs)
    replay = _Replay(block, args, kwargs)
    since = next_sequence()
    value = block(*args, **kwargs)
    outputs = [out for out in _flat(value) if _made_since(out, since)]
    places = list(_outside(outputs, since))
    if not places:
        return value
    replay.metas = metas = _metas(outputs)
    parents, indices = tuple(node for node, _ in places), tuple(index for _, index in places)
    node = Node(replay, (), parents, indices, None, None, None if len(metas) == 1 else metas)
    numbers = iter(range(len(outputs)))

    def attached(out: TensorBase) -> Any:
        if not _made_since(out, since):
            return out
        new = detached(out)  # the old tensor would keep the activations
        new._set_tape(node, next(numbers))
        owner = out._view_of
        if owner is not None and not _made_since(owner, since):
            new._set_owner(owner)
        return new

    return _map(value, attached)
