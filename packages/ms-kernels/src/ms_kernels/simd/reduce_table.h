/* What the reduction driver calls: kernels over short contiguous blocks, one table per instruction set. */
#ifndef MS_REDUCE_TABLE_H
#define MS_REDUCE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define RD_BLOCK 2048 /* items that are converted and reduced at a time */
#define RD_COLS 2048  /* columns that are reduced side by side */

enum { RD_SUM, RD_PROD, RD_MAX, RD_MIN, RD_SUMSQ, RD_LSE, RD_VAR, RD_ARGMAX, RD_ARGMIN };

/* a: sum, product, extremum or mean; b: sum of exp(x - a) or of squared deviations; i: place or count */
typedef struct { double a, b; ptrdiff_t i; } rd_state;

/* the same for RD_COLS columns; acc is float or double, as the items are */
typedef struct {
    union { float m_f[RD_COLS]; double m_d[RD_COLS]; } acc;
    double a[RD_COLS], b[RD_COLS];
    ptrdiff_t i[RD_COLS];
} rd_cols;

/* steps over columns: first the ops that need one pass, then the second passes of RD_LSE and RD_VAR */
enum { RC_SUM, RC_PROD, RC_MAX, RC_MIN, RC_SUMSQ, RC_ARGMAX, RC_ARGMIN, RC_EXP, RC_DEV };
enum { SC_SUM, SC_PROD, SC_MAX, SC_MIN };

typedef struct {
    void (*block_f32)(int op, const float *x, ptrdiff_t n, ptrdiff_t at, rd_state *s);
    void (*block_f64)(int op, const double *x, ptrdiff_t n, ptrdiff_t at, rd_state *s);
    void (*row_f32)(int step, const float *x, ptrdiff_t n, ptrdiff_t at, rd_cols *s);
    void (*row_f64)(int step, const double *x, ptrdiff_t n, ptrdiff_t at, rd_cols *s);
    /* running results of n items, one chain (width 1) or `width` side by side; idx may be NULL */
    void (*scan_f32)(int op, const float *x, float *y, int64_t *idx, ptrdiff_t n, ptrdiff_t at, rd_cols *s);
    void (*scan_f64)(int op, const double *x, double *y, int64_t *idx, ptrdiff_t n, ptrdiff_t at, rd_cols *s);
    void (*scanrow_f32)(int op, const float *x, float *y, int64_t *idx, ptrdiff_t n, ptrdiff_t at, rd_cols *s);
    void (*scanrow_f64)(int op, const double *x, double *y, int64_t *idx, ptrdiff_t n, ptrdiff_t at, rd_cols *s);
    /* sum, product, extremum or sum of squares of `count` dense rows of n items, `step` items apart */
    void (*rows_f32)(int op, const float *x, ptrdiff_t step, ptrdiff_t n, ptrdiff_t count, double *out);
    void (*rows_f64)(int op, const double *x, ptrdiff_t step, ptrdiff_t n, ptrdiff_t count, double *out);
    void (*load)(int dt, const char *p, ptrdiff_t step, ptrdiff_t n, float *out);
    void (*store)(int dt, const float *x, ptrdiff_t n, uint16_t *out);
} rd_table;

extern const rd_table rd_table_base;
#if defined(__x86_64__) || defined(_M_X64)
extern const rd_table rd_table_avx2;
#define RD_PICK(isa) ((isa) >= 1 ? &rd_table_avx2 : &rd_table_base)
#else
#define RD_PICK(isa) (&rd_table_base)
#endif

/* reduce_driver.c; axes is a bit mask. Return 0, or -1 when out of memory. */
int rd_reduce(int op, int dt, int out_dt, const char *x, int nd, const ptrdiff_t *dim, const ptrdiff_t *stride, uint64_t axes,
              int finish, double par, void *out);
int rd_scan(int op, int dt, const char *x, void *out, int64_t *idx, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b);

/* how a state becomes the result: as it is, square root, log-sum-exp, variance (par = correction), divided by par */
enum { RF_PLAIN, RF_SQRT, RF_LSE, RF_VAR, RF_DIV };

#endif
