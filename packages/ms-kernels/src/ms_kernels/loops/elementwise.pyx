# c-sources: src/ms_kernels/simd/ew.c src/ms_kernels/simd/ew_move.c src/ms_kernels/simd/ew_f64.c
# c-sources: src/ms_kernels/simd/ew_base.c src/ms_kernels/simd/ew_avx2.c
"""Elementwise loops: arrays of any layout in, a packed array out.

Nothing is validated beyond what memory safety asks for.  float16 and bfloat16 are computed in float32 and rounded once.
"""

import ml_dtypes
import numpy

cimport numpy as np
from ms_kernels.core.runtime cimport empty_dims, ms_rt, rt_table

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "ew.h" nogil:
    enum: EW_DIMS
    int EW_F32, EW_F64, EW_F16, EW_BF16, EW_U8, EW_I32, EW_I64, EW_NO_TYPE
    ctypedef struct ew_view:
        pass
    void ew_view_init(ew_view*, const void*, int, int, const Py_ssize_t*, const Py_ssize_t*)
    const char* ew_unary_name(int)
    const char* ew_binary_name(int)
    const char* ew_ternary_name(int)
    bint ew_unary_is_test(int)
    bint ew_binary_is_compare(int)
    void ew_run_unary(int, int, const ew_view*, void*, Py_ssize_t)
    void ew_run_binary(int, int, const ew_view*, const ew_view*, void*, Py_ssize_t)
    void ew_run_ternary(int, int, const ew_view*, const ew_view*, const ew_view*, void*, Py_ssize_t)
    void ew_run_where(const ew_view*, const ew_view*, const ew_view*, void*, Py_ssize_t)
    int ew_run_cast(int, int, const ew_view*, void*, Py_ssize_t)
    void ew_run_copy(const ew_view*, void*, Py_ssize_t)
    void ew_flat_unary(int, int, const void*, void*, Py_ssize_t)
    void ew_flat_binary(int, int, const void*, const void*, void*, Py_ssize_t)
    void ew_flat_scalar(int, int, const void*, double, int, void*, Py_ssize_t)

cdef extern from "ew_host.h" nogil:
    const void* ew_host_table()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISBEHAVED_RO(np.ndarray)
    enum: NPY_MAXDIMS

ms_rt_table = rt_table()

cdef int BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16).num
cdef np.dtype BOOL = numpy.dtype("?")
cdef dict unary_codes = {}
cdef dict binary_codes = {}
cdef dict ternary_codes = {}


cdef dict fill_codes(dict codes, const char* (*name_of)(int) noexcept nogil):
    while name_of(<int>len(codes)) != NULL:
        codes[name_of(<int>len(codes)).decode()] = len(codes)
    return codes


cdef inline int floating(int type_num) noexcept nogil:
    if type_num == np.NPY_FLOAT32:
        return EW_F32
    if type_num == np.NPY_FLOAT64:
        return EW_F64
    if type_num == np.NPY_FLOAT16:
        return EW_F16
    if type_num == BFLOAT16:
        return EW_BF16
    return EW_NO_TYPE


cdef inline int castable(int type_num) noexcept nogil:
    if type_num == np.NPY_BOOL or type_num == np.NPY_UINT8:
        return EW_U8
    if type_num == np.NPY_INT32:
        return EW_I32
    if type_num == np.NPY_INT64:
        return EW_I64
    return floating(type_num)


cdef const void* loops_by_name() noexcept nogil:
    return ew_host_table()


cdef int unary_code(str name):
    return unary_codes.get(name, -1)


cdef int binary_code(str name):
    return binary_codes.get(name, -1)


cdef bint unary_gives_bool(int code) noexcept nogil:
    return ew_unary_is_test(code)


cdef bint binary_gives_bool(int code) noexcept nogil:
    return ew_binary_is_compare(code)


cdef bint unary_same(int code, int type_num, const void* x, void* out, Py_ssize_t n) noexcept nogil:
    cdef int t = floating(type_num)
    if t < 0:
        return False
    ew_flat_unary(code, t, x, out, n)
    return True


