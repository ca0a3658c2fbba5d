"""`Cell`: the base class of networks and layers."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from ms_hooks import Hookable, HookHandle
from ms_kernels import Parameter, ParameterTuple, Tensor
from ms_kernels.core.dispatch import process_target
from ms_kernels.core.tensor import tell
from ms_nn import _calls, _parts
from ms_nn._calls import precision
from ms_nn._graph import run_as_graph
from ms_nn._modes import Modes
from ms_nn._state import Buffer, State, register_cell_buffer_registration_hook
from ms_nn._tree import Tree

__all__ = ["Cell", "register_cell_buffer_registration_hook"]

_CellT = TypeVar("_CellT", bound="Cell")


class Cell(Hookable, Tree, Modes, State):
    """A network, or a part of one, with its parameters (``mindspore.nn.Cell``).

    A subclass makes its parameters and sub-cells in ``__init__`` (by assignment to attributes, after
    ``super().__init__()``) and computes in ``construct``. A parameter is called by the attributes that lead to it:
    "conv1.weight".

    Args:
        auto_prefix: put the attribute's name before the names of the parameters of a sub-cell.
        flags: attributes to set, as `add_flags` does.

    Raises:
        AttributeError: a parameter or sub-cell is assigned before ``super().__init__()``, or an attribute is missing.
        TypeError: a parameter's place is given something that is no parameter.

    >>> from ms_kernels import Parameter, Tensor
    >>> class Scale(Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = Parameter(Tensor(2.0))
    ...     def construct(self, x):
    ...         return x * self.factor
    >>> net = Scale()
    >>> print(net(Tensor(4.0)), [p.name for p in net.trainable_params()])
    8.0 ['factor']
    """

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        put = object.__setattr__  # the tables must be there before the first assignment can be sorted into them
        for table in ("_params", "_cells", "_params_list"):
            put(self, table, OrderedDict())
        put(self, "_buffers", {})
        put(self, "_auto_prefix", auto_prefix)
        put(self, "_direct", not hasattr(type(self), "bprop"))
        put(self, "_flags", {})
        self.training = False
        self.requires_grad = False
        self.mixed_precision_type: Any = None
        self.cell_type: str | None = None
        self._param_prefix = ""
        self._phase = "train"
        self._scope: str | None = None
        self._recomputes = False
        self._create_time = time.time_ns()
        if flags:
            self.add_flags(**flags)

    # -- running ------------------------------------------------------------------------------------------------------

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """What the cell computes; subclasses define it.

        Raises:
            AttributeError: the class does not define it.
        """
        raise AttributeError(f"For '{type(self).__name__}', the method 'construct' is not defined.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if process_target.graph:
            return run_as_graph(self, args, kwargs)
        if self._direct:  # as in `_run`, without its frame: every layer passes here
            return (tell(self, "construct") or self.construct)(*args, **kwargs)
        return self._run(*args, **kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        construct = tell(self, "construct")  # what a graph is captured from in its place
        if self._direct:
            return (construct or self.construct)(*args, **kwargs)
        return self._call_with_extras(args, kwargs)

    def _call_with_extras(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The long way: hooks, a precision, a custom `bprop`, recomputation."""
        new_args, new_kwargs = self._run_forward_pre_hooks(args, kwargs)
        args, kwargs = new_args, dict(new_kwargs)
        gated = self._has_hooks("backward") and _calls.is_recording()
        watch = _calls.BackwardWatch(self) if gated else None
        inputs = watch.enter(args) if watch is not None else args
        out = self._compute(inputs, kwargs)
        if watch is not None:
            out = watch.leave(out)
        out = self._run_forward_hooks(args, kwargs, out)
        if self._has_hooks("backward_pre") and _calls.is_recording():
            out = _calls.before_backward(self, out)
        return out

    def _compute(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        run: Callable[..., Any] = self.construct
        if hasattr(type(self), "bprop"):
            run = _calls.with_bprop(self)
        elif self._recomputes and _calls.is_recording():
            run = _calls.recomputed(self)
        dtype = self.mixed_precision_type
        if dtype is None:
            return run(*args, **kwargs)
        token = precision.set(dtype)
        try:
            return run(*_calls.cast(args, dtype), **_calls.cast(kwargs, dtype))
        finally:
            precision.reset(token)

    def _register(self, kind: str, fn: Callable[..., Any], with_kwargs: bool = False) -> HookHandle:
        handle = super()._register(kind, fn, with_kwargs)
        object.__setattr__(self, "_direct", False)
        return handle

    # -- attributes ---------------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in ("_params", "_cells", "_params_list", "_buffers"):
            found = own.get(table)
            if found is not None and name in found:
                value = found[name]
                if table == "_params" and own.get("mixed_precision_type") is not None:
                    return _calls.cast_parameter(value, precision.get())
                return value
        made = _parts.part(self, name)
        if made is not None:
            return made
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        params, cells = own.get("_params"), own.get("_cells")
        if isinstance(value, Parameter):
            self._set_parameter(name, value)
        elif isinstance(value, ParameterTuple):
            self._set_parameter_tuple(name, value)
        elif isinstance(value, Cell):
            self._set_cell(name, value)
        elif params and name in params:
            self._set_parameter_data(name, value)
        elif cells and name in cells:
            if value is not None:
                raise TypeError(
                    f"Sub cell '{name}' already exists in network, can not assign this type: '{type(value)}' as a cell."
                )
            cells[name] = None
        elif isinstance(value, Buffer):
            self.register_buffer(name, value, value.persistent)
        elif own.get("_buffers") and name in own["_buffers"]:
            own["_buffers"][name] = value
        else:
            object.__setattr__(self, name, value)

    def _set_parameter(self, name: str, value: Parameter) -> None:
        self._need_init("insert_param_to_cell", "_params")
        self.__dict__.pop(name, None)
        self.insert_param_to_cell(name, value)

    def _set_parameter_tuple(self, name: str, value: ParameterTuple) -> None:
        self._need_init("insert_param_to_cell", "_params")
        self.__dict__.pop(name, None)
        for param in value:
            self.insert_param_to_cell(param.name, param, check_name_contain_dot=False)
        self._params_list[name] = value

    def _set_cell(self, name: str, value: Cell) -> None:
        self._need_init("insert_child_to_cell", "_cells")
        if name in self._params:
            raise KeyError(f"For 'insert_child_to_cell', the {name} child cell already exists in the network.")
        self.__dict__.pop(name, None)
        if self._auto_prefix:
            value.update_parameters_name(name + ".")
        self._cells[name] = value

    def _set_parameter_data(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and self._params[name] is not None:
            self._params[name].set_data(value)
        elif value is None:
            self._params[name] = None
        else:
            raise TypeError(
                f"Parameter '{name}' already exists in network, can not assign this type: '{type(value)}' "
                "as a parameter."
            )

    def _need_init(self, method: str, table: str) -> None:
        if table not in self.__dict__:
            raise AttributeError(f"For '{method}', please call Cell.__init__() firstly.")

    def __delattr__(self, name: str) -> None:
        for table in ("_params", "_cells", "_params_list", "_buffers"):
            if name in self.__dict__.get(table, ()):
                del self.__dict__[table][name]
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        own = self.__dict__
        return sorted({*super().__dir__(), *own["_params"], *own["_cells"], *own["_params_list"], *own["_buffers"]})

    def __bool__(self) -> bool:
        return True

    # -- copies and printing ------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for hooks in ("_hook_tables", "_state_hooks", "_compiled"):  # they belong to the object they were made for
            state.pop(hooks, None)
        for table in ("_params", "_cells", "_params_list", "_buffers", "_flags"):
            state[table] = state[table].copy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def extend_repr(self) -> str:
        """What ``repr`` shows between the brackets besides the sub-cells; subclasses override it."""
        return ""

    def __repr__(self) -> str:
        extra, name = self.extend_repr(), type(self).__name__
        if not self._cells:
            return f"{name}({extra})"
        lines = [extra] if extra else []
        for key, cell in self._cells.items():
            lines.append(f"({key}): " + repr(cell).replace("\n", "\n  "))
        return f"{name}(\n  " + "\n  ".join(lines) + "\n)"
