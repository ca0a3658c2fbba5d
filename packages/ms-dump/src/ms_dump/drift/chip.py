"""The emulated chip under watch: it counts what it saturates, and tells which of its rules acted."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import Op, current_mode_variable
from ms_kernels.targets.ascend import RULES, AscendTarget
from ms_kernels.targets.ascend.chip import Chip
from ms_kernels.targets.ascend.kernels import KERNELS
from ms_kernels.targets.ascend.policies import POLICIES
from ms_kernels.targets.ascend.precision import READS

__all__ = ["Rules", "WatchedTarget", "rules_in"]

_SATURATION = ("AN-OVF-03", "AN-OVF-04")
_REFUSALS = ("AN-TYPE-01",)  # their functions are asked for each call, and act when they raise


def _counting(counts: list[int]) -> type[Chip]:
    """A class of chips that add the elements that they saturate to a number."""

    class Counting(Chip):
        """A chip that counts."""

        __slots__ = ()

        def twin(self, *args: Any, **options: Any) -> Chip:
            return _as(super().twin(*args, **options), Counting)

        def finish(self, out: Any) -> Any:
            if self.saturates(out.dtype):
                wide = out if out.dtype.isbuiltin == 1 else out.astype(np.float32)
                counts[0] += int(out.size - np.count_nonzero(np.isfinite(wide)))
            return super().finish(out)

    return Counting


def _as(chip: Chip, kind: type[Chip]) -> Chip:
    """The chip itself, with the methods of another class; it keeps what it knows."""
    chip.__class__ = kind
    return chip


class WatchedTarget(AscendTarget):
    """The Ascend target, counting.

    >>> from ms_kernels import Tensor
    >>> target = WatchedTarget("ascend910")
    >>> with target.use():
    ...     print(Tensor(np.full(3, 65504, np.float16)) * 2, target.take())
    [65504. 65504. 65504.] 3
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._counts = [0]
        _as(self.chip, _counting(self._counts))

    def take(self) -> int:
        """The number of elements that were saturated since the last call; native loops may count several as one."""
        found, self._counts[0] = self._counts[0], 0
        return found

    def lowered(self, op: Op, operands: list[Any]) -> int:
        """The elements of float32 operands that the cube takes as a narrower type."""
        if op.record.ascend != "cube" or not operands or operands[0].dtype != np.float32:
            return 0
        mode = current_mode_variable.get()
        scoped = None if mode is None else mode.target
        chip = scoped.chip if isinstance(scoped, AscendTarget) else self.chip
        if chip.short:  # they hold such numbers already
            return 0
        flag = READS.get(op.name) if chip.flag == "" else chip.flag
        meaning = chip.profile.float32_as.get(chip.precision.code(chip.profile, flag))
        return sum(x.size for x in operands) if meaning in ("float16", "hf32") else 0


def rules_in(text: str) -> list[str]:
    """The ids that a policy's text names, ranges written out.

    >>> rules_in("AN-RNG-08 to 10; one step (AN-TYPE-02, 03)")
    ['AN-RNG-08', 'AN-RNG-09', 'AN-RNG-10', 'AN-TYPE-02', 'AN-TYPE-03']
    """
    found = []
    for family, first, rest in re.findall(r"(AN-[A-Z0-9]+-)(\d+)((?:(?:, | to )\d+)*)", text):
        numbers = [int(first)]
        for word, number in re.findall(r"(, | to )(\d+)", rest):
            numbers += range(numbers[-1] + 1, int(number) + 1) if word == " to " else [int(number)]
        found += [f"{family}{number:02d}" for number in numbers]
    return found


class Rules:
    """Finds the rules that act in a call: those whose functions run, or else those that the op's policy names.

    It looks at the first call of an op for each combination of types.
    """

    def __init__(self, target: AscendTarget) -> None:
        self._chip = target.chip
        self._known: dict[Any, list[str]] = {}
        self._codes: dict[CodeType, list[str]] = {}
        for rule in RULES.values():
            code = _code_of(rule.place)
            if code is not None and rule.id not in _REFUSALS:
                self._codes.setdefault(code, []).append(rule.id)

    def watch(self, op: Op, args: tuple[Any, ...], call: Callable[[], Any]) -> tuple[Any, list[str]]:
        """Run a call; its result, and the ids of the rules."""
        key = (op.name, *(getattr(arg, "_kind", None) for arg in args))
        known = self._known.get(key)
        if known is not None:
            return call(), known
        seen: dict[str, None] = {}
        codes = self._codes

        def note(frame: FrameType, event: str, _arg: Any) -> None:
            if event == "call":
                for name in codes.get(frame.f_code, ()):
                    seen[name] = None

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            out = call()
        finally:
            sys.setprofile(before)
        found = [name for name in seen if name not in _SATURATION]
        if op.name not in KERNELS:
            found += [name for name in rules_in(POLICIES[op.record.ascend].text) if name not in found]
        self._known[key] = [name for name in found if self._holds(name)]
        return out, self._known[key]

    def _holds(self, name: str) -> bool:
        """Whether a rule is one of this chip's."""
        said = RULES[name].profiles if name in RULES else "all"
        short = self._chip.profile.name.removeprefix("ascend")
        return said == "all" or short in [part.strip() for part in said.split(",")]

    def of_saturation(self, dtype: Any) -> list[str]:
        """The rules by which a result of a type was saturated."""
        return ["AN-OVF-03", "AN-OVF-04"] if dtype == np.float32 else ["AN-OVF-03"]


def _code_of(place: str) -> CodeType | None:
    """The code of the function at a rule's place, None for a module."""
    module, _, rest = place.partition(".")
    try:
        found: Any = import_module(f"ms_kernels.targets.ascend.{module}")
        for name in rest.split(".") if rest else []:
            found = getattr(found, name)
    except (ImportError, AttributeError):
        return None
    code = getattr(found, "__code__", None)
    return code if isinstance(code, CodeType) else None
