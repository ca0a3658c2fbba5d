"""More layers against MindSpore 2.6: how they print, parameters, values, errors; InstanceNorm against NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_kernels
import ms_nn
from ms_kernels import Tensor

ROWS = json.loads((Path(__file__).parent / "vectors" / "more_layers.json").read_text())["rows"]
ERRORS = {kind.__name__: kind for kind in (KeyError, TypeError, ValueError)}
NORMS = [(ms_nn.InstanceNorm1d, (5,)), (ms_nn.InstanceNorm2d, (5, 4)), (ms_nn.InstanceNorm3d, (2, 3, 4))]


def build(row: dict[str, Any]) -> ms_nn.Cell:
    net = eval(row["expr"], {"nn": ms_nn, "ms": SimpleNamespace(float16=ms_dtype.float16)})
    assert isinstance(net, ms_nn.Cell)
    return net


def draw(spec: Any, rng: np.random.RandomState) -> Tensor:
    if isinstance(spec, str):
        high, shape = spec[1:].split(":")
        return Tensor(rng.randint(0, int(high), eval(shape)).astype(np.int64))
    if isinstance(spec, float):
        return Tensor(spec, ms_dtype.float32)
    return Tensor(rng.standard_normal(spec).astype(np.float32))


def inputs(row: dict[str, Any]) -> list[Tensor]:
    rng = np.random.RandomState(3)
    return [draw(spec, rng) for spec in row["inputs"]]


def ident(row: dict[str, Any]) -> str:
    return f"{row['expr']} {row['inputs'] or ''}"


@pytest.mark.parametrize("row", [row for row in ROWS if "repr" in row], ids=ident)
def test_printing_and_parameters(row: dict[str, Any]) -> None:
    net = build(row)
    assert repr(net) == row["repr"]
    assert [[name, p.name, p.requires_grad] for name, p in net.parameters_and_names()] == row["parameters"]


@pytest.mark.parametrize("row", [row for row in ROWS if "outputs" in row], ids=ident)
def test_values(row: dict[str, Any]) -> None:
    out = build(row)(*inputs(row))
    found = out if isinstance(out, tuple) else (out,)
    for tensor, expected in zip(found, row["outputs"], strict=True):
        assert list(tensor.shape) == expected["shape"]
        assert str(tensor.dtype) == expected["dtype"]
        wanted = np.array(expected["data"]).reshape(expected["shape"])
        np.testing.assert_allclose(tensor.asnumpy(), wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("row", [row for row in ROWS if "error" in row], ids=ident)
def test_bad_arguments(row: dict[str, Any]) -> None:
    with pytest.raises(ERRORS[row["error"]], match="must"):
        build(row)


@pytest.mark.parametrize("row", [row for row in ROWS if "forward_error" in row], ids=ident)
def test_bad_inputs(row: dict[str, Any]) -> None:
    net, given = build(row), inputs(row)
    with pytest.raises(ERRORS[row["forward_error"]]):
        net(*given)


@pytest.mark.parametrize(("layer", "space"), NORMS)
@pytest.mark.parametrize("train", [False, True])
def test_instance_norm_by_its_formula(layer: Any, space: tuple[int, ...], train: bool) -> None:
    rng = np.random.RandomState(5)
    x = rng.standard_normal((2, 3, *space)) * 3 + 1
    gamma, beta = rng.standard_normal(3), rng.standard_normal(3)
    net = layer(3, 1e-3, 0.25, gamma_init=Tensor(gamma, ms_dtype.float32), beta_init=Tensor(beta, ms_dtype.float32))
    out = net.set_train(train)(Tensor(x.astype(np.float32)))
    rows, lift = x.reshape(2, 3, -1), (1, 3) + (1,) * len(space)
    plain = (rows - rows.mean(2, keepdims=True)) / np.sqrt(rows.var(2, keepdims=True) + 1e-3)
    wanted = plain.reshape(x.shape) * gamma.reshape(lift) + beta.reshape(lift)
    np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-5, atol=1e-5)
    mean, var = np.zeros(3), np.ones(3)
    if train:
        mean = 0.25 * mean + 0.75 * rows.mean(2).mean(0)
        var = 0.25 * var + 0.75 * rows.var(2, ddof=1).mean(0)
    np.testing.assert_allclose(net.moving_mean.asnumpy(), mean, rtol=1e-5)
    np.testing.assert_allclose(net.moving_variance.asnumpy(), var, rtol=1e-5)


def test_instance_norm_keeps_the_dtype_of_its_input() -> None:
    x = Tensor(np.arange(12).reshape(1, 2, 6), ms_dtype.float16)
    out = ms_nn.InstanceNorm1d(2).set_train()(x)
    assert out.dtype == ms_dtype.float16
    np.testing.assert_allclose(out.asnumpy().mean(2), 0, atol=1e-3)


def numeric(fn: Any, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Central differences of a sum in float64."""
    grad = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[at] = 1e-5
        grad[at] = (fn(x + step) - fn(x - step)) / 2e-5
    return grad


