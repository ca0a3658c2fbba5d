"""Matrix products of ndarrays, and the 16-bit conversions that conv and pool use too."""

cimport numpy as np

cdef np.ndarray matmul_array(np.ndarray a, np.ndarray b)
cdef int half_kind(np.ndarray a) noexcept
cdef np.ndarray widen(np.ndarray a)
cdef np.ndarray narrow(np.ndarray a, np.dtype descr)
