"""Checks of what the functions for checkpoints are given; each raises before any work is done."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import ms_fs
from ms_fs import crypto
from ms_generator import Generator
from ms_kernels import Parameter, Tensor
from ms_nn.cell import Cell

__all__ = ["append_values", "async_mode", "boolean", "encryption", "load_name", "prefixes", "save_name"]

FORMATS = ("ckpt", "safetensors")


def boolean(value: Any) -> None:
    """A bool and nothing else."""
    if not isinstance(value, bool):
        raise TypeError(f"The input value must be a bool, but got {type(value).__name__}.")


def flag(arg: str, value: Any, kind: Any = bool) -> None:
    """2.6's other form of the same check, which it raises as a ValueError."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds):
        raise ValueError(f"The parameter '{arg}' must be isinstance of {kind}, but got {value}.")


def known_format(name: str, format: Any) -> None:
    """The name of a format."""
    if format not in FORMATS:
        raise ValueError(f"For '{name}', the format must be 'safetensors' or 'ckpt', but got {format}.")


def encryption(name: str, kind: str, key: Any, mode: Any, format: str = "ckpt") -> None:
    """`enc_key` and `enc_mode`, or `dec_key` and `dec_mode`: a key that fits its mode, or None."""
    flag(f"{kind}_key", key, (type(None), bytes))
    flag(f"{kind}_mode", mode, str)
    if key is not None and format == "safetensors":
        raise ValueError(
            f"For '{name}', when format is 'safetensors', the parameter '{kind}_key' must be set to default value "
            f"'None', but got '{key}'."
        )
    if key is not None:
        crypto.check_key(name, key, mode)


def async_mode(value: Any) -> str | None:
    """How to save in the background: "thread", "process", or None for not at all."""
    if not isinstance(value, (bool, str)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter 'async_save' must be bool or str, but got {type(value)}."
        )
    if isinstance(value, str) and value not in ("process", "thread"):
        raise ValueError(
            f"For 'save_checkpoint', the argument 'async_save' can only be 'process' or 'thread',but got {value}."
        )
    return ("thread" if value else None) if isinstance(value, bool) else value


def append_values(name: str, append: Any) -> dict[str, Any]:
    """`append_dict` with what is saved of each value; a float is saved as a float32, as in 2.6."""
    if append is None:
        return {}
    if not isinstance(append, dict):
        raise TypeError(f"For 'save_checkpoint', the argument 'append_dict' must be dict, but got {type(append)}.")
    made: dict[str, Any] = {}
    for key, value in append.items():
        if not isinstance(key, str) or not isinstance(value, (int, float, bool, str, Tensor, Generator)):
            raise TypeError(
                f"For '{name}', the type of dict 'append_info' must be key: string, value: int, float, bool or "
                f"Generator, but got key: {type(key)}, value: {type(value)}"
            )
        if isinstance(value, Generator):
            made[key] = value.get_state()._a
        elif isinstance(value, Tensor):
            made[key] = value._a
        elif isinstance(value, float):
            made[key] = np.asarray(value, np.float32)
        else:
            made[key] = value
    return made


def save_name(name: Any, format: str) -> str:
    """The file to write: with the suffix of its format, and no folder.

    Raises:
        TypeError: `name` is neither a string nor a path.
        IsADirectoryError: it is a folder.
    """
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter {name} for checkpoint file name is invalid,'ckpt_file_name' must be "
            f"string, but got {type(name)}."
        )
    text = os.fspath(name)
    backend, inner = ms_fs.resolve(text or os.curdir)
    if backend.is_folder(inner) and ("://" not in text or text.endswith("/")):
        raise IsADirectoryError(
            f"For 'save_checkpoint', the parameter `ckpt_file_name`: {text or os.getcwd()} is a directory, it must be "
            "a file name."
        )
    return text if text.endswith(f".{format}") else f"{text}.{format}"


