#define K(name) name##_base
#define TABLE cube_base
#include "cube_loops.h"
