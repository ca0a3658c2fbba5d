/* Register-tile kernels, row primitives, an own GEMM and the 16-bit conversions, one table per instruction set. */
#ifndef MS_GEMM_H
#define MS_GEMM_H

#include <stddef.h>
#include <stdint.h>

#include "ms_rt.h"

#define MS_MR 6         /* rows of a register tile */
#define MS_LINE 64      /* a tile row is one cache line: 16 floats or 8 doubles */

/* ker[r]: c[i*ldc + j] (+)= sum over l < k of a[l*MS_MR + i] * b[off[l] + j], for i < r and j < MS_LINE / sizeof(T).
   The table `off` makes packed panels, shifted images and lists of pixels the same thing to the kernel. */
#define MS_KERN(T, NAME)                                                                                             \
    typedef void (*ms_ker_##NAME)(ptrdiff_t k, const T *a, const T *b, const ptrdiff_t *off, T *c, ptrdiff_t ldc,   \
                                  int acc);                                                                          \
    typedef struct ms_kern_##NAME {                                                                                  \
        ms_ker_##NAME ker[MS_MR + 1];                                                                                \
        /* C = A B with any element strides of A and B; 0, or -1 when out of memory */                               \
        int (*gemm)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const T *a, ptrdiff_t ars, ptrdiff_t acs, const T *b,     \
                    ptrdiff_t brs, ptrdiff_t bcs, T *c, ptrdiff_t ldc);                                              \
        /* one row of any length n, a multiple of the tile's: c[j] = sum of a[l*MS_MR] * b[off[l] + j] */            \
        void (*line)(ptrdiff_t k, const T *a, const T *b, const ptrdiff_t *off, T *c, ptrdiff_t n);                  \
        T (*dot)(ptrdiff_t n, const T *x, const T *y);                                                               \
    } ms_kern_##NAME;

MS_KERN(float, f32)
MS_KERN(double, f64)

/* 16-bit memory to float and back; kind 0 = float16, 1 = bfloat16; round to nearest even */
typedef struct ms_half_kern {
    void (*widen)(int kind, const uint16_t *src, float *dst, ptrdiff_t n);
    void (*narrow)(int kind, const float *src, uint16_t *dst, ptrdiff_t n);
} ms_half_kern;

extern const ms_kern_f32 ms_kern_f32_base, ms_kern_f32_avx2;
extern const ms_kern_f64 ms_kern_f64_base, ms_kern_f64_avx2;
extern const ms_half_kern ms_half_base, ms_half_avx2;

#if defined(__x86_64__) || defined(_M_X64)
#define MS_PICK(NAME) (ms_rt_table->isa >= 1 ? &NAME##_avx2 : &NAME##_base)
#else
#define MS_PICK(NAME) (&NAME##_base)
#endif

/* ---- products of many matrices ---- */
enum { MS_F32 = 0, MS_F64 = 1, MS_C64 = 2, MS_C128 = 3 };
#define MS_MAX_BATCH_DIMS 64

typedef struct ms_gemm_job {
    int kind;            /* MS_F32 ... */
    ptrdiff_t m, n, k;
    const char *a, *b;   /* matrix i of the batch starts at a + its offset in bytes */
    char *c;             /* row-major, the matrices one after the other */
    ptrdiff_t lda, ldb;  /* elements */
    int ta, tb;          /* memory holds the transpose */
    int ndim;            /* batch dimensions */
    ptrdiff_t shape[MS_MAX_BATCH_DIMS], as[MS_MAX_BATCH_DIMS], bs[MS_MAX_BATCH_DIMS]; /* strides in bytes, 0 = broadcast */
} ms_gemm_job;

/* addresses of cblas_{s,d,c,z}gemm and cblas_{s,d}gemv with 32-bit integers; NULL = use the own kernel */
void ms_gemm_set_blas(void *const fns[6]);
int ms_gemm_run(const ms_gemm_job *job); /* 0, or -1 when out of memory */

void ms_widen(int kind, const uint16_t *src, float *dst, ptrdiff_t n);
void ms_narrow(int kind, const float *src, uint16_t *dst, ptrdiff_t n);

#endif
