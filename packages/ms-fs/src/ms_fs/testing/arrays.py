"""Names and arrays for property tests: every type, shape, layout and bit pattern."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from ms_fs.types import CKPT_TYPES

__all__ = ["NAMES", "arrays", "assert_same", "bits"]

DTYPES = tuple(CKPT_TYPES.values())
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["", "a/b/c", "层.weight", "a" * 300, "__metadata__x", '"\\\n\t\x00', "../..", "é", "e\u0301", "crc_num"]
)


@st.composite
def arrays(draw: Any, types: Any = DTYPES) -> Any:
    """An array of any type, shape (0-d and empty too) and bits, in any layout."""
    dtype = draw(st.sampled_from(types))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    count = int(np.prod(shape, dtype=int))
    if dtype == np.bool_:
        made = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)), np.bool_)
    else:
        made = np.frombuffer(draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize)), dtype)
    made = made.reshape(shape)
    layout = draw(st.sampled_from(["C", "T", "F", "strided"]))
    if layout == "T":
        return made.T
    if layout == "F":
        return np.asfortranarray(made)
    return np.repeat(made, 2, axis=0)[::2] if layout == "strided" and shape else made


def bits(array: NDArray[Any]) -> bytes:
    """The bytes of an array in C order: NaNs are compared, too."""
    return np.ascontiguousarray(array).tobytes()


def assert_same(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Equal in names, types, shapes and bits."""
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if isinstance(value, str):
            assert found[name] == value
            continue
        assert found[name].dtype == value.dtype, name
        assert found[name].shape == value.shape, name
        assert bits(found[name]) == bits(value), name
