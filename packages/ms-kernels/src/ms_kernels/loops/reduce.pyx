# c-sources: src/ms_kernels/simd/reduce_driver.c src/ms_kernels/simd/reduce_base.c src/ms_kernels/simd/reduce_avx2.c
"""Reductions and running reductions. No argument is checked: that is the caller's part.

Floating point types run here, the rest in NumPy. 16-bit floats are added up in float32 (joined in float64) and rounded
once. Results do not depend on the number of threads.
"""

from ml_dtypes import bfloat16
import numpy

cimport numpy as np
from libc.stdint cimport int64_t, uint64_t

from ms_kernels.core.runtime cimport empty_array, ms_rt, rt_table
from ms_kernels.loops.kinds cimport MS_BOOL, MS_F16, MS_BF16, MS_F32, MS_F64, kind_of

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "reduce_table.h":
    ctypedef struct rd_table:
        pass
    const rd_table* RD_PICK(int isa) nogil
    enum: RD_SUM, RD_PROD, RD_MAX, RD_MIN, RD_SUMSQ, RD_LSE, RD_VAR, RD_ARGMAX, RD_ARGMIN
    enum: RF_PLAIN, RF_SQRT, RF_LSE, RF_VAR, RF_DIV
    enum: SC_SUM, SC_PROD, SC_MAX, SC_MIN
    int rd_reduce(int op, int dt, int out_dt, const char* x, int nd, const np.npy_intp* dim, const np.npy_intp* stride,
                  uint64_t axes, int finish, double par, void* out) noexcept nogil
    int rd_scan(int op, int dt, const char* x, void* out, int64_t* idx, Py_ssize_t a, Py_ssize_t r, Py_ssize_t b) noexcept nogil

cdef ms_rt TABLE = rt_table()[0]
ms_rt_table = &TABLE
cdef int BF16 = numpy.dtype(bfloat16).num
cdef np.dtype BOOL = numpy.dtype(bool)
cdef np.dtype INT64 = numpy.dtype(numpy.int64)
cdef dict REDUCTIONS = {
    "sum": (RD_SUM, RF_PLAIN), "mean": (RD_SUM, RF_DIV), "prod": (RD_PROD, RF_PLAIN), "max": (RD_MAX, RF_PLAIN),
    "min": (RD_MIN, RF_PLAIN), "sumsq": (RD_SUMSQ, RF_PLAIN), "l2norm": (RD_SUMSQ, RF_SQRT), "logsumexp": (RD_LSE, RF_LSE),
    "any": (RD_MAX, RF_PLAIN), "all": (RD_MIN, RF_PLAIN),
}
cdef dict SCANS = {"cumsum": SC_SUM, "cumprod": SC_PROD, "cummax": SC_MAX, "cummin": SC_MIN}


cdef const void* reduce_kernels() noexcept nogil:
    return RD_PICK(TABLE.isa)


def use_baseline(bint on):
    """For tests: leaves out the loops of newer instruction sets."""
    TABLE.isa = 0 if on else rt_table().isa


cdef np.ndarray run(int op, int finish, double par, np.ndarray x, uint64_t axes, bint keepdims, int dt, np.dtype descr):
    cdef int nd = np.PyArray_NDIM(x)
    cdef int failed, k, out_dt = kind_of(descr.num, BF16)
    cdef list shape = []
    cdef np.ndarray out
    for k in range(nd):
        if not axes >> k & 1:
            shape.append(np.PyArray_DIM(x, k))
        elif keepdims:
            shape.append(1)
    out = empty_array(tuple(shape), descr)
    with nogil:
        failed = rd_reduce(op, dt, out_dt, <const char*>np.PyArray_DATA(x), nd, np.PyArray_DIMS(x), np.PyArray_STRIDES(x),
                           axes, finish, par, np.PyArray_DATA(out))
    if failed:
        raise MemoryError
    return out


cdef uint64_t mask_of(tuple axes):
    cdef uint64_t mask = 0
    for axis in axes:
        mask |= <uint64_t>1 << <int>axis
    return mask


cdef np.ndarray by_numpy(str name, np.ndarray x, tuple axes, bint keepdims):
    if name == "sumsq":
        return numpy.asarray(numpy.sum(x * x, axis=axes, keepdims=keepdims, dtype=x.dtype))
    if name in ("sum", "prod") and x.dtype.kind != "b":
        return numpy.asarray(getattr(numpy, name)(x, axis=axes, keepdims=keepdims, dtype=x.dtype))
    return numpy.asarray(getattr(numpy, name)(x, axis=axes, keepdims=keepdims))


