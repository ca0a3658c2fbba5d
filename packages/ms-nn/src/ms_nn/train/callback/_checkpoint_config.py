"""`CheckpointConfig`: when checkpoints are saved, what is in them, and how many stay."""

from __future__ import annotations

from typing import Any

from ms_nn.cell import Cell
from ms_nn.train import _checkpoint_args as args

__all__ = ["CheckpointConfig"]

_COUNTED = ("epoch_num", "step_num")


def _count(value: Any) -> int | None:
    """An int of at least 0, or None."""
    if value is None:
        return None
    if isinstance(value, bool):
        raise TypeError(f"The input value must be int and must >= 0, but got '{value}' with type 'bool'.")
    if not isinstance(value, int):
        raise TypeError(f"The input value must be int, but got '{type(value).__name__}'")
    if value < 0:
        raise ValueError(f"The input value must be int and must >= 0, but got '{value}' with type 'int'.")
    return value


class CheckpointConfig:
    """The settings of a `ModelCheckpoint` (``mindspore.train.CheckpointConfig``).

    Args:
        save_checkpoint_steps: save after so many steps.
        save_checkpoint_seconds: without steps: save after so many seconds.
        keep_checkpoint_max: how many files stay; the oldest goes first.
        keep_checkpoint_per_n_minutes: without a maximum: one file of so many minutes stays.
        integrated_save: for 2.6's sake.
        async_save: False, True, "thread" or "process", as for `save_checkpoint`.
        saved_network: what is saved, instead of the whole training with its optimizer.
        append_info: a list of "epoch_num", "step_num" and dicts of more values, such as Generators; in a dict, these
            two names give what the counts start from.
        enc_key, enc_mode, crc_check, format: as for `save_checkpoint`.
        exception_save: save also when the training ends by an error.
        remove_redundancy: of use only with several devices.
        kwargs: accepted for 2.6's sake.

    Raises:
        TypeError, ValueError: an argument is something else, or all four counts are None or 0.

    >>> CheckpointConfig(save_checkpoint_steps=10).get_checkpoint_policy()["keep_checkpoint_max"]
    5
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list[Any] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        steps, seconds = _count(save_checkpoint_steps), _count(save_checkpoint_seconds)
        most, minutes = _count(keep_checkpoint_max), _count(keep_checkpoint_per_n_minutes)
        if not (steps or seconds or most or minutes):
            raise ValueError(
                "For 'CheckpointConfig', the input arguments 'save_checkpoint_steps', 'save_checkpoint_seconds', "
                "'keep_checkpoint_max' and 'keep_checkpoint_per_n_minutes' can't be all None or 0."
            )
        args.boolean(integrated_save)
        args.boolean(exception_save)
        args.async_mode(async_save)
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise TypeError(
                f"For 'CheckpointConfig', the type of 'saved_network' must be None or Cell, but got "
                f"{type(saved_network)}."
            )
        args.flag("enc_key", enc_key, (type(None), bytes))
        args.flag("enc_mode", enc_mode, str)
        args.flag("crc_check", crc_check)
        args.flag("remove_redundancy", remove_redundancy)
        args.flag("format", format, str)
        self._save_checkpoint_steps = steps
        self._save_checkpoint_seconds = None if steps else seconds
        self._keep_checkpoint_max = most
        self._keep_checkpoint_per_n_minutes = None if most else minutes
        if not most and not minutes:
            self._keep_checkpoint_max = 1
        self._integrated_save = integrated_save
        self._async_save = async_save
        self._saved_network = saved_network
        self._append_dict = _append_info(append_info)
        self._enc_key, self._enc_mode = enc_key, enc_mode
        self._crc_check, self._format = crc_check, format
        self._map_param_inc = bool(kwargs.get("incremental", False))
        self.exception_save = exception_save
        self.remove_redundancy = remove_redundancy

    @property
    def save_checkpoint_steps(self) -> int | None:
        """After how many steps to save."""
        return self._save_checkpoint_steps

    @property
    def save_checkpoint_seconds(self) -> int | None:
        """After how many seconds to save; None where steps count."""
        return self._save_checkpoint_seconds

    @property
    def keep_checkpoint_max(self) -> int | None:
        """How many files stay."""
        return self._keep_checkpoint_max

    @property
    def keep_checkpoint_per_n_minutes(self) -> int | None:
        """Of how many minutes one file stays; None where there is a maximum."""
        return self._keep_checkpoint_per_n_minutes

    @property
    def integrated_save(self) -> bool:
        """As given."""
        return self._integrated_save

    @property
    def async_save(self) -> bool | str:
        """As given."""
        return self._async_save

    @property
    def saved_network(self) -> Cell | None:
        """As given."""
        return self._saved_network

    @property
    def enc_key(self) -> bytes | None:
        """As given."""
        return self._enc_key

    @property
    def enc_mode(self) -> str:
        """As given."""
        return self._enc_mode

    @property
    def crc_check(self) -> bool:
        """As given."""
        return self._crc_check

    @property
    def format(self) -> str:
        """As given."""
        return self._format

    @property
    def map_param_inc(self) -> bool:
        """For 2.6's sake."""
        return self._map_param_inc

    @property
    def append_dict(self) -> dict[str, Any] | None:
        """The values of `append_info` by name."""
        return self._append_dict

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """The four counts, and the network to save."""
        return {
            "save_checkpoint_steps": self._save_checkpoint_steps,
            "save_checkpoint_seconds": self._save_checkpoint_seconds,
            "keep_checkpoint_max": self._keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": self._keep_checkpoint_per_n_minutes,
            "saved_network": self._saved_network,
        }


def _append_info(info: Any) -> dict[str, Any] | None:
    if info is None:
        return None
    if not isinstance(info, list):
        raise TypeError(f"For 'CheckpointConfig', the type of 'append_info' must be list,but got {type(info)}.")
    made: dict[str, Any] = {}
    for item in info:
        if not isinstance(item, (str, dict)):
            raise TypeError(
                f"For 'CheckpointConfig', the type of 'append_info' element must be str or dict,but got {type(item)}."
            )
        if isinstance(item, dict):
            args.append_values("CheckpointConfig", item)
            made.update(item)
        elif item in _COUNTED:
            made.setdefault(item, 0)
        else:
            raise ValueError(
                "For 'CheckpointConfig', the value of element in the argument 'append_info' must be in ['epoch_num', "
                f"'step_num'], but got {item}."
            )
    return made
