"""Folders and names of paths and URLs alike."""

from __future__ import annotations

import os

__all__ = ["join", "split"]


def split(path: str) -> tuple[str, str]:
    """The folder and the name of a path or URL.

    >>> split("memory://a/b.ckpt"), split("memory://b.ckpt")
    (('memory://a', 'b.ckpt'), ('memory://', 'b.ckpt'))
    """
    head, mark, rest = path.rpartition("://")
    if not mark:
        return os.path.split(path)
    folder, _, name = rest.rpartition("/")
    return head + mark + folder, name


def join(folder: str, name: str) -> str:
    """The path or URL of a name in a folder.

    >>> join("memory://", "b.ckpt"), join("memory://a/", "b.ckpt")
    ('memory://b.ckpt', 'memory://a/b.ckpt')
    """
    if "://" not in folder:
        return os.path.join(folder, name)
    return folder + name if folder.endswith("/") else f"{folder}/{name}"
