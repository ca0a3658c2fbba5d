"""Checks of the arguments of compiled functions."""
from cpython.object cimport PyObject

cdef class Check:
    cdef readonly int kind
    cdef readonly object expected
    cdef readonly tuple parts
    cdef readonly int inputs
    cdef int type_num
    cdef int ndim
    cdef Py_ssize_t* dims
    cdef bint match(self, object value, PyObject** into, int* count) except -1
    cdef bint match_parts(self, object value, PyObject** into, int* count) except -1

cpdef bint same_value(object a, object b) except -1
