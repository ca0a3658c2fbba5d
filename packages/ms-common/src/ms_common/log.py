"""`mindspore.log`: 2.6's levels and line format over the standard `logging`.

The packages log under their own names (`logging.getLogger("ms_kernels")` ...) and never configure anything;
`ms_common.activate()` attaches one handler to these loggers and to "mindspore", the logger of the functions here.
Environment variables, read at that moment, as in 2.6:

| variable | meaning | default |
|---|---|---|
| `GLOG_v` | level from which on messages are logged: 0 DEBUG, 1 INFO, 2 WARNING, 3 ERROR, 4 CRITICAL | 2 |
| `GLOG_logtostderr` | 1: to standard error; 0: to files in GLOG_log_dir | 1 |
| `GLOG_log_dir` | directory of the files: `<dir>/rank_<RANK_ID>/logs/mindspore.log.<pid>` | none |
| `GLOG_stderrthreshold` | with files: level from which on messages go to standard error, too | 2 |
| `logger_maxBytes`, `logger_backupCount` | size at which a file is rotated, number of rotated files | 52428800, 30 |

>>> from ms_common import log
>>> log.get_level() in ("0", "1", "2", "3", "4")
True
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Mapping
from typing import Any

__all__ = ["critical", "debug", "error", "get_level", "get_log_config", "info", "warning"]

_LEVELS = {
    "0": logging.DEBUG,
    "1": logging.INFO,
    "2": logging.WARNING,
    "3": logging.ERROR,
    "4": logging.CRITICAL,
}
_LOGGERS = (
    *("ms_dtype", "ms_dynshape", "ms_hooks", "ms_fs", "ms_kernels", "ms_generator", "ms_jit", "ms_dump"),
    *("ms_initializer", "ms_nn", "ms_common", "mindspore"),
)
_logger = logging.getLogger("mindspore")


class Formatter(logging.Formatter):
    """2.6's line: `[LEVEL] ME(pid:thread,process):date-time [file:line] message`."""

    def __init__(self) -> None:
        super().__init__(
            "[%(levelname)s] ME(%(process)d:%(thread)d,%(processName)s):%(asctime)s [%(place)s:%(lineno)d] %(message)s"
        )

    def format(self, record: logging.LogRecord) -> str:
        package, _, _ = record.name.partition(".")
        _, inside, rest = record.pathname.rpartition(f"{os.sep}{package}{os.sep}")
        # Files of the packages are shown from the package on, those of the user in full.
        record.place = f"{package}/{rest.replace(os.sep, '/')}" if inside else record.pathname
        return super().format(record)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        micros = int(record.created % 1 * 1_000_000)
        start = time.strftime(datefmt or "%Y-%m-%d-%H:%M:%S", time.localtime(record.created))
        return f"{start}.{micros // 1000:03d}.{micros % 1000:03d}"


