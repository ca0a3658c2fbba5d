/* The cube unit's matrix product: blocks of products added up in float64, in order, joined in a float32 accumulator. */
#ifndef MS_CUBE_H
#define MS_CUBE_H

#include "ms_rt.h"

enum { CUBE_M = 6, CUBE_N = 8, CUBE_GROUP = 4, CUBE_K = 128 };

/* c[c_base[p] + c_row[i] + c_col[j]] = sum over l of a[a_base[p] + a_row[i] + a_k[l]] * b[b_base[p] + b_col[j] + b_k[l]].
   Tables of places make transposes, windows of an image and orders of the sum one thing to the kernel. */
typedef struct cube_job {
    ptrdiff_t m, n, k, batch, blocks;
    const float *a, *b;
    float *c;
    const ptrdiff_t *a_row, *a_k, *a_base, *b_col, *b_k, *b_base, *c_row, *c_col, *c_base;
    const ptrdiff_t *ends; /* where each block of the sum ends; ascending, the last is k */
} cube_job;

typedef struct cube_kern {
    /* acc (CUBE_M x CUBE_N) += the blocks [first, last), whose factors start at l = from in the packed panels */
    void (*tile)(const double *a, const double *b, const ptrdiff_t *ends, ptrdiff_t from, ptrdiff_t first,
                 ptrdiff_t last, float *acc);
    void (*pack)(const float *src, const ptrdiff_t *lane, const ptrdiff_t *k, ptrdiff_t have, ptrdiff_t width,
                 ptrdiff_t from, ptrdiff_t to, double *out);
} cube_kern;

extern const cube_kern cube_base, cube_avx2;

/* -1: out of memory; 1: an accumulator is infinite or NaN; else 0 */
int cube_run(const cube_job *job);
/* One element, its accumulator saturated after each block. */
float cube_saturated(const cube_job *job, ptrdiff_t p, ptrdiff_t i, ptrdiff_t j);
/* All elements that are not finite again, saturated. */
void cube_repair(const cube_job *job);
#endif
