/* The elementwise operations: name and rough cost in 0.1 ns per float32 element (AVX2), which sets how much work is
   worth a thread.  _LIBM lists hold what has a float64 form out of the C library only and a slow path in float32. */
#ifndef MS_EW_TABLE_H
#define MS_EW_TABLE_H

#include "ms_rt.h"

#define EW_UNARY(X) \
    X(neg, 2) X(abs, 2) X(square, 2) X(sqrt, 4) X(rsqrt, 6) X(reciprocal, 4) X(sign, 2) X(floor, 2) X(ceil, 2) \
    X(trunc, 2) X(round, 2) X(exp, 6) X(exp2, 6) X(expm1, 7) X(log, 8) X(log1p, 9) X(log2, 8) X(log10, 25) \
    X(asin, 20) X(acos, 20) X(atan, 20) X(sinh, 20) X(cosh, 20) X(tanh, 8) X(asinh, 25) X(acosh, 25) X(atanh, 25) \
    X(erf, 15) X(erfc, 25) X(sigmoid, 8) X(logsigmoid, 14) X(softplus, 14) X(relu, 2) X(relu6, 2) X(silu, 8) \
    X(hsigmoid, 3) X(hswish, 3) X(elu, 8) X(selu, 8) X(mish, 9) X(gelu_erf, 14) X(gelu_tanh, 9)
#define EW_UNARY_GUARDED(X) X(sin, 15) X(cos, 15) X(tan, 20)
#define EW_UNARY_SCALAR(X) X(erfinv, 800)
#define EW_TEST(X) X(isnan, 2) X(isinf, 2) X(isfinite, 2)

#define EW_BINARY(X) \
    X(add, 3) X(sub, 3) X(mul, 3) X(div, 4) X(maximum, 3) X(minimum, 3) X(pow, 40) X(atan2, 25) X(hypot, 10) \
    X(relu_grad, 3) X(relu6_grad, 3) X(hsigmoid_grad, 4) X(hswish_grad, 4) X(sigmoid_grad, 3) X(tanh_grad, 3) \
    X(softplus_grad, 8) X(logsigmoid_grad, 8) X(elu_grad, 8) X(selu_grad, 8) X(silu_grad, 9) X(mish_grad, 12) \
    X(gelu_erf_grad, 16) X(gelu_tanh_grad, 11)
#define EW_BINARY_GUARDED(X) X(fmod, 20) X(floor_div, 30) X(remainder, 25)
#define EW_COMPARE(X) X(eq, 2) X(ne, 2) X(lt, 2) X(le, 2) X(gt, 2) X(ge, 2)

#define EW_TERNARY(X) X(clamp, 4) X(addcmul, 4) X(addcdiv, 5) X(lerp, 4)

#define EW_ENUM(name, cost) EW_##name,
enum {
    EW_UNARY(EW_ENUM) EW_UNARY_GUARDED(EW_ENUM) EW_UNARY_SCALAR(EW_ENUM) EW_FIRST_TEST,
    EW_BEFORE_TEST = EW_FIRST_TEST - 1,
    EW_TEST(EW_ENUM) EW_UNARY_COUNT
};
enum {
    EW_BINARY(EW_ENUM) EW_BINARY_GUARDED(EW_ENUM) EW_FIRST_COMPARE,
    EW_BEFORE_COMPARE = EW_FIRST_COMPARE - 1,
    EW_COMPARE(EW_ENUM) EW_BINARY_COUNT
};
enum { EW_TERNARY(EW_ENUM) EW_TERNARY_COUNT };

typedef void (*ew_unary)(const void *x, void *out, ptrdiff_t n);
typedef void (*ew_binary)(const void *x, const void *y, void *out, ptrdiff_t n);
typedef void (*ew_ternary)(const void *x, const void *y, const void *z, void *out, ptrdiff_t n);

/* Loops over packed elements; n is any length.  Results may be written over an operand. */
typedef struct ew_loops {
    ew_unary unary[EW_UNARY_COUNT];
    ew_binary binary[EW_BINARY_COUNT];
    ew_ternary ternary[EW_TERNARY_COUNT];
} ew_loops;

typedef struct ew_half {
    ew_unary f16_to_f32, f32_to_f16, bf16_to_f32, f32_to_bf16;
    ew_unary round_f16, round_bf16; /* float32 to float32 */
} ew_half;

/* out = cond ? x : y, for items of so many bytes */
typedef struct ew_selects {
    ew_ternary by_1, by_2, by_4, by_8;
} ew_selects;

extern const ew_selects ew_selects_base, ew_selects_avx2;
extern const ew_loops ew_f32_base, ew_f32_avx2, ew_f64_base;
extern const ew_half ew_half_base, ew_half_avx2;

#endif
