"""Layers that 2.6 cannot run on a CPU, by their formulas; gradients; LARS."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_kernels import Parameter, Tensor, grad
from ms_kernels.tensor.sparse import COOTensor

RNG = np.random.default_rng(5)
Array = np.ndarray[Any, Any]


def drawn(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32)


def positive(n: int) -> Array:
    half = drawn(2, n, n)
    made: Array = half @ half.transpose(0, 2, 1) + 3 * np.eye(n, dtype=np.float32)
    return made


def same(found: Any, expected: Any, rtol: float = 1e-4) -> None:
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=1e-5)


def test_matrices() -> None:
    a = positive(4)
    same(nn.MatInverse()(Tensor(a)), np.linalg.inv(a))
    same(nn.MatDet()(Tensor(a)), np.linalg.det(a))
    with pytest.raises(RuntimeError, match="positive eigenvalues"):
        nn.MatDet()(Tensor(-a))
    rows = drawn(2, 3)
    same(nn.MatrixDiag()(Tensor(rows)), np.einsum("ij,jk->ijk", rows, np.eye(3)))
    wide = drawn(2, 3, 4)
    same(nn.MatrixDiagPart()(Tensor(wide)), np.diagonal(wide, axis1=1, axis2=2))
    expected = wide.copy()
    expected[:, range(3), range(3)] = rows
    same(nn.MatrixSetDiag()(Tensor(wide), Tensor(rows)), expected)
    with pytest.raises(ValueError, match=r"shape of 'diagonal' must be \[2, 3\]"):
        nn.MatrixSetDiag()(Tensor(wide), Tensor(rows[:, :2]))


def test_roll() -> None:
    x = drawn(3, 4)
    same(nn.Roll(2, 0)(Tensor(x)), np.roll(x, 2, 0))
    same(nn.Roll([1, -2], [0, 1])(Tensor(x)), np.roll(x, (1, -2), (0, 1)))


@pytest.mark.parametrize("padding", ["valid", "SAME"])
@pytest.mark.parametrize(("size", "step", "rate"), [((2, 3), (1, 2), (1, 1)), ((2, 2), (2, 1), (2, 1))])
def test_unfold(padding: str, size: tuple[int, int], step: tuple[int, int], rate: tuple[int, int]) -> None:
    x = drawn(2, 3, 6, 7)
    layer = nn.Unfold([1, *size, 1], [1, *step, 1], [1, *rate, 1], padding)
    out = layer(Tensor(x)).asnumpy()
    spans = [(n - 1) * r + 1 for n, r in zip(size, rate)]
    if padding == "SAME":
        counts = [-(-n // s) for n, s in zip(x.shape[2:], step)]
        total = [max((c - 1) * s + span - n, 0) for c, s, span, n in zip(counts, step, spans, x.shape[2:])]
        x = np.pad(x, ((0, 0), (0, 0), *((t // 2, t - t // 2) for t in total)))
    counts = [(n - span) // s + 1 for n, span, s in zip(x.shape[2:], spans, step)]
    assert out.shape == (2, 3 * size[0] * size[1], *counts)
    for row in range(counts[0]):
        for column in range(counts[1]):
            at = [slice(i * s, i * s + span, r) for i, s, span, r in zip((row, column), step, spans, rate)]
            patch = x[:, :, at[0], at[1]]
            np.testing.assert_array_equal(out[:, :, row, column], patch.transpose(0, 2, 3, 1).reshape(2, -1))
    with pytest.raises(ValueError, match="'padding' must be in"):
        nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "foo")


def test_max_norm_of_looked_up_rows() -> None:
    table = drawn(5, 3) * 3
    layer = nn.EmbeddingLookup(5, 3, Tensor(table), max_norm=2.0)
    rows = table[[1, 4, 0]]
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    same(layer(Tensor([1, 4, 0])), rows * np.minimum(1, 2 / lengths))


def test_accidental_hits_do_not_count() -> None:
    weights, biases, inputs = drawn(7, 4), drawn(7), drawn(3, 4)
    labels, classes = np.array([0, 1, 2]), np.array([0, 3, 5])
    true_counts, counts = np.array([[0.4], [0.3], [0.2]]), np.array([0.5, 0.4, 0.3])
    drawn_classes = (Tensor(classes, ms_dtype.int32), Tensor(true_counts), Tensor(counts))
    layer = nn.SampledSoftmaxLoss(3, 7, sampled_values=drawn_classes)
    scores = inputs @ weights.T + biases
    expected = []
    for i, label in enumerate(labels):
        others = [scores[i, c] - np.log(n) for c, n in zip(classes, counts) if c != label]
        true = scores[i, label] - np.log(true_counts[i, 0])
        expected.append(np.log(np.exp([true, *others]).sum()) - true)
    same(layer(Tensor(weights), Tensor(biases), Tensor(labels), Tensor(inputs)), expected)
    free = nn.SampledSoftmaxLoss(4, 7, seed=3)(Tensor(weights), Tensor(biases), Tensor(labels), Tensor(inputs))
    assert free.shape == (3,) and (free.asnumpy() > 0).all()


def test_similarity_of_scales_by_hand() -> None:
    a, b = (RNG.random((2, 1, 12, 12)).astype(np.float32) for _ in range(2))
    one = nn.SSIM(filter_size=5)(Tensor(a), Tensor(b)).asnumpy()
    same(nn.MSSSIM(power_factors=(1.0,), filter_size=5)(Tensor(a), Tensor(b)), np.maximum(one, 0))


def test_jvp_and_vjp_of_several_inputs_and_results() -> None:
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    out, product = nn.Jvp(lambda x, y: x**3 + y)(x, y, (x, y))
    assert (out.tolist(), product.tolist()) == ([4.0, 12.0], [6.0, 28.0])
    out, product = nn.Vjp(lambda x: (x**3, 2 * x))(x, (x, y))
    assert ([o.tolist() for o in out], product.tolist()) == ([[1.0, 8.0], [2.0, 4.0]], [9.0, 32.0])
    for kind in (nn.Jvp, nn.Vjp):
        with pytest.raises(TypeError, match="'fn' must be a function or a Cell"):
            kind(3)
        with pytest.raises(TypeError, match="at least 2"):
            kind(nn.ReLU())(x)


def test_tensor_array() -> None:
    array = nn.TensorArray(ms_dtype.float32, (2,))
    assert array.write(2, Tensor([1.0, 2.0]))
    assert array.stack().tolist() == [[0.0, 0.0], [0.0, 0.0], [1.0, 2.0]]
    assert (int(array.size()), array.read(2).tolist()) == (3, [1.0, 2.0])
    for wrong in (Tensor([1.0, 2.0, 3.0]), Tensor([1, 2]), 3.0):
        with pytest.raises(RuntimeError, match=r"'value' must have shape \[2\] and dtype Float32"):
            array.write(0, wrong)
    for place in (3, -1):
        with pytest.raises(RuntimeError, match="in range of"):
            array.read(place)
    fixed = nn.TensorArray(ms_dtype.float32, (2,), dynamic_size=False, size=2)
    assert fixed.stack().shape == (2, 2)
    with pytest.raises(RuntimeError, match="in range of"):
        fixed.write(2, Tensor([1.0, 2.0]))
    assert array.clear() and array.stack().shape == (0, 2)
    assert array.close()
    for use in (array.close, array.stack, lambda: array.read(0)):
        with pytest.raises(RuntimeError, match="must be open"):
            use()


# -- gradients --------------------------------------------------------------------------------------------------------

IMAGES = (RNG.random((1, 2, 9, 9)).astype(np.float32), RNG.random((1, 2, 9, 9)).astype(np.float32))
LAYERS: dict[str, tuple[Callable[[], Any], tuple[Array, ...]]] = {
    "MatInverse": (nn.MatInverse, (positive(3),)),
    "MatDet": (nn.MatDet, (positive(3),)),
    "MatrixDiag": (nn.MatrixDiag, (drawn(2, 3),)),
    "MatrixDiagPart": (nn.MatrixDiagPart, (drawn(3, 4),)),
    "Norm": (lambda: nn.Norm(1), (drawn(3, 4),)),
    "Unfold": (lambda: nn.Unfold([1, 2, 2, 1], [1, 1, 2, 1], [1, 2, 1, 1], "same"), (drawn(1, 2, 4, 5),)),
    "LBeta": (nn.LBeta, (RNG.random(4).astype(np.float32) + 1, RNG.random(4).astype(np.float32) + 1)),
    "ImageGradients": (lambda: lambda x: sum(nn.ImageGradients()(x)), (drawn(1, 1, 3, 4),)),
    "SSIM": (lambda: nn.SSIM(filter_size=3), IMAGES),
    "MSSSIM": (lambda: nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=3), IMAGES),
    "PSNR": (nn.PSNR, IMAGES),
    "CentralCrop": (lambda: nn.CentralCrop(0.5), (drawn(1, 4, 6),)),
    "LRN": (lambda: nn.LRN(1), (drawn(1, 4, 2, 2),)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_by_differences(name: str) -> None:
    build, arrays = LAYERS[name]
    layer = build()
    weight = RNG.standard_normal(layer(*map(Tensor, arrays)).shape).astype(np.float32)

    def loss(*given: Any) -> Any:
        return (layer(*given) * Tensor(weight)).sum()

    found = grad(loss, tuple(range(len(arrays))))(*map(Tensor, arrays))
    for i, by_input in enumerate(found if isinstance(found, tuple) else (found,)):
        way = RNG.standard_normal(arrays[i].shape).astype(np.float32)
        if name in ("MatInverse", "MatDet"):  # functions of symmetric matrices
            way = way + way.transpose(0, 2, 1)
        ends = []
        for sign in (1, -1):
            moved = [a + sign * 1e-2 * way if j == i else a for j, a in enumerate(arrays)]
            ends.append(float(loss(*map(Tensor, moved))))
        slope = float((by_input.asnumpy() * way).sum())
        assert (ends[0] - ends[1]) / 2e-2 == pytest.approx(slope, rel=3e-2, abs=2e-3)


def test_gradient_of_looked_up_tables() -> None:
    layer = nn.MultiFieldEmbeddingLookup(4, 2, 2, "ones", operator="MEAN")
    ids = (Tensor([[1, 1, 3]]), Tensor([[1.0, 2.0, 5.0]]), Tensor([[0, 0, 1]], ms_dtype.int32))
    (by_table,) = grad(lambda *given: layer(*given).sum(), None, layer.trainable_params())(*ids)
    same(by_table, [[0, 0], [1, 1], [0, 0], [1, 1]])


def test_gradient_of_sparse_products() -> None:
    places, dense = Tensor([[0, 1], [1, 2]]), drawn(3, 2)
    by_values, by_dense = grad(lambda v, d: nn.SparseTensorDenseMatmul()(places, v, (2, 3), d).sum(), (0, 1))(
        Tensor([2.0, 3.0]), Tensor(dense)
    )
    same(by_values, dense[[1, 2]].sum(-1))
    same(by_dense, [[0, 0], [2, 2], [3, 3]])
    same(grad(lambda v: nn.SparseToDense()(COOTensor(places, v, (2, 3))).sum())(Tensor([2.0, 3.0])), [1, 1])


def test_micro_batches_have_the_gradient_of_the_whole() -> None:
    net, x = nn.Dense(2, 1), Tensor(drawn(6, 2))
    whole = grad(lambda x: net(x).sum(), None, net.trainable_params())(x)
    for parts in (nn.GradAccumulationCell(net, 3), nn.MicroBatchInterleaved(net, 2), nn.PipelineCell(net, 6)):
        found = grad(lambda x, parts=parts: parts(x).sum(), None, net.trainable_params())(x)
        for one, other in zip(found, whole):
            same(one, other.asnumpy())


# -- LARS -------------------------------------------------------------------------------------------------------------


def lars(p: Array, g: Array, decay: float, coefficient: float, epsilon: float, limit: float | None) -> Array:
    ratio = coefficient * np.linalg.norm(p) / (np.linalg.norm(g) + decay * np.linalg.norm(p) + epsilon)
    found: Array = (ratio if limit is None else min(ratio / limit, 1.0)) * (g + decay * p)
    return found


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize(("decay", "scale"), [(0.0, 1.0), (0.1, 1.0), (0.1, 4.0)])
def test_lars(clip: bool, decay: float, scale: float) -> None:
    first, second = drawn(3, 4), drawn(4)
    w, b = Parameter(Tensor(first), name="w"), Parameter(Tensor(second), name="bias")
    inner = nn.Momentum([w, b], 0.1, 0.9, weight_decay=decay, loss_scale=scale)
    optimizer = nn.LARS(inner, epsilon=1e-3, coefficient=0.02, use_clip=clip)
    assert [p.name for p in optimizer.parameters] == ["w", "bias"]
    speed_w, speed_b = np.zeros_like(first), np.zeros_like(second)
    for _ in range(3):
        gw, gb = drawn(3, 4), drawn(4)
        assert optimizer((Tensor(gw * scale), Tensor(gb * scale))) == (True, True)
        speed_w = 0.9 * speed_w + lars(first, gw, decay, 0.02, 1e-3, 0.1 if clip else None)
        speed_b = 0.9 * speed_b + gb + decay * second  # names with "bias" are left alone
        first, second = first - 0.1 * speed_w, second - 0.1 * speed_b
        same(w, first)
        same(b, second)
    assert (int(optimizer.global_step.asnumpy()[0]), int(inner.global_step.asnumpy()[0])) == (3, 3)


def test_lars_of_groups_in_copies_and_with_wrong_arguments() -> None:
    w = Parameter(Tensor([3.0, 4.0]), name="w")
    optimizer = nn.LARS(nn.SGD([{"params": [w], "weight_decay": 0.5}], 1.0), epsilon=0.0, coefficient=0.1)
    twin = pickle.loads(pickle.dumps(copy.deepcopy(optimizer)))
    twin((Tensor([0.0, 10.0]),))
    expected = np.array([3.0, 4.0]) - lars(np.array([3.0, 4.0]), np.array([0.0, 10.0]), 0.5, 0.1, 0.0, None)
    same(twin.parameters[0], expected)
    assert w.tolist() == [3.0, 4.0]
    for wrong in ({"epsilon": "a"}, {"coefficient": 1}, {"use_clip": 1}):
        with pytest.raises(TypeError, match="For 'LARS', the"):
            nn.LARS(nn.SGD([w], 1.0), **wrong)
    with pytest.raises(TypeError, match="an Optimizer"):
        nn.LARS(1)


def test_ada_factor_arguments_and_plain_adams() -> None:
    w = Parameter(Tensor([3.0, 4.0]), name="w")
    for wrong in (
        {"learning_rate": 0.1},
        {"eps": (1.0,)},
        {"weight_decay": -1.0},
        {"clip_threshold": -1.0},
        {"decay_rate": 2.0},
        {"learning_rate": 0.1, "relative_step": False, "warmup_init": True},
        {"relative_step": False},
    ):
        with pytest.raises(ValueError, match="For 'AdaFactor', the"):
            nn.AdaFactor([w], **wrong)
    for kind in (nn.LazyAdam, nn.AdamOffload):
        assert kind([w], 0.1, eps=1e-3).eps == 1e-3
        with pytest.raises(TypeError, match="use_amsgrad"):
            kind([w], use_amsgrad=True)
