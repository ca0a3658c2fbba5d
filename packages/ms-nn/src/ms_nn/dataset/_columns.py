"""Rows in which some columns are replaced by others."""

from __future__ import annotations

from collections.abc import Sequence

from ms_nn.dataset._iterators import Row

__all__ = ["replaced", "replaced_names"]


def replaced_names(names: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    """The columns when `outputs` stand in the place of `inputs`: where these were, or in front of the others."""
    if len(inputs) == len(outputs):
        new = dict(zip(inputs, outputs))
        return [new.get(name, name) for name in names]
    return [*outputs, *(name for name in names if name not in inputs)]


def replaced(row: Row, places: Sequence[int], values: Row) -> Row:
    """A row with `values` in place of some columns, in the order of `replaced_names`."""
    if len(places) == len(values):
        new = dict(zip(places, values))
        return tuple(new.get(i, value) for i, value in enumerate(row))
    return (*values, *(value for i, value in enumerate(row) if i not in places))
