# c-sources: src/ms_kernels/simd/optim.c src/ms_kernels/simd/optim_base.c src/ms_kernels/simd/optim_avx2.c
"""Optimizer updates over lists of arrays, in place, in one pass.

Every function takes lists of the same length: parameters, gradients, states.  What is float32 and packed goes to the
native loops, all arrays in one call on the thread pool; the rest (other dtypes, strided parameters) is computed by NumPy
in at least float32 and rounded once.
"""

import math

import numpy

cimport numpy as np
from libc.stdlib cimport free, malloc
from ms_kernels.core.runtime cimport ms_rt, rt_table

np.import_array()

cdef extern from *:
    """
    #include "ms_rt.h"
    MS_RT_DEFINE
    """
    const ms_rt* ms_rt_table

cdef extern from "optim.h" nogil:
    enum: OPT_ADAM, OPT_ADAM_NESTEROV, OPT_ADAM_AMSGRAD, OPT_ADAM_NESTEROV_AMSGRAD, OPT_PLAIN, OPT_MOMENTUM
    enum: OPT_MOMENTUM_NESTEROV, OPT_ADAGRAD, OPT_RMSPROP, OPT_RMSPROP_CENTERED
    ctypedef struct opt_numbers:
        float scale, l2, keep, rate, eps, decay1, gain1, decay2, gain2, root_scale
    ctypedef struct opt_array:
        float* p
        const float* g
        float* s[3]
        Py_ssize_t n
    void opt_run(int rule, const opt_numbers* c, opt_array* arrays, Py_ssize_t count)

ms_rt_table = rt_table()


cdef inline bint is_plain(np.ndarray x) noexcept:
    return np.PyArray_TYPE(x) == np.NPY_FLOAT32 and np.PyArray_ISCARRAY(x)


cdef inline float* floats(np.ndarray x) noexcept:
    return <float*>np.PyArray_DATA(x)


cdef int check_sizes(list arrays, tuple lists) except -1:
    for k, other in enumerate(lists):
        if len(other) != len(arrays):
            raise ValueError(f"list {k + 1} has {len(other)} arrays, but there are {len(arrays)} parameters")
        for p, x in zip(arrays, other):
            if x.shape != p.shape:
                raise ValueError(f"an array of shape {x.shape} goes with a parameter of shape {p.shape}")
    return 0


cdef int update(int rule, opt_numbers c, params, grads, tuple states, by_numpy) except -1:
    """Runs the rule natively where possible, else `by_numpy(p, g, *states)`, which returns the new values of p and states."""
    cdef list arrays = list(params)
    cdef list rest = []
    cdef list kept = []  # gradients that were packed first stay alive until the loop is done
    cdef Py_ssize_t count = 0
    cdef Py_ssize_t i
    cdef int k
    cdef bint native
    cdef np.ndarray p, g, x
    cdef opt_array* todo
    grads = list(grads)
    states = tuple([list(s) for s in states])
    check_sizes(arrays, (grads, *states))
    todo = <opt_array*>malloc(max(1, len(arrays)) * sizeof(opt_array))
    if todo == NULL:
        raise MemoryError
    try:
        for i in range(len(arrays)):
            p = arrays[i]
            g = grads[i]
            native = is_plain(p) and np.PyArray_TYPE(g) == np.NPY_FLOAT32
            for s in states:
                native = native and is_plain(s[i])
            if not native:
                rest.append(i)
                continue
            if not np.PyArray_ISCARRAY_RO(g):
                g = numpy.ascontiguousarray(g, dtype=numpy.float32)
                kept.append(g)
            todo[count].p = floats(p)
            todo[count].g = floats(g)
            todo[count].n = np.PyArray_SIZE(p)
            for k in range(3):
                todo[count].s[k] = NULL
            for k in range(len(states)):
                x = states[k][i]
                todo[count].s[k] = floats(x)
            count += 1
        with nogil:
            opt_run(rule, &c, todo, count)
    finally:
        free(todo)
    for i in rest:
        update_by_numpy(c, arrays[i], grads[i], [s[i] for s in states], by_numpy)
    return 0


