/* The table of softmax and normalisation kernels for the instruction set that the including file is compiled for. */
#include "norm_table.h"
#include "reduce_combine.h"
#include "softmax_math.h"

#define RD_TEMPLATE "norm_loops.h"
#include "reduce_types.h"

static void nm_load(int dt, const void *p, ptrdiff_t n, void *out) {
    if (dt == MS_F16 || dt == MS_BF16) ms_load_f32(dt, (const char *)p, 2, n, (float *)out);
    else memcpy(out, p, (size_t)(n * ms_dt_size(dt)));
}

static void nm_store(int dt, const void *x, ptrdiff_t n, void *out) {
    if (dt == MS_F16 || dt == MS_BF16) ms_store_16(dt, (const float *)x, n, (uint16_t *)out);
    else memcpy(out, x, (size_t)(n * ms_dt_size(dt)));
}

#define NM_TABLE(r) \
    {softmax_##r, softmax_grad_##r, softmax_tile_##r, softmax_grad_tile_##r, stats_##r, sumsq_v_##r, affine_##r, scale_##r, dots_##r, \
     affine2_##r, norm_dx_##r, flush_##r, dot_##r, lse_##r, shift_##r, exp_axpy_##r, nm_load, nm_store}
const nm_kernels MS_ISA(nm_kernels)[2] = {NM_TABLE(f), NM_TABLE(d)};
