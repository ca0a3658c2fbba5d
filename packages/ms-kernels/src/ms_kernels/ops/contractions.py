"""Sums of products over chosen dimensions: Einstein's convention, tensor and Kronecker products, cross products."""

from __future__ import annotations

import math
import string
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import PROMOTE
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops._tape import broadcast_np, sum_to
from ms_kernels.ops.diagonals import diagonal
from ms_kernels.ops.linalg import matrix_product
from ms_kernels.ops.rearrange import roll
from ms_kernels.ops.reduce import sum_
from ms_kernels.ops.shape import moveaxis, permute, reshape
from ms_kernels.ops.signs import tensor_only

__all__ = ["batch_dot", "cross", "einsum", "inner", "kron", "tensor_dot", "vecdot"]

Shape = tuple[int, ...]


def _sizes(shapes: list[Shape], labels: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    for shape, names in zip(shapes, labels):
        for size, name in zip(shape, names):
            if found.get(name, 1) not in (1, size) and size != 1:
                got = f"{found[name]} and {size}"
                fail(ValueError, "Einsum", f"sizes of the dimensions labelled '{name}'", "be equal", got)
            found[name] = max(size, found.get(name, size)) if size and found.get(name, 1) else 0
    return found


def _einsum_vjp(g: Any, _out: Any, tensors: Any, labels: Any, output: str) -> Any:
    sizes = _sizes([t.shape for t in tensors], labels)
    grads = []
    for i, tensor in enumerate(tensors):
        rest = [t for j, t in enumerate(tensors) if j != i]
        names = tuple(n for j, n in enumerate(labels) if j != i)
        there = "".join(c for c in labels[i] if c in output or any(c in n for n in names))
        grad = einsum_parts([g, *rest], (output, *names), there)
        full = tuple(sizes[c] for c in labels[i])
        if grad.shape != full:  # a label that only this operand has in full: the same gradient at every place
            found = dict(zip(there, grad.shape))
            grad = broadcast_np(reshape(grad, tuple(found.get(c, 1) for c in labels[i])), full)
        grads.append(sum_to(grad, tensor.shape) if grad.shape != tensor.shape else grad)
    return (grads,)


def _einsum_shape(shapes: list[Shape], labels: tuple[str, ...], output: str) -> Shape:
    sizes = _sizes(shapes, labels)
    return tuple(sizes[c] for c in output)


@op(
    shape=_einsum_shape,
    dtype=rules.promote,
    promote=PROMOTE,
    vjp=_einsum_vjp,
    ascend="cube",
    batch="einsum",
    primitive="EinsumParts()(tensors, labels, output)",
    label="Einsum",
)
def einsum_parts(tensors: list[Array], labels: Any, output: str) -> Any:
    """Return the sum of the products of tensors over all labels that the output does not have.

    Examples:
        >>> print(ops.EinsumParts()([Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])], ("ab", "b"), "a"))
        [11.]

    Source: A. Einstein's summation convention, with letters for dimensions; every letter once per operand.
    """
    kind = tensors[0].dtype
    small = kind.kind not in "iubc" and kind.itemsize == 2
    operands = [t.astype(np.float32) for t in tensors] if small else tensors
    equation = ",".join(labels) + "->" + output
    out = np.einsum(equation, *operands, optimize=len(operands) > 1)
    return np.array(out, dtype=kind)


def _spelled(equation: str, tensors: list[Any]) -> tuple[list[str], str]:
    """The labels of each operand and of the output with every dimension named: what "..." stands for gets letters."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        fail(ValueError, "Einsum", "number of operands", f"be {len(terms)} as in the equation", str(len(tensors)))
    if not set(text.replace("...", "").replace("->", "").replace(",", "")) <= set(string.ascii_letters):
        fail(ValueError, "Einsum", "'equation'", "consist of letters, ',', '...' and '->'", repr(equation))
    free = [c for c in string.ascii_letters if c not in text]
    hidden = 0
    for term, tensor in zip(terms, tensors):
        named = len(term.replace("...", ""))
        gap = tensor.ndim - named
        if gap < 0 or (gap and "..." not in term):
            fail(ValueError, "Einsum", f"labels '{term}'", f"name {tensor.ndim} dimensions", str(named))
        hidden = max(hidden, gap if "..." in term else 0)
    dots = "".join(free[:hidden])
    spelled = []
    for term, tensor in zip(terms, tensors):
        gap = tensor.ndim - len(term.replace("...", ""))
        spelled.append(term.replace("...", dots[len(dots) - gap :]))
    if arrow:
        output = right.replace("...", dots)
    else:  # in the order of the alphabet, what occurs once
        whole = "".join(spelled)
        output = dots + "".join(sorted(c for c in set(whole) - set(dots) if whole.count(c) == 1))
    for c in output:
        if not any(c in term for term in spelled):
            fail(ValueError, "Einsum", "labels right of the arrow", "appear on the left", repr(c))
    if len(set(output)) != len(output):
        fail(ValueError, "Einsum", "labels right of the arrow", "appear once", repr(output))
    return spelled, output


@composite(
    ops=["einsum(equation, *operands: any)", "einsum_ext(equation, *operands: any)"],
    mint="einsum(equation, *operands: any)",
    primitive="Einsum(equation)(x)",
    rename={"operands": "tensors", "x": "tensors"},
)
def einsum(equation: str, tensors: list[Array]) -> Any:
    """Return the sum of products that an equation names, after Einstein's convention.

    Args:
        equation: a letter for each dimension of each operand ("..." for any number of leading ones), with "," between
            operands, and after "->" those of the result; without "->" the letters that occur once, sorted.

    Raises:
        TypeError: the equation is no string, an operand no Tensor.
        ValueError: labels that do not fit the operands.

    Examples:
        >>> print(ops.einsum("ij,jk->ik", Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
        [[11.]]

    Source: ``mindspore.ops.einsum``, ``mindspore.mint.einsum``.
    """
    if not isinstance(equation, str):
        fail(TypeError, "einsum", "'equation'", "be a str", describe(equation))
    given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
    if not given:
        fail(ValueError, "einsum", "'operands'", "hold at least one Tensor", "none")
    for item in given:
        tensor_only("einsum", "operands", item)
    spelled, output = _spelled(equation, given)
    for i, term in enumerate(spelled):
        for c in dict.fromkeys(term):
            while term.count(c) > 1:
                first = term.index(c)
                second = term.index(c, first + 1)
                if given[i].shape[first] != given[i].shape[second]:
                    fail(ValueError, "Einsum", f"dimensions labelled '{c}'", "be equal", str(list(given[i].shape)))
                given[i] = diagonal(given[i], 0, first, second)
                term = term[:first] + term[first + 1 : second] + term[second + 1 :] + c
        spelled[i] = term
    return einsum_parts(given, tuple(spelled), output)


@composite(ops="kron(input, other)")
def kron(input: Array, other: Array) -> Any:
    """Return the Kronecker product: each element of `input` times the whole of `other`.

    Raises:
        TypeError: an operand is no Tensor.

    Examples:
        >>> print(ops.kron(Tensor([1.0, 2.0]), Tensor([1.0, 10.0])))
        [ 1. 10.  2. 20.]

    Source: ``mindspore.ops.kron``.
    """
    tensor_only("kron", "input", input)
    tensor_only("kron", "other", other)
    n = max(input.ndim, other.ndim)
    left, right = ((1,) * (n - t.ndim) + tuple(t.shape) for t in (input, other))
    wide = reshape(input, tuple(s for a in left for s in (a, 1))) * reshape(
        other, tuple(s for b in right for s in (1, b))
    )
    return reshape(wide, tuple(a * b for a, b in zip(left, right)))


@composite(
    ops="cross(input, other, dim=None)",
    mint="cross(input, other, dim=None)",
    tensor="cross(other, dim=None)",
    primitive="Cross(dim=-65530)(input, other)",
)
def cross(input: Array, other: Array, dim: int | None = None) -> Any:
    """Return the cross products of vectors of three elements along a dimension, by default the first of size 3.

    Raises:
        ValueError: the dimension's size is not 3, or there is none of that size.

    Examples:
        >>> print(ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])))
        [0. 0. 1.]

    Source: ``mindspore.ops.cross``.
    """
    tensor_only("Cross", "input", input)
    tensor_only("Cross", "other", other)
    shape = rules.broadcast("Cross")(input.shape, other.shape)
    if dim is None or dim == -65530:
        places = [i for i, n in enumerate(shape) if n == 3]
        if not places:
            fail(ValueError, "Cross", "shapes", "have a dimension of size 3", f"{list(input.shape)}")
        at = places[0]
    else:
        at = rules.axis("Cross", dim, len(shape))
        if shape[at] != 3:
            fail(ValueError, "Cross", "size along 'dim'", "be 3", str(shape[at]))
    a, b = (broadcast_np(t, shape) if t.shape != shape else t for t in (input, other))
    return roll(a, -1, at) * roll(b, -2, at) - roll(a, -2, at) * roll(b, -1, at)


@composite(ops="inner(input, other)", tensor="inner(other)")
def inner(input: Array, other: Array) -> Any:
    """Return the sums of products over both last dimensions; a 0-d operand multiplies.

    Raises:
        ValueError: last dimensions of different size.

    Examples:
        >>> print(ops.inner(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        11.0

    Source: ``mindspore.ops.inner``.
    """
    tensor_only("inner", "input", input)
    tensor_only("inner", "other", other)
    if not input.ndim or not other.ndim:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        fail(ValueError, "inner", "last dimensions", "be equal", f"{list(input.shape)} and {list(other.shape)}")
    return tensor_dot(input, other, ((-1,), (-1,)))


@composite(ops="tensor_dot(x1, x2, axes)", rename={"x1": "input"})
def tensor_dot(input: Array, other: Array, axes: Any) -> Any:
    """Return the sums of products over several dimensions of two tensors.

    Args:
        axes: an int n (the last n of `x1` and the first n of `x2`), or two sequences of dimensions.

    Raises:
        ValueError: dimensions that do not fit.

    Examples:
        >>> print(ops.tensor_dot(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]), 1))
        [[11.]]

    Source: ``mindspore.ops.tensor_dot``.
    """
    if isinstance(axes, bool) or not isinstance(axes, (int, tuple, list)):
        fail(TypeError, "tensor_dot", "'axes'", "be an int, tuple or list", describe(axes))
    if isinstance(axes, int):
        if not 0 <= axes <= min(input.ndim, other.ndim):
            fail(ValueError, "tensor_dot", "'axes'", "be within the operands' dimensions", str(axes))
        pair: Any = (range(input.ndim - axes, input.ndim), range(axes))
    else:
        pair = axes
        if len(pair) != 2:
            fail(ValueError, "tensor_dot", "'axes'", "hold two sequences", str(len(pair)))
        pair = tuple((p,) if isinstance(p, int) else p for p in pair)
    left = [rules.axis("tensor_dot", i, input.ndim) for i in pair[0]]
    right = [rules.axis("tensor_dot", i, other.ndim) for i in pair[1]]
    if [input.shape[i] for i in left] != [other.shape[i] for i in right]:
        got = f"shapes {list(input.shape)} and {list(other.shape)} over {left} and {right}"
        fail(ValueError, "tensor_dot", "dimensions summed over", "be equal", got)
    rows = [i for i in range(input.ndim) if i not in left]
    columns = [i for i in range(other.ndim) if i not in right]
    k = math.prod(input.shape[i] for i in left)
    m, n = (math.prod(t.shape[i] for i in kept) for t, kept in ((input, rows), (other, columns)))
    flat = matrix_product(
        reshape(permute(input, (*rows, *left)), (m, k)), reshape(permute(other, (*right, *columns)), (k, n))
    )
    return reshape(flat, (*(input.shape[i] for i in rows), *(other.shape[i] for i in columns)))


@composite(ops="batch_dot(x1, x2, axes=None)", rename={"x1": "input"})
def batch_dot(input: Array, other: Array, axes: Any = None) -> Any:
    """Return for each item of a batch (the first dimension) the sums of products over one dimension of each operand.

    Args:
        axes: an int for both, or a pair; by default the last of `x1` and the last but one (of two: the last) of `x2`.

    Raises:
        ValueError: fewer than two dimensions, batches or dimensions that do not fit.

    Examples:
        >>> print(ops.batch_dot(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])))
        [[11.]]

    Source: ``mindspore.ops.batch_dot``.
    """
    if input.ndim < 2 or other.ndim < 2:
        got = f"shapes {list(input.shape)} and {list(other.shape)}"
        fail(ValueError, "batch_dot", "inputs", "have two or more dimensions", got)
    if input.shape[0] != other.shape[0]:
        fail(ValueError, "batch_dot", "batch sizes", "be equal", f"{input.shape[0]} and {other.shape[0]}")
    if axes is None:
        axes = (input.ndim - 1, max(1, other.ndim - 2))
    one, two = (axes, axes) if isinstance(axes, int) else axes
    one, two = rules.axis("batch_dot", one, input.ndim), rules.axis("batch_dot", two, other.ndim)
    if not one or not two:
        fail(ValueError, "batch_dot", "'axes'", "not be the batch dimension", str(axes))
    if input.shape[one] != other.shape[two]:
        got = f"{input.shape[one]} and {other.shape[two]}"
        fail(ValueError, "batch_dot", "dimensions summed over", "be equal", got)
    left, right = moveaxis(input, one, -1), moveaxis(other, two, 1)
    k, batch = input.shape[one], input.shape[0]
    rows, columns = left.shape[1:-1], right.shape[2:]
    flat = matrix_product(reshape(left, (batch, math.prod(rows), k)), reshape(right, (batch, k, math.prod(columns))))
    out = reshape(flat, (batch, *rows, *columns))
    return out if rows or columns else reshape(out, (batch, 1))


@composite(ops="vecdot(x, y, *, axis=-1)")
def vecdot(input: Array, other: Array, dim: int = -1) -> Any:
    """Return the sums of products along one dimension, the first factor conjugated.

    Raises:
        TypeError: an operand is no Tensor.

    Examples:
        >>> print(ops.vecdot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        11.0

    Source: ``mindspore.ops.vecdot``.
    """
    tensor_only("vecdot", "x", input)
    tensor_only("vecdot", "y", other)
    from ms_kernels.ops.cast import conj

    return sum_((conj(input) if input.dtype.kind == "c" else input) * other, dim)
