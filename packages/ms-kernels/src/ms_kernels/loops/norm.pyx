# c-sources: src/ms_kernels/simd/norm_driver.c src/ms_kernels/simd/norm_base.c src/ms_kernels/simd/norm_avx2.c
"""Softmax, layer/batch/group/root-mean-square norm and cross entropy, forward and backward.

No argument is checked: that is the caller's part. Items are float16, bfloat16, float32 or float64; statistics and
parameters are float32 (float64 for float64 items). Results do not depend on the number of threads.
"""

from ml_dtypes import bfloat16
import numpy

cimport numpy as np
from libc.stdint cimport int64_t

from ms_kernels.core.runtime cimport empty_array, ms_rt, rt_table
from ms_kernels.loops.kinds cimport kind_of

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "norm_table.h":
    int nm_softmax(int dt, int log, const void* x, void* y, Py_ssize_t a, Py_ssize_t r, Py_ssize_t b) noexcept nogil
    int nm_softmax_grad(int dt, int log, const void* g, const void* y, void* dx, Py_ssize_t a, Py_ssize_t r,
                        Py_ssize_t b) noexcept nogil
    void nm_layer(int dt, const void* x, const void* gamma, const void* beta, double eps, void* y, void* mean, void* rstd,
                  Py_ssize_t rows, Py_ssize_t n) noexcept nogil
    int nm_layer_grad(int dt, const void* dy, const void* x, const void* mean, const void* rstd, const void* gamma, void* dx,
                      void* dgamma, void* dbeta, Py_ssize_t rows, Py_ssize_t n) noexcept nogil
    void nm_batch(int dt, const void* x, const void* gamma, const void* beta, double eps, void* y, void* mean, void* var,
                  void* rstd, Py_ssize_t n, Py_ssize_t c, Py_ssize_t l) noexcept nogil
    void nm_batch_infer(int dt, const void* x, const void* gamma, const void* beta, const void* mean, const void* rstd, void* y,
                        Py_ssize_t n, Py_ssize_t c, Py_ssize_t l) noexcept nogil
    void nm_batch_grad(int dt, const void* dy, const void* x, const void* mean, const void* rstd, const void* gamma, void* dx,
                       void* dgamma, void* dbeta, Py_ssize_t n, Py_ssize_t c, Py_ssize_t l) noexcept nogil
    void nm_group(int dt, const void* x, const void* gamma, const void* beta, double eps, void* y, void* mean, void* rstd,
                  Py_ssize_t n, Py_ssize_t groups, Py_ssize_t c, Py_ssize_t l) noexcept nogil
    int nm_group_grad(int dt, const void* dy, const void* x, const void* mean, const void* rstd, const void* gamma, void* dx,
                      void* dgamma, void* dbeta, Py_ssize_t n, Py_ssize_t groups, Py_ssize_t c, Py_ssize_t l) noexcept nogil
    int nm_cross_entropy(int dt, const void* x, const int64_t* labels, const void* weight, int64_t ignore, double smooth,
                         void* loss, void* logp, Py_ssize_t n, Py_ssize_t c) noexcept nogil
    int nm_cross_entropy_grad(int dt, const void* g, const void* logp, const int64_t* labels, const void* weight, int64_t ignore,
                              double smooth, void* dx, Py_ssize_t n, Py_ssize_t c) noexcept nogil

cdef ms_rt TABLE = rt_table()[0]
ms_rt_table = &TABLE
cdef int BF16 = numpy.dtype(bfloat16).num
cdef np.dtype F32 = numpy.dtype(numpy.float32)
cdef np.dtype F64 = numpy.dtype(numpy.float64)
cdef np.dtype I64 = numpy.dtype(numpy.int64)


def use_baseline(bint on):
    """For tests: leaves out the loops of newer instruction sets."""
    TABLE.isa = 0 if on else rt_table().isa


cdef inline int kind(np.ndarray x) noexcept:
    return kind_of(np.PyArray_TYPE(x), BF16)


cdef inline void* data(np.ndarray x) noexcept nogil:
    return NULL if x is None else np.PyArray_DATA(x)


cdef inline tuple shape_of(np.ndarray x):
    return tuple([np.PyArray_DIM(x, k) for k in range(np.PyArray_NDIM(x))])


