"""Activations: rows of one table; a row is the class's name, its parameters with defaults, and the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from ms_initializer import initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Activation",
    "FastGelu",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "get_activation",
]


class Activation(Cell):
    """Base of the activations without parameters to train: a function of the input and of fixed numbers.

    Shape and dtype of the result are those of the input.
    """

    _function: Callable[..., Any]
    _signature: inspect.Signature
    _check: Callable[..., None] | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if self._check is not None:
            self._check(**bound.arguments)
        for name, value in bound.arguments.items():
            setattr(self, name, value)
        self._numbers = tuple(bound.arguments.values())

    def construct(self, input: Any) -> Any:
        """The function of every element (or, for the softmaxes, along the axis)."""
        return self._function(input, *self._numbers)


def _of_x(self: Any, x: Any) -> Any:
    """The function of every element (or, for the softmaxes, along the axis)."""
    return self._function(x, *self._numbers)


def _of_input_x(self: Any, input_x: Any) -> Any:
    """The function of every element (or, for the softmaxes, along the axis)."""
    return self._function(input_x, *self._numbers)


# 2.6 calls the input of the call by one of these names
_CONSTRUCTS = MappingProxyType({"x": _of_x, "input_x": _of_input_x, "input": Activation.construct})


def row(
    name: str,
    doc: str,
    function: Callable[..., Any],
    check: Callable[..., None] | None = None,
    /,
    home: tuple[str, str] = ("nn", __name__),
    takes: str = "input",
    **defaults: Any,
) -> type[Activation]:
    """Make the class of one activation.

    Args:
        name: of the class.
        doc: what it computes.
        function: of the input and, in their order, of the numbers that the class keeps.
        check: gets those numbers by name.
        home: 2.6's namespace and the module that holds the class.
        takes: what the call's argument is called.
        defaults: the numbers' defaults; `inspect.Parameter.empty` makes one required.
    """
    signature = inspect.Signature(
        [
            inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value)
            for key, value in defaults.items()
        ]
    )
    body = {
        "__doc__": f"{doc} (``mindspore.{home[0]}.{name.removesuffix('Ext')}``).",
        "__module__": home[1],
        "__signature__": signature,
        "construct": _CONSTRUCTS[takes],
        "_function": staticmethod(function),
        "_signature": signature,
        "_check": None if check is None else staticmethod(check),
    }
    return type(name, (Activation,), body)


def _axis(name: str) -> Callable[..., None]:
    def check(axis: Any) -> None:
        if isinstance(axis, bool) or not isinstance(axis, (int, tuple)):
            _check.instance(name, "axis", None if isinstance(axis, bool) else axis, (int, tuple), "int or tuple of int")

    return check


def _bounds(lower: float, upper: float) -> None:
    if upper < lower:
        raise ValueError(
            "For RReLU, the value of 'upper' must be greater than or equal to 'lower', "
            f"but got upper: {upper}, lower: {lower}. "
        )


def _approximate(approximate: Any) -> None:
    _check.boolean("GELU", "approximate", approximate)


def _softmax2d(x: Any) -> Any:
    if x.ndim not in (3, 4):
        raise ValueError(f"For 'Softmax2d', the dimension of 'input' must be 3 or 4, but got {x.ndim}.")
    return F.softmax(x, -3)


def _one_axis(axis: Any) -> Any:
    return axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis


_REQUIRED = inspect.Parameter.empty
_ONES = "For every element x: "  # the shared beginning of most descriptions

ReLU = row("ReLU", _ONES + "max(0, x)", lambda x: F.relu(x))
ReLU6 = row("ReLU6", _ONES + "min(max(0, x), 6)", lambda x: F.relu6(x), takes="x")
GELU = row(
    "GELU",
    _ONES + "x P(X <= x) for a standard normal X; by a formula with tanh when `approximate`",
    lambda x, approximate: F.gelu(x, "tanh" if approximate else "none"),
    _approximate,
    approximate=True,
    takes="x",
)
FastGelu = row(
    "FastGelu",
    _ONES + "x sigmoid(1.702 x), a fast approximation of GELU",
    lambda x: x * F.sigmoid(x * 1.702),
    takes="x",
)
Sigmoid = row("Sigmoid", _ONES + "1 / (1 + exp(-x))", lambda x: F.sigmoid(x), takes="x")
Tanh = row("Tanh", _ONES + "tanh(x)", lambda x: F.tanh(x), takes="x")
Tanhshrink = row("Tanhshrink", _ONES + "x - tanh(x)", lambda x: F.tanhshrink(x), takes="x")
SiLU = row("SiLU", _ONES + "x sigmoid(x)", lambda x: F.silu(x), takes="x")
Mish = row("Mish", _ONES + "x tanh(log(1 + exp(x)))", lambda x: F.mish(x), takes="input_x")
HSigmoid = row("HSigmoid", _ONES + "max(0, min(1, (x + 3) / 6))", lambda x: F.hardsigmoid(x))
HSwish = row("HSwish", _ONES + "x min(max(x + 3, 0), 6) / 6", lambda x: F.hardswish(x))
Softsign = row("Softsign", _ONES + "x / (1 + |x|)", lambda x: F.softsign(x), takes="x")
LogSigmoid = row("LogSigmoid", _ONES + "log(1 / (1 + exp(-x)))", lambda x: F.logsigmoid(x), takes="input_x")
SeLU = row("SeLU", _ONES + "the self-normalizing scaled ELU", lambda x: F.selu(x), takes="input_x")
ELU = row("ELU", _ONES + "x, or alpha (exp(x) - 1) below 0", lambda x, alpha: F.elu(x, alpha), alpha=1.0, takes="x")
CELU = row(
    "CELU",
    _ONES + "max(0, x) + min(0, alpha (exp(x / alpha) - 1))",
    lambda x, alpha: F.celu(x, alpha),
    alpha=1.0,
    takes="x",
)
LeakyReLU = row(
    "LeakyReLU", _ONES + "x, or alpha x below 0", lambda x, alpha: F.leaky_relu(x, alpha), alpha=0.2, takes="x"
)
HShrink = row("HShrink", _ONES + "x, or 0 where |x| <= lambd", lambda x, lambd: F.hardshrink(x, lambd), lambd=0.5)
SoftShrink = row(
    "SoftShrink",
    _ONES + "x moved by lambd towards 0, but not past it",
    lambda x, lambd: F.softshrink(x, lambd),
    lambd=0.5,
)
Hardtanh = row(
    "Hardtanh",
    _ONES + "x limited to [min_val, max_val]",
    lambda x, low, high: F.hardtanh(x, low, high),
    min_val=-1.0,
    max_val=1.0,
    takes="x",
)
Threshold = row(
    "Threshold",
    _ONES + "x, or `value` where x <= threshold",
    lambda x, threshold, value: F.threshold(x, threshold, value),
    threshold=_REQUIRED,
    value=_REQUIRED,
    takes="input_x",
)
Softmax = row(
    "Softmax",
    "exp(x) divided by its sum along the axis",
    lambda x, axis: F.softmax(x, _one_axis(axis)),
    _axis("Softmax"),
    axis=-1,
)
Softmin = row(
    "Softmin",
    "The softmax of -x along the axis",
    lambda x, axis: F.softmax(-x, _one_axis(axis)),
    _axis("Softmin"),
    axis=-1,
    takes="x",
)
Softmax2d = row("Softmax2d", "The softmax over the channels of (N, C, H, W) or (C, H, W)", _softmax2d, takes="x")
LogSoftmax = row(
    "LogSoftmax",
    "The logarithm of the softmax along the axis",
    lambda x, axis: F.log_softmax(x, axis),
    axis=-1,
    takes="x",
)
GLU = row(
    "GLU",
    "The first half along the axis times the sigmoid of the second",
    lambda x, axis: F.glu(x, axis),
    axis=-1,
    takes="x",
)


class RReLU(Cell):
    """x, or a x below 0, with a drawn from [lower, upper) for every element (``mindspore.nn.RReLU``).

    Raises:
        ValueError: `upper` is below `lower`.
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> None:
        super().__init__()
        _bounds(lower, upper)
        self.lower, self.upper = float(lower), float(upper)

    def construct(self, x: Any) -> Any:
        """The function of every element."""
        slope = F.uniform(x.shape, Tensor(self.lower), Tensor(self.upper), dtype=x.dtype)
        return F.where(x < 0, x * slope, x)


