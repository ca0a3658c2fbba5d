"""Transposed convolution, patches, sizes and pools of mint.nn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ms_nn
from ms_generator import set_seed
from ms_kernels import Tensor, vjp
from ms_nn.mint import nn

RNG = np.random.default_rng(2)


def drawn(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def test_conv_transpose_starts_as_in_2_6() -> None:
    set_seed(0)
    layer = nn.ConvTranspose2d(1, 2, 2)
    expected = [0.17513406, -0.01296381, 0.08185137, -0.02978651, 0.13880755, -0.0922924, 0.32017934, 0.2179964]
    np.testing.assert_allclose(layer.weight.asnumpy().ravel(), expected, rtol=1e-6)
    assert repr(nn.ConvTranspose2d(3, 4, 3)) == (
        "ConvTranspose2d(input_channels=3, output_channels=4, kernel_size=(3, 3), stride=(1, 1), padding=(0, 0), "
        "dilation=(1, 1), groups=1, bias=True)"
    )


@pytest.mark.parametrize(
    ("stride", "padding", "extra", "groups", "dilation"), [(1, 0, 0, 1, 1), (2, 1, 1, 2, 1), ((2, 3), (1, 0), 0, 1, 2)]
)
def test_conv_transpose_is_the_gradient_of_conv(
    stride: Any, padding: Any, extra: int, groups: int, dilation: int
) -> None:
    layer = nn.ConvTranspose2d(4, 6, 3, stride, padding, extra, groups, bias=False, dilation=dilation)
    x = drawn(2, 4, 5, 6)
    out = layer(x)
    conv = nn.Conv2d(6, 4, 3, stride, padding, dilation, groups, bias=False)
    conv.weight.set_data(layer.weight)
    result, pull = vjp(conv, drawn(*out.shape))
    assert result.shape == x.shape
    np.testing.assert_allclose(out.asnumpy(), pull(x)[0].asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "arguments", [(3, 4, 3, 1, 0, 0, 2), (3, 4, 3, 1, "same"), (0, 4, 3), (3, 4, 3, 1, 0, 0, 1, True, 1, "reflect")]
)
def test_conv_transpose_wrong_arguments(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="For 'ConvTranspose2d', the"):
        nn.ConvTranspose2d(*arguments)


def test_fold_adds_what_unfold_took_apart() -> None:
    x = drawn(2, 3, 4, 6)
    columns = nn.Unfold(2, stride=2)(x)
    assert columns.shape == (2, 12, 6)
    assert nn.Fold((4, 6), 2, stride=2)(columns).tolist() == x.tolist()
    ones = Tensor(np.ones((1, 1, 3, 3), np.float32))
    overlaps = nn.Fold((3, 3), 2)(nn.Unfold(2)(ones))
    assert overlaps.tolist() == [[[[1, 2, 1], [2, 4, 2], [1, 2, 1]]]]


def test_same_as_the_layers_of_nn() -> None:
    x = drawn(2, 8, 4, 6)
    assert nn.PixelShuffle(2)(x).tolist() == ms_nn.PixelShuffle(2)(x).tolist()
    assert nn.Upsample(size=(5, 7))(x).tolist() == ms_nn.Upsample(size=(5, 7))(x).tolist()
    assert nn.UpsamplingNearest2d(size=5)(x).tolist() == ms_nn.Upsample(size=(5, 5))(x).tolist()
    expected = ms_nn.Upsample(size=(5, 7), mode="bilinear", align_corners=True)(x)
    assert nn.UpsamplingBilinear2d(size=(5, 7))(x).tolist() == expected.tolist()
    volume = drawn(2, 3, 4, 5, 6)
    assert nn.AdaptiveAvgPool3d((2, None, 3))(volume).tolist() == (
        ms_nn.AdaptiveAvgPool3d((2, None, 3))(volume).tolist()
    )
    np.testing.assert_allclose(
        nn.AvgPool3d(2, padding=1)(volume).asnumpy(),
        ms_nn.AvgPool3d(2, 2, "pad", 1)(volume).asnumpy(),
        rtol=1e-6,
    )
    assert ms_nn.AvgPool3dExt is nn.AvgPool3d


def test_unpooling_what_a_pool_took() -> None:
    x = drawn(1, 2, 4, 6)
    pooled, places = nn.MaxPool2d(2, return_indices=True)(x)
    back = nn.MaxUnpool2d(2)(pooled, places).asnumpy()
    assert np.count_nonzero(back) == pooled.size
    np.testing.assert_array_equal(back[back != 0], x.asnumpy()[back != 0])
    assert nn.MaxUnpool2d(2)(pooled, places, output_size=(5, 7)).shape == (1, 2, 5, 7)
    out, index = nn.AdaptiveMaxPool1d(2, return_indices=True)(Tensor([[[1.0, 3.0, 2.0, 0.0]]]))
    assert (out.tolist(), index.tolist()) == ([[[3.0, 2.0]]], [[[1, 2]]])


def test_sync_batch_norm_of_one_process() -> None:
    x = drawn(4, 3, 2, 2)
    layer, plain = nn.SyncBatchNorm(3), nn.BatchNorm2d(3)
    assert layer(x).tolist() == plain(x).tolist()
    assert layer.running_mean.tolist() == plain.running_mean.tolist()
    names = [name for name, _ in layer.parameters_and_names()]
    assert names == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]
    with pytest.raises(ValueError, match="dims"):
        layer(drawn(2, 3, 2, 2, 2))


def test_batch_norm_starts_over() -> None:
    layer = nn.BatchNorm2d(3)
    layer(drawn(4, 3, 2, 2) + 5)
    layer.weight.set_data(drawn(3))
    assert int(layer.num_batches_tracked) == 1
    layer.reset_running_stats()
    assert (layer.running_mean.tolist(), layer.running_var.tolist()) == ([0, 0, 0], [1, 1, 1])
    assert int(layer.num_batches_tracked) == 0 and layer.weight.tolist() != [1, 1, 1]
    layer.reset_parameters()
    assert (layer.weight.tolist(), layer.bias.tolist()) == ([1, 1, 1], [0, 0, 0])
    nn.BatchNorm2d(3, affine=False, track_running_stats=False).reset_parameters()


def test_output_size_of_conv_transpose() -> None:
    layer = nn.ConvTranspose2d(1, 1, 3, stride=3, padding=1)
    x = drawn(1, 1, 4, 5)
    assert layer(x).shape == (1, 1, 10, 13)
    assert layer(x, (12, 14)).shape == layer(x, output_size=(1, 1, 12, 14)).shape == (1, 1, 12, 14)
    with pytest.raises(ValueError, match=r"'output_size' must be from \[10, 13\] to \[12, 15\]"):
        layer(x, (13, 13))


def test_batch_norm_3d_refuses_other_dimensions() -> None:
    layer = nn.BatchNorm3d(3)
    np.testing.assert_allclose(layer(drawn(2, 3, 2, 4, 5)).asnumpy().mean((0, 2, 3, 4)), 0, atol=1e-6)
    with pytest.raises(ValueError, match="have 5 dims"):
        layer(drawn(2, 3, 2, 2))
