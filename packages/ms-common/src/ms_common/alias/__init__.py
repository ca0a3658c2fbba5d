"""The `mindspore` alias: programs written for MindSpore 2.6 import our packages; no `mindspore` folder is installed."""

from __future__ import annotations

from ms_common.alias.finder import activate, deactivate, is_active
from ms_common.alias.table import MINDSPORE_VERSION, rows

__all__ = ["MINDSPORE_VERSION", "activate", "deactivate", "is_active", "rows"]
