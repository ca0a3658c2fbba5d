/* 2-d convolution and its two gradients in NCHW; float32 and float64. */
#ifndef MS_CONV_H
#define MS_CONV_H

#include "gemm.h"

typedef struct ms_conv {
    ptrdiff_t n, groups, cg, mg; /* images, groups, channels in and out of one group */
    ptrdiff_t ih, iw, oh, ow;
    ptrdiff_t r, s;              /* kernel height and width */
    ptrdiff_t sh, sw, dh, dw, pt, pl;
} ms_conv;

/* All arrays contiguous; 0, or -1 when out of memory.  bias may be NULL. */
int ms_conv_forward_f32(const ms_conv *p, const float *x, const float *w, const float *bias, float *y);
int ms_conv_forward_f64(const ms_conv *p, const double *x, const double *w, const double *bias, double *y);
int ms_conv_grad_input_f32(const ms_conv *p, const float *dy, const float *w, float *dx);
int ms_conv_grad_input_f64(const ms_conv *p, const double *dy, const double *w, double *dx);
int ms_conv_grad_weight_f32(const ms_conv *p, const float *dy, const float *x, float *dw);
int ms_conv_grad_weight_f64(const ms_conv *p, const double *dy, const double *x, double *dw);

#endif
