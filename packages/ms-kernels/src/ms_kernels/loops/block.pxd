"""Fused blocks of elementwise loops, for programs that call them on arrays."""

cimport numpy as np
from cpython.object cimport PyObject

cdef extern from "vm.h" nogil:
    enum: VM_INPUTS, VM_OUTPUTS, VM_SINKS, VM_SLOTS
    enum: RD_SUM, RD_PROD, RD_MAX, RD_MIN, RF_PLAIN, RF_DIV
    enum: VM_KEEP, VM_F16, VM_BF16
    ctypedef struct ew_kernel:
        int arity, cost, to_bool, from_bool
    ctypedef struct ew_view:
        pass
    ctypedef struct ew_host:
        void (*find)(const char*, int, ew_kernel*)
        void (*view)(ew_view*, const void*, int, int, const Py_ssize_t*, const Py_ssize_t*)
    ctypedef struct vm_step:
        ew_kernel kernel
        short* in_ "in"
        short out, round
    ctypedef struct vm_sink:
        short slot, op, finish, type
    ctypedef struct vm_block:
        const ew_host* host
        int wide, inputs, constants, registers, outputs, sinks, count, cost
        vm_sink* sink
        unsigned char* input_item
        unsigned char* input_half
        unsigned char* output_item
        unsigned char* output_half
        short* output_slot
        const double* constant
        vm_step* steps
    ctypedef struct vm_run:
        const vm_block* block
        ew_view* in_ "in"
        char** out
        const void* table
        void** sink_out
        Py_ssize_t rows, row
    bint vm_reducible(const vm_block*, Py_ssize_t rows, Py_ssize_t row)
    int vm_execute(vm_run*, Py_ssize_t)

cdef struct Dims:
    int ndim
    Py_ssize_t dims[64]


cdef class Block:
    cdef readonly tuple inputs
    cdef readonly tuple constants
    cdef readonly tuple steps
    cdef readonly tuple outputs
    cdef readonly tuple reductions
    cdef readonly tuple dtypes
    cdef vm_block code
    cdef int* types
    cdef unsigned int* uses
    cdef int last_dims
    cdef double* numbers
    cdef int allocate(self) except -1
    cdef int fill_ends(self) except -1
    cdef int fill_sinks(self) except -1
    cdef bint all_whole(self, PyObject** arrays, const Dims* whole)
    cdef bint set_rows(self, vm_run* run, const Dims* whole)
    cdef object reduced(self, vm_run* run, int k, const Dims* whole)
    cdef int check_steps(self, int first) except -1
    cdef list merged(self, int first)
    cdef int fill_steps(self, int first) except -1
    # inputs as ndarrays; None, with nothing done, when they are not what the block was made for
    cdef object run_c(self, PyObject** arrays)
