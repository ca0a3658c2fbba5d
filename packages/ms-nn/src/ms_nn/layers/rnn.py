"""Recurrent layers over whole sequences: RNN, LSTM, GRU."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels import Parameter, ParameterTuple, Tensor
from ms_kernels import functional as F
from ms_kernels.opdef.errors import describe, fail, operand
from ms_kernels.ops.recurrent import GATES, recurrent_scan
from ms_nn import _check
from ms_nn.cell import Cell
from ms_nn.layers.dropout import Dropout

__all__ = ["GRU", "LSTM", "RNN", "as_dtype", "check_hx"]

_LOG = logging.getLogger("ms_nn.layers")


def as_dtype(value: Any, dtype: Any) -> Any:
    """A tensor in a dtype; None stays None."""
    return value if value is None or value.dtype == dtype else value.astype(dtype)


def check_hx(name: str, given: Any, pair: bool, like: Any) -> tuple[Any, ...]:
    """The initial states as a tuple: of one Tensor, or of an LSTM's two; all of the dtype of `like`.

    Raises:
        TypeError: something else was given.
    """
    if pair and not isinstance(given, tuple):
        fail(TypeError, name, "'hx'", "be a tuple of two Tensors", describe(given))
    if pair and len(given) != 2:
        fail(TypeError, name, "length of 'hx'", "be 2", str(len(given)))
    states = given if pair else (given,)
    for place, state in enumerate(states):
        arg = f"hx[{place}]" if pair else "hx"
        if not isinstance(state, Tensor):
            operand(name, arg, state)
        if state.dtype != like.dtype:
            fail(TypeError, name, f"type of '{arg}'", f"be that of 'x', {like.dtype}", str(state.dtype))
    return states


class _Layer(Cell):
    """One layer in one direction."""

    kind: str

    def construct(
        self,
        x: Any,
        h: Any,
        seq_length: Any,
        w_ih: Any,
        w_hh: Any,
        b_ih: Any,
        b_hh: Any,
        reverse: bool = False,
    ) -> Any:
        """The outputs (T, B, H), and the last state in a tuple, from the state `h`, a tuple."""
        dtype = x.dtype
        w_ih, w_hh, b_ih, b_hh = (as_dtype(p, dtype) for p in (w_ih, w_hh, b_ih, b_hh))
        if self.kind == "gru":  # one of its gates needs the recurrent part with its own bias
            products = F.dense(x, w_ih, b_ih)
        else:
            products = F.dense(x, w_ih)
            b_hh = None if b_ih is None else b_ih + b_hh
        state = h[1] if self.kind == "lstm" else None
        y, last, cells, _ = recurrent_scan(products, h[0], state, w_hh, b_hh, seq_length, self.kind, reverse)
        return y, ((last,) if state is None else (last, cells))


class _DynamicRNNTanh(_Layer):
    kind = "tanh"


class _DynamicRNNRelu(_Layer):
    kind = "relu"


class _DynamicLSTMCPUGPU(_Layer):
    kind = "lstm"


class _DynamicGRUCPUGPU(_Layer):
    kind = "gru"


_MODES: dict[str, type[_Layer]] = {
    "RNN_TANH": _DynamicRNNTanh,
    "RNN_RELU": _DynamicRNNRelu,
    "LSTM": _DynamicLSTMCPUGPU,
    "GRU": _DynamicGRUCPUGPU,
}


class _RNNBase(Cell):
    """The layers of a recurrent network, one after the other, each in one or two directions."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        _check.integer(name, "input_size", input_size)
        self.hidden_size = _check.integer(name, "hidden_size", hidden_size)
        self.num_layers = _check.integer(name, "num_layers", num_layers)
        self.has_bias = _check.boolean(name, "has_bias", has_bias)
        self.batch_first = _check.boolean(name, "batch_first", batch_first)
        self.bidirectional = _check.boolean(name, "bidirectional", bidirectional)
        if not isinstance(dropout, float):
            fail(TypeError, name, "type of 'dropout'", "be 'float'", f"'{type(dropout).__name__}'")
        self.dropout = _check.within(name, "dropout", dropout, 0, 1, "[)")
        if dropout > 0 and num_layers == 1:
            _LOG.warning("dropout is between layers: dropout=%s has no effect with num_layers=1", dropout)
        self.is_lstm = mode == "LSTM"
        self.rnn = _MODES[mode]()
        self.dropout_op = Dropout(p=self.dropout)
        self._make_parameters(input_size, GATES[self.rnn.kind] * hidden_size, dtype)

    def _make_parameters(self, input_size: int, gates: int, dtype: Any) -> None:
        """Uniform in +-1/sqrt(hidden_size), from NumPy's global generator, as 2.6 draws them."""
        size, bound = self.hidden_size, 1 / math.sqrt(self.hidden_size)
        ways = ("", "_reverse") if self.bidirectional else ("",)
        made: dict[str, list[Parameter]] = {"weight_ih": [], "weight_hh": [], "bias_ih": [], "bias_hh": []}
        for layer in range(self.num_layers):
            width = len(ways) * size if layer else input_size
            shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, width), "weight_hh": (gates, size)}
            if self.has_bias:
                shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
            for way in ways:
                for kind, shape in shapes.items():
                    values = np.random.uniform(-bound, bound, shape).astype(np.float32)
                    made[kind].append(Parameter(Tensor(values, dtype), name=f"{kind}_l{layer}{way}"))
        self.w_ih_list, self.w_hh_list = ParameterTuple(made["weight_ih"]), ParameterTuple(made["weight_hh"])
        self.b_ih_list, self.b_hh_list = ParameterTuple(made["bias_ih"]), ParameterTuple(made["bias_hh"])

    def construct(self, x: Any, hx: Any = None, seq_length: Any = None) -> Any:
        """The outputs of the last layer, and the last states of all layers."""
        name = type(self).__name__
        states = self._check(name, x, hx, seq_length)
        if self.batch_first:
            x = x.swapaxes(0, 1)
        ways = 2 if self.bidirectional else 1
        last: list[tuple[Any, ...]] = []
        for layer in range(self.num_layers):
            if layer and self.dropout > 0:
                x = self.dropout_op(x)
            outs = []
            for way in range(ways):
                at = layer * ways + way
                biases = (self.b_ih_list[at], self.b_hh_list[at]) if self.has_bias else (None, None)
                start = tuple(state[at] for state in states)
                y, end = self.rnn(x, start, seq_length, self.w_ih_list[at], self.w_hh_list[at], *biases, way == 1)
                outs.append(y)
                last.append(end)
            x = outs[0] if ways == 1 else F.concat(outs, 2)
        ends = tuple(F.stack(list(parts)) for parts in zip(*last))
        return x.swapaxes(0, 1) if self.batch_first else x, ends if self.is_lstm else ends[0]

    def _check(self, name: str, x: Any, hx: Any, seq_length: Any) -> tuple[Any, ...]:
        """Check the operands; return the initial states."""
        if not isinstance(x, Tensor):
            operand(name, "x", x)
        if x.dtype.kind != "f":
            fail(TypeError, name, "dtype of 'x'", "be a float type", str(x.dtype))
        inputs = self.w_ih_list[0].shape[1]
        if x.ndim != 3 or x.shape[2] != inputs:
            order = "(batch, steps" if self.batch_first else "(steps, batch"
            fail(ValueError, name, "shape of 'x'", f"be {order}, {inputs})", str(tuple(x.shape)))
        steps, batch = (x.shape[1], x.shape[0]) if self.batch_first else x.shape[:2]
        if seq_length is not None:
            self._check_lengths(name, seq_length, steps, batch)
        wanted = (self.num_layers * (2 if self.bidirectional else 1), batch, self.hidden_size)
        if hx is None:
            return (F.zeros(wanted, x.dtype),) * (2 if self.is_lstm else 1)
        states = check_hx(name, hx, self.is_lstm, x)
        for state in states:
            if tuple(state.shape) != wanted:
                fail(ValueError, name, "shape of 'hx'", f"be {wanted}", str(tuple(state.shape)))
        return states

    def _check_lengths(self, name: str, lengths: Any, steps: int, batch: int) -> None:
        if not isinstance(lengths, Tensor):
            operand(name, "seq_length", lengths)
        if lengths.dtype not in (mstype.int32, mstype.int64):
            fail(TypeError, name, "dtype of 'seq_length'", "be Int32 or Int64", str(lengths.dtype))
        if tuple(lengths.shape) != (batch,):
            fail(ValueError, name, "shape of 'seq_length'", f"be {(batch,)}", str(tuple(lengths.shape)))
        found = lengths.asnumpy()
        if self.bidirectional and found.size and (found.min() < 0 or found.max() > steps):
            fail(RuntimeError, name, "'seq_length'", f"be in [0, {steps}]", f"{found.min()} to {found.max()}")


