"""The cube unit: matrix products and convolutions by one kernel over tables of places."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ms_kernels.loops import elementwise, linalg, npu
from ms_kernels.targets.ascend.casts import cast
from ms_kernels.targets.ascend.chip import Array, Chip, refuse
from ms_kernels.targets.ascend.kernels import kernel
from ms_kernels.targets.ascend.precision import READS
from ms_kernels.targets.ascend.profiles import F16, F32
from ms_kernels.targets.ascend.rules import rule, state

__all__ = [
    "add_bias",
    "arranged",
    "block_ends",
    "cube_inputs",
    "dot",
    "int8_product",
    "product",
    "run_cube",
    "write_out",
]

state(
    "AN-CUBE-01",
    "Products are exact (float64 holds them); the accumulator is float32 for float16, bfloat16, float32, HF32.",
    "MSIT mat_mul.py; PAPER",
    "source",
    place="ascend.cube and simd/cube_loops.h",
)
state(
    "AN-CUBE-02",
    "K is cut into blocks of 32 bytes of the input type, ascending. Per block s is the float64 sum of the products in "
    "order, then t = acc + s in float64 and acc = RN(t, float32), from 0; each matrix of a batch alone, K never split.",
    "block size: fractal shapes in H8, H13; order and rounding: none",
    "approximation",
    place="ascend.cube.block_ends and simd/cube_loops.h",
)
state(
    "AN-CUBE-05",
    "Special values as IEEE inside a block; in saturation mode acc saturates after each block.",
    "IEEE",
    "approximation",
    place="simd/cube.c cube_saturated",
)
state(
    "AN-HF32-02",
    "Only the two inputs of matmul-class and conv-class operators are converted; products, accumulation and output "
    "stay float32.",
    "H3; H5",
    "documented",
    "910b",
    place="ascend.cube.cube_inputs",
)
state(
    "AN-PREC-03",
    "Code 0 with float32 inputs on 910 and 310p raises RuntimeError.",
    "H7",
    "documented",
    "910, 310p",
    place="ascend.cube.cube_inputs",
)
state(
    "AN-PREC-06",
    "float16 and bfloat16 inputs ignore the code and are computed in their own type.",
    "H7 speaks of FLOAT inputs only",
    "inferred",
    place="ascend.cube.cube_inputs",
)

Shape = tuple[int, ...]
Places = tuple[Array, Array, Array]
Tables = tuple[bool, Places, Places, Places, Shape, Array]


@rule("AN-PREC-05", "H7 (float16 inputs with float32 output allowed)", "approximation")
def cube_inputs(chip: Chip, label: str, name: str, *operands: Array) -> tuple[list[Array], int]:
    """ "float16": inputs cast by AN-CAST-01, float32 accumulation, output float32 without a further rounding.

    Returns the operands as float32 arrays that hold numbers of the cube's input type, and the elements of a block.

    Raises:
        RuntimeError: a type that the cube does not take, float32 where it is neither kept nor converted.
    """
    for x in operands:
        if x.dtype not in chip.profile.floats:
            refuse(chip, label, x.dtype)
    if operands[0].dtype != F32:
        return [elementwise.cast(x, F32) for x in operands], chip.choices.k_block_bytes // 2
    if chip.short:
        return list(operands), chip.choices.k_block_bytes // 2
    flag = READS.get(name) if chip.flag == "" else chip.flag
    meaning = chip.profile.float32_as.get(chip.precision.code(chip.profile, flag))
    if meaning == "float32":
        return list(operands), chip.choices.k_block_bytes // 4
    if meaning == "float16":
        return [elementwise.cast(cast(chip, x, F16), F32) for x in operands], chip.choices.k_block_bytes // 2
    if meaning is None:
        refuse(chip, label, F32)
    conv = name.startswith("conv")
    away = (chip.choices.hf32_conv_ties if conv else chip.choices.hf32_matmul_ties) == "away"
    return [_hf32(chip, x, away) for x in operands], chip.choices.k_block_bytes // 4


def _hf32(chip: Chip, x: Array, away: bool) -> Array:
    out = npu.hf32(x, away)
    if chip.saturates(F32) and npu.saturate(out):  # the largest HF32 is below the largest float32
        return np.asarray(np.clip(out, -_MOST, _MOST))
    return out


_MOST = np.uint32(0x7F7FF000).view(np.float32)


@lru_cache(maxsize=256)
def block_ends(k: int, block: int) -> Array:
    """Where the blocks of a sum over k end."""
    return np.append(np.arange(block, k, block), k).astype(np.intp) if k else np.zeros(0, np.intp)


def _line(count: int, step: int) -> Array:
    return np.arange(count, dtype=np.intp) * step


def _bases(batch: Shape, own: Shape, steps: Shape) -> Array:
    """Where the matrices of a broadcast batch start."""
    total = np.zeros((), np.intp)
    for count, step in zip(own, steps):
        total = total[..., None] + _line(count, step)
    return np.asarray(np.broadcast_to(total, batch), order="C").reshape(-1)


@lru_cache(maxsize=512)
def _tables(a: Shape, a_strides: Shape, b: Shape, b_strides: Shape, block: int) -> Tables:
    """The tables of places for matrices of some shapes that lie in memory in some way."""
    (m, k), n = a[-2:], b[-1]
    batch = np.broadcast_shapes(a[:-2], b[:-2])
    shape = (*batch, m, n)
    a_steps, b_steps = (tuple(s // 4 for s in strides) for strides in (a_strides, b_strides))
    if len(b) == 2 and len(a) > 2 and all(a_steps[i] == a_steps[i + 1] * a[i + 1] for i in range(len(a) - 2)):
        m, batch, a, a_steps = math.prod(a[:-1]), (), (m, k), a_steps[-2:]  # one tall product: the sums are the same
    left = (_line(m, a_steps[-2]), _line(k, a_steps[-1]), _bases(batch, a[:-2], a_steps[:-2]))
    right = (_line(n, b_steps[-1]), _line(k, b_steps[-2]), _bases(batch, b[:-2], b_steps[:-2]))
    out = (_line(m, n), _line(n, 1), _line(math.prod(batch), m * n))
    return arranged(left, right, out, shape, block_ends(k, block))


def arranged(left: Places, right: Places, out: Places, shape: Shape, ends: Array) -> Tables:
    """The kernel's tables with the longer side as columns, which threads share; the sums are the same either way."""
    if len(left[0]) > len(right[0]):
        return True, right, left, (out[1], out[0], out[2]), shape, ends
    return False, left, right, out, shape, ends


