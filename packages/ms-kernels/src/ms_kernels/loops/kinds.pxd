"""Type codes that the C loops take, shared by the modules that call them."""

cimport numpy as np

cdef extern from "reduce_vec.h":
    enum: MS_F32, MS_F64, MS_F16, MS_BF16, MS_BOOL, MS_I64, MS_I32

# -1: a type that the loops do not know. bfloat16 is the type number that ml_dtypes was given at run time.
cdef inline int kind_of(int type_num, int bfloat16) noexcept nogil:
    if type_num == np.NPY_FLOAT32:
        return MS_F32
    if type_num == np.NPY_FLOAT64:
        return MS_F64
    if type_num == np.NPY_FLOAT16:
        return MS_F16
    if type_num == bfloat16:
        return MS_BF16
    if type_num == np.NPY_BOOL:
        return MS_BOOL
    if type_num == np.NPY_INT64:
        return MS_I64
    if type_num == np.NPY_INT32:
        return MS_I32
    return -1