def test_instance_norm_gradient() -> None:
    rng = np.random.RandomState(1)
    x, weight = rng.standard_normal((2, 2, 4)), rng.standard_normal((2, 2, 4))
    net = ms_nn.InstanceNorm1d(2).set_train()
    scale = Tensor(weight.astype(np.float32))
    found = ms_kernels.grad(lambda t: (net(t) * scale).sum())(Tensor(x.astype(np.float32)))

    def plain(a: np.ndarray[Any, Any]) -> float:
        unit = (a - a.mean(2, keepdims=True)) / np.sqrt(a.var(2, keepdims=True) + 1e-5)
        return float((unit * weight).sum())

    np.testing.assert_allclose(found.asnumpy(), numeric(plain, x), rtol=1e-4, atol=1e-4)


def test_instance_norm_trains_gamma_and_beta() -> None:
    net = ms_nn.InstanceNorm1d(2)
    x = Tensor(np.array([[[0.0, 2.0], [1.0, 5.0]]], np.float32))
    found = ms_kernels.grad(lambda t: (net(t) * t).sum(), None, net.trainable_params())(x)
    np.testing.assert_allclose(found[0].asnumpy(), [2, 4], rtol=1e-4)
    np.testing.assert_allclose(found[1].asnumpy(), [2, 6], rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, -1, (1, 2), [2, 2], (0, -1)])
@pytest.mark.parametrize("limit", [0.5, 1.9, 100.0])
def test_clip_by_norm_over_some_dimensions(axis: Any, limit: float) -> None:
    x = np.random.RandomState(4).standard_normal((2, 3, 4))
    axes = (axis,) if isinstance(axis, int) else tuple({a % 3 for a in axis})
    norm = np.sqrt((x * x).sum(axis=axes, keepdims=True))
    out = ms_nn.ClipByNorm(axis)(Tensor(x.astype(np.float32)), Tensor(limit, ms_dtype.float32))
    np.testing.assert_allclose(out.asnumpy(), np.where(norm > limit, x / norm * limit, x), rtol=1e-5)


def test_clip_by_norm_takes_a_limit_for_each_row() -> None:
    x = Tensor(np.array([[3.0, 4.0], [6.0, 8.0]], np.float32))
    out = ms_nn.ClipByNorm(1)(x, Tensor(np.array([[1.0], [20.0]], np.float32)))
    np.testing.assert_allclose(out.asnumpy(), [[0.6, 0.8], [6, 8]], rtol=1e-6)


@pytest.mark.parametrize("value", [[3.0, 4.0], [0.3, 0.4]])
def test_clip_by_norm_gradient(value: list[float]) -> None:
    x, weight = np.array(value), np.array([2.0, -1.0])
    scale = Tensor(weight.astype(np.float32))
    found = ms_kernels.grad(lambda t: (ms_nn.ClipByNorm()(t, Tensor(1.0)) * scale).sum())(Tensor(x.astype(np.float32)))
    wanted = numeric(lambda a: float((a / max(np.sqrt((a * a).sum()), 1.0) * weight).sum()), x)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


