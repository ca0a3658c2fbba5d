"""`ckpt_to_safetensors` and `safetensors_to_ckpt`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import ms_fs

__all__ = ["ckpt_to_safetensors", "safetensors_to_ckpt"]

_PRIVATE = 0o600  # as 2.6 leaves converted files


def ckpt_to_safetensors(
    file_path: str | os.PathLike[str],
    save_path: str | os.PathLike[str] | None = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert .ckpt files to safetensors (``mindspore.ckpt_to_safetensors``).

    Args:
        file_path: a file, or a folder whose sub-folders "rank..." hold files.
        save_path: a folder, made if missing, for the new files (of a folder: with the same sub-folders); None: beside
            the old ones.
        name_map: new names of parameters.
        file_name_regex: of a folder, only files in whose names it is found.
        processes_num: how many files at a time.

    Raises:
        TypeError, ValueError: an argument is something else; there is no such file or folder; a file holds texts or
            complex128; a new name is there already.

    >>> from ms_nn import Dense
    >>> from ms_nn.train import load_checkpoint, save_checkpoint
    >>> save_checkpoint(Dense(2, 3), "memory://convert/net.ckpt")
    >>> ckpt_to_safetensors("memory://convert/net.ckpt", name_map={"weight": "w"})
    >>> list(load_checkpoint("memory://convert/net.safetensors", format="safetensors"))
    ['bias', 'w']
    """
    _convert(
        "ckpt_to_safetensors", "ckpt", "safetensors", file_path, save_path, name_map, file_name_regex, processes_num
    )


def safetensors_to_ckpt(
    file_path: str | os.PathLike[str],
    save_path: str | os.PathLike[str] | None = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert safetensors files to .ckpt (``mindspore.safetensors_to_ckpt``); see `ckpt_to_safetensors`.

    >>> from ms_nn import Dense
    >>> from ms_nn.train import check_checkpoint, save_checkpoint
    >>> save_checkpoint(Dense(2, 3), "memory://back/net.safetensors", format="safetensors")
    >>> safetensors_to_ckpt("memory://back/net.safetensors", "memory://back/new")
    >>> check_checkpoint("memory://back/new/net.ckpt")
    True
    """
    _convert(
        "safetensors_to_ckpt", "safetensors", "ckpt", file_path, save_path, name_map, file_name_regex, processes_num
    )


def _convert(
    name: str, old: str, new: str, file_path: Any, save_path: Any, name_map: Any, file_name_regex: Any, processes: Any
) -> None:
    if name_map is not None and not isinstance(name_map, Mapping):
        raise ValueError(f"For '{name}', the type of 'name_map' must be a directory, but got '{type(name_map)}'")
    if isinstance(processes, bool) or not isinstance(processes, int) or processes < 1:
        raise ValueError(f"For '{name}', the 'processes_num' must be a positive int, but got {processes}.")
    pattern = re.compile(file_name_regex) if file_name_regex is not None else None
    if not isinstance(file_path, (str, os.PathLike)) or not _exists(os.fspath(file_path)):
        raise ValueError(f"For '{name}', the input path must be a valid path or file, but got {file_path}")
    source, target = os.fspath(file_path), None if save_path is None else os.fspath(save_path)
    if target is not None and target.endswith((".ckpt", ".safetensors")):
        raise ValueError(f"For '{name}', the save_path must be a directory, but got '{target}'")
    backend, inner = ms_fs.resolve(source)
    if not backend.is_folder(inner):
        if not source.endswith(f".{old}"):
            raise ValueError(f"For '{name}', the input file must be a .{old} file, but got {source}")
        pairs = [(source, _beside(source, target, new))]
    else:
        pairs = _of_folder(name, source, target, old, new, pattern)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(processes, len(pairs)) or 1) as pool:
        for done in [pool.submit(_one, name, *pair, old, new, dict(name_map or {})) for pair in pairs]:
            done.result()


def _exists(path: str) -> bool:
    if not path:
        return False
    backend, inner = ms_fs.resolve(path)
    return backend.exists(inner)


def _beside(source: str, folder: str | None, new: str) -> str:
    head, name = ms_fs.split(source)
    return ms_fs.join(head if folder is None else folder, f"{name.rpartition('.')[0]}.{new}")


def _of_folder(
    name: str, source: str, target: str | None, old: str, new: str, pattern: re.Pattern[str] | None
) -> list[tuple[str, str]]:
    backend, inner = ms_fs.resolve(source)
    ranks = [entry for entry in backend.list(inner) if entry.startswith("rank")]
    ranks = [rank for rank in ranks if backend.is_folder(ms_fs.join(inner, rank))]
    if not ranks:
        raise ValueError(f"For '{name}', no directories starting with 'rank' found in {source}")
    pairs = []
    for rank in ranks:
        for entry in backend.list(ms_fs.join(inner, rank)):
            if entry.endswith(f".{old}") and (pattern is None or pattern.search(entry.rpartition(".")[0])):
                path = ms_fs.join(ms_fs.join(source, rank), entry)
                pairs.append((path, _beside(path, None if target is None else ms_fs.join(target, rank), new)))
    return pairs


def _one(name: str, source: str, target: str, old: str, new: str, names: dict[str, str]) -> None:
    values = ms_fs.load(source, old)
    renamed = [(names.get(key, key), value) for key, value in values.items()]
    if len(dict(renamed)) < len(renamed):
        raise ValueError(f"For '{name}', the 'name_map' must not give two parameters of {source} one name.")
    backend, inner = ms_fs.resolve(ms_fs.split(target)[0] or os.curdir)
    backend.make_folder(inner)
    ms_fs.save(renamed, target, new, permissions=_PRIVATE)
