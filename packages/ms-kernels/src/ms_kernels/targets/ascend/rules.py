"""The rules of the emulated NPU by id: what each says, whom it goes back to, how sure it is, where the code is.

A rule stands beside its code: `rule` decorates the function that is it, `state` notes one that is data.  `as_markdown`
is what `docs/ascend.md` shows.  Sources, by key: MS, MSD (MindSpore 2.6.0 and its docs), TBE (CANN 8.1.RC1's Python
operators, paths below ``tbe/impl/``), MSTT, MSIT (Ascend's mstt and msit tools), TN, OPP (Ascend/pytorch, op-plugin),
PAPER (arXiv 2507.23387), R123 (Random123), IEEE, H1 to H14 (pages of hiascend.com, listed in `docs/ascend.md`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

__all__ = ["CONFIDENCE", "RULES", "Rule", "as_markdown", "rule", "state"]

CONFIDENCE = ("documented", "source", "inferred", "approximation")
ALL = "all"

F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        text: what it says.
        source: where it comes from; "none" means that we chose the natural rule.
        confidence: one of `CONFIDENCE`; an approximation may change when somebody measures a card.
        profiles: the profiles that it holds for, "all" or their short names.
        place: the module and function of the code.
    """

    id: str
    text: str
    source: str
    confidence: str
    profiles: str
    place: str


_rules: dict[str, Rule] = {}
RULES: Mapping[str, Rule] = MappingProxyType(_rules)


def state(id: str, text: str, source: str, confidence: str, profiles: str = ALL, place: str = "") -> None:
    """Note a rule that is data in the calling module.

    Raises:
        ValueError: an id that is taken, an unknown confidence.
    """
    if id in _rules:
        raise ValueError(f"rule {id} is stated twice")
    if confidence not in CONFIDENCE:
        raise ValueError(f"rule {id} has the confidence {confidence!r}, not one of {CONFIDENCE}")
    if not place:
        frame = inspect.currentframe()
        caller = frame.f_back if frame is not None else None
        place = str(caller.f_globals["__name__"]) if caller is not None else ""
    _rules[id] = Rule(id, text, source, confidence, profiles, place.rpartition("ascend.")[2])


def rule(id: str, source: str, confidence: str, profiles: str = ALL, text: str = "") -> Callable[[F], F]:
    """Decorate the function that is a rule; its text is the docstring's first paragraph unless one is given."""

    def note(function: F) -> F:
        said = text or " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
        name = getattr(function, "__qualname__", "")
        state(id, said, source, confidence, profiles, f"{function.__module__}.{name}")
        return function

    return note


def as_markdown() -> str:
    """All rules as one table.

    >>> as_markdown().splitlines()[0]
    '| id | rule | profiles | source | confidence | code |'
    """
    rows = ["| id | rule | profiles | source | confidence | code |", "|---|---|---|---|---|---|"]
    for found in sorted(_rules.values(), key=lambda r: r.id):
        cells = (found.id, found.text, found.profiles, found.source, found.confidence, f"`{found.place}`")
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"
