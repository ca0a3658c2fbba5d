"""The primitives that exported programs may use, by how MindSpore 2.6 keeps their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["ATTRIBUTE_PRIMITIVES", "FUNCTION_PRIMITIVES", "MORE_INPUTS"]

# Attributes are inputs of the node.
_FUNCTIONS = """
    ACos Abs Acosh AdamWeightDecay AdaptiveMaxPool2D Add Angle ArgMaxWithValue ArgMinWithValue Argmax Argmin Asin
    Asinh Assign AssignAdd AssignSub Atan Atan2 Atanh AvgPool BCEWithLogitsLoss BatchMatMul BatchNorm Betainc
    BiasAdd BinaryCrossEntropy BroadcastTo Cast Cdist CeLU Ceil Cholesky CholeskyInverse Complex Concat Conj Cos
    Cosh Cross CumProd CumSum Cummax Cummin Dense Diag Div Dropout Eig Elu Equal Erf Erfc Erfinv Exp ExpandDims
    Expm1 Eye FFTWithSize FastGeLU Flatten Floor FloorDiv FloorMod GLU Gather GatherD GatherNd Gcd GeLU Geqrf
    Greater GreaterEqual GridSampler2D GridSampler3D HShrink HSigmoid HSwish Identity IsClose IsFinite IsInf
    LayerNorm Lerp LerpScalar Less LessEqual LinSpace Log Log1p LogMatrixDeterminant LogSoftmax LogSoftmaxExt
    LogicalAnd LogicalNot LogicalOr LogicalXor Logit MaskedFill MaskedSelect MatMul MatrixDeterminant MatrixExp
    Maximum Meshgrid Minimum Mul NLLLoss NanToNum Neg NextAfter NonZero NotEqual OneHot Ones OnesLike PReLU Polar
    Pow Qr RandpermV2 Range Rank ReLU ReLU6 Real RealDiv Reciprocal ReduceAll ReduceAny ReduceMax ReduceMean
    ReduceMin ReduceProd ReduceStd ReduceSum Reshape ResizeBicubic ResizeBilinearV2 ResizeLinear1D
    ResizeNearestNeighbor ResizeNearestNeighborV2 ReverseV2 RightShift RmsNorm Roll Round Rsqrt ScalarToTensor
    ScatterNd SearchSorted Select Shape Sigmoid Sign Sin Sinh Slice SmoothL1Loss SoftMarginLoss SoftShrink Softmax
    Split Sqrt Square Squeeze StridedSlice Sub Svd Tanh TensorMove TensorShape Tile Trace Transpose Triu Trunc
    UniqueConsecutive UnsortedSegmentSum UpsampleNearest3D UpsampleTrilinear3D Xlogy Zeros ZerosLike
"""
# Attributes belong to the primitive.
_ATTRIBUTES = """
    AccumulateNV2 AdaptiveMaxPool3D AddN AdjustHue AdjustSaturation ApplyAdaMax ApplyAdadelta ApplyAddSign
    ApplyGradientDescent ApplyPowerSign ApplyProximalGradientDescent BesselI0 BesselI0e BesselI1 BesselI1e
    BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 BitwiseAnd BitwiseOr BitwiseXor
    CheckNumerics CheckValid Coalesce CompareAndBitpack ComplexAbs ConjugateTranspose DType Depend DiagPart
    Digamma DivNoNan DropoutDoMask EmbeddingLookup Eps EqualCount FastGelu Fmax Fmin Gelu Ger HSVToRGB Heaviside
    Hypot IdentityN Igamma Igammac Imag IndexFill InplaceUpdateV2 Inv Invert InvertPermutation IsNan L2Loss Lcm
    LeftShift Lgamma LuSolve MaskedScatter MatrixBandPart Mish Mod MulNoNan NonMaxSuppressionWithOverlaps Orgqr
    ParallelConcat Partial Polygamma PopulationCount Print RGBToHSV Rint ScalarCast SeLU SegmentMax SegmentMean
    SegmentMin SegmentProd SegmentSum SigmoidCrossEntropyWithLogits Size SoftmaxCrossEntropyWithLogits Softplus
    Softsign SquareSumAll SquaredDifference StopGradient SubAndFilter Tan TensorScatterAdd TensorScatterDiv
    TensorScatterMax TensorScatterMin TensorScatterMul TensorScatterSub TensorScatterUpdate TridiagonalMatMul
    TruncateDiv TruncateMod TupleToArray Unique UniqueWithPad UnravelIndex UnsortedSegmentMax UnsortedSegmentMin
    UnsortedSegmentProd Xdivy Zeta
"""
FUNCTION_PRIMITIVES = frozenset(_FUNCTIONS.split())
ATTRIBUTE_PRIMITIVES = frozenset(_ATTRIBUTES.split())
# Inputs that MindSpore's primitives have after those that ours have, with the values that leave all as it is.
MORE_INPUTS: Mapping[str, tuple[Any, ...]] = MappingProxyType({"Round": (0,), "SearchSorted": (None,)})
