#include <immintrin.h>

#define ISA(name) name##_avx2
#include "gemm_isa.h"
