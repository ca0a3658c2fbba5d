#include "norm_kernels.h"
