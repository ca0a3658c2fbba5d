"""Complex numbers: parts, angles, and making them; questions about a tensor's type."""

from __future__ import annotations

from typing import Any

import numpy as np

import ms_dtype as mstype
from ms_kernels.core.tensor import TensorBase
from ms_kernels.opdef import rules
from ms_kernels.opdef.errors import describe, fail
from ms_kernels.opdef.register import COMPLEX, composite, op
from ms_kernels.opdef.spec import Array
from ms_kernels.ops.arithmetic import atan2
from ms_kernels.ops.cast import conj
from ms_kernels.ops.elementary import sqrt, square
from ms_kernels.ops.rearrange import stack
from ms_kernels.ops.shape import permute, swapaxes
from ms_kernels.ops.signs import tensor_only
from ms_kernels.ops.trigonometry import cos, sin

__all__ = ["adjoint", "angle", "complex_", "imag", "polar", "real", "view_as_real"]

WIDE = frozenset({np.dtype(np.float32), np.dtype(np.float64)})


def _part(dtype: Any) -> Any:
    return {mstype.complex64: mstype.float32, mstype.complex128: mstype.float64}.get(dtype, dtype)


def _whole(dtype: Any) -> Any:
    return {mstype.float32: mstype.complex64, mstype.float64: mstype.complex128}.get(dtype, dtype)


def _zeros(t: Any) -> Any:
    return t * 0


def _real_vjp(g: Any, _out: Any, input: Any) -> Any:
    return complex_(g, _zeros(g)) if input.dtype.kind == "c" else g


@op(
    shape=rules.same,
    dtype=lambda input: _part(input),
    vjp=_real_vjp,
    fuse="elementwise",
    ascend="copy",
    ops="real(input)",
    tensor="real()",
    primitive="Real()(input)",
)
def real(input: Array) -> Any:
    """Return the real part of each element; real numbers as they are.

    Raises:
        TypeError: the input is no Tensor.

    Examples:
        >>> print(ops.real(Tensor([1 + 2j, 3j])))
        [1. 0.]

    Source: ``mindspore.ops.real``.
    """
    return np.array(input.real) if input.dtype.kind == "c" else input.copy()


def _imag_vjp(g: Any, _out: Any, input: Any) -> Any:
    return complex_(_zeros(g), g) if input.dtype.kind == "c" else g * 0


@op(
    shape=rules.same,
    dtype=lambda input: _part(input),
    vjp=_imag_vjp,
    fuse="elementwise",
    ascend="copy",
    ops="imag(input)",
    tensor="imag()",
    primitive="Imag()(input)",
)
def imag(input: Array) -> Any:
    """Return the imaginary part of each element; 0 for real numbers.

    Examples:
        >>> print(ops.imag(Tensor([1 + 2j, 3j])))
        [2. 3.]

    Source: ``mindspore.ops.imag``.
    """
    return np.array(input.imag) if input.dtype.kind == "c" else np.zeros_like(input)


@op(
    shape=rules.broadcast("Complex"),
    dtype=lambda part, _other: _whole(part),
    accepts=WIDE,
    promote=1,
    vjp=lambda g, _out, _part, _other: (lambda: real(g), lambda: imag(g)),
    fuse="elementwise",
    ascend="copy",
    primitive="Complex()(real, imag)",
    rename={"real": "part", "imag": "other"},
    name="complex",
)
def complex_(part: Array, other: Array) -> Any:
    """Return complex numbers of real and imaginary parts, broadcast together.

    Raises:
        TypeError: parts that are neither float32 nor float64.

    Examples:
        >>> print(ops.Complex()(Tensor([1.0]), Tensor([2.0])))
        [1.+2.j]

    Source: ``mindspore.ops.Complex``.
    """
    out = np.empty(np.broadcast_shapes(part.shape, other.shape), np.result_type(part.dtype, np.complex64))
    out.real, out.imag = part, other
    return out


@composite(ops="angle(input)", tensor="angle()", primitive="Angle()(input)")
def angle(input: Array) -> Any:
    """Return the angle of each complex number, in radians.

    Raises:
        TypeError: the elements are not complex.

    Examples:
        >>> print(ops.angle(Tensor([1j, 1.0])))
        [1.5707964 0.       ]

    Source: ``mindspore.ops.angle``.
    """
    tensor_only("Angle", "input", input)
    if input._kind not in COMPLEX:
        fail(TypeError, "Angle", "dtype of 'input'", "be complex64 or complex128", str(input.dtype))
    return atan2(imag(input), real(input))


