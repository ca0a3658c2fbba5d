"""What MindSpore 2.6 says to arguments of JitConfig, jit, jit_class, lazy_inline, no_inline and set_recursion_limit.

`python make_arguments.py [FILE]`, with the Python of an environment that has MindSpore, evaluates the expressions below
there and writes arguments.json. The tests evaluate them with ours.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

SETUP = """
class Plain: pass
class Child(Plain): pass
def function(x): return x

def config(*args, **kwargs):
    return dict(sorted(JitConfig(*args, **kwargs).jit_config_dict.items()))

def init(*args, **marks):
    class Block(Base):
        @lazy_inline(**marks) if marks else lazy_inline
        def __init__(self, a, b=2, *c, **d):
            super().__init__()
            self.a, self.b = a, b
        def construct(self, x):
            return x
    return Block(*args).cell_init_args
"""

_VALUES = ["''", "'O0'", "'O1'", "'O2'", "'O3'", "'o0'", "None", "0", "True"]
_OPTIONS = {
    "exc_mode": ["'auto'", "'sink'", "'no_sink'", "'x'", "''", "None"],
    "jit_syntax_level": ["''", "'STRICT'", "'LAX'", "'strict'", "None"],
    "debug_level": ["'RELEASE'", "'DEBUG'", "'x'", "''", "1"],
    "infer_boost": ["'on'", "'off'", "''", "'x'", "True", "None"],
}
_JIT = {
    "capture_mode": ["'ast'", "'bytecode'", "'trace'", "'AST'", "''", "None", "1"],
    "jit_level": _VALUES,
    "dynamic": ["0", "1", "2", "-1", "True", "False", "None", "'1'", "1.0"],
    "fullgraph": ["True", "False", "0", "1", "None", "'x'"],
    "backend": ["''", "'ms_backend'", "'GE'", "'x'", "None", "1"],
    "disable_format_transform": ["True", "False", "1", "None"],
    "exec_order": ["'bfs'", "'dfs'", "'gpto'", "1", "None"],
    "infer_boost": ["'on'", "'off'", "'x'", "True"],
    "ge_options": [
        *("{}", "{'global': {'a': '1'}}", "{'session': {}}", "1", "{'x': {}}", "{1: {}}", "{'global': 1}"),
        *("{'global': {'a': 1}}", "{'global': {1: 'a'}}", "{'global': {}, 'session': None}"),
    ],
    "other": ["1", "'a'", "[1]", "object()", "function"],
}
EXPRESSIONS = [
    *(f"config({v})" for v in _VALUES),
    *(f"config({v}, backend={b})" for v in _VALUES[:4] for b in ("''", "'ms_backend'", "'GE'", "None", "'x'")),
    *(f"config({name}={v})" for name, values in _OPTIONS.items() for v in values),
    "config('O1', 'sink', 'LAX', 'DEBUG', 'on', more=1, backend='GE')",
    "config('O3', 'x', 'x', 'x', 'x')",
    "config('O1', 'x', 'x', 'x', 'x')",
    "config('O1', 'auto', 'x', 'x', 'x')",
    "config('O1', 'auto', '', 'x', 'x')",
    *(f"check({name}={v})" for name, values in _JIT.items() for v in values),
    "check(capture_mode='x', jit_level='x', dynamic=2, fullgraph=1, backend='x', infer_boost='x')",
    "check(jit_level='x', dynamic=2, fullgraph=1, backend='x', infer_boost='x')",
    "check(dynamic=2, fullgraph=1, backend='x', infer_boost='x')",
    "check(fullgraph=1, backend='x', infer_boost='x')",
    "check(backend='x', infer_boost='x')",
    "check(backend='GE', infer_boost='x')",
    *(f"check(backend='GE', {name}={v})" for name, v in (("infer_boost", "'on'"), ("ge_options", "{}"))),
    *(f"check({old}=1)" for old in ("mode", "compile_once", "jit_config", "hash_args")),
    *(f"jit_class({v})" for v in ("1", "'x'", "None", "function", "Base", "Base()")),
    "jit_class(Plain) is Plain, Plain.__ms_class__, Child.__ms_class__",
    *(f"lazy_inline({v})" for v in ("1", "'x'", "function")),
    *(f"init({v})" for v in ("1", "1, 3", "1, 3, 4, 5")),
    *(f"init(1, attrs={v})" for v in ("'a'", "['a']", "['b', 'a']", "['zz', 'a']", "'zz'", "1", "('a',)", "[1]")),
    *(f"init(1, policy={v})" for v in ("None", "'front'", "'back'", "1", "True")),
    *(f"no_inline({v})" for v in ("1", "'x'", "len")),
    "no_inline(function) is function, no_inline()(function) is function, function.no_inline",
    *(f"set_recursion_limit({v})" for v in ("", "1", "1000", "2**31 - 1", "0", "-1", "1.5", "'x'", "None", "True")),
]


def evaluate(names: dict[str, Any]) -> dict[str, list[str]]:
    """What each expression gives: ["value", its repr], or [error, its text]."""
    exec(SETUP, names)
    results = {}
    for text in EXPRESSIONS:
        try:
            results[text] = ["value", repr(eval(text, names))]
        except Exception as error:
            results[text] = [type(error).__name__, str(error)]
    return {text: [kind, re.sub("0x[0-9a-f]+", "0x", words)] for text, (kind, words) in results.items()}


def main(file: str | None = None) -> None:
    import mindspore as ms

    def check(**kwargs: Any) -> None:
        ms.jit(lambda x: x, **kwargs)

    names = {name: getattr(ms, name) for name in ("JitConfig", "jit_class", "lazy_inline", "no_inline")}
    names |= {"Base": ms.nn.Cell, "check": check, "set_recursion_limit": ms.set_recursion_limit}
    lines = [f"{json.dumps(text)}: {json.dumps(result)}" for text, result in evaluate(names).items()]
    target = Path(file) if file else Path(__file__).with_name("arguments.json")
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
