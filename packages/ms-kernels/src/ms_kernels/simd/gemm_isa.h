/* Everything of gemm.h that is compiled per instruction set; the including file defines ISA(name). */
#include <string.h>

#include "gemm.h"

#define T float
#define F(name) name##_f32
#define F2(name) ISA(name##_f32)
#ifdef __AVX2__
#define V __m256
#define VL 8
#define V_ZERO _mm256_setzero_ps()
#define V_LOAD _mm256_loadu_ps
#define V_STORE _mm256_storeu_ps
#define V_BCAST _mm256_broadcast_ss
#define V_ADD _mm256_add_ps
#define V_FMA _mm256_fmadd_ps
#endif
#include "gemm_kern.h"
#undef T
#undef F
#undef F2
#undef V
#undef VL
#undef V_ZERO
#undef V_LOAD
#undef V_STORE
#undef V_BCAST
#undef V_ADD
#undef V_FMA

#define T double
#define F(name) name##_f64
#define F2(name) ISA(name##_f64)
#ifdef __AVX2__
#define V __m256d
#define VL 4
#define V_ZERO _mm256_setzero_pd()
#define V_LOAD _mm256_loadu_pd
#define V_STORE _mm256_storeu_pd
#define V_BCAST _mm256_broadcast_sd
#define V_ADD _mm256_add_pd
#define V_FMA _mm256_fmadd_pd
#endif
#include "gemm_kern.h"

static uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}

static float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}

static float half_to_float(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest >= 0x7c00u) /* infinity, NaN (made quiet) */
        return float_of(sign | 0x7f800000u | (rest & 0x3ffu) << 13 | (rest > 0x7c00u ? 0x400000u : 0u));
    if (rest >= 0x400u)
        return float_of(sign | ((rest << 13) + 0x38000000u));
    return float_of(sign | bits_of((float)rest * 5.9604644775390625e-8f)); /* subnormal: exact multiple of 2^-24 */
}

static uint16_t float_to_half(float x)
{
    uint32_t u = bits_of(x), sign = u >> 16 & 0x8000u, rest = u & 0x7fffffffu;
    if (rest > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | (rest >> 13 & 0x3ffu));
    if (rest >= 0x477ff000u) /* rounds to 2^16 or more */
        return (uint16_t)(sign | 0x7c00u);
    if (rest >= 0x38800000u)
        return (uint16_t)(sign | (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13);
    /* adding 0.5 puts the last kept bit of a subnormal result at the last bit of the float: the addition rounds it */
    return (uint16_t)(sign | (bits_of(float_of(rest) + 0.5f) - 0x3f000000u));
}

static void widen(int kind, const uint16_t *MS_RESTRICT src, float *MS_RESTRICT dst, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    if (kind == 1) {
        for (; i < n; i++)
            dst[i] = float_of((uint32_t)src[i] << 16);
        return;
    }
#ifdef __AVX2__
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(src + i))));
#endif
    for (; i < n; i++)
        dst[i] = half_to_float(src[i]);
}

static void narrow(int kind, const float *MS_RESTRICT src, uint16_t *MS_RESTRICT dst, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    if (kind == 1) {
        for (; i < n; i++) {
            uint32_t u = bits_of(src[i]), r = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
            dst[i] = (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16 & 0x8000u) | 0x7fc0u : r);
        }
        return;
    }
#ifdef __AVX2__
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(dst + i), _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; i++)
        dst[i] = float_to_half(src[i]);
}

const ms_half_kern ISA(ms_half) = {widen, narrow};
