"""The one thread pool, the cache of freed blocks, and arrays whose memory comes out of that cache."""

cimport numpy as np

cdef extern from "ms_rt.h":
    ctypedef void (*ms_task)(void *ctx, Py_ssize_t begin, Py_ssize_t end, int worker) noexcept nogil
    ctypedef struct ms_rt:
        void (*parallel_for)(Py_ssize_t n, Py_ssize_t grain, ms_task fn, void *ctx) noexcept nogil
        int (*threads)() noexcept nogil
        void *(*alloc)(size_t bytes) noexcept nogil
        void (*release)(void *block) noexcept nogil
        int isa

cdef const ms_rt* rt_table() noexcept nogil

# C-contiguous, not initialised (zeros for object dtypes); MemoryError when there is no memory
cdef np.ndarray empty_array(tuple shape, np.dtype descr)
cdef np.ndarray empty_dims(int ndim, const np.npy_intp* dims, np.dtype descr)
