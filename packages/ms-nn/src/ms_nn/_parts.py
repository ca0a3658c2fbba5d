"""What 2.6's layers and optimizers hold as attributes, mostly primitives, for subclasses whose `construct` uses them.

Ours do not need them, so they are only made when they are asked for: `Cell.__getattr__` comes here last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ms_kernels import functional as F

__all__ = ["part"]

Maker = Callable[[Any], Any]


def _conv(name: str) -> Maker:
    def make(cell: Any) -> Any:
        how = {"pad_mode": cell.pad_mode, "pad": cell.padding, "stride": cell.stride, "dilation": cell.dilation}
        channels = cell.in_channels if name == "Conv2DTranspose" else cell.out_channels
        return getattr(F, name)(channels, cell.kernel_size, **how, group=cell.group)

    return make


def _plain(name: str, **settings: Any) -> Maker:
    return lambda _cell: getattr(F, name)(**settings)


def _norm(cell: Any) -> Any:
    return F.LayerNorm(cell.begin_norm_axis, cell.begin_params_axis, cell.epsilon)


_LOSS = {"reduce_mean": _plain("ReduceMean"), "reduce_sum": _plain("ReduceSum"), "mul": _plain("Mul")}
_SHAPES = {"shape": _plain("Shape"), "reshape": _plain("Reshape")}

_OPTIMIZER: Mapping[str, Maker] = {
    "_parameters": lambda cell: cell.parameters,
    "_is_dynamic_lr_or_weight_decay": lambda cell: lambda: cell.dynamic_lr or cell.dynamic_weight_decay,
    "_grad_sparse_indices_deduplicate": lambda _cell: lambda gradients: gradients,
    "optim_filter": lambda cell: (True,) * cell.param_length,
    "use_parallel": lambda _cell: False,
    "hyper_map": _plain("HyperMap"),
    "map_": _plain("Map"),
}

# by the name of the layer's class: attribute -> what makes it out of the layer
_TABLE: Mapping[str, Mapping[str, Maker]] = {
    "Cell": {"cast": _plain("Cast")},
    "Conv2d": {"conv2d": _conv("Conv2D"), "bias_add": _plain("BiasAdd")},
    "Conv3d": {"conv3d": _conv("Conv3D"), "bias_add": _plain("BiasAdd", data_format="NCDHW"), "shape": _plain("Shape")},
    "Conv2dTranspose": {
        "conv2d_transpose": _conv("Conv2DTranspose"),
        "bias_add": _plain("BiasAdd"),
        "shape": _plain("Shape"),
    },
    "Dense": {
        "matmul": _plain("MatMul", transpose_b=True),
        "bias_add": _plain("BiasAdd"),
        "reshape": _plain("Reshape"),
        "shape_op": _plain("Shape"),
    },
    "_BatchNorm": {
        **_SHAPES,
        "bn_train": lambda cell: F.BatchNorm(True, cell.eps, 1 - cell.momentum),
        "bn_infer": lambda cell: F.BatchNorm(False, cell.eps),
    },
    "LayerNorm": {"layer_norm": _norm},
    "Embedding": {
        "gather": _plain("Gather"),
        "one_hot": _plain("OneHot"),
        "expand": _plain("ExpandDims"),
        "reshape": _plain("Reshape"),
        "array_mul": _plain("MatMul"),
    },
    "ReLU": {"relu": _plain("ReLU")},
    "ReLU6": {"relu6": _plain("ReLU6")},
    "PReLU": {"prelu": _plain("PReLU")},
    "Sigmoid": {"sigmoid": _plain("Sigmoid")},
    "Tanh": {"tanh": _plain("Tanh")},
    "HSwish": {"hswish": _plain("HSwish")},
    "HSigmoid": {"hsigmoid": _plain("HSigmoid")},
    "Softmax": {"softmax": lambda cell: F.Softmax(cell.axis)},
    "LossBase": _LOSS,
    "Optimizer": _OPTIMIZER,
    "AdaptiveAvgPool2d": {"adaptive_avgpool2d": lambda cell: F.AdaptiveAvgPool2D(cell.output_size)},
}


def part(cell: Any, name: str) -> Any:
    """Make what 2.6's class of that name, or a base of it, holds as this attribute; None without one."""
    for kind in type(cell).__mro__:
        if kind.__module__.startswith("ms_nn."):
            maker = _TABLE.get(kind.__name__, {}).get(name)
            if maker is not None:
                return maker(cell)
    return None
