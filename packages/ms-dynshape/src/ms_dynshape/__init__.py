"""Dimensions that may be unknown: `Symbol`, arithmetic and broadcasting over them, and `mutable`."""

from ms_dynshape import dim
from ms_dynshape._version import __version__
from ms_dynshape.dim import SHAPE_DIM_ANY, SHAPE_RANK_ANY, Dim, is_known
from ms_dynshape.mutable import mutable
from ms_dynshape.shape import (
    ANY_RANK,
    Declared,
    Shape,
    broadcast_dims,
    broadcast_shapes,
    check_match,
    declare,
    is_dynamic,
    is_dynamic_rank,
    matches,
    numel,
)
from ms_dynshape.symbol import Symbol

__all__ = [
    "ANY_RANK",
    "SHAPE_DIM_ANY",
    "SHAPE_RANK_ANY",
    "Declared",
    "Dim",
    "Shape",
    "Symbol",
    "__version__",
    "broadcast_dims",
    "broadcast_shapes",
    "check_match",
    "declare",
    "dim",
    "is_dynamic",
    "is_dynamic_rank",
    "is_known",
    "matches",
    "mutable",
    "numel",
]
