# c-sources: src/ms_kernels/simd/conv.c src/ms_kernels/simd/gemm_base.c src/ms_kernels/simd/gemm_avx2.c
"""Convolutions in NCHW and their gradients: correlation with the filter, as every network library has it.

Arguments are never checked. Strides and dilations have one number per image axis, `padding` two (before and after: for
images top, bottom, left, right; negative ones crop). 16-bit types are computed and summed in float32 and rounded once,
integers in float64.
"""

cimport numpy as np

from ms_kernels.core.runtime cimport empty_dims, ms_rt, rt_table
from ms_kernels.loops.linalg cimport half_kind, matmul_array, narrow, widen

import numpy

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "conv.h":
    ctypedef struct ms_conv:
        Py_ssize_t n, groups, cg, mg, ih, iw, oh, ow, r, s, sh, sw, dh, dw, pt, pl
    int ms_conv_forward_f32(const ms_conv *p, const float *x, const float *w, const float *bias, float *y) nogil
    int ms_conv_forward_f64(const ms_conv *p, const double *x, const double *w, const double *bias, double *y) nogil
    int ms_conv_grad_input_f32(const ms_conv *p, const float *dy, const float *w, float *dx) nogil
    int ms_conv_grad_input_f64(const ms_conv *p, const double *dy, const double *w, double *dx) nogil
    int ms_conv_grad_weight_f32(const ms_conv *p, const float *dy, const float *x, float *dw) nogil
    int ms_conv_grad_weight_f64(const ms_conv *p, const double *dy, const double *x, double *dw) nogil

ms_rt_table = rt_table()

cdef enum:
    FORWARD
    INPUT
    WEIGHT
    PIXELS = 100  # most results of a channel, over the batch, for which a product of matrices is faster


cdef np.ndarray prepare(np.ndarray a):
    """Contiguous and of a type that the loops know."""
    cdef int num = np.PyArray_TYPE(a)
    if num == np.NPY_FLOAT or num == np.NPY_DOUBLE:
        return a if np.PyArray_IS_C_CONTIGUOUS(a) else np.PyArray_GETCONTIGUOUS(a)
    return widen(np.PyArray_GETCONTIGUOUS(a)) if half_kind(a) >= 0 else a.astype(numpy.float64)


cdef np.ndarray finish(np.ndarray out, np.dtype descr):
    """The result in the type of the operands."""
    if (<object>out).dtype == descr:
        return out
    if half_kind(numpy.empty(0, descr)) >= 0:
        return narrow(np.PyArray_GETCONTIGUOUS(out), descr)
    return out.astype(descr)


cdef void geometry(ms_conv *p, tuple stride, tuple padding, tuple dilation, Py_ssize_t groups,
                   Py_ssize_t n, Py_ssize_t c, Py_ssize_t ih, Py_ssize_t iw, Py_ssize_t m, Py_ssize_t r, Py_ssize_t s):
    cdef Py_ssize_t bottom = padding[1]
    cdef Py_ssize_t right = padding[3]
    p.sh, p.sw = stride
    p.dh, p.dw = dilation
    p.pt = padding[0]
    p.pl = padding[2]
    p.n, p.groups, p.cg, p.mg = n, groups, c // groups, m // groups
    p.ih, p.iw, p.r, p.s = ih, iw, r, s
    p.oh = max(0, ih + p.pt + bottom - p.dh * (r - 1) - 1 + p.sh) // p.sh
    p.ow = max(0, iw + p.pl + right - p.dw * (s - 1) - 1 + p.sw) // p.sw


cdef bint few_pixels(ms_conv *p):
    """Whether so few results share a large filter that one product of matrices beats the correlation."""
    cdef Py_ssize_t plane = p.oh * p.ow
    return p.groups == 1 and (plane == 1 or p.n * plane <= PIXELS) and p.cg * p.mg * p.r * p.s >= 131072


