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
MAP(erf, f_erf(x))

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
MAP(gelu_tails, (float)d_gelu(x))

MS_INLINE float f_gelu(float x) {
    double phi = MS_FMAD(0.5, d_erf_core((double)x * 0.70710678118654752), 0.5);
    float r = (float)((double)x * phi);
    return x > 5.5f ? x : r;
}
MAP(gelu_middle, f_gelu(x))

/* AN-OP-04.  Where no element lies in the lower tail, in which 1 + erf would lose digits, a shorter way is open. */
static int K(loop_gelu_erf)(const float *x, float *out, ptrdiff_t n) {
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; i += REPEAT) {
        ptrdiff_t m = n - i < REPEAT ? n - i : REPEAT;
        int low = 0;
        for (ptrdiff_t k = 0; k < m; ++k) low |= x[i + k] < -3.2f;
        bad |= (low ? K(loop_gelu_tails) : K(loop_gelu_middle))(x + i, out + i, m);
    }
    return bad;
}

/* Angles up to WIDEST are reduced by pi / 2 in two parts; what lies beyond is left to the C library. */
enum { WIDEST = 100000 };

MS_INLINE double d_sine(double x, int turned) {
    const double big = 6755399441055744.0;
    double t = MS_FMAD(x, 0.63661977236758134, big);
    uint64_t quarter = d_bits(t) + (uint64_t)turned;
    t -= big;
    double r = MS_FMAD(t, -1.5707963267341256, x);
    r = MS_FMAD(t, -6.0771005065061922e-11, r);
    double z = r * r;
    double p = MS_FMAD(1.0 / 6227020800.0, z, -1.0 / 39916800.0);
    p = MS_FMAD(p, z, 1.0 / 362880);
    p = MS_FMAD(p, z, -1.0 / 5040);
    p = MS_FMAD(p, z, 1.0 / 120);
    p = MS_FMAD(p, z, -1.0 / 6);
    double s = MS_FMAD(p * z, r, r);
    double c = MS_FMAD(-1.0 / 87178291200.0, z, 1.0 / 479001600.0);
    c = MS_FMAD(c, z, -1.0 / 3628800);
    c = MS_FMAD(c, z, 1.0 / 40320);
    c = MS_FMAD(c, z, -1.0 / 720);
    c = MS_FMAD(c, z, 1.0 / 24);
    c = MS_FMAD(c, z, -0.5);
    c = MS_FMAD(c, z, 1.0);
    double y = quarter & 1 ? c : s;
    return d_float(d_bits(y) ^ (quarter & 2) << 62);
}

#define SINE(name, turned)                                                          \
    static int K(loop_##name)(const float *x, float *out, ptrdiff_t n) {            \
        int far = 0, bad = 0;                                                       \
        for (ptrdiff_t i = 0; i < n; ++i) far |= !(fabsf(x[i]) <= (float)WIDEST);   \
        if (far)                                                                    \
            for (ptrdiff_t i = 0; i < n; ++i) out[i] = (float)name((double)x[i]);   \
        else                                                                        \
            for (ptrdiff_t i = 0; i < n; ++i) {                                     \
                float y = (float)d_sine((double)x[i], turned);                      \
                out[i] = turned || x[i] != 0.0f ? y : x[i];                         \
            }                                                                       \
        for (ptrdiff_t i = 0; i < n; ++i) bad |= npu_odd(out[i]);                   \
        return bad;                                                                 \
    }
SINE(sin, 0)
SINE(cos, 1)

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

/* AN-OP-05, 910, float32; n is at most BLOCK. */
static int K(loop_sigmoid_old)(const float *x, float *out, ptrdiff_t n) {
    float t[BLOCK];
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        bad |= npu_odd(x[i]);
        t[i] = x[i] < -88.7f ? -88.7f : x[i];
    }
    return bad | K(loop_sigmoid)(t, out, n);
}

/* AN-OP-05, 910, float16: every step is rounded to it; n is at most BLOCK. */
static int K(loop_sigmoid_half)(const float *x_, float *out, ptrdiff_t n) {
    uint16_t narrow[BLOCK];
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) {
        float x = x_[i] < -11.0859375f ? -11.0859375f : x_[i];
        bad |= npu_odd(x);
        out[i] = npu_exp_half(-x);
    }
    float_to_half(out, narrow, n);
    half_to_float(narrow, out, n);
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = out[i] + 1.0f;
    float_to_half(out, narrow, n);
    half_to_float(narrow, out, n);
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = 1.0f / out[i];
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

