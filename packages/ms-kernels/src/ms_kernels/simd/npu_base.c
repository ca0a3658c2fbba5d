#define K(name) name##_base
#define TABLE npu_base
#include "npu_loops.h"
