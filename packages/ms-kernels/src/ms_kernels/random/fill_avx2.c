/* The kernels for AVX2 with FMA: eight blocks at a time.

   The samplers in double take logarithm and sine from short polynomials, relative error below 2^-41, and add a guard: if the
   result moved by 2^-39 would round to another float, the C library decides (about once in 20,000 elements).  So the floats
   are those of exact.h, bit for bit. */
#include <immintrin.h>

#include "exact.h"

typedef __m256 vf;
typedef __m256i vi;
typedef __m256d vd;
#define vf_set _mm256_set1_ps
#define vi_set _mm256_set1_epi32
#define vf_add _mm256_add_ps
#define vf_sub _mm256_sub_ps
#define vf_mul _mm256_mul_ps
#define vf_div _mm256_div_ps
#define vf_sqrt _mm256_sqrt_ps
#define vf_max _mm256_max_ps
#define vf_of_int _mm256_cvtepi32_ps
#define vf_of_bits _mm256_castsi256_ps
#define vi_of_bits _mm256_castps_si256
#define vf_pick(mask, a, b) _mm256_blendv_ps(b, a, _mm256_castsi256_ps(mask))
#define vf_flip(a, sign) _mm256_xor_ps(a, _mm256_castsi256_ps(sign))
#define vi_add _mm256_add_epi32
#define vi_sub _mm256_sub_epi32
#define vi_and _mm256_and_si256
#define vi_or _mm256_or_si256
#define vi_sll _mm256_slli_epi32
#define vi_sra _mm256_srai_epi32
#include "normal32.h"

#define SET(x) _mm256_set1_pd(x)
#define FMA _mm256_fmadd_pd
#define GROUP_WORDS 16

/* Four blocks: word k of block b is the low half of 64-bit lane b of w[k]; the high halves are noise. */
typedef struct {
    vi w[4];
} group;

/* The keys of the ten rounds, ready to be used: once a kernel, not once a unit. */
MS_INLINE void expand_keys(const ms_fill *f, vi keys[20])
{
    for (uint32_t round = 0; round < 10; round++) {
        keys[2 * round] = vi_set((int)(f->key[0] + round * MS_PHILOX_W0));
        keys[2 * round + 1] = vi_set((int)(f->key[1] + round * MS_PHILOX_W1));
    }
}

MS_INLINE void unit_words(const ms_fill *f, const vi keys[20], uint64_t unit, group g[2])
{
    vi c0[2], c1[2], c2[2], c3[2];
    const vi m0 = vi_set((int)MS_PHILOX_M0), m1 = vi_set((int)MS_PHILOX_M1);
    c0[0] = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)(unit * 8)), _mm256_setr_epi64x(0, 1, 2, 3));
    c0[1] = _mm256_add_epi64(c0[0], _mm256_set1_epi64x(4));
    for (int i = 0; i < 2; i++) {
        c1[i] = _mm256_srli_epi64(c0[i], 32);
        c2[i] = vi_set((int)f->high[0]);
        c3[i] = vi_set((int)f->high[1]);
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 2; i++) {
            vi a = _mm256_mul_epu32(c0[i], m0), b = _mm256_mul_epu32(c2[i], m1);
            c0[i] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), c1[i]), keys[2 * round]);
            c2[i] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), c3[i]), keys[2 * round + 1]);
            c1[i] = b;
            c3[i] = a;
        }
    }
    for (int i = 0; i < 2; i++) {
        g[i].w[0] = c0[i];
        g[i].w[1] = c1[i];
        g[i].w[2] = c2[i];
        g[i].w[3] = c3[i];
    }
}

MS_INLINE vi merge(vi low, vi high)
{
    return _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xAA);
}

/* rows of 64-bit halves of four blocks -> the blocks in order, two a vector */
MS_INLINE void in_order(vi first, vi second, vi out[2])
{
    vi even = _mm256_unpacklo_epi64(first, second), odd = _mm256_unpackhi_epi64(first, second);
    out[0] = _mm256_permute2x128_si256(even, odd, 0x20);
    out[1] = _mm256_permute2x128_si256(even, odd, 0x31);
}

