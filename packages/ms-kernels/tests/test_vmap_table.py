"""vmap of every op in the table: the same as doing it for one sample after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ms_kernels import grad, vmap
from ms_kernels.core.dispatch import TENSORS
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.register import all_ops
from ms_kernels.tape.batching import rule_of
from ms_kernels.tape.level import Level
from ms_kernels.testing.case import Maker, cases

CASES = cases()
OPS = all_ops()
SAMPLES = 3
# families whose results are drawn: a draw for all samples differs from one draw after the other
RANDOM = {"random", "random_dist", "random_fill", "random_pick", "dropout"}
NAMES = [name for name in sorted(CASES) if OPS[name].record.family not in RANDOM]
# ops that change operands: samples that share one would all change it
CHANGING = {
    "put_",
    "inplace_index_add",
    *(name for name in CASES if OPS[name].record.family.startswith(("update", "optim_"))),
}
# ops with a batching rule that does not serve all calls, and why
REFUSED = {
    "sequence_mask": "without a length the values tell it",
    "one_hot_mint": "without a number of classes the values tell it",
    "cross_entropy_rows": "weights of classes that differ from sample to sample",
    "recurrent_scan": "weights that differ from sample to sample",
}


def dtype_of(name: str) -> str:
    return "float32" if "float32" in CASES[name].dtypes else CASES[name].dtypes[0]


def operands(op: Any, args: tuple[Any, ...]) -> list[tuple[int, int | None]]:
    """The places of arrays among the arguments: (argument, item of a list)."""
    found: list[tuple[int, int | None]] = []
    for i, (kind, arg) in enumerate(zip(op.kinds, args)):
        if kind == TENSORS:
            found.extend((i, j) for j, item in enumerate(arg) if isinstance(item, np.ndarray))
        elif kind and isinstance(arg, np.ndarray):
            found.append((i, None))
    return found


def picked(args: tuple[Any, ...], place: tuple[int, int | None]) -> Any:
    i, j = place
    return args[i] if j is None else args[i][j]


def called(op: Any, args: tuple[Any, ...], places: Any, values: Any) -> Any:
    """The op called with some operands replaced, all arrays as tensors."""
    given: list[Any] = [list(a) if kind == TENSORS else a for kind, a in zip(op.kinds, args)]
    for (i, j), value in zip(places, values):
        if j is None:
            given[i] = value
        else:
            given[i][j] = value

    def tensor(kind: int, arg: Any) -> Any:
        if kind and isinstance(arg, list):
            return [tensor(kind, item) for item in arg]
        return from_array(arg.copy()) if kind and isinstance(arg, np.ndarray) else arg

    return op(*(tensor(kind, arg) for kind, arg in zip(op.kinds, given)))


def flat(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def subsets(count: int) -> list[tuple[int, ...]]:
    """All operands, and each alone."""
    return [tuple(range(count))] + ([(i,) for i in range(count)] if count > 1 else [])


def columns(op: Any, name: str) -> Any:
    """For each input of the case: its arguments, the places of operands, and each operand for several samples."""
    makers = [CASES[name].inputs(Maker(dtype_of(name), seed)) for seed in range(SAMPLES)]
    for variants in zip(*makers):
        full = [op.complete(args, {}) for args in variants]
        places = operands(op, full[0])
        rows = [[picked(args, place) for args in full] for place in places]
        if places and all(r.shape == row[0].shape and r.dtype == row[0].dtype for row in rows for r in row):
            yield full[0], places, rows


def close(name: str, found: list[Any], wanted: list[list[Any]]) -> None:
    """Results for all samples against those of each."""
    rtol, atol = CASES[name].allowed(dtype_of(name))
    for i, got in enumerate(found):
        expected = np.stack([row[i].asnumpy() for row in wanted])
        assert got.asnumpy().dtype == expected.dtype
        if expected.dtype.kind in "biu":
            np.testing.assert_array_equal(got.asnumpy(), expected)
        else:
            np.testing.assert_allclose(got.asnumpy(), expected, rtol=rtol, atol=atol)


@pytest.fixture
def looped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ops that were done for one sample after the other."""
    names: list[str] = []
    plain = Level._one_by_one

    def noted(self: Level, op: Any, args: Any) -> Any:
        if not op.is_composite:
            names.append(op.name)
        return plain(self, op, args)

    monkeypatch.setattr(Level, "_one_by_one", noted)
    return names


def uneven(wanted: list[list[Any]]) -> bool:
    """Whether the samples' results cannot be stacked."""
    return any(not isinstance(a, TensorBase) or a.shape != b.shape for row in wanted for a, b in zip(row, wanted[0]))


@pytest.mark.parametrize("name", NAMES)
def test_as_one_by_one(name: str, looped: list[str]) -> None:
    op = OPS[name]
    for args, places, rows in columns(op, name):
        for chosen in subsets(len(places)):
            if name in CHANGING and len(chosen) < len(places):
                continue
            where = [places[i] for i in chosen]
            given = [from_array(np.stack(rows[i])) for i in chosen]
            call = vmap(lambda *xs, args=args, where=where: called(op, args, where, xs))
            try:
                wanted = [flat(called(op, args, where, [rows[i][s].copy() for i in chosen])) for s in range(SAMPLES)]
            except (ValueError, TypeError, IndexError, RuntimeError) as error:  # operands that only fit together
                with pytest.raises(type(error)):
                    call(*given)
                continue
            if not uneven(wanted):
                close(name, flat(call(*given)), wanted)
    assert {done for done in looped if rule_of(OPS[done]) is not None} <= REFUSED.keys()


@pytest.mark.parametrize("name", [name for name in NAMES if CASES[name].grad and name not in CHANGING])
def test_gradients_as_one_by_one(name: str, looped: list[str]) -> None:
    """Gradients inside of vmap, also by operands that all samples share."""
    op, case = OPS[name], CASES[name]
    for args, places, rows in columns(op, name):
        by = [
            i
            for i, (at, _) in enumerate(places)
            if rows[i][0].dtype.kind == "f" and (case.wrt is None or at in case.wrt)
        ]
        if not by:
            continue
        for chosen in subsets(len(places)):
            whole = set(chosen)

            def function(*xs: Any, args: Any = args, places: Any = places) -> Any:
                outs = [t for t in flat(called(op, args, places, xs)) if t.dtype.kind == "f"]
                if not outs:
                    raise ValueError("no real result")
                return tuple(outs[: case.results] if case.results else outs)

            gradient = grad(function, tuple(by) if len(by) > 1 else by[0])
            given = [from_array(np.stack(row) if i in whole else row[0]) for i, row in enumerate(rows)]
            axes = tuple(0 if i in whole else None for i in range(len(places)))
            try:
                wanted = [
                    flat(
                        gradient(*(from_array((row[s] if i in whole else row[0]).copy()) for i, row in enumerate(rows)))
                    )
                    for s in range(SAMPLES)
                ]
            except (
                ValueError,
                TypeError,
                IndexError,
                RuntimeError,
            ):  # operands that only fit together, or no real result
                continue
            close(name, flat(vmap(gradient, axes)(*given)), wanted)