cdef object windows(ms_conv *p, np.ndarray x):
    """What each result reads, as a view (C, R, S, N, OH, OW) of the padded images."""
    cdef Py_ssize_t high = (p.oh - 1) * p.sh + (p.r - 1) * p.dh + 1
    cdef Py_ssize_t wide = (p.ow - 1) * p.sw + (p.s - 1) * p.dw + 1
    cdef Py_ssize_t top = max(0, p.pt), left = max(0, p.pl), above = max(0, -p.pt), before = max(0, -p.pl)
    cdef Py_ssize_t rows = min(p.ih - above, high - top), columns = min(p.iw - before, wide - left)
    inner = x[:, :, above:above + rows, before:before + columns]
    if top or left or rows < high or columns < wide:
        padded = numpy.zeros((p.n, p.cg, high, wide), (<object>x).dtype)
        padded[:, :, top:top + rows, left:left + columns] = inner
        inner = padded
    sn, sc, sh, sw = inner.strides
    return numpy.lib.stride_tricks.as_strided(
        inner, (p.cg, p.r, p.s, p.n, p.oh, p.ow), (sc, sh * p.dh, sw * p.dw, sn, sh * p.sh, sw * p.sw))


cdef np.ndarray columns(ms_conv *p, np.ndarray x):
    """What each result reads, as a column (C*R*S, N*OH*OW)."""
    cdef Py_ssize_t depth = p.cg * p.r * p.s
    view = windows(p, x)
    if p.oh * p.ow == 1:  # then the images themselves are the rows of the transposed matrix
        return view.transpose(3, 4, 5, 0, 1, 2).reshape(p.n, depth).T
    return view.reshape(depth, p.n * p.oh * p.ow)


cdef np.ndarray by_channel(ms_conv *p, np.ndarray y):
    """Results (N, K, OH, OW) as a matrix (K, N*OH*OW)."""
    return y.reshape(p.n, p.mg, p.oh * p.ow).transpose(1, 0, 2).reshape(p.mg, p.n * p.oh * p.ow)


cdef np.ndarray product(int what, ms_conv *p, np.ndarray a, np.ndarray b, np.ndarray bias):
    """`run` by a product of matrices."""
    cdef Py_ssize_t depth = p.cg * p.r * p.s, i, j
    cdef np.ndarray out
    if what == WEIGHT:
        return matmul_array(by_channel(p, a), columns(p, b).T).reshape(p.mg, p.cg, p.r, p.s)
    if what == FORWARD:
        if p.oh * p.ow == 1:
            out = matmul_array(columns(p, a).T, b.reshape(p.mg, depth).T).reshape(p.n, p.mg, 1, 1)
        else:
            out = matmul_array(b.reshape(p.mg, depth), columns(p, a))
            out = out.reshape(p.mg, p.n, p.oh, p.ow).transpose(1, 0, 2, 3)
        return numpy.ascontiguousarray(out) if bias is None else out + bias[:, None, None]
    if p.oh * p.ow == 1:
        parts = matmul_array(a.reshape(p.n, p.mg), b.reshape(p.mg, depth)).T
    else:
        parts = matmul_array(b.reshape(p.mg, depth).T, by_channel(p, a))
    parts = parts.reshape(p.cg, p.r, p.s, p.n, p.oh, p.ow)
    if p.r == p.s == p.sh == p.sw == 1 and p.pt == p.pl == 0 and p.oh == p.ih and p.ow == p.iw:
        return numpy.ascontiguousarray(parts[:, 0, 0].transpose(1, 0, 2, 3))
    out = numpy.zeros((p.n, p.cg, p.ih, p.iw), (<object>a).dtype)
    for i, to_h, from_h in taps(p.ih, p.oh, p.r, p.sh, p.pt, p.dh):
        for j, to_w, from_w in taps(p.iw, p.ow, p.s, p.sw, p.pl, p.dw):
            view = out[:, :, from_h, from_w]
            view += parts[:, i, j, :, to_h, to_w].transpose(1, 0, 2, 3)
    return out