cdef bint binary_same(int code, int type_num, const void* x, const void* y, void* out, Py_ssize_t n) noexcept nogil:
    cdef int t = floating(type_num)
    if t < 0:
        return False
    ew_flat_binary(code, t, x, y, out, n)
    return True


cdef bint binary_scalar(
    int code, int type_num, const void* x, double y, bint swapped, void* out, Py_ssize_t n
) noexcept nogil:
    cdef int t = floating(type_num)
    if t < 0:
        return False
    ew_flat_scalar(code, t, x, y, swapped, out, n)
    return True


cdef struct Shape:
    int ndim
    Py_ssize_t size
    Py_ssize_t dims[NPY_MAXDIMS]


cdef inline void shape_of(Shape* s, np.ndarray x) noexcept:
    cdef int d
    s.ndim = np.PyArray_NDIM(x)
    s.size = np.PyArray_SIZE(x)
    for d in range(s.ndim):
        s.dims[d] = np.PyArray_DIM(x, d)


cdef int stretch(Shape* s, np.ndarray x) except -1:
    """Makes `s` what it and the shape of x broadcast to."""
    cdef int ndim = np.PyArray_NDIM(x)
    cdef int d, shift
    cdef Py_ssize_t have, want
    if ndim > s.ndim:
        shift = ndim - s.ndim
        for d in range(s.ndim - 1, -1, -1):
            s.dims[d + shift] = s.dims[d]
        for d in range(shift):
            s.dims[d] = 1
        s.ndim = ndim
    shift = s.ndim - ndim
    for d in range(ndim):
        have = s.dims[d + shift]
        want = np.PyArray_DIM(x, d)
        if have == 1:
            s.dims[d + shift] = want
        elif want != 1 and want != have:
            raise ValueError(f"shapes do not broadcast: {[s.dims[k] for k in range(s.ndim)]} and {list((<object>x).shape)}")
    s.size = 1
    for d in range(s.ndim):
        s.size *= s.dims[d]
    return 0


cdef inline void view_of(ew_view* v, np.ndarray x, const Shape* s) noexcept:
    """x, stretched to shape s."""
    cdef Py_ssize_t steps[NPY_MAXDIMS]
    cdef int shift = s.ndim - np.PyArray_NDIM(x)
    cdef int d
    for d in range(s.ndim):
        if d < shift or np.PyArray_DIM(x, d - shift) == 1:
            steps[d] = 0
        else:
            steps[d] = np.PyArray_STRIDE(x, d - shift)
    ew_view_init(v, np.PyArray_DATA(x), <int>np.PyArray_ITEMSIZE(x), s.ndim, s.dims, steps)


cdef inline np.ndarray behaved(np.ndarray x):
    """x itself unless it is misaligned or byte-swapped."""
    return x if PyArray_ISBEHAVED_RO(x) else x.astype(x.dtype.newbyteorder("="), order="C")


cdef np.ndarray target(object out, const Shape* s, np.dtype descr, tuple operands):
    """Where the loop writes: `out`, or a new array if there is none or if writing into it would disturb an operand."""
    cdef np.ndarray a
    cdef np.ndarray x
    cdef bint safe
    if out is None:
        return empty_dims(s.ndim, <np.npy_intp*>s.dims, descr)
    a = out
    if a.dtype != descr or (<object>a).shape != tuple([s.dims[d] for d in range(s.ndim)]):
        raise ValueError(f"out must have dtype {descr} and shape {[s.dims[d] for d in range(s.ndim)]}")
    safe = np.PyArray_IS_C_CONTIGUOUS(a) and PyArray_ISBEHAVED_RO(a) and a.flags.writeable
    for x in operands:
        same = np.PyArray_DATA(x) == np.PyArray_DATA(a) and np.PyArray_IS_C_CONTIGUOUS(x) and x.nbytes == a.nbytes
        safe = safe and (same or not numpy.may_share_memory(x, a))
    return a if safe else empty_dims(s.ndim, <np.npy_intp*>s.dims, descr)


cdef np.ndarray delivered(np.ndarray result, object out):
    if out is None or result is out:
        return result
    numpy.copyto(out, result)
    return out


