"""Cases of ms_kernels.ops.contractions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ms_kernels.testing.case import FLOAT, Case, Maker

__all__ = ["CASES"]

KINDS = ("float32", "float64", "int32")
ROUGH = {"bfloat16": (3e-2, 0.1), "float16": (4e-3, 2e-2)}


def _parts(m: Maker) -> list[tuple[Any, ...]]:
    return [
        ([m(2, 3), m(3, 4)], ("ab", "bc"), "ac"),
        ([m(2, 3)], ("ab",), "b"),
        ([m(2, 3), m(2, 3)], ("ab", "ab"), ""),
        ([m(2, 3), m(3, 2, 2), m(2)], ("ab", "bca", "c"), "c"),
        ([m(2, 1), m(3, 4)], ("ab", "bc"), "ca"),
    ]


def _equations(m: Maker) -> list[tuple[Any, ...]]:
    return [
        ("ij,jk->ik", [m(2, 3), m(3, 4)]),
        ("ii", [m(3, 3)]),
        ("ii->i", [m(3, 3)]),
        ("ba", [m(2, 3)]),
        ("...ij,...jk->...ik", [m(2, 2, 3), m(3, 2)]),
        ("bn,anm,bm->ba", [m(2, 3), m(2, 3, 3), m(2, 3)]),
        ("i,j->ij", [m(2), m(3)]),
        ("...a->...", [m(2, 3)]),
    ]


def _cross(a: Any, b: Any, dim: int | None = None) -> Any:
    a, b = np.broadcast_arrays(a, b)
    at = dim if dim is not None else a.shape.index(3)
    return np.cross(a, b, axis=at)


def _batch(a: Any, b: Any, axes: Any = None) -> Any:
    one, two = axes or (a.ndim - 1, max(1, b.ndim - 2))
    out = np.stack([np.tensordot(x, y, ((one - 1,), (two - 1,))) for x, y in zip(a, b)])
    return out if out.ndim > 1 else out[:, None]


CASES = {
    "einsum_parts": Case(
        lambda ts, labels, out: np.einsum(",".join(labels) + "->" + out, *ts),
        _parts,
        (*FLOAT, "int32"),
        tolerance=ROUGH,
    ),
    "einsum": Case(lambda eq, ts: np.einsum(eq, *ts), _equations, KINDS, views=False, note="operands are a plain list"),
    "kron": Case(np.kron, lambda m: [(m(2, 3), m(3)), (m(2, 2), m(3, 2)), (m(3), m(2, 2))], KINDS),
    "cross": Case(
        _cross, lambda m: [(m(3), m(3)), (m(3, 2), m(3, 2)), (m(2, 3), m(3), 1), (m(3, 3), m(3, 3), 0)], KINDS
    ),
    "inner": Case(np.inner, lambda m: [(m(3), m(3)), (m(2, 3), m(4, 3)), (m(2, 3), m())], ("float32", "float64")),
    "tensor_dot": Case(
        np.tensordot,
        lambda m: [(m(2, 3), m(3, 2), 1), (m(2, 3), m(2), 0), (m(2, 3, 4), m(4, 2, 3), ((0, 2), (1, 0)))],
        ("float32", "float64"),
    ),
    "batch_dot": Case(
        _batch,
        lambda m: [
            (m(2, 3), m(2, 3)),
            (m(2, 3, 4), m(2, 4, 2)),
            (m(2, 3, 4), m(2, 4), (2, 1)),
            (m(2, 3, 4), m(2, 3), (1, 1)),
        ],
        ("float32", "float64"),
    ),
    "vecdot": Case(
        lambda x, y, dim=-1: (np.conj(x) * y).sum(dim),
        lambda m: [(m(2, 3), m(2, 3)), (m(2, 3), m(3)), (m(2, 3), m(2, 3), 0)],
        ("float32", "float64", "complex64"),
    ),
}