cdef int update_by_numpy(opt_numbers c, p, g, list states, rule) except -1:
    cdef double scale = c.scale
    cdef double l2 = c.l2
    wide = numpy.promote_types(numpy.float32, p.dtype if p.dtype.kind == "f" else numpy.float32)
    old = p.astype(wide)
    x = g.astype(wide)
    x = x * wide.type(scale) + old * wide.type(l2)
    new, *others = rule(old, x, *[s.astype(wide) for s in states])
    p[...] = new.astype(p.dtype)
    for s, value in zip(states, others):
        s[...] = value.astype(s.dtype)
    return 0


cdef opt_numbers numbers(double scale, double l2, double keep, double rate, double eps):
    cdef opt_numbers c
    c.scale, c.l2, c.keep, c.rate, c.eps = scale, l2, keep, rate, eps
    c.decay1 = c.gain1 = c.decay2 = c.gain2 = 0
    c.root_scale = 1
    return c


cdef int run_adam(
    params, grads, m, v, vhat, double rate, double root_scale, double keep, double l2, double beta1, double beta2, double eps,
    bint nesterov, double scale
) except -1:
    cdef opt_numbers c = numbers(scale, l2, keep, rate, eps)
    cdef bint amsgrad = vhat is not None
    c.decay1, c.decay2, c.root_scale = beta1, beta2, root_scale
    c.gain1, c.gain2 = 1 - c.decay1, 1 - c.decay2  # in float32, as 2.6: the powers' rounding then cancels this one

    def by_numpy(p, g, m, v, *top):
        gain1, gain2 = 1 - g.dtype.type(beta1), 1 - g.dtype.type(beta2)
        m = beta1 * m + gain1 * g
        v = beta2 * v + gain2 * (g * g)
        step = beta1 * m + gain1 * g if nesterov else m
        top = tuple([numpy.maximum(t, v) for t in top])
        return keep * p - rate * step / (numpy.sqrt(top[0] if top else v) * root_scale + eps), m, v, *top

    rule = (OPT_ADAM_NESTEROV_AMSGRAD if nesterov else OPT_ADAM_AMSGRAD) if amsgrad else (
        OPT_ADAM_NESTEROV if nesterov else OPT_ADAM)
    return update(rule, c, params, grads, (m, v, vhat) if amsgrad else (m, v), by_numpy)


def adam(
    params, grads, m, v, *, double lr, double beta1=0.9, double beta2=0.999, double eps=1e-8, double beta1_power=0.0,
    double beta2_power=0.0, double weight_decay=0.0, bint nesterov=False, vhat=None, double grad_scale=1.0
) -> None:
    """Adam as nn.Adam and nn.Adam(use_amsgrad=True) apply it (Kingma and Ba 2015, the form before section 2.1).

    With g = grad_scale * grad + weight_decay * p:  m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
    p -= lr sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + eps).  The powers are beta1^t and beta2^t; 0 leaves
    the correction out.  nesterov puts beta1 m + (1 - beta1) g in place of m, vhat the running maximum in place of v.

    >>> import numpy as np
    >>> p, m, v = np.ones(2, np.float32), np.zeros(2, np.float32), np.zeros(2, np.float32)
    >>> adam([p], [np.array([1, -1], np.float32)], [m], [v], lr=0.5, beta1_power=0.9, beta2_power=0.999)
    >>> p.round(3)
    array([0.5, 1.5], dtype=float32)
    """
    cdef double rate = lr * math.sqrt(1 - beta2_power) / (1 - beta1_power)
    run_adam(params, grads, m, v, vhat, rate, 1.0, 1.0, weight_decay, beta1, beta2, eps, nesterov, grad_scale)


def adamw(
    params, grads, m, v, *, double lr, double beta1=0.9, double beta2=0.999, double eps=1e-8, double beta1_power=0.0,
    double beta2_power=0.0, double weight_decay=0.01, vhat=None, bint maximize=False, double grad_scale=1.0
) -> None:
    """Adam with decoupled weight decay (Loshchilov and Hutter 2019).

    p is multiplied by 1 - lr weight_decay, then p -= lr / (1 - beta1_power) * m / (sqrt(v / (1 - beta2_power)) + eps).
    Powers of 0 give nn.AdamWeightDecay.

    >>> import numpy as np
    >>> p, m, v = np.ones(1, np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32)
    >>> adamw([p], [m.copy()], [m], [v], lr=0.5, weight_decay=0.1)
    >>> p
    array([0.95], dtype=float32)
    """
    cdef double root_scale = 1 / math.sqrt(1 - beta2_power)
    cdef double scale = -grad_scale if maximize else grad_scale
    cdef double rate = lr / (1 - beta1_power)
    run_adam(params, grads, m, v, vhat, rate, root_scale, 1 - lr * weight_decay, 0.0, beta1, beta2, eps, False, scale)


