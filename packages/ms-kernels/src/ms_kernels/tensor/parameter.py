"""Parameter: a named tensor that training changes; ParameterTuple."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import Node, TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.tensor.bridge import packed, unpacked
from ms_kernels.tensor.initial import goes_into, initial, resolved, set_initializer_resolver, to_wait_for
from ms_kernels.tensor.tensor import Tensor

__all__ = ["Parameter", "ParameterTuple", "rebuild_parameter", "set_initializer_resolver"]

DEFAULT_NAME = "Parameter"
LONGEST_NAME = 1024
PREFIX = re.compile(r"^\w+[0-9a-zA-Z\_\.]*$", re.ASCII)
KEPT = ("layerwise_parallel", "parallel_optimizer", "parallel_optimizer_comm_recompute", "cache_enable", "comm_fusion")


def _flag(name: str) -> property:
    """A property that takes a bool and nothing else; False until it is set."""
    slot = f"_{name}"

    def get(self: Parameter) -> bool:
        return bool(vars(self).get(slot, False))

    def put(self: Parameter, value: bool) -> None:
        _check_bool(name, value)
        vars(self)[slot] = value

    return property(get, put, doc=f"The flag '{name}' of 2.6: kept with the parameter, for whoever reads it.")


def _check_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        fail(TypeError, "Parameter", f"'{name}'", "be a bool", describe(value))


class Parameter(Tensor):
    """A tensor that belongs to a network and is changed by training (``mindspore.Parameter``).

    Args:
        default_input: a Tensor, an int (int32), a float (float32), a list or an ndarray; copied.  A Tensor that waits
            for its initializer is filled at once.
        name: its name; the cell that takes it in puts its own in front.  None or blank: "Parameter".
        requires_grad: whether it is among the trainable parameters, and recorded on the tape.
        layerwise_parallel, parallel_optimizer: flags that are kept.
        storage_format: accepted for 2.6's sake.
        device: None or "CPU".

    Raises:
        TypeError: the data or a flag has the wrong type.
        ValueError: the name is no str or is too long, the data is a bool, or its shape is unknown.

    Examples:
        >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
        >>> w
        Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    __module__ = "mindspore.common.parameter"
    is_init: Any = False  # a flag that may be set, in place of Tensor's method
    sliced = False
    is_param_ps = False
    unique = False
    key = -1
    inited_param = None
    layerwise_parallel = _flag("layerwise_parallel")
    parallel_optimizer = _flag("parallel_optimizer")
    parallel_optimizer_comm_recompute = _flag("parallel_optimizer_comm_recompute")
    cache_enable = _flag("cache_enable")

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: str | None = None,
    ) -> None:
        if not isinstance(storage_format, str):
            fail(TypeError, "Parameter", "'storage_format'", "be a str", describe(storage_format))
        if device is not None and device != "CPU":
            fail(ValueError, "Parameter", "'device'", "be 'CPU'", describe(device))
        self.name = name
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        _check_bool("requires_grad", requires_grad)
        waits = to_wait_for(default_input)
        if waits is None:
            self._set(initial(default_input))
        else:
            self._set_pending(default_input._raw, waits)
        self.requires_grad = requires_grad

    @property
    def name(self) -> str:
        """The parameter's name, unique inside its network."""
        return str(vars(self).get("_name", DEFAULT_NAME))

    @name.setter
    def name(self, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            fail(ValueError, "Parameter", "'name'", "be a str or None", describe(value))
        if value is not None and len(value) > LONGEST_NAME:
            fail(ValueError, "Parameter", "'name'", f"have at most {LONGEST_NAME} characters", str(len(value)))
        vars(self)["_name"] = value if value is not None and value.strip() else DEFAULT_NAME

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for it."""
        return self._tape is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        _check_bool("requires_grad", value)
        if value != (self._tape is not None):
            self._set_tape(Node(None) if value else None)
            self._attach_hooks()

    @property
    def comm_fusion(self) -> int:
        """The number of the group in which 2.6 fuses communication: kept with the parameter."""
        return int(vars(self).get("_comm_fusion", 1))

    @comm_fusion.setter
    def comm_fusion(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            fail(TypeError, "Parameter", "'comm_fusion'", "be an int", describe(value))
        if value < 0:
            fail(ValueError, "Parameter", "'comm_fusion'", "not be negative", str(value))
        vars(self)["_comm_fusion"] = value

    @property
    def data(self) -> Parameter:
        """The parameter itself."""
        return self

    def value(self) -> Any:
        """Return a Tensor of the present values; gradients pass through it."""
        return ops_by_name["take_key"](self, (Ellipsis,))

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Take over another tensor's values and shape, and keep the own element type; returns self.

        Args:
            data: a Tensor, an int or a float.
            slice_shape: accepted for 2.6's sake.

        Raises:
            TypeError: `data` is of another kind, or its type does not go into this one's without loss of kind
                (int64 into int32, float into int, float64 into float32).

        Examples:
            >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
            >>> print(w.set_data(Tensor([3, 4])).value())
            [3. 4.]
        """
        if isinstance(data, bool) or not isinstance(data, (TensorBase, int, float)):
            fail(TypeError, "Parameter.set_data", "'data'", "be a Tensor, an int or a float", describe(data))
        given = data if isinstance(data, TensorBase) else Tensor(initial(data))
        if not goes_into(given.dtype, self.dtype):
            rule = f"go into {self.dtype} (see set_dtype)"
            fail(TypeError, "Parameter.set_data", "dtype of 'data'", rule, str(given.dtype))
        waits = given._waiting is not None
        self._set(given._a if waits and given.dtype == self.dtype else np.array(given._a, self.dtype.np, order="C"))
        return self

    def init_data(  # type: ignore[override]  # as 2.6's
        self, layout: Any = None, set_sliced: bool = False
    ) -> Parameter:
        """Return self, filled: a Parameter made under `no_init_parameters` has waited for that."""
        _check_bool("set_sliced", set_sliced)
        if self.has_init:
            self._fill()
        return self

    def clone(self, init: Any = "same") -> Parameter:
        """Return a copy with the same name, flags and shape.

        Args:
            init: "same" for the same values; else a Tensor, a number, or what an installed initializer package knows.

        Raises:
            ValueError: `init` is the name of no initializer.
            TypeError: it is of another kind.

        Examples:
            >>> w = Parameter(Tensor([1.0, 2.0]), name="w")
            >>> print(w.clone(init=0.5).value())
            [0.5 0.5]
        """
        made: Parameter = self.__deepcopy__({})
        if not (isinstance(init, str) and init == "same"):
            made._set(initial(resolved(init, self.shape, self.dtype)))
        return made

    def copy(self) -> Parameter:
        """Return a Parameter of the same name, flags and values."""
        return self.clone()

    def add_pipeline_stage(self, stage: int) -> None:
        """Say in which stage of a pipeline the parameter is used: of 2.6's distributed mode, without effect here."""
        if isinstance(stage, bool) or not isinstance(stage, int) or stage < 0:
            fail(
                TypeError, "Parameter.add_pipeline_stage", "'stage'", "be an int that is not negative", describe(stage)
            )

    def __parameter__(self) -> None:
        """Mark the class for those that look for it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = super().__deepcopy__(memo)
        made.requires_grad = self.requires_grad
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        kept = {name: getattr(self, name) for name in KEPT}
        args = (self.dtype.name, self.shape, packed(self._a, int(protocol)), self.name, self.requires_grad, kept)
        return rebuild_parameter, args

    def __repr__(self) -> str:
        shape, grad = self.shape, self.requires_grad
        return f"Parameter (name={self.name}, shape={shape}, dtype={self.dtype}, requires_grad={grad})"

    __str__ = __repr__


def rebuild_parameter(
    dtype: str, shape: tuple[int, ...], data: Any, name: str, requires_grad: bool, kept: dict[str, Any]
) -> Parameter:
    """Make a pickled Parameter again; this function's place and arguments are kept from version to version."""
    made = Parameter.__new__(Parameter)
    made._set(unpacked(dtype, shape, data))
    made.name = name
    made.requires_grad = requires_grad
    for key, value in kept.items():
        if key in KEPT:
            setattr(made, key, value)
    return made


class ParameterTuple(tuple):  # type: ignore[type-arg]
    """A tuple of Parameters of different names (``mindspore.ParameterTuple``).

    Raises:
        TypeError: an item is no Parameter.
        ValueError: two Parameters have one name.

    Examples:
        >>> weights = ParameterTuple([Parameter(Tensor([1.0]), name="w")])
        >>> weights.clone("moments", init="zeros")[0].name
        'moments.w'
    """

    __module__ = "mindspore.common.parameter"

    def __new__(cls, iterable: Iterable[Any]) -> ParameterTuple:
        """Check the items."""
        if isinstance(iterable, TensorBase):
            fail(TypeError, "ParameterTuple", "'iterable'", "be a collection of Parameters", describe(iterable))
        items = tuple(iterable)
        seen: dict[str, Any] = {}
        for item in items:
            if not isinstance(item, Parameter):
                fail(TypeError, "ParameterTuple", "items", "be Parameters", describe(item))
            if seen.setdefault(item.name, item) is not item:
                fail(ValueError, "ParameterTuple", "names of the Parameters", "differ", f"'{item.name}' twice")
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Return copies whose names begin with a prefix and a dot.

        Args:
            prefix: letters, digits, "_" and ".", beginning with no ".".
            init: as for `Parameter.clone`.

        Raises:
            TypeError: the prefix is no str.
            ValueError: it holds other characters.
        """
        if not isinstance(prefix, str):
            fail(TypeError, "ParameterTuple.clone", "'prefix'", "be a str", describe(prefix))
        if not PREFIX.match(prefix):
            fail(ValueError, "ParameterTuple.clone", "'prefix'", f"match {PREFIX.pattern}", describe(prefix))
        made = []
        for item in self:
            copied = item.clone(init)
            copied.name = f"{prefix}.{item.name}"
            made.append(copied)
        return ParameterTuple(made)

    def __parameter_tuple__(self) -> None:
        """Mark the class for those that look for it."""

    def __reduce__(self) -> Any:
        return _rebuild_tuple, (tuple(self),)


def _rebuild_tuple(items: tuple[Parameter, ...]) -> ParameterTuple:
    return ParameterTuple(items)
