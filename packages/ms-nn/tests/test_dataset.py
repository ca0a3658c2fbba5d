"""Data pipelines against what 2.6 gave: rows, orders under a seed, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ms_generator import set_seed
from ms_kernels import Tensor
from ms_nn import dataset as ds

# 2.6 only refers to a report further down in these errors
REPORTED = ("Exception thrown from dataset pipeline", "Exception thrown from user defined Python function")


def test_as_recorded(recorded: Callable[[str], Any], compare: Callable[[Any, Any], None]) -> None:
    program, wanted = recorded("dataset")
    found = program.results()
    assert found.keys() == wanted.keys()
    for name, want in wanted.items():
        if "value" in want:
            compare(found[name], want)
        else:
            assert found[name]["error"] == want["error"], name
            assert want["text"].startswith(REPORTED) or found[name]["text"] == want["text"].strip(), name


def test_rows_are_tensors() -> None:
    row = next(iter(ds.NumpySlicesDataset({"x": np.array([1, 2], np.float32)}, shuffle=False).create_dict_iterator()))
    assert isinstance(row["x"], Tensor) and row["x"].dtype.name == "float32"
    assert [type(value) for value in next(iter(ds.NumpySlicesDataset([1], "x")))] == [Tensor]


def test_a_row_can_be_written_to_without_changing_the_source() -> None:
    source = np.zeros((2, 3), np.float32)
    for (row,) in ds.NumpySlicesDataset(source, "x"):
        row += 1
    assert not source.any()


def test_strings_need_numpy() -> None:
    data = ds.NumpySlicesDataset(["a", "bc"], "s", shuffle=False)
    assert [row["s"].item() for row in data.create_dict_iterator(1, output_numpy=True)] == ["a", "bc"]
    with pytest.raises(TypeError, match="output_numpy=True"):
        next(iter(data.create_dict_iterator()))


def test_iterators_run_the_ordered_epochs() -> None:
    iterator = ds.NumpySlicesDataset([1, 2], "x").create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [len(list(iterator)), len(list(iterator))] == [2, 2]
    with pytest.raises(RuntimeError, match="num_epochs"):
        next(iterator)
    with pytest.raises(ValueError, match="num_epochs"):
        ds.NumpySlicesDataset([1], "x").create_dict_iterator(num_epochs=0)


def test_endless_repeat() -> None:
    rows = iter(ds.NumpySlicesDataset([1, 2], "x", shuffle=False).repeat())
    assert [int(next(rows)[0]) for _ in range(5)] == [1, 2, 1, 2, 1]
    empty = ds.NumpySlicesDataset([1], "x").skip(1).repeat()
    assert list(empty) == []


def test_own_seed_and_the_program_s() -> None:
    def order() -> list[int]:
        return [int(x) for (x,) in ds.NumpySlicesDataset(np.arange(20), "x")]

    ds.config.set_seed(3)
    assert ds.config.get_seed() == 3
    own = order()
    set_seed(4)
    assert ds.config.get_seed() == 4 and order() != own
    ds.config.set_seed(3)
    assert order() == own
    with pytest.raises(TypeError, match="seed"):
        ds.config.set_seed("a")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="range"):
        ds.config.set_seed(-1)


def test_errors_of_functions_keep_their_cause() -> None:
    def broken(_value: Any) -> Any:
        raise KeyError("inside")

    with pytest.raises(RuntimeError, match=r"'broken'.*KeyError") as caught:
        list(ds.NumpySlicesDataset([1], "x").map(broken, "x"))
    assert isinstance(caught.value.__cause__, KeyError)


def test_generators_are_read_lazily_and_anew() -> None:
    begun: list[int] = []

    def source() -> Iterator[int]:
        begun.append(1)
        yield from range(3)

    data = ds.GeneratorDataset(source, "x")
    assert not begun
    assert [int(x) for (x,) in data] == [int(x) for (x,) in data] == [0, 1, 2]
    assert len(begun) == 2
    with pytest.raises(ValueError, match="__getitem__"):
        ds.GeneratorDataset(source, "x", num_shards=2, shard_id=0)


def test_split_covers_everything_once() -> None:
    set_seed(8)
    parts = ds.NumpySlicesDataset(np.arange(10), "x").split([0.7, 0.3])
    seen = [sorted(int(x) for (x,) in part) for part in parts]
    assert [len(part) for part in seen] == [7, 3] and sorted(n for part in seen for n in part) == list(range(10))
    with pytest.raises(RuntimeError, match="randomize"):
        ds.NumpySlicesDataset(np.arange(10), "x").batch(2).split([3, 2])


def test_samplers_of_one_s_own() -> None:
    class Backwards(ds.Sampler):
        def __iter__(self) -> Iterator[int]:
            return iter(range(3, -1, -1))

    data = ds.NumpySlicesDataset(np.arange(4), "x", sampler=Backwards())
    assert [x.tolist() for (x,) in data.batch(3)] == [[3, 2, 1], [0]]
    for sampler in (Backwards(), [0, 3], ds.SubsetSampler([0, 3]), ds.SubsetRandomSampler([-1, 0])):
        with pytest.raises(RuntimeError, match="out of the range"):
            list(ds.NumpySlicesDataset([1, 2, 3], "x", sampler=sampler))


def test_batches_out_of_arrays_are_those_of_rows() -> None:
    arrays = np.arange(14.0).reshape(7, 2), np.arange(7)
    for drop in (False, True):
        set_seed(9)
        direct = [[v.tolist() for v in row] for row in ds.NumpySlicesDataset(arrays).batch(3, drop)]
        set_seed(9)
        by_row = [[v.tolist() for v in row] for row in ds.NumpySlicesDataset(arrays).skip(0).batch(3, drop)]
        assert direct == by_row


def test_shapes_and_sizes() -> None:
    data = ds.NumpySlicesDataset((np.zeros((6, 2), np.float32), np.arange(6)), ["x", "y"]).batch(4)
    assert data.output_shapes() == [[4, 2], [4]]
    assert data.output_types() == [np.float32, np.int64]
    assert (len(data), data.get_batch_size(), data.repeat(3).get_repeat_count()) == (2, 4, 3)
    with pytest.raises(RuntimeError, match="no rows"):
        data.skip(2).output_shapes()


@pytest.mark.parametrize("size", [1, 2, 3, 50, 70000])
def test_every_order_is_a_permutation(size: int) -> None:
    from ms_nn.dataset._order import permutation

    assert sorted(permutation(size, 11)) == list(range(size))
