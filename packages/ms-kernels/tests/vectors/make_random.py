"""Records MindSpore 2.6's (CPU) initializer samplers: `python make_random.py OUT.json` where it is installed.

Every case: sampler, seed, parameters in the order of `ms_kernels.random.initial`, count; SHA-256 of the float32 bytes
and the first numbers' bits.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from mindspore.common import initializer as module

SAMPLERS = {
    "uniform": ("_random_uniform", [[0, 1], [-0.07, 0.07], [1, -1], [-3e38, 3e38], [0, 0]]),
    "normal": (
        "_random_normal",
        [[0, 1], [0, 0.01], [1.5, 2.25], [-3, 0.1], [0, 0], [0, 1e30], [1e-3, 1e-30], [0, 1e-42]],
    ),
    "truncated_normal": (
        "_truncated_normal",
        [
            [-2, 2, 0, 0.01],
            [-2, 2, 0, 1],
            [-0.02, 0.02, 0, 0.01],
            [0.3, 0.9, 0.1, 0.5],
            [1, 1, 0, 1],
            [3, -3, 0, 1],
            [5, 6, 0, 1],
            [8, 9, 0, 1],
            [-9, -4, 0, 1],
            [-39, -20, 0, 1],
            [50, 60, 0, 1],
            [-60, -50, 0, 1],
        ],
    ),
}
SEEDS = [1, 2**32, 2**63 - 1, 0x243F6A8885A308D3 >> 1]
COUNTS = [1, 2, 3, 31, 33, 1000, 300007]


def cases():
    for sampler, (name, parameters) in SAMPLERS.items():
        for values in parameters:
            for seed in SEEDS:
                for count in COUNTS[-1:] if seed != 1 else COUNTS:
                    out = np.zeros(count, np.float32)
                    getattr(module, name)(seed, out, *map(float, values))
                    yield {
                        "sampler": sampler,
                        "seed": seed,
                        "parameters": values,
                        "count": count,
                        "sha256": hashlib.sha256(out.tobytes()).hexdigest(),
                        "head": [f"{bits:08x}" for bits in out[:4].view(np.uint32)],
                    }


if __name__ == "__main__":
    text = ",\n".join(json.dumps(case) for case in cases())
    Path(sys.argv[1]).write_text(f"[\n{text}\n]\n", encoding="utf-8")
