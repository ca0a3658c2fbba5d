# c-sources: src/ms_kernels/simd/recurrent.c src/ms_kernels/simd/recurrent_base.c src/ms_kernels/simd/recurrent_avx2.c src/ms_kernels/simd/gemm_base.c src/ms_kernels/simd/gemm_avx2.c
"""A recurrent layer's loop over the steps of a sequence, and its gradient.

No argument is checked. All arrays have one type: float16, bfloat16 (computed in float32 and rounded once), float32 or
float64. Results do not depend on the number of threads, but for the weight's gradient, which is one matrix product.
"""

cimport numpy as np
from libc.stdint cimport int64_t

from ms_kernels.core.runtime cimport empty_array, ms_rt, rt_table
from ms_kernels.loops.linalg cimport half_kind, matmul_array, narrow, widen

import numpy

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "recurrent.h":
    ctypedef struct ms_scan:
        int cell, reverse
        Py_ssize_t steps, batch, hidden
        const int64_t *lengths
        const void *x
        const void *w
        const void *bias
        const void *h0
        const void *c0
        void *y
        void *hn
        void *cn
        void *saved
        const void *dy
        const void *dhn
        const void *dcn
        void *dx
        void *dh0
        void *dc0
        void *dq
    int ms_scan_forward(const ms_scan *s, int is_double) nogil
    int ms_scan_backward(const ms_scan *s, int is_double) nogil

cdef ms_rt TABLE = rt_table()[0]
ms_rt_table = &TABLE
cdef dict CELLS = {"tanh": 0, "relu": 1, "lstm": 2, "gru": 3}
cdef tuple KEPT = (0, 0, 5, 4)
cdef np.dtype I64 = numpy.dtype(numpy.int64)


def use_baseline(bint on):
    """For tests: leaves out the loops of newer instruction sets."""
    TABLE.isa = 0 if on else rt_table().isa


cdef np.ndarray prepare(object x):
    """Contiguous, and of a type that the loops know; None stays None."""
    if x is None:
        return None
    return widen(x) if half_kind(x) >= 0 else np.PyArray_GETCONTIGUOUS(x)


cdef np.ndarray finish(np.ndarray out, np.dtype descr):
    return out if (<object>out).dtype == descr else narrow(out, descr)


cdef inline void* data(np.ndarray x) noexcept:
    return NULL if x is None else np.PyArray_DATA(x)


cdef run(ms_scan *s, np.ndarray w, bint back):
    cdef int failed, wide = np.PyArray_TYPE(w) == np.NPY_DOUBLE
    with nogil:
        failed = ms_scan_backward(s, wide) if back else ms_scan_forward(s, wide)
    if failed:
        raise MemoryError("no memory for the states of a recurrent layer")


def scan(str cell, bint reverse, np.ndarray x, np.ndarray hx, cx, np.ndarray weight, bias, lengths):
    """The results of all steps from the products with the inputs x: (y, last h, what the gradient needs[, last c])."""
    cdef ms_scan s
    cdef np.dtype descr = x.dtype
    cdef np.ndarray a = prepare(x), h = prepare(hx), c = prepare(cx), w = prepare(weight), b = prepare(bias)
    cdef np.ndarray n = None if lengths is None else numpy.ascontiguousarray(lengths, I64)
    cdef np.ndarray y, hn, cn = None, saved
    cdef np.dtype wide = a.dtype
    s.cell, s.reverse = CELLS[cell], reverse
    s.steps, s.batch, s.hidden = a.shape[0], a.shape[1], h.shape[1]
    y = empty_array((s.steps, s.batch, s.hidden), wide)
    hn = empty_array((s.batch, s.hidden), wide)
    saved = empty_array((s.steps, s.batch, <Py_ssize_t>KEPT[s.cell] * s.hidden), wide)
    if c is not None:
        cn = empty_array((s.batch, s.hidden), wide)
    s.lengths = <int64_t*>data(n)
    s.x, s.w, s.bias, s.h0, s.c0 = data(a), data(w), data(b), data(h), data(c)
    s.y, s.hn, s.cn, s.saved = data(y), data(hn), data(cn), data(saved)
    run(&s, w, False)
    if cn is None:
        return finish(y, descr), finish(hn, descr), saved
    return finish(y, descr), finish(hn, descr), saved, finish(cn, descr)


cdef np.ndarray states_before(np.ndarray y, np.ndarray h, np.ndarray lengths, bint reverse):
    """The state that each step started from: (T, B, H)."""
    cdef np.ndarray out = empty_array((<object>y).shape, y.dtype)
    cdef Py_ssize_t steps = y.shape[0]
    if steps == 0:
        return out
    if not reverse:
        out[0] = h
        out[1:] = y[:steps - 1]
        return out
    out[steps - 1] = h
    out[:steps - 1] = y[1:]
    if lengths is not None:  # no step of such a row is before its last one; rows without steps have no gradient
        out[numpy.clip(lengths, 1, steps) - 1, numpy.arange(y.shape[1])] = h
    return out


def scan_grad(
    str cell, bint reverse, np.ndarray gy, np.ndarray gh, gc, np.ndarray y, np.ndarray saved, np.ndarray hx, cx,
    np.ndarray weight, bint has_bias, lengths
):
    """The gradients of x, hx, weight[, bias][, cx], given those of y and of the last h (and c), and scan's results."""
    cdef ms_scan s
    cdef np.dtype descr = y.dtype
    cdef np.ndarray h = prepare(hx), c = prepare(cx), w = prepare(weight), out = prepare(y), kept = prepare(saved)
    cdef np.ndarray dy = prepare(gy), dhn = prepare(gh), dcn = prepare(gc)
    cdef np.ndarray n = None if lengths is None else numpy.ascontiguousarray(lengths, I64)
    cdef np.ndarray dx, dh0, dc0 = None, dq = None, rows, states, dw
    cdef np.dtype wide = out.dtype
    s.cell, s.reverse = CELLS[cell], reverse
    s.steps, s.batch, s.hidden = out.shape[0], out.shape[1], out.shape[2]
    dx = empty_array((s.steps, s.batch, w.shape[0]), wide)
    dh0 = empty_array((s.batch, s.hidden), wide)
    if c is not None:
        dc0 = empty_array((s.batch, s.hidden), wide)
    if cell == "gru":
        dq = empty_array((s.steps, s.batch, s.hidden), wide)
    s.lengths = <int64_t*>data(n)
    s.w, s.h0, s.c0, s.y, s.saved = data(w), data(h), data(c), data(out), data(kept)
    s.dy, s.dhn, s.dcn = data(dy), data(dhn), data(dcn)
    s.dx, s.dh0, s.dc0, s.dq = data(dx), data(dh0), data(dc0), data(dq)
    run(&s, w, True)
    states = states_before(out, h, n, reverse).reshape(-1, s.hidden)
    parts = [dx.reshape(-1, w.shape[0])]
    if dq is not None:
        parts = [parts[0][:, :2 * s.hidden], dq.reshape(-1, s.hidden)]
    dw = joined([matmul_array(part.T, states) for part in parts])
    found = [finish(dx, descr), finish(dh0, descr), finish(dw, descr)]
    if has_bias:
        rows = numpy.ones((1, states.shape[0]), wide)
        found.append(finish(joined([matmul_array(rows, part)[0] for part in parts]), descr))
    if dc0 is not None:
        found.append(finish(dc0, descr))
    return tuple(found)


cdef np.ndarray joined(list parts):
    return parts[0] if len(parts) == 1 else numpy.concatenate(parts)
