/* Max and average pooling over up to three axes; float32 and float64. */
#ifndef MS_POOLING_H
#define MS_POOLING_H

#include "ms_rt.h"

/* Along each axis (depth, height, width) a window is a table row: where it starts inside the input, how many elements
   it has there, and what it counts for in an average.  Strides, padding, ceiling and adaptive sizes are all just tables. */
typedef struct ms_pool {
    ptrdiff_t planes, in[3], out[3], step[3]; /* step: dilation */
    const ptrdiff_t *start[3], *count[3], *weight[3];
    double divisor; /* of every average; 0 = the product of the weights */
} ms_pool;

#define MS_POOL(T, NAME)                                                                                              \
    /* wide: the indices are int64, else int32; index may be NULL */                                                 \
    void ms_pool_max_##NAME(const ms_pool *p, const T *x, T *y, void *index, int wide);                              \
    void ms_pool_max_grad_##NAME(const ms_pool *p, const T *dy, const void *index, int wide, T *dx);                 \
    void ms_pool_avg_##NAME(const ms_pool *p, const T *x, T *y);                                                     \
    void ms_pool_avg_grad_##NAME(const ms_pool *p, const T *dy, T *dx);

MS_POOL(float, f32)
MS_POOL(double, f64)

#endif
