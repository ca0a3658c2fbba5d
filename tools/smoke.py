"""Imports everything and runs one small step of everything: that the wheels work on this Python at all."""

from __future__ import annotations

import platform
import sys
import time


def main() -> int:
    start = time.perf_counter()
    import ms_common

    ms_common.activate()
    import mindspore as ms  # type: ignore[import-not-found,unused-ignore]
    from mindspore import nn, ops  # type: ignore[import-not-found,unused-ignore]

    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float32)
    assert (x + x).asnumpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert ops.matmul(x, x).asnumpy().tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert (x.astype(ms.bfloat16) * 2).dtype == ms.bfloat16
    assert ms.grad(lambda t: (t * t).sum())(x).asnumpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert nn.Dense(2, 3)(x).shape == (2, 3)
    ms.save_checkpoint(nn.Dense(2, 3), "memory://smoke.ckpt")
    assert list(ms.load_checkpoint("memory://smoke.ckpt")) == ["weight", "bias"]
    print(f"smoke test passed: Python {platform.python_version()}, {time.perf_counter() - start:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
