/* Short vectors of float (8 lanes) and double (4 lanes), and blocks of items to float and back.
   With AVX2 they are registers; without, plain loops that the compiler vectorises as far as the target allows. */
#ifndef MS_REDUCE_VEC_H
#define MS_REDUCE_VEC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "half.h"

enum { MS_F32, MS_F64, MS_F16, MS_BF16, MS_BOOL, MS_I64, MS_I32 };

MS_INLINE ptrdiff_t ms_min_ix(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
MS_INLINE ptrdiff_t ms_max_ix(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

MS_INLINE int ms_dt_size(int dt) { return dt == MS_F64 || dt == MS_I64 ? 8 : dt == MS_F32 || dt == MS_I32 ? 4 : dt == MS_BOOL ? 1 : 2; }

#if defined(__AVX2__)
#include <immintrin.h>

#define MS_ISA(name) name##_avx2
typedef __m256 vf;
typedef __m256d vd;
MS_INLINE vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
MS_INLINE void vf_store(float *p, vf a) { _mm256_storeu_ps(p, a); }
MS_INLINE void vf_stream(float *p, vf a) { _mm256_stream_ps(p, a); }
MS_INLINE vf vf_set1(float a) { return _mm256_set1_ps(a); }
MS_INLINE vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
MS_INLINE vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
MS_INLINE vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
MS_INLINE vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
MS_INLINE vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
MS_INLINE vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
MS_INLINE vf vf_unord(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_UNORD_Q); }
MS_INLINE vf vf_or(vf a, vf b) { return _mm256_or_ps(a, b); }
MS_INLINE int vf_any(vf mask) { return _mm256_movemask_ps(mask) != 0; }
MS_INLINE vd vd_load(const double *p) { return _mm256_loadu_pd(p); }
MS_INLINE void vd_store(double *p, vd a) { _mm256_storeu_pd(p, a); }
MS_INLINE void vd_stream(double *p, vd a) { _mm256_stream_pd(p, a); }
MS_INLINE vd vd_set1(double a) { return _mm256_set1_pd(a); }
MS_INLINE vd vd_add(vd a, vd b) { return _mm256_add_pd(a, b); }
MS_INLINE vd vd_sub(vd a, vd b) { return _mm256_sub_pd(a, b); }
MS_INLINE vd vd_mul(vd a, vd b) { return _mm256_mul_pd(a, b); }
MS_INLINE vd vd_fma(vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
MS_INLINE vd vd_max(vd a, vd b) { return _mm256_max_pd(a, b); }
MS_INLINE vd vd_min(vd a, vd b) { return _mm256_min_pd(a, b); }
MS_INLINE vd vd_unord(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_UNORD_Q); }
MS_INLINE vd vd_or(vd a, vd b) { return _mm256_or_pd(a, b); }
MS_INLINE int vd_any(vd mask) { return _mm256_movemask_pd(mask) != 0; }
MS_INLINE vd vd_low(vf a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
MS_INLINE vd vd_high(vf a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }
MS_INLINE void ms_stream_end(void) { _mm_sfence(); }
#else
#define MS_ISA(name) name##_base
typedef struct { float v[8]; } vf;
typedef struct { double v[4]; } vd;
#define MS_VEC_OP1(V, N, name, T, expr) \
    MS_INLINE V V##_##name(T a) { V r; for (int i = 0; i < N; i++) r.v[i] = (expr); return r; }
#define MS_VEC_OP2(V, N, name, expr) \
    MS_INLINE V V##_##name(V a, V b) { V r; for (int i = 0; i < N; i++) r.v[i] = (expr); return r; }
#define MS_VEC_TYPE(V, N, T) \
    MS_INLINE V V##_load(const T *p) { V r; memcpy(r.v, p, sizeof r.v); return r; } \
    MS_INLINE void V##_store(T *p, V a) { memcpy(p, a.v, sizeof a.v); } \
    MS_INLINE void V##_stream(T *p, V a) { memcpy(p, a.v, sizeof a.v); } \
    MS_VEC_OP1(V, N, set1, T, a) \
    MS_VEC_OP2(V, N, add, a.v[i] + b.v[i]) \
    MS_VEC_OP2(V, N, sub, a.v[i] - b.v[i]) \
    MS_VEC_OP2(V, N, mul, a.v[i] * b.v[i]) \
    MS_VEC_OP2(V, N, max, a.v[i] > b.v[i] ? a.v[i] : b.v[i]) \
    MS_VEC_OP2(V, N, min, a.v[i] < b.v[i] ? a.v[i] : b.v[i]) \
    MS_VEC_OP2(V, N, unord, a.v[i] != a.v[i] || b.v[i] != b.v[i] ? (T)1 : (T)0) \
    MS_VEC_OP2(V, N, or, a.v[i] + b.v[i]) \
    MS_INLINE V V##_fma(V a, V b, V c) { V r; for (int i = 0; i < N; i++) r.v[i] = a.v[i] * b.v[i] + c.v[i]; return r; } \
    MS_INLINE int V##_any(V a) { T s = 0; for (int i = 0; i < N; i++) s += a.v[i]; return s != 0; }
MS_VEC_TYPE(vf, 8, float)
MS_VEC_TYPE(vd, 4, double)
MS_VEC_OP1(vd, 4, low, vf, a.v[i])
MS_VEC_OP1(vd, 4, high, vf, a.v[i + 4])
MS_INLINE void ms_stream_end(void) {}
#endif

/* n items of type dt, `step` bytes apart, as floats */
MS_INLINE void ms_load_f32(int dt, const char *p, ptrdiff_t step, ptrdiff_t n, float *MS_RESTRICT out) {
    ptrdiff_t i = 0;
    if (dt == MS_F32) {
        for (; i < n; i++, p += step) memcpy(out + i, p, 4);
    } else if (dt == MS_BOOL) {
        if (step == 1) for (; i < n; i++) out[i] = p[i] != 0 ? 1.0f : 0.0f;
        else for (; i < n; i++, p += step) out[i] = *p != 0 ? 1.0f : 0.0f;
    } else if (step == 2) {
        if (dt == MS_F16) half_to_float(p, out, n);
        else bfloat_to_float(p, out, n);
    } else {
        for (; i < n; i++, p += step) {
            uint16_t h;
            memcpy(&h, p, 2);
            out[i] = dt == MS_F16 ? ms_half_to_float(h) : ms_bfloat_to_float(h);
        }
    }
}

MS_INLINE void ms_load_f64(const char *p, ptrdiff_t step, ptrdiff_t n, double *MS_RESTRICT out) {
    for (ptrdiff_t i = 0; i < n; i++, p += step) memcpy(out + i, p, 8);
}

/* n floats to contiguous items of a 16-bit type */
MS_INLINE void ms_store_16(int dt, const float *x, ptrdiff_t n, uint16_t *out) {
    if (dt == MS_F16) float_to_half(x, out, n);
    else float_to_bfloat(x, out, n);
}

/* one result, rounded to type dt */
MS_INLINE void ms_put(int dt, void *out, ptrdiff_t at, double v) {
    switch (dt) {
    case MS_F32: ((float *)out)[at] = (float)v; break;
    case MS_F64: ((double *)out)[at] = v; break;
    case MS_F16: ((uint16_t *)out)[at] = ms_float_to_half((float)v); break;
    case MS_BF16: ((uint16_t *)out)[at] = ms_float_to_bfloat((float)v); break;
    default: ((uint8_t *)out)[at] = v != 0; break;
    }
}

#endif
