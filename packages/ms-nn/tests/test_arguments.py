"""Wrong arguments of layers and losses, and what special arguments do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_kernels import Tensor, grad
from ms_nn.mint import nn as mint


def ones(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


WRONG: list[tuple[Any, type[Exception], str]] = [
    (
        lambda: nn.Dense(0, 2),
        ValueError,
        "For 'Dense', the 'in_channels' must be int and must > 0, but got '0' with type 'int'.",
    ),
    (lambda: nn.Dense(2.5, 2), TypeError, "For 'Dense', the 'in_channels' must be int, but got 'float'"),
    (lambda: nn.Dense("a", 2), TypeError, "For 'Dense', the 'in_channels' must be int, but got 'str'"),
    (lambda: nn.Dense(2, 2, has_bias=3), TypeError, "For 'Dense', the 'has_bias' must be a bool, but got int."),
    (lambda: nn.Dense(2, 2, weight_init=ones(3, 2)), ValueError, "For 'Dense', the shape of 'weight_init' must be"),
    (lambda: nn.Dense(2, 2, bias_init=ones(3)), ValueError, "For 'Dense', the shape of 'bias_init' must be"),
    (
        lambda: nn.Dense(2, 2, activation=3),
        TypeError,
        "the 'activation' must be str or Cell or Primitive, but got int.",
    ),
    (lambda: nn.Dense(2, 2, activation="nope"), KeyError, "The 'name' must be in"),
    (lambda: nn.Dense(2, 2, weight_init="nope"), ValueError, "but got 'nope'"),
    (lambda: nn.Dense(2, 2)(ones(2, 3)), ValueError, "For '"),
    (lambda: nn.Dense(2, 2)(3), TypeError, "must be a Tensor"),
    (lambda: nn.Conv2d(0, 2, 3), ValueError, "For 'Conv2d', the 'in_channels' must be int and must > 0"),
    (lambda: nn.Conv2d(3, 2, (3,)), TypeError, "must be int or a tuple of 2 ints"),
    (lambda: nn.Conv2d(3, 2, 3.5), TypeError, "must be int or a tuple of 2 ints"),
    (lambda: nn.Conv2d(3, 2, 0), ValueError, "'kernel_size item' must be int and must > 0"),
    (lambda: nn.Conv2d(3, 2, 3, stride=0), ValueError, "'stride item' must be int and must > 0"),
    (lambda: nn.Conv2d(3, 2, 3, dilation=0), ValueError, "'dilation item' must be int and must > 0"),
    (lambda: nn.Conv2d(3, 2, 3, pad_mode="foo"), ValueError, "'pad_mode' must be in"),
    (lambda: nn.Conv2d(3, 2, 3, padding=1), ValueError, "must be zero when 'pad_mode' is not 'pad'"),
    (lambda: nn.Conv2d(3, 2, 3, pad_mode="pad", padding=-1), ValueError, "'padding' must be int and must >= 0"),
    (lambda: nn.Conv2d(3, 2, 3, pad_mode="pad", padding=(1, 2)), ValueError, "'pad size' must be int and must = 4"),
    (lambda: nn.Conv2d(3, 2, 3, group=2), ValueError, "'group' should be divisible"),
    (lambda: nn.Conv2d(3, 2, 3, data_format="X"), ValueError, "the 'format' must be in"),
    (lambda: nn.Conv2d(3, 2, 3, data_format="NHWC"), ValueError, "only support in GPU target"),
    (lambda: nn.Conv2d(3, 2, 3)(ones(3, 4, 4)), ValueError, "For '"),
    (lambda: nn.Conv1d(3, 2, (3,)), TypeError, "the type of 'kernel_size' must be 'int', but got type 'tuple'"),
    (lambda: nn.Conv1d(3, 2, 3)(ones(3, 4)), ValueError, "dimension of the input must be 3"),
    (lambda: nn.Conv3d(3, 2, 3)(ones(3, 4, 4)), ValueError, "dimension of the input must be 5"),
    (lambda: nn.Conv2dTranspose(3, 2, 3)(ones(3, 4, 4)), ValueError, "must be 4-dimensional with 3 channels"),
    (lambda: nn.Conv2dTranspose(3, 2, 3, output_padding=1), ValueError, "'output_padding' must be zero"),
    (lambda: nn.Conv1dTranspose(3, 2, 3)(ones(3, 4)), ValueError, "dimension of the input must be 3"),
    (lambda: nn.BatchNorm2d(0), ValueError, "For 'BatchNorm2d', the 'num_features' must be at least 1, but got 0."),
    (lambda: nn.BatchNorm2d("a"), TypeError, "the type of 'num_features' must be 'int', but got type 'str'"),
    (
        lambda: nn.BatchNorm2d(3, momentum=1.5),
        ValueError,
        r"'momentum' must be a number in range \[0, 1\], but got 1.5.",
    ),
    (lambda: nn.BatchNorm2d(3, use_batch_statistics=3), ValueError, "must be a boolean value or None, but got 3."),
    (lambda: nn.BatchNorm2d(3)(ones(1, 3, 4)), ValueError, "must have 4 dims, but got 3"),
    (lambda: nn.BatchNorm1d(3)(ones(1, 3, 4, 4)), ValueError, "must have 2 dims or have 3 dims, but got 4"),
    (lambda: nn.BatchNorm3d(3)(ones(1, 3, 4, 4)), ValueError, "must have 5 dims, but got 4"),
    (lambda: nn.BatchNorm2d(3)(ones(1, 4, 4, 4)), ValueError, "For '"),
    (lambda: nn.LayerNorm(3), TypeError, r"must be tuple\[int\] or list\[int\], but got 3"),
    (lambda: nn.LayerNorm((3,))(ones(2, 4)), ValueError, "shape of gamma and beta must be"),
    (lambda: nn.GroupNorm(2, 3), ValueError, "must be divided by 'num_groups'"),
    (lambda: nn.GroupNorm(0, 3), ValueError, "'num_groups' must be int and must > 0"),
    (lambda: nn.GroupNorm(1, 3)(ones(1, 4, 4, 4)), ValueError, "must have 3 channels"),
    (lambda: nn.Embedding(0, 3), ValueError, "'vocab_size' must be int and must > 0"),
    (lambda: nn.Embedding(3, 3, padding_idx=3), ValueError, r"must be in range of \[0, 3\), but got 3"),
    (lambda: nn.Embedding(3, 3, embedding_table=ones(2, 3)), ValueError, "shape"),
    (lambda: nn.Dropout(p=1.0), ValueError, r"For 'Dropout', the 'p' must be a number in range \[0, 1\), but got 1.0."),
    (lambda: nn.Dropout(p=-0.1), ValueError, "the 'p' must be a number in range"),
    (
        lambda: nn.Dropout(keep_prob=0.0),
        ValueError,
        r"the 'keep_prob' must be a number in range \(0, 1\], but got 0.0.",
    ),
    (lambda: nn.Dropout(p="a"), TypeError, r"the type of 'p' must be one of '\['float', 'int'\]', but got type 'str'."),
    (
        lambda: nn.Dropout2d(p=1.5),
        ValueError,
        r"For 'Dropout2d', the 'p' must be a number in range \[0, 1\], but got 1.5.",
    ),
    (lambda: nn.Dropout2d().set_train()(ones(2, 3)), ValueError, "dimension of the input must be 4, but got 2"),
    (lambda: nn.Flatten(3, 1)(ones(2, 3, 4, 5)), ValueError, "'start_dim'"),
    (lambda: nn.Flatten()(ones(2)), ValueError, "dim"),
    (lambda: nn.Unflatten("a", (1, 2)), TypeError, "'axis' must be int"),
    (lambda: nn.Unflatten(1, 3), TypeError, "type of 'unflattened_size' must be"),
    (lambda: nn.MaxPool2d(0), ValueError, "the 'kernel_size' must be an positive int number or a tuple, but got 0"),
    (lambda: nn.MaxPool2d(2, 0), ValueError, "the 'stride' must be an positive int number or a tuple, but got 0"),
    (lambda: nn.MaxPool2d(2.5), TypeError, "type of 'kernel_size' must be one of"),
    (lambda: nn.MaxPool2d(2, pad_mode="x"), ValueError, "'pad_mode' must be in"),
    (lambda: nn.MaxPool2d(2, padding=1), ValueError, "can not be set to non-default value"),
    (lambda: nn.AvgPool2d(2, divisor_override=0), ValueError, "'divisor_override' must be > 0, but got 0."),
    (lambda: nn.MaxPool2d(2)(ones(2, 2)), ValueError, "must be 3 or 4, but got 2"),
    (lambda: nn.MaxPool1d((2,)), TypeError, "type of 'kernel_size' must be 'int'"),
    (lambda: nn.AdaptiveAvgPool1d(0), ValueError, "'output_size' must be int and must > 0"),
    (lambda: nn.AdaptiveAvgPool1d(3)(ones(1, 2, 7)), ValueError, "must be divisible by output size 3, but got 7."),
    (lambda: nn.MaxPool3d(0), ValueError, "the 'kernel_size' must be an positive int number or a tuple, but got 0"),
    (lambda: nn.MaxPool3d((2, 2)), ValueError, "must be an positive int number or a tuple"),
    (lambda: nn.MaxPool3d(2, padding=1), ValueError, "can not be set to non-default value"),
    (lambda: nn.PixelShuffle(0)(ones(1, 4, 1, 1)), ValueError, "'upscale_factor' must be int and must > 0"),
    (lambda: nn.PixelShuffle(2)(ones(1, 3, 1, 2)), ValueError, "third to last dimension must be divisible by 4"),
    (lambda: nn.PixelUnshuffle(2)(ones(1, 1, 3, 5)), ValueError, "last two dimensions must be divisible by 2"),
    (lambda: nn.ChannelShuffle(0), ValueError, "'groups' must be int and must > 0"),
    (lambda: nn.ChannelShuffle(3)(ones(1, 4, 1, 1)), ValueError, "dimension 1 must be divisible by 3"),
    (lambda: nn.BiDense(0, 3, 4), ValueError, "For 'BiDense', the 'in1_channels' must be int and must > 0"),
    (lambda: nn.BiDense(2, 3, 4)(ones(1, 2), ones(1, 2)), ValueError, "last dimension of 'input2' must be 3"),
    (lambda: nn.MatMul(3), TypeError, "'transpose_x1' must be a bool"),
    (lambda: nn.Moments("a"), TypeError, "the type of 'axis' must be one of"),
    (lambda: nn.L1Regularizer(0), ValueError, "'scale' must be greater than 0"),
    (lambda: nn.L1Regularizer("a"), TypeError, "type of 'scale' must be one of"),
    (lambda: nn.OneHot(depth=0), ValueError, "'depth' must be int and must > 0"),
    (lambda: nn.Softmax("a"), TypeError, "For 'Softmax', the type of 'axis' must be int or tuple of int"),
    (lambda: nn.get_activation("zz"), KeyError, "The 'name' must be in"),
    (lambda: nn.GELU(3), TypeError, "For 'GELU', the 'approximate' must be a bool, but got int."),
    (lambda: nn.Threshold(), TypeError, "missing a required argument"),
    (lambda: nn.ReLU(3), TypeError, "too many positional arguments"),
    (lambda: nn.PReLU(0), ValueError, "For 'PReLU', the 'channel' must be int and must > 0"),
    (lambda: nn.PReLU(2, ones(3)), ValueError, "shape of 'w' must be"),
    (lambda: nn.RReLU(0.5, 0.1), ValueError, "must be greater than or equal to 'lower'"),
    (lambda: nn.ReLU()(3), TypeError, "must be a Tensor"),
    (lambda: nn.Softmax2d()(ones(2, 2)), ValueError, "must be 3 or 4, but got 2"),
    (lambda: nn.ReflectionPad1d(3)(ones(1, 2)), ValueError, "'padding' must be between 0 and 1"),
    (lambda: nn.ReflectionPad1d("a"), TypeError, "type of 'padding' must be"),
    (lambda: nn.ReflectionPad2d((1, 2, 3)), ValueError, "length of 'padding' must be even"),
    (lambda: nn.ConstantPad1d(1, "a"), TypeError, "type of 'value' must be int or float"),
    (lambda: nn.Pad([[1, 1]]), TypeError, "type of 'paddings' must be tuple"),
    (lambda: nn.Pad(((1, 1),), mode="x"), ValueError, "'mode' must be in"),
    (lambda: nn.Pad(((1, 1),))(ones(2, 2)), ValueError, "length of 'paddings' must be the dimension of the input, 2"),
    (
        lambda: nn.MSELoss("x"),
        ValueError,
        r"For 'MSELoss', the 'reduction' must be in \['mean', 'sum', 'none'\], but got x.",
    ),
    (lambda: nn.CrossEntropyLoss(reduction="x"), ValueError, "For 'CrossEntropyLoss', the 'reduction' must be in"),
    (lambda: nn.CrossEntropyLoss(label_smoothing=2.0), ValueError, "the 'label_smoothing' must be"),
    (lambda: nn.CrossEntropyLoss(weight=3), TypeError, "'weight' must be a Tensor or None"),
    (lambda: nn.MSELoss()(ones(3, 4), 3), TypeError, "For 'MSELoss', the 'labels' must be Tensor, but got 'int'"),
    (lambda: nn.MSELoss()(ones(3, 4), ones(3, 3)), ValueError, "broadcast"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(3), TypeError, "the 'sparse' must be a bool, but got int."),
    (lambda: nn.BCELoss()(ones(3, 4), ones(3, 3)), ValueError, "shape of 'labels' must be the same"),
    (lambda: nn.HuberLoss(delta=-1.0)(ones(3), ones(3)), ValueError, "'delta' must be float and must > 0"),
    (lambda: nn.CosineEmbeddingLoss(margin=3.0), ValueError, "'margin' must be a number in range"),
    (lambda: nn.TripletMarginLoss(margin=-1.0), ValueError, "'margin' must be float and must > 0"),
    (lambda: nn.MultiMarginLoss(p=3), ValueError, "'p' must be in"),
    (lambda: nn.GaussianNLLLoss(eps=0.0), ValueError, "'eps' must be float and must > 0"),
    (lambda: nn.GaussianNLLLoss()(ones(2), ones(2), -ones(2)), ValueError, "have no negative element"),
    (lambda: mint.Linear(0, 1), ValueError, "For 'Linear', the 'in_features' must be int and must > 0"),
    (lambda: mint.Conv2d(3, 2, 3, groups=2), ValueError, "must be divisible by 'groups'"),
    (lambda: mint.Conv2d(3, 3, 3, padding_mode="wrap"), ValueError, "'padding_mode' must be"),
    (lambda: mint.BatchNorm2d(3)(ones(1, 3, 4)), ValueError, "must have 4 dims, but got 3"),
    (lambda: mint.Embedding(3, 3, max_norm=1.0), ValueError, "'max_norm' must be at its default"),
    (lambda: mint.Dropout(2.0), ValueError, "For 'Dropout', the 'p' must be a number in range"),
]


@pytest.mark.parametrize(("call", "kind", "text"), WRONG, ids=range(len(WRONG)))
def test_wrong_arguments(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


def test_activations_show_their_parameters() -> None:
    import inspect

    assert str(inspect.signature(nn.Hardtanh)) == "(min_val=-1.0, max_val=1.0)"
    assert str(inspect.signature(nn.LeakyReLU)) == "(alpha=0.2)"
    assert str(inspect.signature(nn.Threshold)) == "(threshold, value)"
    assert nn.ELU(0.5).alpha == 0.5
    assert nn.ELU.__module__ == "ms_nn.layers.activation" and "alpha (exp(x) - 1)" in nn.ELU.__doc__
    assert mint.Softmax.__name__ == "SoftmaxExt"


@pytest.mark.parametrize("kind", [nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d, mint.Dropout, mint.Dropout2d])
def test_dropout(kind: Any) -> None:
    layer = kind(p=0.25).set_train()
    shape = {nn.Dropout1d: (50, 40, 3), nn.Dropout3d: (50, 40, 1, 2, 2)}.get(kind, (50, 40, 2, 2))
    x = Tensor(np.ones(shape, np.float32))
    out = layer(x).asnumpy()
    assert set(np.unique(out)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs((out == 0).mean() - 0.25) < 0.06
    whole = out.reshape(50, 40, -1)
    assert (whole.min(-1) == whole.max(-1)).all() == (kind not in (nn.Dropout, mint.Dropout))
    gradient = grad(lambda v: layer(v).sum())(x).asnumpy()
    assert set(np.unique(gradient)) == {np.float32(0), np.float32(1 / 0.75)}
    layer.set_train(False)
    assert layer(x) is x


def test_dropout_follows_the_seed() -> None:
    import ms_generator

    def draw() -> Any:
        ms_generator.set_seed(5)
        layer = nn.Dropout(p=0.5).set_train()
        return [layer(ones(40)).asnumpy() for _ in range(2)]

    first, second = draw(), draw()
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert (first[0] != first[1]).any()


def test_rrelu_draws_slopes_from_its_range() -> None:
    out = nn.RReLU(0.1, 0.4)(Tensor(np.full(500, -1, np.float32))).asnumpy()
    assert -0.4 <= out.min() < -0.35 and -0.15 < out.max() <= -0.1
    np.testing.assert_array_equal(nn.RReLU()(ones(3)).asnumpy(), [1, 1, 1])


@pytest.mark.parametrize("dtype", [ms_dtype.float16, ms_dtype.float32])
def test_dtype_of_parameters(dtype: Any) -> None:
    cells = [
        nn.Dense(2, 2, dtype=dtype),
        nn.Conv2d(2, 2, 3, has_bias=True, dtype=dtype),
        nn.BatchNorm2d(2, dtype=dtype),
        nn.LayerNorm((2,), dtype=dtype),
        nn.GroupNorm(1, 2, dtype=dtype),
        nn.Embedding(2, 2, dtype=dtype),
        mint.Linear(2, 2, dtype=dtype),
        mint.LayerNorm(2, dtype=dtype),
    ]
    assert {str(p.dtype) for cell in cells for p in cell.get_parameters()} == {str(dtype)}


@pytest.mark.parametrize("bound", [True, False])
def test_max_pool_indices(bound: bool) -> None:
    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    pool = nn.MaxPool2d(2, 2, pad_mode="pad", return_indices=True)
    out, places = pool(x) if bound else pool(x.reshape((1, 4, 4)))
    assert out.shape == places.shape == ((1, 1, 2, 2) if bound else (1, 2, 2))
    assert places.asnumpy().ravel().tolist() == [5, 7, 13, 15]


def test_mint_batch_norm_counts_and_averages() -> None:
    layer = mint.BatchNorm1d(1, momentum=None)
    for value in (1.0, 3.0):
        layer(Tensor(np.array([[value], [value]], np.float32)))
    assert int(layer.num_batches_tracked) == 2
    np.testing.assert_allclose(layer.running_mean.asnumpy(), [2.0], rtol=1e-6)
    volume = mint.BatchNorm3d(2)
    assert volume(ones(1, 2, 2, 2, 2)).shape == (1, 2, 2, 2, 2)


def test_losses_without_a_record() -> None:
    """2.6's CPU has no kernel for these; the numbers come from the formulas."""
    x, y = np.array([[0.5, -1.0, 2.0]], np.float32), np.array([[1.0, -1.0, 1.0]], np.float32)
    found = nn.SoftMarginLoss("none")(Tensor(x), Tensor(y)).asnumpy()
    np.testing.assert_allclose(found, np.log1p(np.exp(-x * y)), rtol=1e-6)
    a, p, n = (np.array([v], np.float32) for v in ([0.0, 1.0], [0.5, 1.0], [0.0, 0.0]))
    near, far, swap = (np.linalg.norm(u - v + 1e-6) for u, v in ((a, p), (a, n), (p, n)))
    found = nn.TripletMarginLoss()(Tensor(a), Tensor(p), Tensor(n), Tensor(2.0))
    np.testing.assert_allclose(float(found), near - far + 2, rtol=1e-5)
    found = nn.TripletMarginLoss(swap=True)(Tensor(a), Tensor(p), Tensor(n), 2.0)
    np.testing.assert_allclose(float(found), near - min(far, swap) + 2, rtol=1e-5)
    found = nn.MultilabelMarginLoss()(Tensor(x), Tensor(np.array([[2, 0, -1]], np.int32)))
    np.testing.assert_allclose(float(found), (max(0, 1 - (2 - -1)) + max(0, 1 - (0.5 - -1))) / 3, atol=1e-6)
    found = mint.KLDivLoss("sum", log_target=True)(
        Tensor(np.log([0.25], dtype=np.float32)), Tensor(np.log([0.5], dtype=np.float32))
    )
    np.testing.assert_allclose(float(found), 0.5 * np.log(2), rtol=1e-5)
