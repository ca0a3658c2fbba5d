# c-sources: src/ms_kernels/simd/pool.c src/ms_kernels/simd/blocks.c src/ms_kernels/simd/cpu.c
"""The one thread pool, the cache of freed blocks, and arrays whose memory comes out of that cache."""

import os

cimport cython
cimport numpy as np
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport uint64_t

np.import_array()

cdef extern from "runtime.h":
    ctypedef struct ms_block_stats:
        size_t in_use, cached, limit, peak_in_use, peak_held
        uint64_t hits, misses
    void ms_parallel_for(Py_ssize_t n, Py_ssize_t grain, ms_task fn, void *ctx) noexcept nogil
    int ms_threads() noexcept nogil
    int ms_set_threads(int n) noexcept nogil
    int ms_workers() noexcept nogil
    int ms_pool_init(int n) noexcept nogil
    void *ms_alloc(size_t bytes) noexcept nogil
    void ms_release(void *block) noexcept nogil
    void ms_trim(size_t keep) noexcept nogil
    void ms_set_block_limit(size_t bytes) noexcept nogil
    void ms_get_block_stats(ms_block_stats *out) noexcept nogil
    void ms_reset_block_peaks(int in_use, int held) noexcept nogil
    int ms_cpu_isa() noexcept nogil
    int ms_cpu_count() noexcept nogil
    size_t ms_ram_bytes() noexcept nogil

cdef extern from "numpy/arrayobject.h":
    # as in NumPy's own declaration, but a new reference that may be NULL and no object where C wants NULL
    PyObject* PyArray_NewFromDescr(
        void* subtype, np.dtype descr, int nd, const np.npy_intp* dims, const np.npy_intp* strides, void* data,
        int flags, PyObject* obj) except NULL
    bint PyDataType_REFCHK(np.dtype descr)
    bint PyDataType_HASSUBARRAY(np.dtype descr)
    PyObject PyArray_Type
    int NPY_ARRAY_CARRAY
    enum: NPY_MAXDIMS

cdef Py_ssize_t CACHE_FROM = 32768  # below, NumPy's own cache of small blocks is as fast
cdef Py_ssize_t TOO_BIG = <Py_ssize_t>1 << 46
cdef ms_rt TABLE


cdef const ms_rt* rt_table() noexcept nogil:
    return &TABLE


@cython.final
@cython.freelist(64)
cdef class Block:
    """Owner of a cached block: the base object of the array over it."""

    cdef void* data

    def __dealloc__(self):
        ms_release(self.data)


cdef inline np.ndarray owned(PyObject* new):
    out = <np.ndarray>new
    Py_DECREF(out)
    return out


cdef np.ndarray empty_dims(int ndim, const np.npy_intp* dims, np.dtype descr):
    cdef Py_ssize_t size = descr.itemsize
    cdef int i
    cdef Block block
    cdef np.ndarray out
    for i in range(ndim):
        if dims[i] > 0 and size > TOO_BIG // dims[i]:
            size = TOO_BIG
            break
        size *= dims[i]
    Py_INCREF(descr)  # PyArray_NewFromDescr takes this reference
    if size < CACHE_FROM or size == TOO_BIG or PyDataType_REFCHK(descr) or PyDataType_HASSUBARRAY(descr):
        return owned(PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, NULL, NULL, 0, NULL))
    block = Block.__new__(Block)
    block.data = ms_alloc(size)
    if block.data == NULL:  # let NumPy raise its own error
        return owned(PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, NULL, NULL, 0, NULL))
    out = owned(PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, NULL, block.data, NPY_ARRAY_CARRAY, NULL))
    np.set_array_base(out, block)
    return out


cdef np.ndarray empty_array(tuple shape, np.dtype descr):
    cdef np.npy_intp dims[NPY_MAXDIMS]
    cdef Py_ssize_t ndim = len(shape)
    cdef Py_ssize_t i
    if ndim > NPY_MAXDIMS:
        raise ValueError(f"an array has at most {NPY_MAXDIMS} dimensions, but got {ndim}")
    for i in range(ndim):
        dims[i] = shape[i]
    return empty_dims(<int>ndim, dims, descr)


def empty(shape, dtype) -> np.ndarray:
    """A C-contiguous array that is not filled in; large ones come out of the cache of freed blocks.

    >>> empty((2, 3), "float32").shape
    (2, 3)
    """
    return empty_array((shape,) if isinstance(shape, int) else tuple(shape), np.dtype(dtype))


def set_threads(n) -> None:
    """Sets how many threads large operations may use, the caller's own among them; ValueError below 1.

    >>> set_threads(get_threads())
    >>> get_threads() >= 1
    True
    """
    cdef int count = n
    cdef int failed
    if count < 1:
        raise ValueError(f"For 'set_threads', the 'n' must be at least 1, but got {count}.")
    with nogil:
        failed = ms_set_threads(count)
    if failed:
        raise RuntimeError("For 'set_threads', the number of threads must be set outside of a running operation.")


def get_threads() -> int:
    """The number of threads that large operations may use."""
    return ms_threads()


def started_workers() -> int:
    """How many helper threads exist by now; they start with the first operation that is large enough."""
    return ms_workers()


def memory_stats() -> dict[str, int]:
    """Bytes of large blocks in use, bytes kept for reuse and their bound, the most that were in use and that were held
    (in use or kept), and how often a kept block could be used.

    >>> sorted(memory_stats())
    ['cached', 'hits', 'in_use', 'limit', 'misses', 'peak_held', 'peak_in_use']
    """
    cdef ms_block_stats s
    ms_get_block_stats(&s)
    return {"in_use": s.in_use, "cached": s.cached, "limit": s.limit, "hits": s.hits, "misses": s.misses,
            "peak_in_use": s.peak_in_use, "peak_held": s.peak_held}


def reset_memory_peaks(bint in_use=True, bint held=True) -> None:
    """Starts the two peaks anew from what is in use and held now.

    >>> reset_memory_peaks()
    >>> memory_stats()["peak_in_use"] == memory_stats()["in_use"]
    True
    """
    ms_reset_block_peaks(in_use, held)


def trim_memory(keep: int = 0) -> None:
    """Gives freed blocks back to the system until at most `keep` bytes are kept."""
    ms_trim(max(0, keep))


def set_memory_limit(nbytes: int) -> None:
    """Bounds the bytes of freed blocks that are kept for reuse; 0 keeps none."""
    ms_set_block_limit(max(0, nbytes))


def instruction_set() -> str:
    """The instruction set that the native loops use: "avx2" or "baseline"."""
    return "avx2" if TABLE.isa else "baseline"


cdef int wished_threads():
    # OpenMP's form: a list whose first number counts; anything else is no wish
    head = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(head) if head.isdecimal() and 0 < int(head) < 4096 else ms_cpu_count()


TABLE.parallel_for = ms_parallel_for
TABLE.threads = ms_threads
TABLE.alloc = ms_alloc
TABLE.release = ms_release
TABLE.isa = ms_cpu_isa()
ms_set_block_limit(min(<size_t>1 << 30, ms_ram_bytes() // 8))
if ms_pool_init(wished_threads()):
    raise MemoryError("the fork handlers of the thread pool cannot be installed")