cdef np.ndarray run_unary(int code, np.ndarray x, object out):
    cdef int t = floating(np.PyArray_TYPE(x))
    cdef Shape s
    cdef ew_view v
    cdef np.ndarray result
    cdef void* to
    if t < 0:
        return None
    x = behaved(x)
    shape_of(&s, x)
    result = target(out, &s, BOOL if ew_unary_is_test(code) else x.dtype, (x,))
    to = np.PyArray_DATA(result)
    view_of(&v, x, &s)
    with nogil:
        ew_run_unary(code, t, &v, to, s.size)
    return delivered(result, out)


cdef np.ndarray run_binary(int code, np.ndarray x, np.ndarray y, object out):
    cdef int t = floating(np.PyArray_TYPE(x))
    cdef Shape s
    cdef ew_view v, w
    cdef np.ndarray result
    cdef void* to
    if t < 0 or np.PyArray_TYPE(y) != np.PyArray_TYPE(x):
        return None
    x = behaved(x)
    y = behaved(y)
    shape_of(&s, x)
    stretch(&s, y)
    result = target(out, &s, BOOL if ew_binary_is_compare(code) else x.dtype, (x, y))
    to = np.PyArray_DATA(result)
    view_of(&v, x, &s)
    view_of(&w, y, &s)
    with nogil:
        ew_run_binary(code, t, &v, &w, to, s.size)
    return delivered(result, out)


cdef np.ndarray unary_array(int code, np.ndarray x):
    return run_unary(code, x, None)


cdef np.ndarray binary_array(int code, np.ndarray x, np.ndarray y):
    return run_binary(code, x, y, None)


cdef np.ndarray packed_copy(np.ndarray x):
    cdef Shape s
    cdef ew_view v
    cdef np.ndarray result
    cdef void* to
    if x.dtype.hasobject:
        return x.copy(order="C")
    shape_of(&s, x)
    result = empty_dims(s.ndim, <np.npy_intp*>s.dims, x.dtype)
    to = np.PyArray_DATA(result)
    view_of(&v, x, &s)
    with nogil:
        ew_run_copy(&v, to, s.size)
    return result


cdef int lookup(dict codes, str name) except -1:
    code = codes.get(name)
    if code is None:
        raise ValueError(f"there is no loop named {name!r}; there are {', '.join(sorted(codes))}")
    return code


cdef TypeError no_loop(str name, operands):
    return TypeError(f"there is no {name!r} loop for {', '.join([str(x.dtype) for x in operands])}")


def names() -> tuple[list[str], list[str], list[str]]:
    """The unary, the binary and the ternary operations.

    >>> "tanh" in names()[0]
    True
    """
    return list(unary_codes), list(binary_codes), [*ternary_codes, "where"]


def unary(str name, np.ndarray x, out=None) -> np.ndarray:
    """name(x); TypeError unless x is float16, bfloat16, float32 or float64.

    >>> import numpy as np
    >>> unary("square", np.array([1.0, 3.0], np.float32))
    array([1., 9.], dtype=float32)
    """
    result = run_unary(lookup(unary_codes, name), x, out)
    if result is None:
        raise no_loop(name, (x,))
    return result


cdef np.ndarray operand(object value, object like):
    if isinstance(value, numpy.ndarray):
        return value
    return numpy.array(value, like.dtype if isinstance(like, numpy.ndarray) else None)


def binary(str name, x, y, out=None) -> np.ndarray:
    """name(x, y) with NumPy broadcasting; TypeError unless both have the same dtype of those that `unary` takes.

    A Python number takes the other operand's dtype.

    >>> import numpy as np
    >>> binary("maximum", np.array([[1.0], [3.0]]), np.array([2.0, 4.0]))
    array([[2., 4.],
           [3., 4.]])
    """
    cdef int code = lookup(binary_codes, name)
    cdef np.ndarray a = operand(x, y)
    cdef np.ndarray b = operand(y, x)
    result = run_binary(code, a, b, out)
    if result is None:
        raise no_loop(name, (a, b))
    return result