/* 16 words of a group in order */
MS_INLINE void group_words(const group *g, vi out[2])
{
    in_order(merge(g->w[0], g->w[1]), merge(g->w[2], g->w[3]), out);
}

/* The slow way for a group whose guard spoke. */
static void exact_normals(const ms_fill *f, const group *g, float *o)
{
    uint32_t w[GROUP_WORDS];
    vi rows[2];
    group_words(g, rows);
    memcpy(w, rows, sizeof(w));
    for (int i = 0; i < GROUP_WORDS / 2; i++) {
        ms_exact_normal(f->p[0], f->p[1], w[2 * i], w[2 * i + 1], o + 2 * i);
    }
}

static void exact_truncated(const ms_fill *f, const group *g, float *o)
{
    uint32_t w[GROUP_WORDS];
    vi rows[2];
    group_words(g, rows);
    memcpy(w, rows, sizeof(w));
    for (int i = 0; i < GROUP_WORDS; i++) {
        o[i] = ms_exact_truncated(f->p, w[i]);
    }
}

/* the low halves of 64-bit lanes as doubles */
MS_INLINE vd word_double(vi w)
{
    const vi magic = _mm256_castpd_si256(SET(4503599627370496.0)); /* 2^52 */
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_blend_epi32(w, magic, 0xAA)), SET(4503599627370496.0));
}

/* the low 23 bits as a fraction, at least 1e-7f */
MS_INLINE vd fraction(vi w)
{
    vi bits = _mm256_srli_epi64(_mm256_slli_epi64(w, 41), 12);
    vd one = SET(1.0), u = _mm256_or_pd(_mm256_castsi256_pd(bits), one);
    return _mm256_max_pd(_mm256_sub_pd(u, one), SET(MS_U_MIN));
}

/* ln of positive normal numbers below 2^1023 */
MS_INLINE vd log_pd(vd u)
{
    const vi half = _mm256_set1_epi64x(0x3fe6a09e667f3bcd), bias = _mm256_set1_epi64x(1024LL << 52);
    vi t = _mm256_add_epi64(_mm256_sub_epi64(_mm256_castpd_si256(u), half), bias);
    vd e = _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(t, 52), _mm256_castpd_si256(SET(4503599627370496.0))));
    vd m = _mm256_castsi256_pd(
        _mm256_add_epi64(_mm256_and_si256(t, _mm256_set1_epi64x(0x000fffffffffffff)), half));
    e = _mm256_sub_pd(e, SET(4503599627371520.0));
    vd s = _mm256_div_pd(_mm256_sub_pd(m, SET(1.0)), _mm256_add_pd(m, SET(1.0))), z = _mm256_mul_pd(s, s);
    vd y = FMA(SET(0.19365609239939408), z, SET(0.2219124492451948));
    y = FMA(y, z, SET(0.28571757070402887));
    y = FMA(y, z, SET(0.3999999878438826));
    y = FMA(y, z, SET(0.6666666666738518));
    y = FMA(y, z, SET(2.0));
    return FMA(e, SET(0.6931471805599453), _mm256_mul_pd(s, y));
}

/* cos and sin of MS_TWO_PI_F * u, u in [0, 1): u is taken apart in quarter turns without rounding */
MS_INLINE void turn(vd u, vd *cosine, vd *sine)
{
    const vd magic = SET(6755399441055744.0); /* 1.5 * 2^52 */
    vd t = _mm256_mul_pd(u, SET(4.0)), n = _mm256_add_pd(t, magic);
    vi q = _mm256_castpd_si256(n);
    vd x = _mm256_mul_pd(_mm256_sub_pd(t, _mm256_sub_pd(n, magic)), SET(1.5707963267948966));
    x = FMA(u, SET(-3.019915981956753e-07), x); /* MS_TWO_PI_F - 2 pi */
    vd z = _mm256_mul_pd(x, x);
    vd s = FMA(SET(-2.48048013040435e-08), z, SET(2.755598136937497e-06));
    s = FMA(s, z, SET(-0.00019841266882985472));
    s = FMA(s, z, SET(0.0083333333310408));
    s = FMA(s, z, SET(-0.16666666666663818));
    s = FMA(_mm256_mul_pd(s, z), x, x);
    vd c = FMA(SET(-2.7235730965359356e-07), z, SET(2.479984574672747e-05));
    c = FMA(c, z, SET(-0.0013888885031638452));
    c = FMA(c, z, SET(0.041666666636703396));
    c = FMA(c, z, SET(-0.4999999999996264));
    c = FMA(c, z, SET(1.0));
    vd odd = _mm256_castsi256_pd(_mm256_slli_epi64(q, 63));
    vi two = _mm256_set1_epi64x(2);
    vd flip_s = _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_and_si256(q, two), 62));
    vd flip_c = _mm256_castsi256_pd(
        _mm256_slli_epi64(_mm256_and_si256(_mm256_add_epi64(q, _mm256_set1_epi64x(1)), two), 62));
    *sine = _mm256_xor_pd(_mm256_blendv_pd(s, c, odd), flip_s);
    *cosine = _mm256_xor_pd(_mm256_blendv_pd(c, s, odd), flip_c);
}

