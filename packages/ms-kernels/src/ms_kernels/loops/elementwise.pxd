"""Elementwise loops for the dispatcher: codes looked up once, then calls on bare memory."""

cimport numpy as np

# an `ew_host` of ew_host.h, for modules that call the loops over blocks of their own
cdef const void* loops_by_name() noexcept nogil

# -1: no loop of that name
cdef int unary_code(str name)
cdef int binary_code(str name)
cdef bint unary_gives_bool(int code) noexcept nogil
cdef bint binary_gives_bool(int code) noexcept nogil

# Packed operands of NumPy type `type_num`; False, with nothing done, when there is no loop for that type.
cdef bint unary_same(int code, int type_num, const void* x, void* out, Py_ssize_t n) noexcept nogil
cdef bint binary_same(int code, int type_num, const void* x, const void* y, void* out, Py_ssize_t n) noexcept nogil
# swapped: the scalar is the first operand; it is rounded to the type first
cdef bint binary_scalar(
    int code, int type_num, const void* x, double y, bint swapped, void* out, Py_ssize_t n) noexcept nogil

# Any layout, NumPy broadcasting, a new C-contiguous result; None when there is no loop for the type.
cdef np.ndarray unary_array(int code, np.ndarray x)
cdef np.ndarray binary_array(int code, np.ndarray x, np.ndarray y)
cdef np.ndarray packed_copy(np.ndarray x)
