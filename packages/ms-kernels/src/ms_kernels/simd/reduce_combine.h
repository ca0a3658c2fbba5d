/* Joining the states of two stretches of one row, the first in front of the second. */
#ifndef MS_REDUCE_COMBINE_H
#define MS_REDUCE_COMBINE_H

#include <math.h>

#include "reduce_table.h"
#include "reduce_vec.h"

MS_INLINE rd_state rd_start(int op) {
    rd_state s;
    s.a = op == RD_PROD ? 1 : op == RD_MAX || op == RD_LSE ? -INFINITY : op == RD_MIN ? INFINITY : 0;
    s.b = 0;
    s.i = op == RD_ARGMAX || op == RD_ARGMIN ? -1 : 0;
    return s;
}

MS_INLINE void rd_combine(int op, rd_state *s, const rd_state *t) {
    switch (op) {
    case RD_SUM: { /* two-sum: what the addition rounds away is kept in b */
        double sum = s->a + t->a, z = sum - s->a, e = (s->a - (sum - z)) + (t->a - z);
        s->a = sum;
        s->b += t->b + e;
        break;
    }
    case RD_SUMSQ: s->a += t->a; break;
    case RD_PROD: s->a *= t->a; break;
    case RD_MAX: s->a = t->a > s->a || t->a != t->a ? t->a : s->a; break;
    case RD_MIN: s->a = t->a < s->a || t->a != t->a ? t->a : s->a; break;
    case RD_LSE: {
        double top = t->a > s->a || t->a != t->a ? t->a : s->a;
        double p = s->b > 0 ? s->b * exp(s->a - top) : 0, q = t->b > 0 ? t->b * exp(t->a - top) : 0;
        s->a = s->a != s->a ? s->a : top;
        s->b = p + q;
        break;
    }
    case RD_VAR: { /* Chan, Golub, LeVeque (1979) */
        double n = (double)(s->i + t->i), d = t->a - s->a;
        if (t->i == 0) break;
        s->b += t->b + d * d * ((double)s->i * (double)t->i / n);
        s->a += d * ((double)t->i / n);
        s->i += t->i;
        break;
    }
    default:
        if (t->i < 0) break;
        if (s->i < 0 || (s->a == s->a && (t->a != t->a || (op == RD_ARGMAX ? t->a > s->a : t->a < s->a)))) {
            s->a = t->a;
            s->i = t->i;
        }
    }
}

MS_INLINE double rd_finish(int op, int how, double par, const rd_state *s) {
    double v = op == RD_SUM && s->b - s->b == 0 ? s->a + s->b : s->a;
    switch (how) {
    case RF_SQRT: return sqrt(v);
    case RF_LSE: return v - v == 0 ? v + log(s->b) : v;
    case RF_VAR: {
        double n = (double)s->i - par;
        return s->b / (n > 0 ? n : 0);
    }
    case RF_DIV: return v / par;
    default: return v;
    }
}

#endif
