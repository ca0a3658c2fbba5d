"""Number formats of quantised networks."""

from __future__ import annotations

from enum import Enum


class QuantDtype(Enum):
    """Signed (INT1 to INT16) and unsigned (UINT1 to UINT16) integers of 1 to 16 bits.

    >>> QuantDtype.INT8, QuantDtype.INT8.value(), QuantDtype.UINT1.value()
    (<QuantDtype.INT8: 7>, 7, 100)
    """

    INT1 = 0
    INT2 = 1
    INT3 = 2
    INT4 = 3
    INT5 = 4
    INT6 = 5
    INT7 = 6
    INT8 = 7
    INT9 = 8
    INT10 = 9
    INT11 = 10
    INT12 = 11
    INT13 = 12
    INT14 = 13
    INT15 = 14
    INT16 = 15

    UINT1 = 100
    UINT2 = 101
    UINT3 = 102
    UINT4 = 103
    UINT5 = 104
    UINT6 = 105
    UINT7 = 106
    UINT8 = 107
    UINT9 = 108
    UINT10 = 109
    UINT11 = 110
    UINT12 = 111
    UINT13 = 112
    UINT14 = 113
    UINT15 = 114
    UINT16 = 115

    def value(self) -> int:  # type: ignore[override]
        """Give the number of the format: bits - 1, and 100 more when unsigned (in 2.6 a method, not an attribute)."""
        return int(self._value_)
