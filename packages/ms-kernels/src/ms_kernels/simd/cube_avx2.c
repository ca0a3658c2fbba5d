#include <immintrin.h>

#define CUBE_AVX2
#define K(name) name##_avx2
#define TABLE cube_avx2
#include "cube_loops.h"