/* AN-VEC-07: exp(y * ln abs(x)), each operation a step, then the sign.  Three loops: one would not become vectors. */
static int K(power)(const float *x, const float *y, float *out, ptrdiff_t n) {
    int bad = 0;
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = f_log(fabsf(x[i]));
    for (ptrdiff_t i = 0; i < n; ++i) {
        float a = y[i] * out[i];
        bad |= !(fabsf(a) <= 88.7f); /* an infinite logarithm, and all that makes the exponential overflow */
        out[i] = f_exp(a);
    }
    for (ptrdiff_t i = 0; i < n; ++i) {
        float half = y[i] * 0.5f, r = out[i];
        int whole = floorf(y[i]) == y[i], odd = whole & (floorf(half) != half), minus = (ms_bits(x[i]) >> 31) != 0;
        int none = (x[i] < 0.0f) & !whole & (fabsf(y[i]) <= FLT_MAX), one = (y[i] == 0.0f) | (x[i] == 1.0f);
        r = ms_float(ms_bits(r) ^ (uint32_t)(odd & minus) << 31);
        r = none ? NAN : r;
        r = one ? 1.0f : r;
        bad |= npu_odd(r);
        out[i] = r;
    }
    return bad;
}

/* AN-RED-05 on packed (r, b): running sums down the rows; with b = 1 several lines of r side by side. */
static int K(scan)(const float *x, float *out, ptrdiff_t r, ptrdiff_t b) {
    int bad = 0;
    if (!r) return 0;
    memcpy(out, x, (size_t)b * sizeof *out);
    for (ptrdiff_t i = 1; i < r; ++i)
        for (ptrdiff_t j = 0; j < b; ++j) out[i * b + j] = out[(i - 1) * b + j] + x[i * b + j];
    for (ptrdiff_t j = 0; j < b; ++j) bad |= npu_odd(out[(r - 1) * b + j]);
    return bad;
}

static int K(scan_lines)(const float *x, float *out, ptrdiff_t lines, ptrdiff_t r) {
    enum { ABREAST = 8 };
    int bad = 0;
    for (ptrdiff_t l = 0; l < lines; l += ABREAST) {
        ptrdiff_t count = lines - l < ABREAST ? lines - l : ABREAST;
        float acc[ABREAST] = {0};
        for (ptrdiff_t k = 0; k < count && r; ++k) out[(l + k) * r] = acc[k] = x[(l + k) * r];
        if (count == ABREAST)
            for (ptrdiff_t i = 1; i < r; ++i)
                for (int k = 0; k < ABREAST; ++k) out[(l + k) * r + i] = acc[k] += x[(l + k) * r + i];
        else
            for (ptrdiff_t k = 0; k < count; ++k)
                for (ptrdiff_t i = 1; i < r; ++i) out[(l + k) * r + i] = acc[k] += x[(l + k) * r + i];
        for (int k = 0; k < ABREAST; ++k) bad |= npu_odd(acc[k]);
    }
    return bad;
}

/* The binary tree of neighbours over `count` floats, a power of two; in place. */
static float K(tree_of)(float *t, ptrdiff_t count) {
    for (; count > 1; count /= 2)
        for (ptrdiff_t i = 0; i < count / 2; ++i) t[i] = t[2 * i] + t[2 * i + 1];
    return t[0];
}

#if defined(__AVX2__)
/* Sums of neighbours: what _mm256_hadd_ps gives, in fewer steps. */
#define PAIRS(a, b) _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x88), _mm256_shuffle_ps(a, b, 0xdd))
#define FEW(a, b) _mm_add_ps(_mm_shuffle_ps(a, b, 0x88), _mm_shuffle_ps(a, b, 0xdd))

/* Four sums of 16 neighbours each. */
MS_INLINE __m128 K(tree16)(const float *x, __m256 c, int scaled) {
    __m256 v[8];
    __m128 half[2];
    for (int i = 0; i < 8; ++i) v[i] = scaled ? _mm256_mul_ps(_mm256_loadu_ps(x + 8 * i), c) : _mm256_loadu_ps(x + 8 * i);
    for (int i = 0; i < 2; ++i) {
        __m256 a = PAIRS(v[4 * i], v[4 * i + 1]), b = PAIRS(v[4 * i + 2], v[4 * i + 3]), d = PAIRS(a, b);
        half[i] = _mm_add_ps(_mm256_castps256_ps128(d), _mm256_extractf128_ps(d, 1)); /* elements 0-3 and 4-7 of each */
    }
    return FEW(half[0], half[1]);
}

/* The trees over four repeats of REPEAT elements. */
MS_INLINE void K(tree_four)(const float *x, float scale, int scaled, float *out) {
    const __m256 c = _mm256_set1_ps(scale);
    __m128 a = K(tree16)(x, c, scaled), b = K(tree16)(x + REPEAT, c, scaled);
    __m128 d = K(tree16)(x + 2 * REPEAT, c, scaled), e = K(tree16)(x + 3 * REPEAT, c, scaled);
    __m128 low = FEW(a, b), high = FEW(d, e);
    _mm_storeu_ps(out, FEW(low, high));
}
#else
MS_INLINE void K(tree_four)(const float *x, float scale, int scaled, float *out) {
    for (int r = 0; r < 4; ++r) {
        float t[REPEAT];
        for (int i = 0; i < REPEAT; ++i) t[i] = scaled ? x[r * REPEAT + i] * scale : x[r * REPEAT + i];
        out[r] = K(tree_of)(t, REPEAT);
    }
}
#endif

