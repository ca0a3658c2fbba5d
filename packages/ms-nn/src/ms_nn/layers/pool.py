"""Pooling over one or two dimensions: MaxPool1d/2d and AvgPool1d/2d."""

from __future__ import annotations

from typing import Any

from ms_kernels import functional as F
from ms_kernels.opdef.errors import fail
from ms_nn import _check
from ms_nn.cell import Cell

__all__ = ["AvgPool1d", "AvgPool2d", "MaxPool1d", "MaxPool2d"]


class Pool(Cell):
    """Window, step and padding of the pools over `_dims` dimensions."""

    _dims = 2

    def __init__(self, kernel_size: Any, stride: Any, pad_mode: str, data_format: str = "NCHW") -> None:
        super().__init__()
        name = type(self).__name__
        for arg, value in (("kernel_size", kernel_size), ("stride", stride)):
            if isinstance(value, bool) or not isinstance(value, (int, tuple)):
                got = f"type '{type(value).__name__}'"
                fail(TypeError, name, f"type of '{arg}'", "be one of '['int', 'tuple']'", got)
            items = value if isinstance(value, tuple) else (value,)
            if len(items) not in (1, self._dims) or not all(type(v) is int and v > 0 for v in items):
                fail(ValueError, name, f"'{arg}'", "be an positive int number or a tuple", str(value))
        self.kernel_size, self.stride = kernel_size, stride
        if not isinstance(pad_mode, str):
            fail(TypeError, name, "type of 'pad_mode'", "be 'str'", f"type '{type(pad_mode).__name__}'")
        self.pad_mode = _check.choice(name, "pad_mode", pad_mode.upper(), ("VALID", "SAME", "PAD"))
        _check.choice(name, "format", data_format, ("NCHW", "NHWC"))
        if data_format == "NHWC":
            raise ValueError(f"For '{name}', the 'NHWC' format only support in GPU target.")
        self.format = data_format
        self._window = _spread(kernel_size, self._dims)
        self._step = _spread(stride, self._dims)

    def _only_for_pad(self, **given: Any) -> None:
        """Raise when something that pad_mode "pad" alone knows is not at its default."""
        if self.pad_mode != "PAD" and any(given.values()):
            raise ValueError(
                f"For {type(self).__name__}, the parameter {', '.join(repr(key) for key in given)} can not be set to "
                f"non-default value when pad_mode is not 'pad', but got pad_mode:{self.pad_mode.lower()}."
            )

    def extend_repr(self) -> str:
        """Window, step and padding."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


def check_divisor(name: str, divisor: Any) -> int | None:
    """A number above 0, or None."""
    if divisor is not None and divisor <= 0:
        fail(ValueError, name, "'divisor_override'", "be > 0", str(divisor))
    return divisor  # type: ignore[no-any-return]


def _spread(value: Any, dims: int) -> tuple[int, ...]:
    items = value if isinstance(value, tuple) else (value,)
    return tuple(items) if len(items) == dims else tuple(items) * dims


def batched(pool: Any, x: Any, ndim: int) -> Any:
    """Run `pool` on x, with a batch of one around it when x has no batch dimension."""
    if x.ndim == ndim:
        return pool(x)
    if x.ndim != ndim - 1:
        raise ValueError(f"For a pool, the dimension of the input must be {ndim - 1} or {ndim}, but got {x.ndim}.")
    out = pool(x.expand_dims(0))
    return tuple(item.squeeze(0) for item in out) if isinstance(out, tuple) else out.squeeze(0)


class MaxPool2d(Pool):
    """The greatest element of each window over height and width (``mindspore.nn.MaxPool2d``).

    Args:
        kernel_size: the window, an int or (height, width).
        stride: its step.
        pad_mode: "valid": windows inside the input only; "same": ceil(size / stride) windows; "pad": `padding` around.
        padding: an int or (height, width), for "pad"; what is added never is the greatest.
        dilation: distance between the window's elements, for "pad".
        return_indices: give also where the greatest stood, for "pad".
        ceil_mode: let the last window reach over the end, for "pad".
        data_format: "NCHW".

    Shapes: input (N, C, H, W) or (C, H, W).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range, or one that needs pad_mode "pad".

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(MaxPool2d(2, 2)(Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))))
    [[[[ 5.  7.]
       [13. 15.]]]]
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        name = type(self).__name__
        self.padding = _check.pair(name, "padding", padding, 2, least=0)
        self.dilation = _check.pair(name, "dilation", dilation)
        self.return_indices = _check.boolean(name, "return_indices", return_indices)
        self.ceil_mode = _check.boolean(name, "ceil_mode", ceil_mode)
        self._only_for_pad(
            padding=padding not in (0, (0, 0)),
            dilation=dilation not in (1, (1, 1)),
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )
        self._fixed = (self._window, self._step, self.padding, self.dilation, return_indices, ceil_mode)
        self._same = F.MaxPool(self._window, self._step, "same") if self.pad_mode == "SAME" else None

    def construct(self, x: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        if self._same is not None:
            return batched(self._same, x, 4)
        if x.ndim == 4:
            return F.max_pool2d(x, *self._fixed)
        return batched(lambda y: F.max_pool2d(y, *self._fixed), x, 4)


class AvgPool2d(Pool):
    """The mean of each window over height and width (``mindspore.nn.AvgPool2d``).

    Args:
        kernel_size: the window, an int or (height, width).
        stride: its step.
        pad_mode: as `MaxPool2d`; elements added by "same" do not count.
        padding: an int or (height, width), for "pad".
        ceil_mode: let the last window reach over the end, for "pad".
        count_include_pad: zeros of `padding` count as elements, for "pad".
        divisor_override: divide by this in place of the number of elements, for "pad".
        data_format: "NCHW".

    Shapes: input (N, C, H, W) or (C, H, W).

    Raises:
        TypeError, ValueError: an argument of the wrong type or out of range, or one that needs pad_mode "pad".

    >>> import numpy as np
    >>> from ms_kernels import Tensor
    >>> print(AvgPool2d(2, 2)(Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))))
    [[[[ 2.5  4.5]
       [10.5 12.5]]]]
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, data_format)
        name = type(self).__name__
        self.padding = _check.pair(name, "padding", padding, 2, least=0)
        self.ceil_mode = _check.boolean(name, "ceil_mode", ceil_mode)
        self.count_include_pad = _check.boolean(name, "count_include_pad", count_include_pad)
        self.divisor_override = check_divisor(name, divisor_override)
        self._only_for_pad(
            padding=padding not in (0, (0, 0)),
            ceil_mode=ceil_mode,
            count_include_pad=not count_include_pad,
            divisor_override=divisor_override is not None,
        )
        self._fixed = (self._window, self._step, self.padding, ceil_mode, count_include_pad, divisor_override or 0)
        self._same = F.AvgPool(self._window, self._step, "same") if self.pad_mode == "SAME" else None

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        if self._same is not None:
            return batched(self._same, x, 4)
        return batched(lambda y: F.avg_pool2d(y, *self._fixed), x, 4)


def _flat(name: str, kernel_size: Any, stride: Any, padding: Any) -> tuple[tuple[int, int], tuple[int, int], Any]:
    """The ints of a 1-D pool as the pairs of the 2-D pool that does its work; a padding of 0 stays as it is."""
    for arg, value in (("kernel_size", kernel_size), ("stride", stride)):
        if isinstance(value, bool) or not isinstance(value, int):
            fail(TypeError, name, f"type of '{arg}'", "be 'int'", f"type '{type(value).__name__}'")
        _check.integer(name, arg, value)
    pads = (0, _check.integer(name, "padding", padding, least=0)) if padding else 0
    return (1, kernel_size), (1, stride), pads


class MaxPool1d(MaxPool2d):
    """The greatest element of each window over the last dimension (``mindspore.nn.MaxPool1d``); see `MaxPool2d`.

    Shapes: input (N, C, L) or (C, L).

    >>> from ms_kernels import Tensor
    >>> print(MaxPool1d(2, 2)(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    [[[3. 2.]]]
    """

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int = 0,
        dilation: int = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        name = type(self).__name__
        window, step, pads = _flat(name, kernel_size, stride, padding)
        gaps = (1, _check.integer(name, "dilation", dilation)) if dilation != 1 else 1
        super().__init__(window, step, pad_mode, pads, gaps, return_indices, ceil_mode)

    def construct(self, x: Any) -> Any:
        """The layer's result; a pair with the indices when they were asked for."""
        out = super().construct(x.expand_dims(-2))
        return tuple(item.squeeze(-2) for item in out) if isinstance(out, tuple) else out.squeeze(-2)


class AvgPool1d(AvgPool2d):
    """The mean of each window over the last dimension (``mindspore.nn.AvgPool1d``); see `AvgPool2d`.

    Shapes: input (N, C, L) or (C, L).

    >>> from ms_kernels import Tensor
    >>> print(AvgPool1d(2, 2)(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    [[[2. 1.]]]
    """

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: int = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        window, step, pads = _flat(type(self).__name__, kernel_size, stride, padding)
        super().__init__(window, step, pad_mode, pads, ceil_mode, count_include_pad)

    def construct(self, x: Any) -> Any:
        """The layer's result."""
        return super().construct(x.expand_dims(-2)).squeeze(-2)
