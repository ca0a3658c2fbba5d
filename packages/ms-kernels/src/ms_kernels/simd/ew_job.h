/* One elementwise pass: what runs over the blocks, and on which operands. */
#ifndef MS_EW_JOB_H
#define MS_EW_JOB_H

#include "ew.h"
#include "ew_table.h"

enum { EW_BLOCK = 1024 };

typedef struct ew_job {
    int arity, cost, out_item;
    ew_unary unary;
    ew_binary binary;
    ew_ternary ternary;
    ew_unary widen, narrow; /* around the loop, for 16-bit operands; may be NULL */
    const ew_view *in[3];
    char *out;
    int stream, whole; /* whole: one call may cover any range */
} ew_job;

void ew_run_job(ew_job *j, ptrdiff_t n); /* sets stream and whole itself */
const ew_half *ew_half_loops(void);

#endif
