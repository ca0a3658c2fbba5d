/* Pooling for both types. */
#include "pooling.h"

#include <math.h>

#define T float
#define F(name) name##_f32
#include "pooling_loops.h"
#undef T
#undef F

#define T double
#define F(name) name##_f64
#include "pooling_loops.h"