cdef np.ndarray run_where(np.ndarray c, np.ndarray x, np.ndarray y, object out):
    cdef Shape s
    cdef ew_view u, v, w
    cdef void* to
    cdef int item = <int>np.PyArray_ITEMSIZE(x)
    if c.dtype != BOOL or x.dtype != y.dtype or x.dtype.hasobject or item not in (1, 2, 4, 8, 16):
        raise no_loop("where", (c, x, y))
    c, x, y = behaved(c), behaved(x), behaved(y)
    shape_of(&s, c)
    stretch(&s, x)
    stretch(&s, y)
    result = target(out, &s, x.dtype, (c, x, y))
    to = np.PyArray_DATA(result)
    view_of(&u, c, &s)
    view_of(&v, x, &s)
    view_of(&w, y, &s)
    with nogil:
        ew_run_where(&u, &v, &w, to, s.size)
    return delivered(result, out)


def ternary(str name, a, b, c, out=None) -> np.ndarray:
    """name(a, b, c): "where" (a bool, b and c of one dtype, any but object), "clamp" (None is no bound), "addcmul",
    "addcdiv" and "lerp" (all of one dtype that `unary` takes; Python numbers take that of the arrays).

    >>> import numpy as np
    >>> ternary("clamp", np.array([-1.0, 0.5, 2.0]), 0.0, None)
    array([0. , 0.5, 2. ])
    """
    cdef Shape s
    cdef ew_view u, v, w
    cdef np.ndarray x, y, z, result
    cdef int code, t
    cdef void* to
    if name == "where":
        return run_where(a, operand(b, c), operand(c, b), out)
    code = lookup(ternary_codes, name)
    if name == "clamp":
        b = -numpy.inf if b is None else b
        c = numpy.inf if c is None else c
    x, y, z = a, operand(b, a), operand(c, a)
    t = floating(np.PyArray_TYPE(x))
    if t < 0 or np.PyArray_TYPE(y) != np.PyArray_TYPE(x) or np.PyArray_TYPE(z) != np.PyArray_TYPE(x):
        raise no_loop(name, (x, y, z))
    x, y, z = behaved(x), behaved(y), behaved(z)
    shape_of(&s, x)
    stretch(&s, y)
    stretch(&s, z)
    result = target(out, &s, x.dtype, (x, y, z))
    to = np.PyArray_DATA(result)
    view_of(&u, x, &s)
    view_of(&v, y, &s)
    view_of(&w, z, &s)
    with nogil:
        ew_run_ternary(code, t, &u, &v, &w, to, s.size)
    return delivered(result, out)


def cast(np.ndarray x, dtype) -> np.ndarray:
    """A packed copy of x in another NumPy dtype, rounded as NumPy rounds; numbers that do not fit are not reported.

    >>> import numpy as np
    >>> cast(np.array([1.5, -2.5]), np.int32)
    array([ 1, -2], dtype=int32)
    """
    cdef np.dtype want = numpy.dtype(dtype)
    cdef Shape s
    cdef ew_view v
    cdef np.ndarray result
    cdef int source, to, done
    cdef void* data
    if want == x.dtype:
        return packed_copy(x)
    source = castable(np.PyArray_TYPE(x))
    to = castable(want.type_num)
    shape_of(&s, x)
    result = empty_dims(s.ndim, <np.npy_intp*>s.dims, want)
    if source >= 0 and to >= 0 and to != EW_U8 and PyArray_ISBEHAVED_RO(x) and want.isnative:
        data = np.PyArray_DATA(result)
        view_of(&v, x, &s)
        with nogil:
            done = ew_run_cast(source, to, &v, data, s.size)
        if done:
            return result
    with numpy.errstate(all="ignore"):
        numpy.copyto(result, x, casting="unsafe")
    return result


def pack(np.ndarray x) -> np.ndarray:
    """A copy of x in C order, of any dtype and layout.

    >>> import numpy as np
    >>> pack(np.arange(6).reshape(2, 3).T).flags.c_contiguous
    True
    """
    return packed_copy(x)


fill_codes(unary_codes, ew_unary_name)
fill_codes(binary_codes, ew_binary_name)
fill_codes(ternary_codes, ew_ternary_name)
