"""Batching rule of recurrent layers: samples are further sequences, where they share the weights."""

from __future__ import annotations

from typing import Any

from ms_kernels.tape.batching import Call, folded, moved, rule, shaped

__all__: list[str] = []


@rule("recurrent")
def recurrent(call: Call) -> Any:
    """One loop over the steps of all sequences; where weights differ, sample by sample."""
    _, weight, bias, _, cell, reverse = call.args[2:]
    if call.flags[3] or call.flags[4]:
        return None
    size = call.size
    x = moved(call.full(0), 0, 1)
    x = shaped(x, (x.shape[0], size * x.shape[2], x.shape[3]))
    hx, cx, lengths = (None if call.args[i] is None else folded(call.full(i)) for i in (1, 2, 5))
    y, last, cells, kept = call.run((x, hx, cx, weight, bias, lengths, cell, reverse))

    def steps(out: Any) -> Any:
        return moved(shaped(out, (out.shape[0], size, out.shape[1] // size, out.shape[2])), 1, 0)

    def rows(out: Any) -> Any:
        return shaped(out, (size, out.shape[0] // size, out.shape[1]))

    return steps(y), rows(last), rows(cells), steps(kept)
