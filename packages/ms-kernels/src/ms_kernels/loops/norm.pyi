from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# axis >= 0; a 0-d array takes axis 0. The gradients take the result y.
def softmax(x: Array, axis: int) -> Array: ...
def log_softmax(x: Array, axis: int) -> Array: ...
def softmax_grad(g: Array, y: Array, axis: int) -> Array: ...
def log_softmax_grad(g: Array, y: Array, axis: int) -> Array: ...

# Over the last norm_dims dimensions. mean, rstd: those dimensions are 1. gamma, beta: their shape, or None.
# Statistics and gradients of parameters are float32 (float64 for float64 x). -> y, mean, rstd
def layer_norm(
    x: Array, gamma: Array | None, beta: Array | None, eps: float, norm_dims: int
) -> tuple[Array, Array, Array]: ...

# -> dx, dgamma, dbeta
def layer_norm_grad(
    dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array | None, norm_dims: int
) -> tuple[Array, Array, Array]: ...

# -> y, rstd
def rms_norm(x: Array, gamma: Array | None, eps: float, norm_dims: int) -> tuple[Array, Array]: ...

# -> dx, dgamma
def rms_norm_grad(dy: Array, x: Array, rstd: Array, gamma: Array | None, norm_dims: int) -> tuple[Array, Array]: ...

# x is (N, C, ...). -> y, mean of the batch, its biased variance, rstd
def batch_norm(x: Array, gamma: Array | None, beta: Array | None, eps: float) -> tuple[Array, Array, Array, Array]: ...
def batch_norm_infer(
    x: Array, gamma: Array | None, beta: Array | None, mean: Array, var: Array, eps: float
) -> Array: ...

# -> dx, dgamma, dbeta
def batch_norm_grad(
    dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array | None
) -> tuple[Array, Array, Array]: ...

# x is (N, C, ...), gamma and beta are (C,), mean and rstd (N, groups); instance norm has groups == C. -> y, mean, rstd
def group_norm(
    x: Array, groups: int, gamma: Array | None, beta: Array | None, eps: float
) -> tuple[Array, Array, Array]: ...

# -> dx, dgamma, dbeta
def group_norm_grad(
    dy: Array, x: Array, mean: Array, rstd: Array, gamma: Array | None, groups: int
) -> tuple[Array, Array, Array]: ...

# logits (N, C), labels (N,), weight (C,) or None; loss 0 where a label is ignore_index or outside [0, C).
# -> loss of every sample (times its weight), log of softmax
def cross_entropy(
    logits: Array, labels: Array, weight: Array | None, ignore_index: int, label_smoothing: float
) -> tuple[Array, Array]: ...

# g is (N,). -> gradient of the logits
def cross_entropy_grad(
    g: Array, logp: Array, labels: Array, weight: Array | None, ignore_index: int, label_smoothing: float
) -> Array: ...

# for tests: leaves out the loops of newer instruction sets
def use_baseline(on: bool) -> None: ...
