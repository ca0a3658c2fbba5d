#define OPT_SUFFIX(name) name##_base
#include "optim_loops.h"
