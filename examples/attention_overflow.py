"""A block of linear attention with float16 activations and float32 sums: right on a CPU, wrong on an Ascend 910A.

`python -m ms_common drift examples/attention_overflow.py --profile ascend910 -o report.html` says where and why: the
sum over all tokens is larger than 65504, and the cube of a 910A takes float32 operands as float16.
"""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class LinearAttention(nn.Cell):
    """Attention whose cost is linear in the tokens: keys and values are summed up before the queries see them."""

    def __init__(self, width):
        super().__init__()
        self.query = nn.Dense(width, width, has_bias=False, dtype=ms.float16)
        self.key = nn.Dense(width, width, has_bias=False, dtype=ms.float16)
        self.value = nn.Dense(width, width, has_bias=False, dtype=ms.float16)
        self.feature = nn.ReLU()

    def construct(self, x):
        q = (self.feature(self.query(x)) + 1).astype(ms.float32)
        k = (self.feature(self.key(x)) + 1).astype(ms.float32)
        v = self.value(x).astype(ms.float32)
        state = ops.matmul(k.swapaxes(-1, -2), v)  # (width, width): a sum over all tokens
        total = k.sum(-2, keepdims=True)
        found = ops.matmul(q, state) / (q * total).sum(-1, keepdims=True)
        return found.astype(ms.float16)


class Block(nn.Cell):
    """Attention with a residual connection, and a head that gives one number."""

    def __init__(self, width):
        super().__init__()
        self.attention = LinearAttention(width)
        self.head = nn.Dense(width, 1, dtype=ms.float16)

    def construct(self, x):
        return self.head(x + self.attention(x)).mean()


def main():
    ms.set_seed(7)
    rng = np.random.default_rng(7)
    width, tokens = 32, 512
    tokens = Tensor((rng.standard_normal((1, tokens, width)) * 4 + 9).astype(np.float16))
    block = Block(width)
    print("output:", block(tokens))


if __name__ == "__main__":
    main()
