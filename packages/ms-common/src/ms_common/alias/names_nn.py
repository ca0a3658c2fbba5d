"""Public names of MindSpore 2.6's mindspore.nn by submodule: users import from these, too."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["NN"]

_NAMES = {
    "layer.activation": """
        CELU ELU FastGelu GELU get_activation GLU Hardtanh HShrink HSigmoid HSwish LeakyReLU LogSigmoid LogSoftmax LRN
        Mish PReLU ReLU ReLU6 RReLU SeLU Sigmoid SiLU Softmax Softmax2d Softmin SoftShrink Softsign Tanh Tanhshrink
        Threshold
    """,
    "layer.basic": """
        ClipByNorm Dense Dropout Dropout1d Dropout2d Dropout3d Flatten Identity L1Regularizer Linear MatrixDiag
        MatrixDiagPart MatrixSetDiag Norm OneHot Pad Roll Tril Triu Unflatten Unfold Upsample
    """,
    "layer.container": "CellDict CellList SequentialCell",
    "layer.combined": "Conv2dBnAct DenseBnAct",
    "layer.conv": "Conv1d Conv1dTranspose Conv2d Conv2dTranspose Conv3d Conv3dTranspose",
    "layer.embedding": "Embedding EmbeddingLookup MultiFieldEmbeddingLookup",
    "layer.channel_shuffle": "ChannelShuffle",
    "layer.dense": "BiDense",
    "layer.image": "CentralCrop ImageGradients MSSSIM PixelShuffle PixelUnshuffle PSNR SSIM",
    "layer.math": "DiGamma IGamma LBeta LGamma MatDet MatInverse MatMul Moments Range ReduceLogSumExp",
    "layer.timedistributed": "TimeDistributed",
    "layer.transformer": """
        MultiheadAttention Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
        TransformerEncoderLayer
    """,
    "layer.normalization": """
        BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm
        SyncBatchNorm
    """,
    "layer.padding": """
        ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d
        ReplicationPad2d ReplicationPad3d ZeroPad2d
    """,
    "layer.pooling": """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d
        AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d LPPool1d LPPool2d MaxPool1d MaxPool2d
        MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d
    """,
    "layer.rnns": "GRU LSTM RNN",
    "layer.rnn_cells": "GRUCell LSTMCell RNNCell",
    "loss": """
        BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss CTCLoss DiceLoss FocalLoss GaussianNLLLoss
        HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss LossBase MAELoss MarginRankingLoss MSELoss MultiClassDiceLoss
        MultilabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PoissonNLLLoss RMSELoss
        SampledSoftmaxLoss SmoothL1Loss SoftMarginLoss SoftmaxCrossEntropyWithLogits TripletMarginLoss
        TripletMarginWithDistanceLoss
    """,
    "optim": """
        Adadelta AdaFactor Adagrad Adam AdaMax AdamOffload AdamWeightDecay ASGD FTRL Lamb LARS LazyAdam Momentum
        Optimizer ProximalAdagrad RMSProp Rprop SGD
    """,
    "learning_rate_schedule": """
        CosineDecayLR ExponentialDecayLR InverseDecayLR LearningRateSchedule NaturalExpDecayLR PolynomialDecayLR
        WarmUpLR
    """,
    "dynamic_lr": """
        cosine_decay_lr exponential_decay_lr inverse_decay_lr natural_exp_decay_lr piecewise_constant_lr
        polynomial_decay_lr warmup_lr
    """,
    "wrap": """
        DistributedGradReducer DynamicLossScaleUpdateCell FixedLossScaleUpdateCell ForwardValueAndGrad GetNextSingleOp
        GradAccumulationCell MicroBatchInterleaved ParameterUpdate PipelineCell PipelineGradReducer TimeDistributed
        TrainOneStepCell TrainOneStepWithLossScaleCell VirtualDatasetCellTriple WithEvalCell WithGradCell WithLossCell
    """,
    "optim.optimizer": "Optimizer opt_init_args_register",
    "optim.adam": "Adam AdamOffload AdamWeightDecay",
    "optim.adafactor": "AdaFactor",
    "optim.asgd": "ASGD",
    "optim.ftrl": "FTRL",
    "optim.lars": "LARS",
    "optim.lazyadam": "LazyAdam",
    "optim.proximal_ada_grad": "ProximalAdagrad",
    "optim.rprop": "Rprop",
    "optim.momentum": "Momentum",
    "optim.sgd": "SGD",
    "optim.rmsprop": "RMSProp",
    "optim.ada_grad": "Adagrad",
    "optim.lamb": "Lamb",
    "optim.adamax": "AdaMax",
    "optim.adadelta": "Adadelta",
    "wrap.cell_wrapper": """
        ForwardValueAndGrad GradAccumulationCell MicroBatchInterleaved ParameterUpdate PipelineCell TrainOneStepCell
        VirtualDatasetCellTriple WithEvalCell WithGradCell WithLossCell
    """,
    "wrap.loss_scale": "DynamicLossScaleUpdateCell FixedLossScaleUpdateCell TrainOneStepWithLossScaleCell",
    "grad": "Jvp Vjp",
    "grad.cell_grad": "Jvp Vjp",
    "sparse": "SparseTensorDenseMatmul SparseToDense",
    "sparse.sparse": "SparseTensorDenseMatmul SparseToDense",
    "utils": "no_init_parameters",
}

NN: Mapping[str, frozenset[str]] = MappingProxyType({path: frozenset(text.split()) for path, text in _NAMES.items()})