/* The tree over the `have` first elements of a repeat, the others 0. */
static float K(tree_part)(const float *x, ptrdiff_t have, int repeat, float scale) {
    float t[REPEAT];
    for (ptrdiff_t j = 0; j < have; ++j) t[j] = x[j] * scale;
    for (ptrdiff_t j = have; j < repeat; ++j) t[j] = 0.0f;
    return K(tree_of)(t, repeat);
}

/* The sum of each repeat of n elements, to its place. */
static void K(sums)(const float *x, ptrdiff_t n, float scale, int repeat, float *out) {
    ptrdiff_t i = 0;
    if (repeat == REPEAT && scale == 1.0f)
        for (; i + 4 * REPEAT <= n; i += 4 * REPEAT, out += 4) K(tree_four)(x + i, scale, 0, out);
    else if (repeat == REPEAT)
        for (; i + 4 * REPEAT <= n; i += 4 * REPEAT, out += 4) K(tree_four)(x + i, scale, 1, out);
    for (; i < n; i += repeat) *out++ = K(tree_part)(x + i, n - i < repeat ? n - i : repeat, repeat, scale);
}

static ptrdiff_t npu_power(ptrdiff_t n) {
    ptrdiff_t p = 1;
    while (p < n) p *= 2;
    return p;
}

/* The sums of repeats joined: one after another, or by the tree, in place and with room for a power of two of them. */
static float K(join)(float *sums, ptrdiff_t count, int by_tree) {
    if (!count) return 0.0f;
    if (!by_tree) {
        float total = sums[0];
        for (ptrdiff_t i = 1; i < count; ++i) total += sums[i];
        return total;
    }
    ptrdiff_t all = npu_power(count);
    for (ptrdiff_t i = count; i < all; ++i) sums[i] = 0.0f;
    return K(tree_of)(sums, all);
}

