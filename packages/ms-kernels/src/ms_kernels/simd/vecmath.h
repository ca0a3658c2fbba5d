/* float32 functions without branches, so that a loop over them becomes vector code.

   Polynomials: own near-minimax fits.  Errors stay below 2.5 ulp (see tests/test_loops_elementwise.py); infinities, NaN,
   zeros of both signs and subnormals come out as IEEE 754 / C99 say. */
#ifndef MS_VECMATH_H
#define MS_VECMATH_H

#include "ms_rt.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(__aarch64__) || (defined(_MSC_VER) && defined(__AVX2__))
#define MS_HAS_FMA 1
#define MS_FMA(a, b, c) fmaf(a, b, c)
#define MS_FMAD(a, b, c) fma(a, b, c)
#else
#define MS_HAS_FMA 0
#define MS_FMA(a, b, c) ((a) * (b) + (c))
#define MS_FMAD(a, b, c) ((a) * (b) + (c))
#endif

/* The loop's iterations are independent, also when it works in place. */
#if defined(__clang__)
#define MS_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define MS_IVDEP _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define MS_IVDEP __pragma(loop(ivdep))
#else
#define MS_IVDEP
#endif

MS_INLINE uint32_t ms_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

MS_INLINE float ms_float(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

MS_INLINE float ms_sign_of(float magnitude, float sign) {
    return ms_float((ms_bits(magnitude) & 0x7fffffffu) | (ms_bits(sign) & 0x80000000u));
}

/* 2^n for -126 <= n <= 127 */
MS_INLINE float ms_pow2(int32_t n) { return ms_float((uint32_t)(n + 127) << 23); }

/* x = n log 2 + r; the caller bounds x.  n sits in the low bits after adding 1.5 * 2^23. */
MS_INLINE float ms_exp_rest(float x, int32_t *n) {
    const float big = 12582912.0f;
    float t = MS_FMA(x, 1.44269504f, big);
    *n = (int32_t)(ms_bits(t) - 0x4b400000u);
    t -= big;
    float r = MS_FMA(t, -0.693359375f, x);
    return MS_FMA(t, 2.12194440e-4f, r);
}

/* e^r - 1 for |r| < log(2) / 2 */
MS_INLINE float ms_exp_small(float r) {
    float p = MS_FMA(1.97903544e-4f, r, 1.3944651e-3f);
    p = MS_FMA(p, r, 8.33349675e-3f);
    p = MS_FMA(p, r, 4.16662954e-2f);
    p = MS_FMA(p, r, 0.166666657f);
    p = MS_FMA(p, r, 0.5f);
    return MS_FMA(p, r * r, r);
}

/* e^x = 2^n (1 + q) */
MS_INLINE float ms_exp_parts(float x, int32_t *n) { return ms_exp_small(ms_exp_rest(x, n)); }

/* 2^n p in two steps: n may lie outside the range of normal numbers. */
MS_INLINE float ms_scale(float p, int32_t n) {
    int32_t half = n >> 1;
    return p * ms_pow2(half) * ms_pow2(n - half);
}

/* The comparisons are turned so that NaN passes through. */
MS_INLINE float exp_f32(float x) {
    int32_t n;
    x = x > 89.0f ? 89.0f : x;
    x = x < -104.0f ? -104.0f : x;
    float q = ms_exp_parts(x, &n);
    return ms_scale(1.0f + q, n);
}

MS_INLINE float exp2_f32(float x) {
    const float big = 12582912.0f;
    x = x > 129.0f ? 129.0f : x;
    x = x < -151.0f ? -151.0f : x;
    float t = x + big;
    int32_t n = (int32_t)(ms_bits(t) - 0x4b400000u), zero;
    float q = ms_exp_parts((x - (t - big)) * 0.693147181f, &zero);
    return ms_scale(1.0f + q, n + zero);
}

/* e^x - 1 for x in [-30, 89], losing only the sign of -0 */
MS_INLINE float ms_expm1_core(float x) {
    int32_t n;
    float q = ms_exp_parts(x, &n);
    float s = ms_pow2(n - 1);
    return 2.0f * MS_FMA(s, q, s - 0.5f);
}

MS_INLINE float expm1_f32(float x) {
    float y = x > 89.0f ? 89.0f : x;
    y = y < -30.0f ? -30.0f : y;
    y = ms_expm1_core(y);
    return x == 0.0f ? x : y;
}

/* log(1 + f) - f for f in [sqrt(1/2) - 1, sqrt(2) - 1] */
MS_INLINE float ms_log_tail(float f, float *half_square) {
    float z = f * f;
    float p = MS_FMA(6.74659163e-2f, f, -0.116756387f);
    p = MS_FMA(p, f, 0.118881777f);
    p = MS_FMA(p, f, -0.124055922f);
    p = MS_FMA(p, f, 0.142195508f);
    p = MS_FMA(p, f, -0.166679963f);
    p = MS_FMA(p, f, 0.200021192f);
    p = MS_FMA(p, f, -0.250000089f);
    p = MS_FMA(p, f, 0.333333135f);
    *half_square = 0.5f * z;
    return p * f * z;
}

/* x = 2^e (1 + f) */
MS_INLINE float ms_log_parts(float x, float *e) {
    float y = x < FLT_MIN ? x * 8388608.0f : x;
    int32_t u = (int32_t)(ms_bits(y) - 0x3f3504f3u);
    *e = (float)(u >> 23) - (x < FLT_MIN ? 23.0f : 0.0f);
    return ms_float(((uint32_t)u & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
}

MS_INLINE float ms_log_special(float x, float r) {
    r = x > FLT_MAX ? x : r;
    return x > 0.0f ? r : x == 0.0f ? -INFINITY : NAN;
}

MS_INLINE float log_f32(float x) {
    float e, h, f = ms_log_parts(x, &e), p = ms_log_tail(f, &h);
    p = MS_FMA(e, -2.12194440e-4f, p) - h;
    return ms_log_special(x, MS_FMA(e, 0.693359375f, f + p));
}

MS_INLINE float log2_f32(float x) {
    float e, h, f = ms_log_parts(x, &e), p = ms_log_tail(f, &h) - h;
    float lost = p - ((f + p) - f); /* keeps the product below half an ulp off */
    return ms_log_special(x, MS_FMA(f + p, 1.44269504f, MS_FMA(f + p, 1.92596299e-8f, lost * 1.44269504f)) + e);
}

/* log(1 + x) for x > -1, losing only the sign of -0; what 1 + x rounds away comes back in c */
MS_INLINE float ms_log1p_core(float x) {
    float u = 1.0f + x;
    float c = x >= 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    int32_t b = (int32_t)(ms_bits(u) - 0x3f3504f3u), k = b >> 23;
    float m = ms_float(((uint32_t)b & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
    float scale = k > 30 ? 0.0f : ms_pow2(-k);
    float h, f = MS_FMA(c, scale, m), e = (float)k, p = ms_log_tail(f, &h);
    p = MS_FMA(e, -2.12194440e-4f, p) - h;
    return MS_FMA(e, 0.693359375f, f + p);
}

MS_INLINE float log1p_f32(float x) {
    float r = ms_log1p_core(x);
    r = x > FLT_MAX || x == 0.0f ? x : r;
    return x > -1.0f ? r : x == -1.0f ? -INFINITY : NAN;
}

MS_INLINE float tanh_f32(float x) {
    float a = fabsf(x);
    a = a > 9.5f ? 9.5f : a;
    float q = ms_expm1_core(2.0f * a);
    return ms_sign_of(q / (q + 2.0f), x);
}

/* x^2 = square + what this returns */
MS_INLINE float ms_square_rest(float x, float square) {
#if MS_HAS_FMA
    return fmaf(x, x, -square);
#else
    float hi = ms_float(ms_bits(x) & 0xfffff000u), lo = x - hi;
    return ((hi * hi - square) + 2.0f * hi * lo) + lo * lo;
#endif
}

/* Normal tail P(X > a) for a >= 0; *e = exp(-a^2 / 2).  From the bound on the tail is 0 as a float.  The power of two is
   kept 2^64 too large, and the polynomial as much too small, so that one step scales results that are subnormal. */
MS_INLINE float gauss_tail_f32(float a, float *e) {
    const float down = 5.42101086242752217e-20f; /* 2^-64 */
    int32_t n;
    a = a > 14.4f ? 14.4f : a;
    float h = a * a, rest = ms_square_rest(a, h);
    float r = ms_exp_rest(-0.5f * h, &n);
    float g = (1.0f + ms_exp_small(MS_FMA(-0.5f, rest, r))) * ms_pow2(n + 64);
    *e = g * down;
    float s = 1.0f / MS_FMA(0.3f, a, 1.0f);
    float p = MS_FMA(-2.06235517e-2f * down, s, 0.112436064f * down);
    p = MS_FMA(p, s, -0.228214651f * down);
    p = MS_FMA(p, s, 0.191785932f * down);
    p = MS_FMA(p, s, -7.94246346e-2f * down);
    p = MS_FMA(p, s, 9.61574391e-2f * down);
    p = MS_FMA(p, s, 7.83894435e-2f * down);
    p = MS_FMA(p, s, 0.110235468f * down);
    p = MS_FMA(p, s, 0.119571812f * down);
    p = MS_FMA(p, s, 0.119686693f * down);
    return p * s * g;
}

MS_INLINE float erf_f32(float x) {
    float a = fabsf(x), z = x * x, e;
    float p = MS_FMA(7.8891193e-5f, z, -8.02084105e-4f);
    p = MS_FMA(p, z, 5.18953521e-3f);
    p = MS_FMA(p, z, -2.68544443e-2f);
    p = MS_FMA(p, z, 0.112836003f);
    p = MS_FMA(p, z, -0.37612626f);
    p = MS_FMA(p, z, 0.128379166f);
    float small = MS_FMA(p, x, x);
    float large = ms_sign_of(1.0f - 2.0f * gauss_tail_f32(a * 1.41421356f, &e), x);
    small = x == 0.0f ? x : small;
    return a > 1.0f ? large : small;
}
#endif
