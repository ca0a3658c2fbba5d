# c-sources: src/ms_kernels/simd/gemm.c src/ms_kernels/simd/gemm_base.c src/ms_kernels/simd/gemm_avx2.c
"""Matrix products: BLAS on tiles of the result, one tile per thread of the one pool."""

cimport numpy as np
from libc.stdint cimport uint16_t, uintptr_t

from ms_kernels.core.runtime cimport empty_dims, ms_rt, rt_table

import ml_dtypes
import numpy

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "gemm.h":
    enum:
        MS_F32, MS_F64, MS_C64, MS_C128
    ctypedef struct ms_gemm_job:
        int kind
        Py_ssize_t m, n, k
        const char *a
        const char *b
        char *c
        Py_ssize_t lda, ldb
        int ta, tb, ndim
        Py_ssize_t shape[64]
        # "as" is a keyword
        Py_ssize_t a_strides "as"[64]
        Py_ssize_t b_strides "bs"[64]
    void ms_gemm_set_blas(void **fns) noexcept nogil
    int ms_gemm_run(const ms_gemm_job *job) noexcept nogil
    void ms_widen(int kind, const uint16_t *src, float *dst, Py_ssize_t n) noexcept nogil
    void ms_narrow(int kind, const float *src, uint16_t *dst, Py_ssize_t n) noexcept nogil

ms_rt_table = rt_table()

cdef np.dtype FLOAT32 = numpy.dtype("float32")
cdef int HALF = numpy.dtype("float16").num
cdef int BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16).num
cdef bint[1] blas_ready
blas_ready[0] = False


cdef int half_kind(np.ndarray a) noexcept:
    """0 for float16, 1 for bfloat16, -1 for anything else."""
    cdef int num = np.PyArray_TYPE(a)
    return 0 if num == HALF else 1 if num == BFLOAT16 else -1


cdef np.ndarray widen(np.ndarray a):
    """The float32 copy of a 16-bit array; a transposed matrix stays one."""
    cdef np.ndarray out
    cdef int kind = half_kind(a)
    cdef Py_ssize_t n
    if not np.PyArray_IS_C_CONTIGUOUS(a):
        if a.ndim >= 2 and numpy.swapaxes(a, -1, -2).flags.c_contiguous:
            return numpy.swapaxes(widen(numpy.swapaxes(a, -1, -2)), -1, -2)
        a = np.PyArray_GETCONTIGUOUS(a)
    out = empty_dims(a.ndim, np.PyArray_DIMS(a), FLOAT32)
    n = np.PyArray_SIZE(a)
    with nogil:
        ms_widen(kind, <const uint16_t*>np.PyArray_DATA(a), <float*>np.PyArray_DATA(out), n)
    return out


cdef np.ndarray narrow(np.ndarray a, np.dtype descr):
    """A contiguous float32 array rounded to the 16-bit type `descr`."""
    cdef np.ndarray out = empty_dims(a.ndim, np.PyArray_DIMS(a), descr)
    cdef int kind = half_kind(out)
    cdef Py_ssize_t n = np.PyArray_SIZE(a)
    with nogil:
        ms_narrow(kind, <const float*>np.PyArray_DATA(a), <uint16_t*>np.PyArray_DATA(out), n)
    return out


def set_blas(use: bool) -> bool:
    """Whether products use the BLAS wheel (the default) or the built-in kernel; returns whether BLAS is used now.

    >>> set_blas(False), matmul(numpy.ones((2, 3)), numpy.ones((3, 2)))[0, 0].item()
    (False, 3.0)
    >>> used = set_blas(True)
    """
    cdef void* fns[6]
    cdef bint found = False
    for i in range(6):
        fns[i] = NULL
    if use:
        from ms_kernels.loops.blas import addresses

        for i, address in enumerate(addresses()):
            fns[i] = <void*><uintptr_t>address
        found = fns[0] != NULL
    ms_gemm_set_blas(fns)
    blas_ready[0] = True
    return found


cdef inline bint layout(np.ndarray a, Py_ssize_t item, Py_ssize_t* ld, int* trans) noexcept:
    """Whether BLAS can take the last two axes as they lie; if so, how."""
    cdef int nd = a.ndim
    cdef Py_ssize_t rows = a.shape[nd - 2]
    cdef Py_ssize_t cols = a.shape[nd - 1]
    cdef Py_ssize_t rs = a.strides[nd - 2]
    cdef Py_ssize_t cs = a.strides[nd - 1]
    if (cs == item or cols <= 1) and (rows <= 1 or (rs >= cols * item and rs % item == 0)):
        trans[0] = 0
        ld[0] = max(cols, 1) if rows <= 1 else rs // item
        return True
    if (rs == item or rows <= 1) and (cols <= 1 or (cs >= rows * item and cs % item == 0)):
        trans[0] = 1
        ld[0] = max(rows, 1) if cols <= 1 else cs // item
        return True
    return False


