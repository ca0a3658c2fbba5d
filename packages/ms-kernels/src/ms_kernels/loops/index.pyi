from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# Integer indices of any type, negative ones count from the end. Where an index is out of bounds nothing is written, and
# its place among the flattened indices comes back (-1: all are in bounds).
def first_bad(indices: Array, size: int) -> int: ...

# out = x[..., indices, ...] on that axis (a row gather for axis 0) -> (out, -1) or (None, place)
def take(x: Array, indices: Array, axis: int) -> tuple[Array | None, int]: ...

# out[i, j] = x[indices[i, j], j] (axis 0), other dimensions of indices may be smaller -> (out, -1) or (None, place)
def gather(x: Array, indices: Array, axis: int) -> tuple[Array | None, int]: ...

# in place: out[indices[i, j], j] += src[i, j] (axis 0); other dimensions of indices may be smaller than out's and src's
def scatter_add(out: Array, indices: Array, src: Array, axis: int) -> int: ...

# in place: out[indices[i]] += src[i] (axis 0); indices of any shape, in whose place src has those dimensions
def index_add(out: Array, indices: Array, src: Array, axis: int) -> int: ...
