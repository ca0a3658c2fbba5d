"""Random numbers: the stream that all targets share, stated rule by rule.

The samplers are those of `ms_kernels.random`; what stands here as a function is what a single word becomes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.random.stream import STEP, Stream
from ms_kernels.targets.ascend.chip import Array
from ms_kernels.targets.ascend.profiles import F32
from ms_kernels.targets.ascend.rules import rule, state

__all__ = ["mask_bytes", "normal_pair", "philox", "randint", "state_bytes", "uniform"]

state(
    "AN-RNG-02",
    f"Each random call uses the current (seed, offset) and then adds {STEP} to the offset, whatever its size: "
    "`ms_kernels.random.stream.STEP`.",
    "MS ops/kernel/ascend/pyboost/aclnn_utils.h; TN csrc/aten/NPUGeneratorImpl.cpp (10 rounded up to 12)",
    "source",
)
state(
    "AN-RNG-04",
    "key = low, high half of the seed; counter words 0-1 = 64-bit group index from 0, words 2-3 = offset; group g "
    "gives elements 4g to 4g+3: `ms_kernels.random.samplers`.",
    "MS philox_random.h (two-seed constructor, Skip)",
    "approximation",
)
state(
    "AN-RNG-09",
    "Bit i of a dropout mask (byte i div 8, bit i mod 8 from the low end) is 1 (keep) when U(word i) >= p; padded bits "
    "are generated too; p = 0 gives all ones, p = 1 all zeros: `samplers.dropout_mask`.",
    "H14 (p is the probability of zero); layout: none",
    "approximation",
)


@rule("AN-RNG-01", "MS ops/kernel/cpu/generator_cpu_kernel.cc; common/generator.py", "source")
def state_bytes(stream: Stream) -> Array:
    """State: 16 bytes uint8 = int64 seed, int64 offset, little-endian; manual_seed(s) sets offset 0, seed() draws a
    random seed and sets offset 0."""
    return stream.array.astype("<i8").view(np.uint8)


@rule("AN-RNG-03", "R123; MS .../cpu_kernel/utils/philox_random.h", "approximation")
def philox(counter: Array, key: Array) -> Array:
    """Engine Philox4x32-10: the four words of one counter.

    The definition; the samplers' native loops compute the same.
    """
    c, k = [int(w) for w in counter], [int(w) for w in key]
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [right >> 32 ^ c[1] ^ k[0], right & _WORD, left >> 32 ^ c[3] ^ k[1], left & _WORD]
        k = [(k[0] + 0x9E3779B9) & _WORD, (k[1] + 0xBB67AE85) & _WORD]
    return np.array(c, np.uint32)


_WORD = (1 << 32) - 1


@rule("AN-RNG-05", "MS .../cpu_kernel/ms_kernel/random/utils.cc", "approximation")
def uniform(words: Array) -> Array:
    """uniform [0, 1): float32 with bits 0x3F800000 | (w & 0x7FFFFF), minus 1; scaled u * (to - from) + from in float32;
    to float16 and bfloat16 by truncation."""
    bits = (words & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)
    return np.asarray(np.subtract(bits.view(np.float32), F32.type(1)))


@rule("AN-RNG-06", "MS .../cpu_kernel/ms_kernel/random/utils.cc", "approximation")
def normal_pair(words: Array) -> Array:
    """normal: word pairs, u1 = max(U(w0), 1e-7), r = sqrt(-2 ln u1), a = 2*pi*U(w1); outputs sin(a)*r, cos(a)*r in
    float32 steps."""
    first, second = uniform(words.reshape(-1, 2)).T
    radius = np.sqrt(F32.type(-2) * np.log(np.maximum(first, F32.type(1e-7))))
    angle = F32.type(2 * np.pi) * second
    return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], -1).reshape(-1)


@rule("AN-RNG-07", "none", "approximation")
def randint(words: Array, low: int, high: int) -> Array:
    """randint(low, high): low + w mod (high - low); ranges above 2^32 use two words."""
    return low + np.mod(words.astype(np.int64), high - low)


@rule("AN-RNG-08", "MS ops/infer/ops_func_impl/dropout_ext.cc; H14", "documented")
def mask_bytes(n: Any) -> int:
    """Dropout mask: one bit per element, a uint8 tensor of ceil(n/128)*16 bytes."""
    return -(-int(n) // 128) * 16
