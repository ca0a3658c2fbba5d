"""Mixed precision: which cells of a network run in 16 bits, and the training step that goes with it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import ms_dtype as mstype
import ms_nn
from ms_nn._calls import cast
from ms_nn.cell import Cell
from ms_nn.train._loss_scale import TrainOneStepWithLossScaleCell
from ms_nn.train.loss_scale_manager import DynamicLossScaleManager, LossScaleManager
from ms_nn.wrap import TrainOneStepCell, WithLossCell

__all__ = [
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]

_LOG = logging.getLogger("ms_nn.train")
_LEVELS = ("O0", "O1", "O2", "O3")
_WHITE = (
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "Conv1dTranspose",
    "Conv2dTranspose",
    "Conv3dTranspose",
    "Dense",
    "LSTMCell",
    "RNNCell",
    "GRUCell",
)
_BLACK = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")


def _classes(names: tuple[str, ...]) -> list[Any]:
    return [getattr(ms_nn, name) for name in names if hasattr(ms_nn, name)]


def get_white_list() -> list[Any]:
    """The layers that level O1 runs in 16 bits, as a list to change and pass on (``mindspore.amp.get_white_list``).

    >>> ms_nn.Dense in get_white_list()
    True
    """
    return _classes(_WHITE)


def get_black_list() -> list[Any]:
    """The layers that level O2 keeps in float32, as a list to change and pass on (``mindspore.amp.get_black_list``).

    >>> [kind.__name__ for kind in get_black_list()]
    ['BatchNorm1d', 'BatchNorm2d', 'BatchNorm3d', 'LayerNorm']
    """
    return _classes(_BLACK)


class _OutputCast:
    """Stands in for a cell's `construct`, and converts what it returns."""

    def __init__(self, cell: Cell, dtype: Any) -> None:
        self.cell, self.dtype = cell, dtype

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        run: Callable[..., Any] = type(self.cell).construct
        return cast(run(self.cell, *args, **kwargs), self.dtype)


