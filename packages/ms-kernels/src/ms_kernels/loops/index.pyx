# c-sources: src/ms_kernels/simd/index.c
"""Gathering and adding by index along an axis.

Only what memory safety needs is checked: an index outside [-size, size) stops the call before anything is written, and
its place in the flattened indices is returned for the caller's message. Results do not depend on the number of threads.
"""

from ml_dtypes import bfloat16
import numpy

cimport numpy as np

from ms_kernels.core.runtime cimport empty_array, ms_rt, rt_table

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "index_ops.h":
    enum: IX_F32, IX_F64, IX_8, IX_16, IX_32, IX_64
    Py_ssize_t ix_first_bad(const void* idx, int i32, Py_ssize_t n, Py_ssize_t r) noexcept nogil
    void ix_take(const char* x, const void* idx, int i32, char* out, Py_ssize_t a, Py_ssize_t r, Py_ssize_t n,
                 Py_ssize_t b) noexcept nogil
    void ix_gather(const char* x, const void* idx, int i32, char* out, Py_ssize_t size, Py_ssize_t a, Py_ssize_t r,
                   Py_ssize_t n, Py_ssize_t b) noexcept nogil
    void ix_scatter_add(int type, void* out, const void* idx, int i32, const void* src, Py_ssize_t a, Py_ssize_t r,
                        Py_ssize_t n, Py_ssize_t b) noexcept nogil
    void ix_index_add(int type, void* out, const void* idx, int i32, const void* src, Py_ssize_t a, Py_ssize_t r,
                      Py_ssize_t n, Py_ssize_t b) noexcept nogil

ms_rt_table = rt_table()
cdef int BF16 = numpy.dtype(bfloat16).num
cdef np.dtype F32 = numpy.dtype(numpy.float32)
cdef np.dtype I64 = numpy.dtype(numpy.int64)


cdef np.ndarray index_array(np.ndarray idx):
    """Dense int32 or int64."""
    cdef int t = np.PyArray_TYPE(idx)
    if t != np.NPY_INT64 and t != np.NPY_INT32:
        idx = idx.astype(I64)
    return np.PyArray_GETCONTIGUOUS(idx)


cdef inline int is32(np.ndarray idx) noexcept nogil:
    return np.PyArray_TYPE(idx) == np.NPY_INT32


cdef inline Py_ssize_t product(np.ndarray x, int begin, int end) noexcept:
    cdef Py_ssize_t n = 1
    cdef int k
    for k in range(begin, end):
        n *= np.PyArray_DIM(x, k)
    return n


cdef inline tuple shape_of(np.ndarray x):
    return tuple([np.PyArray_DIM(x, k) for k in range(np.PyArray_NDIM(x))])


cdef inline bint is_dense(np.ndarray x) noexcept:
    return np.PyArray_IS_C_CONTIGUOUS(x) and np.PyArray_ISALIGNED(x)


cdef int adder(np.ndarray x):
    """The C loops' type, -1 where they have none."""
    cdef str kind = x.dtype.kind
    if np.PyArray_TYPE(x) == np.NPY_FLOAT32:
        return IX_F32
    if np.PyArray_TYPE(x) == np.NPY_FLOAT64:
        return IX_F64
    if kind == "i" or kind == "u":
        return {1: IX_8, 2: IX_16, 4: IX_32, 8: IX_64}[x.dtype.itemsize]
    return -1


def first_bad(np.ndarray indices, Py_ssize_t size):
    cdef np.ndarray idx = index_array(indices)
    return ix_first_bad(np.PyArray_DATA(idx), is32(idx), np.PyArray_SIZE(idx), size)


def take(np.ndarray x, np.ndarray indices, int axis):
    cdef np.ndarray out, idx = index_array(indices)
    cdef int nd = np.PyArray_NDIM(x)
    cdef Py_ssize_t n = np.PyArray_SIZE(idx), r = np.PyArray_DIM(x, axis)
    cdef Py_ssize_t a = product(x, 0, axis), b = product(x, axis + 1, nd) * np.PyArray_ITEMSIZE(x)
    cdef Py_ssize_t bad = ix_first_bad(np.PyArray_DATA(idx), is32(idx), n, r)
    if bad >= 0:
        return None, bad
    if not is_dense(x):  # copying a large table for a few rows would not pay
        return x[(slice(None),) * axis + (idx,)], -1
    out = empty_array(shape_of(x)[:axis] + shape_of(idx) + shape_of(x)[axis + 1:], x.dtype)
    with nogil:
        ix_take(<const char*>np.PyArray_DATA(x), np.PyArray_DATA(idx), is32(idx), <char*>np.PyArray_DATA(out), a, r, n, b)
    return out, -1