def test_clip_by_norm_gradient_at_zero_is_finite() -> None:
    found = ms_kernels.grad(lambda t: ms_nn.ClipByNorm()(t, Tensor(1.0)).sum())(Tensor([0.0, 0.0]))
    assert found.asnumpy().tolist() == [1.0, 1.0]


def test_clip_by_norm_of_half_precision_is_float32() -> None:
    out = ms_nn.ClipByNorm()(Tensor([3.0, 4.0], ms_dtype.float16), Tensor(1.0, ms_dtype.float16))
    assert out.dtype == ms_dtype.float32
    np.testing.assert_allclose(out.asnumpy(), [0.6, 0.8], rtol=1e-6)


def test_clip_by_norm_wants_tensors() -> None:
    with pytest.raises(TypeError, match="'clip_norm' must be a Tensor"):
        ms_nn.ClipByNorm()(Tensor([1.0]), 1.0)


def test_unpooling_undoes_pooling() -> None:
    x = Tensor(np.array([[[[1, 5, 2, 0], [3, 4, 8, 7]]]], np.float32))
    best, places = ms_nn.MaxPool2d(2, 2, pad_mode="pad", return_indices=True)(x)
    assert ms_nn.MaxUnpool2d(2)(best, places).asnumpy().tolist() == [[[[0, 5, 0, 0], [0, 0, 8, 0]]]]
    wide = ms_nn.MaxUnpool2d(2)(best, places, (1, 1, 3, 5))
    assert wide.shape == (1, 1, 3, 5)
    assert float(wide.sum().item()) == 13.0


def test_unpooling_rejects_other_sizes() -> None:
    with pytest.raises(ValueError, match="output_size"):
        ms_nn.MaxUnpool1d(2)(Tensor([[[2.0, 4.0]]]), Tensor([[[1, 3]]]), (9,))


def test_time_distributed_wants_tensors_in_and_out() -> None:
    class Twice(ms_nn.Cell):
        def construct(self, x: Any) -> Any:
            return x, x

    x = Tensor(np.zeros((2, 3, 4), np.float32))
    for axis in (None, 0):
        with pytest.raises(TypeError, match="must be a Tensor"):
            ms_nn.TimeDistributed(Twice(), 1, axis)(x)
    with pytest.raises(TypeError, match="must be a Tensor"):
        ms_nn.TimeDistributed(ms_nn.ReLU(), 1)(3)


def test_time_distributed_has_no_place_for_steps_with_both_axes_0() -> None:
    with pytest.raises(ValueError, match="reshape_with_axis"):
        ms_nn.TimeDistributed(ms_nn.ReLU(), 0, 0)(Tensor(np.zeros((2, 3, 4), np.float32)))


def test_combined_layers_train_their_normalization() -> None:
    net = ms_nn.DenseBnAct(2, 1, weight_init="ones", has_bn=True, momentum=0.5).set_train()
    out = net(Tensor(np.array([[0.0, 1.0], [2.0, 3.0]], np.float32)))
    np.testing.assert_allclose(out.asnumpy(), [[-1], [1]], atol=1e-4)
    np.testing.assert_allclose(net.batchnorm.moving_mean.asnumpy(), [1.5], rtol=1e-6)


def test_time_distributed_takes_a_primitive() -> None:
    x = np.arange(-12, 12).reshape(2, 3, 4).astype(np.float32)
    out = ms_nn.TimeDistributed(ms_kernels.functional.ReLU(), 1)(Tensor(x))
    np.testing.assert_array_equal(out.asnumpy(), np.maximum(x, 0))


@pytest.mark.parametrize(("power", "error"), [("a", TypeError), (0, ValueError)])
def test_lp_pool_wants_a_number_other_than_0(power: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="norm_type"):
        ms_nn.LPPool1d(power, 2)(Tensor([[[1.0, 2.0]]]))