/* mean + t as floats, t known to 2^-40; lanes of `sure` become 0 where the rounding is in doubt */
MS_INLINE __m128 guarded(vd mean, vd t, __m128 *sure)
{
    vd r = _mm256_add_pd(mean, t), e = _mm256_mul_pd(_mm256_andnot_pd(SET(-0.0), t), SET(1.8189894035458565e-12));
    __m128 low = _mm256_cvtpd_ps(_mm256_sub_pd(r, e)), high = _mm256_cvtpd_ps(_mm256_add_pd(r, e));
    *sure = _mm_and_ps(*sure, _mm_cmpeq_ps(low, high));
    return low;
}

MS_INLINE void store_transposed(__m128 a, __m128 b, __m128 c, __m128 d, float *o)
{
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(o, a);
    _mm_storeu_ps(o + 4, b);
    _mm_storeu_ps(o + 8, c);
    _mm_storeu_ps(o + 12, d);
}

MS_INLINE __m128 all_sure(void)
{
    return _mm_castsi128_ps(_mm_set1_epi32(-1));
}

MS_INLINE void normals_of_group(const ms_fill *f, const group *g, float *o)
{
    const vd mean = SET(f->p[0]), sigma = SET(f->p[1]);
    __m128 row[4], sure = all_sure();
    for (int i = 0; i < 2; i++) {
        vd x = _mm256_mul_pd(_mm256_sqrt_pd(_mm256_mul_pd(log_pd(fraction(g->w[2 * i])), SET(-2.0))), sigma), c, s;
        turn(fraction(g->w[2 * i + 1]), &c, &s);
        row[2 * i] = guarded(mean, _mm256_mul_pd(x, c), &sure);
        row[2 * i + 1] = guarded(mean, _mm256_mul_pd(x, s), &sure);
    }
    if (_mm_movemask_ps(sure) == 15) {
        store_transposed(row[0], row[1], row[2], row[3], o);
    } else {
        exact_normals(f, g, o);
    }
}

/* erf_inv(p) / p by powers of w - 4.15625, w = -ln(1 - p^2) in [0, 8.3125]: error below 2^-42 */
static const double erf_inv_powers[22] = {
    1.8942825279297835, 0.22608493272769214, -0.007299845269956306, -0.0001334206296083547,
    0.00010695705684413315, -1.4975133502834765e-05, 6.581697537501117e-07, 1.3719401665460512e-07,
    -3.055764812727283e-08, 2.2127729178685365e-09, 1.7623652924197596e-10, -6.120424381231679e-11,
    5.9176370370425406e-12, 1.5789131417397922e-13, -1.2524510978296097e-13, 1.5347340561767646e-14,
    2.462459396061043e-16, -2.9405186194337415e-16, 2.2282334371430004e-17, 1.8704249522781124e-18,
    -2.5826313924286674e-19, 2.1492329292843663e-21
};

#define MS_Q_MIN 1.24e-4 /* below it the C library decides */

