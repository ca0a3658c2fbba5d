# c-sources: src/ms_kernels/simd/pooling.c
"""Max and average pooling over the last one, two or three axes, and their gradients.

Arguments are never checked. `kernel` says how many axes there are; `padding` has one number per axis, or two (before
and after). 16-bit types are averaged in float32 and rounded once; other types than floats go through float64.
"""

cimport numpy as np

from ms_kernels.core.runtime cimport empty_dims, ms_rt, rt_table
from ms_kernels.loops.linalg cimport half_kind, narrow, widen

import numpy

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "pooling.h":
    # "in" is a keyword
    ctypedef struct ms_pool:
        Py_ssize_t planes
        Py_ssize_t size "in"[3]
        Py_ssize_t out[3]
        Py_ssize_t step[3]
        const Py_ssize_t *start[3]
        const Py_ssize_t *count[3]
        const Py_ssize_t *weight[3]
        double divisor
    void ms_pool_max_f32(const ms_pool *p, const float *x, float *y, void *index, int wide) noexcept nogil
    void ms_pool_max_f64(const ms_pool *p, const double *x, double *y, void *index, int wide) noexcept nogil
    void ms_pool_max_grad_f32(const ms_pool *p, const float *dy, const void *index, int wide, float *dx) noexcept nogil
    void ms_pool_max_grad_f64(const ms_pool *p, const double *dy, const void *index, int wide, double *dx) noexcept nogil
    void ms_pool_avg_f32(const ms_pool *p, const float *x, float *y) noexcept nogil
    void ms_pool_avg_f64(const ms_pool *p, const double *x, double *y) noexcept nogil
    void ms_pool_avg_grad_f32(const ms_pool *p, const float *dy, float *dx) noexcept nogil
    void ms_pool_avg_grad_f64(const ms_pool *p, const double *dy, double *dx) noexcept nogil

ms_rt_table = rt_table()

cdef object INTP = numpy.dtype(numpy.intp)
cdef object INT64 = numpy.dtype(numpy.int64)


