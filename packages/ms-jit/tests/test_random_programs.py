"""Programs written at random, with control flow over tensors: the compiled function gives what the function gives."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ms_jit.api import jit
from ms_kernels import Tensor

EXPRESSIONS = (
    "x + y",
    "x * k",
    "y - x",
    "x[0] + y",
    "held[0] * y",
    "x + held[1]['b']",
    "add(x, y)",
    "-x",
    "x * n",
    "y",
)
TESTS = ("x.sum() > k", "y.max() < 3", "n > 1", "not x.sum() > 1", "x.sum() > 0 and y.sum() < 9", "k == 2.0 or n == 1")
SIMPLE = (
    "{v}.add_(1.0)",
    "{v}[0] = {w}[1]",
    "n = n + 1",
    "{v} += 1",
    "z = {v}[1:]; z.mul_(2.0)",
    "{v} = {w}",
    "k = 3.0",
)
COUNT = st.integers(0, 3)


@st.composite
def blocks(draw: Any, depth: int = 0, loop: bool = False) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("set", "simple", "simple", "if", "for", "while", "return", "leave", "try")))
        if depth > 1 and kind in ("if", "for", "while", "try"):
            kind = "set"
        v, w = draw(st.sampled_from(("xy", "yx")))
        if kind == "simple":
            lines.append(draw(st.sampled_from(SIMPLE)).format(v=v, w=w))
        elif kind == "if":
            lines += [f"if {draw(st.sampled_from(TESTS))}:", *_in(draw(blocks(depth + 1, loop)))]
            if draw(st.booleans()):
                lines += ["else:", *_in(draw(blocks(depth + 1, loop)))]
        elif kind == "for":
            lines += [f"for i in range({draw(COUNT)}):", *_in(draw(blocks(depth + 1, True)))]
        elif kind == "while":
            lines += ["t = x.sum() * 0", "while t < 3:", *_in(["t = t + 1", *draw(blocks(depth + 1, True))])]
        elif kind == "try":
            lines += ["try:", *_in(draw(blocks(depth + 1, loop))), "except ValueError:", "    x = y"]
        elif kind == "return" and depth:
            lines.append("return x, n")
        elif kind == "leave" and loop:
            lines += [f"if {draw(st.sampled_from(TESTS))}:", f"    {draw(st.sampled_from(('break', 'continue')))}"]
        else:
            lines.append(f"{v} = {draw(st.sampled_from(EXPRESSIONS))}")
    return lines


def _in(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _made(lines: list[str]) -> tuple[Any, dict[str, Any]]:
    source = "\n".join(["def f(x, y, n=1):", *_in(["k = K", *lines, "return x, y, n, k"]), ""])
    name = f"<program {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names: dict[str, Any] = {"K": 2.0, "held": [1.5, {"b": 2.0}], "add": lambda a, b: a + b, "__name__": "program"}
    exec(compile(source, name, "exec"), names)
    return names["f"], names


def _seen(value: Any) -> Any:
    if isinstance(value, Tensor):
        return str(value.dtype), tuple(value.shape), value.asnumpy().tobytes()
    return tuple(map(_seen, value)) if isinstance(value, tuple) else (type(value), value)


def _runs(lines: list[str], options: dict[str, Any] | None) -> list[Any]:
    fn, names = _made(lines)
    fn, out = (fn if options is None else jit(fn, **options)), []
    for k, values in enumerate(((1, 2, 3), (0, -5, 9), (1, 2, 3), (4, 4), (-3, 0, 1), (7, 7, 7, 7))):
        x, y = Tensor(np.array(values, np.float32)), Tensor(np.array(values[::-1], np.float32))
        if k == 3:
            names["K"], names["held"][1]["b"] = 1.0, 4.0
        try:
            out.append(_seen(fn(x, y)))
        except Exception as error:
            out.append((type(error), str(error)))
        out.append((_seen(x), _seen(y)))
    return out


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(blocks(), st.sampled_from(({}, {"jit_level": "O1"}, {"dynamic": 1})))
@example(["x = x * n", "x = x * n", "x.add_(1.0)"], {})
@example(["z = x[1:]; z.mul_(2.0)", "if x.sum() > k:", "    return x, n"], {})
def test_a_program(lines: list[str], options: dict[str, Any]) -> None:
    assert _runs(lines, options) == _runs(lines, None), "\n".join(lines)
