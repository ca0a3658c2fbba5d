"""CRC-32 of many zeros without writing them down.

Source: a CRC is a polynomial over two elements modulo x^32 + x^26 + ... + 1 (zlib's, bits reversed); n zero bytes
multiply it by x^(8n).
"""

from __future__ import annotations

__all__ = ["crc_of_zeros"]

_MODULUS = 0xEDB88320
_ONE, _BYTE = 1 << 31, 1 << 23  # 1 and x^8


def _product(a: int, b: int) -> int:
    total = 0
    for place in range(31, -1, -1):
        if a >> place & 1:
            total ^= b
        b = b >> 1 ^ (_MODULUS if b & 1 else 0)
    return total


def crc_of_zeros(count: int, crc: int) -> int:
    """What `zlib.crc32(bytes(count), crc)` gives, for any count.

    >>> import zlib
    >>> crc_of_zeros(1000, 5) == zlib.crc32(bytes(1000), 5)
    True
    """
    factor, power = _ONE, _BYTE
    while count:
        if count & 1:
            factor = _product(factor, power)
        power = _product(power, power)
        count >>= 1
    return _product(crc ^ 0xFFFFFFFF, factor) ^ 0xFFFFFFFF
