# c-sources: src/ms_kernels/random/fill.c src/ms_kernels/random/permute.c src/ms_kernels/random/fill_base.c src/ms_kernels/random/fill_avx2.c
"""Philox4x32-10 and the fills over it.  Word n of the stream (seed, high) is word n % 4 of the block with counter
(n / 4 as 64 bits, high as 64 bits) and key seed, low halves first.  Nothing here has a state."""

cimport numpy as np
from libc.math cimport erfc
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from ms_kernels.core.runtime cimport empty_array, ms_rt, rt_table

import numpy as np

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "philox.h":
    """
    #ifndef MS_HAVE_AVX2_KERNELS
    #define MS_HAVE_AVX2_KERNELS 0
    #define ms_avx2_parts(u, ln, cosine, sine, n) (void)0
    #endif
    """
    enum: MS_HAVE_AVX2_KERNELS
    int ms_random_baseline
    void ms_avx2_parts(const double *u, double *ln, double *cosine, double *sine, Py_ssize_t n) noexcept nogil
    ctypedef struct ms_fill:
        uint32_t key[2]
        uint32_t high[2]
        double p[4]
        int64_t low
        uint64_t span
    enum:
        MS_WORDS, MS_UNIFORM64, MS_NORMAL64, MS_TRUNC64, MS_UNIT32, MS_NORMAL32, MS_LESS, MS_LESS32, MS_MASK
        MS_INT32, MS_INT64, MS_UNIT64, MS_GAUSS64
    void ms_random_fill(int kind, const ms_fill *f, void *out, int64_t first, int64_t count) noexcept nogil
    int ms_random_permutation(const ms_fill *f, int64_t *out, int64_t n) noexcept nogil
    void ms_random_dropout(
        const ms_fill *f, const float *x, float *y, uint8_t *keep, float scale, int64_t n) noexcept nogil
    void ms_philox_block(const ms_fill *f, uint64_t block, uint32_t *out) noexcept nogil

ms_rt_table = rt_table()


def use_baseline(bint on):
    """Take the plain C kernels whatever the machine has, or no longer: for tests."""
    global ms_random_baseline
    ms_random_baseline = on


def vector_parts(np.ndarray u not None):
    """Return ln u, and cos and sin of twice the float pi times u, as the vector kernels compute them; None without these.

    For tests of their error.  Takes contiguous float64 numbers from (0, 1], a multiple of four of them.
    """
    if not MS_HAVE_AVX2_KERNELS or not rt_table().isa:
        return None
    if u.dtype != np.float64 or not u.flags.c_contiguous or u.size % 4:
        raise ValueError("vector_parts takes contiguous float64 arrays of 4 n elements.")
    cdef np.ndarray ln = np.empty(u.size), c = np.empty(u.size), s = np.empty(u.size)
    ms_avx2_parts(<const double*>np.PyArray_DATA(u), <double*>np.PyArray_DATA(ln), <double*>np.PyArray_DATA(c),
                  <double*>np.PyArray_DATA(s), u.size)
    return ln, c, s


cdef dict KINDS = {
    "words": (MS_WORDS, np.dtype(np.uint32)),
    "uniform64": (MS_UNIFORM64, np.dtype(np.float32)),
    "normal64": (MS_NORMAL64, np.dtype(np.float32)),
    "truncated64": (MS_TRUNC64, np.dtype(np.float32)),
    "unit32": (MS_UNIT32, np.dtype(np.float32)),
    "normal32": (MS_NORMAL32, np.dtype(np.float32)),
    "less": (MS_LESS, np.dtype(np.bool_)),
    "less32": (MS_LESS32, np.dtype(np.float32)),
    "mask": (MS_MASK, np.dtype(np.uint8)),
    "int32": (MS_INT32, np.dtype(np.int64)),
    "int64": (MS_INT64, np.dtype(np.int64)),
    "unit64": (MS_UNIT64, np.dtype(np.float64)),
    "normal_double": (MS_GAUSS64, np.dtype(np.float64)),
}


cdef ms_fill stream(uint64_t seed, uint64_t high) noexcept nogil:
    cdef ms_fill f
    f.key[0] = <uint32_t>seed
    f.key[1] = <uint32_t>(seed >> 32)
    f.high[0] = <uint32_t>high
    f.high[1] = <uint32_t>(high >> 32)
    f.p[0] = f.p[1] = f.p[2] = f.p[3] = 0
    f.low = 0
    f.span = 0
    return f


