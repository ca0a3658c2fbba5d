"""Attention and the Transformer against MindSpore 2.6: printing, first weights, values; gradients, dropout, errors."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ms_generator
import ms_nn
from ms_kernels import Tensor, grad
from ms_kernels import functional as ops

ROWS = json.loads((Path(__file__).parent / "vectors" / "attention.json").read_text())["rows"]
KINDS = {"b": np.bool_, "u": np.uint8}


def build(expr: str) -> Any:
    ms_generator.set_seed(7)
    return eval(expr, {"nn": ms_nn, "ops": ops})


def draw(text: Any, rng: np.random.RandomState) -> Any:
    if not isinstance(text, str):
        return text
    shape = eval(text[1:])
    if text[0] == "o":
        return Tensor(np.arange(shape[-1]) >= rng.randint(3, 5, (*shape[:-1], 1)))
    if text[0] == "z":
        return Tensor(np.array([0.0, 0.0, 1.5, -2.0, 0.0], np.float32) * np.ones(shape, np.float32))
    noise = rng.standard_normal(shape)
    return Tensor(noise.astype(np.float32) if text[0] == "f" else (noise > 0.5).astype(KINDS[text[0]]))


def ident(row: dict[str, Any]) -> str:
    return f"{row['expr']} {','.join(row['call'])}"


def fill_zero_parameters(net: Any) -> None:
    for param in net.get_parameters():
        if not param.asnumpy().any():
            param.set_data(Tensor(np.linspace(-1, 1, param.size, dtype=np.float32).reshape(param.shape)))


@pytest.mark.parametrize("row", ROWS, ids=ident)
def test_printing_and_first_weights(row: dict[str, Any]) -> None:
    net = build(row["expr"])
    assert repr(net) == row["repr"]
    found = [
        [p.name, list(p.shape), str(p.dtype), hashlib.sha256(np.ascontiguousarray(p.asnumpy())).hexdigest()[:16]]
        for p in net.get_parameters()
    ]
    assert found == row["parameters"]


@pytest.mark.parametrize("row", ROWS, ids=ident)
def test_values(row: dict[str, Any]) -> None:
    net = build(row["expr"]).set_train(False)
    fill_zero_parameters(net)
    rng = np.random.RandomState(3)
    found = net(**{name: draw(text, rng) for name, text in row["call"].items()})
    assert isinstance(found, tuple) is row["tuple"]
    for out, expected in zip(found if isinstance(found, tuple) else (found,), row["outputs"], strict=True):
        assert list(out.shape) == expected["shape"]
        assert str(out.dtype) == expected["dtype"]
        np.testing.assert_allclose(out.asnumpy().ravel(), expected["data"], rtol=2e-5, atol=2e-6)


def noise(*shape: int) -> Tensor:
    return Tensor(np.random.RandomState(5).standard_normal(shape).astype(np.float32))


def test_gradient_is_the_slope() -> None:
    net = build("nn.Transformer(4, 2, 1, 1, 6, dropout=0.0, activation='gelu')")
    src, tgt, way = noise(5, 2, 4), noise(3, 2, 4), noise(3, 2, 4) * 1e-2
    weight = noise(3, 2, 4)

    def loss(tgt: Any) -> Any:
        return (net(src, tgt) * weight).sum()

    slope = float((grad(loss)(tgt) * way).sum().asnumpy())
    rise = float((loss(tgt + way) - loss(tgt - way)).asnumpy()) / 2
    assert slope == pytest.approx(rise, rel=2e-2)


def test_dropout_only_in_training() -> None:
    net, x = build("nn.MultiheadAttention(4, 2, dropout=0.5)"), noise(30, 2, 4)
    _, plain = net.set_train(False)(x, x, x, average_attn_weights=False)
    _, dropped = net.set_train(True)(x, x, x, average_attn_weights=False)
    plain, dropped = plain.asnumpy(), dropped.asnumpy()
    kept = dropped != 0
    assert 0.4 < kept.mean() < 0.6
    np.testing.assert_allclose(dropped[kept], 2 * plain[kept], rtol=1e-5)


def test_layers_of_a_stack_are_separate() -> None:
    net = build("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6), 2)")
    first, second = net.layers[0].dense1.weight, net.layers[1].dense1.weight
    before = second.asnumpy().copy()
    first.set_data(Tensor(np.zeros(first.shape, np.float32)))
    np.testing.assert_array_equal(second.asnumpy(), before)


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        ("nn.MultiheadAttention(4, 3)", "must be divisible by 'num_heads'"),
        ("nn.TransformerEncoderLayer(4, 2, dropout=2.0)", r"must be a number in range \[0, 1\)"),
        ("nn.TransformerEncoderLayer(4, 2, activation='tanh')", "must be relu/gelu, but get tanh"),
        ("nn.TransformerEncoderLayer(4, 2, activation=nn.Tanh())", "must be nn.ReLU or nn.GELU instance"),
        ("nn.TransformerEncoderLayer(4, 2, activation=nn.ReLU())", "must be ops.relu or ops.gelu instance"),
        ("nn.TransformerEncoderLayer(4, 2, activation=ops.tanh)", "must be ops.relu or ops.gelu instance"),
        ("nn.TransformerDecoderLayer(4, 2, activation=3)", "must be str, callable or Cell instance, but get 3"),
    ],
)
def test_arguments_refused(expr: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(expr)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"query": "f(3, 2, 3)"}, "`embed_dim` should be 4, but got 3"),
        ({"query": "f(1, 3, 2, 4)"}, "unbatched 2D or batched 3D"),
        ({"query": "f(3, 4)"}, "should be 2D as the `query`"),
        ({"query": "f(3, 1, 4)"}, "batch of `key` should be 1, but got 2"),
        ({"key": "f(2, 2, 4)"}, "does not match `value`"),
        ({"key_padding_mask": "b(3, 2)"}, r"`key_padding_mask` should be \(2, 3\)"),
        ({"key_padding_mask": "u(2, 3)"}, "only bool and floating types of key_padding_mask"),
        ({"attn_mask": "f(2, 3)"}, r"`attn_mask` should be \(3, 3\)"),
        ({"attn_mask": "f(2, 3, 3)"}, r"`attn_mask` should be \(4, 3, 3\)"),
    ],
)
def test_operands_refused(call: dict[str, str], message: str) -> None:
    net, rng = build("nn.MultiheadAttention(4, 2)"), np.random.RandomState(3)
    texts = {"query": "f(3, 2, 4)", "key": "f(3, 2, 4)", "value": "f(3, 2, 4)"} | call
    with pytest.raises(ValueError, match=message):
        net(**{name: draw(text, rng) for name, text in texts.items()})


def test_integer_mask_and_other_kinds_refused() -> None:
    net, x = build("nn.MultiheadAttention(4, 2)"), noise(3, 2, 4)
    with pytest.raises(ValueError, match="only support float, byte, and bool types, but got not Int32"):
        net(x, x, x, attn_mask=Tensor(np.zeros((3, 3), np.int32)))
    with pytest.raises(TypeError, match="'query'"):
        net(1, x, x)


def test_transformer_refuses_other_features() -> None:
    net = build("nn.Transformer(4, 2, 1, 1, 6)")
    with pytest.raises(ValueError, match="must be equal to `d_model`"):
        net(noise(3, 2, 4), noise(3, 2, 3))
    with pytest.raises(ValueError, match="batch size"):
        net(noise(3, 2, 4), noise(3, 1, 4))