def pooled_size(
    size: int, kernel: int, stride: int, before: int, after: int, dilation: int, ceil_mode: bool
) -> int:
    """How many windows an axis has; with `ceil_mode` the last may reach over the end, but must start before it.

    >>> pooled_size(5, 2, 2, 0, 0, 1, False), pooled_size(5, 2, 2, 0, 0, 1, True)
    (2, 3)
    """
    span = size + before + after - dilation * (kernel - 1) - 1
    if span < 0 and not (ceil_mode and span > -stride):
        return 0
    count = (span + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (count - 1) * stride >= size + before:
        count -= 1
    return count


cdef object window_table(Py_ssize_t size, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t before, Py_ssize_t after,
                         Py_ssize_t dilation, bint ceil_mode, bint with_pad):
    """Rows start, count, weight; one column per window."""
    cdef Py_ssize_t n = pooled_size(size, kernel, stride, before, after, dilation, ceil_mode)
    cdef np.ndarray table = numpy.empty((3, n), INTP)
    cdef Py_ssize_t *start = <Py_ssize_t*>np.PyArray_DATA(table)
    cdef Py_ssize_t *count = start + n
    cdef Py_ssize_t *weight = count + n
    cdef Py_ssize_t i, first, skip
    for i in range(n):
        first = i * stride - before
        skip = (-first + dilation - 1) // dilation if first < 0 else 0
        start[i] = first + skip * dilation
        count[i] = 0
        if start[i] < size:
            count[i] = max(0, min(kernel - skip, (size - start[i] + dilation - 1) // dilation))
        weight[i] = min(first + kernel, size + after) - first if with_pad else count[i]
    return table


cdef object adaptive_table(Py_ssize_t size, Py_ssize_t n):
    cdef np.ndarray table = numpy.empty((3, n), INTP)
    cdef Py_ssize_t *start = <Py_ssize_t*>np.PyArray_DATA(table)
    cdef Py_ssize_t i
    for i in range(n):
        start[i] = i * size // n
        start[n + i] = start[2 * n + i] = ((i + 1) * size + n - 1) // n - start[i]
    return table


cdef list regular(x_shape, kernel, stride, padding, dilation, bint ceil_mode, bint with_pad):
    cdef int axes = len(kernel)
    cdef int first = len(x_shape) - axes
    if len(padding) == axes:
        padding = [pad for pad in padding for _ in range(2)]
    return [
        window_table(x_shape[first + i], kernel[i], stride[i], padding[2 * i], padding[2 * i + 1],
                     1 if dilation is None else dilation[i], ceil_mode, with_pad)
        for i in range(axes)
    ]


cdef list adaptive(x_shape, size):
    cdef int first = len(x_shape) - len(size)
    return [adaptive_table(x_shape[first + i], size[i]) for i in range(len(size))]


cdef tuple plan(ms_pool *p, x_shape, list tables, dilation):
    """Fills in `p`, whose pointers lead into the returned arrays; also gives the shape of the result."""
    cdef int axes = len(tables)
    cdef int i
    cdef np.ndarray table
    cdef list full = [adaptive_table(1, 1)] * (3 - axes) + tables
    cdef int first = len(x_shape) - axes
    p.planes = 1
    for i in range(first):
        p.planes *= x_shape[i]
    for i in range(3):
        table = full[i]
        p.size[i] = x_shape[first + i - (3 - axes)] if i >= 3 - axes else 1
        p.step[i] = dilation[i - (3 - axes)] if dilation is not None and i >= 3 - axes else 1
        p.out[i] = table.shape[1]
        p.start[i] = <const Py_ssize_t*>np.PyArray_DATA(table)
        p.count[i] = p.start[i] + p.out[i]
        p.weight[i] = p.count[i] + p.out[i]
    p.divisor = 0
    return full, tuple(x_shape[:first]) + tuple([t.shape[1] for t in tables])


cdef np.ndarray prepare(np.ndarray a):
    """Contiguous and of a type that the loops know."""
    cdef int num = np.PyArray_TYPE(a)
    if num == np.NPY_FLOAT or num == np.NPY_DOUBLE:
        return a if np.PyArray_IS_C_CONTIGUOUS(a) else np.PyArray_GETCONTIGUOUS(a)
    return widen(np.PyArray_GETCONTIGUOUS(a)) if half_kind(a) >= 0 else numpy.ascontiguousarray(a, numpy.float64)


cdef object finish(np.ndarray out, np.ndarray like):
    if np.PyArray_TYPE(out) == np.PyArray_TYPE(like):
        return out
    return narrow(out, like.dtype) if half_kind(like) >= 0 else out.astype(like.dtype)


cdef np.ndarray new(tuple shape, np.ndarray like):
    cdef np.npy_intp dims[64]
    cdef int i
    for i in range(len(shape)):
        dims[i] = shape[i]
    return empty_dims(len(shape), dims, like.dtype)


cdef object run_max(np.ndarray x, list tables, dilation, bint return_indices, index_dtype):
    cdef ms_pool p
    cdef np.ndarray a = prepare(x)
    cdef np.ndarray out
    cdef np.ndarray index
    cdef void *at = NULL
    cdef bint wide = False
    _keep, shape = plan(&p, (<object>x).shape, tables, dilation)
    out = new(shape, a)
    if return_indices:
        index = numpy.empty(shape, index_dtype)
        at = np.PyArray_DATA(index)
        wide = np.PyArray_ITEMSIZE(index) == 8
    cdef void *src = np.PyArray_DATA(a)
    cdef void *dst = np.PyArray_DATA(out)
    with nogil:
        if np.PyArray_TYPE(a) == np.NPY_FLOAT:
            ms_pool_max_f32(&p, <const float*>src, <float*>dst, at, wide)
        else:
            ms_pool_max_f64(&p, <const double*>src, <double*>dst, at, wide)
    return (finish(out, x), index) if return_indices else finish(out, x)


cdef object run_avg(np.ndarray x, tuple shape, list tables, double divisor, bint back):
    """The average of `x`, or, with `back`, the gradient for an input of `shape` from `x` = dy."""
    cdef ms_pool p
    cdef np.ndarray a = prepare(x)
    cdef np.ndarray out
    _keep, small = plan(&p, shape, tables, None)
    p.divisor = divisor
    out = new(shape if back else small, a)
    cdef bint single = np.PyArray_TYPE(a) == np.NPY_FLOAT
    cdef void *src = np.PyArray_DATA(a)
    cdef void *dst = np.PyArray_DATA(out)
    with nogil:
        if back:
            if single:
                ms_pool_avg_grad_f32(&p, <const float*>src, <float*>dst)
            else:
                ms_pool_avg_grad_f64(&p, <const double*>src, <double*>dst)
        elif single:
            ms_pool_avg_f32(&p, <const float*>src, <float*>dst)
        else:
            ms_pool_avg_f64(&p, <const double*>src, <double*>dst)
    return finish(out, x)


def max_pool(
    x: np.ndarray,
    kernel,
    stride,
    padding,
    dilation=None,
    ceil_mode: bool = False,
    return_indices: bool = False,
    index_dtype="int64",
):
    """The largest element of each window; NaN wins, of equal ones the first.

    With `return_indices` also where it stood: flat over the pooled axes, int32 or int64 (-1 for a window outside).

    >>> max_pool(numpy.arange(16.0).reshape(1, 1, 4, 4), (2, 2), (2, 2), (0, 0), return_indices=True)[1].tolist()
    [[[[5, 7], [13, 15]]]]
    """
    tables = regular((<object>x).shape, kernel, stride, padding, dilation, ceil_mode, False)
    return run_max(x, tables, dilation, return_indices, index_dtype)


def adaptive_max_pool(x: np.ndarray, size, return_indices: bool = False, index_dtype="int64"):
    """`max_pool` with windows that cut each axis into `size` nearly equal parts.

    >>> adaptive_max_pool(numpy.arange(5.0), (2,)).tolist()
    [2.0, 4.0]
    """
    return run_max(x, adaptive((<object>x).shape, size), None, return_indices, index_dtype)


def max_pool_grad(dy: np.ndarray, indices: np.ndarray, x_shape) -> np.ndarray:
    """The gradient of `max_pool` from its indices, for an (N, C, ...) input of `x_shape`.

    >>> max_pool_grad(numpy.ones((1, 1, 2)), numpy.array([[[1, 1]]]), (1, 1, 3)).tolist()
    [[[0.0, 2.0, 0.0]]]
    """
    return scatter(dy, indices, tuple(x_shape), dy.ndim - 2)


cdef object scatter(np.ndarray dy, np.ndarray indices, tuple x_shape, int axes):
    cdef ms_pool p
    cdef np.ndarray a = prepare(dy)
    cdef np.ndarray at = np.PyArray_GETCONTIGUOUS(indices)
    cdef np.ndarray out
    cdef int first = dy.ndim - axes
    _keep, _shape = plan(&p, x_shape, [adaptive_table(x_shape[first + i], dy.shape[first + i]) for i in range(axes)], None)
    out = new(x_shape, a)
    if np.PyArray_SIZE(out) == 0:
        return finish(out, dy)
    cdef bint wide = np.PyArray_ITEMSIZE(at) == 8
    cdef void *src = np.PyArray_DATA(a)
    cdef void *dst = np.PyArray_DATA(out)
    cdef void *ind = np.PyArray_DATA(at)
    with nogil:
        if np.PyArray_TYPE(a) == np.NPY_FLOAT:
            ms_pool_max_grad_f32(&p, <const float*>src, ind, wide, <float*>dst)
        else:
            ms_pool_max_grad_f64(&p, <const double*>src, ind, wide, <double*>dst)
    return finish(out, dy)


def avg_pool(
    x: np.ndarray,
    kernel,
    stride,
    padding,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override=None,
) -> np.ndarray:
    """The mean of each window; padding counts as zeros, or not at all, or the sum is divided by `divisor_override`.

    >>> avg_pool(numpy.arange(4.0), (2,), (1,), (1,)).tolist()
    [0.0, 0.5, 1.5, 2.5, 1.5]
    """
    tables = regular((<object>x).shape, kernel, stride, padding, None, ceil_mode, count_include_pad)
    return run_avg(x, (<object>x).shape, tables, divisor_override or 0, False)


def avg_pool_grad(
    dy: np.ndarray,
    x_shape,
    kernel,
    stride,
    padding,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override=None,
) -> np.ndarray:
    """The gradient of `avg_pool` for an input of `x_shape`.

    >>> avg_pool_grad(numpy.ones(2), (4,), (2,), (2,), (0,)).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    tables = regular(tuple(x_shape), kernel, stride, padding, None, ceil_mode, count_include_pad)
    return run_avg(dy, tuple(x_shape), tables, divisor_override or 0, True)


def adaptive_avg_pool(x: np.ndarray, size) -> np.ndarray:
    """`avg_pool` with windows that cut each axis into `size` nearly equal parts.

    >>> adaptive_avg_pool(numpy.arange(5.0), (2,)).tolist()
    [1.0, 3.0]
    """
    return run_avg(x, (<object>x).shape, adaptive((<object>x).shape, size), 0, False)


def adaptive_avg_pool_grad(dy: np.ndarray, x_shape) -> np.ndarray:
    """The gradient of `adaptive_avg_pool` for an (N, C, ...) input of `x_shape`.

    >>> adaptive_avg_pool_grad(numpy.ones((1, 1, 2)), (1, 1, 4)).tolist()
    [[[0.5, 0.5, 0.5, 0.5]]]
    """
    return run_avg(dy, tuple(x_shape), adaptive(tuple(x_shape), (<object>dy).shape[2:]), 0, True)


max_pool2d = max_pool
max_pool2d_grad = max_pool_grad
avg_pool2d = avg_pool
avg_pool2d_grad = avg_pool_grad
adaptive_max_pool2d = adaptive_max_pool
adaptive_avg_pool2d = adaptive_avg_pool
adaptive_avg_pool2d_grad = adaptive_avg_pool_grad
