"""Programs of steps over registers, and the compiled signatures of a function."""
from cpython.object cimport PyObject
from ms_kernels.loops.block cimport Block

cdef class Ref:
    cdef readonly int register

cdef class Fused:
    cdef readonly Block block
    cdef object make
    cdef Program made
    cdef Program singles(self)
    cdef object call(self, tuple args)

cdef class Step:
    cdef readonly object op
    cdef readonly tuple args
    cdef readonly tuple outs
    cdef readonly tuple frees
    cdef int kind
    cdef int arity
    cdef int out_count
    cdef int free_count
    cdef bint fixed
    cdef int* places

cdef class Program:
    cdef readonly tuple steps
    cdef readonly int registers
    cdef readonly int inputs
    cdef readonly tuple outputs
    cdef readonly tuple captured
    cdef PyObject** step_at
    cdef Py_ssize_t step_count
    cpdef tuple run(self, tuple inputs)
    cdef int execute(self, PyObject** registers) except -1
    cdef object result(self, PyObject** registers, int form)

cdef class Entry:
    cdef readonly tuple checks
    cdef readonly tuple names
    cdef readonly tuple guards
    cdef readonly tuple captured
    cdef readonly tuple same
    cdef readonly Program program
    cdef readonly Program recorded
    cdef readonly object rebuild
    cdef readonly object target
    cdef public object note
    cdef readonly int inputs
    cdef int form
    cdef int registers
    cdef int positional
    cdef bint guarded
    cdef bint match(self, tuple args, dict kwargs, PyObject** into, int* count) except -1
    cdef bint on_tape(self, PyObject** inputs)
    cdef object go(self, PyObject** registers, bint recording)

cdef class Compiled:
    cdef public tuple entries
    cdef readonly long long hits
    cdef Py_ssize_t last
    cdef dict __dict__
    cdef object __weakref__
    cdef object call(self, tuple args, dict kwargs)