cdef inline Py_ssize_t product(np.ndarray x, int begin, int end) noexcept:
    cdef Py_ssize_t n = 1
    cdef int k
    for k in range(begin, end):
        n *= np.PyArray_DIM(x, k)
    return n


cdef inline np.dtype wide_type(np.ndarray x):
    return F64 if np.PyArray_TYPE(x) == np.NPY_FLOAT64 else F32


cdef np.ndarray dense(object x, np.dtype descr):
    """The array itself where it is dense and of that type; None stays None."""
    return None if x is None else np.PyArray_GETCONTIGUOUS(x if (<np.ndarray>x).dtype is descr else x.astype(descr))


cdef check(int failed):
    if failed:
        raise MemoryError


cdef np.ndarray softmax_run(np.ndarray x, int axis, bint log):
    cdef int failed, nd, dt = kind(x)
    cdef Py_ssize_t a, r, b
    cdef np.ndarray y
    x = np.PyArray_GETCONTIGUOUS(x)
    nd = np.PyArray_NDIM(x)
    a, r, b = product(x, 0, axis), product(x, axis, min(axis + 1, nd)), product(x, min(axis + 1, nd), nd)
    y = empty_array(shape_of(x), x.dtype)
    with nogil:
        failed = nm_softmax(dt, log, np.PyArray_DATA(x), np.PyArray_DATA(y), a, r, b)
    check(failed)
    return y


def softmax(np.ndarray x, int axis):
    return softmax_run(x, axis, False)


def log_softmax(np.ndarray x, int axis):
    return softmax_run(x, axis, True)


cdef np.ndarray softmax_grad_run(np.ndarray g, np.ndarray y, int axis, bint log):
    cdef int failed, nd, dt = kind(y)
    cdef Py_ssize_t a, r, b
    cdef np.ndarray dx
    g, y = dense(g, y.dtype), np.PyArray_GETCONTIGUOUS(y)
    nd = np.PyArray_NDIM(y)
    a, r, b = product(y, 0, axis), product(y, axis, min(axis + 1, nd)), product(y, min(axis + 1, nd), nd)
    dx = empty_array(shape_of(y), y.dtype)
    with nogil:
        failed = nm_softmax_grad(dt, log, np.PyArray_DATA(g), np.PyArray_DATA(y), np.PyArray_DATA(dx), a, r, b)
    check(failed)
    return dx


def softmax_grad(np.ndarray g, np.ndarray y, int axis):
    return softmax_grad_run(g, y, axis, False)


def log_softmax_grad(np.ndarray g, np.ndarray y, int axis):
    return softmax_grad_run(g, y, axis, True)


cdef tuple layer(np.ndarray x, object gamma, object beta, double eps, int norm_dims, bint centre):
    cdef np.dtype wide = wide_type(x)
    cdef int dt = kind(x), nd = np.PyArray_NDIM(x)
    cdef Py_ssize_t rows = product(x, 0, nd - norm_dims), n = product(x, nd - norm_dims, nd)
    cdef tuple shape = shape_of(x)
    cdef np.ndarray g = dense(gamma, wide), b = dense(beta, wide), y = empty_array(shape, x.dtype), mean = None
    cdef np.ndarray rstd = empty_array(shape[:nd - norm_dims] + (1,) * norm_dims, wide)
    x = np.PyArray_GETCONTIGUOUS(x)
    if centre:
        mean = empty_array(shape[:nd - norm_dims] + (1,) * norm_dims, wide)
    with nogil:
        nm_layer(dt, data(x), data(g), data(b), eps, data(y), data(mean), data(rstd), rows, n)
    return y, mean, rstd


def layer_norm(np.ndarray x, gamma, beta, double eps, int norm_dims):
    return layer(x, gamma, beta, eps, norm_dims, True)


def rms_norm(np.ndarray x, gamma, double eps, int norm_dims):
    y, _, rstd = layer(x, gamma, None, eps, norm_dims, False)
    return y, rstd


