/* The float64 loops: arithmetic is bound by memory even without AVX, the rest is the C library's. */
#include "ew_table.h"
#include "libmath.h"
#include "vecmath.h"

#define T double
#define K(name) name##_f64
#define C(x) (x)
#define SQRT sqrt
#define FLOOR floor
#define CEIL ceil
#define TRUNC trunc
#define ABS fabs
#define COPYSIGN copysign
#define INF ((double)INFINITY)
#define ROUND_BIG 4503599627370496.0
#define LOG1P01 log1p
#include "ew_formulas.h"

#define GUARDED1(name, cost) LOOP1(name, T)
#define GUARDED2(name, cost) LOOP2(name, T)
#define TABLE ew_f64_base
#include "ew_loops.h"
