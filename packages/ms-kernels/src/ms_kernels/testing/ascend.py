"""Vectors of the emulated NPU: reading them, and one function for each op that they name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Tensor, from_numpy, functional, mint, mint_functional
from ms_kernels.random.stream import Stream
from ms_kernels.targets.ascend import (
    AscendTarget,
    Choices,
    casts,
    convolution,
    cube,
    formats,
    randomness,
    recipes,
    reduction,
    report,
)
from ms_kernels.targets.ascend.precision import Precision
from ms_kernels.targets.ascend.profiles import PROFILES, overflow_mode

Array = np.ndarray[Any, np.dtype[Any]]
KNOBS = "knob"

__all__ = ["KNOBS", "cases", "decode", "load", "run", "ulps"]


def load(path: Path) -> list[dict[str, Any]]:
    """The vectors in a file."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["vectors"]
    return found


def decode(tensor: dict[str, Any]) -> Array:
    """The array that hexadecimal bit patterns describe; one pattern with a longer shape is repeated."""
    kind = np.dtype(getattr(mstype, tensor["dtype"].replace("bool", "bool_")).np)
    bits = np.array([int(h, 16) for h in tensor["hex"]], np.uint64).astype(f"u{kind.itemsize}").view(kind)
    shape = tuple(tensor["shape"])
    return np.array(np.broadcast_to(bits, shape) if len(bits) == 1 else bits.reshape(shape))


