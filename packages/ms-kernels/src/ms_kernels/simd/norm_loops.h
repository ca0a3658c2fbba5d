/* The kernels of norm_table.h for one item type; macros as in reduce_rows.h. */
#include "reduce_rows.h"

#define NM_STORE(p, v) \
    do { \
        if (stream) V(stream)(p, v); \
        else V(store)(p, v); \
    } while (0)

/* exp of fewer items than a vector holds, rounded as in a full one */
static T R(exp1)(T x) {
    T t[VN];
    V(store)(t, V(exp)(V(set1)(x)));
    return t[0];
}

static void R(lse)(const void *px, ptrdiff_t n, double *top, double *logsum) {
    const T *x = (const T *)px;
    T m = R(max)(x, n);
    *top = (double)m;
    *logsum = m - m == 0 ? log(R(sumexp)(x, n, m)) : 0;
    if (m - m != 0) *top = (double)m;
}

static void R(shift)(const void *px, void *py, ptrdiff_t n, double a, double b) {
    const T *x = (const T *)px;
    T *y = (T *)py, ta = (T)a, tb = (T)b;
    VT va = V(set1)(ta), vb = V(set1)(tb);
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN) V(store)(y + i, V(sub)(V(sub)(V(load)(x + i), va), vb));
    for (; i < n; i++) y[i] = (x[i] - ta) - tb;
}

static void R(softmax)(const void *px, void *ptmp, void *py, ptrdiff_t n, int log_form, int stream) {
    const T *x = (const T *)px;
    T *tmp = (T *)ptmp, *y = (T *)py, m = R(max)(x, n), tail = 0, lane[VN];
    VT vm = V(set1)(m);
    double sum, part = 0;
    ptrdiff_t i = 0;
    if (log_form) {
        T ls = (T)log(R(sumexp)(x, n, m));
        VT vl = V(set1)(ls);
        for (; i + VN <= n; i += VN) NM_STORE(y + i, V(sub)(V(sub)(V(load)(x + i), vm), vl));
        for (; i < n; i++) y[i] = (x[i] - m) - ls;
        return;
    }
    sum = 0;
    while (i + VN <= n) { /* partial sums of 64 vectors at most */
        ptrdiff_t end = ms_min_ix(i + 64 * VN, n - VN + 1);
        VT a0 = V(set1)(0), a1 = a0, e0, e1;
        for (; i + VN < end; i += 2 * VN) {
            e0 = V(exp)(V(sub)(V(load)(x + i), vm));
            e1 = V(exp)(V(sub)(V(load)(x + i + VN), vm));
            V(store)(tmp + i, e0);
            V(store)(tmp + i + VN, e1);
            a0 = V(add)(a0, e0);
            a1 = V(add)(a1, e1);
        }
        for (; i < end; i += VN) {
            e0 = V(exp)(V(sub)(V(load)(x + i), vm));
            V(store)(tmp + i, e0);
            a0 = V(add)(a0, e0);
        }
        V(store)(lane, V(add)(a0, a1));
        part = 0;
        for (int j = 0; j < VN; j++) part += (double)lane[j];
        sum += part;
    }
    for (; i < n; i++) {
        tmp[i] = R(exp1)(x[i] - m);
        tail += tmp[i];
    }
    T scale = (T)(1 / (sum + (double)tail));
    VT vs = V(set1)(scale);
    for (i = 0; i + VN <= n; i += VN) NM_STORE(y + i, V(mul)(V(load)(tmp + i), vs));
    for (; i < n; i++) y[i] = tmp[i] * scale;
}

static double R(dot)(const void *pw, const void *px, ptrdiff_t n) {
    const T *w = (const T *)pw, *x = (const T *)px;
    double total = 0;
    if (!w) return R(sum)(x, n);
    for (ptrdiff_t i = 0; i < n;) {
        ptrdiff_t end = ms_min_ix(i + 64 * VN, n);
        VT a0 = V(set1)(0), a1 = a0;
        T lane[VN];
        for (; i + 2 * VN <= end; i += 2 * VN) {
            a0 = V(fma)(V(load)(w + i), V(load)(x + i), a0);
            a1 = V(fma)(V(load)(w + i + VN), V(load)(x + i + VN), a1);
        }
        V(store)(lane, V(add)(a0, a1));
        for (int j = 0; j < VN; j++) total += (double)lane[j];
        for (; i < end; i++) total += (double)w[i] * (double)x[i];
    }
    return total;
}

static void R(softmax_grad)(const void *pg, const void *py, void *pdx, ptrdiff_t n, int log_form) {
    const T *g = (const T *)pg, *y = (const T *)py;
    T *dx = (T *)pdx, s = (T)(log_form ? R(sum)(g, n) : R(dot)(g, y, n));
    VT vs = V(set1)(s);
    ptrdiff_t i = 0;
    if (log_form) {
        for (; i + VN <= n; i += VN) V(store)(dx + i, V(sub)(V(load)(g + i), V(mul)(V(exp)(V(load)(y + i)), vs)));
        for (; i < n; i++) dx[i] = g[i] - R(exp1)(y[i]) * s;
    } else {
        for (; i + VN <= n; i += VN) V(store)(dx + i, V(mul)(V(load)(y + i), V(sub)(V(load)(g + i), vs)));
        for (; i < n; i++) dx[i] = y[i] * (g[i] - s);
    }
}

