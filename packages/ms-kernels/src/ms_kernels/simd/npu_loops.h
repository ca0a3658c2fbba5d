/* The loops, written once; the file that includes this sets K(name) and TABLE. */
#include "half.h"
#include "npu.h"
#include "npu_math.h"

enum { BLOCK = 512, REPEAT = 64 };

MS_INLINE int npu_odd(float v) { return !(fabsf(v) <= FLT_MAX); }

/* A float32 whose last bit tells that something was cut off: rounding it to float16 is as rounding x itself. */
MS_INLINE float npu_sticky(double x) {
    const uint64_t cut = 0x1fffffff; /* the bits that float32 lacks; the sum carries into its last bit if one is set */
    uint64_t u = d_bits(x);
    return (float)d_float((u | ((u & cut) + cut)) & ~cut);
}

MS_INLINE float npu_exp_half(float x) {
    double s, q = d_exp_parts((double)x, &s);
    float r = npu_sticky(MS_FMAD(s, q, s));
    r = x > 89.0f ? INFINITY : r;
    return x < -104.0f ? 0.0f : r;
}

MS_INLINE float npu_log_half(float x) {
    float r = npu_sticky(d_log_core((double)x));
    r = x > FLT_MAX ? x : r;
    return x > 0.0f ? r : x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
}

#define MAP(name, expression)                                                      \
    static int K(loop_##name)(const float *x_, float *out, ptrdiff_t n) {          \
        int bad = 0;                                                               \
        for (ptrdiff_t i = 0; i < n; ++i) {                                        \
            float x = x_[i], y = (expression);                                     \
            bad |= npu_odd(y);                                                     \
            out[i] = y;                                                            \
        }                                                                          \
        return bad;                                                                \
    }

/* One function in float64, one rounding. */
MAP(exp, f_exp(x))
MAP(exp_half, npu_exp_half(x))
MAP(expm1, (float)d_expm1(x))
MAP(log, f_log(x))
MAP(log_half, npu_log_half(x))
MAP(log1p, (float)d_log1p(x))
MAP(log2, (float)(d_log(x) * 1.4426950408889634))
MAP(log10, (float)(d_log(x) * 0.43429448190325183))
MAP(tanh, f_tanh(x))
MAP(erf, (float)d_erf(x))

MS_INLINE double d_sigmoid(double x) {
    double e = d_exp(-fabs(x));
    return (x < 0.0 ? e : 1.0) / (1.0 + e);
}
MS_INLINE double d_softplus(double x) { return (x > 0.0 ? x : 0.0) + d_log1p(d_exp(-fabs(x))); }
MS_INLINE double d_sinh(double x) {
    double q = d_expm1(fabs(x)), t = q / (q + 1.0);
    return copysign(0.5 * (q + (q > 1e30 ? 1.0 : t)), x);
}
MS_INLINE double d_cosh(double x) {
    double e = d_exp(fabs(x)), t = 1.0 / e;
    return 0.5 * (e + (e > 1e30 ? 0.0 : t));
}
MS_INLINE double d_mish(double x) { /* tanh(log(1 + e)) = n / (n + 2), n = e (e + 2) */
    double e = d_exp(x > 20.0 ? 20.0 : x), n = e * (e + 2.0);
    return x * (n / (n + 2.0));
}
MAP(sinh, (float)d_sinh(x))
MAP(cosh, (float)d_cosh(x))
MAP(silu, (float)(x * d_sigmoid(x)))
MAP(softplus, (float)d_softplus(x))
MAP(logsigmoid, (float)-d_softplus(-(double)x))
MAP(mish, (float)d_mish(x))

MS_INLINE double d_gelu(double x) {
    double t = d_gauss_tail(fabs(x));
    return x * (x < 0.0 ? t : 1.0 - t);
}
MAP(gelu_erf, (float)d_gelu(x)) /* AN-OP-04 */

/* Recipes of several steps: each line is one. */
static int K(loop_rsqrt)(const float *x, float *out, ptrdiff_t n) { /* AN-VEC-04 */
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        float s = sqrtf(x[i]);
        float y = 1.0f / s;
        bad |= npu_odd(s) | npu_odd(y);
        out[i] = y;
    }
    return bad;
}

