"""Data pipelines in memory (``mindspore.dataset`` of 2.6, the part that feeds a training loop).

>>> import numpy as np
>>> from ms_nn import dataset
>>> data = dataset.NumpySlicesDataset({"x": np.arange(4), "y": np.arange(4) * 2}, shuffle=False)
>>> for row in data.map(lambda x: x + 1, "x").batch(2).create_dict_iterator(num_epochs=1):
...     print(row["x"], row["y"])
[1 2] [0 2]
[3 4] [4 6]
"""

from __future__ import annotations

from ms_nn.dataset import config
from ms_nn.dataset._source import GeneratorDataset, NumpySlicesDataset
from ms_nn.dataset._stages import zip_datasets as zip
from ms_nn.dataset.datasets import Dataset
from ms_nn.dataset.samplers import (
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
)

__all__ = [
    "Dataset",
    "DistributedSampler",
    "GeneratorDataset",
    "NumpySlicesDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "SubsetSampler",
    "config",
    "zip",
]
