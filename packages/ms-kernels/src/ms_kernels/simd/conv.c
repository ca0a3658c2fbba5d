/* Convolution for both types; the tile kernels come from gemm_base.c and gemm_avx2.c. */
#include "conv.h"

#include <string.h>

#define MS_STRIPS 16    /* strips of 6 channels that share one pass over the copied image */
#define MS_DEPTH 256    /* channels times taps of one kernel call: both operands stay in the first-level cache */

#define T float
#define F(name) name##_f32
static const ms_kern_f32 *pick_f32(void)
{
    return MS_PICK(ms_kern_f32);
}
#include "conv_core.h"
#include "conv_small.h"
#include "conv_plane.h"
#include "conv_run.h"
#include "conv_grad.h"
#include "conv_depth.h"
#undef T
#undef F

#define T double
#define F(name) name##_f64
static const ms_kern_f64 *pick_f64(void)
{
    return MS_PICK(ms_kern_f64);
}
#include "conv_core.h"
#include "conv_small.h"
#include "conv_plane.h"
#include "conv_run.h"
#include "conv_grad.h"
#include "conv_depth.h"
