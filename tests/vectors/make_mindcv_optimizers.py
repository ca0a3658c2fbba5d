"""Records mindcv_optimizers.json: tests/clients/mindcv_optimizers.py with MindSpore 2.6 itself, and mindcv 0.3.0."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE.parent / "clients" / "mindcv_optimizers.py"
NAMES = ["sgd", "momentum", "adam", "adamw", "lion", "nadam", "adan", "rmsprop", "adagrad"]

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "mindcv_optimizers.json"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(PROGRAM), *NAMES]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=folder, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("{"))
    target.write_text(json.dumps({"mindspore": "2.6.0", "mindcv": "0.3.0", "losses": json.loads(line)}) + "\n")