cdef tuple layer_grad(np.ndarray dy, np.ndarray x, object mean, object rstd, object gamma, int norm_dims):
    cdef np.dtype wide = wide_type(x)
    cdef int failed, dt = kind(x), nd = np.PyArray_NDIM(x)
    cdef Py_ssize_t rows = product(x, 0, nd - norm_dims), n = product(x, nd - norm_dims, nd)
    cdef tuple shape = shape_of(x)
    cdef np.ndarray g = dense(gamma, wide), m = dense(mean, wide), r = dense(rstd, wide), d = dense(dy, x.dtype)
    cdef np.ndarray dx = empty_array(shape, x.dtype), dgamma, dbeta
    dgamma, dbeta = empty_array(shape[nd - norm_dims:], wide), empty_array(shape[nd - norm_dims:], wide)
    x = np.PyArray_GETCONTIGUOUS(x)
    with nogil:
        failed = nm_layer_grad(dt, data(d), data(x), data(m), data(r), data(g), data(dx), data(dgamma), data(dbeta), rows, n)
    check(failed)
    return dx, dgamma, dbeta


def layer_norm_grad(np.ndarray dy, np.ndarray x, mean, rstd, gamma, int norm_dims):
    return layer_grad(dy, x, mean, rstd, gamma, norm_dims)


def rms_norm_grad(np.ndarray dy, np.ndarray x, rstd, gamma, int norm_dims):
    dx, dgamma, _ = layer_grad(dy, x, None, rstd, gamma, norm_dims)
    return dx, dgamma


cdef enum:
    SHORT = 8  # with fewer places per channel, channels are made the first axis


cdef inline bint is_short(np.ndarray x) noexcept:
    return product(x, 2, np.PyArray_NDIM(x)) < SHORT and np.PyArray_DIM(x, 0) > 1


cdef np.ndarray channels_first(np.ndarray x):
    return numpy.expand_dims(np.PyArray_GETCONTIGUOUS(numpy.moveaxis(x, 1, 0)), 0)


cdef np.ndarray channels_back(np.ndarray y):
    return np.PyArray_GETCONTIGUOUS(numpy.moveaxis(y[0], 0, 1))


def batch_norm(np.ndarray x, gamma, beta, double eps):
    cdef np.dtype wide = wide_type(x)
    cdef Py_ssize_t n, c = np.PyArray_DIM(x, 1), l
    cdef int dt = kind(x)
    cdef bint short = is_short(x)
    cdef np.ndarray g = dense(gamma, wide), b = dense(beta, wide), y, mean, var, rstd
    x = channels_first(x) if short else np.PyArray_GETCONTIGUOUS(x)
    n, l = np.PyArray_DIM(x, 0), product(x, 2, np.PyArray_NDIM(x))
    y = empty_array(shape_of(x), x.dtype)
    mean, var, rstd = empty_array((c,), wide), empty_array((c,), wide), empty_array((c,), wide)
    with nogil:
        nm_batch(dt, data(x), data(g), data(b), eps, data(y), data(mean), data(var), data(rstd), n, c, l)
    return channels_back(y) if short else y, mean, var, rstd


def batch_norm_infer(np.ndarray x, gamma, beta, mean, var, double eps):
    cdef np.dtype wide = wide_type(x)
    cdef Py_ssize_t n, c = np.PyArray_DIM(x, 1), l
    cdef int dt = kind(x)
    cdef bint short = is_short(x)
    cdef np.ndarray g = dense(gamma, wide), b = dense(beta, wide), m = dense(mean, wide), y
    cdef np.ndarray r = dense(1 / numpy.sqrt(dense(var, F64) + eps), wide)
    x = channels_first(x) if short else np.PyArray_GETCONTIGUOUS(x)
    n, l = np.PyArray_DIM(x, 0), product(x, 2, np.PyArray_NDIM(x))
    y = empty_array(shape_of(x), x.dtype)
    with nogil:
        nm_batch_infer(dt, data(x), data(g), data(b), data(m), data(r), data(y), n, c, l)
    return channels_back(y) if short else y


