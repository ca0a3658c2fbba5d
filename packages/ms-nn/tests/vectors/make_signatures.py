"""Records signatures.json with MindSpore 2.6 itself: how its classes are made and called.

For every class of nn, mint.nn, mint.optim and train that is here, too: names, kinds and defaults of the parameters of
the class and of its public methods. Where 2.6 hides the parameters of a class behind a decorator there are none.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

PLAIN = (bool, int, float, str, tuple, type(None))


def shown(value: Any) -> str:
    """The signature as text: only what is the same in every process."""
    texts = []
    for p in inspect.signature(value).parameters.values():
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = ""
        if p.default is not p.empty:
            default = "=" + (repr(p.default) if isinstance(p.default, PLAIN) else "...")
        texts.append(f"{mark}{p.name}{default}")
    return ", ".join(texts)


def of_class(kind: type, base: type) -> dict[str, str]:
    """The class itself, and what it has that the base of all does not have, or has otherwise."""
    found = {"": shown(kind)}
    for name in sorted(dir(kind)):
        method = getattr(kind, name)
        if not name.startswith("_") and inspect.isfunction(method) and method is not getattr(base, name, None):
            found[name] = shown(method)
    return found


def classes(module: ModuleType, base: type) -> dict[str, dict[str, str]]:
    found = {}
    for name in sorted(dir(module)):
        kind = getattr(module, name)
        if inspect.isclass(kind) and not name.startswith("_") and name != "Buffer":  # a Tensor
            try:
                found[name] = of_class(kind, base)
            except ValueError:  # no signature
                continue
    return found


if __name__ == "__main__":
    from mindspore import mint, nn, train

    modules = {"nn": nn, "mint.nn": mint.nn, "mint.optim": mint.optim, "train": train}
    rows = {name: classes(module, nn.Cell) for name, module in modules.items()}
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("signatures.json")
    parts = [
        json.dumps(name) + ": {\n" + ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in row.items()) + "\n}"
        for name, row in rows.items()
    ]
    target.write_text("{\n" + ",\n".join(parts) + "\n}\n")
