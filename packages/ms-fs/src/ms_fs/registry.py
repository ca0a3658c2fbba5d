"""Which backend serves a path: names that are looked up late, plug-ins, and fsspec for everything else."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

from ms_fs.spec import Backend

__all__ = ["GROUP", "backend", "known", "register", "resolve", "unregister"]

GROUP = "ms_fs.backends"  # plug-ins say under this name in their package data which class serves a protocol

_LOCK = threading.RLock()
_MADE: dict[str, Backend] = {}
_NAMED: dict[str, Any] = {"file": "ms_fs.local:LocalBackend", "local": "ms_fs.local:LocalBackend"}

known: Mapping[str, Any] = MappingProxyType(_NAMED)
"""The registered names; protocols that only fsspec knows are not among them."""


def register(name: str, made: Backend | type[Backend] | str, *, replace: bool = False) -> None:
    """Let a backend serve the URLs that begin with `name://`.

    Args:
        name: the protocol.
        made: a Backend, a class of it, or "module:Class", which is imported when first needed.
        replace: take the place of a backend of that name.

    Raises:
        TypeError: `made` is something else.
        ValueError: the name is taken, empty, or no protocol.

    >>> register("scratch", "ms_fs.local:LocalBackend")
    >>> "scratch" in known
    True
    >>> register("scratch", "ms_fs.local:LocalBackend")
    Traceback (most recent call last):
    ValueError: For 'register', the 'name' must be free, but got 'scratch', which is taken.
    >>> unregister("scratch")
    """
    if not isinstance(name, str) or not name or not name.replace("+", "").replace("-", "").isalnum():
        raise ValueError(f"For 'register', the 'name' must be letters and digits, but got {name!r}.")
    if not (isinstance(made, (Backend, str)) or (isinstance(made, type) and issubclass(made, Backend))):
        raise TypeError(
            f"For 'register', the 'made' must be a Backend, a class of it or a string, but got {type(made).__name__}."
        )
    if isinstance(made, str) and not all(part.strip() for part in made.partition(":")):
        raise ValueError(f"For 'register', the 'made' must be 'module:Class', but got {made!r}.")
    with _LOCK:
        if name in _NAMED and not replace:
            raise ValueError(f"For 'register', the 'name' must be free, but got '{name}', which is taken.")
        _NAMED[name] = made
        _MADE.pop(name, None)


def unregister(name: str) -> None:
    """Forget a backend.

    Raises:
        KeyError: there is none of that name.
    """
    with _LOCK:
        del _NAMED[name]
        _MADE.pop(name, None)


def backend(name: str) -> Backend:
    """The backend of a protocol: a registered one, a plug-in, or fsspec's.

    Raises:
        ImportError: what serves it is not installed.
        TypeError: what is registered is no Backend.
        ValueError: nobody knows the protocol.

    >>> backend("file").name
    'file'
    """
    with _LOCK:
        if name not in _MADE:
            _MADE[name] = _make(name)
        return _MADE[name]


def _make(name: str) -> Backend:
    found = _NAMED.get(name)
    if found is None:
        from importlib.metadata import entry_points  # takes longer to load than all of this package

        plugins = [point for point in entry_points(group=GROUP) if point.name == name]
        if len({point.value for point in plugins}) > 1:
            names = ", ".join(sorted(point.value for point in plugins))
            raise ValueError(f"For 'backend', the protocol '{name}' must have one plug-in, but got several: {names}.")
        found = plugins[0].load() if plugins else _of_fsspec(name)
    if isinstance(found, str):
        module, _, attribute = found.partition(":")
        found = getattr(import_module(module), attribute)
    made = found() if isinstance(found, type) else found
    if not isinstance(made, Backend):
        raise TypeError(f"For 'backend', what serves '{name}' must be a Backend, but got {type(made).__name__}.")
    return made


def _of_fsspec(name: str) -> Backend:
    import fsspec

    from ms_fs.remote import FsspecBackend

    fsspec.get_filesystem_class(name.split("::")[0])  # raises for what nobody knows
    return FsspecBackend(name)


def resolve(path: str | os.PathLike[str]) -> tuple[Backend, str]:
    """The backend of a path, and the path as that backend wants it.

    A path without `://` is local; a `~` at its start is the home folder.

    Raises:
        TypeError: `path` is neither a string nor a path.
        ValueError: it is empty, or nobody knows its protocol.

    >>> resolve("a/b.ckpt")[0].name, resolve("memory://b.ckpt")
    ('file', (<ms_fs.remote.FsspecBackend object at ...>, 'memory://b.ckpt'))
    """
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"For 'resolve', the 'path' must be a string or a path, but got {type(path).__name__}.")
    if not text:
        raise ValueError("For 'resolve', the 'path' must not be empty.")
    protocol, mark, rest = text.partition("://")
    if not mark and "::" not in text:
        return backend("file"), os.path.expanduser(text)
    found = backend(protocol)
    return found, text if found.whole_urls else rest
