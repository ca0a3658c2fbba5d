/* The tile kernel and the packing; the file that includes this sets K(name), TABLE and maybe CUBE_AVX2. */
#include "cube.h"

#include <string.h>

static int K(in_line)(const ptrdiff_t *lane, ptrdiff_t count) {
    for (ptrdiff_t j = 1; j < count; ++j)
        if (lane[j] != lane[0] + j) return 0;
    return 1;
}

/* Panels hold `width` lanes for each l; lanes beyond `have` are zero. */
static void K(pack)(const float *src, const ptrdiff_t *lane, const ptrdiff_t *k, ptrdiff_t have, ptrdiff_t width,
                    ptrdiff_t from, ptrdiff_t to, double *out) {
    if (have == CUBE_N) {
        enum { HALF = CUBE_N / 2 };
        const float *low = src + lane[0], *high = src + lane[HALF];
        if (K(in_line)(lane, HALF) && K(in_line)(lane + HALF, HALF)) {
            for (ptrdiff_t l = from; l < to; ++l, out += CUBE_N) {
                for (int j = 0; j < HALF; ++j) out[j] = (double)low[k[l] + j];
                for (int j = 0; j < HALF; ++j) out[HALF + j] = (double)high[k[l] + j];
            }
            return;
        }
        for (ptrdiff_t l = from; l < to; ++l, out += CUBE_N) {
            float t[CUBE_N];
            const float *at = src + k[l];
            for (int j = 0; j < CUBE_N; ++j) t[j] = at[lane[j]];
            for (int j = 0; j < CUBE_N; ++j) out[j] = (double)t[j];
        }
        return;
    }
    if (have < width) memset(out, 0, (size_t)((to - from) * width) * sizeof *out);
    for (ptrdiff_t j = 0; j < have; ++j) {
        const float *line = src + lane[j];
        for (ptrdiff_t l = from; l < to; ++l) out[(l - from) * width + j] = (double)line[k[l]];
    }
}

#if defined(CUBE_AVX2)
#define ROW(i)                                           \
    v = _mm256_broadcast_sd(a + i);                      \
    s##i##0 = _mm256_fmadd_pd(v, b0, s##i##0);           \
    s##i##1 = _mm256_fmadd_pd(v, b1, s##i##1);
#define CLEAR(i) s##i##0 = _mm256_setzero_pd(), s##i##1 = _mm256_setzero_pd();
/* t = acc + s in float64, acc = RN(t) */
#define JOIN(i)                                                                                                     \
    _mm_storeu_ps(acc + 8 * i, _mm256_cvtpd_ps(_mm256_add_pd(_mm256_cvtps_pd(_mm_loadu_ps(acc + 8 * i)), s##i##0))); \
    _mm_storeu_ps(acc + 8 * i + 4,                                                                                  \
                  _mm256_cvtpd_ps(_mm256_add_pd(_mm256_cvtps_pd(_mm_loadu_ps(acc + 8 * i + 4)), s##i##1)));

static void K(tile)(const double *a, const double *b, const ptrdiff_t *ends, ptrdiff_t from, ptrdiff_t first,
                    ptrdiff_t last, float *acc) {
    for (ptrdiff_t q = first; q < last; ++q) {
        __m256d s00, s01, s10, s11, s20, s21, s30, s31, s40, s41, s50, s51, v;
        CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5)
        for (; from < ends[q]; ++from, a += CUBE_M, b += CUBE_N) {
            __m256d b0 = _mm256_loadu_pd(b), b1 = _mm256_loadu_pd(b + 4);
            ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5)
        }
        JOIN(0) JOIN(1) JOIN(2) JOIN(3) JOIN(4) JOIN(5)
    }
}
#else
static void K(tile)(const double *a, const double *b, const ptrdiff_t *ends, ptrdiff_t from, ptrdiff_t first,
                    ptrdiff_t last, float *acc) {
    for (ptrdiff_t q = first; q < last; ++q) {
        double s[CUBE_M][CUBE_N] = {{0}};
        for (; from < ends[q]; ++from, a += CUBE_M, b += CUBE_N)
            for (int i = 0; i < CUBE_M; ++i)
                for (int j = 0; j < CUBE_N; ++j) s[i][j] += a[i] * b[j]; /* the product of two floats is exact */
        for (int i = 0; i < CUBE_M; ++i)
            for (int j = 0; j < CUBE_N; ++j) acc[i * CUBE_N + j] = (float)((double)acc[i * CUBE_N + j] + s[i][j]);
    }
}
#endif

const cube_kern TABLE = {K(tile), K(pack)};
