"""Records programs.json: the losses of the example programs' first steps with MindSpore 2.6 itself."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
# how many steps are compared: rounding differences grow by training, in the Transformer the faster
RUNS = {"digits": (["--epochs", "2"], 44), "transformer": (["--epochs", "2"], 33)}


def losses(program: str, arguments: list[str]) -> list[float]:
    """Run a program in a folder of its own and read what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(EXAMPLES / f"{program}.py"), *arguments, "--losses", "losses.json"]
        subprocess.run(command, cwd=folder, check=True)
        found: list[float] = json.loads(Path(folder, "losses.json").read_text())
    return found


if __name__ == "__main__":
    target = HERE / "programs.json"
    recorded = {
        name: {"arguments": arguments, "losses": losses(name, arguments)[:steps]}
        for name, (arguments, steps) in RUNS.items()
    }
    target.write_text(json.dumps({"mindspore": "2.6.0", **recorded}) + "\n")
