"""The Transformer and its parts: encoder and decoder, and a layer of each."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import ms_dtype as mstype
from ms_initializer import XavierUniform, initializer
from ms_kernels import Tensor
from ms_kernels import functional as F
from ms_nn.cell import Cell
from ms_nn.containers import CellList
from ms_nn.layers.activation import GELU, ReLU
from ms_nn.layers.attention import MultiheadAttention
from ms_nn.layers.dropout import Dropout
from ms_nn.layers.linear import Dense
from ms_nn.layers.norm import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def _activation(given: Any) -> Callable[[Any], Any]:
    """The function to call between the two dense layers; cells are refused, as in 2.6."""
    if isinstance(given, str):
        if given not in ("relu", "gelu"):
            raise ValueError(f"The activation must be relu/gelu, but get {given}")
        given = F.relu if given == "relu" else F.gelu
    if isinstance(given, Cell) and not isinstance(given, (ReLU, GELU)):
        raise ValueError(f"The argument 'activation' must be nn.ReLU or nn.GELU instance, but get {given}.")
    if not callable(given):
        raise ValueError(f"The argument 'activation' must be str, callable or Cell instance, but get {given}.")
    if given is not F.relu and given is not F.gelu:
        raise ValueError(f"The argument 'activation' must be ops.relu or ops.gelu instance, but get {given}.")
    return given  # type: ignore[no-any-return]


class _Layer(Cell):
    """What both layers share: attention over the sequence itself, the two dense layers, and how they are built."""

    _attentions: tuple[str, ...] = ("self_attn",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        function = _activation(activation)
        # An encoder or decoder makes its own layers out of these.
        self._arguments = (
            *(d_model, nhead, dim_feedforward, dropout, activation),
            *(layer_norm_eps, batch_first, norm_first, dtype),
        )
        self.d_model, self.nhead, self.batch_first, self.norm_first = d_model, nhead, batch_first, norm_first
        for name in self._attentions:
            made = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
            setattr(self, name, made)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        numbers = range(1, len(self._attentions) + 2)
        for number in numbers:
            setattr(self, f"norm{number}", LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for number in numbers:
            setattr(self, f"dropout{number}", Dropout(p=dropout))
        self.activation = function

    def _step(self, number: int, x: Any, branch: Callable[[Any], Any]) -> Any:
        """x + branch(x), normalized before or after, with the norm and the dropout of that number."""
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + dropout(branch(norm(x)))
        return norm(x + dropout(branch(x)))

    def _forward(self, x: Any) -> Any:
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then two dense layers (``mindspore.nn.TransformerEncoderLayer``).

    Each of the two is added to its input and normalized: norm(x + f(x)), or x + f(norm(x)) with `norm_first`.
    Vaswani et al., "Attention Is All You Need" (2017), section 3.1.

    Args:
        d_model: number of features, a multiple of `nhead`.
        nhead: number of heads.
        dim_feedforward: size between the two dense layers.
        dropout: probability of every dropout.
        activation: "relu" or "gelu", or the function ops.relu or ops.gelu itself.
        layer_norm_eps: epsilon of the normalizations.
        batch_first: the batch is the first dimension, not the second.
        norm_first: normalize before, not after.
        dtype: of the parameters.

    Shapes: src (S, N, d_model), (N, S, d_model) if `batch_first`, or (S, d_model); src_mask (S, S) or
    (N * nhead, S, S); src_key_padding_mask (N, S). The result is shaped like src.

    Raises:
        ValueError: an activation or dropout that is not possible, or what MultiheadAttention raises.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> TransformerEncoderLayer(4, 2, 8)(Tensor(np.ones((3, 2, 4), np.float32))).shape
    (3, 2, 4)
    """

    def construct(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
        """The layer's result."""
        x = self._step(1, src, lambda x: self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0])
        return self._step(2, x, self._forward)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, to the encoder's result, and two dense layers
    (``mindspore.nn.TransformerDecoderLayer``).

    Arguments and errors are those of TransformerEncoderLayer. Shapes: tgt (T, N, d_model), memory (S, N, d_model);
    tgt_mask (T, T), memory_mask (T, S), tgt_key_padding_mask (N, T), memory_key_padding_mask (N, S).

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> x, memory = Tensor(np.ones((3, 2, 4), np.float32)), Tensor(np.ones((5, 2, 4), np.float32))
    >>> TransformerDecoderLayer(4, 2, 8)(x, memory).shape
    (3, 2, 4)
    """

    _attentions = ("self_attn", "multihead_attn")

    def construct(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        """The layer's result."""
        x = self._step(1, tgt, lambda x: self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0])
        x = self._step(
            2, x, lambda x: self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)[0]
        )
        return self._step(3, x, self._forward)


def _stack(layer: _Layer, num_layers: int) -> CellList:
    """Equal layers, built anew: 2.6 takes the arguments of the given layer, not its weights."""
    first = type(layer)(*layer._arguments)
    return CellList([copy.deepcopy(first) for _ in range(num_layers)])


class TransformerEncoder(Cell):
    """Encoder layers one after the other (``mindspore.nn.TransformerEncoder``).

    Args:
        encoder_layer: a TransformerEncoderLayer that tells how to build them; all begin with the same, new weights.
        num_layers: how many.
        norm: a cell for the last result, or None.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> net = TransformerEncoder(TransformerEncoderLayer(4, 2, 8), 2)
    >>> net(Tensor(np.ones((3, 2, 4), np.float32))).shape
    (3, 2, 4)
    """

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = _stack(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def construct(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None) -> Any:
        """The encoder's result."""
        for layer in self.layers:
            src = layer(src, src_mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """Decoder layers one after the other (``mindspore.nn.TransformerDecoder``).

    Args:
        decoder_layer: a TransformerDecoderLayer that tells how to build them; all begin with the same, new weights.
        num_layers: how many.
        norm: a cell for the last result, or None.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> net = TransformerDecoder(TransformerDecoderLayer(4, 2, 8), 2)
    >>> x = Tensor(np.ones((3, 2, 4), np.float32))
    >>> net(x, x).shape
    (3, 2, 4)
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = _stack(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        """The decoder's result."""
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder (``mindspore.nn.Transformer``); all matrices begin as XavierUniform.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype: as in
            TransformerEncoderLayer.
        num_encoder_layers, num_decoder_layers: how many layers.
        custom_encoder, custom_decoder: cells to use instead of the built ones.

    Shapes: src (S, N, d_model), tgt (T, N, d_model) -> (T, N, d_model); masks as in the layers.

    Raises:
        ValueError: (in the call) the batches of src and tgt differ, or the features are not d_model.

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> src, tgt = Tensor(np.ones((5, 2, 4), np.float32)), Tensor(np.ones((3, 2, 4), np.float32))
    >>> Transformer(4, 2, 1, 1, 8)(src, tgt).shape
    (3, 2, 4)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        arguments = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype)
        if custom_encoder is None:
            encoder_layer = TransformerEncoderLayer(d_model, nhead, *arguments)
            norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
            custom_encoder = TransformerEncoder(encoder_layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer = TransformerDecoderLayer(d_model, nhead, *arguments)
            norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        for param in self.get_parameters():
            if param.ndim > 1:
                param.set_data(initializer(XavierUniform(), param.shape, param.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
    ) -> Any:
        """The decoder's result for tgt and the encoded src."""
        batch = 0 if self.batch_first else 1
        if src.ndim == 3 and tgt.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise ValueError("The number of batch size for 'src' and 'tgt' must be equal.")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError("The number of features for 'src' and 'tgt' must be equal to `d_model`.")
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks)
