"""The names of element types with memory formats, by which operators are described."""

from __future__ import annotations

__all__ = ["DataType"]

_TYPES = {
    "None": "",
    "BOOL": "bool",
    "I8": "int8",
    "U8": "uint8",
    "I16": "int16",
    "U16": "uint16",
    "I32": "int32",
    "U32": "uint32",
    "I64": "int64",
    "U64": "uint64",
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "C128": "complex128",
}
_FORMATS: dict[str, tuple[str, ...]] = {
    "None": ("",),
    "Default": ("DefaultFormat",),
    "Default_Tuple": ("DefaultFormat", "tuple"),
    "Default_List": ("DefaultFormat", "list"),
    "5HD": ("NC1HWC0",),
    "FracZ": ("FRACTAL_Z",),
    "FracNZ": ("FRACTAL_NZ",),
    "C1HWNCoC0": ("C1HWNCoC0",),
    "NCHW": ("NCHW",),
    "NHWC": ("NHWC",),
    "HWCN": ("HWCN",),
    "NDHWC": ("NDHWC",),
    "ChannelLast": ("ChannelLast",),
    "NCDHW": ("NCDHW",),
    "NDC1HWC0": ("NDC1HWC0",),
    "NC1HWC0": ("NC1HWC0",),
    "DHWCN": ("DHWCN",),
    "FRACTAL_Z_3D": ("FRACTAL_Z_3D",),
    "FracZNLSTM": ("FRACTAL_ZN_LSTM",),
    "FracZNRNN": ("FRACTAL_ZN_RNN",),
    "ND_RNNBIAS": ("ND_RNN_BIAS",),
}
_USUAL = tuple(_FORMATS)[:13]
_DEEP = ("NCDHW", "NDC1HWC0")
_FLOAT = (*_USUAL, *_DEEP, "DHWCN", "FRACTAL_Z_3D", "FracZNLSTM", "FracZNRNN", "ND_RNNBIAS")
_HAS: dict[str, tuple[str, ...]] = {
    "None": ("None", "Default"),
    "C64": ("Default", "Default_Tuple"),
    "C128": ("Default", "Default_Tuple"),
    "I8": (*_USUAL, *_DEEP, "NC1HWC0"),
    "U8": (*_USUAL, *_DEEP, "NC1HWC0"),
    "I32": (*_USUAL, *_DEEP),
    "F16": _FLOAT,
    "F32": _FLOAT,
}


class DataType:
    """Pairs of an element type and a memory format, such as ``DataType.F32_NHWC`` (``mindspore.ops.DataType``).

    Examples:
        >>> DataType.F16_5HD
        ('float16', 'NC1HWC0')
    """


for _short, _name in _TYPES.items():
    for _format in _HAS.get(_short, _USUAL):
        setattr(DataType, f"{_short}_{_format}", (_name, *_FORMATS[_format]))
