"""Call sequences for automatic dynamic shape, and what MindSpore 2.6 does with them.

`python make_auto_dynamic.py [SEED [COUNT [FILE]]]`, with the Python of an environment that has MindSpore, plays
sequences through MindSpore's own class and writes auto_dynamic.json. The tests play them through ours.

Arguments are written as Python: `T(2, 3)` is a float32 tensor of ones, `H` a float16, `I` an int32 one, `P` a
Parameter.
Left out, because MindSpore drops arguments there: a None where a tensor was (or the reverse), unsupported values after
a sequence, sequences that become longer; and a Parameter of another shape where a tensor was: it must not generalise.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

DTYPES = {"T": "float32", "H": "float16", "I": "int32"}
FLAGS = (True,) * 9 + (False,)
KEPT = (3, 3, 3, 3, 4, 5)
NUMBERS = ("1", "1", "1", "0", "2.5", "True", "0.1 + 0.2", "0.3")
UNFIT = ("'text'", "{}", "1j", "T()", "T(-1, 2)", "slice(1)", "()", "object")


def _dims(rng: random.Random) -> str:
    rank = rng.choice((1, 2, 2, 2, 2, 3))
    return "(" + ", ".join(str(rng.choice((1, 2, 2, 3, 4))) for _ in range(rank)) + ",)"


class Slot:
    """One argument: the same in kind from call to call, now and then with another shape."""

    def __init__(self, rng: random.Random, depth: int = 0) -> None:
        self.rng = rng
        self.kind = rng.choice("TTTTHIPNm" + "0" * (depth == 0) + "MMMMMS" * (depth < 2))
        self.number = rng.choice(NUMBERS)
        self.dims = _dims(rng)
        self.inside = [Slot(rng, depth + 1) for _ in range(rng.randint(1, 3))] if self.kind in "MS" else []
        self.brackets = rng.choice(("()", "[]"))

    def write(self, change: float, cut: bool) -> str:
        """The argument in the next call."""
        if self.kind in "0N":
            return "None" if self.kind == "0" else self.number
        if self.kind == "m":
            return f"mutable({self.number})"
        if self.kind in "MS":
            inside = self.inside[: self.rng.randint(1, len(self.inside))] if cut else self.inside
            text = "".join(slot.write(change, cut) + ", " for slot in inside)
            text = self.brackets[0] + text + self.brackets[1]
            return f"mutable({text})" if self.kind == "M" and self.rng.random() > 0.03 else text
        if self.rng.random() < change:
            self.dims = _dims(self.rng)
        return self.kind + self.dims


def generate(rng: random.Random) -> dict[str, Any]:
    """A sequence of calls: their arguments, and how each names its phase."""
    slots = [Slot(rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    plain = not any(slot.kind in "MS" for slot in slots)
    change = rng.choice((0.2, 0.5, 0.9))
    calls = []
    for i in range(rng.randint(3, 9)):
        items = [slot.write(change, cut=i > 2 and rng.random() < 0.1) for slot in slots]
        odd = rng.random()
        if odd < 0.01:
            items.append(rng.choice(("1", "T(2,)")))
        elif odd < 0.02 and plain:
            items[-1] = rng.choice(UNFIT)
        elif odd < 0.03 and items[-1] != "None":
            items[-1] = rng.choice(("1", "1.0", "2", "(1,)", *(["H(2,)"] if items[-1][0] != "P" else [])))
        left, right = rng.choice(("[]", "[]", "()"))
        calls.append([left + "".join(item + ", " for item in items) + right, rng.choice("sssabn")])
    return {"flag": rng.choice(FLAGS), "kept": rng.choice(KEPT), "calls": calls}


def show(value: Any) -> str:
    """An argument as text; tensors by their dtype and shape."""
    if hasattr(value, "asnumpy"):
        kind = "P" if hasattr(value, "requires_grad") else next(k for k, v in DTYPES.items() if v in _dtype(value))
        return f"{kind}({', '.join(map(str, value.shape))})"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(show, value))
        text = f"[{inside}]" if isinstance(value, list) else f"({inside})"
        return f"mutable({text})" if getattr(value, "__ms_mutable__", False) else text
    return repr(value)


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).lower().replace("mindspore.", "")


def play(sequence: dict[str, Any], module: Any, names: dict[str, Any]) -> dict[str, Any]:
    """Put a sequence through `module`; `names` makes the arguments.

    The phase of a call is named after its arguments ("s"), by the letter given, or is new each time ("n").
    """
    dropped: list[str] = []

    class Recorder:
        def __init__(self, name: str) -> None:
            self.name = name

        def get_instance(self) -> Recorder:
            return self

        def del_net_res(self, obj: Any, phases: set[str]) -> None:
            dropped.append(f"{self.name} {obj} {sorted(phases)}")

    module.GraphExecutor_, module.JitExecutor_ = Recorder("graph"), Recorder("jit")
    module.auto_dynamic_shape_dict.clear()
    steps = []
    for i, (text, name) in enumerate(sequence["calls"]):
        args = eval(text, dict(names))
        module.get_auto_dynamic_shape_args([1], "other key", True)
        result = module.get_auto_dynamic_shape_args(args, "key", sequence["flag"])
        key = module.auto_dynamic_shape_dict["key"]
        key.save_cache_number = sequence["kept"]
        phase = {"s": show(result), "n": f"phase {i}"}.get(name, name)
        module.update_auto_dynamic_shape_phase(result, "key", phase)
        step = ["same" if result is args else show(result), key.is_enable_auto_dynamic_shape, dropped[:]]
        steps.append(step)
        dropped.clear()
    manager = module.auto_dynamic_shape_dict["key"].auto_dynamic_shape_manager
    return {
        "steps": steps,
        "real": {k: show(v) for k, v in manager.real_phase_and_compile_args_dict.items()},
        "general": {k: show(v) for k, v in manager.generalize_phase_and_compile_args_dict.items()},
        "caches": [[show(v) for v in cache] for cache in (manager.real_shape_cache, manager.generalize_shape_cache)],
    }


def main(seed: int = 1, count: int = 300, file: str | None = None) -> None:
    import mindspore as ms
    import numpy as np
    from mindspore.common import auto_dynamic_shape

    def tensor(dtype: str) -> Any:
        def make(*shape: int) -> Any:
            if min(shape, default=0) < 0:
                return ms.Tensor(shape=shape, dtype=getattr(ms, dtype))
            return ms.Tensor(np.ones(shape, dtype))

        return make

    names = {name: tensor(dtype) for name, dtype in DTYPES.items()}
    names |= {"mutable": ms.mutable, "P": lambda *shape: ms.Parameter(np.ones(shape, np.float32))}
    rng = random.Random(seed)
    sequences = [generate(rng) for _ in range(count)]
    records = [{**s, **play(s, auto_dynamic_shape, names)} for s in sequences]
    text = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    target = Path(file) if file else Path(__file__).with_name("auto_dynamic.json")
    target.write_text(f"[\n{text}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))  # type: ignore[arg-type]
