#define ISA(name) name##_base
#include "gemm_isa.h"
