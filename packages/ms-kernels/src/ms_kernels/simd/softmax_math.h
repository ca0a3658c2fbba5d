/* exp of a short vector: exp_f32 of vecmath.h, step by step, on 8 floats at a time. */
#ifndef MS_SOFTMAX_MATH_H
#define MS_SOFTMAX_MATH_H

#include "reduce_vec.h"
#include "vecmath.h"

#if defined(__AVX2__)
MS_INLINE vf vf_exp(vf x) {
    const vf big = vf_set1(12582912.0f);
    x = vf_max(vf_set1(-104.0f), vf_min(vf_set1(89.0f), x)); /* this order hands NaN through */
    vf t = vf_fma(x, vf_set1(1.44269504f), big);
    __m256i n = _mm256_sub_epi32(_mm256_castps_si256(t), _mm256_set1_epi32(0x4b400000));
    t = vf_sub(t, big);
    vf r = vf_fma(t, vf_set1(-0.693359375f), x);
    r = vf_fma(t, vf_set1(2.12194440e-4f), r);
    vf p = vf_fma(vf_set1(1.97903544e-4f), r, vf_set1(1.3944651e-3f));
    p = vf_fma(p, r, vf_set1(8.33349675e-3f));
    p = vf_fma(p, r, vf_set1(4.16662954e-2f));
    p = vf_fma(p, r, vf_set1(0.166666657f));
    p = vf_fma(p, r, vf_set1(0.5f));
    p = vf_add(vf_set1(1.0f), vf_fma(p, vf_mul(r, r), r));
    __m256i half = _mm256_srai_epi32(n, 1), bias = _mm256_set1_epi32(127);
    vf a = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23));
    vf b = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(n, half), bias), 23));
    return vf_mul(vf_mul(p, a), b);
}
#else
MS_INLINE vf vf_exp(vf x) {
    vf r;
    for (int i = 0; i < 8; i++) r.v[i] = exp_f32(x.v[i]);
    return r;
}
#endif

MS_INLINE vd vd_exp(vd x) {
    double t[4];
    vd_store(t, x);
    for (int i = 0; i < 4; i++) t[i] = exp(t[i]);
    return vd_load(t);
}

#endif
