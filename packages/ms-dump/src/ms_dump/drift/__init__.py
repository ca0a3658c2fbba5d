"""The precision report: a program run on two targets at once, and its ops compared as they come.

`compare` runs the programs and gives a `Report`; `side` is what each of them calls before it begins.
"""

from __future__ import annotations

from ms_dump.drift.collect import Report
from ms_dump.drift.html import write_html
from ms_dump.drift.metrics import CLASSES, Comparison, measure
from ms_dump.drift.run import compare
from ms_dump.drift.side import side
from ms_dump.drift.text import summary

__all__ = ["CLASSES", "Comparison", "Report", "compare", "measure", "side", "summary", "write_html"]
