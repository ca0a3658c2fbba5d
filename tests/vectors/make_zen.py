"""Records zen.json with MindSpore 2.6 itself: ``python make_zen.py`` in an environment that has it.

The losses of the first steps of examples/zen.py, which is run as it is.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import mindspore as ms

STEPS = 60
PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "zen.py"


def main(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:  # 2.6 writes files where it is started
        command = [sys.executable, str(PROGRAM), "--steps", str(STEPS)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    losses = [float(value) for value in re.findall(r"^step \d+ loss ([\d.]+)$", done.stdout, re.MULTILINE)]
    if len(losses) != STEPS:
        raise RuntimeError(f"{len(losses)} losses in {STEPS} steps")
    path.write_text(json.dumps({"mindspore": ms.__version__, "losses": losses}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("zen.json"))
