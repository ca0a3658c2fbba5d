#define ISA(name) name##_base
#include "recurrent_isa.h"
