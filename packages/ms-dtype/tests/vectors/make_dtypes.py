"""Record what MindSpore 2.6's `mindspore.common.dtype` answers; run with an interpreter that has the real MindSpore.

    python make_dtypes.py [FILE]        writes FILE, by default dtypes.json beside this program

Most of it is a list of expressions over `m` (the module), `T` (its `typing`), `np` and `objects` (values to be asked
about), each with the repr of its result, or with the exception and the first line of its message.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mindspore as ms  # type: ignore[import-not-found,unused-ignore]
import mindspore.common.dtype as m  # type: ignore[import-not-found,unused-ignore]
import numpy as np
from mindspore import nn, ops

T = m.typing
CLASSES = sorted(name for name in dir(T) if isinstance(getattr(T, name), type) and issubclass(getattr(T, name), m.Type))
NAMES = [name for name in dir(m) if isinstance(getattr(m, name), m.Type)]
CONSTANTS = [name for name in dir(T) if isinstance(getattr(T, name), m.Type)]
PYTHON_CLASSES = (
    *("int", "float", "bool", "str", "list", "tuple", "complex", "type(None)", "dict", "set", "bytes", "object"),
    *("slice", "range", "type", "np.ndarray", "np.dtype", "np.datetime64", "np.bool_", "np.str_", "np.intc"),
    *(f"np.{name}" for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")),
    *("np.float16", "np.float32", "np.float64", "np.dtype('int8')", "m.Type", "m.Int"),
)
NO_CLASSES = ("None", "1", "'int'", "len", "[int]")
VALUES = (
    *("1", "1.5", "True", "'a'", "[1]", "(1,)", "None", "1j", "{}", "{1}", "b'a'", "slice(1)", "...", "len", "int"),
    *(
        "np.int8(1)",
        "np.float32(1)",
        "np.bool_(1)",
        "np.str_('a')",
        "np.ones(2)",
        "np.dtype('int8')",
        "m.int8",
        "m.Int",
    ),
    *(f"objects.{name}" for name in ("tensor", "bfloat16_tensor", "parameter", "cell", "primitive", "function")),
)
WIDTHS = {
    "Int": (1, 4, 7, 8, 16, 32, 64, 0, -3),
    "UInt": (4, 7, 8, 16, 32, 64),
    "Float": (8, 16, 32, 64, 80),
    "BFloat": (16, 32),
    "Complex": (32, 64, 128),
}
TEXTS = (
    *("bool", "Bool", "bool_", "int", "Int", "uint", "UInt", "float", "Float", "BFloat", "number", "Number", "complex"),
    *("int4", "Int4", "int8", "Int16", "uint8", "UInt64", "float16", "Float32", "bfloat16", "BFloat16", "complex64"),
    *("Complex128", "String", "str", "string_", "List", "list_", "Tuple", "None", "Null", "TypeType", "EnvType"),
    *("Object:EnvType", "Any", "Ellipsis", "Slice", "Dictionary", "Class", "Keyword", "Undetermined", "Function"),
    *("Tensor", "tensor", "Tensor[Float32]", "List[Int32,Float32]", "Tuple[Int32]", "RowTensor", "COOTensor"),
    *("CSRTensor", "mindspore.float32", "xx", ""),
)


def expressions() -> list[str]:
    listed = []
    for name in NAMES:
        listed += [f"m.{name}", f"str(m.{name})", f"type(m.{name}).__name__", f"T.type_to_type_id(m.{name})"]
        for function in ("dtype_to_nptype", "dtype_to_pytype", "type_size_in_bytes", "pytype_to_dtype"):
            listed.append(f"m.{function}(m.{name})")
        listed.append(f"[each for each in dir(T) if each[0] == 'k' and m.{name} == getattr(T, each)]")
    for name in CONSTANTS:
        listed += [f"T.{name}", f"str(T.{name})", f"type(T.{name}).__name__"]
        listed.append(f"[each for each in dir(T) if each[0] == 'k' and T.is_subclass(getattr(T, each), T.{name})]")
    for name in CLASSES:
        bases = f"[each.__name__ for each in T.{name}.__mro__ if each.__module__ == T.Type.__module__]"
        listed += [f"T.{name}()", f"str(T.{name}())", f"[each for each in {bases} if each[0] != '_']"]
    for name, widths in WIDTHS.items():
        listed += [f"T.{name}({width})" for width in widths]
        listed += [f"T.{name}('a')", f"T.{name}(32.0)", f"T.{name}(8, 8)"]
        listed += [
            f"[each for each in dir(T) if each[0] == 'k' and T.{name}({width}) == getattr(T, each)]"
            for width in widths[-2:]
        ]
    listed += [f"m.pytype_to_dtype({each})" for each in (*PYTHON_CLASSES, *NO_CLASSES)]
    listed += [f"m.get_py_obj_dtype({each})" for each in VALUES]
    listed += [f"m.type_size_in_bytes({each})" for each in ("1", "None", "'float32'", "int")]
    listed += [f"m.dtype_to_{kind}type({each})" for kind in ("np", "py") for each in ("1", "None", "'float32'", "int")]
    listed += [f"T.str_to_type({text!r})" for text in TEXTS] + [f"str(T.str_to_type({text!r}))" for text in TEXTS]
    listed += [f"T.type_id_to_type({number})" for number in range(53) if number != 6]
    listed += [f"m.{name}" for name in ("number_type", "int_type", "uint_type", "float_type", "signed_type")]
    listed += ["m.complex_type", "m.all_types", "m.implicit_conversion_seq", "type(m.implicit_conversion_seq)"]
    listed += ["[(each.name, each.value()) for each in m.QuantDtype]", "m.QuantDtype(5).name", "m.QuantDtype.INT8 == 7"]
    for cls in ("List", "Tuple"):
        for elements in ("[]", "[m.int32]", "[m.int32, m.float16]", "3", "[3]"):
            listed += [f"T.{cls}({elements})", f"str(T.{cls}({elements}))"]
        listed += [f"T.{cls}([m.int32]) == T.{cls}([m.{each}])" for each in ("int32", "int64")]
    for element in ("float32", "bool_", "list_", "int_", "bfloat16"):
        tensor = f"T.TensorType(m.{element})"
        listed += [tensor, f"str({tensor})", f"{tensor}.element_type()", f"{tensor} == m.tensor_type"]
    listed += ["T.TensorType(1)", "m.tensor_type.element_type()", "str(T.Function([m.int32, m.bool_], m.float32))"]
    listed += ["m.int32 == 1", "m.int32 == 'int32'", "m.int32 != m.int64", "m.int32.nothing", "m.int32()"]
    listed += ["m._issubclass_(m.int32, m.number)", "m._issubclass_(m.Int, m.number)", "m._issubclass_(1, m.int64)"]
    return listed


def answer(expression: str, names: dict[str, Any]) -> str:
    try:
        return repr(eval(expression, names))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def main() -> None:
    objects = SimpleNamespace(
        tensor=ms.Tensor([1.0]),
        bfloat16_tensor=ms.Tensor([1.0], m.bfloat16),
        parameter=ms.Parameter(ms.Tensor([1])),
        cell=nn.ReLU(),
        primitive=ops.Add(),
        function=lambda: None,
    )
    names = {"m": m, "T": T, "np": np, "objects": objects}
    recorded = {
        "mindspore": ms.__version__,
        "module": [name for name in dir(m) if not name.startswith("__")],
        "all": sorted(set(m.__all__)),
        "typing": [name for name in dir(T) if not name.startswith("__")],
        "answers": {each: answer(each, names) for each in expressions()},
    }
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("dtypes.json")
    path.write_text(json.dumps(recorded, indent=0) + "\n")


if __name__ == "__main__":
    main()
