"""For tests of backends and codecs: the contract, and arrays of every kind."""

from __future__ import annotations

from ms_fs.testing.arrays import NAMES, arrays, assert_same, bits
from ms_fs.testing.contract import BackendContract

__all__ = ["NAMES", "BackendContract", "arrays", "assert_same", "bits"]
