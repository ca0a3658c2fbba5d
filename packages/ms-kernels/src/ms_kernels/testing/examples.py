"""Runs the examples of docstrings; printed numbers may differ in their last digits."""

from __future__ import annotations

import doctest
import re
from typing import Any

__all__ = ["run_examples"]

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Checker(doctest.OutputChecker):
    """Equal text, but for white space and a relative error of 3e-6 in numbers (some roundings of float32)."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        if "".join(NUMBER.sub("#", want).split()) != "".join(NUMBER.sub("#", got).split()):
            return False
        pairs = zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
        return all(abs(float(a) - float(b)) <= 3e-6 * max(abs(float(a)), 1e-2) for a, b in pairs)


def run_examples(text: str, space: dict[str, Any], name: str) -> int:
    """Run the examples in a docstring and return how many there are.

    Raises:
        AssertionError: one prints something else than the docstring says.
    """
    test = doctest.DocTestParser().get_doctest(text, space, name, None, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(Checker(), verbose=False)
    failed = runner.run(test, out=said.append).failed
    assert not failed, "".join(said)
    return len(test.examples)
