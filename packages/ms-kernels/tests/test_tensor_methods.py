"""Properties and hand-written methods of Tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, functional, grad
from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.opdef.catalog import catalog
from ms_kernels.tensor.casting import SHORT

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


def test_layout() -> None:
    x = Tensor(X)
    assert (x.itemsize, x.nbytes, x.strides, x.size, x.ndim, x.shape) == (4, 96, (48, 16, 4), 24, 3, (2, 3, 4))
    assert (x.dim(), x.ndimension(), x.numel(), x.nelement()) == (3, 3, 24, 24)
    assert (x.stride(), x.stride(1), x.stride(-1), x.storage_offset()) == ([12, 4, 1], 4, 1, 0)
    assert x.is_contiguous()
    with pytest.raises(IndexError):
        x.stride(3)
    scalar = Tensor(1.0)
    assert (scalar.itemsize, scalar.nbytes, scalar.strides, scalar.size, scalar.shape) == (4, 4, (), 1, ())
    half = Tensor([1, 2], mstype.bfloat16)
    assert (half.itemsize, half.nbytes, half.strides) == (2, 4, (2,))
    empty = Tensor(np.zeros((0, 3)))
    assert (empty.nbytes, empty.strides, empty.stride(), empty.size) == (0, (24, 8), [3, 1], 0)


def test_layout_of_views() -> None:
    x = Tensor(X)
    part, turned = x[1:], x.transpose(2, 0, 1)
    assert (part.storage_offset(), part.stride(), part.is_contiguous()) == (12, [12, 4, 1], True)
    assert x[1][1:].storage_offset() == 16
    assert (turned.stride(), turned.is_contiguous(), turned.strides) == ([1, 12, 4], False, (24, 12, 4))
    assert turned.contiguous().stride() == [6, 3, 1]
    assert x.contiguous() is x
    np.testing.assert_array_equal(turned.contiguous().asnumpy(), X.transpose(2, 0, 1))


def test_transposes() -> None:
    assert Tensor(X).T.shape == (4, 3, 2)
    assert Tensor(X).mT.shape == Tensor(X).mH.shape == (2, 4, 3)
    np.testing.assert_array_equal(Tensor(X).mT.asnumpy(), X.swapaxes(1, 2))
    z = np.array([[1 + 2j, 2], [3, 4j]])
    assert Tensor(z).H.tolist() == Tensor(z).mH.tolist() == z.conj().T.tolist()
    assert Tensor(X[0]).H.tolist() == X[0].T.tolist()
    assert Tensor([1.0]).T.tolist() == [1.0]
    assert Tensor(1.0).T.tolist() == 1.0
    for name, shape in (("H", (2,)), ("H", (1, 1, 1)), ("mT", (2,)), ("mH", ())):
        with pytest.raises(ValueError, match=f"For 'Tensor.{name}'"):
            getattr(Tensor(np.zeros(shape)), name)
    x = Tensor(X[0])
    x.T[0, 0] = 50
    assert x[0, 0] == 50
    assert grad(lambda x: (x.T * Tensor(X[0].T)).sum())(Tensor(X[0])).tolist() == X[0].tolist()


@pytest.mark.parametrize(
    ("dtype", "told"),
    [
        ("float32", (True, False, True)),
        ("bfloat16", (True, False, True)),
        ("int8", (False, False, True)),
        ("uint8", (False, False, False)),
        ("bool_", (False, False, False)),
        ("complex64", (False, True, True)),
    ],
)
def test_kinds(dtype: str, told: tuple[bool, bool, bool]) -> None:
    x = Tensor([1], getattr(mstype, dtype))
    assert (x.is_floating_point(), x.is_complex(), x.is_signed()) == told


@pytest.mark.parametrize(("name", "dtype"), sorted(SHORT.items(), key=str))
def test_short_casts(name: str, dtype: Any) -> None:
    x = Tensor([1.7, 0.0], mstype.complex64)
    made = getattr(x, name)()
    assert made.dtype == dtype
    assert getattr(made, name)() is made
    assert made.tolist()[1] == 0
    with pytest.raises(TypeError):
        getattr(x, name)(3)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (mstype.int32, mstype.int32),
        ("int32", mstype.int32),
        ("Float16", mstype.float16),
        ("bool", mstype.bool_),
        ("half", mstype.float16),
        (np.int16, mstype.int16),
        (np.dtype("uint8"), mstype.uint8),
        (int, mstype.int64),
        (float, mstype.float64),
        (bool, mstype.bool_),
        (complex, mstype.complex128),
        ("bfloat16", mstype.bfloat16),
    ],
)
def test_astype(given: Any, dtype: Any) -> None:
    x = Tensor([1.7, -2.7])
    assert x.astype(given).dtype == x.type(given).dtype == dtype
    assert x.astype(given, copy=False).dtype == dtype


@pytest.mark.parametrize("given", ["nothing", 3, None, mstype.string, mstype.int_, "", "number", object()])
def test_astype_of_no_type(given: Any) -> None:
    with pytest.raises(TypeError, match=r"For 'Tensor.astype', the 'dtype' must"):
        Tensor([1.0]).astype(given)


def test_casts_keep_the_tensor_of_the_same_type() -> None:
    x = Tensor([1.0])
    assert x.astype(mstype.float32) is x
    assert x.to(mstype.float32) is x
    assert x.to(dtype=mstype.int8).tolist() == [1]
    assert x.type() == "Float32"
    assert Tensor([True]).type() == "Bool"
    assert x.type_as(Tensor([1])).dtype == mstype.int64
    for wrong in ("int32", int, Tensor([1])):
        with pytest.raises(TypeError):
            x.to(wrong)
    with pytest.raises(TypeError):
        x.type_as(3)


def test_casts_of_numbers_that_do_not_fit() -> None:
    x = Tensor([300.7, -1.5])
    assert x.astype(mstype.uint8).tolist() == [44, 255]
    assert Tensor([1e10]).astype(mstype.float16).tolist() == [float("inf")]
    assert Tensor([np.nan, np.inf, 0]).astype(mstype.bool_).tolist() == [True, True, False]
    assert Tensor([np.nan, np.inf]).astype(mstype.int32).shape == (2,)
    assert Tensor([1 + 2j]).astype(mstype.float32).tolist() == [1.0]


def test_cast_functions() -> None:
    assert functional.cast(Tensor([1.7]), mstype.int32).tolist() == [1]
    assert functional.cast(1.7, mstype.int32).tolist() == 1
    assert functional.Cast()(Tensor([1.7]), mstype.int8).dtype == mstype.int8
    for wrong in ("int32", int, None, mstype.number):
        with pytest.raises(TypeError, match="For 'Cast', the 'dtype' must"):
            functional.cast(Tensor([1.7]), wrong)
    with pytest.raises(TypeError):
        functional.cast("a", mstype.int32)
    got = grad(lambda x: (x.astype(mstype.float16).astype(mstype.float32) * Tensor([3.0])).sum())(Tensor([2.0]))
    assert got.tolist() == [3.0]
    assert got.dtype == mstype.float32


def test_item_and_tolist() -> None:
    for value, dtype, kind in (
        (1.5, None, float),
        (1.5, mstype.bfloat16, float),
        (1, None, int),
        (True, None, bool),
        (1j, None, complex),
    ):
        item = Tensor([[value]], dtype).item()
        assert item == value
        assert type(item) is kind
        assert Tensor([value], dtype).tolist() == [value]
    for wrong in ([1.0, 2.0], []):
        with pytest.raises(ValueError, match="have only one element"):
            Tensor(wrong).item()
    with pytest.raises(TypeError):
        Tensor([1.0, 2.0]).item(0)  # type: ignore[call-arg]


def test_numbers() -> None:
    assert bool(Tensor(1))
    assert not bool(Tensor([[0.0]]))
    assert bool(Tensor(float("nan")))
    assert int(Tensor([1.7])) == 1
    assert float(Tensor(1)) == 1.0
    assert complex(Tensor(1j)) == 1j
    assert [10, 20][Tensor(1)] == [10, 20][Tensor([True])] == 20
    assert list(range(Tensor(3))) == [0, 1, 2]
    for convert in (bool, int, float, complex, [1].__getitem__):
        with pytest.raises(ValueError, match="must"):
            convert(Tensor([1, 2]))
    with pytest.raises(ValueError, match="be of integers"):
        [1][Tensor(0.0)]
    with pytest.raises(ValueError, match="NaN"):
        int(Tensor(float("nan")))


def test_iteration_and_length() -> None:
    x = Tensor([[1, 2], [3, 4]])
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    first, second = x
    assert (first.tolist(), second.tolist()) == ([1, 2], [3, 4])
    assert len(x) == 2
    assert len(Tensor(np.zeros((0, 3)))) == 0
    assert list(Tensor([])) == []
    for use in (len, list, iter):
        with pytest.raises(TypeError, match="have a dimension"):
            use(Tensor(1))


def test_contains() -> None:
    x = Tensor([[1, 2], [3, 4]])
    assert 3 in x
    assert 3.0 in x
    assert Tensor([1, 9]) in x
    assert 5 not in x
    assert "a" not in x
    assert None not in x


def test_equality_and_hash() -> None:
    x, y = Tensor([1, 2]), Tensor([1, 3])
    assert (x == y).tolist() == [True, False]
    assert (x != 1).tolist() == [False, True]
    assert (x == 1.5).tolist() == [False, False]
    for other in (None, "a", [1, 2], (1, 2), np.array([1, 2]), {}, object()):
        assert (x == other) is False
        assert (x != other) is True
    assert {x: 1}[x] == 1
    assert len({x, y, x}) == 2
    assert [x, y].index(x) == 0


def test_copies() -> None:
    x = Tensor([1.0, 2.0])
    for made in (x.copy(), x.clone(), functional.deepcopy(x), x.move_to("CPU")):
        made[0] = 9
        assert x.tolist() == [1.0, 2.0]
    assert type(Parameter(x).copy()) is Parameter
    assert grad(lambda x: (x.copy() * x).sum())(x).tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError):
        x.move_to("GPU")


def test_round_and_unsupported_operators() -> None:
    assert round(Tensor([1.567, 2.5])).tolist() == [2.0, 2.0]
    x: Any = Tensor([2])
    call: Any
    for call in (lambda: divmod(x, 2), lambda: pow(x, 3, 5), lambda: round(x, 1)):
        with pytest.raises(TypeError):
            call()


def test_assignment_operators_make_a_new_tensor() -> None:
    x = y = Tensor([1, 2])
    x += 1.5
    assert x is not y
    assert x.tolist() == [2.5, 3.5]
    assert y.tolist() == [1, 2]


def test_overwriting() -> None:
    x = Tensor([1.5, 2.0])
    assert x.fill_(3) is x
    assert x.tolist() == [3.0, 3.0]
    assert x.fill_(Tensor(4)).tolist() == [4.0, 4.0]
    assert x.zero_() is x
    assert x.tolist() == [0.0, 0.0]
    assert x.copy_(Tensor([5, 6])) is x
    assert x.tolist() == [5.0, 6.0]
    assert x.copy_(Tensor([7])).tolist() == [7.0, 7.0]
    assert Tensor([1, 2]).fill_(2.7).tolist() == [2, 2]
    assert x.fill(1).tolist() == [1.0, 1.0]
    assert x.tolist() == [7.0, 7.0]
    view = x[:1]
    view.fill_(9)
    assert x.tolist() == [9.0, 7.0]


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (TypeError, lambda x: x.fill_("a")),
        (TypeError, lambda x: x.fill_(None)),
        (TypeError, lambda x: x.fill_(1j)),
        (ValueError, lambda x: x.fill_(Tensor([1.0]))),
        (TypeError, lambda x: x.fill("a")),
        (TypeError, lambda x: x.copy_(5)),
        (ValueError, lambda x: x.copy_(Tensor([1, 2, 3]))),
        (ValueError, lambda x: x.copy_(Tensor([[1, 2]]))),
        (TypeError, lambda x: x.assign_value(3)),
        (TypeError, lambda x: x.set_dtype("int32")),
        (IndexError, lambda x: x.itemset(7)),
        (TypeError, lambda x: x.itemset("a", 7)),
        (IndexError, lambda x: x.itemset(9, 7)),
        (IndexError, lambda x: x.itemset((0, 0), 7)),
        (TypeError, lambda x: x.itemset()),
        (TypeError, lambda x: x.new_ones("a")),
        (ValueError, lambda x: x.new_ones(-1)),
        (TypeError, lambda x: x.new_zeros(2, 3)),
        (TypeError, lambda x: x.new_zeros(2, dtype=int)),
        (TypeError, lambda x: x.register_hook(3)),
    ],
)
def test_errors(kind: type[Exception], call: Any) -> None:
    with pytest.raises(kind, match="must"):
        call(Tensor([1.0, 2.0]))


def test_overwriting_is_recorded() -> None:
    def filled(x: Any) -> Any:
        y = x * 1
        y.fill_(3)
        return (y * x).sum()

    def copied(x: Any) -> Any:
        y = x * 0
        y.copy_(x * x)
        return y.sum()

    assert grad(filled)(Tensor([1.0, 2.0])).tolist() == [3.0, 3.0]
    assert grad(copied)(Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]


def test_replacing_data() -> None:
    x = Tensor([1.5, 2.0])
    assert x.set_dtype(mstype.int32) == mstype.int32
    assert (x.tolist(), x.dtype) == ([1, 2], mstype.int32)
    source = Tensor([[1.0, 2.0, 3.0]])
    assert x.assign_value(source) is x
    assert (x.shape, x.dtype) == ((1, 3), mstype.float32)
    source[0, 0] = 9
    assert x.tolist() == [[1.0, 2.0, 3.0]]
    assert x.value() is x


def test_itemset_gives_a_new_tensor() -> None:
    x = Tensor([[1.5, 2.0], [3.0, 4.0]])
    assert x.itemset(0, 7).tolist() == [[7.0, 2.0], [3.0, 4.0]]
    assert x.itemset((0, -1), 7.5).tolist() == [[1.5, 7.5], [3.0, 4.0]]
    assert x.tolist() == [[1.5, 2.0], [3.0, 4.0]]
    assert Tensor([1.5]).itemset(7).tolist() == [7.0]
    assert Tensor([1]).itemset(7.9).tolist() == [7]


def test_tensors_in_the_likeness_of_another() -> None:
    x = Tensor([1.5], mstype.float16)
    for made, shape, dtype in (
        (x.new_zeros((2, 3)), (2, 3), mstype.float16),
        (x.new_zeros(2, mstype.int32), (2,), mstype.int32),
        (x.new_ones([2], dtype=mstype.int8), (2,), mstype.int8),
        (x.new_empty((0, 3)), (0, 3), mstype.float16),
    ):
        assert (made.shape, made.dtype) == (shape, dtype)
    assert x.new_zeros(2).tolist() == [0.0, 0.0]
    assert x.new_ones(2).tolist() == [1.0, 1.0]


def test_hooks() -> None:
    seen: list[Any] = []
    x = Tensor([1.0, 2.0])
    first = x.register_hook(lambda g: g * 2)
    second = x.register_hook(lambda g: seen.append(g.tolist()))
    square = grad(lambda x: (x * x).sum())
    assert square(x).tolist() == [4.0, 8.0]
    assert seen == [[4.0, 8.0]]
    assert len(x.hooks()) == 2
    first.remove()
    assert square(x).tolist() == [2.0, 4.0]
    second.remove()
    second.remove()
    assert x.hooks() == []
    assert square(x).tolist() == [2.0, 4.0]
    assert len(seen) == 2


def test_hooks_on_results_and_parameters() -> None:
    def inner(x: Any) -> Any:
        y = x * 3
        y.register_hook(lambda g: g * 2)
        y.register_hook(lambda g: g + 1)
        y.register_hook(lambda g: g * 100).remove()
        return (y * y).sum()

    assert grad(inner)(Tensor([1.0, 2.0])).tolist() == [39.0, 75.0]
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    handle = p.register_hook(lambda g: g * 2)
    run = grad(lambda: (p * p).sum(), None, p)
    assert run().tolist() == run().tolist() == [4.0, 8.0]
    p.requires_grad = False
    p.requires_grad = True
    assert run().tolist() == [4.0, 8.0]
    handle.remove()
    assert run().tolist() == [2.0, 4.0]
    bad = Tensor([1.0])
    bad.register_hook(lambda g: 3)
    with pytest.raises(RuntimeError, match="should return None or a Tensor"):
        grad(lambda x: (x * x).sum())(bad)


def test_the_op_table_hides_no_method_by_hand() -> None:
    by_hand = {name for kind in Tensor.__mro__[1:-3] for name in vars(kind) if not name.startswith("_")}
    assert by_hand > {"asnumpy", "astype", "float", "item", "fill_", "T", "register_hook"}
    doubled = by_hand & ({*catalog.names("tensor"), *catalog.names("inplace")})
    assert doubled <= {"new_zeros", "new_ones", "new_empty", "fill_", "zero_", "fill", "copy_"}, doubled
    assert ops_by_name["cast"].name == "cast"