class _OutputTo32(Cell):
    """A network whose results come in float32."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self.training = backbone.training

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """What the network gives, in float32."""
        return cast(self._backbone(*args, **kwargs), mstype.float32)


def _checked_dtype(dtype: Any) -> Any:
    if dtype not in (mstype.float16, mstype.bfloat16):
        raise ValueError(f"The dtype should be one of (mstype.float16, mstype.bfloat16), but got {dtype}.")
    return dtype


def _run_in(cell: Cell, inside: Any, outside: Any) -> None:
    cell.to_float(inside)
    object.__setattr__(cell, "construct", _OutputCast(cell, outside))


def _lower_some(network: Cell, white: tuple[type, ...], dtype: Any) -> Cell:
    """Run the cells of some classes in `dtype`; what they give is float32 again."""
    for _, cell in network.cells_and_names():
        if isinstance(cell, white):
            _run_in(cell, dtype, mstype.float32)
    return network


def _lower_others(network: Cell, black: tuple[type, ...], dtype: Any) -> Cell:
    """Run the network in `dtype`, and in it the cells of some classes in float32."""
    network.to_float(dtype)
    for _, cell in network.cells_and_names():
        if isinstance(cell, black):
            _run_in(cell, mstype.float32, dtype)
    return _OutputTo32(network)


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: Any = mstype.float16) -> Any:
    """Make a network run partly in 16 bits (``mindspore.amp.auto_mixed_precision``). The parameters stay float32.

    Args:
        network: changed in place; use what is returned.
        amp_level: "O0": change nothing; "O1": the layers of `get_white_list` run in 16 bits, their results are float32
            again; "O2": all but the layers of `get_black_list` runs in 16 bits; "O3": all does. Operators called in a
            `construct` of one's own follow their inputs.
        dtype: float16 or bfloat16.

    Raises:
        TypeError: `network` is no Cell.
        ValueError: another level or dtype (2.6's level "auto" is not supported).

    >>> from ms_kernels import Tensor
    >>> net = auto_mixed_precision(ms_nn.SequentialCell(ms_nn.Dense(2, 2), ms_nn.ReLU()), "O2")
    >>> net(Tensor([[1.0, 2.0]])).dtype
    mindspore.float32
    """
    if not isinstance(network, Cell):
        raise TypeError(f"For amp_level '{amp_level}', the network type should be Cell.")
    _checked_dtype(dtype)
    if amp_level not in _LEVELS:
        raise ValueError(f"The amp level {amp_level} is not supported")
    if amp_level == "O0":
        return network
    if network.__dict__.get("_amp_level"):
        _LOG.warning(
            "The network's auto mixed-precision level is adjusted from %s to %s, and repeated calls to mixed-precision "
            "interfaces can cause performance degradation.",
            network.__dict__["_amp_level"],
            amp_level,
        )
    if amp_level == "O1":
        made = _lower_some(network, tuple(get_white_list()), dtype)
    else:
        made = _lower_others(network, tuple(get_black_list()) if amp_level == "O2" else (), dtype)
    object.__setattr__(made, "_amp_level", amp_level)
    return made


def custom_mixed_precision(
    network: Any, *, white_list: Any = None, black_list: Any = None, dtype: Any = mstype.float16
) -> Any:
    """`auto_mixed_precision` by a list of one's own (``mindspore.amp.custom_mixed_precision``).

    Args:
        network: changed in place; use what is returned.
        white_list: classes of cells that run in 16 bits, as level O1 does.
        black_list: classes of cells that stay in float32, as level O2 does; one of the two lists must be given.
        dtype: float16 or bfloat16.

    Raises:
        TypeError: `network` is no Cell, or a list is no list of classes.
        ValueError: both lists or none are given, or another dtype.
    """
    if not isinstance(network, Cell):
        raise TypeError("The network type should be Cell.")
    if white_list is None and black_list is None:
        raise ValueError("For custom_mixed_precision, one of white_list and black_list must be provided.")
    if white_list is not None and black_list is not None:
        raise ValueError(
            "For custom_mixed_precision, the white_list or black_list cannot be provided at the same time, please "
            "provide one or the other."
        )
    name, chosen = ("white_list", white_list) if white_list is not None else ("black_list", black_list)
    if not isinstance(chosen, list):
        raise TypeError(f"The type of {name} should be list, but got {type(chosen)}")
    for kind in chosen:
        if not isinstance(kind, type):
            raise TypeError(f"The element in {name} should be a class, but got {kind}")
    _checked_dtype(dtype)
    change = _lower_some if white_list is not None else _lower_others
    return change(network, tuple(chosen), dtype)


def build_train_network(
    network: Any, optimizer: Any, loss_fn: Any = None, level: str = "O0", boost_level: str = "O0", **kwargs: Any
) -> Any:
    """The cell that does a training step in mixed precision (``mindspore.amp.build_train_network``).

    Args:
        network: with the loss inside, or beside `loss_fn`.
        optimizer: updates its parameters.
        loss_fn: called with the outputs in float32 and the label.
        level: see `auto_mixed_precision`; "O2" also scales the loss dynamically.
        boost_level: "O0"; the others change nothing here.
        kwargs: `loss_scale_manager` in place of the level's; `cast_model_type` (float16 or float32) and
            `keep_batchnorm_fp32` in place of the level's choices.

    Raises:
        TypeError, ValueError: an argument is something else.
    """
    if not isinstance(network, Cell):
        raise TypeError(f"For amp_level '{level}', the network type should be Cell.")
    if not isinstance(optimizer, (ms_nn.Optimizer, Cell)):
        raise TypeError(f"The type of 'optimizer' should be 'Optimizer', but got type '{type(optimizer).__name__}'.")
    check_levels(level, boost_level)
    if loss_fn is not None and not isinstance(loss_fn, Cell):
        raise TypeError(f"The type of 'loss_fn' should be 'Cell', but got type '{type(loss_fn).__name__}'.")
    settings: dict[str, Any] = {
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
        "keep_batchnorm_fp32": level != "O3",
        "cast_model_type": mstype.float16 if level in ("O2", "O3") else mstype.float32,
    }
    for key, value in kwargs.items():
        if key not in settings:
            raise ValueError(f"Unsupported arg '{key}'")
        settings[key] = value
    manager = settings["loss_scale_manager"]
    check_scaling(manager, settings["keep_batchnorm_fp32"])
    if level == "O1":
        network = auto_mixed_precision(network, "O1")
    elif settings["cast_model_type"] == mstype.float16:
        network = auto_mixed_precision(network, "O2" if settings["keep_batchnorm_fp32"] else "O3")
    if loss_fn is not None:
        network = WithLossCell(network, loss_fn)
    if manager is None:
        return TrainOneStepCell(network, optimizer).set_train()
    update = manager.get_update_cell()
    if update is None:
        return TrainOneStepCell(network, optimizer, manager.get_loss_scale()).set_train()
    return TrainOneStepWithLossScaleCell(network, optimizer, update).set_train()


def check_levels(level: Any, boost_level: Any) -> None:
    """ValueError for unknown levels."""
    if level not in _LEVELS:
        raise ValueError(f"The 'level' should be in : {list(_LEVELS)}, but got {level}.")
    if boost_level not in ("O0", "O1", "O2"):
        raise ValueError(f"The 'boost_level' should be in : ['O0', 'O1', 'O2'], but got {boost_level}.")


def check_scaling(manager: Any, keep_batchnorm_fp32: Any) -> None:
    """TypeError for something that is no manager, or no bool."""
    if manager is not None and not isinstance(manager, LossScaleManager):
        kind = type(manager).__name__
        raise TypeError(f"The type of 'loss_scale_manager' should be 'LossScaleManager', but got type '{kind}'.")
    if not isinstance(keep_batchnorm_fp32, bool):
        kind = type(keep_batchnorm_fp32).__name__
        raise TypeError(f"The type of 'keep_batchnorm_fp32' should be 'bool', but got type '{kind}'.")
