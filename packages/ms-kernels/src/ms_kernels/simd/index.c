/* Gathering and adding rows by index. Threads never add to the same item, and each adds in the order of the indices. */
#include "index_ops.h"

#include <string.h>

#include "ms_rt.h"

#define IX_GRAIN 16384 /* items (or pieces of 8 bytes) worth a thread */

typedef struct {
    const char *x;
    const void *idx;
    char *out;
    int i32, type;
    ptrdiff_t a, r, n, b, size;
} ix_job;

static ptrdiff_t grain(ptrdiff_t items) { return IX_GRAIN / (items > 0 ? items : 1) + 1; }

MS_INLINE ptrdiff_t row_of(const void *idx, int i32, ptrdiff_t i, ptrdiff_t r) {
    ptrdiff_t k = i32 ? ((const int32_t *)idx)[i] : (ptrdiff_t)((const int64_t *)idx)[i];
    return k < 0 ? k + r : k;
}

/* columns for one thread: one stretch each, of whole cache lines, as narrow ones waste memory bandwidth */
static ptrdiff_t share(ptrdiff_t columns, ptrdiff_t rows) {
    ptrdiff_t threads = ms_rt_table->threads(), even = ((columns + threads - 1) / threads + 15) / 16 * 16;
    return grain(rows) > even ? grain(rows) : even;
}

/* whether n indices are the same: a row of indices made by broadcasting moves a whole row of items */
static int uniform(const void *idx, int i32, ptrdiff_t at, ptrdiff_t n) {
    int64_t other = 0;
    if (n < 8) return 0;
    if (i32) {
        const int32_t *p = (const int32_t *)idx + at;
        if (p[0] != p[n - 1]) return 0;
        for (ptrdiff_t j = 0; j < n; j++) other |= p[j] ^ p[0];
    } else {
        const int64_t *p = (const int64_t *)idx + at;
        if (p[0] != p[n - 1]) return 0;
        for (ptrdiff_t j = 0; j < n; j++) other |= p[j] ^ p[0];
    }
    return other == 0;
}

ptrdiff_t ix_first_bad(const void *idx, int i32, ptrdiff_t n, ptrdiff_t r) {
    for (ptrdiff_t i = 0; i < n; i += 1024) {
        ptrdiff_t end = i + 1024 < n ? i + 1024 : n;
        int bad = 0; /* no exit within a block: that vectorises */
        if (i32) for (ptrdiff_t j = i; j < end; j++) bad |= (((const int32_t *)idx)[j] < -r) | (((const int32_t *)idx)[j] >= r);
        else for (ptrdiff_t j = i; j < end; j++) bad |= (((const int64_t *)idx)[j] < -r) | (((const int64_t *)idx)[j] >= r);
        if (!bad) continue;
        for (ptrdiff_t j = i;; j++) {
            int64_t k = i32 ? ((const int32_t *)idx)[j] : ((const int64_t *)idx)[j];
            if (k < -r || k >= r) return j;
        }
    }
    return -1;
}

/* `bytes` is a constant where this is called for small items */
MS_INLINE void take_rows(const ix_job *job, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t bytes) {
    ptrdiff_t a = begin / job->n, i = begin % job->n;
    for (ptrdiff_t t = begin; t < end; t++) {
        memcpy(job->out + t * bytes, job->x + (a * job->r + row_of(job->idx, job->i32, i, job->r)) * bytes, (size_t)bytes);
        if (++i == job->n) {
            i = 0;
            a++;
        }
    }
}

static void take_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ix_job *job = (const ix_job *)ctx;
    (void)worker;
    switch (job->b) {
    case 1: take_rows(job, begin, end, 1); break;
    case 2: take_rows(job, begin, end, 2); break;
    case 4: take_rows(job, begin, end, 4); break;
    case 8: take_rows(job, begin, end, 8); break;
    case 16: take_rows(job, begin, end, 16); break;
    default: take_rows(job, begin, end, job->b);
    }
}

MS_INLINE void gather_rows(const ix_job *job, ptrdiff_t begin, ptrdiff_t end, ptrdiff_t size) {
    for (ptrdiff_t t = begin; t < end; t++) { /* t runs over (a, n) */
        ptrdiff_t b = job->b, r = job->r;
        const char *x = job->x + t / job->n * r * b * size;
        const void *idx = job->idx;
        char *out = job->out + t * b * size;
        if (uniform(idx, job->i32, t * b, b))
            memcpy(out, x + row_of(idx, job->i32, t * b, r) * b * size, (size_t)(b * size));
        else if (job->i32)
            for (ptrdiff_t j = 0; j < b; j++) memcpy(out + j * size, x + (row_of(idx, 1, t * b + j, r) * b + j) * size, (size_t)size);
        else
            for (ptrdiff_t j = 0; j < b; j++) memcpy(out + j * size, x + (row_of(idx, 0, t * b + j, r) * b + j) * size, (size_t)size);
    }
}

static void gather_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ix_job *job = (const ix_job *)ctx;
    (void)worker;
    switch (job->size) {
    case 1: gather_rows(job, begin, end, 1); break;
    case 2: gather_rows(job, begin, end, 2); break;
    case 4: gather_rows(job, begin, end, 4); break;
    case 8: gather_rows(job, begin, end, 8); break;
    default: gather_rows(job, begin, end, 16);
    }
}

