/* Cuts a fill into units, the units into tasks, and cares for the ends that are no whole unit. */
#include "philox.h"

#include <string.h>

/* elements and bytes that one unit gives */
static const struct {
    uint8_t count, size;
} shapes[MS_KINDS] = {
    [MS_WORDS] = {32, 4}, [MS_UNIFORM64] = {32, 4}, [MS_NORMAL64] = {32, 4}, [MS_TRUNC64] = {32, 4}, [MS_UNIT32] = {32, 4},
    [MS_NORMAL32] = {32, 4}, [MS_LESS] = {32, 1}, [MS_LESS32] = {32, 4}, [MS_MASK] = {4, 1}, [MS_INT32] = {32, 8},
    [MS_INT64] = {16, 8}, [MS_UNIT64] = {16, 8}, [MS_GAUSS64] = {16, 8},
};
#define GRAIN 512 /* units: 16384 words, some 10 to 100 microseconds */
#define MAX_UNIT_BYTES 256

typedef struct {
    const ms_fill *fill;
    ms_unit_kernel kernel;
    uint64_t first;
    char *out;
    size_t bytes;
} span;

int ms_random_baseline;

static ms_unit_kernel kernel_of(int kind)
{
#ifdef MS_HAVE_AVX2_KERNELS
    if (ms_rt_table->isa >= 1 && !ms_random_baseline && ms_kernels_avx2[kind]) {
        return ms_kernels_avx2[kind];
    }
#endif
    return ms_kernels_base[kind];
}

static void run_span(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const span *s = (const span *)ctx;
    (void)worker;
    s->kernel(s->fill, s->first + (uint64_t)begin, end - begin, s->out + (size_t)begin * s->bytes);
}

void ms_random_fill(int kind, const ms_fill *f, void *out, int64_t first, int64_t count)
{
    ms_unit_kernel kernel = kernel_of(kind);
    int64_t per = shapes[kind].count;
    size_t size = shapes[kind].size;
    char *to = (char *)out;
    MS_ALIGN(64) char part[MAX_UNIT_BYTES];
    uint64_t unit = (uint64_t)(first / per);
    int64_t skip = first % per;
    if (count > 0 && skip) {
        int64_t take = per - skip < count ? per - skip : count;
        kernel(f, unit++, 1, part);
        memcpy(to, part + (size_t)skip * size, (size_t)take * size);
        to += (size_t)take * size;
        count -= take;
    }
    if (count >= per) {
        span s = {f, kernel, unit, to, (size_t)per * size};
        ms_rt_table->parallel_for((ptrdiff_t)(count / per), GRAIN, run_span, &s);
        unit += (uint64_t)(count / per);
        to += (size_t)(count - count % per) * size;
        count %= per;
    }
    if (count > 0) {
        kernel(f, unit, 1, part);
        memcpy(to, part, (size_t)count * size);
    }
}
