"""Jvp and Vjp: products with the Jacobian as Cells."""

from __future__ import annotations

from typing import Any

from ms_kernels import jvp, vjp
from ms_kernels.opdef.errors import fail
from ms_nn.cell import Cell

__all__ = ["Jvp", "Vjp"]


class _Product(Cell):
    """What both share: the function, and that the last argument of a call is the vector."""

    def __init__(self, fn: Any) -> None:
        super().__init__()
        if not callable(fn):
            fail(TypeError, type(self).__name__, "'fn'", "be a function or a Cell", type(fn).__name__)
        self.fn = fn

    def _need(self, args: tuple[Any, ...]) -> None:
        if len(args) < 2:
            rule = "be at least 2: the inputs, then the vector"
            fail(TypeError, type(self).__name__, "number of arguments", rule, str(len(args)))


class Jvp(_Product):
    """The result of a function and the product of its Jacobian with a vector (``mindspore.nn.Jvp``).

    The call takes the function's inputs, then the vector: a Tensor for one input, a tuple of them for several.

    Raises:
        TypeError: `fn` cannot be called.

    >>> from ms_kernels import Tensor
    >>> out, product = Jvp(lambda x: x * x)(Tensor([3.0]), Tensor([2.0]))
    >>> print(out, product)
    [9.] [12.]
    """

    def construct(self, *args: Any) -> Any:
        """Result and product."""
        self._need(args)
        inputs, vector = args[:-1], args[-1]
        if len(inputs) == 1:
            return jvp(self.fn, inputs[0], vector)
        return jvp(self.fn, inputs, vector)


class Vjp(_Product):
    """The result of a function and the product of a vector with its Jacobian (``mindspore.nn.Vjp``).

    The call takes the function's inputs, then the vector: a Tensor for one result, a tuple of them for several. The
    product is a Tensor for one input, a tuple for several.

    Raises:
        TypeError: `fn` cannot be called.

    >>> from ms_kernels import Tensor
    >>> out, (first, second) = Vjp(lambda x, y: x * y)(Tensor([3.0]), Tensor([2.0]), Tensor([1.0]))
    >>> print(out, first, second)
    [6.] [2.] [3.]
    """

    def construct(self, *args: Any) -> Any:
        """Result and product."""
        self._need(args)
        out, pull = vjp(self.fn, *args[:-1])
        vector = args[-1]
        grads = pull(*vector) if isinstance(vector, tuple) else pull(vector)
        return out, grads[0] if isinstance(grads, tuple) and len(args) == 2 else grads
