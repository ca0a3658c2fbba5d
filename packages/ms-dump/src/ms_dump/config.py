"""What MINDSPORE_DUMP_CONFIG says: read, checked, and as one object."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["CATEGORIES", "VARIABLE", "Config", "Kernels", "Ranges", "from_environment", "parse", "read"]

VARIABLE = "MINDSPORE_DUMP_CONFIG"
CATEGORIES = {  # name in the configuration -> column of statistic.csv
    "max": "Max Value",
    "min": "Min Value",
    "avg": "Avg Value",
    "count": "Count",
    "negative zero count": "Negative Zero Count",
    "positive zero count": "Positive Zero Count",
    "nan count": "NaN Count",
    "negative inf count": "Negative Inf Count",
    "positive inf count": "Positive Inf Count",
    "zero count": "Zero Count",
    "md5": "MD5",
    "l2norm": "L2Norm Value",
}
_ON_DEVICE = ("max", "min", "avg", "l2norm")
_LOG = logging.getLogger("ms_dump")
_MISSING = object()


@dataclass(frozen=True)
class Ranges:
    """The iterations that are saved.

    >>> some = Ranges.of("0|5-8|100")
    >>> [n for n in range(200) if n in some]
    [0, 5, 6, 7, 8, 100]
    >>> 12345 in Ranges.of("all")
    True
    """

    pairs: tuple[tuple[int, int], ...] = ()
    everything: bool = False

    @classmethod
    def of(cls, text: str) -> Ranges:
        """Read "all", or numbers and ranges separated by "|".

        Raises:
            ValueError: the text is something else.
        """
        if text.strip() == "all":
            return cls(everything=True)
        pairs = []
        for part in text.split("|"):
            found = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
            first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
            if last < first:
                raise ValueError(f"'{part}' is neither a number nor a range of them")
            pairs.append((first, last))
        return cls(tuple(pairs))

    def __contains__(self, iteration: int) -> bool:
        return self.everything or any(first <= iteration <= last for first, last in self.pairs)


@dataclass(frozen=True)
class Kernels:
    """The ops that dump_mode 1 selects.

    >>> some = Kernels.of(["Default/Mul-op1", "conv", "name-regex(Default/net/.+)"])
    >>> some("Default/Mul-op1", "Mul"), some("Default/Conv2D-op7", "Conv2D"), some("Default/Add-op2", "Add")
    (True, True, False)
    >>> some("Default/net/Add-op2", "Add")
    True
    """

    names: frozenset[str] = frozenset()
    types: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def of(cls, items: list[str]) -> Kernels:
        """Full names (or their last part), op types in any case, or "name-regex(...)" over full names.

        Raises:
            ValueError: a regular expression that is none.
        """
        names, types, patterns = set(), [], []
        for item in items:
            found = re.fullmatch(r"name-regex\((.*)\)", item.strip())
            if found:
                try:
                    patterns.append(re.compile(found[1]))
                except re.error as error:
                    raise ValueError(f"'{item}' is no regular expression: {error}") from None
            elif "/" in item or re.search(r"-op\d+$", item):
                names.add(item.strip())
            else:
                types.append(item.strip().lower())
        return cls(frozenset(names), tuple(types), tuple(patterns))

    def __call__(self, name: str, kind: str) -> bool:
        short = name.rpartition("/")[2]
        if name in self.names or short in self.names:
            return True
        if any(text in kind.lower() for text in self.types):
            return True
        return any(pattern.fullmatch(name) for pattern in self.patterns)


@dataclass(frozen=True)
class Config:
    """A checked configuration; the attributes are the keys of the file.

    Attributes:
        enable: whether the dump is synchronous, which `set_dump` needs.
        layout: "mindspore", or "msprobe" (a key of our own).
        queue_bytes: the most memory that waits to be written (a key of our own).
    """

    dump_mode: int
    path: str
    net_name: str = "Net"
    iteration: Ranges = field(default_factory=lambda: Ranges(everything=True))
    op_debug_mode: int = 0
    saved_data: str = "tensor"
    input_output: int = 0
    kernels: Kernels = field(default_factory=Kernels)
    support_device: tuple[int, ...] = tuple(range(8))
    statistic_category: tuple[str, ...] = ("max", "min", "l2norm")
    overflow_number: int = 0
    enable: bool = True
    sample_mode: int = 0
    sample_num: int = 100
    save_kernel_args: bool = False
    layout: str = "mindspore"
    queue_bytes: int = 256 << 20

    @property
    def tensors(self) -> bool:
        """Whether whole tensors are saved."""
        return self.saved_data in ("tensor", "full")

    @property
    def statistics(self) -> bool:
        """Whether statistics are saved."""
        return self.saved_data in ("statistic", "full")


def _fail(key: str, rule: str, value: Any) -> None:
    shown = repr(value) if isinstance(value, (str, int, float)) else type(value).__name__
    raise ValueError(f"For '{VARIABLE}', the '{key}' must {rule}, but got {shown}.")


class _Section:
    """One section of the file, whose keys are taken out one by one; what is left over is nobody's."""

    def __init__(self, values: Mapping[str, Any], name: str) -> None:
        if not isinstance(values, Mapping):
            _fail(name, "be an object", values)
        self.values, self.name = dict(values), name

    def take(self, key: str, check: Callable[[Any], bool], rule: str, default: Any = _MISSING) -> Any:
        value = self.values.pop(key, default)
        if value is _MISSING:
            raise ValueError(f"For '{VARIABLE}', the '{key}' must be set in '{self.name}', but is missing.")
        if value is not default and not check(value):
            _fail(key, rule, value)
        return value

    def choice(self, key: str, values: tuple[Any, ...], default: Any = _MISSING) -> Any:
        kind = type(values[0])
        return self.take(key, lambda v: type(v) is kind and v in values, f"be one of {list(values)}", default)

    def number(self, key: str, default: Any = _MISSING, least: int = 0) -> Any:
        return self.take(key, lambda v: type(v) is int and v >= least, f"be an integer of at least {least}", default)

    def boolean(self, key: str, default: bool) -> Any:
        return self.take(key, lambda v: type(v) is bool, "be true or false", default)

    def strings(self, key: str, default: Any = _MISSING) -> Any:
        return self.take(key, lambda v: type(v) is list and all(type(x) is str for x in v), "be strings", default)

    def finish(self) -> None:
        for key in self.values:
            _LOG.warning("The key '%s' of '%s' in %s is not known and has no effect.", key, self.name, VARIABLE)


