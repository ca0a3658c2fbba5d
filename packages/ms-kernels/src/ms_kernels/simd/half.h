/* float16 and bfloat16 to float32 and back, rounding half to even. */
#ifndef MS_HALF_H
#define MS_HALF_H

#include "vecmath.h"

#if defined(__F16C__) || (defined(_MSC_VER) && defined(__AVX2__))
#include <immintrin.h>
#define MS_HAS_F16C 1
#else
#define MS_HAS_F16C 0
#endif

MS_INLINE float ms_half_to_float(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = (uint32_t)(h & 0x7fffu) << 13;
    float normal = ms_float(magnitude + (112u << 23));
    float small = ms_float(magnitude + (113u << 23)) - ms_float(113u << 23); /* exponent 0: subnormal or zero */
    uint32_t value = magnitude < (1u << 23) ? ms_bits(small) : ms_bits(normal);
    value = magnitude >= (31u << 23) ? magnitude | 0x7f800000u : value;
    return ms_float(value | sign);
}

MS_INLINE uint16_t ms_float_to_half(float x) {
    uint32_t u = ms_bits(x), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    uint32_t normal = (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13;
    uint32_t small = ms_bits(ms_float(a) + 0.5f) - 0x3f000000u; /* the addition rounds to multiples of 2^-24 */
    uint32_t r = a < (113u << 23) ? small : normal;
    r = a >= (143u << 23) ? 0x7c00u : r;
    r = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : r;
    return (uint16_t)(r | sign);
}

MS_INLINE float ms_bfloat_to_float(uint16_t b) { return ms_float((uint32_t)b << 16); }

MS_INLINE uint16_t ms_float_to_bfloat(float x) {
    uint32_t u = ms_bits(x), r = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16 & 0x8000u) | 0x7fc0u : r);
}

static MS_UNUSED void half_to_float(const void *x_, void *out_, ptrdiff_t n) {
    const uint16_t *x = (const uint16_t *)x_;
    float *out = (float *)out_;
    ptrdiff_t i = 0;
#if MS_HAS_F16C
    for (; i + 8 <= n; i += 8) {
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(x + i))));
    }
#endif
    for (; i < n; ++i) out[i] = ms_half_to_float(x[i]);
}

static MS_UNUSED void float_to_half(const void *x_, void *out_, ptrdiff_t n) {
    const float *x = (const float *)x_;
    uint16_t *out = (uint16_t *)out_;
    ptrdiff_t i = 0;
#if MS_HAS_F16C
    for (; i + 8 <= n; i += 8) {
        __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        _mm_storeu_si128((__m128i *)(void *)(out + i), h);
    }
#endif
    for (; i < n; ++i) out[i] = ms_float_to_half(x[i]);
}

static MS_UNUSED void bfloat_to_float(const void *x_, void *out_, ptrdiff_t n) {
    const uint16_t *x = (const uint16_t *)x_;
    float *out = (float *)out_;
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = ms_bfloat_to_float(x[i]);
}

static MS_UNUSED void float_to_bfloat(const void *x_, void *out_, ptrdiff_t n) {
    const float *x = (const float *)x_;
    uint16_t *out = (uint16_t *)out_;
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = ms_float_to_bfloat(x[i]);
}

/* To the 16-bit type and back */
static MS_UNUSED void round_as_half(const void *x_, void *out_, ptrdiff_t n) {
    const float *x = (const float *)x_;
    float *out = (float *)out_;
    ptrdiff_t i = 0;
#if MS_HAS_F16C
    for (; i + 8 <= n; i += 8) {
        __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(h));
    }
#endif
    for (; i < n; ++i) out[i] = ms_half_to_float(ms_float_to_half(x[i]));
}

static MS_UNUSED void round_as_bfloat(const void *x_, void *out_, ptrdiff_t n) {
    const float *x = (const float *)x_;
    float *out = (float *)out_;
    MS_IVDEP
    for (ptrdiff_t i = 0; i < n; ++i) {
        uint32_t u = ms_bits(x[i]), r = (u + 0x7fffu + (u >> 16 & 1u)) & 0xffff0000u;
        out[i] = ms_float((u & 0x7fffffffu) > 0x7f800000u ? (u & 0x80000000u) | 0x7fc00000u : r);
    }
}
#endif