def load_name(name: Any, format: Any) -> str:
    """The file to read, whose suffix tells the same as `format`."""
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"For 'load_checkpoint', the argument 'ckpt_file_name' must be string, but got {type(name)}.")
    if format not in FORMATS:
        raise ValueError(
            "For 'load_checkpoint', the checkpoint file should end with '.ckpt' or '.safetensors', please input the "
            "correct 'ckpt_file_name'."
        )
    text = os.fspath(name)
    if not text.endswith(f".{format}"):
        raise ValueError(
            "For 'load_checkpoint', the checkpoint file format must same with 'format', but got "
            f"file_name:'{text}', format:'{format}'"
        )
    return text


def prefixes(value: Any) -> tuple[str, ...] | None:
    """`filter_prefix` or `specify_prefix`: a text or several, none of them empty."""
    if value is None:
        return None
    if not isinstance(value, (str, list, tuple)):
        raise TypeError(
            "For 'load_checkpoint', the type of 'specify_prefix' or 'filter_prefix' must be string, list[string] or "
            f"tuple[string], but got {type(value)}."
        )
    listed = (value,) if isinstance(value, str) else tuple(value)
    if not listed:
        raise ValueError(
            "For 'load_checkpoint', the argument 'specify_prefix' or 'filter_prefix' can't be empty when "
            "'specify_prefix' or 'filter_prefix' is list or tuple."
        )
    for index, item in enumerate(listed):
        if not isinstance(item, str):
            raise TypeError(
                "For 'load_checkpoint', when 'specify_prefix' or 'filter_prefix' is list or tuple, the element in it "
                f"must be string, but got {type(item)} at index {index}."
            )
    if "" in listed:
        raise ValueError("For 'load_checkpoint', the value of 'specify_prefix' or 'filter_prefix' can't include ''.")
    return listed


def network(name: str, net: Any) -> None:
    """A Cell."""
    if not isinstance(net, Cell):
        raise TypeError(f"For '{name}', the argument 'net' should be a Cell, but got {type(net)}.")


def saved_items(save_obj: Any) -> dict[str, Any]:
    """What `save_checkpoint` is given, by name: Parameters, Tensors and texts.

    Raises:
        TypeError: it is nothing that can be saved.
    """
    if isinstance(save_obj, Cell):
        found: dict[str, Any] = {param.name: param for param in save_obj.get_parameters()}
        for name, value in save_obj.state_dict().items():
            if not isinstance(value, Parameter):
                found.setdefault(name, value)
        return found
    if isinstance(save_obj, dict):
        return _of_dict(save_obj)
    if isinstance(save_obj, list):
        return _of_list(save_obj)
    raise TypeError(
        f"For 'save_checkpoint', the parameter 'save_obj' must be nn.Cell, list or dict, but got {type(save_obj)}."
    )


def _of_dict(given: dict[Any, Any]) -> dict[str, Any]:
    for key, value in given.items():
        if not isinstance(key, str) or not isinstance(value, (Parameter, str)):
            raise TypeError(
                "For save_checkpoint, when save_obj is made up by dict, the key should be str and value should be "
                f"Parameter, but got the type of key is {type(key)} and the type of value is {type(value)}"
            )
    return dict(given)


def _of_list(given: list[Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for item in given:
        if isinstance(item, Parameter):
            made[item.name] = item
            continue
        if not isinstance(item, dict):
            raise TypeError(
                "For save_checkpoint, when save_obj is made up by list of Parameter,the param should be parameter, "
                f"but got {type(item)}"
            )
        if "name" not in item or "data" not in item:
            raise TypeError(
                "For save_checkpoint, save_obj should be a list of dict items, and the dict should have key values "
                f"'name' and 'value', but got {type(item)} and {item}."
            )
        if not isinstance(item["name"], str):
            raise TypeError(
                "For save_checkpoint, when save_obj is a list of dict items, the name in dict should be string, but "
                f"got {type(item['name'])}."
            )
        if not isinstance(item["data"], Tensor):
            raise TypeError(
                "For save_checkpoint, when save_obj is a list of dict items, the data in dict should be parameter, "
                f"but got {type(item['data'])}."
            )
        made[item["name"]] = item["data"]
    return made
