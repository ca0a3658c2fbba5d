/* float64 functions: the C library, and what it lacks, under the names that ew_formulas.h uses. */
#ifndef MS_LIBMATH_H
#define MS_LIBMATH_H

#include "ms_rt.h"

#include <math.h>

#define MS_FROM_LIBM(name) \
    MS_INLINE double name##_f64(double x) { return name(x); }
MS_FROM_LIBM(exp)
MS_FROM_LIBM(exp2)
MS_FROM_LIBM(expm1)
MS_FROM_LIBM(log)
MS_FROM_LIBM(log1p)
MS_FROM_LIBM(log2)
MS_FROM_LIBM(log10)
MS_FROM_LIBM(sin)
MS_FROM_LIBM(cos)
MS_FROM_LIBM(tan)
MS_FROM_LIBM(asin)
MS_FROM_LIBM(acos)
MS_FROM_LIBM(atan)
MS_FROM_LIBM(sinh)
MS_FROM_LIBM(cosh)
MS_FROM_LIBM(tanh)
MS_FROM_LIBM(asinh)
MS_FROM_LIBM(acosh)
MS_FROM_LIBM(atanh)
MS_FROM_LIBM(erf)
MS_FROM_LIBM(erfc)
#undef MS_FROM_LIBM

MS_INLINE double pow_f64(double x, double y) { return pow(x, y); }
MS_INLINE double atan2_f64(double x, double y) { return atan2(x, y); }
MS_INLINE double fmod_f64(double x, double y) { return fmod(x, y); }
MS_INLINE double hypot_f64(double x, double y) { return hypot(x, y); }

MS_INLINE double gauss_tail_f64(double a, double *e) {
    *e = exp(-0.5 * a * a);
    return 0.5 * erfc(a * 0.70710678118654752);
}

/* Start: M. Giles, "Approximating the erfinv function" (2012); then two steps of Halley's method on the smaller tail. */
MS_INLINE double erfinv_f64(double x) {
    double a = fabs(x), y;
    if (!(a < 1.0)) return a == 1.0 ? copysign(INFINITY, x) : NAN;
    if (a < 1e-9) return x * 0.88622692545275801;
    double w = -log1p(-a) - log1p(a);
    if (w < 5.0) {
        w -= 2.5;
        y = 2.81022636e-08;
        y = 3.43273939e-07 + y * w;
        y = -3.5233877e-06 + y * w;
        y = -4.39150654e-06 + y * w;
        y = 0.00021858087 + y * w;
        y = -0.00125372503 + y * w;
        y = -0.00417768164 + y * w;
        y = 0.246640727 + y * w;
        y = 1.50140941 + y * w;
    } else {
        w = sqrt(w) - 3.0;
        y = -0.000200214257;
        y = 0.000100950558 + y * w;
        y = 0.00134934322 + y * w;
        y = -0.00367342844 + y * w;
        y = 0.00573950773 + y * w;
        y = -0.0076224613 + y * w;
        y = 0.00943887047 + y * w;
        y = 1.00167406 + y * w;
        y = 2.83297682 + y * w;
    }
    y *= a;
    for (int step = 0; step < 2; ++step) {
        double off = a < 0.5 ? erf(y) - a : (1.0 - a) - erfc(y);
        double u = off / (1.1283791670955126 * exp(-y * y));
        y -= u / (1.0 + y * u);
    }
    return copysign(y, x);
}
#endif
