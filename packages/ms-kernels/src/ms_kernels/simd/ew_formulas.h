/* Formulas that read the same in float32 and float64.  The file that includes this sets
   T (the type), K(name) (a function of that type), C(x) (a constant of that type), SQRT, FLOOR, CEIL, TRUNC, ABS, INF. */

#define UN(name) MS_INLINE T K(name)(T x)
#define BI(name) MS_INLINE T K(name)(T x, T y)
#define GRAD(name) MS_INLINE T K(name)(T g, T x)
#define TEST(name) MS_INLINE uint8_t K(name)(T x)
#define CMP(name) MS_INLINE uint8_t K(name)(T x, T y)
#define TRI(name) MS_INLINE T K(name)(T x, T y, T z)

UN(neg) { return -x; }
UN(abs) { return ABS(x); }
UN(square) { return x * x; }
UN(sqrt) { return SQRT(x); }
UN(rsqrt) { return C(1.0) / SQRT(x); }
UN(reciprocal) { return C(1.0) / x; }
UN(sign) { return x > C(0.0) ? C(1.0) : x < C(0.0) ? C(-1.0) : C(0.0); }
UN(floor) { return FLOOR(x); }
UN(ceil) { return CEIL(x); }
UN(trunc) { return TRUNC(x); }
UN(round) { /* half to even: beyond ROUND_BIG every value is whole */
    T a = ABS(x), r = (a + ROUND_BIG) - ROUND_BIG;
    r = a < ROUND_BIG ? r : a;
    return COPYSIGN(r, x);
}

TEST(isnan) { return x != x; }
TEST(isinf) { return ABS(x) == INF; }
TEST(isfinite) { return ABS(x) < INF; }

UN(sigmoid) {
    T e = K(exp)(-ABS(x));
    return (x < C(0.0) ? e : C(1.0)) / (C(1.0) + e);
}
UN(logsigmoid) { return -((x < C(0.0) ? -x : C(0.0)) + LOG1P01(K(exp)(-ABS(x)))); }
UN(softplus) { return (x > C(0.0) ? x : C(0.0)) + LOG1P01(K(exp)(-ABS(x))); }
UN(relu) { return x <= C(0.0) ? C(0.0) : x; }
UN(relu6) {
    T r = x <= C(0.0) ? C(0.0) : x;
    return r > C(6.0) ? C(6.0) : r;
}
UN(silu) { return x * K(sigmoid)(x); }
UN(hsigmoid) { return K(relu6)(x + C(3.0)) / C(6.0); }
UN(hswish) { return x * (K(relu6)(x + C(3.0)) / C(6.0)); }
UN(elu) { return x > C(0.0) ? x : K(expm1)(x); }
UN(selu) { return C(1.0507009873554804934) * (x > C(0.0) ? x : C(1.6732632423543772848) * K(expm1)(x)); }
UN(mish) { /* tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2) */
    T e = K(exp)(x > C(20.0) ? C(20.0) : x), n = e * (e + C(2.0));
    return x * (n / (n + C(2.0)));
}
UN(gelu_erf) {
    T e, t = K(gauss_tail)(ABS(x), &e);
    return x * (x < C(0.0) ? t : C(1.0) - t);
}
/* (1 + tanh u) / 2 = sigmoid(2u), u = sqrt(2 / pi) (x + 0.044715 x^3) */
MS_INLINE T K(gelu_argument)(T x) { return x * (C(1.5957691216057308) + C(0.044715 * 1.5957691216057308) * (x * x)); }
UN(gelu_tanh) { return x * K(sigmoid)(K(gelu_argument)(x)); }