cdef np.ndarray run(int what, ms_conv *p, np.ndarray a, np.ndarray b, np.ndarray bias, int nd, const np.npy_intp *dims):
    """Forward: a = x, b = w; gradient of the input: a = dy, b = w; of the weights: a = dy, b = x."""
    cdef np.ndarray out
    cdef const void *extra = NULL
    cdef int failed = 0
    cdef bint single
    a = prepare(a)
    b = prepare(b)
    if bias is not None:
        bias = prepare(bias)
        extra = np.PyArray_DATA(bias)
    if few_pixels(p) and np.PyArray_SIZE(a) and np.PyArray_SIZE(b):
        return product(what, p, a, b, bias)
    out = empty_dims(nd, dims, (<object>a).dtype)
    if np.PyArray_SIZE(out) == 0:
        return out
    if np.PyArray_SIZE(a) == 0 or np.PyArray_SIZE(b) == 0:  # nothing to sum
        out.fill(0)
        return out if bias is None else out + bias[:, None, None]
    single = np.PyArray_TYPE(a) == np.NPY_FLOAT
    cdef void *pa = np.PyArray_DATA(a)
    cdef void *pb = np.PyArray_DATA(b)
    cdef void *po = np.PyArray_DATA(out)
    with nogil:
        if what == FORWARD:
            if single:
                failed = ms_conv_forward_f32(p, <const float*>pa, <const float*>pb, <const float*>extra, <float*>po)
            else:
                failed = ms_conv_forward_f64(p, <const double*>pa, <const double*>pb, <const double*>extra, <double*>po)
        elif what == INPUT:
            if single:
                failed = ms_conv_grad_input_f32(p, <const float*>pa, <const float*>pb, <float*>po)
            else:
                failed = ms_conv_grad_input_f64(p, <const double*>pa, <const double*>pb, <double*>po)
        elif single:
            failed = ms_conv_grad_weight_f32(p, <const float*>pa, <const float*>pb, <float*>po)
        else:
            failed = ms_conv_grad_weight_f64(p, <const double*>pa, <const double*>pb, <double*>po)
    if failed:
        raise MemoryError("no memory for the blocks of a convolution")
    return out


def conv2d(
    x: np.ndarray,
    w: np.ndarray,
    bias: np.ndarray | None = None,
    tuple stride=(1, 1),
    tuple padding=(0, 0, 0, 0),
    tuple dilation=(1, 1),
    groups: int = 1,
) -> np.ndarray:
    """(N, C, H, W) with a filter (K, C/groups, R, S) and bias (K,) gives (N, K, OH, OW).

    >>> x = numpy.arange(9, dtype="float32").reshape(1, 1, 3, 3)
    >>> conv2d(x, numpy.ones((1, 1, 2, 2), "float32")).tolist()
    [[[[8.0, 12.0], [20.0, 24.0]]]]
    """
    cdef ms_conv p
    cdef np.npy_intp dims[4]
    geometry(&p, stride, padding, dilation, groups, x.shape[0], x.shape[1], x.shape[2], x.shape[3], w.shape[0],
             w.shape[2], w.shape[3])
    dims[0], dims[1], dims[2], dims[3] = p.n, w.shape[0], p.oh, p.ow
    return finish(run(FORWARD, &p, x, w, bias, 4, dims), x.dtype)


