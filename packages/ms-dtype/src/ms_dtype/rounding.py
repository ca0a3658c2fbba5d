"""Reference rounding into float16, bfloat16 and HF32: integer arithmetic on the bit patterns, nothing else.

One rounding from the input straight to the result, so float64 values are right where a detour over float32 would round
twice. These functions judge faster code; they are not meant to be fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ms_dtype._bfloat16 import np_bfloat16

if TYPE_CHECKING:
    from numpy.typing import NDArray

# exponent bits, fraction bits
_FORMATS: Final = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}


def _source_bits(values: NDArray[Any], caller: str) -> tuple[NDArray[np.uint64], str]:
    values = np.asarray(values)
    name = values.dtype.name
    if name not in ("float32", "float64"):
        raise TypeError(f"For '{caller}', the 'values' must be float32 or float64, but got {name}.")
    return values.view(f"u{values.itemsize}").astype(np.uint64), name


def _narrow(values: NDArray[Any], target: str) -> NDArray[np.uint16]:
    bits, source = _source_bits(values, f"{target}_bits")
    exponent_bits, fraction_bits = _FORMATS[source]
    to_exponent_bits, to_fraction_bits = _FORMATS[target]
    one = np.uint64(1)
    top = (1 << exponent_bits) - 1
    infinity = ((1 << to_exponent_bits) - 1) << to_fraction_bits

    sign = bits >> np.uint64(exponent_bits + fraction_bits) << np.uint64(to_exponent_bits + to_fraction_bits)
    biased = (bits >> np.uint64(fraction_bits) & np.uint64(top)).astype(np.int64)
    fraction = bits & np.uint64((1 << fraction_bits) - 1)

    # value = significand * 2**(exponent - fraction_bits), for subnormal numbers too
    significand = fraction | ((biased > 0).astype(np.uint64) << np.uint64(fraction_bits))
    exponent = np.maximum(biased, 1) - (top >> 1)
    lowest = 2 - (1 << (to_exponent_bits - 1))
    dropped = fraction_bits - to_fraction_bits + np.maximum(lowest - exponent, 0)
    dropped = np.minimum(dropped, fraction_bits + 2).astype(np.uint64)  # beyond that everything is far below half

    kept = significand >> dropped
    rest = significand & ((one << dropped) - one)
    half = one << (dropped - one)
    kept += (rest > half) | ((rest == half) & (kept & one == one))
    # the leading one inside `kept` counts as one step of the exponent, and so does a carry out of the fraction
    magnitude = (np.maximum(exponent, lowest) - lowest << to_fraction_bits) + kept.astype(np.int64)
    magnitude = np.minimum(magnitude, infinity)

    quiet = infinity | 1 << (to_fraction_bits - 1)
    magnitude = np.where(biased == top, np.where(fraction == 0, infinity, quiet), magnitude)
    narrowed: NDArray[np.uint16] = (sign | magnitude.astype(np.uint64)).astype(np.uint16)
    return narrowed


def float16_bits(values: NDArray[Any]) -> NDArray[np.uint16]:
    """Give the float16 patterns nearest to float32 or float64 values, ties to even; too large ones become infinite.

    Raises:
        TypeError: `values` are neither float32 nor float64.

    >>> [hex(each) for each in float16_bits(np.array([1.0, 65504.0, 65520.0, 2.0**-25]))]
    ['0x3c00', '0x7bff', '0x7c00', '0x0']
    """
    return _narrow(values, "float16")


def bfloat16_bits(values: NDArray[Any]) -> NDArray[np.uint16]:
    """Give the bfloat16 patterns nearest to float32 or float64 values, ties to even; too large ones become infinite.

    Raises:
        TypeError: `values` are neither float32 nor float64.

    >>> [hex(each) for each in bfloat16_bits(np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8]))]
    ['0x3f80', '0x3f82']
    """
    return _narrow(values, "bfloat16")


def round_float16(values: NDArray[Any]) -> NDArray[np.float16]:
    """Give `float16_bits` as float16 numbers.

    >>> round_float16(np.array([0.1, 70000.0]))
    array([0.1, inf], dtype=float16)
    """
    return float16_bits(values).view(np.float16)


def round_bfloat16(values: NDArray[Any]) -> NDArray[Any]:
    """Give `bfloat16_bits` as bfloat16 numbers.

    Raises:
        TypeError: `values` are neither float32 nor float64, or the installed NumPy cannot hold bfloat16.

    >>> round_bfloat16(np.array([0.1, 257.0])).astype(float)
    array([1.00097656e-01, 2.56000000e+02])
    """
    if np_bfloat16 is None:
        raise TypeError("For 'round_bfloat16', the installed NumPy must be able to hold bfloat16, but it is not.")
    return bfloat16_bits(values).view(np_bfloat16)


def round_hf32(values: NDArray[np.float32], ties: Literal["away", "even"] = "away") -> NDArray[np.float32]:
    """Round float32 values to HF32: eleven fraction bits, the lower twelve are zero.

    Ascend's matmul class rounds ties away from zero, its convolutions round them to even. Subnormal numbers follow the
    same rule, a carry out of the largest exponent gives infinity; infinities, NaN and signed zeros stay.

    Raises:
        TypeError: `values` are not float32.
        ValueError: `ties` is another word.

    >>> x = np.array([0x3F800800], np.uint32).view(np.float32)
    >>> [hex(round_hf32(x, ties).view(np.uint32)[0]) for ties in ("away", "even")]
    ['0x3f801000', '0x3f800000']
    """
    values = np.asarray(values)
    if values.dtype != np.float32:
        raise TypeError(f"For 'round_hf32', the 'values' must be float32, but got {values.dtype}.")
    if ties not in ("away", "even"):
        raise ValueError(f"For 'round_hf32', the 'ties' must be 'away' or 'even', but got {ties!r}.")
    bits = values.view(np.uint32)
    half = np.uint32(0x800) if ties == "away" else np.uint32(0x7FF) + (bits >> np.uint32(12) & np.uint32(1))
    finite = bits & np.uint32(0x7F800000) != np.uint32(0x7F800000)
    return np.where(finite, (bits + half) & np.uint32(0xFFFFF000), bits).view(np.float32)
