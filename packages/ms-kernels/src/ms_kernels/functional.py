"""The namespace that `mindspore.ops` shows: functions and Primitive classes, built at first use."""

from __future__ import annotations

from ms_kernels._namespace import Namespace
from ms_kernels.opdef.primitive import Primitive as Primitive
from ms_kernels.opdef.primitive import PrimitiveWithCheck as PrimitiveWithCheck
from ms_kernels.opdef.primitive import PrimitiveWithInfer as PrimitiveWithInfer
from ms_kernels.opdef.primitive import constexpr as constexpr
from ms_kernels.opdef.primitive import prim_attr_register as prim_attr_register
from ms_kernels.plain import Assert as Assert
from ms_kernels.plain import BufferAppend as BufferAppend
from ms_kernels.plain import BufferGetItem as BufferGetItem
from ms_kernels.plain import BufferSample as BufferSample
from ms_kernels.plain import Depend as Depend
from ms_kernels.plain import DType as DType
from ms_kernels.plain import ForiLoop as ForiLoop
from ms_kernels.plain import HistogramSummary as HistogramSummary
from ms_kernels.plain import HyperMap as HyperMap
from ms_kernels.plain import ImageSummary as ImageSummary
from ms_kernels.plain import InvertPermutation as InvertPermutation
from ms_kernels.plain import Map as Map
from ms_kernels.plain import Morph as Morph
from ms_kernels.plain import MultitypeFuncGraph as MultitypeFuncGraph
from ms_kernels.plain import Partial as Partial
from ms_kernels.plain import Print as Print
from ms_kernels.plain import PyFunc as PyFunc
from ms_kernels.plain import Rank as Rank
from ms_kernels.plain import ScalarCast as ScalarCast
from ms_kernels.plain import ScalarSummary as ScalarSummary
from ms_kernels.plain import ScalarToTensor as ScalarToTensor
from ms_kernels.plain import Scan as Scan
from ms_kernels.plain import Shape as Shape
from ms_kernels.plain import Size as Size
from ms_kernels.plain import StopGradient as StopGradient
from ms_kernels.plain import TensorDump as TensorDump
from ms_kernels.plain import TensorSummary as TensorSummary
from ms_kernels.plain import TupleToArray as TupleToArray
from ms_kernels.plain import WhileLoop as WhileLoop
from ms_kernels.plain import is_complex as is_complex
from ms_kernels.plain import is_floating_point as is_floating_point
from ms_kernels.plain import is_nonzero as is_nonzero
from ms_kernels.plain import is_tensor as is_tensor
from ms_kernels.plain import linearize as linearize
from ms_kernels.plain import numel as numel
from ms_kernels.plain import print_ as print_
from ms_kernels.plain import rank as rank
from ms_kernels.plain import scalar_cast as scalar_cast
from ms_kernels.plain import scalar_to_tensor as scalar_to_tensor
from ms_kernels.plain import shape as shape
from ms_kernels.plain import size as size
from ms_kernels.plain import tuple_to_array as tuple_to_array
from ms_kernels.plain import typeof as typeof
from ms_kernels.plain.op_info import AiCPURegOp as AiCPURegOp
from ms_kernels.plain.op_info import CustomRegOp as CustomRegOp
from ms_kernels.plain.op_info import DataType as DataType
from ms_kernels.plain.op_info import TBERegOp as TBERegOp
from ms_kernels.plain.op_info import custom_info_register as custom_info_register
from ms_kernels.plain.op_info import get_vm_impl_fn as get_vm_impl_fn
from ms_kernels.plain.op_info import op_info_register as op_info_register
from ms_kernels.plain.op_info import vm_impl_registry as vm_impl_registry
from ms_kernels.tape.grad import GradOperation as GradOperation
from ms_kernels.tape.grad import get_grad as get_grad
from ms_kernels.tape.grad import grad as grad
from ms_kernels.tape.grad import stop_gradient as stop_gradient
from ms_kernels.tape.grad import value_and_grad as value_and_grad
from ms_kernels.tape.jacobian import jacfwd as jacfwd
from ms_kernels.tape.jacobian import jacrev as jacrev
from ms_kernels.tape.modes import stop_gradient_ as stop_gradient_
from ms_kernels.tape.passing import HookBackward as HookBackward
from ms_kernels.tape.passing import InsertGradientOf as InsertGradientOf
from ms_kernels.tape.products import jvp as jvp
from ms_kernels.tape.products import vjp as vjp
from ms_kernels.tape.taylor import derivative as derivative
from ms_kernels.tape.taylor import jet as jet
from ms_kernels.tape.vmap import vmap as vmap

_INSTANCES = {  # names of 2.6 that are a Primitive itself
    "depend": "Depend",
    "dtype": "DType",
    "floordiv": "FloorDiv",
    "floormod": "FloorMod",
    "partial": "Partial",
    "reshape_": "Reshape",
    "shape_": "Shape",
    "tensor_add": "Add",
    "tensor_div": "RealDiv",
    "tensor_exp": "Exp",
    "tensor_expm1": "Expm1",
    "tensor_floordiv": "FloorDiv",
    "tensor_ge": "GreaterEqual",
    "tensor_gt": "Greater",
    "tensor_le": "LessEqual",
    "tensor_lt": "Less",
    "tensor_mod": "FloorMod",
    "tensor_mul": "Mul",
    "tensor_pow": "Pow",
    "tensor_range": "Range",
    "tensor_slice": "Slice",
    "tensor_sub": "Sub",
}
__getattr__, __dir__ = Namespace(__name__, globals(), ("ops", "primitive"), _INSTANCES).hooks()
