/* What core/runtime.pyx sees of the pool, the blocks and the processor. */
#ifndef MS_RUNTIME_H
#define MS_RUNTIME_H

#include "ms_rt.h"

/* pool.c */
void ms_parallel_for(ptrdiff_t n, ptrdiff_t grain, ms_task fn, void *ctx);
int ms_threads(void);
int ms_set_threads(int n); /* 0: done, -1: called from inside a task */
int ms_workers(void);      /* threads started so far, without the caller */
int ms_pool_init(int n);   /* once, at import; 0 when fork handlers are in place */

/* blocks.c */
typedef struct ms_block_stats {
    size_t in_use, cached, limit, peak_in_use, peak_held; /* held: in use or cached */
    uint64_t hits, misses;
} ms_block_stats;

void *ms_alloc(size_t bytes);
void ms_release(void *block);
void ms_trim(size_t keep); /* gives cached blocks back to the system until at most `keep` bytes are left */
void ms_set_block_limit(size_t bytes);
void ms_get_block_stats(ms_block_stats *out);
void ms_reset_block_peaks(int in_use, int held); /* peaks start anew from what there is now */
void ms_blocks_lock(void);
void ms_blocks_unlock(void);
void ms_blocks_after_fork(void);

/* cpu.c */
int ms_cpu_isa(void);
int ms_cpu_count(void); /* processors that this process may use */
size_t ms_ram_bytes(void);

#endif
