"""Recurrent cells, one step a call: RNNCell, LSTMCell, GRUCell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_initializer import Uniform, initializer
from ms_kernels import Parameter, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail, operand
from ms_kernels.ops.recurrent import GATES, recurrent_scan
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.rnn import check_hx

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _StepCell(Cell):
    """The parameters of a cell, and a step."""

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool, kind: str, dtype: Any) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = _check.integer(name, "input_size", input_size)
        self.hidden_size = _check.integer(name, "hidden_size", hidden_size)
        self.has_bias = _check.boolean(name, "has_bias", has_bias)
        self._kind = kind
        gates, bound = GATES[kind] * hidden_size, 1 / math.sqrt(hidden_size)
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (gates, input_size),
            "weight_hh": (gates, hidden_size),
            "bias_ih": (gates,),
            "bias_hh": (gates,),
        }
        self.bias_ih: Any = None
        self.bias_hh: Any = None
        used = {own: shape for own, shape in shapes.items() if has_bias or own.startswith("weight")}
        for shape in used.values():
            np.random.randn(*shape)  # 2.6 fills the parameters twice: the seeds of the Uniforms come after these
        for own, shape in used.items():
            setattr(self, own, Parameter(initializer(Uniform(bound), shape, dtype), name=own))

    def _step(self, x: Any, hx: Any) -> tuple[Any, Any]:
        """The next h and c (of an LSTM only) from x (B, I) and the states (B, H); a batch of 1 fits any other."""
        name, pair = type(self).__name__, self._kind == "lstm"
        if not isinstance(x, Tensor):
            operand(name, "x", x)
        if x.dtype.kind != "f":
            fail(TypeError, name, "dtype of 'x'", "be a float type", str(x.dtype))
        states = check_hx(name, hx, pair, x)
        if self.weight_ih.dtype != x.dtype:
            fail(TypeError, name, "dtype of 'x'", f"be that of the weights, {self.weight_ih.dtype}", str(x.dtype))
        if x.ndim != 2 or x.shape[1] != self.input_size:
            fail(ValueError, name, "shape of 'x'", f"be (batch, {self.input_size})", str(tuple(x.shape)))
        batch = max(x.shape[0], states[0].shape[0] if states[0].ndim else 0)
        for state in states:
            if state.ndim != 2 or state.shape[1] != self.hidden_size or state.shape[0] not in (1, batch):
                fail(ValueError, name, "shape of 'hx'", f"be ({batch}, {self.hidden_size})", str(tuple(state.shape)))
        if x.shape[0] not in (1, batch):
            fail(ValueError, name, "batch of 'x'", f"be that of 'hx', {batch}", str(x.shape[0]))
        if self._kind == "gru":
            products, bias = F.dense(x, self.weight_ih, self.bias_ih), self.bias_hh
        else:
            products = F.dense(x, self.weight_ih)
            bias = self.bias_ih + self.bias_hh if self.has_bias else None
        products, *start = (v if v.shape[0] == batch else F.tile(v, (batch, 1)) for v in (products, *states))
        state = start[1] if pair else None
        _, h, c, _ = recurrent_scan(products.expand_dims(0), start[0], state, self.weight_hh, bias, None, self._kind)
        return h, c


class RNNCell(_StepCell):
    """One step of `RNN`: f(W_ih x + b_ih + W_hh h + b_hh) (``mindspore.nn.RNNCell``).

    Args:
        input_size: size of the input.
        hidden_size: size of the state.
        has_bias: there are biases.
        nonlinearity: f, 'tanh' or 'relu'.
        dtype: of the parameters and operands.

    Shapes: x (batch, input_size), hx (batch, hidden_size) -> (batch, hidden_size); one batch may be 1.

    Raises:
        TypeError: an argument of the wrong type; in the call, operands that are no Tensors, or of different dtypes.
        ValueError: a size below 1, another nonlinearity; in the call, shapes that do not fit.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> RNNCell(3, 4)(Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((2, 4), np.float32))).shape
    (2, 4)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: Any = mstype.float32,
    ) -> None:
        name = type(self).__name__
        _check.instance(name, "nonlinearity", nonlinearity, str)
        _check.choice(name, "nonlinearity", nonlinearity, ["tanh", "relu"])
        super().__init__(input_size, hidden_size, has_bias, nonlinearity, dtype)
        self.nonlinearity = nonlinearity

    def construct(self, x: Any, hx: Any) -> Any:
        """The next state."""
        return self._step(x, hx)[0]


class LSTMCell(_StepCell):
    """One step of `LSTM` (``mindspore.nn.LSTMCell``).

    Args, shapes and errors: as `RNNCell`, without `nonlinearity`; hx is a tuple (h, c), and so is the result.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> state = Tensor(np.ones((2, 4), np.float32))
    >>> h, c = LSTMCell(3, 4)(Tensor(np.ones((2, 3), np.float32)), (state, state))
    >>> h.shape, c.shape
    ((2, 4), (2, 4))
    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = mstype.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, "lstm", dtype)
        self.support_non_tensor_inputs = True

    def construct(self, x: Any, hx: Any) -> Any:
        """The next h and c."""
        return self._step(x, hx)


class GRUCell(_StepCell):
    """One step of `GRU` (``mindspore.nn.GRUCell``).

    Args, shapes and errors: as `RNNCell`, without `nonlinearity`.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> GRUCell(3, 4)(Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((2, 4), np.float32))).shape
    (2, 4)
    """

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: Any = mstype.float32) -> None:
        super().__init__(input_size, hidden_size, has_bias, "gru", dtype)

    def construct(self, x: Any, hx: Any) -> Any:
        """The next state."""
        return self._step(x, hx)[0]
