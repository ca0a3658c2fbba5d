/* float64 functions without branches, good to about 1e-15: rounded to float32 they are the nearest but for near ties. */
#ifndef MS_NPU_MATH_H
#define MS_NPU_MATH_H

#include "vecmath.h"

MS_INLINE uint64_t d_bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

MS_INLINE double d_float(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* e^x = scale (1 + q) for |x| < 700.  The polynomial is an own near-minimax fit on [-ln 2 / 2, ln 2 / 2]. */
MS_INLINE double d_exp_parts(double x, double *scale) {
    const double big = 6755399441056767.0; /* 1.5 * 2^52 + 1023: the sum has the exponent's bits in its low ones */
    double t = MS_FMAD(x, 1.4426950408889634, big);
    *scale = d_float(d_bits(t) << 52);
    double r = MS_FMAD(t - big, -0.6931471805599453, x), z = r * r;
    double p = MS_FMAD(2.761380686153829e-07, r, 2.762511557828763e-06);
    p = MS_FMAD(p, r, 2.4801536388690766e-05);
    p = MS_FMAD(p, r, 0.00019841208732536384);
    p = MS_FMAD(p, r, 0.0013888888905881542);
    p = MS_FMAD(p, r, 0.008333333353729397);
    p = MS_FMAD(p, r, 0.04166666666665136);
    p = MS_FMAD(p, r, 0.1666666666664829);
    p = MS_FMAD(p, r, 0.5);
    return MS_FMAD(p, z, r);
}

/* Limits are put in at the end: a choice between results is cheaper than one between operands. */
MS_INLINE double d_exp(double x) {
    double s, q = d_exp_parts(x, &s), r = MS_FMAD(s, q, s);
    r = x > 600.0 ? (double)INFINITY : r;
    return x < -600.0 ? 0.0 : r;
}

MS_INLINE double d_expm1(double x) {
    double s, q = d_exp_parts(x, &s), r = MS_FMAD(s, q, s - 1.0);
    r = x > 600.0 ? (double)INFINITY : r;
    r = x < -600.0 ? -1.0 : r;
    return x == 0.0 ? x : r;
}

MS_INLINE float f_exp(float x) {
    double s, q = d_exp_parts((double)x, &s);
    float r = (float)MS_FMAD(s, q, s);
    r = x > 89.0f ? INFINITY : r;
    return x < -104.0f ? 0.0f : r;
}

/* ln x for normal x > 0 */
MS_INLINE double d_log_core(double x) {
    uint64_t u = d_bits(x), shifted = u - 0x3fe6a09e667f3bcdULL + (1023ULL << 52), k = shifted >> 52;
    double e = d_float(k | 0x4330000000000000ULL) - 4503599627371519.0; /* 2^52 + 1023 */
    double f = d_float(u - ((k - 1023) << 52)) - 1.0, s = f / (f + 2.0), z = s * s;
    double p = MS_FMAD(z, 0.14616585424888623, 0.15331710618210773);
    p = MS_FMAD(p, z, 0.18182889455674947);
    p = MS_FMAD(p, z, 0.22222211130259878);
    p = MS_FMAD(p, z, 0.2857142862600327);
    p = MS_FMAD(p, z, 0.39999999999899444);
    p = MS_FMAD(p, z, 0.666666666666667);
    double low = MS_FMAD(e, 1.9082149292705877e-10, p * z * s);
    return MS_FMAD(e, 0.69314718036912382, MS_FMAD(2.0, s, low));
}

MS_INLINE double d_log(double x) {
    double r = d_log_core(x);
    r = x > DBL_MAX ? x : r;
    r = x > 0.0 ? r : x == 0.0 ? -(double)INFINITY : (double)NAN;
    return r;
}

MS_INLINE double d_log1p(double x) {
    double u = 1.0 + x, r = d_log(u), lost = (x - (u - 1.0)) / u;
    r = r + (u > 0.0 && u < DBL_MAX ? lost : 0.0);
    return x == 0.0 ? x : r;
}

MS_INLINE float f_log(float x) {
    float r = (float)d_log_core((double)x);
    r = x > FLT_MAX ? x : r;
    return x > 0.0f ? r : x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
}

MS_INLINE float f_tanh(float x) {
    float a = fabsf(x);
    double s, q = d_exp_parts(2.0 * (double)a, &s);
    q = MS_FMAD(s, q, s - 1.0);
    float r = (float)(q / (q + 2.0));
    return ms_sign_of(a > 9.2f ? 1.0f : r, x);
}

/* erfc(x) e^(x^2) for 0 <= x <= 11: own near-minimax fit in (x - 3.75) / (x + 3.75) */
MS_INLINE double d_erfcx(double x) {
    double t = (x - 3.75) / (x + 3.75);
    double p = MS_FMAD(-2.137991527182868e-08, t, -1.4914929361822315e-07);
    p = MS_FMAD(p, t, -2.0902476640201394e-07);
    p = MS_FMAD(p, t, 7.042173650308893e-07);
    p = MS_FMAD(p, t, 7.938317991488327e-07);
    p = MS_FMAD(p, t, -6.183495257218484e-06);
    p = MS_FMAD(p, t, 3.5661154339706295e-06);
    p = MS_FMAD(p, t, 4.789354078110403e-05);
    p = MS_FMAD(p, t, -0.0001524596857934507);
    p = MS_FMAD(p, t, -2.5533810351076624e-05);
    p = MS_FMAD(p, t, 0.001802962197871143);
    p = MS_FMAD(p, t, -0.008220621346057253);
    p = MS_FMAD(p, t, 0.024143223975532032);
    p = MS_FMAD(p, t, -0.05480232668318547);
    p = MS_FMAD(p, t, 0.10260431203252389);
    p = MS_FMAD(p, t, -0.16357189552424234);
    p = MS_FMAD(p, t, 0.22600806691661163);
    p = MS_FMAD(p, t, -0.27342193149542393);
    return MS_FMAD(p, t, 0.14558972127503858);
}

/* erf(x) for x^2 < 15.5: own near-minimax fit of erf(x) / x */
MS_INLINE double d_erf_core(double x) {
    double z = x * x;
    double p = MS_FMAD(2.6998373036474573e-12, z, 1.0034367512633517e-09);
    p = MS_FMAD(p, z, 4.8342143386226165e-08);
    p = MS_FMAD(p, z, 1.8239746599170454e-06);
    p = MS_FMAD(p, z, 3.241840467925445e-05);
    p = MS_FMAD(p, z, 0.0006275948131251065);
    p = MS_FMAD(p, z, 0.005342867853613299);
    p = MS_FMAD(p, z, 0.060168017260667256);
    p = MS_FMAD(p, z, 0.19956207370939913);
    p = MS_FMAD(p, z, 1.128379167095512);
    double q = MS_FMAD(7.9376776333769e-11, z, 7.672964881866827e-09);
    q = MS_FMAD(q, z, 3.141394655444956e-07);
    q = MS_FMAD(q, z, 8.12626337325125e-06);
    q = MS_FMAD(q, z, 0.00014779429275721856);
    q = MS_FMAD(q, z, 0.0019533987768901064);
    q = MS_FMAD(q, z, 0.01865414076628884);
    q = MS_FMAD(q, z, 0.12338605573267966);
    q = MS_FMAD(q, z, 0.5101906163537469);
    q = MS_FMAD(q, z, 1.0);
    return x * (p / q);
}

MS_INLINE float f_erf(float x) {
    float r = (float)d_erf_core((double)x);
    return fabsf(x) > 3.93f ? ms_sign_of(1.0f, x) : r;
}

/* P(X > a) of the normal distribution for a >= 0; 0 where float32 cannot show it */
MS_INLINE double d_gauss_tail(double a) {
    double v = a > 15.0 ? 15.0 : a, w = v * 0.70710678118654752;
    double t = 0.5 * d_erfcx(w) * d_exp(-0.5 * v * v);
    return a > 15.0 ? 0.0 : t;
}
#endif
