"""The op record as the dispatcher sees it."""
from ms_kernels.core.tensor cimport TensorBase

cdef class Op:
    cdef readonly str loop
    cdef readonly str name
    cdef readonly str label
    cdef readonly tuple params
    cdef readonly bytes kinds
    cdef readonly tuple defaults
    cdef readonly int arity
    cdef readonly int required
    cdef readonly int promote
    cdef readonly object body
    cdef readonly object vjp
    cdef readonly bytes saves
    cdef readonly bint saves_out
    cdef readonly object shape
    cdef readonly object dtype
    cdef readonly object accepts
    cdef readonly str nondiff
    cdef readonly bint is_view
    cdef readonly bint is_composite
    cdef readonly int check
    cdef readonly object record
    cdef int code
    cdef int fast
    cdef tuple blank
    cdef set fitting  # calls that the shape rule has let through; see fit_key
    cdef dict __dict__

cdef class Mode:
    cdef readonly bint recording
    cdef readonly object target
    cdef readonly object observer
    cdef readonly Mode inner
    cdef readonly bint quiet
    cdef readonly bint whole

cdef class Settings:
    cdef public object target
    cdef public object observer
    cdef public bint graph
    cdef readonly bint ran

cpdef object dispatch(Op op, tuple args)
# for callers that know that the call is neither observed nor on a target; None: take `dispatch`
cdef object fast_call(Op op, tuple args, bint recording)
