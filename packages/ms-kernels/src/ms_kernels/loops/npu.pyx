# c-sources: src/ms_kernels/simd/npu.c src/ms_kernels/simd/npu_base.c src/ms_kernels/simd/npu_avx2.c
# c-sources: src/ms_kernels/simd/cube.c src/ms_kernels/simd/cube_base.c src/ms_kernels/simd/cube_avx2.c
"""Loops of the emulated NPU: float32 steps, trees of sums, the cube's matrix product. Arguments are not validated."""

import ml_dtypes
import numpy

cimport numpy as np
from ms_kernels.core.runtime cimport empty_array, empty_dims, ms_rt, rt_table

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "npu.h" nogil:
    enum: NPU_F32, NPU_F16, NPU_BF16
    const char* npu_unary_name(int)
    int npu_run_unary(int, int, const void*, void*, Py_ssize_t)
    int npu_run_saturate(int, void*, Py_ssize_t)
    int npu_run_hf32(const float*, float*, Py_ssize_t, int)
    enum: NPU_MAXIMUM, NPU_MINIMUM, NPU_POWER
    int npu_run_binary(int, int, const void*, const void*, void*, Py_ssize_t)
    int npu_run_scan(const float*, float*, Py_ssize_t, Py_ssize_t, Py_ssize_t)
    int npu_run_tree(int, const void*, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, float, int, int)
    int npu_run_softmax(int, const void*, void*, Py_ssize_t, Py_ssize_t, int, int, int)
    void npu_run_turn(const void*, void*, Py_ssize_t, Py_ssize_t, Py_ssize_t, int)
    int npu_run_layer_norm(int, const void*, const float*, const float*, void*, float*, float*, Py_ssize_t, Py_ssize_t,
                           float, int, int)

cdef extern from "cube.h" nogil:
    ctypedef struct cube_job:
        Py_ssize_t m, n, k, batch, blocks
        const float *a
        const float *b
        float *c
        const Py_ssize_t *a_row
        const Py_ssize_t *a_k
        const Py_ssize_t *a_base
        const Py_ssize_t *b_col
        const Py_ssize_t *b_k
        const Py_ssize_t *b_base
        const Py_ssize_t *c_row
        const Py_ssize_t *c_col
        const Py_ssize_t *c_base
        const Py_ssize_t *ends
    int cube_run(const cube_job*)
    void cube_repair(const cube_job*)

cdef ms_rt TABLE = rt_table()[0]
ms_rt_table = &TABLE

cdef int BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16).num
cdef np.dtype F32 = numpy.dtype("float32")
cdef dict codes = {}


def use_baseline(bint on):
    """For tests: leaves out the loops of newer instruction sets."""
    TABLE.isa = 0 if on else rt_table().isa


cdef inline int kind(np.ndarray x) noexcept:
    cdef int num = np.PyArray_TYPE(x)
    return NPU_F32 if num == np.NPY_FLOAT32 else NPU_F16 if num == np.NPY_FLOAT16 else NPU_BF16 if num == BFLOAT16 else -1


cdef int memory(int failed) except -2:
    if failed < 0:
        raise MemoryError("no memory for the working space of a loop")
    return failed


def names() -> list[str]:
    """The functions of one operand.

    >>> "sigmoid" in names()
    True
    """
    return list(codes)


def takes(np.ndarray x) -> bool:
    """Whether x is float16, bfloat16 or float32."""
    return kind(x) >= 0


def unary(str name, np.ndarray x):
    """(name(x), whether a step was infinite or NaN): float32 inside, one rounding to x's type.

    >>> unary("exp", numpy.zeros(2, "float32"))
    (array([1., 1.], dtype=float32), False)
    """
    cdef int code = codes[name], bad
    x = np.PyArray_GETCONTIGUOUS(x)
    cdef np.ndarray out = empty_dims(np.PyArray_NDIM(x), np.PyArray_DIMS(x), x.dtype)
    cdef int type = kind(x)
    cdef Py_ssize_t n = np.PyArray_SIZE(x)
    if n < 1024:
        bad = npu_run_unary(code, type, np.PyArray_DATA(x), np.PyArray_DATA(out), n)
    else:
        with nogil:
            bad = npu_run_unary(code, type, np.PyArray_DATA(x), np.PyArray_DATA(out), n)
    return out, memory(bad) > 0