static int K(loop_sigmoid)(const float *x, float *out, ptrdiff_t n) { /* AN-OP-05 */
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        float e = f_exp(-x[i]);
        float d = e + 1.0f;
        float y = 1.0f / d;
        bad |= npu_odd(e) | npu_odd(d) | npu_odd(y);
        out[i] = y;
    }
    return bad;
}

static int K(loop_gelu_tanh)(const float *x_, float *out, ptrdiff_t n) { /* AN-OP-03 */
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        float x = x_[i], square = x * x;
        float cube = square * x;
        float small = 0.044715f * cube;
        float q = x + small;
        float a = -1.5957691f * q;
        float e = f_exp(a);
        float d = e + 1.0f;
        float y = x / d;
        /* what overflows before a makes a odd; from 88.7 on e may be infinite (a test of e would not become vectors) */
        bad |= !(a <= 88.7f) | (a < -FLT_MAX) | npu_odd(y);
        out[i] = y;
    }
    return bad;
}

static int K(loop_gelu_tanh_old)(const float *x_, float *out, ptrdiff_t n) { /* AN-OP-03, 910 */
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        float x = x_[i], square = x * x;
        float cube = square * x;
        float small = 0.044715f * cube;
        float q = x + small;
        float z = 1.5957691f * q;
        float e = f_exp(-fabsf(z));
        float d = e + 1.0f;
        float u = x / d;
        float low = z > 0.0f ? 0.0f : z;
        float f = f_exp(low);
        float y = u * f;
        bad |= npu_odd(z) | npu_odd(y);
        out[i] = y;
    }
    return bad;
}

static void K(widen)(int type, const void *src, float *dst, ptrdiff_t n) {
    if (type == NPU_F32) memcpy(dst, src, (size_t)n * 4);
    else if (type == NPU_F16) half_to_float(src, dst, n);
    else bfloat_to_float(src, dst, n);
}

static void K(narrow)(int type, const float *src, void *dst, ptrdiff_t n) {
    if (type == NPU_F32) memcpy(dst, src, (size_t)n * 4);
    else if (type == NPU_F16) float_to_half(src, dst, n);
    else float_to_bfloat(src, dst, n);
}

static int K(saturate)(int type, void *x_, ptrdiff_t n) { /* AN-OVF-03 */
    int bad = 0;
    if (type == NPU_F32) {
        float *x = (float *)x_;
        for (ptrdiff_t i = 0; i < n; ++i) bad |= npu_odd(x[i]);
        if (!bad) return 0;
        for (ptrdiff_t i = 0; i < n; ++i) {
            float v = x[i] > FLT_MAX ? FLT_MAX : x[i];
            v = v < -FLT_MAX ? -FLT_MAX : v;
            x[i] = v == v ? v : 0.0f;
        }
        return 1;
    }
    uint16_t *x = (uint16_t *)x_;
    const uint16_t inf = type == NPU_F16 ? 0x7c00 : 0x7f80;
    for (ptrdiff_t i = 0; i < n; ++i) bad |= (uint16_t)(x[i] & 0x7fff) >= inf;
    if (!bad) return 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        uint16_t a = x[i] & 0x7fff, most = (uint16_t)((x[i] & 0x8000) | (inf - 1));
        x[i] = a < inf ? x[i] : a == inf ? most : 0;
    }
    return 1;
}

static void K(hf32)(const float *x, float *out, ptrdiff_t n, int away) { /* AN-HF32-03, 04 */
    for (ptrdiff_t i = 0; i < n; ++i) {
        uint32_t u = ms_bits(x[i]), more = away ? 0x800u : 0x7ffu + (u >> 12 & 1u);
        uint32_t r = (u + more) & 0xfffff000u;
        out[i] = ms_float((u & 0x7fffffffu) >= 0x7f800000u ? u : r);
    }
}

static void K(maximum)(const float *x, const float *y, float *out, ptrdiff_t n, int smaller) { /* AN-VEC-09 */
    if (smaller)
        for (ptrdiff_t i = 0; i < n; ++i) {
            float r = x[i] < y[i] || x[i] != x[i] ? x[i] : y[i];
            out[i] = x[i] == y[i] ? ms_float(ms_bits(x[i]) | ms_bits(y[i])) : r;
        }
    else
        for (ptrdiff_t i = 0; i < n; ++i) {
            float r = x[i] > y[i] || x[i] != x[i] ? x[i] : y[i];
            out[i] = x[i] == y[i] ? ms_float(ms_bits(x[i]) & ms_bits(y[i])) : r;
        }
}

