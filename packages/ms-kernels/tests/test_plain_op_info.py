"""Descriptions of operators: the dicts of 2.6."""

from __future__ import annotations

from typing import Any

import pytest

from ms_kernels import functional as ops

F32 = ops.DataType.F32_Default


def test_names_of_formats() -> None:
    names = [name for name in vars(ops.DataType) if not name.startswith("__")]
    assert len(names) == 184
    assert ops.DataType.I8_NC1HWC0 == ("int8", "NC1HWC0")
    assert ops.DataType.F16_FracZNLSTM == ("float16", "FRACTAL_ZN_LSTM")
    assert ops.DataType.C64_Default_Tuple == ("complex64", "DefaultFormat", "tuple")
    assert ops.DataType.None_None == ("", "")
    assert not hasattr(ops.DataType, "I16_NCDHW")


def test_descriptions() -> None:
    info = (
        ops.TBERegOp("A")
        .attr("axis", "required", "int", "all")
        .input(0, "x", False, "required", "all")
        .input(1, "y", value_depend="optional")
        .output(0, "z", True, "required", "all")
        .unknown_shape_formats(["ND"])
        .real_input_index([1])
        .dynamic_shape(True)
        .partial_flag()
        .get_op_info()
    )
    assert info == {
        "op_name": "A",
        "inputs": [
            {"index": 0, "name": "x", "needCompile": False, "paramType": "required", "shape": "all"},
            {"index": 1, "name": "y", "valueDepend": "optional"},
        ],
        "outputs": [{"index": 0, "name": "z", "need_compile": True, "paramType": "required", "shape": "all"}],
        "attr": [{"name": "axis", "paramType": "required", "type": "int", "value": "all"}],
        "fusion_type": "",
        "dtype_format": [],
        "imply_type": "TBE",
        "async_flag": False,
        "binfile": "",
        "compute_cost": 10,
        "kernel": "",
        "partial_flag": True,
        "reshape_type": "",
        "dynamicRankSupport": False,
        "dynamicShapeSupport": True,
        "dynamicCompileStatic": False,
        "needCheckSupport": False,
        "dynamicFormat": False,
        "op_pattern": "",
        "real_input_index": [1],
        "input_to_attr_index": [],
        "unknown_shape_formats": [["ND"]],
    }
    custom = ops.CustomRegOp().input(0, "x").output(0, "y").dtype_format(F32, F32).target("CPU").get_op_info()
    assert custom["dtype_format"] == [(F32, F32)] and custom["target"] == "CPU"
    assert ops.CustomRegOp().get_op_info()["target"] == "UnKnown"
    assert ops.AiCPURegOp("X").fusion_type("OPAQUE").get_op_info()["imply_type"] == "AiCPU"


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (ValueError, lambda: ops.TBERegOp(3)),
        (ValueError, lambda: ops.TBERegOp("")),
        (TypeError, lambda: ops.TBERegOp("A").fusion_type(3)),
        (TypeError, lambda: ops.TBERegOp("A").async_flag(3)),
        (TypeError, lambda: ops.TBERegOp("A").compute_cost("a")),
        (TypeError, lambda: ops.TBERegOp("A").input("0", "x")),
        (ValueError, lambda: ops.TBERegOp("A").input(0, "x").dtype_format(1)),
        (ValueError, lambda: ops.TBERegOp("A").input(0, "x").dtype_format(F32, F32)),
    ],
)
def test_errors(kind: type[Exception], call: Any) -> None:
    with pytest.raises(kind, match="RegOp"):
        call()


def test_tables() -> None:
    assert ops.get_vm_impl_fn("no such primitive") is None

    @ops.vm_impl_registry.register("Type of it")
    def maker(_prim: Any) -> Any:
        return type

    assert ops.get_vm_impl_fn("Type of it")(1.0) is float

    @ops.op_info_register({"op_name": "X"})
    class Kept:
        pass

    assert isinstance(Kept(), Kept)
