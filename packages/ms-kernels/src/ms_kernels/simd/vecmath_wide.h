/* float32 functions that compute in double, to some 1e-11: right to half an ulp of float32 in nearly all cases.
   Without branches, as in vecmath.h. */
#ifndef MS_VECMATH_WIDE_H
#define MS_VECMATH_WIDE_H

#include "vecmath.h"

MS_INLINE uint64_t ms_bits64(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

MS_INLINE double ms_double(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static const uint64_t MS_SIGN64 = UINT64_C(1) << 63;
static const double MS_BIG64 = 6755399441055744.0; /* 1.5 * 2^52: adding it leaves the nearest integer in the low bits */
static const double MS_PI_2 = 1.5707963267948966, MS_PI = 3.1415926535897932;

MS_INLINE double ms_sign_of64(double magnitude, double sign) {
    return ms_double((ms_bits64(magnitude) & ~MS_SIGN64) | (ms_bits64(sign) & MS_SIGN64));
}

/* 2^t for t in [-1000, 1000] */
MS_INLINE double wide_exp2(double t) {
    double k = t + MS_BIG64, r = (t - (k - MS_BIG64)) * 0.69314718055994531;
    double p = MS_FMAD(2.4887806478190833e-05, r, 0.00019909400653092598);
    p = MS_FMAD(p, r, 0.0013888796002406313);
    p = MS_FMAD(p, r, 0.0083332810302842349);
    p = MS_FMAD(p, r, 0.041666667056857926);
    p = MS_FMAD(p, r, 0.1666666678746142);
    p = MS_FMAD(p, r, 0.4999999999951511);
    p = MS_FMAD(p * r, r, r) + 1.0;
    return p * ms_double((ms_bits64(k) + 1023) << 52);
}

MS_INLINE double wide_exp(double x) { return wide_exp2(x * 1.4426950408889634); }

/* log x for normal x > 0 */
MS_INLINE double wide_log(double x) {
    const uint64_t root_half = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    uint64_t u = ms_bits64(x) + (one - root_half);
    double e = ms_double(UINT64_C(0x4330000000000000) | (u >> 52)) - (4503599627370496.0 + 1023.0);
    double f = ms_double((u & UINT64_C(0xfffffffffffff)) + root_half) - 1.0;
    double s = f / (2.0 + f), z = s * s;
    double p = MS_FMAD(0.16630418644292772, z, 0.18139611791821619);
    p = MS_FMAD(p, z, 0.22222875947611109);
    p = MS_FMAD(p, z, 0.28571424008681762);
    p = MS_FMAD(p, z, 0.40000000011631365);
    p = MS_FMAD(p, z, 0.66666666666661856);
    p = MS_FMAD(p, z, 2.0) * s;
    return MS_FMAD(e, 0.69314718055994531, p);
}

/* x = k pi/2 + r; exact enough for |x| <= 1e6 */
MS_INLINE double ms_quadrant(double x, uint64_t *k) {
    double t = x * 0.63661977236758134 + MS_BIG64;
    *k = ms_bits64(t);
    t -= MS_BIG64;
    return (x - t * 1.57079632673412561417) - t * 6.07710050650619224932e-11;
}

MS_INLINE double ms_sin_poly(double r) {
    double z = r * r, p = MS_FMAD(-2.4805040169530649e-08, z, 2.7555984532643134e-06);
    p = MS_FMAD(p, z, -0.00019841266896023318);
    p = MS_FMAD(p, z, 0.0083333333310579589);
    p = MS_FMAD(p, z, -0.16666666666663854);
    return r * MS_FMAD(p, z, 1.0);
}

MS_INLINE double ms_cos_poly(double r) {
    double z = r * r, p = MS_FMAD(-2.7236383387615433e-07, z, 2.4799854090313408e-05);
    p = MS_FMAD(p, z, -0.0013888885064961734);
    p = MS_FMAD(p, z, 0.04166666663712916);
    p = MS_FMAD(p, z, -0.4999999999996349);
    return MS_FMAD(p, z, 1.0);
}

MS_INLINE double ms_sin_shifted(double x, uint64_t quarter_turns) {
    uint64_t k;
    double r = ms_quadrant(x, &k), s = ms_sin_poly(r), c = ms_cos_poly(r);
    k += quarter_turns;
    uint64_t odd = 0 - (k & 1), v = (ms_bits64(c) & odd) | (ms_bits64(s) & ~odd);
    return ms_double(v ^ ((k & 2) << 62));
}

/* The loops send arguments for which ms_is_huge holds to the C library. */
MS_INLINE int ms_is_huge(float x) { return fabsf(x) > 1e6f; }
MS_INLINE float sin_f32(float x) { return (float)ms_sin_shifted((double)x, 0); }
MS_INLINE float cos_f32(float x) { return (float)ms_sin_shifted((double)x, 1); }

MS_INLINE float tan_f32(float x) {
    uint64_t k;
    double r = ms_quadrant((double)x, &k), s = ms_sin_poly(r), c = ms_cos_poly(r);
    uint64_t odd = 0 - (k & 1);
    double top = ms_double((ms_bits64(c) & odd) | (ms_bits64(s) & ~odd));
    double low = ms_double((ms_bits64(s) & odd) | (ms_bits64(c) & ~odd));
    return (float)ms_double(ms_bits64(top / low) ^ (odd & MS_SIGN64));
}

/* atan t for 0 <= t <= 1 */
MS_INLINE double ms_atan_poly(double t) {
    double z = t * t, p = MS_FMAD(-0.00098540904664511922, z, 0.0064537787970727432);
    p = MS_FMAD(p, z, -0.019787303530167416);
    p = MS_FMAD(p, z, 0.038949712427089014);
    p = MS_FMAD(p, z, -0.058052174182935116);
    p = MS_FMAD(p, z, 0.074372127934669546);
    p = MS_FMAD(p, z, -0.090420664668329771);
    p = MS_FMAD(p, z, 0.11105533911547079);
    p = MS_FMAD(p, z, -0.14285383358469728);
    p = MS_FMAD(p, z, 0.19999992287475463);
    p = MS_FMAD(p, z, -0.33333333303555768);
    return t * MS_FMAD(p, z, 1.0);
}

MS_INLINE float atan_f32(float x) {
    double a = fabs((double)x), t = a > 1.0 ? 1.0 / a : a, p = ms_atan_poly(t);
    return (float)ms_sign_of64(a > 1.0 ? MS_PI_2 - p : p, (double)x);
}

MS_INLINE float atan2_f32(float y, float x) {
    double a = fabs((double)x), b = fabs((double)y), low = a < b ? a : b, top = a < b ? b : a;
    double t = low == top ? (top == 0.0 ? 0.0 : 1.0) : low / top, p = ms_atan_poly(t);
    p = b > a ? MS_PI_2 - p : p;
    p = ms_bits64((double)x) & MS_SIGN64 ? MS_PI - p : p;
    p = ms_sign_of64(p, (double)y);
    return x != x || y != y ? x + y : (float)p;
}

/* asin t for 0 <= t <= 1/2, z = t^2 */
MS_INLINE double ms_asin_poly(double t, double z) {
    double p = MS_FMAD(0.028579373992973067, z, 0.00083611605230206115);
    p = MS_FMAD(p, z, 0.016957563789859253);
    p = MS_FMAD(p, z, 0.016883029172730352);
    p = MS_FMAD(p, z, 0.022414706145874153);
    p = MS_FMAD(p, z, 0.030379800608631543);
    p = MS_FMAD(p, z, 0.044642910958120216);
    p = MS_FMAD(p, z, 0.074999999481392479);
    p = MS_FMAD(p, z, 0.16666666666748861);
    return t * MS_FMAD(p, z, 1.0);
}

MS_INLINE float asin_f32(float x) {
    double a = fabs((double)x), z = a > 0.5 ? 0.5 - 0.5 * a : a * a;
    double p = ms_asin_poly(a > 0.5 ? sqrt(z) : a, z);
    return (float)ms_sign_of64(a > 0.5 ? MS_PI_2 - 2.0 * p : p, (double)x);
}

MS_INLINE float acos_f32(float x) {
    double a = fabs((double)x), z = a > 0.5 ? 0.5 - 0.5 * a : a * a;
    double p = ms_asin_poly(a > 0.5 ? sqrt(z) : a, z);
    double near_one = x < 0.0f ? MS_PI - 2.0 * p : 2.0 * p;
    return (float)(a > 0.5 ? near_one : MS_PI_2 - ms_sign_of64(p, (double)x));
}

MS_INLINE float sinh_f32(float x) {
    double v = (double)x, a = fabs(v), z = v * v;
    a = a > 100.0 ? 100.0 : a;
    double e = wide_exp(a), large = 0.5 * (e - 1.0 / e);
    double p = MS_FMAD(z, 1.0 / 72, 1.0);
    p = MS_FMAD(z * (1.0 / 42), p, 1.0);
    p = MS_FMAD(z * (1.0 / 20), p, 1.0);
    p = MS_FMAD(z * (1.0 / 6), p, 1.0);
    return (float)(a < 0.5 ? v * p : ms_sign_of64(large, v));
}

MS_INLINE float cosh_f32(float x) {
    double a = fabs((double)x);
    a = a > 100.0 ? 100.0 : a;
    double e = wide_exp(a);
    return (float)(0.5 * (e + 1.0 / e));
}

MS_INLINE float asinh_f32(float x) {
    double v = (double)x, a = fabs(v), z = v * v;
    double large = wide_log(a + sqrt(z + 1.0));
    large = a > FLT_MAX || a != a ? a : large;
    return (float)(a < 0.03 ? v * MS_FMAD(MS_FMAD(0.075, z, -1.0 / 6), z, 1.0) : ms_sign_of64(large, v));
}

MS_INLINE float acosh_f32(float x) {
    double v = (double)x, r = wide_log(v + sqrt((v - 1.0) * (v + 1.0)));
    r = x > FLT_MAX ? v : r;
    return x >= 1.0f ? (float)r : NAN;
}

MS_INLINE float atanh_f32(float x) {
    double v = (double)x, a = fabs(v), z = v * v;
    double large = 0.5 * wide_log((1.0 + a) / (1.0 - a));
    large = a < 1.0 ? large : a == 1.0 ? INFINITY : NAN;
    double p = MS_FMAD(MS_FMAD(1.0 / 7, z, 0.2), z, 1.0 / 3);
    return (float)(a < 0.03 ? v * MS_FMAD(p, z, 1.0) : ms_sign_of64(large, v));
}

MS_INLINE float log10_f32(float x) { return ms_log_special(x, (float)(wide_log((double)x) * 0.43429448190325183)); }

MS_INLINE float erfc_f32(float x) {
    double v = (double)x, b = fabs(v);
    b = b > 11.0 ? 11.0 : b;
    double s = 1.0 / MS_FMAD(0.3 * 1.4142135623730951, b, 1.0);
    double p = MS_FMAD(-0.0060510562508022019, s, 0.054780083491096296);
    p = MS_FMAD(p, s, -0.21025782463145509);
    p = MS_FMAD(p, s, 0.43912346980669958);
    p = MS_FMAD(p, s, -0.53053689377490132);
    p = MS_FMAD(p, s, 0.38014885470539367);
    p = MS_FMAD(p, s, -0.20827276337593578);
    p = MS_FMAD(p, s, 0.10490932435764372);
    p = MS_FMAD(p, s, 0.03710107991703894);
    p = MS_FMAD(p, s, 0.091213078055641231);
    p = MS_FMAD(p, s, 0.10844492115551282);
    p = MS_FMAD(p, s, 0.11971611365516259);
    p = MS_FMAD(p, s, 0.11968161291272095);
    p = 2.0 * p * s * wide_exp(-b * b);
    return (float)(v < 0.0 ? 2.0 - p : p);
}

MS_INLINE float hypot_f32(float x, float y) {
    double v = (double)x, w = (double)y;
    float r = (float)sqrt(v * v + w * w);
    return fabsf(x) > FLT_MAX || fabsf(y) > FLT_MAX ? INFINITY : r;
}

MS_INLINE float pow_f32(float x, float y) {
    float a = fabsf(x), whole = floorf(y), half = 0.5f * y;
    double t = (double)y * (wide_log((double)a) * 1.4426950408889634);
    double edge = y > 0.0f ? 200.0 : -200.0;
    t = a == 0.0f ? -edge : a > FLT_MAX ? edge : t;
    t = t > 200.0 ? 200.0 : t;
    t = t < -200.0 ? -200.0 : t;
    float r = (float)wide_exp2(t);
    r = ((a != a) | (y != y)) ? a + y : r;
    int odd = (whole == y) & (floorf(half) != half);
    r = odd & (ms_bits(x) >> 31) ? -r : r;
    r = ((x < 0.0f) & (whole != y) & (a <= FLT_MAX)) ? NAN : r;
    r = ((a == 1.0f) & (fabsf(y) > FLT_MAX)) ? 1.0f : r;
    return ((y == 0.0f) | (x == 1.0f)) ? 1.0f : r;
}

/* |x / y| below 2^29: quotient times y is exact in double.  Everything else goes to the C library. */
MS_INLINE int ms_is_far(float x, float y) {
    float b = fabsf(y);
    return !(fabsf(x) < b * 536870912.0f) | !(b <= FLT_MAX);
}

MS_INLINE float fmod_f32(float x, float y) {
    double a = fabs((double)x), b = fabs((double)y), r = a - trunc(a / b) * b;
    r = r < 0.0 ? r + b : r;
    r = r >= b ? r - b : r;
    return (float)ms_sign_of64(r, (double)x);
}
#endif
