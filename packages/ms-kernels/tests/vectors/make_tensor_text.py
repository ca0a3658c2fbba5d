"""Record how MindSpore 2.6 prints tensors: run with an interpreter that has it; writes tensor_text.json beside it.

Each row: dtype, shape, the elements' bytes in hex, how the tensor was made ("data": from an array, "numpy": sharing an
array's memory, "op": the result of an addition), str, repr.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from mindspore import Tensor, from_numpy
from mindspore.common import dtype as mstype

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
SHAPES = ((), (1,), (3,), (2, 3), (1, 1), (2, 2, 2), (1, 2, 1, 2), (0,), (0, 3), (3, 0), (2, 0, 2))
LONG = ((7, 3), (3, 7), (8, 8), (2, 8, 2), (2, 1, 9, 7), (6, 6))
LINES = ((9,), (12,), (24,), (25,), (75,), (2, 30))
LONGEST = {"float32": ((1000,), (1001,), (1001, 1), (11, 10, 11)), "int64": ((1001,),), "bfloat16": ((1001,),)}


def values(rng: Any, dtype: str, shape: tuple[int, ...], style: str) -> Any:
    """An array of the kind of numbers that `style` names."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTS:
        info = np.iinfo(dtype)
        low, high = {"small": (0, 9), "wide": (info.min, info.max), "signed": (max(info.min, -99), 99)}[style]
        return rng.integers(low, high, shape, dtype, endpoint=True)
    real = np.dtype("float32" if dtype == "bfloat16" else dtype)
    if dtype in COMPLEX:
        return (_floats(rng, shape, style) + 1j * _floats(rng, shape, style)).astype(dtype)
    return np.asarray(_floats(rng, shape, style)).astype(real)


def _floats(rng: Any, shape: tuple[int, ...], style: str) -> Any:
    base = rng.standard_normal(shape)
    if style == "whole":
        return np.round(base * 9)
    if style == "tiny":
        return base * 1e-7
    if style == "huge":
        return base * 3e4
    if style == "mixed":
        return base * 10.0 ** rng.integers(-6, 5, shape)
    if style == "far":
        return base * 10.0 ** rng.integers(-30, 30, shape)
    if style == "halves":
        return np.round(base * 4) / 2
    if style == "special":
        return rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5], shape)
    if style == "rare":
        return np.where(rng.random(shape) < 0.2, np.nan, base)
    return base


def make(array: Any, dtype: str, route: str) -> Any:
    if route == "numpy":
        return from_numpy(array)
    tensor = Tensor(array, getattr(mstype, "bool_" if dtype == "bool" else dtype))
    if route == "op":
        return tensor + 0 if dtype != "bool" else tensor & True
    return tensor


def rows() -> Any:
    for dtype in (*FLOATS, *INTS, *COMPLEX, "bool"):
        styles: tuple[str, ...] = ("unit", "whole", "tiny", "huge", "mixed", "far", "halves", "special", "rare")
        if dtype not in FLOATS and dtype not in COMPLEX:
            styles = ("small", "wide", "signed") if dtype in INTS else ("",)
        for style in styles:
            for shape in SHAPES if style in ("unit", "signed", "", "special") else SHAPES[:6]:
                yield dtype, style, shape, "data"
    for dtype in ("float32", "int64", "bool", "float16", "bfloat16", "complex64"):
        for shape in (*LONG, *LINES, *LONGEST.get(dtype, ())):
            style = {"int64": "signed", "bool": ""}.get(dtype, "unit")
            yield dtype, style, shape, "data"
    for dtype in ("float32", "float64", "int32", "bool", "float16", "complex64"):
        for shape in (*SHAPES, *(((1001,),) if dtype == "float32" else ()), (4, 30), (30,)):
            for style in (
                ("signed",) if dtype == "int32" else ("",) if dtype == "bool" else ("unit", "whole", "special")
            ):
                yield dtype, style, shape, "numpy"
                if len(shape) < 3:
                    yield dtype, style, shape, "op"


def main() -> None:
    rng = np.random.default_rng(7)
    out = []
    for dtype, style, shape, route in rows():
        array = np.ascontiguousarray(values(rng, dtype, shape, style)).reshape(shape)
        tensor = make(array, dtype, route)
        raw = tensor.asnumpy().tobytes() if route != "numpy" else array.tobytes()
        out.append([dtype, list(shape), raw.hex(), route, str(tensor), repr(tensor)])
    Path(__file__).with_name("tensor_text.json").write_text(json.dumps(out, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
