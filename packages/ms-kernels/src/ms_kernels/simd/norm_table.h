/* What the softmax, normalisation and cross-entropy driver calls: kernels over contiguous items, one table per
   instruction set, entry 0 for float and 1 for double. Where it says `void *` the items are of that type. */
#ifndef MS_NORM_TABLE_H
#define MS_NORM_TABLE_H

#include "reduce_table.h"

typedef struct {
    /* tmp: n items, may be y. stream: y is 32-byte aligned and too large for the cache */
    void (*softmax)(const void *x, void *tmp, void *y, ptrdiff_t n, int log, int stream);
    void (*softmax_grad)(const void *g, const void *y, void *dx, ptrdiff_t n, int log);
    /* along the columns of r rows of w <= NM_TILE items, in place */
    void (*softmax_tile)(void *x, ptrdiff_t r, ptrdiff_t w, int log);
    void (*softmax_grad_tile)(void *g, const void *y, ptrdiff_t r, ptrdiff_t w, int log);
    void (*stats)(const void *x, ptrdiff_t n, rd_state *s); /* joins mean (a), squared deviations (b), count (i) */
    double (*sumsq)(const void *x, ptrdiff_t n);
    /* y = (x - c) * a + b */
    void (*affine)(const void *x, void *y, ptrdiff_t n, double c, double a, double b, int stream);
    /* y = (x - mean) * rstd * gamma + beta; gamma and beta may be NULL */
    void (*scale)(const void *x, void *y, ptrdiff_t n, double mean, double rstd, const void *gamma, const void *beta, int stream);
    /* s[0] += sum of dy * gamma, s[1] += sum of dy * gamma * (x - c); gamma may be NULL */
    void (*dots)(const void *dy, const void *x, const void *gamma, ptrdiff_t n, double c, double *s);
    /* dx = dy * a + (x - c) * b + d */
    void (*affine2)(const void *dy, const void *x, void *dx, ptrdiff_t n, double a, double c, double b, double d);
    /* dx = rstd * (dy * gamma - c0 - xhat * c1); dg += dy * xhat; db += dy, with xhat = (x - mean) * rstd */
    void (*norm_dx)(const void *dy, const void *x, const void *gamma, void *dx, ptrdiff_t n, double mean, double rstd, double c0,
                    double c1, void *dg, void *db);
    void (*flush)(void *acc, double *total, ptrdiff_t n); /* total += acc; acc = 0 */
    double (*dot)(const void *w, const void *x, ptrdiff_t n); /* w may be NULL: all ones */
    void (*lse)(const void *x, ptrdiff_t n, double *top, double *logsum); /* log-sum-exp in two parts */
    void (*shift)(const void *x, void *y, ptrdiff_t n, double a, double b); /* y = (x - a) - b */
    /* out = a * exp(logp) - b * w; w may be NULL: all ones */
    void (*exp_axpy)(const void *logp, const void *w, void *out, ptrdiff_t n, double a, double b);
    void (*load)(int dt, const void *p, ptrdiff_t n, void *out);
    void (*store)(int dt, const void *x, ptrdiff_t n, void *out);
} nm_kernels;

#define NM_TILE 64

extern const nm_kernels nm_kernels_base[2];
#if defined(__x86_64__) || defined(_M_X64)
extern const nm_kernels nm_kernels_avx2[2];
#define NM_PICK(isa, wide) ((isa) >= 1 ? nm_kernels_avx2 + (wide) : nm_kernels_base + (wide))
#else
#define NM_PICK(isa, wide) (nm_kernels_base + (wide))
#endif

/* norm_driver.c. Arrays are dense; (a, r, b) are the sizes before, along and after the axis. -1: out of memory. */
int nm_softmax(int dt, int log, const void *x, void *y, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b);
int nm_softmax_grad(int dt, int log, const void *g, const void *y, void *dx, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b);

/* rows of n items; mean is NULL for the root mean square; gamma, beta, mean, rstd are float, double where x is */
void nm_layer(int dt, const void *x, const void *gamma, const void *beta, double eps, void *y, void *mean, void *rstd,
              ptrdiff_t rows, ptrdiff_t n);
int nm_layer_grad(int dt, const void *dy, const void *x, const void *mean, const void *rstd, const void *gamma, void *dx,
                  void *dgamma, void *dbeta, ptrdiff_t rows, ptrdiff_t n);

/* x is (n, c, l). Statistics over n and l for every channel, or (var != NULL) given */
void nm_batch(int dt, const void *x, const void *gamma, const void *beta, double eps, void *y, void *mean, void *var, void *rstd,
              ptrdiff_t n, ptrdiff_t c, ptrdiff_t l);
void nm_batch_infer(int dt, const void *x, const void *gamma, const void *beta, const void *mean, const void *rstd, void *y,
                    ptrdiff_t n, ptrdiff_t c, ptrdiff_t l);
void nm_batch_grad(int dt, const void *dy, const void *x, const void *mean, const void *rstd, const void *gamma, void *dx,
                   void *dgamma, void *dbeta, ptrdiff_t n, ptrdiff_t c, ptrdiff_t l);

/* x is (n, groups * c, l); mean and rstd are (n, groups) */
void nm_group(int dt, const void *x, const void *gamma, const void *beta, double eps, void *y, void *mean, void *rstd,
              ptrdiff_t n, ptrdiff_t groups, ptrdiff_t c, ptrdiff_t l);
int nm_group_grad(int dt, const void *dy, const void *x, const void *mean, const void *rstd, const void *gamma, void *dx,
                  void *dgamma, void *dbeta, ptrdiff_t n, ptrdiff_t groups, ptrdiff_t c, ptrdiff_t l);

/* logits (n, c); labels outside [0, c) count as ignored */
int nm_cross_entropy(int dt, const void *x, const int64_t *labels, const void *weight, int64_t ignore, double smooth, void *loss,
                     void *logp, ptrdiff_t n, ptrdiff_t c);
int nm_cross_entropy_grad(int dt, const void *g, const void *logp, const int64_t *labels, const void *weight, int64_t ignore,
                          double smooth, void *dx, ptrdiff_t n, ptrdiff_t c);

#endif
