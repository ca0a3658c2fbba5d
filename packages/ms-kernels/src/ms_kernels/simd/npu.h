/* Loops of the emulated NPU.  All compute float32 steps; a kernel says whether a step gave an infinity or NaN, since
   only then saturation mode changes anything. */
#ifndef MS_NPU_H
#define MS_NPU_H

#include "ms_rt.h"

enum { NPU_F32, NPU_F16, NPU_BF16 };
/* _HALF: one step in float16, so the float32 result keeps a sticky last bit for the second rounding */
#define NPU_UNARY(X) \
    X(exp) X(expm1) X(log) X(log1p) X(log2) X(log10) X(tanh) X(erf) X(sinh) X(cosh) X(rsqrt) X(sigmoid) X(sigmoid_old) X(sigmoid_half) X(silu) \
    X(softplus) X(logsigmoid) X(mish) X(gelu_tanh) X(gelu_tanh_old) X(gelu_erf) X(exp_half) X(log_half) \
    X(sin) X(cos)
#define NPU_ENUM(name) NPU_##name,
enum { NPU_UNARY(NPU_ENUM) NPU_UNARY_COUNT };

typedef int (*npu_unary)(const float *x, float *out, ptrdiff_t n); /* nonzero: some step was not finite */

typedef struct npu_loops {
    npu_unary unary[NPU_UNARY_COUNT];
    void (*widen)(int type, const void *src, float *dst, ptrdiff_t n);
    void (*narrow)(int type, const float *src, void *dst, ptrdiff_t n);
    int (*saturate)(int type, void *x, ptrdiff_t n); /* nonzero: something was changed */
    void (*hf32)(const float *x, float *out, ptrdiff_t n, int away);
    void (*maximum)(const float *x, const float *y, float *out, ptrdiff_t n, int smaller);
    int (*power)(const float *x, const float *y, float *out, ptrdiff_t n);
    int (*scan)(const float *x, float *out, ptrdiff_t r, ptrdiff_t b);
    int (*scan_lines)(const float *x, float *out, ptrdiff_t lines, ptrdiff_t r);
    float (*tree)(const float *x, ptrdiff_t n, float scale, int repeat, int by_tree, float *spare);
    void (*sums)(const float *x, ptrdiff_t n, float scale, int repeat, float *out);
    float (*join)(float *sums, ptrdiff_t count, int by_tree);
    void (*tree_columns)(int type, const char *x, ptrdiff_t rows, ptrdiff_t step, ptrdiff_t columns, float scale,
                         int repeat, int by_tree, float *out, float *spare);
    int (*softmax)(const float *x, float *out, ptrdiff_t n, int half, int inverse, int repeat, int by_tree,
                   float *spare);
    int (*layer_norm)(const float *x, const float *weight, const float *bias, float *out, ptrdiff_t n, float eps,
                      int repeat, int by_tree, float *mean, float *rstd, float *spare);
    void (*turn)(const char *x, char *out, ptrdiff_t r, ptrdiff_t b, int item);
} npu_loops;

extern const npu_loops npu_base, npu_avx2;

const char *npu_unary_name(int code); /* NULL after the last */
/* Each returns -1 when out of memory, 1 when a step was not finite, else 0. */
int npu_run_unary(int code, int type, const void *x, void *out, ptrdiff_t n);
int npu_run_saturate(int type, void *x, ptrdiff_t n);
int npu_run_hf32(const float *x, float *out, ptrdiff_t n, int away);
enum { NPU_MAXIMUM, NPU_MINIMUM, NPU_POWER };
int npu_run_binary(int code, int type, const void *x, const void *y, void *out, ptrdiff_t n);
/* running sums over r of float32 (a, r, b) */
int npu_run_scan(const float *x, float *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b);
/* x is (a, r, b); sums over r, times scale before */
int npu_run_tree(int type, const void *x, void *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b, float scale, int repeat,
                 int by_tree);
int npu_run_softmax(int type, const void *x, void *out, ptrdiff_t rows, ptrdiff_t n, int inverse, int repeat,
                    int by_tree);
/* x is (a, r, b) of items of 2 or 4 bytes; out is (a, b, r) */
void npu_run_turn(const void *x, void *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b, int item);
int npu_run_layer_norm(int type, const void *x, const float *weight, const float *bias, void *out, float *mean,
                       float *rstd, ptrdiff_t rows, ptrdiff_t n, float eps, int repeat, int by_tree);
#endif
