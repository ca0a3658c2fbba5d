"""Layers and losses of ``mindspore.mint.nn``; those that are the same as in ``mindspore.nn`` are those."""

from __future__ import annotations

from ms_nn.cell import Cell
from ms_nn.layers import linear as _linear
from ms_nn.layers import padding as _padding
from ms_nn.layers.activation import HShrink as Hardshrink
from ms_nn.layers.activation import HSigmoid as Hardsigmoid
from ms_nn.layers.activation import HSwish as Hardswish
from ms_nn.layers.activation import ReLU
from ms_nn.layers.activation import SoftShrink as Softshrink
from ms_nn.layers.adaptive_pool import AdaptiveMaxPool2d
from ms_nn.layers.linear import Identity
from ms_nn.loss import classification as _classification
from ms_nn.loss import regression as _regression
from ms_nn.loss.margin import SoftMarginLoss
from ms_nn.mint._activation import (
    ELU,
    GELU,
    GLU,
    SELU,
    Hardtanh,
    LogSigmoid,
    LogSoftmaxExt,
    Mish,
    PReLUExt,
    ReLU6,
    Sigmoid,
    SiLU,
    SoftmaxExt,
    Tanh,
    Threshold,
)
from ms_nn.mint._conv import Conv1d, Conv2d, Conv3d, ConvTranspose2d
from ms_nn.mint._images import (
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    Fold,
    MaxUnpool2d,
    PixelShuffle,
    UnfoldExt,
    UpsampleExt,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
)
from ms_nn.mint._layers import Dropout2d, DropoutExt, EmbeddingExt, Linear
from ms_nn.mint._loss import BCELoss, BCEWithLogitsLoss, KLDivLoss, L1LossExt, SmoothL1Loss
from ms_nn.mint._names import taking_input, taking_input_and_target
from ms_nn.mint._norm import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, LayerNormExt, SyncBatchNorm
from ms_nn.mint._pool import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AvgPool1dExt,
    AvgPool2dExt,
    AvgPool3dExt,
    MaxPool2dExt,
    ZeroPad1d,
    ZeroPad3d,
)

AvgPool1d = AvgPool1dExt
AvgPool2d = AvgPool2dExt
AvgPool3d = AvgPool3dExt
Dropout = DropoutExt
Embedding = EmbeddingExt
L1Loss = L1LossExt
LayerNorm = LayerNormExt
LogSoftmax = LogSoftmaxExt
MaxPool2d = MaxPool2dExt
PReLU = PReLUExt
Softmax = SoftmaxExt
Unfold = UnfoldExt
Upsample = UpsampleExt

Flatten = taking_input(_linear.Flatten)
CrossEntropyLoss = taking_input_and_target(_classification.CrossEntropyLoss)
MSELoss = taking_input_and_target(_regression.MSELoss)
NLLLoss = taking_input_and_target(_classification.NLLLoss)

ConstantPad1d = taking_input(_padding.ConstantPad1d)
ConstantPad2d = taking_input(_padding.ConstantPad2d)
ConstantPad3d = taking_input(_padding.ConstantPad3d)
ReflectionPad1d = taking_input(_padding.ReflectionPad1d)
ReflectionPad2d = taking_input(_padding.ReflectionPad2d)
ReflectionPad3d = taking_input(_padding.ReflectionPad3d)
ReplicationPad1d = taking_input(_padding.ReplicationPad1d)
ReplicationPad2d = taking_input(_padding.ReplicationPad2d)
ReplicationPad3d = taking_input(_padding.ReplicationPad3d)
ZeroPad2d = taking_input(_padding.ZeroPad2d)

__all__ = [
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "MaxUnpool2d",
    "AdaptiveAvgPool3d",
    "AvgPool3d",
    "AdaptiveMaxPool1d",
    "SyncBatchNorm",
    "ConvTranspose2d",
    "Upsample",
    "Unfold",
    "Fold",
    "PixelShuffle",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Cell",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout2d",
    "ELU",
    "Embedding",
    "Flatten",
    "GELU",
    "GLU",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool2d",
    "Mish",
    "NLLLoss",
    "PReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SELU",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softshrink",
    "Tanh",
    "Threshold",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]
