/* The table of reduction kernels for the instruction set that the including file is compiled for. */
#include "reduce_combine.h"
#include "reduce_table.h"
#include "softmax_math.h"

#define RD_TEMPLATE "reduce_loops.h"
#include "reduce_types.h"

static void rd_load(int dt, const char *p, ptrdiff_t step, ptrdiff_t n, float *out) { ms_load_f32(dt, p, step, n, out); }
static void rd_store(int dt, const float *x, ptrdiff_t n, uint16_t *out) { ms_store_16(dt, x, n, out); }

const rd_table MS_ISA(rd_table) = {
    block_f, block_d, row_f, row_d, scan_f, scan_d, scanrow_f, scanrow_d, rows_f, rows_d, rd_load, rd_store,
};
