"""The command line: `python -m ms_common run SCRIPT [--device NAME] [args...]`, `drift SCRIPT` and `version`."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module

from ms_common._version import __version__
from ms_common.alias import MINDSPORE_VERSION, activate, rows

__all__ = ["main"]

USAGE = """\
usage: python -m ms_common run [options] SCRIPT [options] [args...]
       python -m ms_common run [options] -m MODULE [options] [args...]
       python -m ms_common drift [options] SCRIPT [options] [args...]
       python -m ms_common version

run SCRIPT as Python would, with `import mindspore` resolving to ms-common; or run it on two targets at once and report
what the first computes differently.

options:
  --device NAME  device to start on (default: CPU); the program may choose another
  --force        run even if a real MindSpore is installed
  --             what follows belongs to the program
  -h, --help     show this text

options of drift:
  --profile NAME  the emulated chip: ascend910b (default), ascend910, ascend310p
  --against NAME  what it is compared with: CPU (default), or another chip
  -o FILE         the report (default: drift.html); a JSON file is written beside it
  --seed N        the seed of both runs (default: 0)
"""


class UsageError(Exception):
    """A command line that makes no sense."""


@dataclass
class Command:
    """A parsed command line that runs a program."""

    program: str = ""
    module: bool = False
    force: bool = False
    options: dict[str, str] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)

    @property
    def device(self) -> str | None:
        """The device to start on, None for the default."""
        return self.options.get("--device")


def parse(words: Sequence[str], valued: Sequence[str] = ("--device",)) -> Command:
    """Split the words after the command: options stand before the program or directly behind it, the rest is its own.

    Args:
        words: what was given.
        valued: the options that a value follows.
    """
    command, rest = Command(), list(words)
    while rest:
        word = rest[0]
        option, equals, value = word.partition("=")
        if word == "--" and command.program:
            rest = rest[1:]
            break
        if option in valued:
            if not equals and len(rest) < 2:
                raise UsageError(f"{option} must be followed by a name")
            command.options[option] = value if equals else rest[1]
            rest = rest[1 if equals else 2 :]
        elif word == "--force":
            command.force, rest = True, rest[1:]
        elif command.program:
            break
        elif word == "-m" and len(rest) > 1:
            command.module, command.program, rest = True, rest[1], rest[2:]
        elif word.startswith("-"):
            raise UsageError(f"unknown option {word}")
        else:
            command.program, rest = word, rest[1:]
    if not command.program:
        raise UsageError("no SCRIPT given")
    command.arguments = rest
    return command


def run(command: Command) -> None:
    """Run the program in this process, as its main module."""
    activate(force=command.force)
    if command.device is not None:
        from ms_common.device import set_device

        set_device(command.device)
    if command.module:
        sys.argv = [command.program, *command.arguments]
        runpy.run_module(command.program, run_name="__main__", alter_sys=True)
        return
    path = os.path.abspath(command.program)
    if not os.path.exists(path):
        raise UsageError(f"cannot open '{command.program}': no such file")
    sys.argv = [path, *command.arguments]
    if not getattr(sys.flags, "safe_path", False) and os.path.isfile(path):
        sys.path[0] = os.path.dirname(os.path.realpath(path))  # it was the current directory, because of `-m`
    runpy.run_path(path, run_name="__main__")


def compare(words: Sequence[str]) -> int:
    """Run `drift`, or one of the two programs that it starts."""
    from ms_common import drift

    if words[0] == "drift":
        command = parse(words[1:], drift.OPTIONS)
        if not command.module and not os.path.exists(command.program):
            raise UsageError(f"cannot open '{command.program}': no such file")
        try:
            return drift.drift(command)
        except ValueError as error:
            raise UsageError(str(error)) from None
    command = parse(words[1:], drift.SIDE_OPTIONS)
    activate(force=command.force)
    drift.side(command)
    run(command)
    return 0


def version() -> str:
    """The versions of ms-common, of the MindSpore it stands for and of the packages it is made of."""
    lines = [f"ms-common {__version__} (MindSpore {MINDSPORE_VERSION})"]
    for name in sorted({source.partition(".")[0] for row in rows.values() for source in row.sources} - {"ms_common"}):
        lines.append(f"  {name.replace('_', '-')} {import_module(name + '._version').__version__}")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit code."""
    words = list(sys.argv[1:] if words is None else words)
    if not words or words[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0 if words else 2
    try:
        if words[0] == "version":
            print(version())
        elif words[0] not in ("run", "drift", "drift-side"):
            raise UsageError(f"unknown command '{words[0]}'")
        elif words[1:2] in (["-h"], ["--help"]):
            print(USAGE, end="")
        elif words[0] == "run":
            run(parse(words[1:]))
        else:
            return compare(words)
    except UsageError as error:
        print(f"python -m ms_common: {error}\n\n{USAGE}", end="", file=sys.stderr)
        return 2
    return 0