def conv2d_grad_input(
    dy: np.ndarray,
    w: np.ndarray,
    x_shape,
    tuple stride=(1, 1),
    tuple padding=(0, 0, 0, 0),
    tuple dilation=(1, 1),
    groups: int = 1,
) -> np.ndarray:
    """The gradient for the input of `conv2d`, of shape `x_shape`.

    >>> dy, w = numpy.ones((1, 1, 2, 2)), numpy.ones((1, 1, 2, 2))
    >>> conv2d_grad_input(dy, w, (1, 1, 3, 3)).tolist()
    [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    cdef ms_conv p
    cdef np.npy_intp dims[4]
    dims[0], dims[1], dims[2], dims[3] = x_shape
    geometry(&p, stride, padding, dilation, groups, dims[0], dims[1], dims[2], dims[3], w.shape[0], w.shape[2],
             w.shape[3])
    return finish(run(INPUT, &p, dy, w, None, 4, dims), dy.dtype)


def conv2d_grad_weight(
    dy: np.ndarray,
    x: np.ndarray,
    w_shape,
    tuple stride=(1, 1),
    tuple padding=(0, 0, 0, 0),
    tuple dilation=(1, 1),
    groups: int = 1,
) -> np.ndarray:
    """The gradient for the filter of `conv2d`, of shape `w_shape`; the same numbers again for one thread count.

    >>> dy, x = numpy.ones((1, 1, 2, 2)), numpy.arange(9.0).reshape(1, 1, 3, 3)
    >>> conv2d_grad_weight(dy, x, (1, 1, 2, 2)).tolist()
    [[[[8.0, 12.0], [20.0, 24.0]]]]
    """
    cdef ms_conv p
    cdef np.npy_intp dims[4]
    dims[0], dims[1], dims[2], dims[3] = w_shape
    geometry(&p, stride, padding, dilation, groups, x.shape[0], x.shape[1], x.shape[2], x.shape[3], dims[0], dims[2],
             dims[3])
    return finish(run(WEIGHT, &p, dy, x, None, 4, dims), dy.dtype)


cdef list taps(Py_ssize_t size, Py_ssize_t out, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t pad, Py_ssize_t dil):
    """For each element of a kernel axis: the results that read inside the input, and what they read, as slices."""
    cdef Py_ssize_t t, first, lo, hi
    cdef list found = []
    for t in range(kernel):
        first = t * dil - pad
        lo = (-first + stride - 1) // stride if first < 0 else 0
        hi = min(out, (size - first + stride - 1) // stride) if size > first else 0
        if lo < hi:
            found.append((t, slice(lo, hi), slice(first + lo * stride, first + (hi - 1) * stride + 1, stride)))
    return found


cdef np.ndarray pictures(a):
    """(N, C, D, ...) as a batch of N*D arrays (C, ...)."""
    moved = numpy.moveaxis(a, 2, 1)
    return moved.reshape((a.shape[0] * a.shape[2], a.shape[1]) + a.shape[3:])


cdef object volumes(np.ndarray a, n):
    """The way back from `pictures`."""
    return numpy.moveaxis(a.reshape((n, (<object>a).shape[0] // n) + (<object>a).shape[1:]), 1, 2)


cdef tuple out_shape(x_shape, w_shape, stride, padding, dilation):
    return (x_shape[0], w_shape[0]) + tuple([
        max(0, size + padding[2 * i] + padding[2 * i + 1] - dilation[i] * (k - 1) - 1 + stride[i]) // stride[i]
        for i, (size, k) in enumerate(zip(x_shape[2:], w_shape[2:]))
    ])


cdef object image_row(a):
    """(N, C, L) as images of one row."""
    return a[:, :, None, :]


def convnd(x: np.ndarray, w: np.ndarray, bias: np.ndarray | None, stride, padding, dilation, groups: int = 1) -> np.ndarray:
    """`conv2d` for any number of image axes; more than two are sums of planar convolutions over the leading ones.

    >>> convnd(numpy.ones((1, 1, 4)), numpy.ones((1, 1, 2)), None, (2,), (1, 1), (1,)).tolist()
    [[[1.0, 2.0, 1.0]]]
    """
    cdef int axes = x.ndim - 2
    stride, padding, dilation = tuple(stride), tuple(padding), tuple(dilation)
    if axes == 2:
        return conv2d(x, w, bias, stride, padding, dilation, groups)
    if axes == 1:
        return conv2d(image_row(x), image_row(w), bias, (1,) + stride, (0, 0) + padding, (1,) + dilation, groups)[:, :, 0]
    descr = x.dtype
    x, w = prepare(x), prepare(w)
    shape = out_shape((<object>x).shape, (<object>w).shape, stride, padding, dilation)
    out = numpy.zeros(shape, (<object>x).dtype)
    if out.size == 0:
        return out.astype(descr)
    for t, to, source in taps(x.shape[2], shape[2], w.shape[2], stride[0], padding[0], dilation[0]):
        part = convnd(pictures(x[:, :, source]), w[:, :, t], None, stride[1:], padding[2:], dilation[1:], groups)
        out[:, :, to] += volumes(part, shape[0])
    if bias is not None:
        out += prepare(bias).reshape((-1,) + (1,) * axes)
    return finish(out, descr)


def convnd_grad_input(dy: np.ndarray, w: np.ndarray, x_shape, stride, padding, dilation, groups: int = 1) -> np.ndarray:
    """The gradient for the input of `convnd`.

    >>> convnd_grad_input(numpy.ones((1, 1, 3)), numpy.ones((1, 1, 2)), (1, 1, 4), (1,), (0, 0), (1,)).tolist()
    [[[1.0, 2.0, 2.0, 1.0]]]
    """
    cdef int axes = dy.ndim - 2
    stride, padding, dilation, x_shape = tuple(stride), tuple(padding), tuple(dilation), tuple(x_shape)
    if axes == 2:
        return conv2d_grad_input(dy, w, x_shape, stride, padding, dilation, groups)
    if axes == 1:
        wide = x_shape[:2] + (1,) + x_shape[2:]
        return conv2d_grad_input(image_row(dy), image_row(w), wide, (1,) + stride, (0, 0) + padding, (1,) + dilation,
                                 groups)[:, :, 0]
    descr = dy.dtype
    dy, w = prepare(dy), prepare(w)
    out = numpy.zeros(x_shape, (<object>dy).dtype)
    if out.size == 0 or np.PyArray_SIZE(dy) == 0:
        return out.astype(descr)
    for t, to, source in taps(x_shape[2], dy.shape[2], w.shape[2], stride[0], padding[0], dilation[0]):
        batch = x_shape[0] * (to.stop - to.start)
        part = convnd_grad_input(pictures(dy[:, :, to]), w[:, :, t], (batch, x_shape[1]) + x_shape[3:], stride[1:],
                                 padding[2:], dilation[1:], groups)
        out[:, :, source] += volumes(part, x_shape[0])
    return finish(out, descr)


def convnd_grad_weight(dy: np.ndarray, x: np.ndarray, w_shape, stride, padding, dilation, groups: int = 1) -> np.ndarray:
    """The gradient for the filter of `convnd`.

    >>> convnd_grad_weight(numpy.ones((1, 1, 3)), numpy.ones((1, 1, 4)), (1, 1, 2), (1,), (0, 0), (1,)).tolist()
    [[[3.0, 3.0]]]
    """
    cdef int axes = dy.ndim - 2
    stride, padding, dilation, w_shape = tuple(stride), tuple(padding), tuple(dilation), tuple(w_shape)
    if axes == 2:
        return conv2d_grad_weight(dy, x, w_shape, stride, padding, dilation, groups)
    if axes == 1:
        high = w_shape[:2] + (1,) + w_shape[2:]
        return conv2d_grad_weight(image_row(dy), image_row(x), high, (1,) + stride, (0, 0) + padding, (1,) + dilation,
                                  groups)[:, :, 0]
    descr = dy.dtype
    dy, x = prepare(dy), prepare(x)
    out = numpy.zeros(w_shape, (<object>dy).dtype)
    if np.PyArray_SIZE(dy) == 0 or np.PyArray_SIZE(x) == 0:
        return out.astype(descr)
    for t, to, source in taps(x.shape[2], dy.shape[2], w_shape[2], stride[0], padding[0], dilation[0]):
        out[:, :, t] = convnd_grad_weight(pictures(dy[:, :, to]), pictures(x[:, :, source]), w_shape[:2] + w_shape[3:],
                                          stride[1:], padding[2:], dilation[1:], groups)
    return finish(out, descr)