BI(add) { return x + y; }
BI(sub) { return x - y; }
BI(mul) { return x * y; }
BI(div) { return x / y; }
BI(maximum) { return ((x > y) | (x != x)) ? x : y; }
BI(minimum) { return ((x < y) | (x != x)) ? x : y; }
BI(remainder) {
    T r = K(fmod)(x, y);
    T moved = (r < C(0.0)) != (y < C(0.0)) ? r + y : r;
    return r == C(0.0) ? COPYSIGN(r, y) : moved;
}
BI(floor_div) {
    T r = K(fmod)(x, y), moved = (r != C(0.0)) & ((r < C(0.0)) != (y < C(0.0)));
    T q = (x - r) / y - moved, f = FLOOR(q);
    f = q - f > C(0.5) ? f + C(1.0) : f;
    f = q == C(0.0) ? COPYSIGN(C(0.0), x / y) : f;
    return y == C(0.0) ? x / y : f;
}

CMP(eq) { return x == y; }
CMP(ne) { return x != y; }
CMP(lt) { return x < y; }
CMP(le) { return x <= y; }
CMP(gt) { return x > y; }
CMP(ge) { return x >= y; }

GRAD(relu_grad) { return x > C(0.0) ? g : C(0.0); }
GRAD(relu6_grad) { return ((x > C(0.0)) & (x < C(6.0))) ? g : C(0.0); }
GRAD(hsigmoid_grad) { return ((x > C(-3.0)) & (x < C(3.0))) ? g / C(6.0) : C(0.0); }
GRAD(hswish_grad) {
    T slope = x < C(3.0) ? x / C(3.0) + C(0.5) : C(1.0);
    return x > C(-3.0) ? g * slope : C(0.0);
}
GRAD(sigmoid_grad) { return g * (x * (C(1.0) - x)); }
GRAD(tanh_grad) { return g * (C(1.0) - x * x); }
GRAD(softplus_grad) { return g * K(sigmoid)(x); }
GRAD(logsigmoid_grad) { return g * K(sigmoid)(-x); }
GRAD(elu_grad) { return x > C(0.0) ? g : g * K(exp)(x); }
GRAD(selu_grad) {
    return g * (C(1.0507009873554804934) * (x > C(0.0) ? C(1.0) : C(1.6732632423543772848) * K(exp)(x)));
}
/* Beyond |x| = 110 the slopes below are 0 and 1 exactly; the bound keeps infinity times zero out. */
MS_INLINE T K(bounded)(T x) { return x > C(110.0) ? C(110.0) : x < C(-110.0) ? C(-110.0) : x; }
MS_INLINE T K(sigmoid_slope)(T x, T *s) { /* without the cancellation of s (1 - s) */
    T e = K(exp)(-ABS(x)), d = C(1.0) + e;
    *s = (x < C(0.0) ? e : C(1.0)) / d;
    return e / (d * d);
}
GRAD(silu_grad) {
    T s, v = K(bounded)(x), slope = K(sigmoid_slope)(v, &s);
    return g * (s + v * slope);
}
GRAD(mish_grad) {
    T v = x > C(20.0) ? C(20.0) : x < C(-110.0) ? C(-110.0) : x;
    T e = K(exp)(v), n = e * (e + C(2.0)), d = n + C(2.0);
    return g * (n / d + v * (C(4.0) * e * (C(1.0) + e) / (d * d)));
}
GRAD(gelu_erf_grad) {
    T v = K(bounded)(x), e, t = K(gauss_tail)(ABS(v), &e);
    return g * ((v < C(0.0) ? t : C(1.0) - t) + v * (C(0.39894228040143268) * e));
}
GRAD(gelu_tanh_grad) {
    T s, v = K(bounded)(x), slope = K(sigmoid_slope)(K(gelu_argument)(v), &s);
    return g * (s + v * slope * (C(1.5957691216057308) + C(3.0 * 0.044715 * 1.5957691216057308) * (v * v)));
}

TRI(clamp) {
    T r = x < y ? y : x;
    return r > z ? z : r;
}
TRI(addcmul) { return x + y * z; }
TRI(addcdiv) { return x + y / z; }
TRI(lerp) { return x + z * (y - x); }

#undef UN
#undef BI
#undef GRAD
#undef TEST
#undef CMP
#undef TRI
