"""Layers of ``mindspore.mint.nn`` whose arguments or parameters differ from those of ``mindspore.nn``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_initializer import HeUniform, Normal, Uniform, initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["Dropout2d", "DropoutExt", "EmbeddingExt", "Linear"]


class Linear(Cell):
    """x weight^T + bias over the last dimension (``mindspore.mint.nn.Linear``).

    Args:
        in_features, out_features: sizes of the last dimension of input and result.
        bias: there is a bias.
        weight_init, bias_init: Any, str, Initializer or number; as `ms_nn.Dense` if None.
        dtype: of the parameters; float32 if None.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> print(Linear(2, 1, weight_init="ones", bias_init="zeros")(Tensor([[1.0, 2.0]])))
    [[3.]]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = _check.integer("Linear", "in_features", in_features)
        self.out_features = _check.integer("Linear", "out_features", out_features)
        self.has_bias = _check.boolean("Linear", "bias", bias)
        dtype = dtype or mstype.float32
        if weight_init is None:
            weight_init = HeUniform(math.sqrt(5))
        self.weight = Parameter(initializer(weight_init, [out_features, in_features], dtype), name="weight")
        self.bias: Any = None
        if bias:
            if bias_init is None:
                bias_init = Uniform(1 / math.sqrt(in_features))
            self.bias = Parameter(initializer(bias_init, [out_features], dtype), name="bias")

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        return F.dense(x, self.weight, self.bias)

    def extend_repr(self) -> str:
        """The sizes."""
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text


class DropoutExt(Cell):
    """In training: zero with probability p, else x / (1 - p); otherwise the input (``mindspore.mint.nn.Dropout``).

    Args:
        p: in [0, 1].
        inplace: kept for 2.6's sake; the input is left as it is.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p = _check.within("Dropout", "p", p, 0, 1)
        self.inplace = inplace
        self.set_train()

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if not self.training or self.p == 0:
            return x
        return x * 0 if self.p == 1 else F.dropout(x, self.p)


class Dropout2d(Cell):
    """Dropout of whole channels of (N, C, H, W) or (C, H, W) (``mindspore.mint.nn.Dropout2d``).

    Args:
        p: in [0, 1].
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = _check.within("Dropout2d", "p", p, 0, 1)
        self.set_train()

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if not self.training or self.p == 0:
            return x
        if self.p == 1:
            return x * 0
        return x * F.dropout(F.ones((*x.shape[:-2], 1, 1), x.dtype), self.p)


class EmbeddingExt(Cell):
    """Rows of a trained table (``mindspore.mint.nn.Embedding``).

    Args:
        num_embeddings, embedding_dim: rows and columns of the table.
        padding_idx: this row is zero at first.
        max_norm, norm_type, scale_grad_by_freq, sparse: must stay at their defaults.
        _weight: the first table, a Tensor; standard normal numbers if None.
        _freeze: the table is not trained.
        dtype: of the table; float32 if None.

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range.

    >>> from ms_kernels import Tensor
    >>> EmbeddingExt(4, 2)(Tensor([0, 3])).shape
    (2, 2)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = "Embedding"
        self.num_embeddings = _check.integer(name, "num_embeddings", num_embeddings)
        self.embedding_dim = _check.integer(name, "embedding_dim", embedding_dim)
        for arg, value in (
            ("max_norm", max_norm is not None),
            ("scale_grad_by_freq", scale_grad_by_freq),
            ("sparse", sparse),
        ):
            if value:
                fail(ValueError, name, f"'{arg}'", "be at its default")
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = (
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
        )
        self.dtype = dtype or mstype.float32
        shape = (num_embeddings, embedding_dim)
        first = initializer(Normal(1.0), shape, self.dtype) if _weight is None else _weight
        if tuple(first.shape) != shape:
            fail(ValueError, name, "shape of '_weight'", f"be {shape}", str(tuple(first.shape)))
        self.padding_idx = padding_idx
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < num_embeddings:
                fail(
                    ValueError, name, "'padding_idx'", f"be in [-{num_embeddings}, {num_embeddings})", str(padding_idx)
                )
            self.padding_idx = padding_idx % num_embeddings
            if _weight is None:
                rows = np.array(first.init_data().asnumpy())
                rows[padding_idx] = 0
                first = Tensor(rows)
        self.weight = Parameter(first, name="weight", requires_grad=not _freeze)

    def construct(self, input: Any) -> Any:
        """The rows."""
        return F.gather(self.weight, input, 0)

    def extend_repr(self) -> str:
        """All arguments."""
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, norm_type={self.norm_type}, "
            f"scale_grad_by_freq={self.scale_grad_by_freq}, "
            f"dtype={self.dtype}"
        )
