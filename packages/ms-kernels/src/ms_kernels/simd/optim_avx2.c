#define OPT_SUFFIX(name) name##_avx2
#include "optim_loops.h"