cdef np.ndarray fold(np.ndarray a):
    """(..., m, k) as one tall matrix, where that needs no copy; None otherwise."""
    cdef int nd = a.ndim
    cdef Py_ssize_t rows = a.shape[nd - 2]
    cdef Py_ssize_t step = a.strides[nd - 2]
    cdef int d
    if np.PyArray_IS_C_CONTIGUOUS(a):
        return a.reshape(-1, a.shape[nd - 1]) if a.shape[nd - 1] else None
    for d in range(nd - 3, -1, -1):
        if a.strides[d] != step * rows:
            return None
        rows *= a.shape[d]
    return numpy.lib.stride_tricks.as_strided(a, (rows, a.shape[nd - 1]), (step, a.strides[nd - 1]))


cdef np.ndarray matmul_array(np.ndarray a, np.ndarray b):
    """The product of two arrays of at least two dimensions and of one of the types float32/64, complex64/128."""
    cdef ms_gemm_job job
    cdef np.npy_intp dims[64]
    cdef int num = np.PyArray_TYPE(a)
    cdef int nd, d, da, db, failed
    cdef Py_ssize_t item, sa, sb
    cdef np.ndarray out, flat
    cdef int and_, bnd
    if num == np.NPY_FLOAT:
        job.kind = MS_F32
        item = 4
    elif num == np.NPY_DOUBLE:
        job.kind = MS_F64
        item = 8
    else:
        job.kind = MS_C64 if num == np.NPY_CFLOAT else MS_C128
        item = 8 if num == np.NPY_CFLOAT else 16
    and_ = a.ndim
    bnd = b.ndim
    if and_ > 2 and bnd == 2 and a.shape[and_ - 2] > 0:
        flat = fold(a)  # one tall product instead of many: the same numbers, one call
        if flat is not None:
            shape = (<object>a).shape[:and_ - 1] + (b.shape[1],)
            return matmul_array(flat, b).reshape(shape)
    if not layout(a, item, &job.lda, &job.ta):
        a = np.PyArray_GETCONTIGUOUS(a)
        layout(a, item, &job.lda, &job.ta)
    if not layout(b, item, &job.ldb, &job.tb):
        b = np.PyArray_GETCONTIGUOUS(b)
        layout(b, item, &job.ldb, &job.tb)
    job.m = a.shape[and_ - 2]
    job.k = a.shape[and_ - 1]
    job.n = b.shape[bnd - 1]
    nd = max(and_, bnd)
    job.ndim = nd - 2
    for d in range(nd - 2):
        da = d - (nd - and_)
        db = d - (nd - bnd)
        sa = a.shape[da] if da >= 0 else 1
        sb = b.shape[db] if db >= 0 else 1
        job.shape[d] = sb if sa == 1 else sa
        job.a_strides[d] = 0 if sa == 1 else a.strides[da]
        job.b_strides[d] = 0 if sb == 1 else b.strides[db]
        dims[d] = job.shape[d]
    dims[nd - 2] = job.m
    dims[nd - 1] = job.n
    out = empty_dims(nd, dims, (<object>a).dtype)
    job.a = <const char*>np.PyArray_DATA(a)
    job.b = <const char*>np.PyArray_DATA(b)
    job.c = <char*>np.PyArray_DATA(out)
    if not blas_ready[0]:
        set_blas(True)
    if job.m * job.n * job.k <= 4096 and job.ndim == 0:
        failed = ms_gemm_run(&job)  # shorter than giving the interpreter lock away
    else:
        with nogil:
            failed = ms_gemm_run(&job)
    if failed == -2:  # complex numbers without BLAS, or sides beyond its 32-bit integers
        return numpy.matmul(a, b)
    if failed:
        raise MemoryError("no memory for the packed blocks of a matrix product")
    return out


def matmul(a: np.ndarray, b: np.ndarray, transpose_a: bool = False, transpose_b: bool = False) -> np.ndarray:
    """The product over the last two axes, batch axes broadcast, as `numpy.matmul`; 16-bit types accumulate in float32.

    Both operands have one dtype. `transpose_a`, `transpose_b` swap the last two axes of an operand first (without a
    copy); a 1-d operand is a row (`a`) or a column (`b`), and its axis is missing in the result.

    >>> a = numpy.arange(6, dtype="float32").reshape(2, 3)
    >>> matmul(a, a, transpose_b=True).tolist()
    [[5.0, 14.0], [14.0, 50.0]]
    """
    cdef int num = np.PyArray_TYPE(a)
    cdef np.ndarray out
    cdef bint row = a.ndim == 1
    cdef bint column = b.ndim == 1
    if row:
        a = a[None, :]
    elif transpose_a:
        a = numpy.swapaxes(a, -1, -2)
    if column:
        b = b[:, None]
    elif transpose_b:
        b = numpy.swapaxes(b, -1, -2)
    if num == np.NPY_FLOAT or num == np.NPY_DOUBLE or num == np.NPY_CFLOAT or num == np.NPY_CDOUBLE:
        out = matmul_array(a, b)
    elif half_kind(a) >= 0:
        out = narrow(matmul_array(widen(a), widen(b)), (<object>a).dtype)
    else:
        out = numpy.matmul(a, b)
    if row or column:
        if row and column:
            return out.reshape((<object>out).shape[:out.ndim - 2])
        return numpy.squeeze(out, -2 if row else -1)
    return out
