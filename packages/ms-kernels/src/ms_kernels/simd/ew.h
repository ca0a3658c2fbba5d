/* Elementwise operations on arrays with any strides; results are packed in C order. */
#ifndef MS_EW_H
#define MS_EW_H

#include "ms_rt.h"

enum { EW_DIMS = 64 };
enum ew_type { EW_F32, EW_F64, EW_F16, EW_BF16, EW_U8, EW_I32, EW_I64, EW_TYPE_COUNT, EW_NO_TYPE = -1 };

/* An operand stretched to the result's shape.  Dimensions of one element are left out, neighbours merged. */
typedef struct ew_view {
    const char *data;
    int item, ndim;
    int packed; /* elements follow each other in C order */
    int fixed;  /* one element, repeated */
    ptrdiff_t shape[EW_DIMS], step[EW_DIMS];
} ew_view;

void ew_view_init(ew_view *v, const void *data, int item, int ndim, const ptrdiff_t *shape, const ptrdiff_t *step);
void ew_view_packed(ew_view *v, const void *data, int item);
void ew_view_fixed(ew_view *v, const void *data, int item);

const char *ew_unary_name(int code); /* NULL after the last */
const char *ew_binary_name(int code);
const char *ew_ternary_name(int code);
int ew_unary_is_test(int code); /* the result is bool */
int ew_binary_is_compare(int code);

/* type is one of the four floating types; n counts results. */
void ew_run_unary(int code, int type, const ew_view *x, void *out, ptrdiff_t n);
void ew_run_binary(int code, int type, const ew_view *x, const ew_view *y, void *out, ptrdiff_t n);
void ew_run_ternary(int code, int type, const ew_view *x, const ew_view *y, const ew_view *z, void *out, ptrdiff_t n);
/* x, y have one item size: 1, 2, 4, 8 or 16 */
void ew_run_where(const ew_view *cond, const ew_view *x, const ew_view *y, void *out, ptrdiff_t n);
/* 0: no loop for this pair of types */
int ew_run_cast(int from, int to, const ew_view *x, void *out, ptrdiff_t n);
void ew_run_copy(const ew_view *x, void *out, ptrdiff_t n);

/* Packed operands: straight into the loop when there is little to do. */
void ew_flat_unary(int code, int type, const void *x, void *out, ptrdiff_t n);
void ew_flat_binary(int code, int type, const void *x, const void *y, void *out, ptrdiff_t n);
/* swapped: the scalar is the first operand; it is rounded to `type` first */
void ew_flat_scalar(int code, int type, const void *x, double y, int swapped, void *out, ptrdiff_t n);

#endif
