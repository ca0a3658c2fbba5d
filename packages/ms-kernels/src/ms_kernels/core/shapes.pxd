"""Comparisons of the shapes of operands, for the dispatcher."""
cimport numpy as cnp
from libc.string cimport memcmp

cdef bint share(cnp.ndarray a, cnp.ndarray b)
cdef bint same_shapes(bytes kinds, list values)
cdef list shapes_of(bytes kinds, list values)
cdef object fit_key(bytes kinds, list values)
cdef bint broadcast(cnp.ndarray a, cnp.ndarray b)

cdef inline bint equal_shape(cnp.ndarray a, cnp.ndarray b):
    cdef int n = cnp.PyArray_NDIM(a)
    return n == cnp.PyArray_NDIM(b) and (
        n == 0 or memcmp(cnp.PyArray_DIMS(a), cnp.PyArray_DIMS(b), n * sizeof(cnp.npy_intp)) == 0)
