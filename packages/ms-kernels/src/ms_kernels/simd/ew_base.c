#define EW_SUFFIX(name) name##_base
#include "ew_f32.h"