static void R(softmax_tile)(void *px, ptrdiff_t r, ptrdiff_t w, int log_form) {
    T *x = (T *)px, m[NM_TILE];
    double s[NM_TILE];
    for (ptrdiff_t j = 0; j < w; j++) {
        m[j] = x[j];
        s[j] = 0;
    }
    for (ptrdiff_t i = 1; i < r; i++) {
        const T *MS_RESTRICT row = x + i * w;
        for (ptrdiff_t j = 0; j < w; j++) m[j] = ((row[j] > m[j]) | (row[j] != row[j])) ? row[j] : m[j];
    }
    for (ptrdiff_t i = 0; i < r; i++) {
        T *MS_RESTRICT row = x + i * w, e[NM_TILE];
        ptrdiff_t j = 0;
        for (; j + VN <= w; j += VN) V(store)(e + j, V(exp)(V(sub)(V(load)(row + j), V(load)(m + j))));
        for (; j < w; j++) e[j] = R(exp1)(row[j] - m[j]);
        for (j = 0; j < w; j++) s[j] += (double)e[j];
        if (!log_form) memcpy(row, e, (size_t)w * sizeof(T));
    }
    T f[NM_TILE];
    for (ptrdiff_t j = 0; j < w; j++) f[j] = (T)(log_form ? log(s[j]) : 1 / s[j]);
    for (ptrdiff_t i = 0; i < r; i++) {
        T *MS_RESTRICT row = x + i * w;
        if (log_form) for (ptrdiff_t j = 0; j < w; j++) row[j] = (row[j] - m[j]) - f[j];
        else for (ptrdiff_t j = 0; j < w; j++) row[j] *= f[j];
    }
}

static void R(softmax_grad_tile)(void *pg, const void *py, ptrdiff_t r, ptrdiff_t w, int log_form) {
    T *g = (T *)pg, s[NM_TILE];
    const T *y = (const T *)py;
    double total[NM_TILE] = {0};
    for (ptrdiff_t i = 0; i < r; i++) {
        const T *MS_RESTRICT a = g + i * w, *MS_RESTRICT b = y + i * w;
        if (log_form) for (ptrdiff_t j = 0; j < w; j++) total[j] += (double)a[j];
        else for (ptrdiff_t j = 0; j < w; j++) total[j] += (double)a[j] * (double)b[j];
    }
    for (ptrdiff_t j = 0; j < w; j++) s[j] = (T)total[j];
    for (ptrdiff_t i = 0; i < r; i++) {
        T *MS_RESTRICT a = g + i * w;
        const T *MS_RESTRICT b = y + i * w;
        ptrdiff_t j = 0;
        if (!log_form) {
            for (; j < w; j++) a[j] = b[j] * (a[j] - s[j]);
        } else {
            for (; j + VN <= w; j += VN)
                V(store)(a + j, V(sub)(V(load)(a + j), V(mul)(V(exp)(V(load)(b + j)), V(load)(s + j))));
            for (; j < w; j++) a[j] -= R(exp1)(b[j]) * s[j];
        }
    }
}

static void R(stats)(const void *px, ptrdiff_t n, rd_state *s) {
    const T *x = (const T *)px;
    while (n > 0) {
        ptrdiff_t m = ms_min_ix(n, RD_BLOCK);
        rd_state t;
        R(moments)(x, m, &t);
        if (s->i == 0) *s = t;
        else rd_combine(RD_VAR, s, &t);
        x += m;
        n -= m;
    }
}

static double R(sumsq_v)(const void *x, ptrdiff_t n) { return R(sumsq)((const T *)x, n); }

static void R(affine)(const void *px, void *py, ptrdiff_t n, double c, double a, double b, int stream) {
    const T *x = (const T *)px;
    T *y = (T *)py, tc = (T)c, ta = (T)a, tb = (T)(b - (c - (double)tc) * a);
    VT vc = V(set1)(tc), va = V(set1)(ta), vb = V(set1)(tb);
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN) NM_STORE(y + i, V(fma)(V(sub)(V(load)(x + i), vc), va, vb));
    for (; i < n; i++) y[i] = (x[i] - tc) * ta + tb;
}

static void R(scale)(const void *px, void *py, ptrdiff_t n, double mean, double rstd, const void *pg, const void *pb, int stream) {
    const T *x = (const T *)px, *g = (const T *)pg, *b = (const T *)pb;
    T *y = (T *)py, tm = (T)mean, tr = (T)rstd, low = (T)((double)tm - mean); /* mean = tm - low: far from zero, low counts */
    VT vm = V(set1)(tm), vl = V(set1)(low), vr = V(set1)(tr), zero = V(set1)(0);
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN) {
        VT h = V(mul)(V(add)(V(sub)(V(load)(x + i), vm), vl), vr), shift = b ? V(load)(b + i) : zero;
        NM_STORE(y + i, g ? V(fma)(h, V(load)(g + i), shift) : V(add)(h, shift));
    }
    for (; i < n; i++) y[i] = ((x[i] - tm) + low) * tr * (g ? g[i] : 1) + (b ? b[i] : 0);
}

