"""Checks of what a `Model` and its methods are given."""

from __future__ import annotations

from typing import Any

from ms_kernels import Tensor
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.optim.base import Optimizer

__all__ = [
    "check_batch",
    "check_cells",
    "check_epochs",
    "check_frequency",
    "check_options",
    "check_predict",
    "check_sink",
    "dataset_size",
]

_OPTIONS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")
_PLAIN = (Tensor, int, float, str, type(None))


def check_epochs(method: str, epoch: Any, initial_epoch: Any) -> None:
    """`epoch` is an int above `initial_epoch`, and that is not negative.

    Raises:
        TypeError, ValueError: they are not.
    """
    _check.integer(method, "epoch", epoch)
    _check.integer(method, "initial_epoch", initial_epoch, 0)
    if initial_epoch >= epoch:
        raise ValueError(
            f"For '{method}', the parameter 'epoch' must bigger than parameter 'initial_epoch', but got the parameter "
            f"'epoch' is {epoch}, 'initial_epoch' is {initial_epoch}."
        )


def check_sink(method: str, dataset_sink_mode: Any, sink_size: Any) -> None:
    """A bool, and -1 or a positive int.

    Raises:
        TypeError, ValueError: they are not.
    """
    _check.boolean(method, "dataset_sink_mode", dataset_sink_mode)
    if isinstance(sink_size, bool) or not isinstance(sink_size, int):
        raise TypeError(f"The type of input value must be 'int', but got '{type(sink_size).__name__}'.")
    if sink_size < -1 or sink_size == 0:
        raise ValueError(f"For '{method}', The argument 'sink_size' must be -1 or positive, but got {sink_size}.")


def dataset_size(method: str, arg: str, dataset: Any) -> int:
    """The number of batches of a dataset.

    Raises:
        TypeError: it is no dataset.
        ValueError: it is empty.
    """
    if not hasattr(dataset, "get_dataset_size") or not hasattr(dataset, "create_tuple_iterator"):
        raise TypeError(f"For '{method}', the '{arg}' must be a dataset, but got {type(dataset).__name__}.")
    size = int(dataset.get_dataset_size())
    if size == 0:
        raise ValueError("There is no valid data in dataset, please check dataset file firstly.")
    return size


def check_batch(arg: str, batch: Any, with_loss: bool) -> None:
    """With a `loss_fn` of its own, a model takes data and label.

    Raises:
        ValueError: the dataset gives more or less.
    """
    if with_loss and len(batch) != 2:
        raise ValueError(
            f"When 'loss_fn' is not None, '{arg}' should return two elements, but got {len(batch)}, please check the "
            f"number of elements returned by '{arg}'"
        )


def check_predict(data: Any) -> None:
    """Tensors, numbers and strings, in lists, tuples or dicts of them.

    Raises:
        TypeError: something else.
    """
    for item in data:
        parts = list(item.values()) if isinstance(item, dict) else item if isinstance(item, (tuple, list)) else [item]
        for part in parts:
            if not isinstance(part, _PLAIN):
                raise TypeError(
                    "The types of input data must be in the Union(Tensor, None, int, float, str, tuple[Tensor, None, "
                    "int, float, str], list[Tensor, None, int, float, str], dict[Tensor, None, int, float, str]), but "
                    f"got type {type(part).__name__}."
                )


def check_cells(network: Any, loss_fn: Any, optimizer: Any, eval_network: Any) -> None:
    """All are cells; all but the network may be None.

    Raises:
        TypeError: they are not.
    """
    for arg, value, kind in (
        ("network", network, Cell),
        ("loss_fn", loss_fn, Cell),
        ("optimizer", optimizer, (Optimizer, Cell)),
        ("eval_network", eval_network, Cell),
    ):
        if (value is not None or arg == "network") and not isinstance(value, kind):
            wanted = "Optimizer" if arg == "optimizer" else "Cell"
            raise TypeError(f"The type of '{arg}' should be '{wanted}', but got type '{type(value).__name__}'.")


def check_options(kwargs: dict[str, Any], eval_indexes: Any) -> None:
    """Known keywords, and three indexes or None.

    Raises:
        ValueError: they are not.
    """
    for key in kwargs:
        if key not in _OPTIONS:
            raise ValueError(
                "The argument in 'kwargs' should be 'loss_scale_manager' or 'keep_batchnorm_fp32' or "
                f"'boost_config_dict' or 'acc_level', but got '{key}'."
            )
    if eval_indexes is not None and not (isinstance(eval_indexes, list) and len(eval_indexes) == 3):
        raise ValueError(
            "The argument 'eval_indexes' must be a list or None. If 'eval_indexes' is a list, length of it must be "
            f"three. But got 'eval_indexes' {eval_indexes}"
        )


def check_frequency(valid_frequency: Any) -> None:
    """An int of at least 1, or a list.

    Raises:
        TypeError, ValueError: it is not.
    """
    if isinstance(valid_frequency, bool) or not isinstance(valid_frequency, (int, list)):
        raise TypeError(
            "For 'Model.fit', the type of 'valid_frequency' must be a list or an integer, but got type "
            f"{type(valid_frequency)}."
        )
    if isinstance(valid_frequency, int) and valid_frequency < 1:
        raise ValueError(f"For 'Model.fit', the 'valid_frequency' must be at least 1, but got {valid_frequency}.")
