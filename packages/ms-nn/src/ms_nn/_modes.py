"""How a Cell runs: training or not, precision, recomputation, flags."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Any, TypeVar

import ms_dtype as mstype
from ms_nn._calls import cast, cast_parameter, precision

__all__ = ["MixedPrecisionType", "Modes"]


_ModesT = TypeVar("_ModesT", bound="Modes")
_RECOMPUTE_FLAGS = ("mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation")
_PRECISIONS = {mstype.float16: "fp16", mstype.float32: "fp32", mstype.bfloat16: "bf16"}
_TYPE_NAMES = {mstype.float16: "FP16", mstype.float32: "FP32", mstype.bfloat16: "BF16"}


class MixedPrecisionType(Enum):
    """What `Cell.get_mixed_precision_type` answers."""

    NOTSET = 0
    FP16 = 1
    FP32 = 2
    BF16 = 3


class Modes:
    """Mixin: the switches of a cell."""

    training: bool
    requires_grad: bool
    mixed_precision_type: Any
    cell_type: str | None
    _flags: dict[str, Any]
    _phase: str
    _recomputes: bool
    _create_time: int

    def cells(self) -> Any:
        """The direct sub-cells."""
        raise NotImplementedError

    def trainable_params(self, recurse: bool = True) -> list[Any]:
        """The parameters with `requires_grad`."""
        raise NotImplementedError

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """What the cell computes."""
        raise NotImplementedError

    @property
    def phase(self) -> str:
        """ "train" or "predict", as `set_train` of this very cell said last."""
        return self._phase

    @property
    def create_time(self) -> int:
        """When the cell was made, in nanoseconds."""
        return self._create_time

    def set_train(self: _ModesT, mode: bool = True) -> _ModesT:
        """Set `training` of this cell and all below; returns the cell."""
        self._phase = "train" if mode else "predict"
        return self.add_flags_recursive(training=mode)

    def set_grad(self: _ModesT, requires_grad: bool = True) -> _ModesT:
        """Set the flag `requires_grad` of this cell (not of its parameters); returns the cell."""
        self.requires_grad = requires_grad
        return self

    def add_flags(self: _ModesT, **flags: Any) -> _ModesT:
        """Set attributes and keep them among the flags; returns the cell."""
        self._flags.update(flags)
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self: _ModesT, **flags: Any) -> _ModesT:
        """As `add_flags`, for this cell and all below."""
        self.add_flags(**flags)
        for cell in self.cells():
            if cell is not None:
                cell.add_flags_recursive(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """The flags set so far."""
        return self._flags

    def to_float(self: _ModesT, dst_type: Any) -> _ModesT:
        """Run this cell and all below in float16, bfloat16 or float32: inputs and parameters are converted when used.

        The parameters themselves stay as they are. Returns the cell.

        Raises:
            ValueError: `dst_type` is another type.

        >>> import ms_dtype as mstype
        >>> from ms_kernels import Tensor
        >>> from ms_nn import Dense
        >>> net = Dense(2, 1).to_float(mstype.float16)
        >>> net(Tensor([[1.0, 2.0]])).dtype, net.weight.dtype
        (mindspore.float16, mindspore.float32)
        """
        if dst_type not in _PRECISIONS:
            raise ValueError(
                "For 'to_float', the argument 'dst_type' must be mstype.float32, mstype.float16 or mstype.bfloat16, "
                f"but got type: {type(dst_type)} and value: {dst_type}."
            )
        flags = {name: dtype == dst_type for dtype, name in _PRECISIONS.items()}
        self.add_flags_recursive(**flags)
        self._set_precision(dst_type)
        return self

    def _set_precision(self, dtype: Any) -> None:
        self.mixed_precision_type = dtype
        object.__setattr__(self, "_direct", False)
        for cell in self.cells():
            if cell is not None:
                cell._set_precision(dtype)

    def recompute(self, **kwargs: Any) -> None:
        """Do not keep this cell's intermediate results for the gradient, but compute them again in the backward pass.

        Random numbers come out the same again. The keywords, flags about communication between devices, are accepted
        for 2.6's sake.

        Raises:
            ValueError: an unknown keyword.
            TypeError: a flag is no bool.

        >>> from ms_kernels import Tensor, grad
        >>> from ms_nn import Tanh
        >>> net = Tanh()
        >>> net.recompute()
        >>> print(grad(net)(Tensor(0.0)))
        1.0
        """
        for key, flag in kwargs.items():
            if key not in _RECOMPUTE_FLAGS:
                raise ValueError(f"For 'recompute', the keyword must be one of {_RECOMPUTE_FLAGS}, but got '{key}'.")
            if not isinstance(flag, bool):
                raise TypeError(f"For 'recompute', the '{key}' must be a bool, but got {type(flag).__name__}.")
        self._recomputes = True
        object.__setattr__(self, "_direct", False)

    def cast_inputs(self, inputs: Any, dst_type: Any) -> tuple[Any, ...]:
        """Tensors in another dtype, whatever theirs is."""
        return tuple(value.astype(dst_type) for value in inputs)

    def auto_cast_inputs(self, inputs: Any) -> Any:
        """The floating point Tensors among some inputs in the precision of `to_float`, if there is one."""
        return inputs if self.mixed_precision_type is None else cast(inputs, self.mixed_precision_type)

    def cast_param(self, param: Any) -> Any:
        """A parameter as `construct` reads it: in the precision of `to_float` while the cell runs."""
        return cast_parameter(param, precision.get())

    def get_mixed_precision_type(self) -> MixedPrecisionType:
        """The precision of `to_float` as a member of an enum."""
        return MixedPrecisionType[_TYPE_NAMES.get(self.mixed_precision_type, "NOTSET")]

    def set_comm_fusion(self: _ModesT, fusion_type: int, recurse: bool = True) -> _ModesT:
        """Set `comm_fusion` of the trainable parameters, of this cell alone without `recurse`; returns the cell.

        Raises:
            TypeError, ValueError: `fusion_type` is no int, or negative.
        """
        for param in self.trainable_params(recurse):
            param.comm_fusion = fusion_type
        return self

    @property
    def bprop_debug(self) -> bool:
        """A flag for the debugging of `bprop`, kept for 2.6's sake."""
        return bool(self.__dict__.get("_bprop_debug", False))

    @bprop_debug.setter
    def bprop_debug(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"For 'Cell', the property 'bprop_debug' must be bool type, but got type {type(value)}.")
        self.__dict__["_bprop_debug"] = value

    def set_jit_config(self, jit_config: Any) -> None:
        """Set how GRAPH_MODE compiles this cell (levels "O1" and "O2" fuse ops); `jit_config_dict` shows it."""
        object.__setattr__(self, "_jit_config_dict", dict(getattr(jit_config, "jit_config_dict", jit_config)))
        self.__dict__.pop("_compiled", None)

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """What `set_jit_config` was told."""
        found: dict[str, Any] = self.__dict__.get("_jit_config_dict", {})
        return found

    def update_cell_type(self, cell_type: str) -> None:
        """Set `cell_type`, a remark about the cell's kind."""
        self.cell_type = cell_type

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Tell the shapes and dtypes of the inputs, with None where a dimension may vary: by position or by name.

        Raises:
            ValueError: both ways at once, or a name that `construct` does not have.
        """
        if inputs and kwargs:
            raise ValueError(
                f"For Cell, set_inputs should only set inputs or kwargs(inputs: {inputs}, kwargs: {kwargs})!"
            )
        known = list(inspect.signature(self.construct).parameters)
        for name in kwargs:
            if name not in known:
                raise ValueError(f"For dict mode, valid key is {known}, but got {name}!")
        by_name = {name: kwargs[name] for name in known if name in kwargs}  # in the order of the call
        object.__setattr__(self, "_inputs", by_name or inputs)
        self.__dict__.pop("_compiled", None)

    def get_inputs(self) -> Any:
        """What `set_inputs` was told: a tuple, or a dict by name; None without."""
        return self.__dict__.get("_inputs")