def saturate(np.ndarray x) -> bool:
    """Puts the largest numbers in place of infinities, 0 in place of NaN; whether there was one."""
    cdef int type = kind(x)
    cdef np.ndarray packed
    cdef Py_ssize_t n = np.PyArray_SIZE(x)
    cdef bint done
    if not (np.PyArray_IS_C_CONTIGUOUS(x) and x.flags.writeable):
        packed = numpy.array(x, order="C")
        done = saturate(packed)
        if done:
            numpy.copyto(x, packed)
        return done
    with nogil:
        done = npu_run_saturate(type, np.PyArray_DATA(x), n)
    return done


def hf32(np.ndarray x, bint away) -> np.ndarray:
    """float32 values rounded to HF32 in a new array, ties away from zero or to even.

    >>> hf32(numpy.array([1.0001, 3.0], "float32"), True)
    array([1., 3.], dtype=float32)
    """
    x = np.PyArray_GETCONTIGUOUS(x)
    cdef np.ndarray out = empty_dims(np.PyArray_NDIM(x), np.PyArray_DIMS(x), F32)
    cdef Py_ssize_t n = np.PyArray_SIZE(x)
    with nogil:
        npu_run_hf32(<const float*>np.PyArray_DATA(x), <float*>np.PyArray_DATA(out), n, away)
    return out


def maximum(np.ndarray x, np.ndarray y, bint smaller) -> np.ndarray:
    """The larger (or smaller) of two packed arrays of one shape and type; NaN wins, +0 is above -0."""
    cdef np.ndarray out = empty_dims(np.PyArray_NDIM(x), np.PyArray_DIMS(x), x.dtype)
    cdef int type = kind(x)
    cdef Py_ssize_t n = np.PyArray_SIZE(x)
    with nogil:
        npu_run_binary(NPU_MINIMUM if smaller else NPU_MAXIMUM, type, np.PyArray_DATA(x), np.PyArray_DATA(y),
                       np.PyArray_DATA(out), n)
    return out


def power(np.ndarray x, np.ndarray y):
    """(x to the power y as exp(y * ln abs(x)) of packed arrays of one shape and type, whether a step may have been
    infinite or NaN).

    >>> power(numpy.array([4.0], "float32"), numpy.array([0.5], "float32"))[0].tolist()
    [2.0]
    """
    cdef np.ndarray out = empty_dims(np.PyArray_NDIM(x), np.PyArray_DIMS(x), x.dtype)
    cdef int type = kind(x), bad
    cdef Py_ssize_t n = np.PyArray_SIZE(x)
    with nogil:
        bad = npu_run_binary(NPU_POWER, type, np.PyArray_DATA(x), np.PyArray_DATA(y), np.PyArray_DATA(out), n)
    return out, bad > 0


def scan(np.ndarray x, Py_ssize_t a, Py_ssize_t r, Py_ssize_t b):
    """(running sums over r of packed float32 x seen as (a, r, b), whether one is infinite or NaN).

    >>> scan(numpy.ones(3, "float32"), 1, 3, 1)
    (array([1., 2., 3.], dtype=float32), False)
    """
    cdef np.ndarray out = empty_dims(np.PyArray_NDIM(x), np.PyArray_DIMS(x), F32)
    cdef int bad
    with nogil:
        bad = npu_run_scan(<const float*>np.PyArray_DATA(x), <float*>np.PyArray_DATA(out), a, r, b)
    return out, bad > 0


def tree(np.ndarray x, Py_ssize_t a, Py_ssize_t r, Py_ssize_t b, float scale, int repeat, bint by_tree):
    """(sums over r of packed x seen as (a, r, b), whether one is infinite or NaN): trees of `repeat` neighbours.

    >>> tree(numpy.ones((2, 3), "float32"), 2, 3, 1, 1.0, 64, False)
    (array([3., 3.], dtype=float32), False)
    """
    cdef np.npy_intp size = a * b
    cdef np.ndarray out = empty_dims(1, &size, x.dtype)
    cdef int type = kind(x), bad
    with nogil:
        bad = npu_run_tree(type, np.PyArray_DATA(x), np.PyArray_DATA(out), a, r, b, scale, repeat, by_tree)
    return out, memory(bad) > 0


