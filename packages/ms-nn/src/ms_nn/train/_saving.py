"""`save_checkpoint`, and what is known of saves in the background."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import ms_fs
from ms_kernels import Tensor
from ms_nn.train import _checkpoint_args as args

__all__ = ["async_ckpt_thread_status", "save", "save_checkpoint"]

_LOG = logging.getLogger("ms_nn.train")
_READ_ONLY = 0o400  # 2.6 protects its checkpoints so; replacing a file needs no right to write it


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str | os.PathLike[str],
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Save parameters to a file (``mindspore.save_checkpoint``), which appears whole or not at all.

    Args:
        save_obj: a Cell (its parameters, and buffers that are persistent); a list of Parameters or of dicts with "name"
            and "data"; or a dict of names and Parameters, as `load_checkpoint` gives it.
        ckpt_file_name: a path, or the URL of any storage that ms-fs or fsspec knows; the suffix of the format is added
            where it is missing. The file is made read-only.
        integrated_save: for 2.6's sake: nothing is split over devices here.
        async_save: True or "thread": copy the values and write while the program goes on; "process": by another
            Python. An error of such a write is logged.
        append_dict: more values: int, float (saved as float32), bool, str, Tensor, or a Generator (its state).
        enc_key, enc_mode: encrypt by "AES-GCM", "AES-CBC" (keys of 16, 24 or 32 bytes) or "SM4-CBC" (16).
        choice_func: tells by its name whether a parameter is saved.
        crc_check: add a checksum.
        format: "ckpt" or "safetensors" (without encryption, texts and complex128).
        kwargs: accepted for 2.6's sake.

    Raises:
        TypeError, ValueError: an argument is something else.
        IsADirectoryError: `ckpt_file_name` is a folder.
        OSError: the file cannot be written; it is then as it was before. FileNotFoundError: its folder is missing.

    >>> from ms_kernels import Parameter, Tensor
    >>> save_checkpoint([Parameter(Tensor([1.0]), name="w")], "memory://one.ckpt", append_dict={"epoch": 2})
    >>> from ms_nn.train import load_checkpoint
    >>> {name: value.asnumpy().tolist() for name, value in load_checkpoint("memory://one.ckpt").items()}
    {'w': [1.0], 'epoch': 2}
    """
    save(
        save_obj,
        ckpt_file_name,
        integrated_save=integrated_save,
        async_save=async_save,
        append_dict=append_dict,
        enc_key=enc_key,
        enc_mode=enc_mode,
        choice_func=choice_func,
        crc_check=crc_check,
        format=format,
    )


def save(
    save_obj: Any,
    ckpt_file_name: Any,
    *,
    integrated_save: Any = True,
    async_save: Any = False,
    append_dict: Any = None,
    enc_key: Any = None,
    enc_mode: Any = "AES-GCM",
    choice_func: Any = None,
    crc_check: Any = False,
    format: Any = "ckpt",
) -> ms_fs.Pending | None:
    """`save_checkpoint` that hands out the write under way."""
    args.known_format("save_checkpoint", format)
    args.boolean(integrated_save)
    how = args.async_mode(async_save)
    args.flag("crc_check", crc_check)
    args.encryption("save_checkpoint", "enc", enc_key, enc_mode, format)
    if choice_func is not None and not callable(choice_func):
        raise TypeError(f"'{type(choice_func).__name__}' object is not callable")
    items = args.saved_items(save_obj)
    path = args.save_name(ckpt_file_name, format)
    if choice_func is not None:
        items = {name: value for name, value in items.items() if choice_func(name)}
    values = {name: value._a if isinstance(value, Tensor) else value for name, value in items.items()}
    values.update(args.append_values("save_checkpoint", append_dict))
    options: dict[str, Any] = {"crc": crc_check, "key": enc_key, "mode": enc_mode, "permissions": _READ_ONLY}
    if how is not None:
        return ms_fs.save_in_background(values, path, format, how=how, **options)
    ms_fs.wait()
    try:
        ms_fs.save(values, path, format, **options)
    except OSError:
        _LOG.critical(
            "Failed to save the checkpoint file %s. Maybe don't have the permission to write files, or the disk space "
            "is insufficient and so on.",
            path,
        )
        raise
    return None


def async_ckpt_thread_status() -> bool:
    """Whether a save in the background is under way (``mindspore.async_ckpt_thread_status``).

    >>> async_ckpt_thread_status()
    False
    """
    return bool(ms_fs.pending())
