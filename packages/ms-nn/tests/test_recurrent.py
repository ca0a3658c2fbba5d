"""Recurrent layers against MindSpore 2.6: printing, first weights, values, gradients; then lengths, dropout, errors."""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
import ms_generator
import ms_nn
from ms_kernels import Tensor, grad, jvp, value_and_grad

ROWS = json.loads((Path(__file__).parent / "vectors" / "recurrent.json").read_text())["rows"]
NAMES = ["RNN", "LSTM", "GRU"]
# two or three roundings of float16, and what 2.6's own float32 sums are off
CLOSE = {"float16": {"rtol": 4e-3, "atol": 4e-3}, "float32": {"rtol": 3e-5, "atol": 5e-6}}


def build(expr: str) -> Any:
    ms_generator.set_seed(7)
    return eval(expr, {"nn": ms_nn, "ms": mstype})


def ident(row: dict[str, Any]) -> str:
    return f"{row['expr']} {'states' if row.get('states') else ''} {row.get('lengths', '')}"


def flat(value: Any) -> list[Any]:
    return [t for item in value for t in flat(item)] if isinstance(value, tuple) else [value]


def random(*shape: int, seed: int = 3, dtype: Any = np.float32) -> Tensor:
    return Tensor(np.random.RandomState(seed).standard_normal(shape).astype(dtype))


def states(kind: str, *shape: int) -> Any:
    return (random(*shape, seed=1), random(*shape, seed=2)) if kind.startswith("LSTM") else random(*shape, seed=1)


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
def test_values_and_gradients(row: dict[str, Any]) -> None:
    net, rng, kind = build(row["expr"]), np.random.RandomState(3), row.get("dtype", "float32")

    def draw(shape: Any) -> Tensor:
        return Tensor(rng.standard_normal(tuple(shape)).astype(kind))

    given = [draw(row["x"]), *(draw(shape) for shape in row.get("states", ()))]
    more = (Tensor(row["lengths"], mstype.int32),) if "lengths" in row else ()

    def call(x: Any, *start: Any) -> Any:
        if not start:
            return net(x, None, *more)
        return net(x, start if len(start) == 2 else start[0], *more)

    outs = flat(call(*given))
    weights = [draw(out.shape) for out in outs]

    def total(*inputs: Any) -> Any:
        parts = [(out * weight).sum() for out, weight in zip(flat(call(*inputs)), weights, strict=True)]
        return sum(parts[1:], parts[0])

    by_input, by_weight = grad(total, tuple(range(len(given))), net.trainable_params())(*given)
    found = [*outs, *flat(by_input), *by_weight]
    found = found[: len(outs)] if "values only" in row else found
    for got, expected in zip(found, row["outputs"] + row["gradients"], strict=True):
        assert list(got.shape) == expected["shape"]
        assert str(got.dtype) == expected["dtype"]
        np.testing.assert_allclose(got.asnumpy().ravel(), expected["data"], **CLOSE[kind])