def turned(np.ndarray x, Py_ssize_t a, Py_ssize_t r, Py_ssize_t b) -> np.ndarray:
    """Packed x of (a, r, b) elements as packed (a, b, r).

    >>> turned(numpy.arange(6, dtype="float32"), 1, 2, 3).ravel().tolist()
    [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    """
    cdef np.npy_intp dims[3]
    dims[0], dims[1], dims[2] = a, b, r
    cdef np.ndarray out = empty_dims(3, dims, x.dtype)
    cdef int item = <int>np.PyArray_ITEMSIZE(x)
    with nogil:
        npu_run_turn(np.PyArray_DATA(x), np.PyArray_DATA(out), a, r, b, item)
    return out


def softmax(np.ndarray x, Py_ssize_t n, bint inverse, int repeat, bint by_tree):
    """(softmax of rows of n elements, whether a step was infinite or NaN)."""
    cdef np.ndarray out = empty_dims(np.PyArray_NDIM(x), np.PyArray_DIMS(x), x.dtype)
    cdef int type = kind(x), bad
    cdef Py_ssize_t rows = np.PyArray_SIZE(x) // n
    with nogil:
        bad = npu_run_softmax(type, np.PyArray_DATA(x), np.PyArray_DATA(out), rows, n, inverse, repeat, by_tree)
    return out, memory(bad) > 0


def layer_norm(np.ndarray x, weight, bias, Py_ssize_t n, float eps, int repeat, bint by_tree):
    """(normalised rows of n elements, means, 1/deviations, whether a step was infinite or NaN)."""
    cdef np.ndarray out = empty_dims(np.PyArray_NDIM(x), np.PyArray_DIMS(x), x.dtype)
    cdef np.npy_intp rows = np.PyArray_SIZE(x) // n
    cdef np.ndarray mean = empty_dims(1, &rows, F32), rstd = empty_dims(1, &rows, F32)
    cdef int type = kind(x), bad
    cdef const float* w = NULL
    cdef const float* v = NULL
    if weight is not None:
        w = <const float*>np.PyArray_DATA(<np.ndarray>weight)
    if bias is not None:
        v = <const float*>np.PyArray_DATA(<np.ndarray>bias)
    with nogil:
        bad = npu_run_layer_norm(type, np.PyArray_DATA(x), w, v, np.PyArray_DATA(out), <float*>np.PyArray_DATA(mean),
                                 <float*>np.PyArray_DATA(rstd), rows, n, eps, repeat, by_tree)
    return out, mean, rstd, memory(bad) > 0


cdef inline const Py_ssize_t* places(np.ndarray x) noexcept:
    return <const Py_ssize_t*>np.PyArray_DATA(x)


def cube(np.ndarray a, np.ndarray b, tuple shape, tuple left, tuple right, tuple out, np.ndarray ends, bint saturate):
    """(the products of a batch of matrices as a new float32 array of `shape`, whether an accumulator overflowed).

    `left`, `right` and `out` hold the tables of places (see cube.h): rows, k, base; columns, k, base; rows, columns,
    base, all packed arrays of intp.  With `saturate` accumulators are saturated after each block.
    """
    cdef cube_job job
    cdef np.ndarray c = empty_array(shape, F32)
    cdef int bad
    job.m = len(left[0])
    job.k = len(left[1])
    job.n = len(right[0])
    job.batch = len(left[2])
    job.blocks = len(ends)
    job.a = <const float*>np.PyArray_DATA(a)
    job.b = <const float*>np.PyArray_DATA(b)
    job.c = <float*>np.PyArray_DATA(c)
    job.a_row = places(left[0])
    job.a_k = places(left[1])
    job.a_base = places(left[2])
    job.b_col = places(right[0])
    job.b_k = places(right[1])
    job.b_base = places(right[2])
    job.c_row = places(out[0])
    job.c_col = places(out[1])
    job.c_base = places(out[2])
    job.ends = places(ends)
    with nogil:
        bad = cube_run(&job)
        if bad > 0 and saturate:
            cube_repair(&job)
    return c, memory(bad) > 0


while npu_unary_name(<int>len(codes)) != NULL:
    codes[npu_unary_name(<int>len(codes)).decode()] = len(codes)