cdef np.ndarray cut(np.ndarray x, np.ndarray like, int axis):
    """The corner of x that indices of a smaller shape refer to."""
    cdef int k
    for k in range(np.PyArray_NDIM(like)):
        if k != axis and np.PyArray_DIM(x, k) != np.PyArray_DIM(like, k):
            return x[tuple([slice(None) if j == axis else slice(0, np.PyArray_DIM(like, j)) for j in range(np.PyArray_NDIM(like))])]
    return x


def gather(np.ndarray x, np.ndarray indices, int axis):
    cdef np.ndarray out, idx = index_array(indices)
    cdef int nd = np.PyArray_NDIM(x), size = np.PyArray_ITEMSIZE(x)
    cdef Py_ssize_t a, r, b, n, bad
    x = np.PyArray_GETCONTIGUOUS(cut(x, idx, axis))
    a, r, b, n = product(x, 0, axis), np.PyArray_DIM(x, axis), product(x, axis + 1, nd), np.PyArray_DIM(idx, axis)
    bad = ix_first_bad(np.PyArray_DATA(idx), is32(idx), np.PyArray_SIZE(idx), r)
    if bad >= 0:
        return None, bad
    out = empty_array(shape_of(idx), x.dtype)
    with nogil:
        ix_gather(<const char*>np.PyArray_DATA(x), np.PyArray_DATA(idx), is32(idx), <char*>np.PyArray_DATA(out), size, a, r, n, b)
    return out, -1


cdef add_dense(np.ndarray out, np.ndarray idx, np.ndarray src, int axis, bint rows):
    cdef int kind = adder(out), nd = np.PyArray_NDIM(out)
    cdef Py_ssize_t a = product(out, 0, axis), r = np.PyArray_DIM(out, axis), b = product(out, axis + 1, nd)
    cdef Py_ssize_t n = np.PyArray_SIZE(idx) if rows else np.PyArray_DIM(idx, axis)
    if src.dtype is not out.dtype:
        src = src.astype(out.dtype)
    src = np.PyArray_GETCONTIGUOUS(src)
    with nogil:
        if rows:
            ix_index_add(kind, np.PyArray_DATA(out), np.PyArray_DATA(idx), is32(idx), np.PyArray_DATA(src), a, r, n, b)
        else:
            ix_scatter_add(kind, np.PyArray_DATA(out), np.PyArray_DATA(idx), is32(idx), np.PyArray_DATA(src), a, r, n, b)


cdef Py_ssize_t add_into(np.ndarray out, np.ndarray indices, np.ndarray src, int axis, bint rows) except -2:
    cdef np.ndarray idx = index_array(indices), work
    cdef Py_ssize_t bad = ix_first_bad(np.PyArray_DATA(idx), is32(idx), np.PyArray_SIZE(idx), np.PyArray_DIM(out, axis))
    if bad >= 0:
        return bad
    if adder(out) >= 0 and is_dense(out):
        add_dense(out, idx, src, axis, rows)
    elif adder(out) >= 0 or np.PyArray_TYPE(out) == np.NPY_FLOAT16 or np.PyArray_TYPE(out) == BF16:
        work = out.astype(out.dtype if adder(out) >= 0 else F32, order="C", copy=True)  # 16-bit floats are rounded once
        add_dense(work, idx, src, axis, rows)
        out[...] = work
    elif rows:
        numpy.add.at(out, (slice(None),) * axis + (idx,), src)
    else:
        grid = list(numpy.indices(shape_of(idx), sparse=True))
        grid[axis] = idx
        numpy.add.at(out, tuple(grid), src)
    return -1


def scatter_add(np.ndarray out, np.ndarray indices, np.ndarray src, int axis):
    return add_into(cut(out, indices, axis), indices, src[tuple([slice(0, n) for n in shape_of(indices)])], axis, False)


def index_add(np.ndarray out, np.ndarray indices, np.ndarray src, int axis):
    return add_into(out, indices, src, axis, True)
