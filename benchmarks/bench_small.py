"""Single small ops against torch: what a call costs."""

from __future__ import annotations

import numpy as np
import torch
from _compare import compare, heading

from ms_kernels import Parameter, Tensor, functional
from ms_kernels.tape.modes import record


def main() -> None:
    """Print nanoseconds per call."""
    torch.set_num_threads(1)
    data = np.ones((2, 2), np.float32)
    a, b, w = Tensor(data), Tensor(data), Parameter(Tensor(data), name="w")
    x, y, v = torch.from_numpy(data.copy()), torch.from_numpy(data.copy()), torch.ones(2, 2, requires_grad=True)
    heading("one thread, 2x2 float32", ["ours", "torch"], "ns")
    rounds, calls, scale = 31, 5000, 1e9
    compare("add", {"ours": lambda: a + b, "torch": lambda: x + y}, 0.5, rounds, calls, scale)
    compare("multiply by a number", {"ours": lambda: a * 2.0, "torch": lambda: x * 2.0}, None, rounds, calls, scale)
    compare("exp", {"ours": lambda: functional.exp(a), "torch": lambda: torch.exp(x)}, None, rounds, calls, scale)
    compare("sum", {"ours": lambda: a.sum(), "torch": lambda: x.sum()}, None, rounds, calls, scale)
    compare("reshape", {"ours": lambda: a.reshape(4), "torch": lambda: x.reshape(4)}, None, rounds, calls, scale)
    compare("matmul", {"ours": lambda: a @ b, "torch": lambda: x @ y}, None, rounds, calls, scale)
    compare("x[0]", {"ours": lambda: a[0], "torch": lambda: x[0]}, None, rounds, calls, scale)
    with record():
        compare("add, recorded", {"ours": lambda: w + b, "torch": lambda: v + y}, 0.5, rounds, calls, scale)


if __name__ == "__main__":
    main()
