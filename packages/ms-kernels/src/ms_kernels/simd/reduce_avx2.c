#include "reduce_kernels.h"
