"""Symbol, mutable and the hook handles against MindSpore itself, expression by expression."""

from __future__ import annotations

import collections
import gc
import itertools
import json
import os
import subprocess
from typing import Any

import pytest

import ms_dynshape
import ms_hooks

pytestmark = pytest.mark.oracle

SETUP = '''
class Probe:
    def __init__(self):
        self.told = 0
    def _remove_hook(self):
        self.told += 1

def table_after(actions):
    """Two handles in one table; remove those named."""
    table = collections.OrderedDict()
    handles = [HookHandle(table) for _ in range(2)]
    for name, handle in zip("ab", handles):
        table[handle.handle_id] = name
    for at in actions:
        handles[at].remove()
    return list(table.values()), handles[1].handle_id - handles[0].handle_id

def told(key, times=1, alive=True):
    """How often a tensor is told, and the handle's id afterwards."""
    probe = Probe()
    handle = _TensorHookHandle(probe)
    handle.id = key
    count = probe.told
    if not alive:
        del probe
        gc.collect()
        handle.remove()
        return handle.tensor_ref() is None, handle.id
    for _ in range(times):
        handle.remove()
    return probe.told, handle.id

def marks(value, *flags):
    m = mutable(value, *flags)
    return type(m).__name__, m, m.__ms_mutable__, m.__ms_dynamic_len__, m.__ms_origin_object__

def loop():
    value = [1]
    value.append(value)
    return mutable(value)
'''

NUMBERS = itertools.product((-1, 0, 1, 3, 9, 12), (0, 1, 2, 8, 9, 12), (0, 1, 2, 8), (-1, 0, 1, 3))
EXPRESSIONS = [
    *(f"Symbol(max={a}, min={b}, divisor={c}, remainder={d}).to_dict()" for a, b, c, d in NUMBERS),
    *(f"Symbol({n}={v!r}).to_dict()" for n in ("max", "min", "divisor", "remainder") for v in ("a", 1.5, None, True)),
    *(f"list(Symbol(unique={v!r}).to_dict())" for v in (True, False, 1, None)),
    "str(Symbol(max=8, divisor=2))",
    "Symbol(other=1).to_dict()",
    "Symbol(max=4) == Symbol(max=4)",
    "vars(Symbol(2)).keys()",
    *(
        f"marks({v})"
        for v in ("1", "2.5", "True", "[]", "(1, 2.0)", "{'a': [1]}", "[[1, [2]]]", "{None: 1, (1,): True}")
    ),
    *(f"marks({v}, True)" for v in ("[1, 2]", "(1, (2, 3))", "[]", "1", "{'a': 1}", "2.5")),
    *(f"mutable({v})" for v in ("None", "'a'", "[None]", "{'a': 'b'}", "1 + 2j", "b'a'", "set()", "[1, ...]")),
    *(f"mutable({v}, True)" for v in ("None", "'a'", "['a']")),
    "type(mutable(3) + 1), type(mutable([1]) + [2]), type(mutable(mutable((1, 2)))).__name__",
    "bool(mutable(False)), repr(mutable(True)), mutable(True) + 1, mutable(True) & True, not mutable(True)",
    "vars(HookHandle())",
    "HookHandle().remove()",
    *(f"HookHandle({v})" for v in ("3", "{}", "[]")),
    *(f"_TensorHookHandle({v})" for v in ("3", "{}", "None")),
    *(f"table_after({v})" for v in ("[]", "[0]", "[1]", "[0, 0]", "[1, 0]")),
    "told(None)",
    "told(5)",
    "told(5, alive=False)",
    "told(None, times=2)",
]

EVALUATE = """
def evaluate(expressions, names):
    results = []
    for text in expressions:
        try:
            results.append(["value", repr(eval(text, names))])
        except Exception as error:
            results.append([type(error).__name__, str(error)])
    return results
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What MindSpore gives for each expression."""
    if "MS26_PYTHON" not in os.environ:
        pytest.skip("MS26_PYTHON is not set")
    program = f"""
import collections, gc, json, sys
from mindspore import Symbol, mutable
from mindspore.common.hook_handle import HookHandle, _TensorHookHandle
{SETUP}
{EVALUATE}
names = dict(globals())
with open(sys.argv[1]) as file:
    expressions = json.load(file)
with open(sys.argv[1], "w") as file:
    json.dump(evaluate(expressions, names), file)
"""
    path = tmp_path_factory.mktemp("oracle") / "expressions.json"
    path.write_text(json.dumps(EXPRESSIONS), encoding="utf-8")
    command = [os.environ["MS26_PYTHON"], "-c", program, str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return dict(zip(EXPRESSIONS, json.loads(path.read_text(encoding="utf-8")), strict=True))


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_same_value_or_error(text: str, theirs: dict[str, list[str]]) -> None:
    names: dict[str, Any] = {
        "collections": collections,
        "gc": gc,
        "Symbol": ms_dynshape.Symbol,
        "mutable": ms_dynshape.mutable,
        "HookHandle": ms_hooks.HookHandle,
        "_TensorHookHandle": ms_hooks._TensorHookHandle,
    }
    exec(SETUP + EVALUATE, names)
    assert names["evaluate"]([text], names)[0] == theirs[text]