MS_INLINE void truncated_of_group(const ms_fill *f, const group *g, float *o)
{
    const vd mean = SET(f->p[0]), sigma = SET(f->p[1]), low = SET(f->p[2]), width = SET(f->p[3]);
    __m128 row[4], sure = all_sure();
    vd inside = _mm256_castsi256_pd(vi_set(-1)), p[4], t[4], y[4];
    for (int i = 0; i < 4; i++) {
        vd u = _mm256_mul_pd(word_double(g->w[i]), SET(1.0 / 4294967296.0));
        vd z = _mm256_add_pd(low, _mm256_mul_pd(u, width));
        z = _mm256_add_pd(z, z);
        vd q = _mm256_min_pd(z, _mm256_sub_pd(SET(2.0), z));
        inside = _mm256_and_pd(inside, _mm256_cmp_pd(q, SET(MS_Q_MIN), _CMP_GE_OQ));
        p[i] = _mm256_sub_pd(z, SET(1.0)); /* as exact as 1 - q, with the sign of the result */
        t[i] = _mm256_sub_pd(SET(-4.15625), log_pd(_mm256_mul_pd(q, _mm256_sub_pd(SET(2.0), q))));
        y[i] = SET(erf_inv_powers[21]);
    }
    for (int k = 20; k >= 0; k--) { /* four chains side by side hide the latency */
        const vd c = SET(erf_inv_powers[k]);
        for (int i = 0; i < 4; i++) {
            y[i] = FMA(y[i], t[i], c);
        }
    }
    for (int i = 0; i < 4; i++) {
        vd erf_inv = _mm256_mul_pd(p[i], y[i]);
        row[i] = guarded(mean, _mm256_mul_pd(_mm256_mul_pd(erf_inv, SET(MS_SQRT2_F)), sigma), &sure);
    }
    if (_mm_movemask_ps(sure) == 15 && _mm256_movemask_pd(inside) == 15) {
        store_transposed(row[0], row[1], row[2], row[3], o);
    } else {
        exact_truncated(f, g, o);
    }
}

MS_INLINE void uniforms_of_group(const ms_fill *f, const group *g, float *o)
{
    const vd scale = SET(f->p[0]), shift = SET(f->p[1]);
    __m128 row[4];
    for (int i = 0; i < 4; i++) {
        vd u = _mm256_mul_pd(word_double(g->w[i]), SET(1.0 / 4294967296.0));
        row[i] = _mm256_cvtpd_ps(_mm256_add_pd(_mm256_mul_pd(u, scale), shift));
    }
    store_transposed(row[0], row[1], row[2], row[3], o);
}

/* low + word mod span: the quotient from a reciprocal is at most one off, all else is exact */
MS_INLINE void ints_of_group(const ms_fill *f, const group *g, int64_t *o)
{
    const vd span = SET((double)f->span), inverse = SET(1.0 / (double)f->span), magic = SET(4503599627370496.0);
    const vi low = _mm256_set1_epi64x(f->low);
    vi row[4], out[2];
    for (int i = 0; i < 4; i++) {
        vd w = word_double(g->w[i]);
        vd r = _mm256_sub_pd(w, _mm256_mul_pd(_mm256_floor_pd(_mm256_mul_pd(w, inverse)), span));
        r = _mm256_add_pd(r, _mm256_and_pd(_mm256_cmp_pd(r, SET(0.0), _CMP_LT_OQ), span));
        r = _mm256_sub_pd(r, _mm256_and_pd(_mm256_cmp_pd(r, span, _CMP_GE_OQ), span));
        row[i] = _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(r, magic)), _mm256_castpd_si256(magic));
        row[i] = _mm256_add_epi64(row[i], low);
    }
    for (int half = 0; half < 2; half++) { /* words 0, 1, then 2, 3 of the four blocks */
        in_order(row[2 * half], row[2 * half + 1], out);
        for (int k = 0; k < 2; k++) {
            _mm_storeu_si128((__m128i *)(o + 8 * k + 2 * half), _mm256_castsi256_si128(out[k]));
            _mm_storeu_si128((__m128i *)(o + 8 * k + 4 + 2 * half), _mm256_extracti128_si256(out[k], 1));
        }
    }
}

