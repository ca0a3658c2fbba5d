"""Initializers with a structure: Identity, Dirac, Orthogonal, Sparse."""

from __future__ import annotations

import math

import numpy as np

from ms_initializer.base import Array, Initializer, assign, register
from ms_initializer.random import fill
from ms_kernels.opdef.errors import fail
from ms_kernels.random import initial

__all__ = ["Dirac", "Identity", "Orthogonal", "Sparse"]


@register()
class Identity(Initializer):
    """Ones on the main diagonal of a matrix, zeros elsewhere.

    Raises:
        ValueError: when it fills: the array is no matrix.

    Examples:
        >>> from ms_initializer import initializer
        >>> print(initializer("identity", [2, 3]).init_data())
        [[1. 0. 0.]
         [0. 1. 0.]]
    """

    def _initialize(self, arr: Array) -> None:
        if arr.ndim != 2:
            fail(ValueError, "Identity", "dims of the array", "be 2", str(arr.ndim))
        assign(arr, np.eye(*arr.shape, dtype=np.float32))


@register()
class Dirac(Initializer):
    """Convolution weights that hand on their input channels unchanged, as many as there are output channels for.

    Args:
        groups: groups of the convolution; each gets the pattern.

    Raises:
        ValueError: when it fills: the array has not 3, 4 or 5 dims; `groups` does not divide the first.

    Examples:
        >>> from ms_initializer import initializer
        >>> print(initializer("dirac", [2, 1, 3]).init_data())
        [[[0. 1. 0.]]
        <BLANKLINE>
         [[0. 0. 0.]]]
    """

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        self.groups = groups

    def _initialize(self, arr: Array) -> None:
        if arr.ndim not in (3, 4, 5):
            fail(ValueError, "Dirac", "dims of the array", "be 3, 4 or 5", str(arr.ndim))
        if type(self.groups) is not int or self.groups <= 0 or arr.shape[0] % self.groups:
            rule = "be a positive int that divides the first dim"
            fail(ValueError, "Dirac", "'groups'", rule, f"{self.groups} for {arr.shape[0]}")
        arr.fill(0)
        each = arr.shape[0] // self.groups
        channel = np.arange(min(each, arr.shape[1]))
        middle = tuple(n // 2 for n in arr.shape[2:])
        for group in range(self.groups):
            place = (group * each + channel, channel, *middle)
            arr[place] = 1


@register()
class Orthogonal(Initializer):
    """Rows, or columns where there are fewer, that are orthogonal and of length gain (Saxe, McClelland, Ganguli, 2013).

    An array of more than 2 dims counts as a matrix of shape[0] rows.  The QR decomposition is LAPACK's: another build
    of it than 2.6's may give other last digits.

    Args:
        gain: the factor.

    Raises:
        ValueError: when it fills: fewer than 2 dims.

    Examples:
        >>> from ms_initializer import initializer
        >>> q = initializer("orthogonal", [3, 5]).init_data().asnumpy()
        >>> bool(abs(q @ q.T - np.eye(3)).max() < 1e-6)
        True
    """

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: Array) -> None:
        if arr.ndim < 2:
            fail(ValueError, "Orthogonal", "dims of the array", "be 2 or more", str(arr.ndim))
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        matrix = np.empty((rows, columns), np.float32)
        fill(matrix, initial.normal, (0.0, 1.0))
        q, r = np.linalg.qr(matrix.T if rows < columns else matrix)
        q *= np.sign(np.diag(r))
        assign(arr, (q.T if rows < columns else q) * np.float32(self.gain))


@register()
class Sparse(Initializer):
    """A normal matrix with a share of each column set to zero (Martens, 2010).

    Args:
        sparsity: the share, from 0 to 1; rounded up to whole elements.
        sigma: standard deviation of the others.

    Raises:
        ValueError: when it fills: the array is no matrix; `sigma` is negative.

    Examples:
        >>> from ms_initializer import initializer
        >>> x = initializer(Sparse(0.3), [10, 2]).init_data().asnumpy()
        >>> (x == 0).sum(axis=0).tolist()
        [3, 3]
    """

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__()
        self.sparsity = sparsity
        self.sigma = sigma

    def _initialize(self, arr: Array) -> None:
        if arr.ndim != 2:
            fail(ValueError, "Sparse", "dims of the array", "be 2", str(arr.ndim))
        rows, columns = arr.shape
        zeros = math.ceil(self.sparsity * rows)
        fill(arr, initial.normal, (0.0, self.sigma))
        for column in range(columns):
            arr[np.random.permutation(rows)[:zeros], column] = 0
