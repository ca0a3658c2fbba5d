"""Neural-network ops beyond their cases: gradients that options change, windows that are drawn, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
from ms_kernels import Parameter, Tensor, grad
from ms_kernels import functional as ops
from ms_kernels import mint_functional as F
from ms_kernels.ops.pool_ratio import borders


def ones(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


def table() -> Tensor:
    return Tensor(np.arange(8.0).reshape(4, 2).astype(np.float32))


INDICES = Tensor([[1, 0, 1], [3, 1, 0]])


@pytest.mark.parametrize("padding", [0, -4])
def test_the_padding_row_of_an_embedding_gets_no_gradient(padding: int) -> None:
    slope = grad(lambda w: F.embedding(INDICES, w, padding).sum())(table())
    assert slope[:, 0].tolist() == [0, 3, 0, 1]


def test_embedding_gradients_divided_by_frequency() -> None:
    slope = grad(lambda w: F.embedding(INDICES, w, scale_grad_by_freq=True).sum())(table())
    assert slope[:, 0].tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize("norm_type", [1.0, 2.0])
def test_rows_in_use_are_scaled_down_in_place(norm_type: float) -> None:
    weight = Parameter(table(), name="w")
    out = F.embedding(Tensor([3, 0]), weight, max_norm=2.0, norm_type=norm_type)
    norms = np.linalg.norm(weight.asnumpy(), norm_type, axis=1)
    assert norms[3] == pytest.approx(2.0, rel=1e-5)
    assert weight[1].tolist() == [2, 3] and weight[2].tolist() == [4, 5]  # not in use
    np.testing.assert_array_equal(out.asnumpy(), weight.asnumpy()[[3, 0]])


@pytest.mark.parametrize("pseudo_random", [False, True])
@pytest.mark.parametrize(("size", "count"), [(8, 5), (7, 5), (20, 19), (9, 3), (100, 37), (5, 1)])
def test_borders_of_fractional_windows(size: int, count: int, pseudo_random: bool) -> None:
    for seed in range(50):
        edges = borders(size, count, pseudo_random, seed, 0)
        steps = np.diff(edges)
        assert edges[0] == 0 and edges[-1] == size and len(edges) == count + 1
        assert set(steps.tolist()) <= {size // count, size // count + 1}


def test_fractional_windows_follow_the_default_stream_unless_told() -> None:
    x = Tensor(np.random.default_rng(0).normal(size=(1, 40, 40, 1)).astype(np.float32))
    ratio = [1.0, 1.5, 1.5, 1.0]
    assert len({tuple(ops.FractionalMaxPool(ratio)(x)[1].tolist()) for _ in range(5)}) > 1
    assert len({tuple(ops.FractionalMaxPool(ratio, deterministic=True)(x)[1].tolist()) for _ in range(5)}) == 1


def test_ctc_terms_sum_to_the_likelihood() -> None:
    x = np.random.default_rng(0).normal(size=(5, 2, 4))
    p = Tensor(x - np.logaddexp.reduce(x, 2, keepdims=True))
    loss, terms = ops.ctc_loss(p, Tensor([[1, 2, 2], [3, 1, 1]]), (5, 4), (3, 1), 0, "none")
    last = terms.asnumpy()
    np.testing.assert_allclose(np.logaddexp(*last[0, 4, 5:7]), -loss.asnumpy()[0], rtol=1e-12)
    np.testing.assert_allclose(np.logaddexp(*last[1, 3, 1:3]), -loss.asnumpy()[1], rtol=1e-12)
    assert np.isneginf(last[1, 4]).all() and np.isneginf(last[1, :, 3:]).all()


def test_targets_that_cannot_be_reached() -> None:
    p = Tensor(np.log(np.full((2, 1, 3), 1 / 3)).astype(np.float32))
    args = (Tensor([[1, 1]]), (2,), (2,), 0, "none")
    assert ops.ctc_loss(p, *args)[0].tolist() == [float("inf")]
    assert ops.ctc_loss(p, *args, True)[0].tolist() == [0.0]
    slope = grad(lambda q: ops.ctc_loss(q, *args, True)[0].sum())(p)
    assert not slope.asnumpy().any()


def test_the_gradient_result_of_ctc_is_the_gradient() -> None:
    x = Tensor(np.random.default_rng(1).normal(size=(4, 2, 3)))
    rest = (Tensor([[0, 0], [1, 0]]), Tensor([0, 1]), Tensor([4, 3]))
    slope = grad(lambda t: ops.CTCLoss()(t, *rest)[0].sum())(x)
    np.testing.assert_allclose(ops.CTCLoss()(x, *rest)[1].asnumpy(), slope.asnumpy(), rtol=1e-12)


def test_collapsed_labels_are_joined_first() -> None:
    x = Tensor(np.random.default_rng(1).normal(size=(4, 1, 3)))
    twice = (Tensor([[0, 0], [0, 1]]), Tensor([1, 1]), Tensor([4]))
    once = (Tensor([[0, 0]]), Tensor([1]), Tensor([4]))
    joined = ops.CTCLoss(preprocess_collapse_repeated=True)(x, *twice)[0]
    np.testing.assert_allclose(joined.asnumpy(), ops.CTCLoss()(x, *once)[0].asnumpy())


def test_pooling_and_its_undoing() -> None:
    x = Tensor(np.random.default_rng(2).permutation(48).reshape(1, 3, 4, 4).astype(np.float32))
    y, places = F.max_pool2d(x, 2, return_indices=True)
    back = F.max_unpool2d(y, places, 2)
    assert back.shape == x.shape
    np.testing.assert_array_equal(F.max_pool2d(back, 2).asnumpy(), y.asnumpy())
    assert np.count_nonzero(back.asnumpy()) >= y.size - 1


def test_an_element_unpooled_twice_is_there_once() -> None:
    x, places = Tensor([[[1.0, 4.0]]]), Tensor([[[1, 1]]])
    assert ops.max_unpool1d(x, places, 2).tolist() == [[[0, 4, 0, 0]]]


@pytest.mark.parametrize("n", [2, 3])
def test_transposed_convolutions_are_adjoint(n: int) -> None:
    """<conv(x), y> = <x, conv_transposed(y)>."""
    rng = np.random.default_rng(3)
    w = Tensor(rng.normal(size=(4, 2, *(3,) * n)))
    x = Tensor(rng.normal(size=(1, 2, *(5,) * n)))
    run = ops.conv2d if n == 2 else ops.conv3d
    y = run(x, w, None, 2, "pad", 1)
    z = Tensor(rng.normal(size=y.shape))
    if n == 2:
        back = ops.Conv2DTranspose(4, 3, "pad", 1, stride=2)(z, w, x.shape)
    else:
        back = ops.conv3d_transpose(z, w, "pad", 1, 2)
    np.testing.assert_allclose((y * z).sum().item(), (x * back).sum().item(), rtol=1e-10)


def heads(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


def attend(layout: str, *arrays: Any, **options: Any) -> Any:
    """Attention of (B, N, S, D) arrays, brought to a layout and back."""

    def there(x: Any) -> Any:
        b, n, s, d = x.shape
        return {
            "BNSD": x,
            "BSND": x.transpose(0, 2, 1, 3),
            "BSH": x.transpose(0, 2, 1, 3).reshape(b, s, n * d),
            "SBH": x.transpose(2, 0, 1, 3).reshape(s, b, n * d),
            "TND": x.transpose(0, 2, 1, 3).reshape(b * s, n, d),
        }[layout]

    q, k, v = arrays
    b, n, s, d = q.shape
    if layout == "TND":
        ends = [[(i + 1) * x.shape[2] for i in range(b)] for x in (q, k)]
        options.update(actual_seq_qlen=ends[0], actual_seq_kvlen=Tensor(ends[1]))
    given = (Tensor(np.ascontiguousarray(there(x))) for x in (q, k, v))
    out = ops.flash_attention_score(*given, n, input_layout=layout, **options).asnumpy()
    if layout == "SBH":
        return out.reshape(s, b, n, d).transpose(1, 2, 0, 3)
    return out if layout == "BNSD" else out.reshape(b, s, n, d).transpose(0, 2, 1, 3)


@pytest.mark.parametrize("mode", range(6))
@pytest.mark.parametrize("layout", ["BSH", "SBH", "BSND", "TND"])
def test_attention_in_every_layout_and_mode(layout: str, mode: int) -> None:
    q, k, v = heads(2, 4, 3, 2), heads(2, 2, 5, 2, seed=1), heads(2, 2, 5, 2, seed=2)
    options: dict[str, Any] = {"sparse_mode": mode, "scalar_value": 0.7, "pre_tokens": 1, "next_tokens": 2}
    if mode == 5:
        options["prefix"] = [2, 2] if layout != "TND" else [2]
    gap = np.arange(5)[None, :] - np.arange(3)[:, None]
    keep = [
        (gap >= -1) & (gap <= 2),
        gap < 9,
        gap <= 0,
        gap - 2 <= 0,
        (gap - 2 >= -1) & (gap - 2 <= 2),
        (gap - 2 <= 0) | (np.arange(5) < 2),
    ][mode]
    scores = q @ np.repeat(k, 2, 1).transpose(0, 1, 3, 2) * 0.7
    weights = np.where(keep, np.exp(scores), 0)
    wanted = weights / weights.sum(-1, keepdims=True) @ np.repeat(v, 2, 1)
    np.testing.assert_allclose(attend(layout, q, k, v, **options), wanted, rtol=1e-10)


def test_attention_drops_scores_by_a_mask_of_bits() -> None:
    q, k, v = heads(1, 1, 2, 2), heads(1, 1, 8, 2, seed=1), heads(1, 1, 8, 2, seed=2)
    bits = np.array([[[[0b00001111], [0b10000000]]]], np.uint8)
    weights = np.exp(q @ k.transpose(0, 1, 3, 2))
    weights /= weights.sum(-1, keepdims=True)
    kept = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1]])
    got = attend("BNSD", q, k, v, drop_mask=Tensor(bits), keep_prob=0.5)
    np.testing.assert_allclose(got, weights * kept / 0.5 @ v, rtol=1e-10)


IN_PLACE: list[tuple[Callable[[Any], Any], list[float]]] = [
    (lambda x: F.relu_(x), [0, 0.5, 2]),
    (lambda x: F.elu_(x), [np.expm1(-1), 0.5, 2]),
    (lambda x: F.hardtanh_(x, -0.5, 1), [-0.5, 0.5, 1]),
    (lambda x: F.threshold_(x, 0.75, 9), [9, 9, 2]),
]


@pytest.mark.parametrize(("call", "wanted"), IN_PLACE)
def test_in_place_activations(call: Callable[[Any], Any], wanted: list[float]) -> None:
    x = Tensor([-1.0, 0.5, 2.0])
    assert call(x) is x
    np.testing.assert_allclose(x.asnumpy(), wanted, rtol=1e-6)


ERRORS: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (ValueError, "'padding_idx' must be in", lambda: F.embedding(Tensor([0]), table(), 4)),
    (IndexError, "'input' must be in", lambda: F.embedding(Tensor([4]), table())),
    (TypeError, "dtype of 'input' must be", lambda: F.embedding(ones(2), table())),
    (ValueError, "'tensor' must be in", lambda: F.one_hot(Tensor([3]), 2)),
    (ValueError, "'num_classes' must be -1 or more", lambda: F.one_hot(Tensor([3]), -2)),
    (
        ValueError,
        "be less than a stride from",
        lambda: ops.max_unpool1d(ones(1, 1, 1), Tensor([[[0]]]), 2, output_size=(9,)),
    ),
    (RuntimeError, "'indices' must be in", lambda: ops.max_unpool1d(ones(1, 1, 1), Tensor([[[7]]]), 2)),
    (ValueError, "'output_size' or 'output_ratio' must", lambda: ops.fractional_max_pool2d(ones(1, 1, 4, 4), 2)),
    (ValueError, "'pooling_ratio' must be", lambda: ops.FractionalMaxPool([2.0, 1.5, 1.5, 1.0])(ones(1, 4, 4, 1))),
    (ValueError, "'norm_type' must not be 0", lambda: ops.lp_pool1d(ones(1, 1, 4), 0, 2)),
    (ValueError, "'weight' must have 3 channels", lambda: ops.Conv2D(3, 2)(ones(1, 1, 4, 4), ones(1, 1, 2, 2))),
    (
        ValueError,
        "shape of 'dout' must be",
        lambda: ops.Conv2DTranspose(1, 1)(ones(1, 1, 4, 4), ones(1, 1, 1, 1), (1, 1, 9, 9)),
    ),
    (ValueError, "'p' must be 1 or 2", lambda: ops.multi_margin_loss(ones(1, 2), Tensor([0]), p=3)),
    (ValueError, "'target' must be in", lambda: ops.multi_margin_loss(ones(1, 2), Tensor([5]))),
    (ValueError, "'eps' must be above 0", lambda: ops.gaussian_nll_loss(ones(2), ones(2), ones(2), eps=0.0)),
    (ValueError, "operands must have two dimensions", lambda: ops.triplet_margin_loss(ones(2), ones(2), ones(2))),
    (ValueError, "'reduction' must be", lambda: ops.multilabel_margin_loss(ones(1, 2), Tensor([[0, -1]]), "all")),
    (ValueError, "'blank' must be in", lambda: ops.ctc_loss(ones(2, 1, 3), Tensor([[1]]), (2,), (1,), 3)),
    (ValueError, "'input_lengths' must be in", lambda: ops.ctc_loss(ones(2, 1, 3), Tensor([[1]]), (3,), (1,))),
    (ValueError, "'norm_region' must be", lambda: ops.lrn(ones(1, 1, 1, 1), norm_region="WITHIN_CHANNEL")),
    (ValueError, "shape of 'gamma' must be", lambda: ops.rms_norm(ones(2, 3), ones(2))),
    (RuntimeError, "shapes of 'x1' and 'x2' must be equal", lambda: ops.add_rms_norm(ones(2, 3), ones(1, 3), ones(3))),
    (RuntimeError, "size of dimension 'dim' must be even", lambda: ops.swiglu(ones(2, 3))),
    (ValueError, "'mode' must be 0 or 1", lambda: ops.rotary_position_embedding(ones(1, 1, 1, 2), ones(1), ones(1), 2)),
    (ValueError, "shape of 'bias' must be", lambda: ops.bias_add(ones(2, 3), ones(2))),
    (ValueError, "shapes must be", lambda: ops.bidense(ones(2, 3), ones(2, 4), ones(5, 4, 3))),
    (
        ValueError,
        "'input_layout' must be one of",
        lambda: ops.flash_attention_score(*[ones(1, 1, 1)] * 3, 1, input_layout="SND"),
    ),
    (
        ValueError,
        "operands must have 2 heads",
        lambda: ops.flash_attention_score(*[ones(1, 1, 2, 4)] * 3, 2, input_layout="BNSD"),
    ),
    (ValueError, "'prefix' must be given", lambda: ops.flash_attention_score(*[ones(1, 2, 2)] * 3, 1, sparse_mode=5)),
    (TypeError, "dtype of 'x' must be a float type", lambda: ops.fast_gelu(Tensor([1], mstype.int32))),
]


@pytest.mark.parametrize(("kind", "text", "call"), ERRORS, ids=[text for _, text, _ in ERRORS])
def test_errors(kind: type[Exception], text: str, call: Callable[[], Any]) -> None:
    with pytest.raises(kind, match=text):
        call()