def sgd(
    params, grads, velocity=None, *, double lr, double momentum=0.0, double dampening=0.0, double weight_decay=0.0,
    bint nesterov=False, double grad_scale=1.0
) -> None:
    """Stochastic gradient descent; with `velocity`, nn.Momentum, and nn.SGD after its first step.

    With g = grad_scale * grad + weight_decay * p:  velocity = momentum velocity + (1 - dampening) g,  p -= lr velocity, or
    with nesterov p -= lr (g + momentum velocity).  Without velocity p -= lr g.

    >>> import numpy as np
    >>> p, u = np.ones(1, np.float32), np.ones(1, np.float32)
    >>> sgd([p], [np.ones(1, np.float32)], [u], lr=0.25, momentum=0.5)
    >>> p, u
    (array([0.625], dtype=float32), array([1.5], dtype=float32))
    """
    cdef opt_numbers c = numbers(grad_scale, weight_decay, 1.0, lr, 0.0)
    c.decay1, c.gain1 = momentum, 1 - dampening

    def by_numpy(p, g, *old):
        if not old:
            return (p - lr * g,)
        u = momentum * old[0] + (1 - dampening) * g
        return p - lr * (g + momentum * u if nesterov else u), u

    if velocity is None:
        update(OPT_PLAIN, c, params, grads, (), by_numpy)
    else:
        update(OPT_MOMENTUM_NESTEROV if nesterov else OPT_MOMENTUM, c, params, grads, (velocity,), by_numpy)


def adagrad(
    params, grads, accum, *, double lr, double eps=0.0, double weight_decay=0.0, bint update_slots=True, double grad_scale=1.0
) -> None:
    """Adagrad (Duchi et al. 2011): accum += g^2 if update_slots,  p -= lr g / (sqrt(accum) + eps).

    >>> import numpy as np
    >>> p = np.ones(1, np.float32)
    >>> adagrad([p], [np.full(1, 3, np.float32)], [np.full(1, 16, np.float32)], lr=0.5)
    >>> p
    array([0.7], dtype=float32)
    """
    cdef opt_numbers c = numbers(grad_scale, weight_decay, 1.0, lr, eps)
    c.decay2, c.gain2 = 1, 1 if update_slots else 0

    def by_numpy(p, g, a):
        a = a + g * g if update_slots else a
        return p - lr * g / (numpy.sqrt(a) + eps), a

    update(OPT_ADAGRAD, c, params, grads, (accum,), by_numpy)


def rmsprop(
    params, grads, mean_square, moment, mean_grad=None, *, double lr, double decay=0.9, double momentum=0.0,
    double eps=1e-10, double weight_decay=0.0, double grad_scale=1.0
) -> None:
    """RMSProp as nn.RMSProp applies it; with `mean_grad`, its centered form.

    s = decay s + (1 - decay) g^2,  moment = momentum moment + lr g / sqrt(s + eps),  p -= moment.  Centered: the square of
    the gradient's running mean is taken from s below the root.

    >>> import numpy as np
    >>> p, s, u = np.ones(1, np.float32), np.zeros(1, np.float32), np.zeros(1, np.float32)
    >>> rmsprop([p], [np.full(1, 2, np.float32)], [s], [u], lr=0.5, decay=0.75)
    >>> p
    array([0.], dtype=float32)
    """
    cdef opt_numbers c = numbers(grad_scale, weight_decay, 1.0, lr, eps)
    c.decay1, c.decay2, c.gain2 = momentum, decay, 1 - decay

    def by_numpy(p, g, s, u, *mean):
        s = decay * s + (1 - decay) * (g * g)
        mean = tuple([decay * old + (1 - decay) * g for old in mean])
        u = momentum * u + lr * g / numpy.sqrt((s - mean[0] ** 2 if mean else s) + eps)
        return p - u, s, u, *mean

    if mean_grad is None:
        update(OPT_RMSPROP, c, params, grads, (mean_square, moment), by_numpy)
    else:
        update(OPT_RMSPROP_CENTERED, c, params, grads, (mean_square, moment, mean_grad), by_numpy)
