/* Cuts all arrays together into chunks for the pool: many small ones cost no more than one large one. */
#include "optim.h"

typedef struct opt_job {
    opt_loop loop;
    const opt_numbers *numbers;
    const opt_array *arrays;
    ptrdiff_t count;
} opt_job;

static ptrdiff_t array_at(const opt_job *j, ptrdiff_t element) {
    ptrdiff_t low = 0, high = j->count - 1;
    while (low < high) {
        ptrdiff_t middle = (low + high + 1) / 2;
        if (j->arrays[middle].first <= element) low = middle; else high = middle - 1;
    }
    return low;
}

static void run(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const opt_job *j = (const opt_job *)ctx;
    (void)worker;
    for (ptrdiff_t k = array_at(j, begin); begin < end; ++k) {
        const opt_array *x = &j->arrays[k];
        ptrdiff_t at = begin - x->first, n = x->n - at;
        if (n > end - begin) n = end - begin;
        if (n <= 0) continue;
        float *s[3];
        for (int i = 0; i < 3; ++i) s[i] = x->s[i] ? x->s[i] + at : NULL;
        j->loop(j->numbers, x->p + at, x->g + at, s[0], s[1], s[2], n);
        begin += n;
    }
}

void opt_run(int rule, const opt_numbers *c, opt_array *arrays, ptrdiff_t count) {
    const opt_loop *loops = opt_loops_base;
    ptrdiff_t total = 0;
#if defined(MS_X86)
    if (ms_rt_table->isa >= 1) loops = opt_loops_avx2;
#endif
    for (ptrdiff_t k = 0; k < count; ++k) {
        arrays[k].first = total;
        total += arrays[k].n;
    }
    opt_job j = {loops[rule], c, arrays, count};
    ms_rt_table->parallel_for(total, 16384, run, &j);
}
