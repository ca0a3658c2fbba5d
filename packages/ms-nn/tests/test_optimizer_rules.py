"""Optimizers: what the manual says, groups, learning rates, decay, wrong arguments."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import ms_dtype
import ms_nn as nn
from ms_kernels import Parameter, ParameterTuple, Tensor
from ms_nn.mint import optim


def params(*names: str) -> list[Parameter]:
    return [Parameter(Tensor(np.array([1, 2], np.float32)), name=name) for name in names]


def gradients(count: int, value: float = 1.0) -> tuple[Tensor, ...]:
    return tuple(Tensor(np.full(2, value, np.float32)) for _ in range(count))


def walk(optimizer: Any, own: Parameter, steps: int = 10) -> np.ndarray[Any, Any]:
    rng = np.random.RandomState(7)
    for _ in range(steps):
        optimizer((Tensor(rng.standard_normal(2).astype(np.float32)),))
    return own.asnumpy().astype(np.float64)


def drawn(steps: int = 10) -> list[np.ndarray[Any, Any]]:
    rng = np.random.RandomState(7)
    return [rng.standard_normal(2).astype(np.float32).astype(np.float64) for _ in range(steps)]


# -- formulas, in float64 ---------------------------------------------------------------------------------------------


def torch_adam(decoupled: bool, amsgrad: bool, decay: float, sign: float) -> np.ndarray[Any, Any]:
    p, m, v, top = np.array([1.0, 2.0]), np.zeros(2), np.zeros(2), np.zeros(2)
    for t, g in enumerate(drawn(), 1):
        g = sign * g
        if decoupled:
            p = p * (1 - 0.1 * decay)
        else:
            g = g + decay * p
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
        top = np.maximum(top, v)
        p = p - 0.1 * (m / (1 - 0.8**t)) / (np.sqrt((top if amsgrad else v) / (1 - 0.9**t)) + 1e-3)
    return p


@pytest.mark.parametrize("amsgrad", [False, True])
@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("decoupled", [False, True])
def test_mint_adam(decoupled: bool, amsgrad: bool, maximize: bool) -> None:
    (w,) = params("w")
    kind = optim.AdamW if decoupled else optim.Adam
    optimizer = kind([w], 0.1, (0.8, 0.9), 1e-3, 0.3, amsgrad, maximize=maximize)
    expected = torch_adam(decoupled, amsgrad, 0.3, -1.0 if maximize else 1.0)
    np.testing.assert_allclose(walk(optimizer, w), expected, rtol=1e-5)


@pytest.mark.parametrize(("momentum", "dampening", "nesterov"), [(0, 0, False), (0.9, 0.2, False), (0.9, 0, True)])
def test_mint_sgd(momentum: float, dampening: float, nesterov: bool) -> None:
    (w,) = params("w")
    optimizer = optim.SGD([w], 0.1, momentum, dampening, 0.3, nesterov)
    p, u = np.array([1.0, 2.0]), None
    for g in drawn():
        g = g + 0.3 * p
        if momentum:
            u = g if u is None else momentum * u + (1 - dampening) * g
            g = g + momentum * u if nesterov else u
        p = p - 0.1 * g
    np.testing.assert_allclose(walk(optimizer, w), p, rtol=1e-5)


def test_momentum_nesterov() -> None:
    (w,) = params("w")
    p, u = np.array([1.0, 2.0]), np.zeros(2)
    for g in drawn():
        u = 0.9 * u + g
        p = p - 0.1 * (g + 0.9 * u)
    np.testing.assert_allclose(walk(nn.Momentum([w], 0.1, 0.9, use_nesterov=True), w), p, rtol=1e-5)


def test_adagrad_without_update_of_the_sum() -> None:
    (w,) = params("w")
    p = np.array([1.0, 2.0])
    for g in drawn():
        p = p - 0.1 * g / np.sqrt(0.5)
    np.testing.assert_allclose(walk(nn.Adagrad([w], 0.5, 0.1, update_slots=False), w), p, rtol=1e-5)


def test_ftrl_with_regularization() -> None:
    (w,) = params("w")
    p, n, z = np.array([1.0, 2.0]), np.full(2, 0.1), np.zeros(2)
    for g in drawn():
        new = n + g * g
        z = z + g - (np.sqrt(new) - np.sqrt(n)) / 0.1 * p
        n = new
        p = np.where(np.abs(z) > 0.5, (np.sign(z) * 0.5 - z) / (np.sqrt(n) / 0.1 + 0.4), 0.0)
    np.testing.assert_allclose(walk(nn.FTRL([w], learning_rate=0.1, l1=0.5, l2=0.2), w), p, rtol=1e-4, atol=1e-6)


def test_lamb() -> None:
    (w,) = params("w")
    p, m, v = np.array([1.0, 2.0]), np.zeros(2), np.zeros(2)
    for t, g in enumerate(drawn(), 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        u = (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-6) + 0.1 * p
        p = p - 0.1 * np.linalg.norm(p) / np.linalg.norm(u) * u
    np.testing.assert_allclose(walk(nn.Lamb([w], 0.1, weight_decay=0.1), w), p, rtol=1e-4)


ALL = [
    lambda p: nn.SGD(p, 0.1, momentum=0.5),
    lambda p: nn.Momentum(p, 0.1, 0.9),
    lambda p: nn.Adam(p, 0.1),
    lambda p: nn.AdamWeightDecay(p, 0.1),
    lambda p: nn.AdaMax(p, 0.1),
    lambda p: nn.Adagrad(p, learning_rate=0.1),
    lambda p: nn.RMSProp(p, 0.1),
    lambda p: nn.Adadelta(p),
    lambda p: nn.FTRL(p, learning_rate=0.1),
    lambda p: nn.Rprop(p),
    lambda p: nn.ASGD(p),
    lambda p: nn.Lamb(p, 0.1),
    lambda p: nn.ProximalAdagrad(p, learning_rate=0.1),
    lambda p: optim.Adam(p, 0.1),
    lambda p: optim.SGD(p, 0.1, momentum=0.9),
]


@pytest.mark.parametrize("make", ALL, ids=lambda make: type(make(params("w"))).__name__)
@pytest.mark.parametrize("dtype", [ms_dtype.float16, ms_dtype.bfloat16])
def test_sixteen_bits(make: Any, dtype: Any) -> None:
    """As float32 does, to the precision of the type."""
    (wide,) = params("w")
    narrow = Parameter(Tensor(np.array([1, 2], np.float32)).astype(dtype), name="w")
    for own, kind in ((wide, ms_dtype.float32), (narrow, dtype)):
        optimizer = make([own])
        for value in (1.0, -0.5, 0.25):
            optimizer((Tensor(np.array([value, value], np.float32)).astype(kind),))
    assert narrow.dtype == dtype
    error = np.abs(narrow.asnumpy().astype(np.float32) - wide.asnumpy()).max()
    assert error < (0.01 if dtype == ms_dtype.float16 else 0.06)
    assert np.abs(wide.asnumpy() - [1, 2]).max() > 1e-4


@pytest.mark.parametrize("make", ALL, ids=lambda make: type(make(params("w"))).__name__)
def test_copies_go_their_own_way(make: Any) -> None:
    (w,) = params("w")
    optimizer = make([w])
    optimizer(gradients(1))
    for twin in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        before = w.asnumpy().copy()
        twin(gradients(1))
        np.testing.assert_array_equal(w.asnumpy(), before)
        assert np.abs(twin.parameters[0].asnumpy() - before).max() > 0


# -- groups, learning rates, decay ------------------------------------------------------------------------------------


def test_groups() -> None:
    w, b = params("w", "b")
    optimizer = nn.Adam([{"params": [w], "lr": 0.1, "weight_decay": 0.01}, {"params": [b]}], 0.01)
    assert [rate.name for rate in optimizer.get_lr()] == ["learning_rate_group_0", "learning_rate"]
    assert optimizer.get_lr_parameter(w).name == "learning_rate_group_0"
    assert [rate.name for rate in optimizer.get_lr_parameter([b, w])] == ["learning_rate", "learning_rate_group_0"]
    assert (optimizer.is_group, optimizer.is_group_lr, optimizer.dynamic_lr) == (True, True, False)
    assert [float(decay) for decay in optimizer.get_weight_decay()] == pytest.approx([0.01, 0.0])
    optimizer(gradients(2))
    np.testing.assert_allclose(w.asnumpy(), [0.9, 1.9], rtol=1e-5)
    np.testing.assert_allclose(b.asnumpy(), [0.99, 1.99], rtol=1e-5)


def test_order_of_groups() -> None:
    w, b = params("w", "b")
    optimizer = nn.SGD([{"params": [b], "lr": 1.0}, {"params": [w]}, {"order_params": [w, b]}], 0.1)
    assert [p.name for p in optimizer.parameters] == ["w", "b"]
    optimizer(gradients(2))
    np.testing.assert_allclose(w.asnumpy(), [0.9, 1.9], rtol=1e-6)
    np.testing.assert_allclose(b.asnumpy(), [0, 1], rtol=1e-6)


def test_the_learning_rate_is_a_parameter() -> None:
    (w,) = params("w")
    optimizer = nn.SGD([w], 0.1)
    optimizer.learning_rate.set_data(Tensor(1.0))
    optimizer(gradients(1))
    np.testing.assert_array_equal(w.asnumpy(), [0, 1])


@pytest.mark.parametrize("rate", [[0.5, 0.25], (0.5, 0.25), Tensor([0.5, 0.25]), np.array([0.5, 0.25])], ids=type)
def test_lists_of_learning_rates(rate: Any) -> None:
    (w,) = params("w")
    optimizer = nn.SGD([w], rate)
    assert float(optimizer.get_lr()) == 0.5
    optimizer(gradients(1))
    optimizer(gradients(1))
    np.testing.assert_array_equal(w.asnumpy(), [0.25, 1.25])
    with pytest.raises(RuntimeError, match="must be at most 2"):
        optimizer(gradients(1))


def test_beta_and_gamma_do_not_decay() -> None:
    for make in (nn.SGD, nn.AdamWeightDecay, lambda p, lr, weight_decay: nn.Momentum(p, lr, 0.9, weight_decay)):
        own = params("w", "bn.gamma", "bias")
        make(own, 0.1, weight_decay=0.1)(gradients(3, 0.0))
        np.testing.assert_allclose([p.asnumpy() for p in own], [[0.99, 1.98], [1, 2], [0.99, 1.98]], rtol=1e-6)
    own = params("w", "bn.gamma")
    nn.Momentum([{"params": own}], 0.1, 0.9, weight_decay=0.1)(gradients(2, 0.0))
    np.testing.assert_allclose([p.asnumpy() for p in own], [[0.99, 1.98]] * 2, rtol=1e-6)


def test_helpers_for_own_optimizers() -> None:
    class Own(nn.Optimizer):
        def construct(self, gradients: Any) -> Any:
            gradients = self.scale_grad(
                self.gradients_centralization(self.decay_weight(self.flatten_gradients(gradients)))
            )
            rate = self.get_lr()
            for param, grad in zip(self.parameters, gradients, strict=True):
                param.set_data(param - rate * grad)
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            return True

    w, b = params("w", "beta")
    optimizer = Own(0.5, [w, b], weight_decay=0.1, loss_scale=2.0)
    assert float(optimizer.get_weight_decay()) == pytest.approx(0.2)
    assert optimizer(gradients(2, 2.0)) is True
    np.testing.assert_allclose(w.asnumpy(), [0.45, 1.4], rtol=1e-6)
    np.testing.assert_allclose(b.asnumpy(), [0.5, 1.5], rtol=1e-6)
    assert optimizer.global_step.asnumpy().tolist() == [1]


def test_centralization() -> None:
    w = Parameter(Tensor(np.zeros((2, 1, 1, 2), np.float32)), name="conv.weight")
    optimizer = nn.SGD([{"params": [w], "grad_centralization": True}], 1.0)
    optimizer((Tensor(np.array([[[[1, 3]]], [[[2, 2]]]], np.float32)),))
    np.testing.assert_array_equal(w.asnumpy().ravel(), [1, -1, 0, 0])


def test_result_and_step() -> None:
    own = params("w", "b")
    optimizer = nn.Adam(own)
    assert optimizer(gradients(2)) == (True, True)
    assert optimizer.global_step.asnumpy().tolist() == [1]
    assert (optimizer.unique, optimizer.target) == (True, "CPU")
    assert isinstance(optimizer.parameters, ParameterTuple)


def test_frozen_parameters_are_not_refused() -> None:
    w = Parameter(Tensor([1.0]), name="w", requires_grad=False)
    assert repr(nn.Adam([w])) == "Adam()"


# -- wrong arguments --------------------------------------------------------------------------------------------------

WRONG: list[tuple[Any, type[Exception], str]] = [
    (lambda: nn.Adam(params("a", "a")), ValueError, "its name 'a' already exists"),
    (lambda: nn.Adam([]), ValueError, "the argument parameters must not be empty"),
    (lambda: nn.Adam(3), TypeError, "must be Iterable type, but got <class 'int'>"),
    (lambda: nn.Adam([3]), TypeError, "must be 'Parameter' or 'dict'"),
    (lambda: nn.Adam(params("a"), learning_rate="a"), TypeError, "'learning_rate' must be int, float"),
    (lambda: nn.Adam(params("a"), learning_rate=-1.0), ValueError, "'learning rate' must be float and must >= 0"),
    (lambda: nn.Adam(params("a"), weight_decay=-1.0), ValueError, "'weight_decay' must be float and must >= 0"),
    (lambda: nn.Adam(params("a"), weight_decay="a"), TypeError, "'Weight_decay' must be int, float or Cell"),
    (lambda: nn.Adam(params("a"), loss_scale=0.0), ValueError, "'loss_scale' must be float and must > 0"),
    (lambda: nn.Adam(params("a"), beta1=1.5), ValueError, r"'beta1' must be in range of \(0.0, 1.0\), but got 1.5"),
    (lambda: nn.Adam(params("a"), eps=0.0), ValueError, "'eps' must be float and must > 0"),
    (lambda: nn.Momentum(params("a"), 0.1, -1.0), ValueError, "'momentum' must be at least 0.0, but got -1.0"),
    (lambda: nn.SGD(params("a"), 0.1, momentum=-1.0), ValueError, "'momentum' must be at least 0.0, but got -1.0"),
    (lambda: nn.SGD(params("a"), 0.1, nesterov=True), ValueError, "if 'nesterov' is true"),
    (lambda: nn.Adam([{"params": params("a"), "foo": 3}]), KeyError, "the key in group params must be one of"),
    (lambda: nn.Adam([{"lr": 0.1}]), KeyError, "params"),
    (lambda: nn.Adam([{"params": []}]), ValueError, "group `params` must not be empty"),
    (lambda: nn.Adam([{"params": (p := params("a"))}, {"params": p}]), RuntimeError, "the a parameter already exists"),
    (lambda: nn.Adam([{"params": params("a")}, {"order_params": params("b")}]), ValueError, "those of all groups"),
    (lambda: nn.Adam(params("a"))(gradients(2)), ValueError, "number of 'gradients' must be 1"),
    (lambda: nn.Adam(params("a"))((Tensor([1.0]),)), ValueError, "shape of the gradient of 'a' must be"),
    (lambda: nn.Adam(params("a"))(3), TypeError, "'gradients' must be a tuple of Tensors"),
    (lambda: nn.Adam(params("a"))((3,)), TypeError, "gradient of 'a' must be a Tensor"),
    (lambda: optim.Adam(params("a"), lr=-1.0), ValueError, "Invalid learning rate"),
    (lambda: optim.Adam(params("a"), lr="a"), TypeError, "type of 'lr' must be 'float', but got type 'str'"),
    (lambda: optim.Adam(params("a"), betas=(1.2, 0.1)), ValueError, "Invalid beta parameter at index 0: 1.2"),
    (lambda: optim.Adam(params("a"), eps=-1.0), ValueError, "Invalid epsilon value: -1.0"),
    (lambda: optim.Adam([]), ValueError, "the argument params must not be empty"),
    (lambda: optim.SGD(params("a"), 0.1, nesterov=True), ValueError, "if 'nesterov' is true"),
]


@pytest.mark.parametrize(("call", "kind", "text"), WRONG, ids=range(len(WRONG)))
def test_wrong_arguments(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()
