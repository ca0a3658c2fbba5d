"""`Plain`: the base of layers without arguments."""

from __future__ import annotations

from ms_nn.cell import Cell

__all__ = ["Plain"]


class Plain(Cell):
    """A layer that is made without arguments."""

    def __init__(self) -> None:
        super().__init__()
