"""For tests: a network that needs no ms-nn, contents of configurations, what a dump has left."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from ms_dump import session
from ms_kernels import Tensor, functional

__all__ = ["IMAGE", "Conv", "Net", "Part", "Relu", "content", "files", "types"]


class Part:
    """All that a dump asks of a Cell: parts, and a method `construct`."""

    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def cells(self) -> list[Any]:
        """The parts among the attributes."""
        return [part for part in vars(self).values() if isinstance(part, Part)]

    def construct(self, *args: Any) -> Any:
        """What the part computes; subclasses define it."""
        raise NotImplementedError

    def __call__(self, *args: Any) -> Any:
        return self.construct(*args)


class Conv(Part):
    """A convolution without a bias, 5 to 6 channels, kernel 5."""

    def __init__(self) -> None:
        super().__init__(weight=Tensor(np.random.default_rng(0).standard_normal((6, 5, 5, 5)).astype(np.float32)))

    def construct(self, x: Any) -> Any:
        return functional.conv2d(x, self.weight)


class Relu(Part):
    """What is positive."""

    def construct(self, x: Any) -> Any:
        return functional.relu(x)


class Net(Part):
    """The network of set_dump's example: a convolution, then a ReLU."""

    def __init__(self) -> None:
        super().__init__(conv=Conv(), relu=Relu())

    def construct(self, x: Any) -> Any:
        return self.relu(self.conv(x))


IMAGE = np.random.default_rng(1).standard_normal((1, 5, 10, 10)).astype(np.float32)


def content(path: Any, dump_mode: int = 0, enable: bool | None = True, **common: Any) -> dict[str, Any]:
    """The content of a configuration file; keywords add to its common settings or replace them."""
    known = {"path": str(path), "net_name": "Net", "iteration": "all", "input_output": 0, "kernels": []}
    e2e = {} if enable is None else {"enable": enable}
    return {"common_dump_settings": {"dump_mode": dump_mode, **known, **common}, "e2e_dump_settings": e2e}


def files(folder: pathlib.Path) -> list[pathlib.Path]:
    """All files below a folder, by name, after the dump has ended."""
    session.stop()
    return sorted(path for path in folder.rglob("*") if path.is_file())


def types(folder: pathlib.Path) -> set[str]:
    """The op types of the tensors below a folder."""
    return {path.name.partition(".")[0] for path in files(folder) if path.suffix == ".npy"}
