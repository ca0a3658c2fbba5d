"""Checks: what one argument of a compiled function must be, asked without any Python frame."""
cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF
from libc.string cimport memcmp
from ms_kernels.core.tensor cimport TensorBase

import numpy as np

cnp.import_array()

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char* where) except -1
    void Py_LeaveRecursiveCall()
    void Py_XDECREF(PyObject* value)

# what a check asks
cdef enum:
    IS_TENSOR
    EQUALS
    IS_SAME
    HAS_TYPE
    IS_SEQUENCE
    IS_MAPPING
    ASKS

cdef class Missing:
    """In place of a guard's expected value: the name must be absent."""

    def __repr__(self):
        return "MISSING"

MISSING = Missing()


cpdef bint same_value(object a, object b) except -1:
    """Whether two Python values may stand for each other in a compiled function.

    Numbers must have one type and the same bits (so 0.0 is not -0.0, and NaN is itself), strings be equal, lists, tuples,
    slices and dicts hold the same values; all else must be the same object.

    >>> same_value(1, True), same_value(float("nan"), float("nan")), same_value((1, "a"), (1, "a"))
    (False, True, True)
    """
    cdef double x, y
    if a is b:
        return True
    cdef object kind = type(a)
    if kind is not type(b):
        return False
    if kind is int or kind is str or kind is bool or kind is bytes or kind is range:
        return a == b
    if kind is float:
        x, y = a, b
        return memcmp(&x, &y, sizeof(double)) == 0 or (x != x and y != y)
    if kind is complex:
        return same_value(a.real, b.real) and same_value(a.imag, b.imag)
    if kind is slice:
        return same_value(a.start, b.start) and same_value(a.stop, b.stop) and same_value(a.step, b.step)
    if isinstance(a, (tuple, list)):
        if len(a) != len(b):
            return False
        Py_EnterRecursiveCall(b" while comparing arguments")
        try:
            for left, right in zip(a, b):
                if not same_value(left, right):
                    return False
        finally:
            Py_LeaveRecursiveCall()
        return True
    if kind is dict:
        if len(a) != len(b):
            return False
        for (key, left), (other, right) in zip((<dict>a).items(), (<dict>b).items()):  # the order counts: it is visible
            if not same_value(key, other) or not same_value(left, right):
                return False
        return True
    if isinstance(a, np.generic):
        return a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return False


cdef class Check:
    """What one argument must be for a compiled program to fit; made by the static methods.

    Attributes:
        inputs: how many tensors of the argument are inputs of the program.
    """

    def __dealloc__(self):
        PyMem_Free(self.dims)

    @staticmethod
    def tensor(kind, dtype, shape, bint input=True):
        """A tensor of exactly the class `kind`, with data, of a NumPy dtype and a shape.

        A dim of -1 may be any; a shape of None has any rank.  With `input` the tensor becomes an input of the program.
        """
        cdef Check made = Check.__new__(Check)
        cdef int i
        made.kind = IS_TENSOR
        made.expected = kind
        made.type_num = np.dtype(dtype).num
        made.inputs = input
        made.ndim = -1 if shape is None else len(shape)
        if made.ndim > 0:
            made.dims = <Py_ssize_t*>PyMem_Malloc(made.ndim * sizeof(Py_ssize_t))
            if made.dims == NULL:
                raise MemoryError()
            for i in range(made.ndim):
                made.dims[i] = shape[i]
        return made

    @staticmethod
    def equal(value):
        """A Python value that may stand for `value`: see `same_value`."""
        return new_check(EQUALS, value, ())

    @staticmethod
    def same(value):
        """The very object."""
        return new_check(IS_SAME, value, ())

    @staticmethod
    def of_type(kind):
        """Any object of exactly the class `kind`."""
        return new_check(HAS_TYPE, kind, ())

    @staticmethod
    def sequence(kind, parts):
        """A list or tuple of exactly the class `kind` whose items fit the checks `parts`."""
        if not issubclass(kind, (list, tuple)):
            raise TypeError(f"a sequence is a list or a tuple, but got {kind!r}")
        return new_check(IS_SEQUENCE, kind, tuple(parts))

    @staticmethod
    def mapping(kind, parts):
        """A dict of exactly the class `kind` with the keys of `parts`, in that order, whose values fit its checks."""
        if not issubclass(kind, dict):
            raise TypeError(f"a mapping is a dict, but got {kind!r}")
        made = new_check(IS_MAPPING, kind, tuple(parts.values()))
        (<Check>made).expected = (kind, tuple(parts))
        return made

    @staticmethod
    def asks(predicate):
        """Whatever ``predicate(value)`` holds for."""
        return new_check(ASKS, predicate, ())

    cdef bint match(self, object value, PyObject** into, int* count) except -1:
        cdef int i
        cdef cnp.npy_intp* dims
        cdef cnp.ndarray array
        if self.kind == IS_TENSOR:
            if type(value) is not self.expected or (<TensorBase>value)._pending is not None:
                return False
            array = (<TensorBase>value)._array
            if cnp.PyArray_TYPE(array) != self.type_num:
                return False
            if self.ndim >= 0:
                if cnp.PyArray_NDIM(array) != self.ndim:
                    return False
                dims = cnp.PyArray_DIMS(array)
                for i in range(self.ndim):
                    if dims[i] != self.dims[i] and self.dims[i] != -1:
                        return False
            if self.inputs:
                Py_INCREF(value)
                into[count[0]] = <PyObject*>value
                count[0] += 1
            return True
        if self.kind == EQUALS:
            return value is self.expected or same_value(value, self.expected)
        if self.kind == IS_SAME:
            return value is self.expected
        if self.kind == HAS_TYPE:
            return type(value) is self.expected
        if self.kind == ASKS:
            return bool(self.expected(value))
        Py_EnterRecursiveCall(b" while matching arguments")
        try:
            return self.match_parts(value, into, count)
        finally:
            Py_LeaveRecursiveCall()

    cdef bint match_parts(self, object value, PyObject** into, int* count) except -1:
        cdef int i
        cdef Check part
        if self.kind == IS_MAPPING:
            kind, keys = self.expected
            if type(value) is not kind or len(value) != len(keys):
                return False
            for i, (key, item) in enumerate(list((<dict>value).items())):
                part = self.parts[i]
                if not same_value(key, keys[i]) or not part.match(item, into, count):
                    return False
            return True
        if type(value) is not self.expected or len(value) != len(self.parts):
            return False
        items = tuple(value)  # a list may change while a predicate runs
        for i in range(len(self.parts)):
            part = self.parts[i]
            if not part.match(items[i], into, count):
                return False
        return True

    def matches(self, value):
        """Tell whether a value fits."""
        cdef PyObject** into = <PyObject**>PyMem_Calloc(self.inputs + 1, sizeof(PyObject*))
        cdef int i, count = 0
        if into == NULL:
            raise MemoryError()
        try:
            return self.match(value, into, &count)
        finally:
            for i in range(count):
                Py_XDECREF(into[i])
            PyMem_Free(into)


cdef Check new_check(int kind, object expected, tuple parts):
    cdef Check made = Check.__new__(Check), part
    made.kind = kind
    made.expected = expected
    made.parts = parts
    for part in parts:
        made.inputs += part.inputs
    return made
