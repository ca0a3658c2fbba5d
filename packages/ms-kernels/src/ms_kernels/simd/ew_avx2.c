#define EW_SUFFIX(name) name##_avx2
#include "ew_f32.h"