/* The binary tree of neighbours over `count` floats, a power of two; in place. */
static float K(tree_of)(float *t, ptrdiff_t count) {
    for (; count > 1; count /= 2)
        for (ptrdiff_t i = 0; i < count / 2; ++i) t[i] = t[2 * i] + t[2 * i + 1];
    return t[0];
}

static float K(tree64)(const float *x) {
#if defined(__AVX2__)
    __m128 half[2];
    for (int i = 0; i < 2; ++i) {
        const float *v = x + 32 * i;
        __m256 a = _mm256_hadd_ps(_mm256_loadu_ps(v), _mm256_loadu_ps(v + 8));
        __m256 b = _mm256_hadd_ps(_mm256_loadu_ps(v + 16), _mm256_loadu_ps(v + 24));
        __m256 c = _mm256_hadd_ps(a, b); /* low: elements 0-3 of each eight, high: 4-7 */
        half[i] = _mm_add_ps(_mm256_castps256_ps128(c), _mm256_extractf128_ps(c, 1));
    }
    __m128 s = _mm_hadd_ps(half[0], half[1]);
    s = _mm_hadd_ps(s, s);
    return _mm_cvtss_f32(_mm_hadd_ps(s, s));
#else
    float t[REPEAT];
    memcpy(t, x, sizeof t);
    return K(tree_of)(t, REPEAT);
#endif
}

static ptrdiff_t npu_power(ptrdiff_t n) {
    ptrdiff_t p = 1;
    while (p < n) p *= 2;
    return p;
}

/* AN-RED-01 on one row; `repeat` elements a repeat, at most REPEAT; spare holds a float for each repeat, rounded up to
   a power of two. */
static float K(tree)(const float *x, ptrdiff_t n, float scale, int repeat, int by_tree, float *spare) {
    float t[REPEAT], total = 0.0f;
    ptrdiff_t done = 0;
    for (ptrdiff_t i = 0; i < n; i += repeat, ++done) {
        ptrdiff_t have = n - i < repeat ? n - i : repeat;
        const float *from = x + i;
        if (have < repeat || scale != 1.0f) {
            for (ptrdiff_t j = 0; j < have; ++j) t[j] = from[j] * scale;
            for (ptrdiff_t j = have; j < repeat; ++j) t[j] = 0.0f;
            from = t;
        }
        float s;
        if (repeat == REPEAT) {
            s = K(tree64)(from);
        } else {
            memmove(t, from, (size_t)repeat * sizeof *t);
            s = K(tree_of)(t, repeat);
        }
        if (by_tree) spare[done] = s;
        else total = done ? total + s : s;
    }
    if (!by_tree || !done) return total;
    ptrdiff_t all = npu_power(done);
    for (ptrdiff_t i = done; i < all; ++i) spare[i] = 0.0f;
    return K(tree_of)(spare, all);
}

enum { COLUMNS = 64, LEVELS = 64 };

/* Adds a row to the forest of finished trees: where a level is taken, the two are joined one level up. */
static int K(push)(float (*forest)[COLUMNS], uint64_t index, const float *row, ptrdiff_t columns) {
    float t[COLUMNS];
    int level = 0;
    memcpy(t, row, (size_t)columns * sizeof *t);
    for (; index >> level & 1; ++level)
        for (ptrdiff_t j = 0; j < columns; ++j) t[j] = forest[level][j] + t[j];
    memcpy(forest[level], t, (size_t)columns * sizeof *t);
    return level;
}

