/* The cube product over whole matrices: packs panels, runs tiles, writes out.

   A unit of work is one group of columns of one product with the whole sum, so results do not depend on threads. */
#include "cube.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = CUBE_N * CUBE_GROUP, WORKERS = 256 };

typedef struct run {
    const cube_job *j;
    const cube_kern *k;
    double *packed; /* all panels of a, batch by batch */
    ptrdiff_t panels, groups, first, shared;
    int failed, bad[WORKERS];
} run;

static const cube_kern *kern(void) {
#if defined(MS_X86)
    if (ms_rt_table->isa >= 1) return &cube_avx2;
#endif
    return &cube_base;
}

static ptrdiff_t least(ptrdiff_t x, ptrdiff_t y) { return x < y ? x : y; }

static void pack_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    run *r = (run *)ctx;
    const cube_job *j = r->j;
    (void)worker;
    for (ptrdiff_t u = begin; u < end; ++u) {
        ptrdiff_t p = r->first + u / r->panels, row = u % r->panels * CUBE_M;
        r->k->pack(j->a + j->a_base[p], j->a_row + row, j->a_k, least(CUBE_M, j->m - row), CUBE_M, 0, j->k,
                   r->packed + u * CUBE_M * j->k);
    }
}

static int write_tile(const cube_job *j, ptrdiff_t p, ptrdiff_t row, ptrdiff_t col, const float *acc) {
    ptrdiff_t rows = least(CUBE_M, j->m - row), columns = least(CUBE_N, j->n - col);
    int bad = 0;
    for (ptrdiff_t i = 0; i < rows; ++i) {
        float *c = j->c + j->c_base[p] + j->c_row[row + i];
        for (ptrdiff_t n = 0; n < columns; ++n) {
            float v = acc[i * CUBE_N + n];
            bad |= !(fabsf(v) <= FLT_MAX);
            c[j->c_col[col + n]] = v;
        }
    }
    return bad;
}

static void group_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    run *r = (run *)ctx;
    const cube_job *j = r->j;
    const size_t tile = CUBE_M * CUBE_N;
    ptrdiff_t longest = 0, from = 0;
    for (ptrdiff_t q = 0; q < j->blocks; from = j->ends[q++])
        longest = j->ends[q] - from > longest ? j->ends[q] - from : longest;
    size_t room = (size_t)((CUBE_K + longest) * COLUMNS);
    double *b = (double *)ms_rt_table->alloc(room * sizeof(double));
    float *acc = (float *)ms_rt_table->alloc((size_t)r->panels * CUBE_GROUP * tile * sizeof(float));
    if (!b || !acc) {
        r->failed = 1;
        begin = end;
    }
    for (ptrdiff_t u = begin; u < end; ++u) {
        ptrdiff_t p = r->first + u / r->groups, col = u % r->groups * COLUMNS;
        ptrdiff_t lanes = (least(COLUMNS, j->n - col) + CUBE_N - 1) / CUBE_N;
        const double *a = r->packed + (r->shared ? 0 : (p - r->first) * r->panels * CUBE_M * j->k);
        memset(acc, 0, (size_t)r->panels * CUBE_GROUP * tile * sizeof(float));
        from = 0;
        for (ptrdiff_t q = 0; q < j->blocks;) {
            ptrdiff_t last = q;
            while (last < j->blocks && (last == q || j->ends[last] - from <= CUBE_K)) ++last;
            ptrdiff_t depth = j->ends[last - 1] - from;
            for (ptrdiff_t g = 0; g < lanes; ++g) {
                ptrdiff_t at = col + g * CUBE_N;
                r->k->pack(j->b + j->b_base[p], j->b_col + at, j->b_k, least(CUBE_N, j->n - at), CUBE_N, from,
                           from + depth, b + g * CUBE_N * depth);
            }
            for (ptrdiff_t i = 0; i < r->panels; ++i)
                for (ptrdiff_t g = 0; g < lanes; ++g)
                    r->k->tile(a + (i * j->k + from) * CUBE_M, b + g * CUBE_N * depth, j->ends, from, q, last,
                               acc + (size_t)(i * CUBE_GROUP + g) * tile);
            from += depth;
            q = last;
        }
        for (ptrdiff_t i = 0; i < r->panels; ++i)
            for (ptrdiff_t g = 0; g < lanes; ++g)
                r->bad[worker] |=
                    write_tile(j, p, i * CUBE_M, col + g * CUBE_N, acc + (size_t)(i * CUBE_GROUP + g) * tile);
    }
    ms_rt_table->release(b);
    ms_rt_table->release(acc);
}

/* Whether all products of the batch have the same left matrix. */
static int same_left(const cube_job *j) {
    for (ptrdiff_t p = 1; p < j->batch; ++p)
        if (j->a_base[p] != j->a_base[0]) return 0;
    return 1;
}

int cube_run(const cube_job *job) {
    run r;
    int bad = 0;
    memset(&r, 0, sizeof r);
    r.j = job, r.k = kern();
    r.panels = (job->m + CUBE_M - 1) / CUBE_M, r.groups = (job->n + COLUMNS - 1) / COLUMNS;
    if (!job->batch || !r.panels || !r.groups) return 0;
    ptrdiff_t size = r.panels * CUBE_M * job->k, step = job->batch; /* doubles a left matrix */
    r.shared = same_left(job);
    if (!r.shared && size > 0) step = least(step, 1 + (1 << 22) / size);
    r.packed = (double *)ms_rt_table->alloc(((size_t)size * (size_t)(r.shared ? 1 : step) + 8) * sizeof(double));
    if (!r.packed) return -1;
    int narrow = ms_rt_table->threads() <= WORKERS;
    ptrdiff_t work = 1 + job->m * COLUMNS * job->k;
    for (; r.first < job->batch; r.first += step) {
        ptrdiff_t count = least(step, job->batch - r.first);
        if (!r.shared || !r.first)
            ms_rt_table->parallel_for(r.panels * (r.shared ? 1 : count), 1 + 65536 / (1 + CUBE_M * job->k), pack_task, &r);
        ptrdiff_t units = count * r.groups;
        ms_rt_table->parallel_for(units, narrow ? 1 + 200000 / work : units, group_task, &r);
    }
    ms_rt_table->release(r.packed);
    for (int i = 0; i < WORKERS; ++i) bad |= r.bad[i];
    return r.failed ? -1 : bad;
}

static float saturated(double t) {
    float v = (float)t;
    return v != v ? 0.0f : v > FLT_MAX ? FLT_MAX : v < -FLT_MAX ? -FLT_MAX : v;
}

float cube_saturated(const cube_job *j, ptrdiff_t p, ptrdiff_t i, ptrdiff_t n) {
    const float *a = j->a + j->a_base[p] + j->a_row[i], *b = j->b + j->b_base[p] + j->b_col[n];
    float acc = 0.0f;
    ptrdiff_t l = 0;
    for (ptrdiff_t q = 0; q < j->blocks; ++q) {
        double s = 0.0;
        for (; l < j->ends[q]; ++l) s += (double)a[j->a_k[l]] * (double)b[j->b_k[l]];
        acc = saturated((double)acc + s);
    }
    return acc;
}

void cube_repair(const cube_job *j) {
    for (ptrdiff_t p = 0; p < j->batch; ++p)
        for (ptrdiff_t i = 0; i < j->m; ++i)
            for (ptrdiff_t n = 0; n < j->n; ++n) {
                float *c = j->c + j->c_base[p] + j->c_row[i] + j->c_col[n];
                if (!(fabsf(*c) <= FLT_MAX)) *c = cube_saturated(j, p, i, n);
            }
}