class RNN(_RNNBase):
    """h = f(W_ih x + b_ih + W_hh h + b_hh) over a sequence (``mindspore.nn.RNN``).

    Elman, Finding Structure in Time.

    Args:
        input_size: size of the inputs.
        hidden_size: size of the state.
        num_layers: layers, each taking the outputs of the one before.
        nonlinearity: f, 'tanh' (the default) or 'relu'; by keyword only.
        has_bias: there are biases.
        batch_first: the batch is the first dimension of inputs and outputs, not the second.
        dropout: (a float) probability that an output between two layers is dropped in training.
        bidirectional: each layer goes in both directions, and gives both outputs, one after the other.
        dtype: of the parameters, which are cast to that of the inputs.

    Shapes: x (steps, batch, input_size); hx (layers * directions, batch, hidden_size), zeros by default; seq_length
    (batch), ints: the steps that count, the outputs after them are 0. Result: outputs (steps, batch, directions *
    hidden_size), last states like hx.

    Raises:
        TypeError, ValueError: arguments of the wrong type or value; in the call, operands that do not fit.
        RuntimeError: (in the call) a seq_length beyond the steps, where both directions are taken.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> output, last = RNN(3, 4)(Tensor(np.ones((5, 2, 3), np.float32)))
    >>> output.shape, last.shape
    ((5, 2, 4), (1, 2, 4))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        nonlinearity = _check.choice("RNN", "nonlinearity", kwargs.pop("nonlinearity", "tanh"), ["tanh", "relu"])
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)


class LSTM(_RNNBase):
    """Long short-term memory over a sequence (``mindspore.nn.LSTM``).

    i, f, g, o = W_ih x + b_ih + W_hh h + b_hh; c = sigmoid(f) c + sigmoid(i) tanh(g); h = sigmoid(o) tanh(c).
    Hochreiter and Schmidhuber, Long Short-Term Memory.

    Args, shapes and errors: as `RNN`, without `nonlinearity`; hx and the last states are tuples (h, c).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> output, (h, c) = LSTM(3, 4, num_layers=2, bidirectional=True)(Tensor(np.ones((5, 2, 3), np.float32)))
    >>> output.shape, h.shape, c.shape
    ((5, 2, 8), (4, 2, 4), (4, 2, 4))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)


class GRU(_RNNBase):
    """Gated recurrent units over a sequence (``mindspore.nn.GRU``).

    r, z: sigmoids of their parts of W_ih x + b_ih + W_hh h + b_hh; n = tanh(W_in x + b_in + r (W_hn h + b_hn));
    h = (1 - z) n + z h. Cho et al., Learning Phrase Representations using RNN Encoder-Decoder.

    Args, shapes and errors: as `RNN`, without `nonlinearity`.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> output, last = GRU(3, 4, batch_first=True)(Tensor(np.ones((2, 5, 3), np.float32)))
    >>> output.shape, last.shape
    ((2, 5, 4), (1, 2, 4))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", *args, **kwargs)
