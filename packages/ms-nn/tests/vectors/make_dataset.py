"""Records dataset.json with MindSpore 2.6 itself: rows, orders and errors of data pipelines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import dataset as ds

A, B = np.arange(7), (np.arange(7) * 10).astype(np.float32)


def pairs(**options: Any) -> Any:
    return ds.NumpySlicesDataset((A, B), ["a", "b"], **{"shuffle": False, **options})


def rows(pipeline: Any, epochs: int = 1, **options: Any) -> Any:
    names = pipeline.get_col_names()
    size = pipeline.get_dataset_size()
    iterator = pipeline.create_tuple_iterator(num_epochs=epochs, output_numpy=True, **options)
    made = [[[np.asarray(value).tolist() for value in row] for row in iterator] for _ in range(epochs)]
    return {"names": names, "size": size, "epochs": made}


def seeded(seed: int, make: Callable[[], Any], epochs: int = 3) -> Callable[[], Any]:
    def run() -> Any:
        ms.set_seed(seed)
        return rows(make(), epochs)

    return run


def four() -> Iterator[tuple[Any, Any]]:
    for i in range(4):
        yield np.array(i), np.array([i, i * 2.0])


class Squares:
    def __getitem__(self, i: int) -> tuple[Any, int]:
        return np.array(i, np.int32), i * i

    def __len__(self) -> int:
        return 5


def fail(a: Any) -> Any:
    raise KeyError("no")


def cases() -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {}
    for text in (
        "batch(3)",
        "batch(3, True)",
        "batch(10)",
        "batch(10, True)",
        "batch(3).repeat(2)",
        "repeat(2).batch(3)",
        "take(3)",
        "take(-1)",
        "take(9)",
        "batch(3).take(1)",
        "skip(5)",
        "skip(9)",
        "batch(2).skip(1)",
        "repeat(2)",
        "concat(pairs())",
        "project(['b'])",
        "rename(['a'], ['z'])",
        "filter(lambda a, b: a > 3)",
        "filter(lambda b: b > 30, input_columns='b')",
        "zip(ds.NumpySlicesDataset(A, ['c'], shuffle=False))",
        "map(lambda a: a + 1)",
        "map(lambda b: b + 1, 'b')",
        "map([lambda a: a + 1, lambda a: a * 2], 'a')",
        "map(lambda a, b: (b, a), ['a', 'b'])",
        "map(lambda a, b: a + b, ['a', 'b'], ['c'])",
        "map(lambda a: (a, a), ['a'], ['c', 'd'])",
        "map(lambda b: b, ['b'], ['c'])",
        "map(lambda a: 3, ['a'])",
        "batch(lambda info: info.get_batch_num() + 1)",
        "batch(3, per_batch_map=lambda a, info: ([x + info.get_batch_num() for x in a],), input_columns=['a'])",
        "batch(3, per_batch_map=lambda a, info: (a, a), input_columns=['a'], output_columns=['c', 'd'])",
        "batch(0)",
        "batch('a')",
        "batch(2.5)",
        "batch(3, 1)",
        "repeat(0)",
        "repeat('a')",
        "take(0)",
        "take('a')",
        "skip(-1)",
        "skip('a')",
        "shuffle(1)",
        "shuffle('a')",
        "map(3)",
        "filter(3)",
        "map(fail, 'a')",
        "map(lambda a: a, 'zz')",
        "map(lambda a, b: a, ['a', 'b'])",
        "split([3, 3])",
        "split([0.3, 0.3])",
        "split([])",
    ):
        made[text] = lambda text=text: rows(eval("pairs()." + text))
    return made | {
        "columns": lambda: rows(pairs(), columns=["b"]),
        "two epochs": lambda: rows(pairs(), 2),
        "dict": lambda: rows(ds.NumpySlicesDataset({"x": [1, 2], "y": [0.5, 1.5]}, shuffle=False)),
        "unnamed": lambda: rows(ds.NumpySlicesDataset(([1, 2], [3, 4]), shuffle=False)),
        "list of lists": lambda: rows(ds.NumpySlicesDataset([[1, 2], [3, 4]], shuffle=False)),
        "generator": lambda: rows(ds.GeneratorDataset(four, ["a", "b"]), 2),
        "generator samples": lambda: rows(ds.GeneratorDataset(four, ["a", "b"], num_samples=2)),
        "generator columns": lambda: rows(ds.GeneratorDataset(four, ["a"])),
        "random access": lambda: rows(ds.GeneratorDataset(Squares(), ["a", "b"], shuffle=False)),
        "random access samples": lambda: rows(ds.GeneratorDataset(Squares(), ["a", "b"], shuffle=False, num_samples=2)),
        "indices": lambda: rows(ds.GeneratorDataset(Squares(), ["a", "b"], sampler=[3, 1, 0])),
        "sequential": lambda: rows(ds.GeneratorDataset(Squares(), ["a", "b"], sampler=ds.SequentialSampler(1, 2))),
        "shard": lambda: rows(pairs(num_shards=2, shard_id=1)),
        "list source": lambda: rows(ds.GeneratorDataset([1, 2, 3], ["a"], shuffle=False)),
        "split": lambda: [rows(part) for part in pairs().split([0.5, 0.5], randomize=False)],
        "order": seeded(5, lambda: ds.NumpySlicesDataset(A, ["a"])),
        "order even": seeded(9, lambda: ds.NumpySlicesDataset(np.arange(10), ["a"])),
        "order repeated": seeded(5, lambda: ds.NumpySlicesDataset(A, ["a"]).repeat(2), 2),
        "order random access": seeded(5, lambda: ds.GeneratorDataset(Squares(), ["a", "b"])),
        "order samples": seeded(5, lambda: ds.NumpySlicesDataset(A, ["a"], num_samples=3)),
        "order shard": seeded(5, lambda: ds.NumpySlicesDataset(A, ["a"], num_shards=2, shard_id=1)),
        "order replacement": seeded(5, lambda: ds.NumpySlicesDataset(A, ["a"], sampler=ds.RandomSampler(True, 5))),
        "order subset": seeded(
            5, lambda: ds.NumpySlicesDataset(A, ["a"], sampler=ds.SubsetRandomSampler([1, 3, 5, 2]))
        ),
        "order buffer 2": seeded(6, lambda: pairs().shuffle(2)),
        "order buffer 3": seeded(1, lambda: pairs().shuffle(3)),
        "order buffer 10": seeded(6, lambda: pairs().shuffle(10)),
        "order split": seeded(5, lambda: ds.NumpySlicesDataset(A, ["a"]).split([3, 4])[0]),
        "no columns": lambda: ds.GeneratorDataset(four),
        "no source": lambda: ds.GeneratorDataset(3, ["a"]),
        "data type": lambda: ds.NumpySlicesDataset(3),
        "empty": lambda: ds.NumpySlicesDataset([]),
        "lengths": lambda: rows(ds.NumpySlicesDataset((A, B[:3]), ["a", "b"])),
        "names": lambda: ds.NumpySlicesDataset((A, B), ["a"]),
        "same names": lambda: ds.NumpySlicesDataset((A, B), ["a", "a"]),
        "half a shard": lambda: ds.NumpySlicesDataset(A, num_shards=2),
        "sampler and shuffle": lambda: ds.NumpySlicesDataset(A, shuffle=True, sampler=ds.SequentialSampler()),
        "ragged": lambda: rows(ds.GeneratorDataset([np.ones(2), np.ones(3)], ["a"], shuffle=False).batch(2)),
    }


def results() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, case in cases().items():
        try:
            found[name] = {"value": case()}
        except Exception as error:
            found[name] = {"error": type(error).__name__, "text": str(error).split("\n")[0]}
    return found


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("dataset.json")
    target.write_text(json.dumps(results(), indent=0) + "\n")