@pytest.mark.parametrize("name", NAMES)
def test_signatures(name: str) -> None:
    layer, cell = getattr(ms_nn, name), getattr(ms_nn, f"{name}Cell")
    assert str(inspect.signature(layer)) in (
        "(*args: 'Any', **kwargs: 'Any')",
        "(*args: 'Any', **kwargs: 'Any') -> 'None'",
    )
    assert list(inspect.signature(layer.construct).parameters) == ["self", "x", "hx", "seq_length"]
    extra = ["nonlinearity"] if name == "RNN" else []
    assert list(inspect.signature(cell).parameters) == ["input_size", "hidden_size", "has_bias", *extra, "dtype"]
    assert list(inspect.signature(cell.construct).parameters) == ["self", "x", "hx"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_results_have_the_dtype_of_the_input(name: str, dtype: str) -> None:
    kind = getattr(mstype, dtype)
    net, x = getattr(ms_nn, name)(3, 4, num_layers=2, bidirectional=True), random(5, 2, 3)
    outs = flat(net(x.astype(kind)))
    assert {out.dtype for out in outs} == {kind}
    for got, wanted in zip(outs, flat(net(x)), strict=True):
        rtol = {"float16": 1e-2, "bfloat16": 6e-2}.get(dtype, 1e-5)
        np.testing.assert_allclose(got.astype(mstype.float32).asnumpy(), wanted.asnumpy(), rtol=rtol, atol=rtol / 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_layer_is_its_cell_step_by_step(name: str) -> None:
    net, cell = getattr(ms_nn, name)(3, 4), getattr(ms_nn, f"{name}Cell")(3, 4)
    for mine, theirs in zip(cell.get_parameters(), net.get_parameters(), strict=True):
        mine.set_data(Tensor(theirs.asnumpy()))
    x, state = random(6, 2, 3), states(name, 2, 4)
    start = tuple(s.expand_dims(0) for s in state) if name == "LSTM" else state.expand_dims(0)
    outputs, last = net(x, start)
    for t in range(6):
        state = cell(x[t], state)
        np.testing.assert_allclose(outputs[t].asnumpy(), flat(state)[0].asnumpy(), rtol=1e-6, atol=1e-7)
    for got, wanted in zip(flat(last), flat(state), strict=True):
        np.testing.assert_allclose(got[0].asnumpy(), wanted.asnumpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("both", [False, True])
def test_lengths_are_those_of_each_sequence_alone(name: str, both: bool) -> None:
    net, lengths = getattr(ms_nn, name)(3, 4, bidirectional=both), [4, 1, 0, 3]
    x, start = random(4, 4, 3), states(name, 1 + both, 4, 4)
    outputs, last = net(x, start, Tensor(lengths, mstype.int64))
    for row, count in enumerate(lengths):
        alone = tuple(s[:, row : row + 1] for s in start) if name == "LSTM" else start[:, row : row + 1]
        wanted, end = net(x[:count, row : row + 1], alone)
        np.testing.assert_allclose(outputs[:count, row].asnumpy(), wanted[:, 0].asnumpy(), rtol=1e-6, atol=1e-7)
        assert not outputs[count:, row].asnumpy().any()
        for got, expected in zip(flat(last), flat(end), strict=True):
            np.testing.assert_allclose(got[:, row].asnumpy(), expected[:, 0].asnumpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_no_gradient_comes_from_steps_that_do_not_count(name: str) -> None:
    net, x = getattr(ms_nn, name)(3, 4, num_layers=2, bidirectional=True), random(5, 2, 3)
    slope = grad(lambda x: net(x, None, Tensor([2, 5], mstype.int32))[0].sum())(x).asnumpy()
    assert not slope[2:, 0].any()
    assert np.abs(slope[:2, 0]).min() > 0
    assert np.abs(slope[:, 1]).min() > 0


def test_lengths_may_exceed_the_steps_in_one_direction_only() -> None:
    x, beyond = random(3, 2, 3), Tensor([9, -1], mstype.int32)
    outputs, _ = ms_nn.GRU(3, 4)(x, None, beyond)
    assert outputs[:, 0].asnumpy().all()
    assert not outputs[:, 1].asnumpy().any()
    with pytest.raises(RuntimeError, match=r"For 'GRU', the 'seq_length' must be in \[0, 3\], but got -1 to 9"):
        ms_nn.GRU(3, 4, bidirectional=True)(x, None, beyond)


@pytest.mark.parametrize("name", NAMES)
def test_second_derivative_is_the_slope_of_the_first(name: str) -> None:
    net = getattr(ms_nn, name)(2, 3, dtype=mstype.float64)
    x, way = random(4, 2, 2, dtype=np.float64), random(4, 2, 2, seed=8, dtype=np.float64)

    def first(x: Any) -> Any:
        return (grad(lambda x: (net(x)[0] ** 2).sum())(x) * way).sum()

    got = float((grad(first)(x) * way).sum().asnumpy())
    step = 1e-5
    rise = float((first(x + way * step) - first(x - way * step)).asnumpy()) / (2 * step)
    assert got == pytest.approx(rise, rel=1e-6)


def test_forward_mode() -> None:
    net, x = ms_nn.LSTM(2, 3, dtype=mstype.float64), random(4, 2, 2, dtype=np.float64)
    way, step = random(4, 2, 2, seed=8, dtype=np.float64), 1e-6
    _, along = jvp(lambda x: net(x)[0], x, way)
    rise = (net(x + way * step)[0] - net(x - way * step)[0]) / (2 * step)
    np.testing.assert_allclose(along.asnumpy(), rise.asnumpy(), rtol=1e-7, atol=1e-9)


def test_dropout_between_layers_in_training_only() -> None:
    net = ms_nn.RNN(8, 8, num_layers=3, dropout=0.5, nonlinearity="relu")
    for param in net.get_parameters():
        param.set_data(
            Tensor(np.eye(8, dtype=np.float32) if "weight_ih" in param.name else np.zeros(param.shape, np.float32))
        )
    x = Tensor(np.ones((40, 5, 8), np.float32))
    assert (net(x)[0].asnumpy() == 1).all()
    ms_generator.set_seed(1)
    dropped = net.set_train()(x)[0].asnumpy()
    assert set(np.unique(dropped)) == {0.0, 4.0}  # twice dropped, each time with probability 1/2
    assert abs((dropped > 0).mean() - 0.25) < 0.05


def test_dropout_of_a_single_layer_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ms_nn.layers"):
        ms_nn.LSTM(3, 4, dropout=0.5)
    assert "num_layers=1" in caplog.text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))], ids=["deepcopy", "pickle"]
)
def test_copies_compute_the_same_and_share_nothing(name: str, copied: Any) -> None:
    net, x = getattr(ms_nn, name)(3, 4, num_layers=2, bidirectional=True), random(5, 2, 3)
    other, wanted = copied(net), flat(net(x))
    assert [p.name for p in other.get_parameters()] == [p.name for p in net.get_parameters()]
    for got, expected in zip(flat(other(x)), wanted, strict=True):
        np.testing.assert_array_equal(got.asnumpy(), expected.asnumpy())
    for param in other.get_parameters():
        param.set_data(Tensor(np.zeros(param.shape, np.float32)))
    assert not flat(other(x))[0].asnumpy().any()
    np.testing.assert_array_equal(flat(net(x))[0].asnumpy(), wanted[0].asnumpy())


