/* Makes the loops of ew_table.h for one type: T, K(name), TABLE, and GUARD1/GUARD2 with SLOW for the guarded ones. */

#define LOOP1(name, R) \
    static void K(loop_##name)(const void *x_, void *out_, ptrdiff_t n) { \
        const T *x = (const T *)x_; \
        R *out = (R *)out_; \
        MS_IVDEP \
        for (ptrdiff_t i = 0; i < n; ++i) out[i] = K(name)(x[i]); \
    }
#define LOOP2(name, R) \
    static void K(loop_##name)(const void *x_, const void *y_, void *out_, ptrdiff_t n) { \
        const T *x = (const T *)x_, *y = (const T *)y_; \
        R *out = (R *)out_; \
        MS_IVDEP \
        for (ptrdiff_t i = 0; i < n; ++i) out[i] = K(name)(x[i], y[i]); \
    }
#define LOOP3(name, R) \
    static void K(loop_##name)(const void *x_, const void *y_, const void *z_, void *out_, ptrdiff_t n) { \
        const T *x = (const T *)x_, *y = (const T *)y_, *z = (const T *)z_; \
        R *out = (R *)out_; \
        MS_IVDEP \
        for (ptrdiff_t i = 0; i < n; ++i) out[i] = K(name)(x[i], y[i], z[i]); \
    }

#define FLOAT1(name, cost) LOOP1(name, T)
#define FLOAT2(name, cost) LOOP2(name, T)
#define FLOAT3(name, cost) LOOP3(name, T)
#define BOOL1(name, cost) LOOP1(name, uint8_t)
#define BOOL2(name, cost) LOOP2(name, uint8_t)
#define NAME(name, cost) K(loop_##name),

EW_UNARY(FLOAT1)
EW_UNARY_SCALAR(FLOAT1)
EW_TEST(BOOL1)
EW_BINARY(FLOAT2)
EW_COMPARE(BOOL2)
EW_TERNARY(FLOAT3)
EW_UNARY_GUARDED(GUARDED1)
EW_BINARY_GUARDED(GUARDED2)

const ew_loops TABLE = {
    {EW_UNARY(NAME) EW_UNARY_GUARDED(NAME) EW_UNARY_SCALAR(NAME) EW_TEST(NAME)},
    {EW_BINARY(NAME) EW_BINARY_GUARDED(NAME) EW_COMPARE(NAME)},
    {EW_TERNARY(NAME)},
};