def read(path: str) -> Config:
    """Read a configuration file.

    Raises:
        ValueError: it cannot be read, is no JSON, or holds what `parse` refuses.
    """
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise ValueError(f"For '{VARIABLE}', the file must be readable, but got '{path}': {error}.") from None
    except ValueError as error:
        raise ValueError(f"For '{VARIABLE}', the file must be JSON, but got '{path}': {error}.") from None
    return parse(found)


def from_environment() -> Config | None:
    """The configuration that the environment names; None when it names none."""
    path = os.environ.get(VARIABLE)
    return read(path) if path else None


def _iteration(value: Any) -> Ranges:
    if not isinstance(value, str):
        _fail("iteration", "be a string", value)
    try:
        return Ranges.of(value)
    except ValueError:
        _fail("iteration", "be 'all' or like '0|5-8|100'", value)
        raise


def _path(common: _Section) -> str:
    path: str = common.take("path", lambda v: type(v) is str, "be a string", "")
    if not path:
        base = os.environ.get("MS_DIAGNOSTIC_DATA_PATH")
        if not base:
            raise ValueError(
                f"For '{VARIABLE}', the 'path' must be set in 'common_dump_settings', or MS_DIAGNOSTIC_DATA_PATH in "
                "the environment, but both are missing."
            )
        path = os.path.join(base, "debug_dump")
    if "://" not in path and not os.path.isabs(path):
        _fail("path", "be absolute", path)
    return path


