/* Sums and extrema of n contiguous items of one type. The including file defines T (float or double), VT and V(name) (its vectors), VN (their lanes),
   R(name) (the suffix) and T_IS_FLOAT. */

/* float: partial sums of 512 items in float (16 adds per lane), those in double. double: compensated between such blocks. */
static MS_UNUSED double R(sum)(const T *x, ptrdiff_t n) {
    vd total = vd_set1(0), lost = vd_set1(0);
    double lane[4], low[4], tail = 0;
    while (n >= VN) {
        ptrdiff_t m = ms_min_ix(n, 64 * VN) / VN * VN, i = 0;
        VT a0 = V(set1)(0), a1 = a0, a2 = a0, a3 = a0;
        for (; i + 4 * VN <= m; i += 4 * VN) {
            a0 = V(add)(a0, V(load)(x + i));
            a1 = V(add)(a1, V(load)(x + i + VN));
            a2 = V(add)(a2, V(load)(x + i + 2 * VN));
            a3 = V(add)(a3, V(load)(x + i + 3 * VN));
        }
        for (; i < m; i += VN) a0 = V(add)(a0, V(load)(x + i));
        a0 = V(add)(V(add)(a0, a1), V(add)(a2, a3));
#if T_IS_FLOAT
        total = vd_add(total, vd_low(a0));
        lost = vd_add(lost, vd_high(a0));
#else
        vd s = vd_add(total, a0), z = vd_sub(s, total);
        lost = vd_add(lost, vd_add(vd_sub(total, vd_sub(s, z)), vd_sub(a0, z)));
        total = s;
#endif
        x += m;
        n -= m;
    }
    for (ptrdiff_t i = 0; i < n; i++) tail += (double)x[i];
    vd_store(lane, total);
    vd_store(low, lost);
    double hi = (lane[0] + lane[1]) + (lane[2] + lane[3]), lo = (low[0] + low[1]) + (low[2] + low[3]);
    hi += tail;
    return hi - hi == 0 ? hi + lo : T_IS_FLOAT ? hi + lo : hi; /* inf: the compensation is NaN */
}

/* mean (s->a), squared deviations (s->b) and count of n >= 1 items. The deviations from a first estimate also correct it. */
static MS_UNUSED void R(moments)(const T *x, ptrdiff_t n, rd_state *s) {
    double lane[4], sum[4], count = (double)n, tail = 0, tail_sum = 0;
    T c = (T)(R(sum)(x, n) / count);
    VT vc = V(set1)(c);
    vd squares = vd_set1(0), total = squares;
    s->i = n;
    while (n >= VN) {
        ptrdiff_t m = ms_min_ix(n, 64 * VN) / VN * VN, i = 0;
        VT a0 = V(set1)(0), a1 = a0, s0 = a0, s1 = a0, d0, d1;
        for (; i + 2 * VN <= m; i += 2 * VN) {
            d0 = V(sub)(V(load)(x + i), vc);
            d1 = V(sub)(V(load)(x + i + VN), vc);
            s0 = V(add)(s0, d0);
            s1 = V(add)(s1, d1);
            a0 = V(fma)(d0, d0, a0);
            a1 = V(fma)(d1, d1, a1);
        }
        for (; i < m; i += VN) {
            d0 = V(sub)(V(load)(x + i), vc);
            s0 = V(add)(s0, d0);
            a0 = V(fma)(d0, d0, a0);
        }
        a0 = V(add)(a0, a1);
        s0 = V(add)(s0, s1);
#if T_IS_FLOAT
        squares = vd_add(squares, vd_add(vd_low(a0), vd_high(a0)));
        total = vd_add(total, vd_add(vd_low(s0), vd_high(s0)));
#else
        squares = vd_add(squares, a0);
        total = vd_add(total, s0);
#endif
        x += m;
        n -= m;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        double d = (double)x[i] - (double)c;
        tail_sum += d;
        tail += d * d;
    }
    vd_store(lane, squares);
    vd_store(sum, total);
    double off = (sum[0] + sum[1]) + (sum[2] + sum[3]) + tail_sum;
    s->a = (double)c + off / count;
    s->b = (lane[0] + lane[1]) + (lane[2] + lane[3]) + tail - off * off / count;
    if (s->b < 0) s->b = 0;
}