class PReLU(Cell):
    """x, or a x below 0, with a trained for each channel or for all (``mindspore.nn.PReLU``).

    Args:
        channel: how many slopes there are: 1, or the size of dimension 1 of the input.
        w: the slopes at first: a number, a list of them or a Tensor.

    Raises:
        TypeError, ValueError: `channel` is no positive int, or `w` does not fit it.
    """

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        _check.integer("PReLU", "channel", channel)
        if isinstance(w, (int, float)) and not isinstance(w, bool):
            first = initializer(float(w), [channel])
        elif isinstance(w, (list, Tensor)):
            first = Tensor(w) if isinstance(w, list) else w
            if first.shape != (channel,):
                raise ValueError(f"For 'PReLU', the shape of 'w' must be ({channel},), but got {first.shape}.")
        else:
            _check.instance("PReLU", "w", w, (float, list, Tensor))
        self.w = Parameter(first, name="a")

    def construct(self, x: Any) -> Any:
        """The function of every element."""
        return F.prelu(x, self.w)


_BY_NAME: dict[str, type[Cell]] = {
    "softmin": Softmin,
    "softmax": Softmax,
    "softmax2d": Softmax2d,
    "logsoftmax": LogSoftmax,
    "relu": ReLU,
    "relu6": ReLU6,
    "rrelu": RReLU,
    "silu": SiLU,
    "tanh": Tanh,
    "tanhshrink": Tanhshrink,
    "hardtanh": Hardtanh,
    "gelu": GELU,
    "fast_gelu": FastGelu,
    "elu": ELU,
    "sigmoid": Sigmoid,
    "softsign": Softsign,
    "prelu": PReLU,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink,
    "hshrink": HShrink,
    "threshold": Threshold,
    "mish": Mish,
}


def get_activation(name: Any, prim_name: str | None = None) -> Cell | None:
    """The activation of a name such as "relu"; None for None (``mindspore.nn.get_activation``).

    Raises:
        KeyError: there is none of that name.

    >>> get_activation("relu6")
    ReLU6()
    """
    if name is None:
        return None
    if name not in _BY_NAME:
        raise KeyError(f"The 'name' must be in {list(_BY_NAME)}, but got {name}.")
    return _BY_NAME[name]()
