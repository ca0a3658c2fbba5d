/* The kernels of reduce_table.h for one item type; macros as in reduce_rows.h. */
#include "reduce_rows.h"

static void R(arg)(int op, const T *x, ptrdiff_t n, ptrdiff_t at, rd_state *s) {
    T best = op == RD_ARGMAX ? R(max)(x, n) : R(min)(x, n);
    ptrdiff_t i = 0;
    if (s->i >= 0 && (s->a != s->a || !(best != best || (op == RD_ARGMAX ? (double)best > s->a : (double)best < s->a)))) return;
    if (best != best) while (x[i] == x[i]) i++;
    else while (x[i] != best) i++;
    s->a = (double)best;
    s->i = at + i;
}

/* takes n >= 1 items, whose first is number `at` of its row, into the state */
static void R(block)(int op, const T *x, ptrdiff_t n, ptrdiff_t at, rd_state *s) {
    rd_state t;
    t.i = n;
    t.b = 0;
    switch (op) {
    case RD_SUM: t.a = R(sum)(x, n); break;
    case RD_SUMSQ: t.a = R(sumsq)(x, n); break;
    case RD_PROD: t.a = R(prod)(x, n); break;
    case RD_MAX: t.a = (double)R(max)(x, n); break;
    case RD_MIN: t.a = (double)R(min)(x, n); break;
    case RD_LSE: {
        T top = R(max)(x, n);
        t.a = (double)top;
        t.b = top - top == 0 ? R(sumexp)(x, n, top) : 0;
        break;
    }
    case RD_VAR: R(moments)(x, n, &t); break;
    default: R(arg)(op, x, n, at, s); return;
    }
    rd_combine(op, s, &t);
}

static void R(rows)(int op, const T *x, ptrdiff_t step, ptrdiff_t n, ptrdiff_t count, double *out) {
    for (ptrdiff_t i = 0; i < count; i++, x += step) {
        switch (op) {
        case RD_SUM: out[i] = R(sum)(x, n); break;
        case RD_PROD: out[i] = R(prod)(x, n); break;
        case RD_MAX: out[i] = (double)R(max)(x, n); break;
        case RD_MIN: out[i] = (double)R(min)(x, n); break;
        default: out[i] = R(sumsq)(x, n);
        }
    }
}

/* one row of w columns, row number `at`, into the columns' states */
static void R(row)(int step, const T *MS_RESTRICT x, ptrdiff_t w, ptrdiff_t at, rd_cols *MS_RESTRICT s) {
    T *MS_RESTRICT acc = s->acc.R(m);
    double *MS_RESTRICT a = s->a, *MS_RESTRICT b = s->b;
    switch (step) {
    case RC_SUM:
        for (ptrdiff_t j = 0; j < w; j++) acc[j] += x[j];
        break;
    case RC_PROD:
        for (ptrdiff_t j = 0; j < w; j++) a[j] *= (double)x[j];
        break;
    case RC_SUMSQ:
        for (ptrdiff_t j = 0; j < w; j++) a[j] += (double)x[j] * (double)x[j];
        break;
    case RC_MAX:
        for (ptrdiff_t j = 0; j < w; j++) acc[j] = ((x[j] > acc[j]) | (x[j] != x[j])) ? x[j] : acc[j];
        break;
    case RC_MIN:
        for (ptrdiff_t j = 0; j < w; j++) acc[j] = ((x[j] < acc[j]) | (x[j] != x[j])) ? x[j] : acc[j];
        break;
    case RC_EXP: {
        ptrdiff_t j = 0;
        for (; j + VN <= w; j += VN) {
            T e[VN];
            V(store)(e, V(exp)(V(sub)(V(load)(x + j), V(load)(acc + j))));
            for (int k = 0; k < VN; k++) b[j + k] += (double)e[k];
        }
        for (; j < w; j++) b[j] += exp((double)x[j] - (double)acc[j]);
        break;
    }
    case RC_DEV:
        for (ptrdiff_t j = 0; j < w; j++) {
            double d = (double)x[j] - (double)acc[j];
            a[j] += d;
            b[j] += d * d;
        }
        break;
    default:
        for (ptrdiff_t j = 0; j < w; j++) {
            int better = step == RC_ARGMAX ? x[j] > acc[j] : x[j] < acc[j];
            if (s->i[j] < 0 || better || (x[j] != x[j] && acc[j] == acc[j])) {
                acc[j] = x[j];
                s->i[j] = at;
            }
        }
    }
}

/* A NaN stays; of equal items the last one's place is given. */
#define RD_SCAN_STEP(j, now, better) \
    if (s->i[j] < 0 || now != now || (acc[j] == acc[j] && (better))) { \
        acc[j] = now; \
        s->i[j] = at_now; \
    }

static void R(scanrow)(int op, const T *MS_RESTRICT x, T *MS_RESTRICT y, int64_t *MS_RESTRICT idx, ptrdiff_t w, ptrdiff_t at, rd_cols *MS_RESTRICT s) {
    T *MS_RESTRICT acc = s->acc.R(m);
    double *MS_RESTRICT a = s->a;
    ptrdiff_t at_now = at;
    if (op == SC_SUM) {
        for (ptrdiff_t j = 0; j < w; j++) y[j] = (T)(a[j] += (double)x[j]);
    } else if (op == SC_PROD) {
        for (ptrdiff_t j = 0; j < w; j++) y[j] = (T)(a[j] *= (double)x[j]);
    } else {
        for (ptrdiff_t j = 0; j < w; j++) {
            T now = x[j];
            RD_SCAN_STEP(j, now, op == SC_MAX ? now >= acc[j] : now <= acc[j])
            y[j] = acc[j];
            idx[j] = s->i[j];
        }
    }
}

static void R(scan)(int op, const T *MS_RESTRICT x, T *MS_RESTRICT y, int64_t *MS_RESTRICT idx, ptrdiff_t n, ptrdiff_t at, rd_cols *MS_RESTRICT s) {
    T *MS_RESTRICT acc = s->acc.R(m);
    double a = s->a[0];
    if (op == SC_SUM) {
        for (ptrdiff_t j = 0; j < n; j++) y[j] = (T)(a += (double)x[j]);
    } else if (op == SC_PROD) {
        for (ptrdiff_t j = 0; j < n; j++) y[j] = (T)(a *= (double)x[j]);
    } else {
        for (ptrdiff_t j = 0; j < n; j++) {
            T now = x[j];
            ptrdiff_t at_now = at + j;
            RD_SCAN_STEP(0, now, op == SC_MAX ? now >= acc[0] : now <= acc[0])
            y[j] = acc[0];
            idx[j] = s->i[0];
        }
    }
    s->a[0] = a;
}

#undef RD_SCAN_STEP
