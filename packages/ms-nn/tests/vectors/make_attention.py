"""Records attention.json with MindSpore 2.6 itself: ``python make_attention.py`` in an environment that has it.

Each row: the expression that builds a layer, its repr, its parameters (name, shape, dtype, digest of the bytes, after
``set_seed(7)``), and the results of a call. The arguments are drawn in order from ``RandomState(3)``, by a text:
"f(2, 3)" standard normal, "b(2, 3)" bool, true for about a third, "u(2, 3)" the same as uint8, "o(2, 5)" bool, true
from the fourth or fifth on, "z(2, 5)" floats, some of them zero; anything else is the value itself. Parameters that
begin as zero are filled before the call, so that they count.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import nn, ops  # noqa: F401  (used by the expressions)

OPERANDS = ("query", "key", "value", "src", "tgt", "memory")
X, Y = "f(3, 2, 4)", "f(5, 2, 4)"
THREE = {"query": X, "key": Y, "value": Y}
LAYER, DECODER = "nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0", "nn.TransformerDecoderLayer(4, 2, 6, dropout=0.0"
PAIR = {"tgt": X, "memory": Y}
ENDS = {"src": Y, "tgt": X}
MASKS = {"src_mask": "f(5, 5)", "tgt_mask": "f(3, 3)", "memory_mask": "f(3, 5)", "src_key_padding_mask": "f(2, 5)"}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("nn.MultiheadAttention(4, 2)", THREE),
    ("nn.MultiheadAttention(4, 2)", THREE | {"need_weights": False}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"average_attn_weights": False}),
    ("nn.MultiheadAttention(4, 2, has_bias=False)", THREE | {"attn_mask": "b(3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"attn_mask": "f(3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"attn_mask": "u(3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"attn_mask": "f(4, 3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"key_padding_mask": "b(2, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"key_padding_mask": "f(2, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"key_padding_mask": "b(2, 5)", "attn_mask": "f(3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"key_padding_mask": "f(2, 5)", "attn_mask": "f(4, 3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"key_padding_mask": "b(2, 5)", "attn_mask": "o(3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", THREE | {"key_padding_mask": "z(2, 5)", "attn_mask": "o(4, 3, 5)"}),
    ("nn.MultiheadAttention(4, 2)", {"query": "f(3, 4)", "key": "f(5, 4)", "value": "f(5, 4)"}),
    (
        "nn.MultiheadAttention(4, 2)",
        {"query": "f(3, 4)", "key": "f(5, 4)", "value": "f(5, 4)", "key_padding_mask": "b(5,)"},
    ),
    (
        "nn.MultiheadAttention(4, 2, batch_first=True)",
        {"query": "f(2, 3, 4)", "key": "f(2, 5, 4)", "value": "f(2, 5, 4)", "key_padding_mask": "b(2, 5)"},
    ),
    ("nn.MultiheadAttention(4, 2, kdim=3, vdim=5)", {"query": X, "key": "f(5, 2, 3)", "value": "f(5, 2, 5)"}),
    ("nn.MultiheadAttention(4, 2, add_bias_kv=True)", THREE),
    ("nn.MultiheadAttention(4, 2, add_bias_kv=True)", THREE | {"attn_mask": "f(3, 5)"}),
    ("nn.MultiheadAttention(4, 2, add_zero_attn=True)", THREE | {"key_padding_mask": "b(2, 5)"}),
    (
        "nn.MultiheadAttention(4, 4, add_bias_kv=True, add_zero_attn=True, kdim=4, vdim=3)",
        {"query": X, "key": Y, "value": "f(5, 2, 3)"},
    ),
    (LAYER + ")", {"src": X}),
    (LAYER + ")", {"src": "f(3, 4)"}),
    (LAYER + ", activation='gelu')", {"src": X, "src_mask": "f(3, 3)", "src_key_padding_mask": "f(2, 3)"}),
    (LAYER + ", activation=ops.relu, layer_norm_eps=0.1)", {"src": X}),
    (LAYER + ", activation=ops.gelu)", {"src": X}),
    (LAYER + ", norm_first=True, batch_first=True)", {"src": X, "src_key_padding_mask": "b(3, 2)"}),
    (DECODER + ")", PAIR),
    (DECODER + ", norm_first=True, activation='gelu')", PAIR | {"tgt_mask": "f(3, 3)", "memory_mask": "f(3, 5)"}),
    (DECODER + ")", PAIR | {"tgt_key_padding_mask": "f(2, 3)", "memory_key_padding_mask": "b(2, 5)"}),
    ("nn.TransformerEncoder(" + LAYER + ", norm_first=True), 2)", {"src": X, "src_mask": "f(3, 3)"}),
    ("nn.TransformerEncoder(" + LAYER + "), 2, nn.LayerNorm((4,)))", {"src": X, "src_key_padding_mask": "f(2, 3)"}),
    ("nn.TransformerDecoder(" + DECODER + ", activation='gelu'), 2)", PAIR | {"memory_mask": "f(3, 5)"}),
    ("nn.TransformerDecoder(" + DECODER + "), 2, nn.LayerNorm((4,)))", PAIR | {"tgt_key_padding_mask": "f(2, 3)"}),
    ("nn.Transformer(4, 2, 2, 1, 6, dropout=0.0)", ENDS),
    ("nn.Transformer(4, 2, 1, 2, 6, norm_first=True, activation='gelu')", ENDS | MASKS),
    ("nn.Transformer(4, 2, 1, 1, 6, batch_first=True)", {"src": "f(2, 5, 4)", "tgt": "f(2, 3, 4)"}),
    ("nn.Transformer(4, 2, 1, 1, 6, custom_encoder=nn.TransformerEncoder(" + LAYER + "), 1))", ENDS),
]


def draw(text: Any, rng: np.random.RandomState) -> Any:
    """The argument that the text describes."""
    if not isinstance(text, str):
        return text
    shape = eval(text[1:])
    if text[0] == "f":
        return rng.standard_normal(shape).astype(np.float32)
    if text[0] == "o":
        return np.arange(shape[-1]) >= rng.randint(3, 5, (*shape[:-1], 1))
    if text[0] == "z":
        return np.array([0.0, 0.0, 1.5, -2.0, 0.0], np.float32) * np.ones(shape, np.float32)
    return (rng.standard_normal(shape) > 0.5).astype({"b": np.bool_, "u": np.uint8}[text[0]])


def main(path: Path) -> None:
    rows = []
    for expr, call in CASES:
        ms.set_seed(7)
        net = eval(expr)
        row: dict[str, Any] = {"expr": expr, "call": call, "repr": repr(net), "parameters": []}
        for param in net.get_parameters():
            array = np.ascontiguousarray(param.asnumpy())
            digest = hashlib.sha256(array.tobytes()).hexdigest()[:16]
            row["parameters"].append([param.name, list(param.shape), str(param.dtype), digest])
            if not array.any():
                param.set_data(ms.Tensor(np.linspace(-1, 1, array.size, dtype=np.float32).reshape(array.shape)))
        rng = np.random.RandomState(3)
        drawn = {name: draw(text, rng) for name, text in call.items()}
        given = {name: ms.Tensor(v) if isinstance(v, np.ndarray) else v for name, v in drawn.items()}
        operands = [given.pop(name) for name in list(given) if name in OPERANDS]  # 2.6 wants them by position
        net.set_train(False)
        found = net(*operands, **given)
        row["tuple"] = isinstance(found, tuple)
        row["outputs"] = [
            {
                "shape": list(out.shape),
                "dtype": str(out.dtype),
                "data": [float(f"{v:.8g}") for v in out.asnumpy().ravel()],
            }
            for out in (found if isinstance(found, tuple) else (found,))
        ]
        rows.append(row)
    lines = ",\n".join(json.dumps(row) for row in rows)
    path.write_text(f'{{"mindspore": "{ms.__version__}", "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("attention.json"))
