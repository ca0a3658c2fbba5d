"""Loops as functions: `WhileLoop`, `ForiLoop`, `Scan`; and a function's derivative kept for many tangents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ms_kernels.core.dispatch import ops_by_name
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.primitive import Primitive
from ms_kernels.tape.products import _rebuilt, _tangent, _tensors
from ms_kernels.tape.pullback import Pullback, Pushforward, check_function

__all__ = ["ForiLoop", "Scan", "WhileLoop", "linearize"]


def _function(name: str, key: str, value: Any) -> None:
    if not callable(value):
        fail(TypeError, name, f"'{key}'", "be a function", describe(value))


class WhileLoop(Primitive):
    """A loop that runs while a function of its state says so (``mindspore.ops.WhileLoop``).

    Examples:
        >>> WhileLoop()(lambda x: x < 100, lambda x: x * 3, 10)
        270
    """

    def __init__(self) -> None:
        super().__init__("WhileLoop")

    def __call__(self, cond_func: Any, loop_func: Any, init_val: Any) -> Any:
        """Return the state for which `cond_func` is false.

        Raises:
            TypeError: `cond_func` or `loop_func` is no function.
        """
        _function("WhileLoop", "cond_func", cond_func)
        _function("WhileLoop", "loop_func", loop_func)
        state = init_val
        while cond_func(state):
            state = loop_func(state)
        return state


class ForiLoop(Primitive):
    """A loop over whole numbers (``mindspore.ops.ForiLoop``).

    Examples:
        >>> ForiLoop()(0, 4, lambda i, total: i + total, 0)
        6
    """

    def __init__(self) -> None:
        super().__init__("ForiLoop")

    def __call__(self, lower: Any, upper: Any, loop_func: Any, init_val: Any, unroll: bool = True) -> Any:
        """Return the state after ``loop_func(i, state)`` for all i from `lower` to before `upper`.

        Raises:
            TypeError: a bound is no int, `loop_func` no function, `unroll` no bool.
        """
        _function("ForiLoop", "loop_func", loop_func)
        for key, bound in (("lower", lower), ("upper", upper)):
            if isinstance(bound, bool) or not isinstance(bound, (int, TensorBase)):
                fail(TypeError, "ForiLoop", f"'{key}'", "be an int or a Tensor of one", describe(bound))
        if not isinstance(unroll, bool):
            fail(TypeError, "ForiLoop", "'unroll'", "be a bool", describe(unroll))
        state = init_val
        for i in range(int(lower), int(upper)):
            state = loop_func(i, state)
        return state


class Scan(Primitive):
    """A loop over a sequence that keeps what each step gives (``mindspore.ops.Scan``).

    Examples:
        >>> Scan()(lambda total, x: (total + x, total), 0, [1, 2, 3])
        (6, [0, 1, 3])
    """

    def __init__(self) -> None:
        super().__init__("Scan")

    def __call__(self, loop_func: Any, init: Any, xs: Any, length: int | None = None, unroll: bool = True) -> Any:
        """Return the last state and the list (a stacked Tensor of Tensors) of what ``loop_func(state, x)`` gave beside.

        Args:
            xs: a sequence, or None for `length` steps with None.

        Raises:
            TypeError: `loop_func` is no function, `xs` neither sequence nor None, `unroll` no bool.
            ValueError: `length` is not that of `xs`.
        """
        _function("Scan", "loop_func", loop_func)
        if not isinstance(unroll, bool):
            fail(TypeError, "Scan", "'unroll'", "be a bool", describe(unroll))
        if xs is None:
            if isinstance(length, bool) or not isinstance(length, int):
                fail(TypeError, "Scan", "'length'", "be an int when 'xs' is None", describe(length))
            items: Any = [None] * length
        elif isinstance(xs, (tuple, list, TensorBase)):
            items = list(xs)  # type: ignore[arg-type]
        else:
            fail(TypeError, "Scan", "'xs'", "be a tuple, list, Tensor or None", describe(xs))
        if length is not None and length != len(items):
            fail(ValueError, "Scan", "'length'", f"be that of 'xs', {len(items)}", str(length))
        state, found = init, []
        for item in items:
            state, one = loop_func(state, item)
            found.append(one)
        if found and isinstance(xs, TensorBase) and all(isinstance(one, TensorBase) for one in found):
            return state, ops_by_name["stack"](found, 0)
        return state, found


def linearize(fn: Callable[..., Any], inputs: Any) -> tuple[Any, Callable[..., Any]]:
    """Return fn(*inputs), and the function from tangents of the inputs to those of the result.

    The function is recorded once, however often the second is called (``mindspore.ops.functional.linearize``).

    Raises:
        TypeError: an input or tangent is no Tensor, or a dtype differs.
        ValueError: another number of tangents than inputs, or a shape that does not fit.

    Examples:
        >>> from ms_kernels import Tensor
        >>> value, along = linearize(lambda x: x * x, Tensor([1.0, 2.0]))
        >>> print(value, along(Tensor([1.0, 0.5])), along(Tensor([0.0, 1.0])))
        [1. 4.] [2. 2.] [0. 4.]
    """
    check_function("linearize", fn)
    args = _tensors(inputs, "inputs")
    pull = Pullback(fn, args, range(len(args)), (), False, "linearize")
    push = Pushforward(pull)

    def along(*tangents: Any) -> Any:
        given = _tensors(tangents[0] if len(tangents) == 1 else tangents, "v")
        if len(given) != len(args):
            fail(ValueError, "linearize", "number of tangents", f"be that of the inputs, {len(args)}", str(len(given)))
        return _rebuilt(pull.value, push([_tangent(t, x) for t, x in zip(given, args)]))

    return pull.value, along