@composite(
    ops="polar(abs, angle)",
    mint="polar(abs, angle)",
    primitive="Polar()(abs, angle)",
    rename={"abs": "size", "angle": "turn"},
)
def polar(size: Array, turn: Array) -> Any:
    """Return complex numbers of absolute values and angles.

    Raises:
        TypeError: an operand is no Tensor.

    Examples:
        >>> print(ops.polar(Tensor([2.0]), Tensor([0.0])))
        [2.+0.j]

    Source: ``mindspore.ops.polar``.
    """
    tensor_only("Polar", "abs", size)
    tensor_only("Polar", "angle", turn)
    return complex_(size * cos(turn), size * sin(turn))


@composite(ops="view_as_real(input)")
def view_as_real(input: Array) -> Any:
    """Return real and imaginary parts as a new last dimension of size 2.

    Raises:
        TypeError: the elements are not complex.

    Examples:
        >>> print(ops.view_as_real(Tensor([1 + 2j])))
        [[1. 2.]]

    Source: ``mindspore.ops.view_as_real``.
    """
    if not isinstance(input, TensorBase) or input.dtype.kind != "c":
        fail(TypeError, "view_as_real", "'input'", "be a complex Tensor", describe(input))
    return stack([real(input), imag(input)], -1)


@composite(ops="adjoint(x)", tensor="adjoint()")
def adjoint(input: Array) -> Any:
    """Return the conjugate transposes of matrices.

    Examples:
        >>> print(ops.adjoint(Tensor([[1.0, 2.0]])))
        [[1.]
         [2.]]

    Source: ``mindspore.ops.adjoint``.
    """
    if input.ndim < 2:
        fail(ValueError, "adjoint", "'x'", "have two or more dimensions", f"shape {list(input.shape)}")
    return conj(swapaxes(input, -1, -2))


@composite(primitive="ConjugateTranspose()(x, perm)", rename={"perm": "dim"})
def conjugate_transpose(input: Array, dim: Any) -> Any:
    """Return the conjugates with dimensions in another order.

    Examples:
        >>> print(ops.ConjugateTranspose()(Tensor([[1.0, 2.0]]), (1, 0)))
        [[1.]
         [2.]]

    Source: ``mindspore.ops.ConjugateTranspose``.
    """
    return conj(permute(input, dim))


@composite(primitive="ComplexAbs()(x)")
def complex_abs(input: Array) -> Any:
    """Return the absolute values of complex numbers, as real ones.

    Examples:
        >>> print(ops.ComplexAbs()(Tensor([3 + 4j])))
        [5.]

    Source: ``mindspore.ops.ComplexAbs``.
    """
    return sqrt(square(real(input)) + square(imag(input)))


def _question(name: str, answer: Any, text: str, example: str) -> Any:
    def body(input: Any) -> bool:
        return bool(answer(input))

    body.__annotations__["input"] = "Array"
    body.__module__ = __name__
    body.__doc__ = (
        f"{text}: a Python bool.\n\nExamples:\n    >>> {example}\n    True\n\nSource: ``mindspore.ops.{name}``."
    )
    arg = "obj" if name == "is_tensor" else "input"
    return composite(ops=f"{name}({arg})", rename={"obj": "input"}, name=name)(body)


def _kind(name: str, kind: str) -> Any:
    def answer(input: Any) -> bool:
        tensor_only(name, "input", input)
        return bool(input.dtype.kind == kind)

    return answer


def _nonzero(input: Any) -> bool:
    tensor_only("is_nonzero", "input", input)
    if input._a.size != 1:
        fail(ValueError, "is_nonzero", "number of elements of 'input'", "be 1", str(input._a.size))
    return bool(input._a.reshape(-1)[0] != 0)


is_complex = _question(
    "is_complex", _kind("is_complex", "c"), "Return whether the elements are complex", "ops.is_complex(Tensor([1j]))"
)
is_floating_point = _question(
    "is_floating_point",
    _kind("is_floating_point", "f"),
    "Return whether the elements are of a float type",
    "ops.is_floating_point(Tensor([1.0]))",
)
is_tensor = _question(
    "is_tensor",
    lambda obj: isinstance(obj, TensorBase),
    "Return whether the object is a Tensor",
    "ops.is_tensor(Tensor([1]))",
)
is_nonzero = _question(
    "is_nonzero", _nonzero, "Return whether the only element is not 0", "ops.is_nonzero(Tensor([2]))"
)
