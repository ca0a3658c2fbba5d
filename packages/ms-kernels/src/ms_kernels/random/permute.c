/* Random permutation and dropout.

   The permutation (after Rao 1961 and Sandelius 1962): every index goes to a random bucket, in order; every bucket is then
   shuffled by itself.  Each of the n! orders is equally likely, buckets fit the cache, and the result depends on neither
   the number of threads nor the instruction set. */
#include "philox.h"

#include <string.h>

#define BUCKET 8192 /* indices a bucket holds on average: 64 KiB */
#define MAX_BUCKETS 4096
#define PART 65536 /* indices that one task of the scatter handles */
#define SHUFFLE_UNITS ((uint64_t)1 << 53) /* where the words of the shuffles begin; those of the buckets begin at 0 */

typedef struct {
    const ms_fill *fill;
    int64_t *out, *to;
    int64_t n, buckets, parts;
    uint32_t *counts; /* parts x buckets, later where each part writes in each bucket */
    uint32_t *words;
    int64_t *starts;
} shuffle;

MS_INLINE int64_t bucket_of(const shuffle *s, uint32_t word)
{
    return (int64_t)((uint64_t)word * (uint64_t)s->buckets >> 32);
}

static void count_part(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const shuffle *s = (const shuffle *)ctx;
    (void)worker;
    for (ptrdiff_t part = begin; part < end; part++) {
        uint32_t *c = s->counts + part * s->buckets;
        int64_t first = part * PART, last = first + PART < s->n ? first + PART : s->n;
        memset(c, 0, sizeof(uint32_t) * (size_t)s->buckets);
        for (int64_t i = first; i < last; i++) {
            c[bucket_of(s, s->words[i])]++;
        }
    }
}

static void scatter_part(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const shuffle *s = (const shuffle *)ctx;
    (void)worker;
    for (ptrdiff_t part = begin; part < end; part++) {
        uint32_t *at = s->counts + part * s->buckets;
        int64_t first = part * PART, last = first + PART < s->n ? first + PART : s->n;
        for (int64_t i = first; i < last; i++) {
            int64_t b = bucket_of(s, s->words[i]);
            s->out[s->starts[b] + at[b]++] = i;
        }
    }
}

/* Fisher-Yates, from the top, with 64 bits a step: the bias of the multiplication stays below 2^-45 */
static void shuffle_bucket(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const shuffle *s = (const shuffle *)ctx;
    (void)worker;
    for (ptrdiff_t b = begin; b < end; b++) {
        int64_t *x = s->out + s->starts[b];
        uint32_t w[MS_UNIT_WORDS];
        uint64_t unit = SHUFFLE_UNITS + ((uint64_t)b << 36);
        int left = 0;
        for (int64_t i = s->starts[b + 1] - s->starts[b] - 1; i > 0; i--) {
            if (left == 0) {
                ms_random_fill(MS_WORDS, s->fill, w, (int64_t)(unit++ * MS_UNIT_WORDS), MS_UNIT_WORDS);
                left = MS_UNIT_WORDS / 2;
            }
            left--;
            uint64_t r = (uint64_t)w[2 * left + 1] << 32 | w[2 * left];
            uint64_t m = (uint64_t)i + 1; /* at most 2^32, so that the upper product fits */
            int64_t j = (int64_t)(((r >> 32) * m + ((r & 0xffffffffu) * m >> 32)) >> 32);
            int64_t keep = x[i];
            x[i] = x[j];
            x[j] = keep;
        }
    }
}

int ms_random_permutation(const ms_fill *f, int64_t *out, int64_t n)
{
    shuffle s = {.fill = f, .out = out, .n = n, .buckets = n / BUCKET, .parts = (n + PART - 1) / PART};
    int64_t one[2] = {0, n};
    if (s.buckets > MAX_BUCKETS) {
        s.buckets = MAX_BUCKETS;
    }
    if (s.buckets < 2) {
        s.starts = one;
        for (int64_t i = 0; i < n; i++) {
            out[i] = i;
        }
        shuffle_bucket(&s, 0, 1, 0);
        return 0;
    }
    s.words = (uint32_t *)ms_rt_table->alloc(sizeof(uint32_t) * (size_t)n);
    s.counts = (uint32_t *)ms_rt_table->alloc(sizeof(uint32_t) * (size_t)(s.parts * s.buckets));
    s.starts = (int64_t *)ms_rt_table->alloc(sizeof(int64_t) * (size_t)(s.buckets + 1));
    if (s.words && s.counts && s.starts) {
        ms_random_fill(MS_WORDS, f, s.words, 0, n);
        ms_rt_table->parallel_for((ptrdiff_t)s.parts, 1, count_part, &s);
        int64_t total = 0;
        for (int64_t b = 0; b < s.buckets; b++) {
            uint32_t inside = 0;
            for (int64_t part = 0; part < s.parts; part++) {
                uint32_t *c = s.counts + part * s.buckets + b, have = *c;
                *c = inside;
                inside += have;
            }
            s.starts[b] = total;
            total += inside;
        }
        s.starts[s.buckets] = total;
        ms_rt_table->parallel_for((ptrdiff_t)s.parts, 1, scatter_part, &s);
        ms_rt_table->parallel_for((ptrdiff_t)s.buckets, 1, shuffle_bucket, &s);
    }
    int done = s.words && s.counts && s.starts ? 0 : -1;
    ms_rt_table->release(s.words);
    ms_rt_table->release(s.counts);
    ms_rt_table->release(s.starts);
    return done;
}

typedef struct {
    const ms_fill *fill;
    const float *x;
    float *y;
    uint8_t *keep;
    float scale;
    int64_t n;
} drop;

#define DROP_PART 2048 /* elements: their mask stays in the first cache */

static void drop_part(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const drop *d = (const drop *)ctx;
    uint32_t drops[DROP_PART];
    (void)worker;
    for (ptrdiff_t part = begin; part < end; part++) {
        int64_t first = part * DROP_PART, count = first + DROP_PART < d->n ? DROP_PART : d->n - first;
        const float *MS_RESTRICT x = d->x + first;
        float *MS_RESTRICT y = d->y + first;
        uint8_t *MS_RESTRICT keep = d->keep + first;
        ms_random_fill(MS_LESS32, d->fill, drops, first, count); /* floats: 1 where the element goes, else 0 */
        for (int64_t i = 0; i < count; i++) {
            drops[i] >>= 23; /* the exponent: odd for 1 */
        }
        const float scale = d->scale;
        for (int64_t i = 0; i < count; i++) { /* by bits, and two loops: so that compilers vectorise them */
            float scaled = x[i] * scale;
            uint32_t bits;
            memcpy(&bits, &scaled, 4);
            bits &= (drops[i] & 1) - 1;
            memcpy(y + i, &bits, 4);
        }
        for (int64_t i = 0; i < count; i++) {
            keep[i] = (uint8_t)(drops[i] & 1 ? 0 : 1);
        }
    }
}

void ms_random_dropout(const ms_fill *f, const float *x, float *y, uint8_t *keep, float scale, int64_t n)
{
    drop d = {f, x, y, keep, scale, n};
    ms_rt_table->parallel_for((ptrdiff_t)((n + DROP_PART - 1) / DROP_PART), 8, drop_part, &d);
}
