/* The loops of recurrent.h for one instruction set; the including file defines ISA(name). */
#include <math.h>
#include <string.h>

#include "gemm.h"
#include "recurrent.h"
#include "vecmath.h"

enum { ROWS = 48 }; /* sequences that go through all steps together: their gates stay in the second-level cache */

static const int GATES[] = {1, 1, 4, 3}, KEPT[] = {0, 0, 5, 4};

/* Whether step t of a sequence counts, and the step before it in the order of the loop (-1: there is none) */
MS_INLINE int counts(const ms_scan *s, ptrdiff_t b, ptrdiff_t t) { return !s->lengths || t < s->lengths[b]; }

MS_INLINE ptrdiff_t before(const ms_scan *s, ptrdiff_t b, ptrdiff_t t)
{
    if (!s->reverse)
        return t - 1;
    return t + 1 < s->steps && counts(s, b, t + 1) ? t + 1 : -1;
}

/* Rows go through the tile kernels in groups of nearly the same size: first row of group g.  A kernel works on an even
   number of rows, so that only the last group may have an odd one. */
MS_INLINE ptrdiff_t groups_of(ptrdiff_t rows) { return (rows + MS_MR - 1) / MS_MR; }

MS_INLINE ptrdiff_t group(ptrdiff_t rows, ptrdiff_t g)
{
    ptrdiff_t first = (rows + 1) / 2 * g / groups_of(rows) * 2;
    return first < rows ? first : rows;
}

#define T float
#define F(name) name##_f32
#define KERN ISA(ms_kern_f32)
#define EXP exp_f32
#define TANH tanh_f32
#define LOOP MS_IVDEP
#include "recurrent_loops.h"
#undef T
#undef F
#undef KERN
#undef EXP
#undef TANH
#undef LOOP

#define T double
#define F(name) name##_f64
#define KERN ISA(ms_kern_f64)
#define EXP exp
#define TANH tanh
#define LOOP /* calls of the C library stay scalar */
#include "recurrent_loops.h"

const ms_scan_kern ISA(ms_scan_kern) = {{forward_f32, forward_f64}, {backward_f32, backward_f64}};