/* AN-RED-01 down up to COLUMNS columns at once.  spare: COLUMNS * (2 * LEVELS + 1) floats. */
static void K(tree_columns)(int type, const char *x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t columns, float scale,
                            int repeat, int by_tree, float *out, float *spare) {
    float (*forest)[COLUMNS] = (float (*)[COLUMNS])(void *)spare, (*woods)[COLUMNS] = forest + LEVELS;
    float row[COLUMNS];
    uint64_t done = 0;
    int top = 0;
    for (ptrdiff_t j = 0; j < columns; ++j) out[j] = 0.0f;
    for (ptrdiff_t i = 0; i < rows; i += repeat, ++done) {
        ptrdiff_t have = rows - i < repeat ? rows - i : repeat, all = npu_power(have);
        int level = 0;
        for (ptrdiff_t k = 0; k < all; ++k) {
            if (k < have) {
                K(widen)(type, x + (i + k) * step, row, columns);
                if (scale != 1.0f)
                    for (ptrdiff_t j = 0; j < columns; ++j) row[j] *= scale;
            } else {
                memset(row, 0, sizeof row);
            }
            level = K(push)(forest, (uint64_t)k, row, columns);
        }
        float *sum = forest[level];
        if (all < repeat) /* the missing elements up to a whole repeat */
            for (ptrdiff_t j = 0; j < columns; ++j) sum[j] += 0.0f;
        if (by_tree) top = K(push)(woods, done, sum, columns);
        else
            for (ptrdiff_t j = 0; j < columns; ++j) out[j] = done ? out[j] + sum[j] : sum[j];
    }
    if (!by_tree || !done) return;
    memset(row, 0, sizeof row);
    for (uint64_t all = (uint64_t)npu_power((ptrdiff_t)done); done < all; ++done) top = K(push)(woods, done, row, columns);
    memcpy(out, woods[top], (size_t)columns * sizeof *out);
}

static int K(softmax)(const float *x, float *out, ptrdiff_t n, int half, int inverse, int repeat, int by_tree,
                      float *spare) { /* AN-OP-01 */
    uint16_t narrow[BLOCK];
    float most = x[0];
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        bad |= npu_odd(x[i]);
        most = x[i] > most ? x[i] : most;
    }
    for (ptrdiff_t i = 0; i < n; ++i) most = x[i] != x[i] ? x[i] : most;
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = x[i] - most;
    if (half)
        for (ptrdiff_t i = 0; i < n; i += BLOCK) {
            ptrdiff_t m = n - i < BLOCK ? n - i : BLOCK;
            float_to_half(out + i, narrow, m);
            half_to_float(narrow, out + i, m);
        }
    for (ptrdiff_t i = 0; i < n; ++i) bad |= npu_odd(out[i]);
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = f_exp(out[i]);
    float s = K(tree)(out, n, 1.0f, repeat, by_tree, spare);
    bad |= npu_odd(s);
    if (inverse) {
        float r = 1.0f / s;
        for (ptrdiff_t i = 0; i < n; ++i) out[i] *= r;
    } else {
        for (ptrdiff_t i = 0; i < n; ++i) out[i] /= s;
    }
    return bad;
}

static int K(layer_norm)(const float *x, const float *weight, const float *bias, float *out, ptrdiff_t n, float eps,
                         int repeat, int by_tree, float *mean, float *rstd, float *spare) { /* AN-OP-02 */
    float c = 1.0f / (float)n, m = K(tree)(x, n, c, repeat, by_tree, spare);
    for (ptrdiff_t i = 0; i < n; ++i) {
        float d = x[i] - m;
        out[i] = d * d;
    }
    float var = K(tree)(out, n, c, repeat, by_tree, spare), moved = var + eps;
    float ln = f_log(moved);
    float power = -0.5f * ln;
    float r = f_exp(power);
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = (x[i] - m) * r;
    if (weight)
        for (ptrdiff_t i = 0; i < n; ++i) out[i] *= weight[i];
    if (bias)
        for (ptrdiff_t i = 0; i < n; ++i) out[i] += bias[i];
    int bad = npu_odd(m) | npu_odd(var) | npu_odd(ln) | npu_odd(r);
    for (ptrdiff_t i = 0; i < n; ++i) bad |= npu_odd(out[i]);
    *mean = m;
    *rstd = r;
    return bad;
}

#define ENTRY(name) K(loop_##name),
const npu_loops TABLE = {
    {NPU_UNARY(ENTRY)}, K(widen),        K(narrow),  K(saturate),   K(hf32), K(maximum),
    K(tree),            K(tree_columns), K(softmax), K(layer_norm),
};
