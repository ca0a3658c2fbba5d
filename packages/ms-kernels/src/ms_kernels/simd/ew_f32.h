/* The float32 loops and the 16-bit conversions for one instruction set; EW_SUFFIX(name) names what is exported. */
#include "ew_table.h"
#include "libmath.h"
#include "vecmath.h"
#include "vecmath_wide.h"

#include "half.h"

#define T float
#define K(name) name##_f32
#define C(x) ((float)(x))
#define SQRT sqrtf
#define FLOOR floorf
#define CEIL ceilf
#define TRUNC truncf
#define ABS fabsf
#define COPYSIGN ms_sign_of
#define INF INFINITY
#define ROUND_BIG 8388608.0f
#define LOG1P01 ms_log1p_core
#include "ew_formulas.h"

MS_INLINE float erfinv_f32(float x) { return (float)erfinv_f64((double)x); }

static float slow_sin(float x) { return sinf(x); }
static float slow_cos(float x) { return cosf(x); }
static float slow_tan(float x) { return tanf(x); }

static float slow_fmod(float x, float y) { return fmodf(x, y); }

static float slow_remainder(float x, float y) {
    float r = fmodf(x, y);
    if (r == 0.0f) return copysignf(0.0f, y);
    return (r < 0.0f) != (y < 0.0f) ? r + y : r;
}

static float slow_floor_div(float x, float y) {
    if (y == 0.0f) return x / y;
    float r = fmodf(x, y), q = (x - r) / y;
    if (r != 0.0f && (r < 0.0f) != (y < 0.0f)) q -= 1.0f;
    if (q == 0.0f) return copysignf(0.0f, x / y);
    float f = floorf(q);
    return q - f > 0.5f ? f + 1.0f : f;
}

/* Blocks without an exceptional argument, which is nearly all, take the vector loop. */
enum { GUARD_BLOCK = 256 };
#define GUARDED1(name, cost) \
    static void K(loop_##name)(const void *x_, void *out_, ptrdiff_t n) { \
        const float *x = (const float *)x_; \
        float *out = (float *)out_; \
        for (ptrdiff_t at = 0; at < n; at += GUARD_BLOCK, x += GUARD_BLOCK, out += GUARD_BLOCK) { \
            int m = n - at < GUARD_BLOCK ? (int)(n - at) : GUARD_BLOCK, special = 0; \
            for (int i = 0; i < m; ++i) special |= ms_is_huge(x[i]); \
            if (special) { \
                for (int i = 0; i < m; ++i) out[i] = ms_is_huge(x[i]) ? slow_##name(x[i]) : K(name)(x[i]); \
            } else { \
                MS_IVDEP \
                for (int i = 0; i < m; ++i) out[i] = K(name)(x[i]); \
            } \
        } \
    }
#define GUARDED2(name, cost) \
    static void K(loop_##name)(const void *x_, const void *y_, void *out_, ptrdiff_t n) { \
        const float *x = (const float *)x_, *y = (const float *)y_; \
        float *out = (float *)out_; \
        for (ptrdiff_t at = 0; at < n; at += GUARD_BLOCK, x += GUARD_BLOCK, y += GUARD_BLOCK, out += GUARD_BLOCK) { \
            int m = n - at < GUARD_BLOCK ? (int)(n - at) : GUARD_BLOCK, special = 0; \
            for (int i = 0; i < m; ++i) special |= ms_is_far(x[i], y[i]); \
            if (special) { \
                for (int i = 0; i < m; ++i) { \
                    out[i] = ms_is_far(x[i], y[i]) ? slow_##name(x[i], y[i]) : K(name)(x[i], y[i]); \
                } \
            } else { \
                MS_IVDEP \
                for (int i = 0; i < m; ++i) out[i] = K(name)(x[i], y[i]); \
            } \
        } \
    }

#define TABLE EW_SUFFIX(ew_f32)
#include "ew_loops.h"

const ew_half EW_SUFFIX(ew_half) = {
    half_to_float, float_to_half, bfloat_to_float, float_to_bfloat, round_as_half, round_as_bfloat};

/* without branches, so that it becomes vector code */
#define EW_SELECT(W) \
    static void select_##W(const void *c_, const void *x_, const void *y_, void *out_, ptrdiff_t n) { \
        const uint8_t *c = (const uint8_t *)c_; \
        const W *x = (const W *)x_, *y = (const W *)y_; \
        W *out = (W *)out_; \
        MS_IVDEP \
        for (ptrdiff_t i = 0; i < n; ++i) out[i] = (W)(y[i] ^ ((x[i] ^ y[i]) & (W)(0 - (W)(c[i] != 0)))); \
    }
EW_SELECT(uint8_t)
EW_SELECT(uint16_t)
EW_SELECT(uint32_t)
EW_SELECT(uint64_t)

const ew_selects EW_SUFFIX(ew_selects) = {select_uint8_t, select_uint16_t, select_uint32_t, select_uint64_t};