def reduce(str name, np.ndarray x, tuple axes, bint keepdims=False):
    cdef int dt = kind_of(np.PyArray_TYPE(x), BF16)
    cdef int op, finish
    cdef double par = 1
    cdef bint logic = name == "any" or name == "all"
    if logic:
        if dt != MS_BOOL:
            x = numpy.not_equal(x, 0)
            dt = MS_BOOL
    elif dt != MS_F32 and dt != MS_F64 and dt != MS_F16 and dt != MS_BF16:
        return by_numpy(name, x, axes, keepdims)
    op, finish = REDUCTIONS[name]
    if finish == RF_DIV:
        for axis in axes:
            par *= np.PyArray_DIM(x, axis)
    return run(op, finish, par, x, mask_of(axes), keepdims, dt, BOOL if logic else x.dtype)


def var(np.ndarray x, tuple axes, double correction=1, bint keepdims=False):
    return run(RD_VAR, RF_VAR, correction, x, mask_of(axes), keepdims, kind_of(np.PyArray_TYPE(x), BF16), x.dtype)


cdef np.ndarray arg(int op, np.ndarray x, int axis, bint keepdims):
    cdef int dt = kind_of(np.PyArray_TYPE(x), BF16)
    if dt == MS_F32 or dt == MS_F64 or dt == MS_F16 or dt == MS_BF16:
        return run(op, RF_PLAIN, 0, x, <uint64_t>1 << axis, keepdims, dt, INT64)
    return numpy.asarray((numpy.argmax if op == RD_ARGMAX else numpy.argmin)(x, axis=axis, keepdims=keepdims), dtype=INT64)


def argmax(np.ndarray x, int axis, bint keepdims=False):
    return arg(RD_ARGMAX, x, axis, keepdims)


def argmin(np.ndarray x, int axis, bint keepdims=False):
    return arg(RD_ARGMIN, x, axis, keepdims)


cdef object scan_by_numpy(int op, np.ndarray x, int axis):
    if op == SC_SUM:
        return numpy.cumsum(x, axis=axis, dtype=None if x.dtype.kind == "b" else x.dtype)
    if op == SC_PROD:
        return numpy.cumprod(x, axis=axis, dtype=None if x.dtype.kind == "b" else x.dtype)
    best = (numpy.maximum if op == SC_MAX else numpy.minimum).accumulate(x, axis=axis)
    place = numpy.arange(x.shape[axis], dtype=INT64).reshape([-1] + [1] * (x.ndim - axis - 1))
    return best, numpy.maximum.accumulate(numpy.where(x == best, place, 0), axis=axis)


def cumulate(str name, np.ndarray x, int axis):
    cdef int dt = kind_of(np.PyArray_TYPE(x), BF16)
    cdef int op = SCANS[name]
    cdef int k, nd = np.PyArray_NDIM(x)
    cdef Py_ssize_t a = 1, r = 1, b = 1
    cdef np.ndarray out, idx = None
    cdef int64_t* places = NULL
    if nd == 0:
        return (x.copy(), numpy.zeros((), INT64)) if op == SC_MAX or op == SC_MIN else x.copy()
    if dt != MS_F32 and dt != MS_F64 and dt != MS_F16 and dt != MS_BF16:
        return scan_by_numpy(op, x, axis)
    x = np.PyArray_GETCONTIGUOUS(x)
    for k in range(nd):
        if k < axis:
            a *= np.PyArray_DIM(x, k)
        elif k > axis:
            b *= np.PyArray_DIM(x, k)
        else:
            r = np.PyArray_DIM(x, k)
    shape = tuple([np.PyArray_DIM(x, k) for k in range(nd)])
    out = empty_array(shape, x.dtype)
    if op == SC_MAX or op == SC_MIN:
        idx = empty_array(shape, INT64)
        places = <int64_t*>np.PyArray_DATA(idx)
    with nogil:
        rd_scan(op, dt, <const char*>np.PyArray_DATA(x), np.PyArray_DATA(out), places, a, r, b)
    return out if idx is None else (out, idx)
