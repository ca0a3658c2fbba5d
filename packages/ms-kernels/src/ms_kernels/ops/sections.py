"""Parts of a tensor along one dimension."""

from __future__ import annotations

from typing import Any

from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.getitem import take_key
from ms_kernels.ops.shape import dims_of

__all__ = ["chunk", "narrow", "split", "unbind"]


def _narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    at = rules.axis("narrow", dim, input.ndim)
    first = int(start)
    size = input.shape[at]
    first += size if first < 0 else 0
    if not 0 <= first <= size or not 0 <= length <= size - first:
        fail(
            ValueError, "narrow", "'start' and 'length'", f"lie in a dimension of size {size}", f"{start} and {length}"
        )
    return take_key(input, (*((slice(None),) * at), slice(first, first + length)))


@composite(
    ops="narrow(input, axis, start, length)",
    mint="narrow(input, dim, start, length)",
    tensor=["narrow(axis, start, length)", "narrow(dim, start, length)"],
)
def narrow(input: Array, dim: int, start: Any, length: int) -> Any:
    """Return `length` slices along a dimension, from `start` on. A view.

    Examples:
        >>> print(ops.narrow(Tensor([1, 2, 3, 4]), 0, 1, 2))
        [2 3]

    Source: ``mindspore.ops.narrow``.
    """
    return _narrow(input, dim, start, length)


def _sections(name: str, size: int, sections: Any) -> list[int]:
    """The sizes of the parts of a split."""
    if isinstance(sections, int) and not isinstance(sections, bool):
        if sections <= 0:
            fail(ValueError, name, "'split_size_or_sections'", "be positive", str(sections))
        return [min(sections, size - at) for at in range(0, size, sections)] or [0]
    found = list(dims_of(name, sections, "split_size_or_sections"))
    if sum(found) != size or min(found, default=0) < 0:
        fail(ValueError, name, "'split_size_or_sections'", f"sum up to {size}", str(found))
    return found


@composite(
    ops="split(tensor, split_size_or_sections, axis=0)",
    mint="split(tensor, split_size_or_sections, dim=0)",
    tensor=["split(split_size_or_sections, axis=0)", "split(split_size, dim=0)"],
    rename={"split_size": "split_size_or_sections"},
)
def split(input: Array, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Return the tensor cut along a dimension, in parts of one size (the last may be smaller) or of those given. Views.

    Raises:
        ValueError: the parts do not sum up.

    Examples:
        >>> [part.shape for part in ops.split(Tensor(np.zeros(5)), 2)]
        [(2,), (2,), (1,)]

    Source: ``mindspore.ops.split``.
    """
    at = rules.axis("split", dim, input.ndim)
    out, start = [], 0
    for size in _sections("split", input.shape[at], split_size_or_sections):
        out.append(_narrow(input, at, start, size))
        start += size
    return tuple(out)


@composite(
    ops="chunk(input, chunks, axis=0)",
    mint="chunk(input, chunks, dim=0)",
    tensor=["chunk(chunks, axis=0)", "chunk(chunks, dim=0)"],
)
def chunk(input: Array, chunks: int, dim: int = 0) -> Any:
    """Return the tensor cut along a dimension into at most `chunks` parts of one size (the last may be smaller). Views.

    Examples:
        >>> [part.shape for part in ops.chunk(Tensor(np.zeros(5)), 2)]
        [(3,), (2,)]

    Source: ``mindspore.ops.chunk``.
    """
    if isinstance(chunks, bool) or not isinstance(chunks, int) or chunks <= 0:
        fail(ValueError, "chunk", "'chunks'", "be a positive int", describe(chunks))
    size = input.shape[rules.axis("chunk", dim, input.ndim)]
    return split(input, max(1, -(-size // chunks)), dim)


@composite(
    ops=["unbind(input, dim=0)", "unstack(input_x, axis=0)"],
    mint="unbind(input, dim=0)",
    tensor="unbind(dim=0)",
    primitive="Unstack(axis=0)(x)",
)
def unbind(input: Array, dim: int = 0) -> Any:
    """Return the slices along a dimension as a tuple. Views.

    Examples:
        >>> print(ops.unbind(Tensor([[1, 2], [3, 4]]))[1])
        [3 4]

    Source: ``mindspore.ops.unbind``.
    """
    at = rules.axis("unbind", dim, input.ndim)
    head = (slice(None),) * at
    return tuple(take_key(input, (*head, i)) for i in range(input.shape[at]))
