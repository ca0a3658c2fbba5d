"""What other Cython modules may touch of a tensor and of the tape's nodes."""
cimport numpy as cnp

cdef class Node:
    cdef readonly object op
    cdef readonly tuple args
    cdef readonly tuple parents
    cdef readonly tuple indices
    cdef readonly tuple metas
    cdef readonly tuple saved_out
    cdef readonly tuple versions
    cdef readonly tuple out_metas
    cdef readonly long long sequence
    cdef public object hooks

cdef class Unknown:
    cdef readonly tuple dims

cdef class StandIn(Unknown):
    pass

cdef class TensorBase:
    cdef cnp.ndarray _array
    cdef Node _node
    cdef int _index
    cdef long _version
    cdef TensorBase _owner
    cdef object _pending
    cdef dict _past    # {version: array}: what gradient rules still need of a tensor that was changed
    cdef bint _saved   # a gradient rule may need the array as it is now
    cdef bint _viewed  # there are, or were, views of its memory
    cdef long _changes_c(self)
    cdef int _keep_past(self) except -1

cdef TensorBase wrap(cnp.ndarray array)
cdef int mark_saved(TensorBase tensor) except -1
cdef Node new_node(object op, tuple args, tuple parents)
cdef inline bint is_tensor(object value):
    return isinstance(value, TensorBase)