static void R(dots)(const void *pdy, const void *px, const void *pg, ptrdiff_t n, double c, double *s) {
    const T *dy = (const T *)pdy, *x = (const T *)px, *g = (const T *)pg;
    VT vc = V(set1)((T)c);
    for (ptrdiff_t i = 0; i < n;) {
        ptrdiff_t end = ms_min_ix(i + 64 * VN, n);
        VT a0 = V(set1)(0), a1 = a0, b0 = a0, b1 = a0;
        T p[VN], q[VN];
        for (; i + 2 * VN <= end; i += 2 * VN) {
            VT d0 = V(load)(dy + i), d1 = V(load)(dy + i + VN);
            if (g) {
                d0 = V(mul)(d0, V(load)(g + i));
                d1 = V(mul)(d1, V(load)(g + i + VN));
            }
            a0 = V(add)(a0, d0);
            a1 = V(add)(a1, d1);
            b0 = V(fma)(d0, V(sub)(V(load)(x + i), vc), b0);
            b1 = V(fma)(d1, V(sub)(V(load)(x + i + VN), vc), b1);
        }
        V(store)(p, V(add)(a0, a1));
        V(store)(q, V(add)(b0, b1));
        for (int j = 0; j < VN; j++) {
            s[0] += (double)p[j];
            s[1] += (double)q[j];
        }
        for (; i < end; i++) {
            double d = (double)dy[i] * (g ? (double)g[i] : 1);
            s[0] += d;
            s[1] += d * ((double)x[i] - c);
        }
    }
}

static void R(affine2)(const void *pdy, const void *px, void *pdx, ptrdiff_t n, double a, double c, double b, double d) {
    const T *dy = (const T *)pdy, *x = (const T *)px;
    T *dx = (T *)pdx, ta = (T)a, tc = (T)c, tb = (T)b, td = (T)d;
    VT va = V(set1)(ta), vc = V(set1)(tc), vb = V(set1)(tb), vd_ = V(set1)(td);
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN)
        V(store)(dx + i, V(fma)(V(load)(dy + i), va, V(fma)(V(sub)(V(load)(x + i), vc), vb, vd_)));
    for (; i < n; i++) dx[i] = dy[i] * ta + ((x[i] - tc) * tb + td);
}

static void R(norm_dx)(const void *pdy, const void *px, const void *pg, void *pdx, ptrdiff_t n, double mean, double rstd, double c0,
                       double c1, void *pdg, void *pdb) {
    const T *dy = (const T *)pdy, *x = (const T *)px, *g = (const T *)pg;
    T *dx = (T *)pdx, *dg = (T *)pdg, *db = (T *)pdb, tm = (T)mean, tr = (T)rstd, t0 = (T)c0, t1 = (T)c1;
    VT vm = V(set1)(tm), vr = V(set1)(tr), v0 = V(set1)(t0), v1 = V(set1)(t1);
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN) {
        VT d = V(load)(dy + i), h = V(mul)(V(sub)(V(load)(x + i), vm), vr);
        V(store)(dg + i, V(fma)(d, h, V(load)(dg + i)));
        V(store)(db + i, V(add)(d, V(load)(db + i)));
        if (g) d = V(mul)(d, V(load)(g + i));
        V(store)(dx + i, V(mul)(vr, V(sub)(V(sub)(d, v0), V(mul)(h, v1))));
    }
    for (; i < n; i++) {
        T d = dy[i], h = (x[i] - tm) * tr;
        dg[i] += d * h;
        db[i] += d;
        if (g) d *= g[i];
        dx[i] = tr * ((d - t0) - h * t1);
    }
}

static void R(flush)(void *pacc, double *MS_RESTRICT total, ptrdiff_t n) {
    T *MS_RESTRICT acc = (T *)pacc;
    for (ptrdiff_t i = 0; i < n; i++) {
        total[i] += (double)acc[i];
        acc[i] = 0;
    }
}

static void R(exp_axpy)(const void *plogp, const void *pw, void *pout, ptrdiff_t n, double a, double b) {
    const T *logp = (const T *)plogp, *w = (const T *)pw;
    T *out = (T *)pout, ta = (T)a, tb = (T)b;
    VT va = V(set1)(ta), vb = V(set1)(tb);
    ptrdiff_t i = 0;
    for (; i + VN <= n; i += VN)
        V(store)(out + i, V(sub)(V(mul)(V(exp)(V(load)(logp + i)), va), w ? V(mul)(V(load)(w + i), vb) : vb));
    for (; i < n; i++) out[i] = R(exp1)(logp[i]) * ta - (w ? w[i] : 1) * tb;
}

#undef NM_STORE
