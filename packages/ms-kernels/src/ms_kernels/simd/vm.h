/* Fused blocks: a list of elementwise instructions, run from first to last on one short range after another, so that what
   lies between two of them never leaves the first-level cache.  An instruction is one of the loops of ew_table.h, so
   the results are those of the separate passes, bit for bit. */
#ifndef MS_VM_H
#define MS_VM_H

#include "ew_host.h"
#include "reduce_table.h"

enum { VM_INPUTS = 24, VM_OUTPUTS = 12, VM_SINKS = 2, VM_SLOTS = 64 };
enum vm_round { VM_KEEP, VM_F16, VM_BF16 };

/* Slots: the inputs, the constants, then the registers. */
typedef struct vm_step {
    ew_kernel kernel;
    short in[3], out;
    short round; /* to which 16-bit type the result is rounded; it is held in float32 all the same */
} vm_step;

/* A value that is reduced over the last dimensions: one result for each row. */
typedef struct vm_sink {
    short slot, op, finish, type; /* RD_ and RF_ of reduce_table.h; MS_ type of the result */
} vm_sink;

typedef struct vm_block {
    const ew_host *host;
    int wide; /* bytes of a number in a register: 4, or 8 for float64 */
    int inputs, constants, registers, outputs, count;
    int cost;                     /* of all steps, for one element */
    unsigned char input_item[VM_INPUTS], input_half[VM_INPUTS]; /* half: a vm_round */
    unsigned char output_item[VM_OUTPUTS], output_half[VM_OUTPUTS];
    short output_slot[VM_OUTPUTS]; /* which register; no two are the same */
    int sinks;
    vm_sink sink[VM_SINKS];
    const double *constant;       /* already rounded to the type of their use */
    vm_step *steps;
} vm_block;

typedef struct vm_run {
    const vm_block *block;
    ew_view in[VM_INPUTS]; /* stretched to the shape of the results */
    char *out[VM_OUTPUTS]; /* packed, all of one shape */
    ptrdiff_t length;      /* of a range */
    int stream, stride;
    /* for sinks: */
    const rd_table *table;
    void *sink_out[VM_SINKS];
    ptrdiff_t rows, row;      /* how many, and of how many elements */
    ptrdiff_t chunk, chunks;  /* a long row is cut */
    rd_state *parts;
} vm_run;

/* Whether rows of that length are reduced piece by piece, as the reductions alone would do it. */
int vm_reducible(const vm_block *b, ptrdiff_t rows, ptrdiff_t row);
/* n results; 0, or -1 when out of memory */
int vm_execute(vm_run *run, ptrdiff_t n);

#endif