class _Stderr(logging.StreamHandler):  # type: ignore[type-arg]  # not generic in Python 3.10
    """Writes to what sys.stderr is when the message comes, since notebooks and test runners replace it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stderr


def _level(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name) or "2"
    if value not in _LEVELS:
        raise ValueError(
            f"For 'mindspore.log', the environment variable '{name}' must be 4 (CRITICAL), 3 (ERROR), 2 (WARNING), "
            f"1 (INFO) or 0 (DEBUG), but got '{value}'."
        )
    return value


def _positive(environ: Mapping[str, str], name: str, default: int) -> int:
    value = environ.get(name) or str(default)
    if not value.isdecimal():
        raise ValueError(
            f"For 'mindspore.log', the environment variable '{name}' must be an integer >= 0, but got '{value}'."
        )
    return int(value)


def _config(environ: Mapping[str, str]) -> dict[str, Any]:
    """Read and check the environment."""
    level, stderr_level = _level(environ, "GLOG_v"), _level(environ, "GLOG_stderrthreshold")
    to_stderr = environ.get("GLOG_logtostderr") or "1"
    if to_stderr not in ("0", "1"):
        raise ValueError(
            f"For 'mindspore.log', the environment variable 'GLOG_logtostderr' must be 0 or 1, but got '{to_stderr}'."
        )
    config: dict[str, Any] = {"GLOG_v": level, "GLOG_logtostderr": to_stderr}
    if to_stderr == "1":
        return config
    directory = environ.get("GLOG_log_dir")
    if not directory:
        raise ValueError(
            "For 'mindspore.log', the environment variable 'GLOG_log_dir' must be set when GLOG_logtostderr is 0, but "
            "it is empty."
        )
    rank = f"rank_{environ.get('RANK_ID') or '0'}"
    return config | {
        "GLOG_log_dir": os.path.join(os.path.realpath(os.path.expanduser(directory)), rank, "logs"),
        "logger_maxBytes": _positive(environ, "logger_maxBytes", 52428800),
        "logger_backupCount": _positive(environ, "logger_backupCount", 30),
        "GLOG_stderrthreshold": stderr_level,
    }


def _handlers(config: dict[str, Any]) -> list[logging.Handler]:
    stderr: logging.Handler = _Stderr()
    made = [stderr]
    if config["GLOG_logtostderr"] == "0":
        from logging.handlers import RotatingFileHandler

        directory = config["GLOG_log_dir"]
        os.makedirs(directory, mode=0o700, exist_ok=True)
        made.append(
            RotatingFileHandler(
                os.path.join(directory, f"mindspore.log.{os.getpid()}"),
                maxBytes=config["logger_maxBytes"],
                backupCount=config["logger_backupCount"],
                encoding="utf-8",
                delay=True,
            )
        )
        stderr.setLevel(_LEVELS[config["GLOG_stderrthreshold"]])
    for handler in made:
        handler.setFormatter(Formatter())
    return made


class _Attached:
    """What `attach` changed, so that `detach` can undo it."""

    def __init__(self) -> None:
        self.config: dict[str, Any] = {}
        self.handlers: list[logging.Handler] = []
        self.before: dict[str, tuple[int, bool]] = {}


_attached = _Attached()


def attach() -> None:
    """Send the packages' messages to where the environment says. Calling it again does nothing.

    Raises:
        ValueError: an environment variable holds a value that 2.6 refuses.
    """
    if _attached.handlers:
        return
    _attached.config = _config(os.environ)
    _attached.handlers = _handlers(_attached.config)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        _attached.before[name] = (logger.level, logger.propagate)
        if logger.level == logging.NOTSET:
            logger.setLevel(_LEVELS[_attached.config["GLOG_v"]])
        logger.propagate = False  # as 2.6's logger: a program's basicConfig() does not print its messages again
        for handler in _attached.handlers:
            logger.addHandler(handler)


def detach() -> None:
    """Undo `attach`."""
    for name, (level, propagate) in _attached.before.items():
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.propagate = propagate
        for handler in _attached.handlers:
            logger.removeHandler(handler)
    for handler in _attached.handlers:
        handler.close()
    _attached.__init__()  # type: ignore[misc]


def debug(msg: object, *args: object, **kwargs: Any) -> None:
    """Log `msg % args` at level DEBUG (GLOG_v=0).

    >>> from ms_common import log
    >>> log.debug("step %d", 3)
    """
    _logger.debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: object, *args: object, **kwargs: Any) -> None:
    """Log `msg % args` at level INFO (GLOG_v=1 or less).

    >>> from ms_common import log
    >>> log.info("loss %.2f", 0.25)
    """
    _logger.info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: object, *args: object, **kwargs: Any) -> None:
    """Log `msg % args` at level WARNING (GLOG_v=2 or less: shown by default)."""
    _logger.warning(msg, *args, stacklevel=2, **kwargs)


def error(msg: object, *args: object, **kwargs: Any) -> None:
    """Log `msg % args` at level ERROR (GLOG_v=3 or less)."""
    _logger.error(msg, *args, stacklevel=2, **kwargs)


def critical(msg: object, *args: object, **kwargs: Any) -> None:
    """Log `msg % args` at level CRITICAL (any GLOG_v)."""
    _logger.critical(msg, *args, stacklevel=2, **kwargs)


def get_level() -> str:
    """Return the level, "0" (DEBUG) to "4" (CRITICAL), as text: 2.6's `mindspore.get_level`.

    >>> from ms_common import log
    >>> log.get_level() in ("0", "1", "2", "3", "4")
    True
    """
    return str(get_log_config()["GLOG_v"])


def get_log_config() -> dict[str, Any]:
    """Return the settings of the log under the names of their environment variables: 2.6's `mindspore.get_log_config`.

    >>> from ms_common import log
    >>> sorted(log.get_log_config())[-2:]
    ['GLOG_logtostderr', 'GLOG_v']
    """
    return dict(_attached.config or _config(os.environ))