/* in double: a float's square or the running product may leave float's range */
static MS_UNUSED double R(sumsq)(const T *x, ptrdiff_t n) {
    vd a0 = vd_set1(0), a1 = a0;
    double lane[4], tail = 0;
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN) {
        VT v = V(load)(x + i);
#if T_IS_FLOAT
        vd p = vd_low(v), q = vd_high(v);
        a0 = vd_fma(p, p, a0);
        a1 = vd_fma(q, q, a1);
#else
        a0 = vd_fma(v, v, a0);
#endif
    }
    for (; i < n; i++) tail += (double)x[i] * (double)x[i];
    vd_store(lane, vd_add(a0, a1));
    return (lane[0] + lane[1]) + (lane[2] + lane[3]) + tail;
}

static MS_UNUSED double R(prod)(const T *x, ptrdiff_t n) {
    vd a0 = vd_set1(1), a1 = a0;
    double lane[4], tail = 1;
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN) {
        VT v = V(load)(x + i);
#if T_IS_FLOAT
        a0 = vd_mul(a0, vd_low(v));
        a1 = vd_mul(a1, vd_high(v));
#else
        a0 = vd_mul(a0, v);
#endif
    }
    for (; i < n; i++) tail *= (double)x[i];
    vd_store(lane, vd_mul(a0, a1));
    return (lane[0] * lane[1]) * (lane[2] * lane[3]) * tail;
}

/* largest (or smallest) of n >= 1 items; NaN when one of them is */
#define RD_EXTREMUM(name, vop, less) \
    static MS_UNUSED T R(name)(const T *x, ptrdiff_t n) { \
        T lane[VN], best = x[0]; \
        ptrdiff_t i = 0; \
        if (n >= VN) { \
            VT a0 = V(load)(x), a1 = a0, a2 = a0, a3 = a0, nan = V(unord)(a0, a0); \
            for (; i + 4 * VN <= n; i += 4 * VN) { \
                VT p = V(load)(x + i), q = V(load)(x + i + VN); \
                VT r = V(load)(x + i + 2 * VN), s = V(load)(x + i + 3 * VN); \
                nan = V(or)(nan, V(or)(V(unord)(p, q), V(unord)(r, s))); \
                a0 = vop(a0, p); \
                a1 = vop(a1, q); \
                a2 = vop(a2, r); \
                a3 = vop(a3, s); \
            } \
            for (; i + VN <= n; i += VN) { \
                VT p = V(load)(x + i); \
                nan = V(or)(nan, V(unord)(p, p)); \
                a0 = vop(a0, p); \
            } \
            if (V(any)(nan)) return (T)NAN; \
            V(store)(lane, vop(vop(a0, a1), vop(a2, a3))); \
            best = lane[0]; \
            for (int j = 1; j < VN; j++) best = best less lane[j] ? lane[j] : best; \
        } \
        for (; i < n; i++) { \
            if (x[i] != x[i]) return (T)NAN; \
            best = best less x[i] ? x[i] : best; \
        } \
        return best; \
    }
RD_EXTREMUM(max, V(max), <)
RD_EXTREMUM(min, V(min), >)

static MS_UNUSED double R(sumexp)(const T *x, ptrdiff_t n, T top) {
    vd a0 = vd_set1(0), a1 = a0;
    VT vt = V(set1)(top);
    double lane[4], tail = 0;
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN) {
        VT e = V(exp)(V(sub)(V(load)(x + i), vt));
#if T_IS_FLOAT
        a0 = vd_add(a0, vd_low(e));
        a1 = vd_add(a1, vd_high(e));
#else
        a0 = vd_add(a0, e);
#endif
    }
    for (; i < n; i++) tail += exp((double)x[i] - (double)top);
    vd_store(lane, vd_add(a0, a1));
    return (lane[0] + lane[1]) + (lane[2] + lane[3]) + tail;
}

#undef RD_EXTREMUM