def parse(values: Mapping[str, Any]) -> Config:
    """Check a configuration, given as the file's content.

    Raises:
        ValueError: a key is missing or has a wrong value; the text names it.

    >>> common = {"dump_mode": 2, "path": "/tmp/d", "net_name": "Net", "iteration": "all", "input_output": 0}
    >>> parse({"common_dump_settings": common, "e2e_dump_settings": {"enable": True}}).dump_mode
    2
    >>> parse({"common_dump_settings": {**common, "dump_mode": 7}})
    Traceback (most recent call last):
    ValueError: For 'MINDSPORE_DUMP_CONFIG', the 'dump_mode' must be one of [0, 1, 2], but got 7.
    """
    file = _Section(values, "the file")
    common = _Section(file.take("common_dump_settings", lambda v: True, ""), "common_dump_settings")
    e2e = _Section(file.values.pop("e2e_dump_settings", {}), "e2e_dump_settings")
    file.finish()
    debug = common.choice("op_debug_mode", (0, 3, 4), 0)
    mode = common.choice("dump_mode", (0, 1, 2))
    kernels = common.strings("kernels", [] if mode != 1 else _MISSING)
    try:
        chosen = Kernels.of(kernels)
    except ValueError as error:
        raise ValueError(f"For '{VARIABLE}', the 'kernels' must be names, types or patterns, but {error}.") from None
    made = Config(
        dump_mode=mode,
        path=_path(common),
        net_name=common.take("net_name", lambda v: type(v) is str and bool(v), "be a name"),
        iteration=_iteration(common.take("iteration", lambda v: True, "")),
        op_debug_mode=debug,
        saved_data=common.choice("saved_data", ("tensor", "statistic", "full"), "tensor"),
        input_output=common.choice("input_output", (0, 1, 2)),
        kernels=chosen,
        support_device=tuple(
            common.take(
                "support_device",
                lambda v: type(v) is list and all(type(x) is int and x >= 0 for x in v),
                "be device numbers",
                list(range(8)),
            )
        ),
        statistic_category=_categories(common),
        overflow_number=common.number("overflow_number", 0),
        layout=common.choice("layout", ("mindspore", "msprobe"), "mindspore"),
        queue_bytes=common.number("queue_bytes", 256 << 20, 1),
        enable=e2e.boolean("enable", False),
        sample_mode=e2e.choice("sample_mode", (0, 1), 0),
        sample_num=e2e.number("sample_num", 100, 1),
        save_kernel_args=e2e.boolean("save_kernel_args", False),
    )
    common.number("initial_iteration", 0)
    e2e.boolean("trans_flag", True)
    device = e2e.choice("stat_calc_mode", ("host", "device"), "host") == "device"
    e2e.choice("device_stat_precision_mode", ("high", "low"), "high")
    common.finish()
    e2e.finish()
    _check_together(made, device)
    return made


def _categories(common: _Section) -> tuple[str, ...]:
    found = common.strings("statistic_category", ["max", "min", "l2norm"])
    for name in found:
        if name not in CATEGORIES:
            _fail("statistic_category", f"hold names out of {list(CATEGORIES)}", name)
    return tuple(found)


def _check_together(config: Config, device: bool) -> None:
    """What the keys demand of each other."""
    debug = config.op_debug_mode
    if debug and config.dump_mode:
        _fail("dump_mode", f"be 0 when 'op_debug_mode' is {debug}", config.dump_mode)
    if debug and config.saved_data != "tensor":
        _fail("saved_data", f"be 'tensor' when 'op_debug_mode' is {debug}", config.saved_data)
    if debug == 3 and config.input_output:
        _fail("input_output", "be 0 when 'op_debug_mode' is 3", config.input_output)
    if debug == 4 and config.input_output == 2:
        _fail("input_output", "be 0 or 1 when 'op_debug_mode' is 4", config.input_output)
    if debug == 4 and not config.iteration.everything:
        _fail("iteration", "be 'all' when 'op_debug_mode' is 4", str(config.iteration.pairs))
    if device and debug:
        _fail("stat_calc_mode", f"be 'host' when 'op_debug_mode' is {debug}", "device")
    if device and config.statistics:
        for name in config.statistic_category:
            if name not in _ON_DEVICE:
                _fail("statistic_category", f"hold names out of {list(_ON_DEVICE)} on the device", name)