/* AN-RED-01 on one row; spare has room for the sums of its repeats. */
static float K(tree)(const float *x, ptrdiff_t n, float scale, int repeat, int by_tree, float *spare) {
    K(sums)(x, n, scale, repeat, spare);
    return K(join)(spare, (n + repeat - 1) / repeat, by_tree);
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

/* The tree over eight rows of floats that lie `step` floats apart. */
MS_INLINE void K(eight)(const float *x, ptrdiff_t step, ptrdiff_t columns, float c, float *out) {
    for (ptrdiff_t j = 0; j < columns; ++j) {
        const float *v = x + j;
        float a = v[0] * c + v[step] * c, b = v[2 * step] * c + v[3 * step] * c;
        float d = v[4 * step] * c + v[5 * step] * c, e = v[6 * step] * c + v[7 * step] * c;
        float low = a + b, high = d + e;
        out[j] = low + high;
    }
}

/* AN-RED-01 down up to COLUMNS columns at once.  spare: COLUMNS * (2 * LEVELS + 8) floats. */
static void K(tree_columns)(int type, const char *x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t columns, float scale,
                            int repeat, int by_tree, float *out, float *spare) {
    float (*forest)[COLUMNS] = (float (*)[COLUMNS])(void *)spare, (*woods)[COLUMNS] = forest + LEVELS;
    float (*wide)[COLUMNS] = woods + LEVELS, row[COLUMNS];
    uint64_t done = 0;
    int top = 0;
    for (ptrdiff_t j = 0; j < columns; ++j) out[j] = 0.0f;
    for (ptrdiff_t i = 0; i < rows; i += repeat, ++done) {
        ptrdiff_t have = rows - i < repeat ? rows - i : repeat, all = npu_power(have);
        int level = 0;
        ptrdiff_t k = 0;
        for (; k + 8 <= have; k += 8) { /* a finished tree of eight is a row of the level above */
            const char *from = x + (i + k) * step;
            if (type == NPU_F32) {
                K(eight)((const float *)(const void *)from, step / 4, columns, scale, row);
            } else {
                for (int r = 0; r < 8; ++r) K(widen)(type, from + r * step, wide[r], columns);
                K(eight)(wide[0], COLUMNS, columns, scale, row);
            }
            level = 3 + K(push)(forest + 3, (uint64_t)k / 8, row, columns);
        }
        for (; k < all; ++k) {
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

/* The largest of n > 0 floats, if none is NaN. */
static float K(largest)(const float *x, ptrdiff_t n) {
    float most = x[0];
    ptrdiff_t k = 0;
#if defined(__AVX2__)
    if (n >= 16) {
        float lane[8];
        __m256 a = _mm256_loadu_ps(x), b = _mm256_loadu_ps(x + 8);
        for (k = 16; k + 16 <= n; k += 16) {
            a = _mm256_max_ps(a, _mm256_loadu_ps(x + k));
            b = _mm256_max_ps(b, _mm256_loadu_ps(x + k + 8));
        }
        _mm256_storeu_ps(lane, _mm256_max_ps(a, b));
        for (int l = 0; l < 8; ++l) most = lane[l] > most ? lane[l] : most;
    }
#endif
    for (; k < n; ++k) most = x[k] > most ? x[k] : most;
    return most;
}

static int K(softmax)(const float *x, float *out, ptrdiff_t n, int half, int inverse, int repeat, int by_tree,
                      float *spare) { /* AN-OP-01 */
    uint16_t narrow[BLOCK];
    float most = K(largest)(x, n);
    int bad = 0;
    if (half) {
        for (ptrdiff_t i = 0; i < n; ++i) out[i] = x[i] - most;
        for (ptrdiff_t i = 0; i < n; i += BLOCK) {
            ptrdiff_t m = n - i < BLOCK ? n - i : BLOCK;
            float_to_half(out + i, narrow, m);
            half_to_float(narrow, out + i, m);
        }
        for (ptrdiff_t i = 0; i < n; ++i) {
            float d = out[i];
            bad |= npu_odd(d);
            out[i] = f_exp(d);
        }
    } else {
        for (ptrdiff_t i = 0; i < n; ++i) {
            float d = x[i] - most;
            bad |= npu_odd(d);
            out[i] = f_exp(d);
        }
    }
    float s = K(tree)(out, n, 1.0f, repeat, by_tree, spare);
    bad |= npu_odd(s);
    if (bad)
        for (ptrdiff_t i = 0; i < n; ++i) s = x[i] != x[i] ? x[i] : s; /* with a NaN the maximum is NaN, and so is all */
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
    int bad = npu_odd(m) | npu_odd(var) | npu_odd(ln) | npu_odd(r);
    if (weight && bias) {
        for (ptrdiff_t i = 0; i < n; ++i) {
            float d = x[i] - m, y = d * r;
            y = y * weight[i];
            y = y + bias[i];
            bad |= npu_odd(y);
            out[i] = y;
        }
    } else {
        for (ptrdiff_t i = 0; i < n; ++i) {
            float d = x[i] - m, y = d * r;
            out[i] = y;
        }
        if (weight)
            for (ptrdiff_t i = 0; i < n; ++i) out[i] *= weight[i];
        if (bias)
            for (ptrdiff_t i = 0; i < n; ++i) out[i] += bias[i];
        for (ptrdiff_t i = 0; i < n; ++i) bad |= npu_odd(out[i]);
    }
    *mean = m;
    *rstd = r;
    return bad;
}

/* (r, b) -> (b, r) in pieces whose lines fit into one set of the cache, however far apart they lie. */
#define TURN(name, T)                                                                                        \
    static void K(name)(const T *x, T *out, ptrdiff_t r, ptrdiff_t b) {                                      \
        enum { ROWS = 8, SIDE = 64 / sizeof(T) };                                                            \
        for (ptrdiff_t j = 0; j < b; j += SIDE)                                                              \
            for (ptrdiff_t i = 0; i < r; i += ROWS) {                                                        \
                ptrdiff_t rows = r - i < ROWS ? r - i : ROWS, columns = b - j < SIDE ? b - j : SIDE;         \
                const T *from = x + i * b + j;                                                               \
                T *to = out + j * r + i;                                                                     \
                for (ptrdiff_t k = 0; k < columns; ++k)                                                      \
                    for (ptrdiff_t l = 0; l < rows; ++l) to[k * r + l] = from[l * b + k];                    \
            }                                                                                                \
    }
TURN(turn32, uint32_t)
TURN(turn16, uint16_t)

static void K(turn)(const char *x, char *out, ptrdiff_t r, ptrdiff_t b, int item) {
    if (item == 4) K(turn32)((const uint32_t *)(const void *)x, (uint32_t *)(void *)out, r, b);
    else K(turn16)((const uint16_t *)(const void *)x, (uint16_t *)(void *)out, r, b);
}

#define ENTRY(name) K(loop_##name),
const npu_loops TABLE = {
    {NPU_UNARY(ENTRY)}, K(widen),        K(narrow),  K(saturate),   K(hf32), K(maximum), K(power), K(scan), K(scan_lines),
    K(tree),            K(sums),         K(join),    K(tree_columns), K(softmax), K(layer_norm), K(turn),
};