/* columns [c0, c1) of one block `a`; integers add as unsigned, which wraps as the signed ones do */
#define IX_ADDERS(name, T) \
    MS_INLINE void scatter_loop_##name(const ix_job *job, int i32, ptrdiff_t a, ptrdiff_t c0, ptrdiff_t c1) { \
        const void *idx = job->idx; \
        ptrdiff_t r = job->r, b = job->b, end = (a + 1) * job->n; \
        T *out = (T *)(void *)job->out + a * r * b; \
        for (ptrdiff_t i = a * job->n; i < end; i++) { \
            const T *MS_RESTRICT src = (const T *)(const void *)job->x + i * b; \
            if (uniform(idx, i32, i * b + c0, c1 - c0)) { \
                T *MS_RESTRICT row = out + row_of(idx, i32, i * b + c0, r) * b; \
                for (ptrdiff_t j = c0; j < c1; j++) row[j] = (T)(row[j] + src[j]); \
                continue; \
            } \
            for (ptrdiff_t j = c0; j < c1; j++) { \
                T *to = out + row_of(idx, i32, i * b + j, r) * b + j; \
                *to = (T)(*to + src[j]); \
            } \
        } \
    } \
    static void scatter_##name(const ix_job *job, ptrdiff_t a, ptrdiff_t c0, ptrdiff_t c1) { \
        if (job->i32) scatter_loop_##name(job, 1, a, c0, c1); \
        else scatter_loop_##name(job, 0, a, c0, c1); \
    } \
    static void add_##name(const ix_job *job, ptrdiff_t a, ptrdiff_t r0, ptrdiff_t r1, ptrdiff_t c0, ptrdiff_t c1) { \
        for (ptrdiff_t i = 0; i < job->n; i++) { \
            ptrdiff_t k = row_of(job->idx, job->i32, i, job->r); \
            if (k < r0 || k >= r1) continue; \
            const T *MS_RESTRICT src = (const T *)(const void *)job->x + (a * job->n + i) * job->b; \
            T *MS_RESTRICT to = (T *)(void *)job->out + (a * job->r + k) * job->b; \
            for (ptrdiff_t j = c0; j < c1; j++) to[j] = (T)(to[j] + src[j]); \
        } \
    }
IX_ADDERS(f32, float)
IX_ADDERS(f64, double)
IX_ADDERS(u8, uint8_t)
IX_ADDERS(u16, uint16_t)
IX_ADDERS(u32, uint32_t)
IX_ADDERS(u64, uint64_t)

static void (*const SCATTER[])(const ix_job *, ptrdiff_t, ptrdiff_t, ptrdiff_t) = {scatter_f32, scatter_f64, scatter_u8,
                                                                                  scatter_u16, scatter_u32, scatter_u64};
static void (*const ADD[])(const ix_job *, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t, ptrdiff_t) = {add_f32, add_f64, add_u8,
                                                                                                   add_u16, add_u32, add_u64};

static void scatter_blocks(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ix_job *job = (const ix_job *)ctx;
    (void)worker;
    for (ptrdiff_t a = begin; a < end; a++) SCATTER[job->type](job, a, 0, job->b);
}

static void scatter_columns(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ix_job *job = (const ix_job *)ctx;
    (void)worker;
    for (ptrdiff_t a = 0; a < job->a; a++) SCATTER[job->type](job, a, begin, end);
}

static void add_blocks(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ix_job *job = (const ix_job *)ctx;
    (void)worker;
    for (ptrdiff_t a = begin; a < end; a++) ADD[job->type](job, a, 0, job->r, 0, job->b);
}

static void add_columns(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ix_job *job = (const ix_job *)ctx;
    (void)worker;
    for (ptrdiff_t a = 0; a < job->a; a++) ADD[job->type](job, a, 0, job->r, begin, end);
}

static void add_targets(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ix_job *job = (const ix_job *)ctx;
    (void)worker;
    for (ptrdiff_t a = 0; a < job->a; a++) ADD[job->type](job, a, begin, end, 0, job->b);
}

static ix_job new_job(int type, const void *x, const void *idx, int i32, void *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b) {
    ix_job job;
    job.x = (const char *)x;
    job.idx = idx;
    job.out = (char *)out;
    job.i32 = i32;
    job.type = type;
    job.a = a;
    job.r = r;
    job.n = n;
    job.b = b;
    job.size = 0;
    return job;
}

void ix_take(const char *x, const void *idx, int i32, char *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b) {
    ix_job job = new_job(0, x, idx, i32, out, a, r, n, b);
    if (a * n * b > 0) ms_rt_table->parallel_for(a * n, grain((b + 7) / 8), take_task, &job);
}

void ix_gather(const char *x, const void *idx, int i32, char *out, ptrdiff_t size, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b) {
    ix_job job = new_job(0, x, idx, i32, out, a, r, n, b);
    job.size = size;
    if (a * n * b > 0) ms_rt_table->parallel_for(a * n, grain(b), gather_task, &job);
}

void ix_scatter_add(int type, void *out, const void *idx, int i32, const void *src, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b) {
    ix_job job = new_job(type, src, idx, i32, out, a, r, n, b);
    if (a * n * b == 0) return;
    if (a > 1) ms_rt_table->parallel_for(a, grain(n * b), scatter_blocks, &job);
    else ms_rt_table->parallel_for(b, share(b, n), scatter_columns, &job);
}

void ix_index_add(int type, void *out, const void *idx, int i32, const void *src, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b) {
    ix_job job = new_job(type, src, idx, i32, out, a, r, n, b);
    ptrdiff_t threads = ms_rt_table->threads();
    if (a * n * b == 0) return;
    if (a >= threads) ms_rt_table->parallel_for(a, grain(n * b), add_blocks, &job);
    else if (b >= 64) ms_rt_table->parallel_for(b, share(b, a * n), add_columns, &job);
    /* every part reads all indices: no more parts than threads */
    else ms_rt_table->parallel_for(r, a * n * b < IX_GRAIN ? r : (r + threads - 1) / threads, add_targets, &job);
}