def batch_norm_grad(np.ndarray dy, np.ndarray x, mean, rstd, gamma):
    cdef np.dtype wide = wide_type(x)
    cdef Py_ssize_t n, c = np.PyArray_DIM(x, 1), l
    cdef int dt = kind(x)
    cdef bint short = is_short(x)
    cdef np.ndarray g = dense(gamma, wide), m = dense(mean, wide), r = dense(rstd, wide), d = dense(dy, x.dtype), dx, dgamma, dbeta
    x, d = (channels_first(x), channels_first(d)) if short else (np.PyArray_GETCONTIGUOUS(x), d)
    n, l = np.PyArray_DIM(x, 0), product(x, 2, np.PyArray_NDIM(x))
    dx, dgamma, dbeta = empty_array(shape_of(x), x.dtype), empty_array((c,), wide), empty_array((c,), wide)
    with nogil:
        nm_batch_grad(dt, data(d), data(x), data(m), data(r), data(g), data(dx), data(dgamma), data(dbeta), n, c, l)
    return channels_back(dx) if short else dx, dgamma, dbeta


def group_norm(np.ndarray x, Py_ssize_t groups, gamma, beta, double eps):
    cdef np.dtype wide = wide_type(x)
    cdef Py_ssize_t n = np.PyArray_DIM(x, 0), c = np.PyArray_DIM(x, 1) // groups, l = product(x, 2, np.PyArray_NDIM(x))
    cdef int dt = kind(x)
    cdef np.ndarray g = dense(gamma, wide), b = dense(beta, wide), y = empty_array(shape_of(x), x.dtype)
    cdef np.ndarray mean = empty_array((n, groups), wide), rstd = empty_array((n, groups), wide)
    x = np.PyArray_GETCONTIGUOUS(x)
    with nogil:
        nm_group(dt, data(x), data(g), data(b), eps, data(y), data(mean), data(rstd), n, groups, c, l)
    return y, mean, rstd


def group_norm_grad(np.ndarray dy, np.ndarray x, mean, rstd, gamma, Py_ssize_t groups):
    cdef np.dtype wide = wide_type(x)
    cdef Py_ssize_t n = np.PyArray_DIM(x, 0), c = np.PyArray_DIM(x, 1) // groups, l = product(x, 2, np.PyArray_NDIM(x))
    cdef int failed, dt = kind(x)
    cdef np.ndarray g = dense(gamma, wide), m = dense(mean, wide), r = dense(rstd, wide), d = dense(dy, x.dtype)
    cdef np.ndarray dx = empty_array(shape_of(x), x.dtype), dgamma, dbeta
    dgamma, dbeta = empty_array((groups * c,), wide), empty_array((groups * c,), wide)
    x = np.PyArray_GETCONTIGUOUS(x)
    with nogil:
        failed = nm_group_grad(dt, data(d), data(x), data(m), data(r), data(g), data(dx), data(dgamma), data(dbeta), n, groups, c, l)
    check(failed)
    return dx, dgamma, dbeta


def cross_entropy(np.ndarray logits, np.ndarray labels, weight, int64_t ignore_index, double label_smoothing):
    cdef np.ndarray x = np.PyArray_GETCONTIGUOUS(logits), t = dense(labels, I64), w = dense(weight, wide_type(logits))
    cdef Py_ssize_t n = np.PyArray_DIM(x, 0), c = np.PyArray_DIM(x, 1)
    cdef int failed, dt = kind(x)
    cdef np.ndarray loss = empty_array((n,), x.dtype), logp = empty_array((n, c), x.dtype)
    with nogil:
        failed = nm_cross_entropy(dt, data(x), <int64_t*>data(t), data(w), ignore_index, label_smoothing, data(loss), data(logp), n, c)
    check(failed)
    if c == 0:
        loss.fill(0)
    return loss, logp


def cross_entropy_grad(np.ndarray g, np.ndarray logp, np.ndarray labels, weight, int64_t ignore_index, double label_smoothing):
    cdef np.dtype wide = wide_type(logp)
    cdef np.ndarray x = np.PyArray_GETCONTIGUOUS(logp), t = dense(labels, I64), w = dense(weight, wide), d = dense(g, wide)
    cdef Py_ssize_t n = np.PyArray_DIM(x, 0), c = np.PyArray_DIM(x, 1)
    cdef int failed, dt = kind(x)
    cdef np.ndarray dx = empty_array((n, c), x.dtype)
    with nogil:
        failed = nm_cross_entropy_grad(dt, data(d), data(x), <int64_t*>data(t), data(w), ignore_index, label_smoothing, data(dx), n, c)
    check(failed)
    return dx
