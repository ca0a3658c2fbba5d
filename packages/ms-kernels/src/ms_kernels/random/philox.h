/* Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
   2011) and what is shared between the instruction sets.  Word n of a stream depends on (key, high, n) alone, so any part of
   an array can be filled alone, by any thread. */
#ifndef MS_PHILOX_H
#define MS_PHILOX_H

#include <stddef.h>
#include <stdint.h>

#include "ms_rt.h"

#define MS_PHILOX_M0 0xD2511F53u
#define MS_PHILOX_M1 0xCD9E8D57u
#define MS_PHILOX_W0 0x9E3779B9u
#define MS_PHILOX_W1 0xBB67AE85u

/* What a fill makes of the words; `p`, `low` and `span` hold its parameters. */
enum {
    MS_WORDS,     /* uint32: the words */
    MS_UNIFORM64, /* float32: word * p0 + p1, in double */
    MS_NORMAL64,  /* float32: mean p0, sigma p1, Box-Muller in double */
    MS_TRUNC64,   /* float32: mean p0, sigma p1, cdf of the lower limit p2, width of the cdf p3, in double */
    MS_UNIT32,    /* float32: U * p0 + p1, in float; U has 23 bits */
    MS_NORMAL32,  /* float32: z * p0 + p1, Box-Muller in float */
    MS_LESS,      /* uint8: U < p0 */
    MS_LESS32,    /* float32: U < p0 as 1 or 0 */
    MS_MASK,      /* bits, the low one first: U >= p0 */
    MS_INT32,     /* int64: low + word mod span, span <= 2^32 */
    MS_INT64,     /* int64: low + (two words) mod span, span 0 standing for 2^64 */
    MS_UNIT64,    /* float64: 53 bits of two words * p0 + p1 */
    MS_GAUSS64,   /* float64: z * p0 + p1 out of four words for two */
    MS_KINDS
};

typedef struct ms_fill {
    uint32_t key[2];
    uint32_t high[2]; /* counter words 2 and 3; words 0 and 1 count the blocks */
    double p[4];
    int64_t low;
    uint64_t span;
} ms_fill;

/* Every kernel writes whole units of eight blocks, 32 words. */
#define MS_UNIT_WORDS 32
typedef void (*ms_unit_kernel)(const ms_fill *f, uint64_t unit, ptrdiff_t units, void *out);

extern const ms_unit_kernel ms_kernels_base[MS_KINDS];
#if defined(__x86_64__) || defined(_M_X64) || defined(__amd64__)
#define MS_HAVE_AVX2_KERNELS 1
extern const ms_unit_kernel ms_kernels_avx2[MS_KINDS]; /* NULL where the base one serves */
/* The parts of the vector samplers, for tests of their error: ln u, and cos and sin of MS_TWO_PI_F * u; n is a multiple of 4. */
void ms_avx2_parts(const double *u, double *ln, double *cosine, double *sine, ptrdiff_t n);
#endif

/* Not 0: the base kernels serve, whatever the machine has. */
extern int ms_random_baseline;

/* Elements [first, first + count) of the array that (kind, f) defines, written to out. */
void ms_random_fill(int kind, const ms_fill *f, void *out, int64_t first, int64_t count);
/* A permutation of 0 .. n-1; 0, or -1 when there is no memory. */
int ms_random_permutation(const ms_fill *f, int64_t *out, int64_t n);
/* y = x * scale where U >= p0, else 0; keep gets 1 or 0. */
void ms_random_dropout(const ms_fill *f, const float *x, float *y, uint8_t *keep, float scale, int64_t n);

MS_INLINE void ms_philox_block(const ms_fill *f, uint64_t block, uint32_t out[4])
{
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = f->high[0], c3 = f->high[1];
    uint32_t k0 = f->key[0], k1 = f->key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)MS_PHILOX_M0 * c0, b = (uint64_t)MS_PHILOX_M1 * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += MS_PHILOX_W0;
        k1 += MS_PHILOX_W1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

#endif