def cases(vectors: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """(id, vector, profile, overflow mode) of all that is no sequence of knob calls."""
    for vector in vectors:
        if vector["op"] == KNOBS:
            continue
        for profile in vector["profile"]:
            had = ("saturation",) if PROFILES[profile].saturation_only else ("infnan", "saturation")
            for mode in had if vector["mode"] == "any" else (vector["mode"],):
                yield f"{vector['id']}-{profile}-{mode}", vector, profile, mode


def _precision(settings: dict[str, Any]) -> Precision:
    knobs = Precision()
    for name, value in settings.items():
        knobs.set(name, value)
    return knobs


def _array(value: Any) -> Array:
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def _op(function: Callable[..., Any], *extra: Any) -> Callable[..., Any]:
    return lambda target, inputs, attrs: function(*map(from_numpy, inputs), *extra)


def _cast(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> Any:
    to = getattr(mstype, attrs["to"].replace("bool", "bool_"))
    if "round_mode" in attrs:
        return casts.round_to(target.chip, inputs[0], np.dtype(to.np), attrs["round_mode"])
    return functional.cast(from_numpy(inputs[0]), to)


def _steps(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> Any:
    clear, _add, _check = attrs["steps"]
    assert clear == "clear"
    target.chip.status[:] = 0
    functional.add(from_numpy(inputs[0]), from_numpy(inputs[1]))
    return np.array([target.chip.all_finite([inputs[2]])])


def _norm(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> Any:
    x, weight, bias = map(from_numpy, inputs)
    return functional.layer_norm(x, (x.shape[-1],), weight, bias, attrs["eps"])


def _format(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> dict[str, Any]:
    shape = tuple(attrs["shape"])
    found: dict[str, Any] = {"shape": list(formats.format_shape(attrs["format"], shape, attrs["dtype"]))}
    if "index" in attrs:
        found["flat"] = formats.place_of(attrs["format"], shape, attrs["dtype"], tuple(attrs["index"]))
    return found


def _k_order(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> dict[str, Any]:
    order = convolution.k_order(attrs["C"], (attrs["kh"], attrs["kw"]), attrs["C0"])
    return {"blocks": [[first, last, *at] for first, last, at in order]}


def _dot(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> Array:
    if "acc" in attrs:
        start = np.array(int(attrs["acc"], 16), np.uint32).view(np.int32)
        return cube.int8_product(inputs[0][None], inputs[1][:, None], start).reshape(1)
    return cube.dot(target.chip, inputs[0], inputs[1], np.dtype(attrs["out"]))


def _addmm(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> Any:
    bias, a, b = (from_numpy(v.reshape(1, 1)) for v in inputs)
    return functional.addmm(bias, a, b).reshape(1)


def _codes(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> dict[str, Any]:
    def code(mode: str, flag: bool) -> int:
        return _precision({"precision_mode": mode, "matmul_allow_hf32": flag}).code(
            target.chip.profile, "matmul_allow_hf32"
        )

    return {"codes": {mode: [code(mode, False), code(mode, True)] for mode in target.chip.profile.codes}}


def _state(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> Array:
    stream = Stream(None)
    seed = int(attrs["calls"][0].removeprefix("manual_seed(").removesuffix(")"))
    stream.set(seed)
    for call in attrs["calls"][1:-1]:
        assert call == "rand"
        mint.rand(3, generator=stream)
    return randomness.state_bytes(stream)


def _mask(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> Array:
    from ms_kernels.random import samplers

    return samplers.dropout_mask(attrs["n"], attrs["seed"], attrs["offset"], attrs["p"])


def _report(target: AscendTarget, inputs: list[Array], attrs: dict[str, Any]) -> dict[str, Any]:
    found = report.compare(*inputs)
    return {**found, "Accuracy Reached or Not": report.verdict(found["Cosine"], found["MaxAbsErr"])}


RUN: dict[str, Callable[..., Any]] = {
    **{name: _op(getattr(functional, name)) for name in ("add", "sub", "mul", "div", "exp", "log", "sqrt", "rsqrt")},
    **{name: _op(getattr(functional, name)) for name in ("reciprocal", "pow", "maximum", "not_equal", "sigmoid")},
    "remainder": _op(functional.remainder),
    "floor_div": _op(mint.floor_divide),
    "mod": _op(functional.TruncateMod()),
    "sum": lambda target, inputs, attrs: functional.reduce_sum(from_numpy(inputs[0])).reshape(1),
    "mean": lambda target, inputs, attrs: functional.reduce_mean(from_numpy(inputs[0])).reshape(1),
    "softmax": lambda target, inputs, attrs: functional.softmax(from_numpy(inputs[0]), attrs["axis"]),
    "gelu_tanh": lambda target, inputs, attrs: functional.gelu(from_numpy(inputs[0]), "tanh"),
    "layer_norm": _norm,
    "cast": _cast,
    "all_finite": _steps,
    "overflow_mode": lambda target, inputs, attrs: {"mode": overflow_mode(target.chip.profile, attrs["env"])},
    "mint.matmul": _op(mint.matmul),
    "mint.mm": _op(mint.mm),
    "mint.nn.functional.conv2d": _op(mint_functional.conv2d),
    "hf32_round": lambda target, inputs, attrs: casts.hf32(target.chip, inputs[0], attrs["ties"]),
    "reduce_tree_sum": lambda target, inputs, attrs: reduction.tree_sum(target.chip, inputs[0], attrs["across"])[None],
    "cube_dot": _dot,
    "conv_k_order": _k_order,
    "addmm_1x1": _addmm,
    "cube_math_type_table": _codes,
    "device_format": _format,
    "philox4x32_10": lambda target, inputs, attrs: randomness.philox(*inputs),
    "uniform_from_word": lambda target, inputs, attrs: randomness.uniform(inputs[0]),
    "normal_pair_from_words": lambda target, inputs, attrs: randomness.normal_pair(inputs[0]),
    "randint_from_word": lambda target, inputs, attrs: randomness.randint(inputs[0], attrs["low"], attrs["high"]),
    "rng_state": _state,
    "dropout_gen_mask": _mask,
    "dropout_do_mask": lambda target, inputs, attrs: recipes.apply_mask(target.chip, inputs[0], inputs[1], attrs["p"]),
    "dropout_mask_bytes": lambda target, inputs, attrs: np.array([randomness.mask_bytes(n) for n in attrs["n"]]),
    "msprobe_compare": _report,
    "msprobe_verdict": lambda target, inputs, attrs: {"verdict": report.verdict(attrs["cosine"], attrs["max_abs_err"])},
    "msprobe_api_precheck": lambda target, inputs, attrs: {
        "status": report.precheck(attrs["cosine"], attrs["max_abs_err"])
    },
}


def run(vector: dict[str, Any], profile: str, mode: str, choices: Choices | None = None) -> Any:
    """What a vector's op gives on a chip: an array, or a dict of values."""
    attrs = vector.get("attrs", {})
    target = AscendTarget(profile, mode, choices, _precision(attrs.get("settings", {})))
    inputs = [decode(tensor) for tensor in vector["inputs"]]
    with target.use():
        found = RUN[vector["op"]](target, inputs, attrs)
    return found if isinstance(found, dict) else _array(found)


def ulps(found: Array, expected: Array) -> int:
    """The largest distance in units of the last place; any NaN meets any other."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if found.dtype.kind in "iub":
        return int(np.max(found.astype(np.int64) != expected.astype(np.int64), initial=0)) * (1 << 30)
    both = np.isnan(found.astype(np.float32)) & np.isnan(expected.astype(np.float32))
    signed = [a.view(f"i{a.dtype.itemsize}").astype(np.int64) for a in (found, expected)]
    top = 1 << (8 * found.dtype.itemsize - 1)
    places = [np.where(a < 0, -(a & (top - 1)) - 1, a) for a in signed]  # -0 is one below +0
    return int(np.max(np.where(both, 0, np.abs(places[0] - places[1])), initial=0))