def run_cube(chip: Chip, a: Array, b: Array, tables: Tables) -> Array:
    """Run the kernel; the status remembers an accumulator that overflowed."""
    swapped, left, right, out, shape, ends = tables
    if swapped:
        a, b = b, a
    done, bad = npu.cube(a, b, shape, left, right, out, ends, chip.saturates(F32))
    if bad and chip.saturating:
        chip.status[0] = 1
    return done


def product(chip: Chip, a: Array, b: Array, block: int) -> Array:
    """The float32 accumulators of a matrix product over the last two axes, batch axes broadcast."""
    if chip.choices.cube == "fast":
        return chip.finish(linalg.matmul(a, b))
    a, b = (x if x.flags.aligned and not any(s % 4 for s in x.strides) else np.array(x) for x in (a, b))
    return run_cube(chip, a, b, _tables(a.shape, a.strides, b.shape, b.strides, block))


@rule("AN-CUBE-04", "MSIT mat_mul.py", "inferred")
def write_out(chip: Chip, acc: Array, dtype: Any) -> Array:
    """Write-out: one RN from float32 to the output type."""
    return acc if dtype == F32 else chip.finish(elementwise.cast(acc, dtype))


@rule("AN-CUBE-03", "MSIT mat_mul.py, conv2d.py", "source")
def add_bias(chip: Chip, acc: Array, bias: Array) -> Array:
    """Bias: one float32 step after the last block, before write-out."""
    wide = bias if bias.dtype == F32 else elementwise.cast(bias, F32)
    return chip.finish(elementwise.binary("add", acc, wide))


