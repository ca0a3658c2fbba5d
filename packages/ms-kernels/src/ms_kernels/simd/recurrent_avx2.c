#define ISA(name) name##_avx2
#include "recurrent_isa.h"
