"""Primitive: an op as an object that keeps its attributes, as in ``ops.ReduceSum(keep_dims=True)(x, 0)``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["Primitive", "PrimitiveWithCheck", "PrimitiveWithInfer", "constexpr", "prim_attr_register"]

TARGETS = ("CPU", "GPU", "Ascend")


class Primitive:
    """Base class of 2.6's primitive operators (``mindspore.ops.Primitive``).

    Args:
        name: the primitive's name.

    Examples:
        >>> from ms_kernels import functional as ops
        >>> add = ops.Add()
        >>> add.name
        'Add'
        >>> add.add_prim_attr("note", 1).attrs["note"]
        1
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.attrs: dict[str, Any] = {}
        self.instance_name: str | None = None

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Set an attribute, which can be read as one of the object too; returns self."""
        self.attrs[name] = value
        vars(self)[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Remove an attribute if it is there; returns self."""
        self.attrs.pop(name, None)
        vars(self).pop(name, None)
        return self

    def init_prim_io_names(self, inputs: list[str], outputs: list[str]) -> None:
        """Name the inputs and outputs: the attributes `input_names` and `output_names`."""
        self.add_prim_attr("input_names", inputs)
        self.add_prim_attr("output_names", outputs)

    def set_device(self, device_target: str) -> Primitive:
        """Note the target that the primitive is meant for: the attribute `primitive_target`; returns self.

        Raises:
            RuntimeError: another name than CPU, GPU or Ascend.
        """
        if device_target not in TARGETS:
            raise RuntimeError(
                f"For '{self.name}', the 'device_target' must be one of {list(TARGETS)}, but got {device_target!r}."
            )
        return self.add_prim_attr("primitive_target", device_target)

    def set_stage(self, stage: int) -> Primitive:
        """Note the stage of a pipeline: the attribute `stage`; returns self."""
        return self.add_prim_attr("stage", stage)

    def recompute(self, mode: bool = True) -> Primitive:
        """Note whether a compiled graph computes the result again for its gradient: `recompute`; returns self.

        Raises:
            TypeError: `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise TypeError(f"For '{self.name}', the 'mode' must be a bool, but got {mode!r}.")
        return self.add_prim_attr("recompute", mode)

    def place(self, role: str, rank_id: int, group: str | None = None) -> Primitive:
        """Note the process that the primitive is meant for: the attributes `ms_role` and `rank_id`; returns self.

        Raises:
            ValueError: `role` is not "MS_WORKER", or `rank_id` negative.
        """
        if role != "MS_WORKER" or isinstance(rank_id, bool) or not isinstance(rank_id, int) or rank_id < 0:
            raise ValueError(
                f"For '{self.name}', the 'role' and 'rank_id' must be 'MS_WORKER' and a number from 0, but got "
                f"{role!r} and {rank_id!r}."
            )
        return self.add_prim_attr("ms_role", role).add_prim_attr("rank_id", rank_id)

    def check_elim(self, *args: Any) -> tuple[bool, Any]:
        """Tell whether the call can be left out, and what stands for it then: never, unless overridden."""
        return False, None

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Name this instance, so that two of one kind can be told apart; returns self."""
        self.instance_name = name
        return self

    def __repr__(self) -> str:
        hidden = ("input_names", "output_names")
        shown = ", ".join(f"{key}={value}" for key, value in self.attrs.items() if key not in hidden)
        return f"Prim[{self.name}]<{shown}>" if shown else f"Prim[{self.name}]"

    def __call__(self, *args: Any) -> Any:
        raise NotImplementedError(f"For '{self.name}', the primitive must have a kernel, but none is declared.")


class PrimitiveWithCheck(Primitive):
    """Base of a user's primitive that checks its inputs by `check_shape` and `check_dtype` (``mindspore.ops``)."""


class PrimitiveWithInfer(Primitive):
    """Base of a user's primitive that infers its output by `infer_shape` and `infer_dtype` (``mindspore.ops``)."""


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate a primitive's ``__init__``: its arguments become attributes (``mindspore.ops.prim_attr_register``).

    Examples:
        >>> class Scale(Primitive):
        ...     @prim_attr_register
        ...     def __init__(self, factor, shift=0):
        ...         pass
        >>> Scale(3)
        Prim[Scale]<factor=3, shift=0>
    """
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def init(self: Primitive, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        Primitive.__init__(self, type(self).__name__)
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return init


def constexpr(
    fn: Callable[..., Any] | None = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> Any:
    """Make a primitive of a function that a graph compiler may run while it compiles (``mindspore.constexpr``).

    Args:
        fn: the function; None: return a decorator.
        get_instance: return the primitive itself, otherwise its class.
        name: the primitive's name, by default the function's.
        reuse_result: whether a compiler may keep the result for equal arguments.
        check: whether a compiler insists on constant arguments.

    Called outside a compiled function, the primitive is just `fn`.

    Raises:
        TypeError: `fn` cannot be called, or `name` is no str.

    Examples:
        >>> @constexpr
        ... def half(n):
        ...     return n // 2
        >>> half(9), half
        (4, Prim[half]<constexpr_prim=True>)
    """

    def decorator(function: Callable[..., Any]) -> Any:
        if not callable(function):
            raise TypeError(f"For 'constexpr', the 'fn' must be a function, but got {type(function).__name__}.")
        shown = name if name is not None else function.__name__
        if not isinstance(shown, str):
            raise TypeError(f"For 'constexpr', the 'name' must be a str, but got {type(shown).__name__}.")

        class ProxyOp(Primitive):
            """A function as a primitive."""

            def __init__(self) -> None:
                super().__init__(shown)
                self.add_prim_attr("constexpr_prim", True)
                self.reuse_result, self.check = reuse_result, check

            def __call__(self, *args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

        functools.update_wrapper(ProxyOp, function, updated=())
        return ProxyOp() if get_instance else ProxyOp

    return decorator if fn is None else decorator(fn)
