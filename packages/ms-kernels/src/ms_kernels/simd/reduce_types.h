/* Includes RD_TEMPLATE once for float and once for double; what each defines is described in reduce_rows.h. */
#define T float
#define T_IS_FLOAT 1
#define VT vf
#define VN 8
#define V(name) vf_##name
#define R(name) name##_f
#include RD_TEMPLATE
#undef T
#undef T_IS_FLOAT
#undef VT
#undef VN
#undef V
#undef R
#define T double
#define T_IS_FLOAT 0
#define VT vd
#define VN 4
#define V(name) vd_##name
#define R(name) name##_d
#include RD_TEMPLATE
#undef T
#undef T_IS_FLOAT
#undef VT
#undef VN
#undef V
#undef R