def block(counter, seed):
    """Return the four words of one block; counter is a 128-bit integer, seed a 64-bit one."""
    cdef uint32_t out[4]
    cdef ms_fill f = stream(seed & 0xFFFFFFFFFFFFFFFF, counter >> 64)
    ms_philox_block(&f, counter & 0xFFFFFFFFFFFFFFFF, out)
    return out[0], out[1], out[2], out[3]


def fill(str kind, np.ndarray out not None, seed, high, int64_t first=0, double p0=0, double p1=0, int64_t low=0,
         uint64_t span=0):
    """Write elements [first, first + out.size) of a stream into a contiguous array of the kind's dtype.

    Kinds: "words" uint32; "uniform64" float32, word / 2^32 * p0 + p1 in double; "normal64" float32, mean p0, sigma p1;
    "unit32" float32, U * p0 + p1 in float with U of 23 bits; "normal32" float32, z * p0 + p1; "less" bool and "less32"
    float32, U < p0; "mask" uint8, eight bits U >= p0, the low one first; "int32", "int64" int64, low + word mod span
    (span 0: 2^64); "unit64" and "normal_double" float64.
    """
    cdef int code
    cdef ms_fill f = stream(seed & 0xFFFFFFFFFFFFFFFF, high & 0xFFFFFFFFFFFFFFFF)
    cdef void* data
    cdef int64_t count = out.size
    code, dtype = KINDS[kind]
    if out.dtype != dtype or not out.flags.c_contiguous or not out.flags.writeable or first < 0:
        raise ValueError(f"fill writes contiguous {dtype} arrays from an element >= 0, but got {out.dtype}, {first}.")
    f.p[0], f.p[1], f.low, f.span = p0, p1, low, span
    data = np.PyArray_DATA(out)
    with nogil:
        ms_random_fill(code, &f, data, first, count)


def fill_truncated(np.ndarray out not None, seed, high, int64_t first, double a, double b, double mean, double sigma):
    """Write elements of a normal distribution cut at the absolute limits a and b into a contiguous float32 array."""
    cdef ms_fill f = stream(seed & 0xFFFFFFFFFFFFFFFF, high & 0xFFFFFFFFFFFFFFFF)
    cdef double root = 1.4142135381698608  # sqrt(2) as a float, as MindSpore has it
    cdef void* data
    cdef int64_t count = out.size
    if out.dtype != np.float32 or not out.flags.c_contiguous or not out.flags.writeable or first < 0:
        raise ValueError(f"fill_truncated writes contiguous float32 arrays, but got {out.dtype}, {first}.")
    f.p[0], f.p[1] = mean, sigma
    f.p[2] = erfc(-((a - mean) / sigma) / root) / 2
    f.p[3] = erfc(-((b - mean) / sigma) / root) / 2 - f.p[2]
    data = np.PyArray_DATA(out)
    with nogil:
        ms_random_fill(MS_TRUNC64, &f, data, first, count)


def permutation(int64_t n, seed, high):
    """Return a random order of 0 .. n-1, int64."""
    cdef ms_fill f = stream(seed & 0xFFFFFFFFFFFFFFFF, high & 0xFFFFFFFFFFFFFFFF)
    cdef np.ndarray out = empty_array((n,), np.dtype(np.int64))
    cdef int64_t* data = <int64_t*>np.PyArray_DATA(out)
    cdef int failed
    with nogil:
        failed = ms_random_permutation(&f, data, n)
    if failed:
        raise MemoryError(f"a permutation of {n} elements")
    return out


def dropout(np.ndarray x not None, double p, float scale, seed, high):
    """Return (y, keep) for a contiguous float32 array: keep = U >= p, y = x * scale where kept, else 0."""
    cdef ms_fill f = stream(seed & 0xFFFFFFFFFFFFFFFF, high & 0xFFFFFFFFFFFFFFFF)
    cdef np.ndarray y, keep
    cdef const float* source
    cdef float* to
    cdef uint8_t* kept
    cdef int64_t n = x.size
    if x.dtype != np.float32 or not x.flags.c_contiguous:
        raise ValueError(f"dropout takes contiguous float32 arrays, but got {x.dtype}.")
    y = empty_array((<object>x).shape, x.dtype)
    keep = empty_array((<object>x).shape, np.dtype(np.bool_))
    source = <const float*>np.PyArray_DATA(x)
    to = <float*>np.PyArray_DATA(y)
    kept = <uint8_t*>np.PyArray_DATA(keep)
    f.p[0] = p
    with nogil:
        ms_random_dropout(&f, source, to, kept, scale, n)
    return y, keep