@rule("AN-CUBE-06", "type pair: hiascend CANN 9.0 aclcppdevg_03_0273; wrap: none", "approximation")
def int8_product(a: Array, b: Array, acc: Any = 0) -> Array:
    """int8 x int8 accumulates in int32 and wraps modulo 2^32."""
    with np.errstate(all="ignore"):
        return np.asarray(np.matmul(a.astype(np.int32), b.astype(np.int32)) + np.int32(acc))


@kernel("matrix_product")
def matrix_product_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    a, b, turn_a, turn_b = values
    if turn_a:
        a = a.swapaxes(-1, -2)
    if turn_b:
        b = b.swapaxes(-1, -2)
    if a.dtype.kind in "iubc":
        return int8_product(a, b).astype(a.dtype) if a.dtype == np.int8 else op.body(*values)
    (x, y), block = cube_inputs(chip, op.label, op.name, a, b)
    return write_out(chip, product(chip, x, y, block), a.dtype)


def dot(chip: Chip, a: Array, b: Array, out: Any) -> Array:
    """The cube's sum of products of two vectors, in a type of choice."""
    if a.dtype == np.int8:
        return int8_product(a[None], b[:, None]).reshape(1)
    (x, y), block = cube_inputs(chip, "MatMul", "matrix_product", a[None], b[:, None])
    return write_out(chip, product(chip, x, y, block), out).reshape(1)


@kernel("einsum_parts")
def einsum_kernel(chip: Chip, op: Any, values: list[Any]) -> Array:
    """Einstein sums by pairs of operands, each one batched matrix product."""
    tensors, labels, output = values
    if tensors[0].dtype.kind in "iubc":
        return np.asarray(op.body(*values))
    parts, _ = cube_inputs(chip, op.label, "matrix_product", *tensors)
    block = chip.choices.k_block_bytes // tensors[0].dtype.itemsize
    terms = list(labels)
    while len(parts) > 1:
        a, b, left, right = parts.pop(0), parts.pop(0), terms.pop(0), terms.pop(0)
        kept = output + "".join(terms)
        made, label = _pair(chip, a, left, b, right, kept, block)
        parts.insert(0, made)
        terms.insert(0, label)
    (last,), (term,) = parts, terms
    wide = np.einsum(f"{term}->{output}", last)
    return write_out(chip, np.asarray(wide, dtype=F32, order="C"), tensors[0].dtype)


def _pair(chip: Chip, a: Array, left: str, b: Array, right: str, kept: str, block: int) -> tuple[Array, str]:
    """One product of two operands: labels of both that are kept are the batch, those of both that go the sum."""
    alone = [c for c in left if c not in right and c not in kept]
    if alone:
        a, left = np.einsum(f"{left}->{_without(left, alone)}", a), _without(left, alone)
    alone = [c for c in right if c not in left and c not in kept]
    if alone:
        b, right = np.einsum(f"{right}->{_without(right, alone)}", b), _without(right, alone)
    sizes = dict(zip(left + right, a.shape + b.shape))
    sizes.update({c: n for c, n in zip(left, a.shape) if n != 1})
    batch = [c for c in left if c in right and c in kept]
    summed = [c for c in left if c in right and c not in kept]
    rows, columns = [c for c in left if c not in right], [c for c in right if c not in left]

    def flat(x: Array, have: str, *groups: list[str]) -> Array:
        turned = x.transpose([have.index(c) for group in groups for c in group])
        full = np.broadcast_to(turned, [sizes[c] for group in groups for c in group])
        return np.asarray(full, order="C").reshape([math.prod(sizes[c] for c in group) for group in groups])

    acc = product(chip, flat(a, left, batch, rows, summed), flat(b, right, batch, summed, columns), block)
    order = batch + rows + columns
    return acc.reshape([sizes[c] for c in order]), "".join(order)


def _without(labels: str, gone: list[str]) -> str:
    return "".join(c for c in labels if c not in gone)