MS_INLINE void normals32_of_group(const ms_fill *f, const group *g, float *o)
{
    const vf scale = vf_set((float)f->p[0]), shift = vf_set((float)f->p[1]);
    vf s, c;
    ms_normal32(merge(g->w[0], g->w[2]), merge(g->w[1], g->w[3]), &s, &c);
    s = vf_add(vf_mul(s, scale), shift);
    c = vf_add(vf_mul(c, scale), shift);
    vf even = _mm256_unpacklo_ps(s, c), odd = _mm256_unpackhi_ps(s, c);
    _mm256_storeu_ps(o, _mm256_permute2f128_ps(even, odd, 0x20));
    _mm256_storeu_ps(o + 8, _mm256_permute2f128_ps(even, odd, 0x31));
}

/* One kernel: the body turns group g[k] into the outputs o of that group. */
#define KERNEL(name, T, per_group, body)                                                             \
    static void name(const ms_fill *f, uint64_t unit, ptrdiff_t units, void *out)                    \
    {                                                                                                \
        T *o = (T *)out;                                                                             \
        group g[2];                                                                                  \
        vi keys[20];                                                                                 \
        expand_keys(f, keys);                                                                        \
        for (ptrdiff_t n = 0; n < units; n++) {                                                      \
            unit_words(f, keys, unit + (uint64_t)n, g);                                              \
            for (int k = 0; k < 2; k++, o += (per_group)) {                                          \
                body                                                                                 \
            }                                                                                        \
        }                                                                                            \
    }

/* As KERNEL, but the body has the 16 words in order, eight a vector, and handles vector `r`. */
#define WORD_KERNEL(name, T, per_vector, body)                                                       \
    KERNEL(name, T, 2 * (per_vector), vi w[2]; group_words(&g[k], w); for (int r = 0; r < 2; r++) {  \
        T *to = o + r * (per_vector);                                                                \
        body                                                                                         \
    })

KERNEL(uniform64, float, 16, uniforms_of_group(f, &g[k], o);)
KERNEL(normal64, float, 16, normals_of_group(f, &g[k], o);)
KERNEL(trunc64, float, 16, truncated_of_group(f, &g[k], o);)
KERNEL(normal32, float, 16, normals32_of_group(f, &g[k], o);)
KERNEL(int32, int64_t, 16, ints_of_group(f, &g[k], o);)
WORD_KERNEL(words, uint32_t, 8, _mm256_storeu_si256((vi *)to, w[r]); (void)f;)
WORD_KERNEL(unit32, float, 8, _mm256_storeu_ps(
    to, vf_add(vf_mul(ms_unit32(w[r]), vf_set((float)f->p[0])), vf_set((float)f->p[1])));)
WORD_KERNEL(less32, float, 8, _mm256_storeu_ps(to, _mm256_and_ps(vf_set(1.0f),
    _mm256_cmp_ps(ms_unit32(w[r]), vf_set((float)f->p[0]), _CMP_LT_OQ)));)
WORD_KERNEL(mask, uint8_t, 1, *to = (uint8_t)_mm256_movemask_ps(
    _mm256_cmp_ps(ms_unit32(w[r]), vf_set((float)f->p[0]), _CMP_GE_OQ));)
WORD_KERNEL(less, uint8_t, 8,
    vi one = vi_and(vi_of_bits(_mm256_cmp_ps(ms_unit32(w[r]), vf_set((float)f->p[0]), _CMP_LT_OQ)), vi_set(1));
    __m128i half = _mm_packs_epi32(_mm256_castsi256_si128(one), _mm256_extracti128_si256(one, 1));
    _mm_storel_epi64((__m128i *)to, _mm_packus_epi16(half, half));)

const ms_unit_kernel ms_kernels_avx2[MS_KINDS] = {
    [MS_WORDS] = words,       [MS_UNIFORM64] = uniform64, [MS_NORMAL64] = normal64, [MS_TRUNC64] = trunc64,
    [MS_UNIT32] = unit32,     [MS_NORMAL32] = normal32,   [MS_LESS] = less,         [MS_LESS32] = less32,
    [MS_MASK] = mask,         [MS_INT32] = int32,
};

void ms_avx2_parts(const double *u, double *ln, double *cosine, double *sine, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i + 4 <= n; i += 4) {
        vd x = _mm256_loadu_pd(u + i), c, s;
        turn(x, &c, &s);
        _mm256_storeu_pd(ln + i, log_pd(x));
        _mm256_storeu_pd(cosine + i, c);
        _mm256_storeu_pd(sine + i, s);
    }
}
