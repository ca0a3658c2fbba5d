"""`set_dump`: which Cells and Primitives are dumped (``mindspore.common.dump``)."""

from __future__ import annotations

import warnings
from typing import Any

from ms_dump import session
from ms_dump.marks import is_cell
from ms_kernels import Primitive, settings

__all__ = ["set_dump"]


def set_dump(target: Any, enabled: bool = True) -> None:
    """Dump the ops of a Cell or Primitive, or stop doing so (``mindspore.set_dump``). By default nothing is dumped.

    It acts when the variable MINDSPORE_DUMP_CONFIG names a configuration with ``"dump_mode": 2`` and
    ``"enable": true`` in its ``e2e_dump_settings``. The flag reaches all parts of a Cell.

    Limits, which are those of 2.6.0:

    1. It takes effect in GRAPH_MODE with jit level O0 or O1 on the Ascend target, and not for ops that are part of a
       fused group. `ms_dump.anywhere(True)` lifts that: any mode, the CPU too.
    2. Call it before the training starts. What it says later may be too late for ops that have run.
    3. A Cell with a flag dumps its forward and its backward ops.
    4. SoftmaxCrossEntropyWithLogits has the same ops forward and backward, so that only the backward data is dumped;
       also with ``sparse=True`` and ``reduction="mean"``.

    Args:
        target: a Cell or a Primitive.
        enabled: whether it is dumped from now on.

    Raises:
        ValueError: `target` is something else, or `enabled` no bool.

    With MINDSPORE_DUMP_CONFIG naming a file whose "dump_mode" is 2, only the convolution of this network is dumped:

    >>> import mindspore as ms                                                        # doctest: +SKIP
    >>> import numpy as np                                                            # doctest: +SKIP
    >>> ms.set_context(mode=ms.GRAPH_MODE)                                            # doctest: +SKIP
    >>> ms.set_device("Ascend")                                                       # doctest: +SKIP
    >>> class Net(ms.nn.Cell):                                                        # doctest: +SKIP
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.conv = ms.nn.Conv2d(5, 6, kernel_size=5, pad_mode="valid")
    ...         self.relu = ms.nn.ReLU()
    ...     def construct(self, x):
    ...         return self.relu(self.conv(x))
    >>> net = Net()                                                                   # doctest: +SKIP
    >>> ms.set_dump(net.conv)                                                         # doctest: +SKIP
    >>> net(ms.Tensor(np.ones((1, 5, 10, 10), np.float32))).shape                     # doctest: +SKIP
    (1, 6, 6, 6)

    A wrong target:

    >>> set_dump("conv")
    Traceback (most recent call last):
    ValueError: For 'set_dump', the 'target' must be an instance of Cell or Primitive, but got <class 'str'>.
    """
    cell = is_cell(target)
    if not cell and not isinstance(target, Primitive):
        raise ValueError(
            f"For 'set_dump', the 'target' must be an instance of Cell or Primitive, but got {type(target)}."
        )
    if not isinstance(enabled, bool):
        raise ValueError(f"For 'set_dump', the 'enabled' must be bool, but got {type(enabled)}.")
    if not session.is_anywhere():
        _warn()
    if cell:
        _flag(target, enabled)
    else:
        target.add_prim_attr("dump", "true" if enabled else "false")
    session.start_once()


def _warn() -> None:
    """Say what stands against an effect; 2.6's order."""
    if settings.device_target != "Ascend":
        warnings.warn(
            f"Current device_target is {settings.device_target}, which is not supported by set_dump: only Ascend is. "
            "Choose it before set_dump is called, or call ms_dump.anywhere(True).",
            stacklevel=3,
        )
    if settings.mode != 0:
        warnings.warn(
            "Current mode is PYNATIVE_MODE, which is not supported by set_dump: only GRAPH_MODE is. "
            "Choose it before set_dump is called, or call ms_dump.anywhere(True).",
            stacklevel=3,
        )


def _flag(cell: Any, enabled: bool) -> None:
    """Put the flag on a cell and all its parts, also where a part is shared."""
    todo, seen = [cell], set[int]()
    while todo:
        part = todo.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        if hasattr(part, "add_flags"):
            part.add_flags(dump=enabled)
        else:
            part.dump = enabled
        todo.extend(part.cells())
