"""`mindspore.run_check`: does a small computation come out right?"""

from __future__ import annotations

from ms_common.alias.table import MINDSPORE_VERSION
from ms_kernels import Tensor, settings
from ms_kernels import functional as ops

__all__ = ["run_check"]


def run_check() -> None:
    """Multiply two tensors and print whether the product is right: 2.6's `mindspore.run_check`.

    >>> from ms_common.check import run_check
    >>> run_check()
    MindSpore version:  2.6.0
    The result of multiplication calculation is correct, MindSpore has been installed on platform [CPU] successfully!
    """
    print("MindSpore version: ", MINDSPORE_VERSION)
    product = ops.mul(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([2.0, -0.5])).asnumpy().tolist()
    right = product == [[2.0, -1.0], [6.0, -2.0]]
    verdict = "has been installed on platform [{}] successfully!" if right else "does not work on platform [{}]!"
    print(
        f"The result of multiplication calculation is {'correct' if right else 'wrong'}, MindSpore "
        + verdict.format(settings.device_target)
    )