def test_parameters_are_attributes_and_move_with_set_data() -> None:
    net = ms_nn.LSTM(3, 4, num_layers=2)
    assert net.weight_ih_l1 is net.w_ih_list[1]
    assert [p.name for p in ms_nn.SequentialCell(net).trainable_params()][:2] == ["0.weight_ih_l0", "0.weight_ih_l1"]


def test_mixed_precision() -> None:
    net = ms_nn.GRU(3, 4).to_float(mstype.float16)
    outputs, last = net(random(5, 2, 3))
    assert outputs.dtype == last.dtype == mstype.float16
    slope = value_and_grad(lambda x: net(x)[0].astype(mstype.float32).sum(), 0, net.trainable_params())(random(5, 2, 3))
    assert [g.dtype for g in slope[1][1]] == [mstype.float32] * 4


@pytest.mark.parametrize("name", [*NAMES, "RNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"input_size": 0}, ValueError, "'input_size' must be int and must > 0, but got '0' with type 'int'"),
        ({"hidden_size": 1.5}, TypeError, "'hidden_size' must be int, but got 'float'"),
        ({"input_size": True}, TypeError, "'input_size' must be int, but got 'bool'"),
        ({"has_bias": 1}, TypeError, "'has_bias' must be a bool, but got int"),
    ],
)
def test_errors_of_the_constructors(name: str, arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        getattr(ms_nn, name)(**{"input_size": 3, "hidden_size": 4, **arguments})
    assert str(caught.value) == f"For '{name}', the {text}."


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"num_layers": 0}, ValueError, "'num_layers' must be int and must > 0"),
        ({"batch_first": None}, TypeError, "'batch_first' must be a bool"),
        ({"bidirectional": "yes"}, TypeError, "'bidirectional' must be a bool"),
        ({"dropout": 0}, TypeError, "type of 'dropout' must be 'float', but got 'int'"),
        ({"dropout": 1.0}, ValueError, r"'dropout' must be a number in range \[0, 1\), but got 1.0"),
        ({"mode": "LSTM"}, TypeError, "multiple values for argument 'mode'"),
        ({"unknown": 1}, TypeError, "unexpected keyword argument 'unknown'"),
    ],
)
def test_errors_of_the_layers(name: str, arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        getattr(ms_nn, name)(3, 4, **arguments)


@pytest.mark.parametrize("cell", [ms_nn.RNN, ms_nn.RNNCell])
def test_nonlinearity_is_one_of_two(cell: Any) -> None:
    with pytest.raises(ValueError, match=r"'nonlinearity' must be in \['tanh', 'relu'\], but got sin"):
        cell(3, 4, nonlinearity="sin")


def calls(name: str) -> list[tuple[tuple[Any, ...], type[Exception], str]]:
    x, right = random(5, 2, 3), states(name, 1, 2, 4)
    pair = name == "LSTM"
    one = right[0] if pair else right
    return [
        ((np.ones((5, 2, 3), np.float32),), TypeError, "'x' must be a Tensor, but got ndarray"),
        ((Tensor(np.ones((5, 2, 3), np.int32)),), TypeError, "dtype of 'x' must be a float type, but got Int32"),
        ((random(5, 3),), ValueError, r"shape of 'x' must be \(steps, batch, 3\), but got \(5, 3\)"),
        ((random(5, 2, 7),), ValueError, r"shape of 'x' must be \(steps, batch, 3\), but got \(5, 2, 7\)"),
        ((x, states(name, 1, 3, 4)), ValueError, r"shape of 'hx' must be \(1, 2, 4\), but got \(1, 3, 4\)"),
        ((x, states(name, 2, 4)), ValueError, r"shape of 'hx' must be \(1, 2, 4\), but got \(2, 4\)"),
        ((x, one if pair else (one, one)), TypeError, "'hx' must be a"),
        ((x, [one, one]), TypeError, "'hx' must be a"),
        ((x, (one,) * 3), TypeError, "'hx' must be"),
        (
            (x, tuple(s.astype(mstype.float16) for s in right) if pair else one.astype(mstype.float16)),
            TypeError,
            "must be that of 'x', Float32, but got Float16",
        ),
        ((x, None, [1, 2]), TypeError, "'seq_length' must be a Tensor, but got list"),
        ((x, None, Tensor([1.0, 2.0])), TypeError, "dtype of 'seq_length' must be Int32 or Int64, but got Float32"),
        ((x, None, Tensor([1, 2, 3])), ValueError, r"shape of 'seq_length' must be \(2,\), but got \(3,\)"),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_errors_of_the_calls(name: str) -> None:
    net = getattr(ms_nn, name)(3, 4)
    for arguments, error, text in calls(name):
        with pytest.raises(error, match=rf"^For '{name}', the .*{text}"):
            net(*arguments)


@pytest.mark.parametrize("name", NAMES)
def test_errors_of_the_cells(name: str) -> None:
    cell, x, right = getattr(ms_nn, f"{name}Cell")(3, 4), random(2, 3), states(name, 2, 4)
    wrong: list[tuple[Any, type[Exception], str]] = [
        ((np.ones((2, 3), np.float32), right), TypeError, "'x' must be a Tensor"),
        ((Tensor(np.ones((2, 3), np.int32)), right), TypeError, "dtype of 'x' must be a float type"),
        ((random(5, 2, 3), right), ValueError, r"shape of 'x' must be \(batch, 3\)"),
        ((x, states(name, 2, 5)), ValueError, r"shape of 'hx' must be \(2, 4\), but got \(2, 5\)"),
        ((x, states(name, 3, 4)), ValueError, "batch of 'x' must be that of 'hx', 3, but got 2"),
        ((x, None), TypeError, "'hx' must be a"),
        ((x.astype(mstype.float16), right), TypeError, "must be that of 'x', Float16, but got Float32"),
    ]
    for arguments, error, text in wrong:
        with pytest.raises(error, match=rf"^For '{name}Cell', the .*{text}"):
            cell(*arguments)


@pytest.mark.parametrize("name", NAMES)
def test_no_steps_and_no_sequences(name: str) -> None:
    net, start = getattr(ms_nn, name)(3, 4), states(name, 1, 2, 4)
    outputs, last = net(random(0, 2, 3), start)
    assert outputs.shape == (0, 2, 4)
    np.testing.assert_array_equal(flat(last)[0].asnumpy(), flat(start)[0].asnumpy())
    outputs, last = net(random(5, 0, 3))
    assert outputs.shape == (5, 0, 4)
    assert flat(last)[0].shape == (1, 0, 4)
    slope = grad(lambda x: net(x)[0].sum())(random(5, 0, 3))
    assert slope.shape == (5, 0, 3)
