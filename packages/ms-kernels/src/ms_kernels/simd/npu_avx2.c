#include <immintrin.h>

#define K(name) name##_avx2
#define TABLE npu_avx2
#include "npu_loops.h"
