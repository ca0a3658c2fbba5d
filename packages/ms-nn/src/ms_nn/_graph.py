"""Cells that compile themselves when they are called: what GRAPH_MODE does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ms_kernels.core.dispatch import current_mode_variable

if TYPE_CHECKING:
    from ms_nn.cell import Cell

__all__ = ["run_as_graph"]


def run_as_graph(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a cell as a graph; inside of a capture it becomes a part of that."""
    mode = current_mode_variable.get()
    if mode is not None and mode.observer is not None:
        return cell._run(*args, **kwargs)
    compiled = cell.__dict__.get("_compiled")
    if compiled is None:
        from ms_jit import check_arguments
        from ms_jit.function import JitFunction

        fused = cell.jit_config_dict.get("jit_level") in ("O1", "O2")
        compiled = JitFunction(cell._run, check_arguments(jit_level="O1" if fused else "O0"))
        declared = cell.get_inputs()
        if declared:
            compiled.declare(tuple(declared.values()) if isinstance(declared, dict) else declared)
        object.__setattr__(cell, "_compiled", compiled)
    return compiled(*args, **kwargs)
