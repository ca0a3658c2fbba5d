"""Every op against its oracle: values, dtypes, shapes, views, gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
import ms_kernels
from ms_kernels.core.tensor import TensorBase, from_array
from ms_kernels.opdef.register import all_ops
from ms_kernels.testing.case import Case, Maker, cases
from ms_kernels.testing.examples import run_examples
from ms_kernels.testing.gradcheck import check_grad

CASES = cases()
OPS = all_ops()
SWEEP = [(name, dtype) for name, case in sorted(CASES.items()) for dtype in case.dtypes]


def tensors(op: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arrays as Tensors where the op takes operands, defaults filled in."""

    def convert(kind: int, arg: Any) -> Any:
        if kind and isinstance(arg, (list, tuple)):
            return [from_array(item) for item in arg]
        return from_array(arg) if kind and isinstance(arg, np.ndarray) else arg

    return tuple(convert(kind, arg) for kind, arg in zip(op.kinds, op.complete(args, {})))


def widen(arg: Any) -> Any:
    """An operand as the oracle gets it: float64, complex128, int64 or bool."""
    if isinstance(arg, (list, tuple)):
        return [widen(item) for item in arg]
    if not isinstance(arg, np.ndarray) or arg.dtype == bool:
        return arg
    return arg.astype({"i": np.int64, "u": np.int64, "c": np.complex128}.get(arg.dtype.kind, np.float64))


def oracle(case: Case, op: Any, args: tuple[Any, ...]) -> list[Any]:
    return flat(case.oracle(*(widen(a) if kind else a for kind, a in zip(op.kinds, args))))


def flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def close(got: Any, wanted: Any, case: Case) -> None:
    rtol, atol = case.allowed(mstype.from_numpy(got.dtype).name)
    wide = widen(got)
    wanted = np.asarray(wanted)
    assert got.shape == wanted.shape
    if got.dtype.kind in "biu":
        np.testing.assert_array_equal(wide, wanted.astype(got.dtype))
        return
    with np.errstate(over="ignore", invalid="ignore"):  # the oracle may pass what the type holds
        wanted = wanted if wide.dtype.kind == "c" else wanted.astype(got.dtype).astype(np.float64)
    np.testing.assert_allclose(wide, wanted, rtol=rtol, atol=atol)


@pytest.mark.parametrize(("name", "dtype"), SWEEP)
def test_values_shapes_and_dtypes(name: str, dtype: str) -> None:
    op, case = OPS[name], CASES[name]
    for args in case.inputs(Maker(dtype)):
        given = tensors(op, args)
        wanted = oracle(case, op, args)  # first: some ops change their operand
        out = flat(op(*given))
        assert len(out) == len(wanted)
        for got, want in zip(out, wanted):
            close(got._a, want, case)
        if op.shape is not None and not op.is_composite:
            check_rules(op, given, out)


def check_rules(op: Any, given: tuple[Any, ...], out: list[Any]) -> None:
    """The rules tell what the body gave."""

    def as_rule(item: Any, what: str) -> Any:
        if isinstance(item, list):
            return [as_rule(part, what) for part in item]
        return getattr(item, what) if isinstance(item, TensorBase) else item

    shape = op.shape(*(as_rule(arg, "shape") if kind else arg for kind, arg in zip(op.kinds, given)))
    dtype = op.dtype(*(as_rule(arg, "dtype") if kind else arg for kind, arg in zip(op.kinds, given)))
    shapes = shape if isinstance(shape, list) else [shape]
    dtypes = dtype if isinstance(dtype, (list, tuple)) else [dtype] * len(out)
    for told, got in zip(shapes, out, strict=True):
        assert len(told) == got.ndim
        assert all(n in (-1, size) for n, size in zip(told, got.shape))  # -1: only the values tell
    assert list(dtypes) == [t.dtype for t in out]


def strided(array: Any) -> Any:
    """The same numbers in memory with gaps, last dimension reversed."""
    if array.ndim == 0:
        return array
    room = np.zeros((*array.shape[:-1], array.shape[-1] * 2), array.dtype)
    out = room[..., ::-2] if array.shape[-1] else room[..., ::2]
    out[...] = array
    return out


@pytest.mark.parametrize("name", [n for n, c in sorted(CASES.items()) if c.views])
def test_views_give_the_same(name: str) -> None:
    op, case = OPS[name], CASES[name]
    dtype = "float32" if "float32" in case.dtypes else case.dtypes[0]
    rtol, atol = case.allowed(dtype)
    for args in case.inputs(Maker(dtype)):
        given = op.complete(args, {})
        plain = flat(op(*tensors(op, args)))
        viewed = tuple(
            (
                [strided(i) for i in a]
                if isinstance(a, (list, tuple))
                else strided(a)
                if isinstance(a, np.ndarray)
                else a
            )
            if kind
            else a
            for kind, a in zip(op.kinds, given)
        )
        for one, two in zip(plain, flat(op(*tensors(op, viewed)))):
            if one._a.dtype.kind in "biu":
                np.testing.assert_array_equal(one._a, two._a)
            else:
                np.testing.assert_allclose(widen(one._a), widen(two._a), rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", [n for n, c in sorted(CASES.items()) if c.grad])
def test_gradients(name: str) -> None:
    op, case = OPS[name], CASES[name]
    for args in case.inputs(Maker("float64")):
        full = op.complete(args, {})
        slots = [
            (i, j)
            for i, (kind, a) in enumerate(zip(op.kinds, full))
            if kind and (case.wrt is None or i in case.wrt)
            for j, item in enumerate(a if isinstance(a, (list, tuple)) else [a])
            if isinstance(item, np.ndarray) and item.dtype == np.float64
        ]
        if not slots:
            continue
        points = [full[i][j] if isinstance(full[i], (list, tuple)) else full[i] for i, j in slots]

        def function(*xs: Any, full: Any = full, slots: Any = slots) -> Any:
            given: list[Any] = list(tensors(op, full))
            for (i, j), x in zip(slots, xs):
                if isinstance(given[i], list):
                    given[i] = [x if k == j else item for k, item in enumerate(given[i])]
                else:
                    given[i] = x
            out = op(*given)
            return out[: case.results] if case.results else out

        check_grad(function, points, order=case.grad)


@pytest.mark.parametrize("name", [n for n in sorted(OPS) if OPS[n].record.family != "_tape"])
def test_docstring_example(name: str) -> None:
    op = OPS[name]
    space = {
        "np": np,
        "Tensor": ms_kernels.Tensor,
        "ops": ms_kernels.functional,
        "mint": ms_kernels.mint,
        "ms_kernels": ms_kernels,
        "mstype": mstype,
        "Parameter": ms_kernels.Parameter,
        "grad": ms_kernels.grad,
    }
    assert run_examples(op.record.doc, space, name), f"{name} has no example"


def test_every_op_is_complete() -> None:
    missing = {
        name: what
        for name, op in OPS.items()
        if op.record.family != "_tape"
        for what, there in {
            "case": name in CASES,
            "public name": bool(op.record.forms),
            "gradient or reason": op.is_composite or op.vjp is not None or bool(op.nondiff),
            "shape rule": op.is_composite or op.shape is not None,
            "dtype rule": op.is_composite or op.dtype is not None,
            "Ascend policy": op.is_composite or bool(op.record.ascend),
        }.items()
        if not there
    }
    assert not missing
    assert not set(CASES) - set(OPS)
