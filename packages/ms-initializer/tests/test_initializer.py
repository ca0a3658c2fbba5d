"""initializer(), the base class, the names, delayed filling, and the statistics of every class."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import pkgutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import ms_dtype as mstype
import ms_initializer
from ms_generator import set_seed
from ms_initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    aliases,
    initializer,
    register,
)
from ms_initializer.fans import calculate_correct_fan, calculate_fan_in_and_fan_out, calculate_gain
from ms_kernels import Parameter, Tensor

NAMES = {
    "zero": Zero,
    "zeros": Zero,
    "one": One,
    "ones": One,
    "constant": Constant,
    "uniform": Uniform,
    "normal": Normal,
    "truncatednormal": TruncatedNormal,
    "xavieruniform": XavierUniform,
    "xavier_uniform": XavierUniform,
    "xaviernormal": XavierNormal,
    "xavier_normal": XavierNormal,
    "heuniform": HeUniform,
    "he_uniform": HeUniform,
    "henormal": HeNormal,
    "he_normal": HeNormal,
    "identity": Identity,
    "sparse": Sparse,
    "dirac": Dirac,
    "orthogonal": Orthogonal,
    "variancescaling": VarianceScaling,
}
SIGNATURES = {
    Initializer: "(**kwargs)",
    Constant: "(value)",
    Dirac: "(groups=1)",
    Identity: "(**kwargs)",
    One: "(**kwargs)",
    Zero: "(**kwargs)",
    Normal: "(sigma=0.01, mean=0.0)",
    Orthogonal: "(gain=1.0)",
    Sparse: "(sparsity, sigma=0.01)",
    TruncatedNormal: "(sigma=0.01, mean=0.0, a=-2.0, b=2.0)",
    Uniform: "(scale=0.07)",
    XavierNormal: "(gain=1)",
    XavierUniform: "(gain=1)",
    HeNormal: "(negative_slope=0, mode='fan_in', nonlinearity='leaky_relu')",
    HeUniform: "(negative_slope=0, mode='fan_in', nonlinearity='leaky_relu')",
    VarianceScaling: "(scale=1.0, mode='fan_in', distribution='truncated_normal')",
}


def fill(init: Any, shape: Any, dtype: Any = mstype.float32) -> Any:
    return initializer(init, shape, dtype).init_data().asnumpy()


def plain(signature: inspect.Signature) -> str:
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


@pytest.mark.parametrize("cls", SIGNATURES, ids=lambda c: c.__name__)
def test_signatures(cls: type[Initializer]) -> None:
    assert plain(inspect.signature(cls)) == SIGNATURES[cls]


def test_signature_of_initializer() -> None:
    assert plain(inspect.signature(initializer)) == "(init, shape=None, dtype=mindspore.float32)"


def test_names() -> None:
    assert {name: aliases[name] for name in NAMES} == NAMES
    with pytest.raises(TypeError):
        aliases["new"] = Zero  # type: ignore[index]


def test_own_classes_register() -> None:
    @register("sevens")
    class AllSeven(Initializer):
        def _initialize(self, arr: Any) -> None:
            arr[...] = 7

    assert fill("SEVENS", 2).tolist() == fill("allseven", 2).tolist() == [7, 7]
    with pytest.raises(ValueError, match="For 'register', the name must be free, but got 'normal'"):
        register("normal")(AllSeven)
    assert aliases["normal"] is Normal


def test_base_class() -> None:
    base = Initializer(a=1)
    assert base._kwargs == {"a": 1}
    with pytest.raises(NotImplementedError):
        base(np.zeros(2))
    assert Normal()._kwargs == {"sigma": 0.01, "mean": 0.0}


def test_seeds_of_an_initializer() -> None:
    set_seed(5)
    assert [Initializer().seed, Initializer().seed] == [(5, 5), (5, 533697033)]
    init = Normal()
    init.seed = 3
    assert init.seed == (4, 0)


@pytest.mark.parametrize(
    "init, shape, values",
    [
        ("ones", [2], [1, 1]),
        ("ONE", 2, [1, 1]),
        (Zero(), (1, 2), [[0, 0]]),
        (3, [2], [3, 3]),
        (2.5, (), 2.5),
        (True, [1], [1]),
        (np.float32(0.5), [1], [0.5]),
        (Constant(4), [], 4),
    ],
)
def test_forms(init: Any, shape: Any, values: Any) -> None:
    t = initializer(init, shape)
    assert isinstance(t, Tensor)
    assert t.has_init
    assert t.dtype == mstype.float32
    assert t.init_data().asnumpy().tolist() == values
    assert not t.has_init
    assert t.init is None


def test_a_tensor_is_its_own_result() -> None:
    t = Tensor([1.0, 2.0], mstype.float64)
    for made in (initializer(t), initializer(t, [2]), initializer(t, 2, mstype.float16)):
        assert made is t
        assert not made.has_init
    with pytest.raises(ValueError, match=r"the shape of 'init' must be the 'shape' \[3, 2\], but got \[2\]"):
        initializer(t, [3, 2])


@pytest.mark.parametrize("init", [[1, 2], None, (1,), {}, np.ones(2), Normal])
@pytest.mark.parametrize("shape", [[2], None])
def test_wrong_kinds_of_init(init: Any, shape: Any) -> None:
    with pytest.raises(
        TypeError, match="For 'initializer', the 'init' must be a Tensor, a number, a string or an Init"
    ):
        initializer(init, shape)


@pytest.mark.parametrize("init", ["normal", Normal(), 3])
def test_a_missing_shape(init: Any) -> None:
    with pytest.raises(ValueError, match="For 'initializer', the 'shape' must be given where 'init' is no Tensor"):
        initializer(init)


@pytest.mark.parametrize("name", ["xx", ""])
def test_unknown_names(name: str) -> None:
    with pytest.raises(ValueError, match=f"the 'init' must be the name of an initializer, but got '{name}'"):
        initializer(name, [2])


@pytest.mark.parametrize("shape", [[2.0], 2.0, "2", [-1], 0, [0, 2], [None], np.array([2, 3]), Tensor([2, 3])])
def test_wrong_shapes(shape: Any) -> None:
    with pytest.raises(ValueError, match="For 'initializer', the 'shape' must be made of positive ints"):
        initializer("one", shape)


@pytest.mark.parametrize(
    "dtype, kind", [(None, ValueError), ("float32", TypeError), (float, TypeError), (np.float32, TypeError)]
)
def test_wrong_dtypes(dtype: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="For 'initializer', the 'dtype' must be"):
        initializer("one", [2], dtype)


def test_numbers_are_drawn_when_they_are_needed() -> None:
    set_seed(1)
    first, second = initializer("normal", [3]), initializer("normal", [3])
    late = second.asnumpy().copy()
    early = first.init_data().asnumpy().copy()
    set_seed(1)
    assert (fill("normal", [3]) == late).all()
    assert (fill("normal", [3]) == early).all()


def test_a_parameter_is_filled_at_once() -> None:
    set_seed(1)
    made = Parameter(initializer("normal", [4, 2]), name="w")
    set_seed(2)
    assert not made.has_init
    assert (made.asnumpy()[0] == np.array([0.0065303706, 0.0150919258], np.float32)).all()


@pytest.mark.parametrize("init", ["ones", One(), 1, Tensor([[1.0, 1.0]])])
def test_clones_take_every_form(init: Any) -> None:
    made = Parameter(Tensor([[3.0, 4.0]]), name="w").clone(init)
    assert (made.name, made.asnumpy().tolist()) == ("w", [[1.0, 1.0]])


def test_a_clone_draws_new_numbers() -> None:
    parameter = Parameter(initializer("normal", [3, 4]), name="w")
    set_seed(1)
    made = parameter.clone(Normal())
    set_seed(1)
    assert (made.asnumpy() == fill("normal", [3, 4])).all()
    with pytest.raises(ValueError, match="the 'init' must be the name of an initializer"):
        parameter.clone("nothing")


def test_shards() -> None:
    set_seed(1)
    whole = fill("normal", [2, 2])
    state = np.random.get_state()[1].tolist()  # type: ignore[index,union-attr]
    shards = [initializer("normal", [4, 2]).init_data(i, [2, 2]).asnumpy() for i in (0, 1, 0)]
    assert (shards[0] == whole).all()
    assert (shards[0] == shards[2]).all()
    assert (shards[0] != shards[1]).all()
    assert np.random.get_state()[1].tolist() == state  # type: ignore[index,union-attr]
    set_seed(2)
    assert (fill("normal", [2, 2]) == shards[1]).all()


@pytest.mark.parametrize("init", [Normal(), Uniform(), TruncatedNormal(), Orthogonal(), Sparse(0.3), Constant(3)])
def test_any_array_can_be_filled(init: Initializer) -> None:
    set_seed(3)
    want = np.zeros((6, 4), np.float32)
    init(want)
    for order in (np.zeros((6, 8), np.float32)[:, ::2], np.zeros((4, 6), np.float32).T, np.zeros((6, 4), np.float64)):
        set_seed(3)
        init(order)
        assert (order == want).all()


@pytest.mark.parametrize(
    "dtype, value, result",
    [(np.int32, 1.7, 1), (np.int8, 300, 44), (np.float16, 1e10, np.inf), (np.bool_, 2, True), (np.complex64, 1j, 1j)],
)
def test_constants_are_cast_as_c_casts(dtype: Any, value: Any, result: Any) -> None:
    a = np.zeros(2, dtype)
    Constant(value)(a)
    assert (a == result).all()


@pytest.mark.parametrize("value, kind", [("a", ValueError), ([1, 2], ValueError), (None, ValueError), (1j, TypeError)])
def test_wrong_constants(value: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="For 'Constant', the 'value' must be"):
        Constant(value)(np.zeros(2, np.float32))


def test_fans() -> None:
    assert calculate_fan_in_and_fan_out((2, 3, 4, 5)) == (60, 40)
    assert calculate_correct_fan((2, 3), "FAN_IN") == 3
    assert calculate_correct_fan((2, 3), "fan_out") == 2
    with pytest.raises(ValueError, match=r"'mode' fan_avg not supported, please use one of \['fan_in', 'fan_out'\]"):
        calculate_correct_fan((2, 3), "fan_avg")


def test_gains() -> None:
    linear = ["linear", "conv1d", "conv2d", "conv3d", "conv_transpose2d", "sigmoid"]
    assert [calculate_gain(name) for name in linear] == [1] * 6
    assert calculate_gain("tanh") == 5 / 3
    assert calculate_gain("relu") == math.sqrt(2)
    assert calculate_gain("leaky_relu") == math.sqrt(2 / 1.0001)
    assert calculate_gain("leaky_relu", 0.2) == math.sqrt(2 / 1.04)
    for slope in ("a", True):
        with pytest.raises(ValueError, match="For 'HeUniform', the 'negative_slope' must be an int or a float"):
            calculate_gain("leaky_relu", slope)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"For 'HeNormal', the 'nonlinearity' must be one of .* but got selu"):
        calculate_gain("selu", name="HeNormal")


@pytest.mark.parametrize("name", ["he_uniform", "he_normal", "xavier_uniform", "xavier_normal", "variancescaling"])
@pytest.mark.parametrize("shape", [[2], []])
def test_fans_need_two_dims(name: str, shape: list[int]) -> None:
    with pytest.raises(ValueError, match=f"fewer than 2 dimensions, but got dimensions {len(shape)}"):
        fill(name, shape)


@pytest.mark.parametrize(
    "make, kind, text",
    [
        (lambda: VarianceScaling(0), ValueError, "the 'scale' must be greater than 0, but got 0"),
        (lambda: VarianceScaling("a"), TypeError, "<="),
        (
            lambda: VarianceScaling(1, "FAN_IN"),
            ValueError,
            "the 'mode' must be fan_in, fan_out or fan_avg, but got FAN_IN",
        ),
        (lambda: VarianceScaling(1, "fan_in", "normal"), ValueError, "the 'distribution' must be uniform, truncated"),
        (lambda: fill(HeUniform(mode="x"), [2, 2]), ValueError, "'mode' x not supported"),
        (
            lambda: fill(HeNormal("x"), [2, 2]),
            ValueError,
            "For 'HeNormal', the 'negative_slope' must be an int or a float",
        ),
        (lambda: fill(Normal(-1), [2]), ValueError, "the 'sigma' must be 0 or more, but got -1"),
        (lambda: fill(TruncatedNormal(0), [2]), RuntimeError, "the 'sigma' must be above 0, but got 0"),
        (lambda: fill("identity", [2]), ValueError, "For 'Identity', the dims of the array must be 2, but got 1"),
        (lambda: fill("dirac", [2, 3]), ValueError, "For 'Dirac', the dims of the array must be 3, 4 or 5, but got 2"),
        (
            lambda: fill(Dirac(2), [3, 2, 3]),
            ValueError,
            "the 'groups' must be a positive int that divides the first dim",
        ),
        (
            lambda: fill(Dirac(0), [3, 2, 3]),
            ValueError,
            "the 'groups' must be a positive int that divides the first dim",
        ),
        (
            lambda: fill("orthogonal", [2]),
            ValueError,
            "For 'Orthogonal', the dims of the array must be 2 or more, but got 1",
        ),
        (lambda: fill(Sparse(0.1), [3]), ValueError, "For 'Sparse', the dims of the array must be 2, but got 1"),
        (lambda: initializer("sparse", [3, 3]), TypeError, "sparsity"),
    ],
)
def test_errors(make: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        make()


@pytest.mark.parametrize("mode, n", [("fan_in", 256), ("fan_out", 64)])
def test_he_uniform_limit(mode: str, n: int) -> None:
    limit = math.sqrt(2) * math.sqrt(3 / n)
    x = fill(HeUniform(0, mode), [64, 256])
    assert 0.999 * limit < abs(x).max() <= np.float32(limit)


@pytest.mark.parametrize("distribution", ["uniform", "truncated_normal", "untruncated_normal"])
@pytest.mark.parametrize("mode, n", [("fan_in", 512), ("fan_out", 128), ("fan_avg", 320)])
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_variance_scaling(scale: float, mode: str, n: int, distribution: str) -> None:
    set_seed(4)
    x = fill(VarianceScaling(scale, mode, distribution), [128, 512]).astype(np.float64)
    assert abs(x.mean()) < 0.01 * x.std()
    assert x.std() == pytest.approx(math.sqrt(scale / n), rel=0.01)
    kurtosis = (x**4).mean() / x.var() ** 2
    if distribution == "untruncated_normal":
        assert kurtosis == pytest.approx(3, rel=0.03)
        assert (abs(x) > 3.5 * x.std()).any()
    else:
        assert 0.999 * math.sqrt(3 * scale / n) < abs(x).max() <= math.sqrt(3 * scale / n) * (1 + 1e-7)


def test_the_default_of_variance_scaling_is_uniform() -> None:
    made = []
    for distribution in ("truncated_normal", "uniform"):
        set_seed(8)
        made.append(fill(VarianceScaling(2.0, "fan_avg", distribution), [9, 7]))
    assert (made[0] == made[1]).all()
    assert "its numbers are those" in (VarianceScaling.__doc__ or "")


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (5, 2, 3, 2)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    x = fill(Orthogonal(2.0), shape).reshape(shape[0], -1).astype(np.float64)
    product = x.T @ x if x.shape[0] >= x.shape[1] else x @ x.T
    assert np.allclose(product, 4 * np.eye(len(product)), atol=1e-5)


@pytest.mark.parametrize("sparsity, zeros", [(0.0, 0), (0.25, 3), (0.3, 3), (1.0, 10), (1.5, 10)])
def test_sparse(sparsity: float, zeros: int) -> None:
    assert ((fill(Sparse(sparsity, 1.0), [10, 7]) == 0).sum(axis=0) == zeros).all()


def test_dirac_hands_channels_on() -> None:
    x = fill(Dirac(2), [4, 3, 3, 5])
    assert np.argwhere(x).tolist() == [[0, 0, 1, 2], [1, 1, 1, 2], [2, 0, 1, 2], [3, 1, 1, 2]]


def test_docstrings_say_what_2_6_says() -> None:
    text = " ".join((initializer.__doc__ or "").split())
    assert "None: the shape of the Tensor `init`" in text
    assert "until then the Tensor carries the initializer" in text
    assert '"fan_in": n counts' in " ".join((HeUniform.__doc__ or "").split())
    assert '"fan_avg" the mean of both' in " ".join((VarianceScaling.__doc__ or "").split())


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(ms_initializer.__path__)])
def test_examples(name: str) -> None:
    if name != "__main__":
        assert doctest.testmod(importlib.import_module(f"ms_initializer.{name}")).failed == 0


def test_import_draws_nothing_and_starts_nothing() -> None:
    code = (
        "import pickle, threading, numpy as np; np.random.seed(5); a = pickle.dumps(np.random.get_state()); "
        "import ms_initializer; print(pickle.dumps(np.random.get_state()) == a, threading.active_count())"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "True 1\n"
