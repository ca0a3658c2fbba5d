/* Reductions over any axes of an array with any strides.

   Dimensions are sorted by stride and merged, so that the innermost one is the densest. If that is reduced, each result
   is made of blocks along it (rows); if it is kept, neighbouring results are made side by side (columns). Long reductions
   are cut into chunks of a fixed size, joined in order: results do not depend on the number of threads. */
#include "reduce_combine.h"
#include "reduce_table.h"

#define RD_DIMS 64
#define RD_CHUNK 65536 /* items per chunk */
#define RD_FEW 64      /* with fewer results than this, reductions are cut into chunks */
#define RD_GRAIN 32768 /* items worth a thread */

typedef struct { ptrdiff_t n, step, out; } rd_dim;

typedef struct {
    const rd_table *table;
    const char *x;
    void *out;
    rd_state *parts;
    rd_dim kept[RD_DIMS], red[RD_DIMS];
    int nk, nr, op, dt, out_dt, finish, wide; /* wide: items are double */
    double par;
    ptrdiff_t results, length, chunk, chunks, cols, colblocks, width;
    rd_dim col; /* the kept dimension that columns run along */
} rd_job;

static void sort_and_merge(rd_dim *d, int *count) {
    int n = 0;
    for (int i = 1; i < *count; i++)
        for (int j = i; j > 0 && (d[j].step < 0 ? -d[j].step : d[j].step) > (d[j - 1].step < 0 ? -d[j - 1].step : d[j - 1].step); j--) {
            rd_dim t = d[j];
            d[j] = d[j - 1];
            d[j - 1] = t;
        }
    for (int i = 0; i < *count; i++) {
        if (n > 0 && d[n - 1].step == d[i].step * d[i].n && d[n - 1].out == d[i].out * d[i].n) {
            d[n - 1].n *= d[i].n;
            d[n - 1].step = d[i].step;
            d[n - 1].out = d[i].out;
        } else {
            d[n++] = d[i];
        }
    }
    *count = n;
}

/* offset of item number `at` of nested dimensions, and its place in each */
static ptrdiff_t locate(const rd_dim *d, int nd, ptrdiff_t at, ptrdiff_t *place, ptrdiff_t *out) {
    ptrdiff_t offset = 0;
    for (int k = nd - 1; k >= 0; k--) {
        ptrdiff_t i = at % d[k].n;
        at /= d[k].n;
        place[k] = i;
        offset += i * d[k].step;
        if (out) *out += i * d[k].out;
    }
    return offset;
}

/* one step forward in dimensions 0..nd-1, the last fastest */
static ptrdiff_t advance(const rd_dim *d, int nd, ptrdiff_t *place, ptrdiff_t *out) {
    ptrdiff_t move = 0;
    for (int k = nd - 1; k >= 0; k--) {
        if (++place[k] < d[k].n) {
            if (out) *out += d[k].out;
            return move + d[k].step;
        }
        place[k] = 0;
        move -= (d[k].n - 1) * d[k].step;
        if (out) *out -= (d[k].n - 1) * d[k].out;
    }
    return move;
}

static const void *fetch(const rd_job *job, const char *p, ptrdiff_t step, ptrdiff_t n, void *buf) {
    if (step == ms_dt_size(job->dt) && job->dt <= MS_F64 && (uintptr_t)p % (uintptr_t)step == 0) return p;
    if (job->wide) ms_load_f64(p, step, n, (double *)buf);
    else job->table->load(job->dt, p, step, n, (float *)buf);
    return buf;
}

static void block(const rd_job *job, const void *x, ptrdiff_t n, ptrdiff_t at, rd_state *s) {
    if (job->wide) job->table->block_f64(job->op, (const double *)x, n, at, s);
    else job->table->block_f32(job->op, (const float *)x, n, at, s);
}

/* items [begin, end) of the reduced dimensions, whose origin is x */
static rd_state reduce_row(const rd_job *job, const char *x, ptrdiff_t begin, ptrdiff_t end, double *buf) {
    rd_state s = rd_start(job->op);
    ptrdiff_t place[RD_DIMS], size = job->wide ? 8 : 4;
    const rd_dim *inner = job->red + job->nr - 1;
    const char *p = x + locate(job->red, job->nr, begin, place, NULL);
    while (begin < end) {
        ptrdiff_t n = ms_min_ix(ms_min_ix(inner->n - place[job->nr - 1], RD_BLOCK), end - begin), got = n;
        const void *block_x = fetch(job, p, inner->step, n, buf);
        int short_run = n == inner->n && n < RD_BLOCK / 4 && end - begin > n;
        if (short_run && block_x != (void *)buf) memcpy(buf, block_x, (size_t)(n * size));
        for (;;) {
            ptrdiff_t *last = place + job->nr - 1;
            *last += n;
            if (*last < inner->n) {
                p += n * inner->step;
            } else {
                p -= (inner->n - n) * inner->step;
                *last = 0;
                p += advance(job->red, job->nr - 1, place, NULL);
            }
            if (!short_run || got + n > RD_BLOCK || begin + got + n > end) break;
            char *to = (char *)buf + got * size; /* short runs share a block */
            const void *more = fetch(job, p, inner->step, n, to);
            if (more != (void *)to) memcpy(to, more, (size_t)(n * size));
            got += n;
        }
        block(job, short_run ? buf : block_x, got, begin, &s);
        begin += got;
    }
    return s;
}

static void put(const rd_job *job, ptrdiff_t at, const rd_state *s) {
    if (job->out_dt == MS_I64) ((int64_t *)job->out)[at] = s->i;
    else ms_put(job->out_dt, job->out, at, rd_finish(job->op, job->finish, job->par, s));
}

static void row_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const rd_job *job = (const rd_job *)ctx;
    double buf[RD_BLOCK];
    ptrdiff_t place[RD_DIMS], out = 0;
    const char *x = job->x + locate(job->kept, job->nk, begin / job->chunks, place, &out);
    (void)worker;
    for (ptrdiff_t i = begin; i < end; i++) {
        ptrdiff_t c = i % job->chunks;
        rd_state s = reduce_row(job, x, c * job->chunk, ms_min_ix((c + 1) * job->chunk, job->length), buf);
        if (job->chunks > 1) job->parts[i] = s;
        else put(job, out, &s);
        if (c == job->chunks - 1) x += advance(job->kept, job->nk, place, &out);
    }
}

/* many short dense rows */
static void rows_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const rd_job *job = (const rd_job *)ctx;
    double v[256];
    rd_state s = rd_start(job->op);
    ptrdiff_t step = job->kept[0].step / (job->wide ? 8 : 4);
    (void)worker;
    for (ptrdiff_t i = begin; i < end; i += 256) {
        ptrdiff_t count = ms_min_ix(256, end - i);
        if (job->wide) job->table->rows_f64(job->op, (const double *)(const void *)job->x + i * step, step, job->length, count, v);
        else job->table->rows_f32(job->op, (const float *)(const void *)job->x + i * step, step, job->length, count, v);
        for (ptrdiff_t j = 0; j < count; j++) {
            s.a = v[j];
            put(job, (i + j) * job->kept[0].out, &s);
        }
    }
}

static int has_short_rows(const rd_job *job) {
    ptrdiff_t size = job->wide ? 8 : 4;
    return job->op <= RD_SUMSQ && job->dt <= MS_F64 && job->nr == 1 && job->nk == 1 && job->length > 1 && job->length <= 512 &&
           job->red[0].step == size && job->kept[0].step % size == 0 && (uintptr_t)job->x % (uintptr_t)size == 0;
}

static void step_row(const rd_job *job, int step, const char *p, ptrdiff_t w, ptrdiff_t at, double *buf, rd_cols *s) {
    const void *x = fetch(job, p, job->col.step, w, buf);
    if (job->wide) job->table->row_f64(step, (const double *)x, w, at, s);
    else job->table->row_f32(step, (const float *)x, w, at, s);
}

static double acc_of(const rd_job *job, const rd_cols *s, ptrdiff_t j) { return job->wide ? s->acc.m_d[j] : (double)s->acc.m_f[j]; }

static void set_acc(const rd_job *job, rd_cols *s, ptrdiff_t j, double v) {
    if (job->wide) s->acc.m_d[j] = v;
    else s->acc.m_f[j] = (float)v;
}

/* rows [begin, end) of w columns at x, through one step */
static void pass(const rd_job *job, int step, const char *x, ptrdiff_t w, ptrdiff_t begin, ptrdiff_t end, double *buf, rd_cols *s) {
    ptrdiff_t place[RD_DIMS];
    const char *p = x + locate(job->red, job->nr, begin, place, NULL);
    for (ptrdiff_t r = begin; r < end; r++) {
        step_row(job, step, p, w, r, buf, s);
        if (step == RC_SUM && ((r - begin) % 32 == 31 || r == end - 1))
            for (ptrdiff_t j = 0; j < w; j++) { /* few adds in the item's type, the sums of those in double */
                double t = acc_of(job, s, j), sum = s->a[j] + t, z = sum - s->a[j];
                s->b[j] += (s->a[j] - (sum - z)) + (t - z);
                s->a[j] = sum;
                set_acc(job, s, j, 0);
            }
        p += advance(job->red, job->nr, place, NULL);
    }
}

static void reduce_cols(const rd_job *job, const char *x, ptrdiff_t w, ptrdiff_t begin, ptrdiff_t end, double *buf, rd_cols *s) {
    static const int first[] = {RC_SUM, RC_PROD, RC_MAX, RC_MIN, RC_SUMSQ, RC_MAX, RC_SUM, RC_ARGMAX, RC_ARGMIN};
    int op = job->op, step = first[op];
    double n = (double)(end - begin);
    rd_state zero = rd_start(op);
    for (ptrdiff_t j = 0; j < w; j++) {
        set_acc(job, s, j, step == RC_MAX || step == RC_MIN ? zero.a : 0);
        s->a[j] = zero.a;
        s->b[j] = 0;
        s->i[j] = -1;
    }
    pass(job, step, x, w, begin, end, buf, s);
    if (op == RD_SUM || op == RD_PROD || op == RD_SUMSQ) return;
    if (op != RD_VAR) {
        for (ptrdiff_t j = 0; j < w; j++) {
            s->a[j] = acc_of(job, s, j);
            if (op == RD_LSE && !(s->a[j] - s->a[j] == 0)) set_acc(job, s, j, 0);
        }
        if (op == RD_LSE) pass(job, RC_EXP, x, w, begin, end, buf, s);
        return;
    }
    for (ptrdiff_t j = 0; j < w; j++) {
        set_acc(job, s, j, n > 0 ? (s->a[j] + s->b[j]) / n : 0);
        s->a[j] = s->b[j] = 0;
    }
    pass(job, RC_DEV, x, w, begin, end, buf, s);
    for (ptrdiff_t j = 0; j < w; j++) {
        if (n > 0) s->b[j] -= s->a[j] * s->a[j] / n; /* the mean was rounded to the item's type */
        s->a[j] = acc_of(job, s, j) + (n > 0 ? s->a[j] / n : 0);
        s->i[j] = end - begin;
    }
}

static void col_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const rd_job *job = (const rd_job *)ctx;
    double buf[RD_COLS];
    rd_cols s;
    (void)worker;
    for (ptrdiff_t i = begin; i < end; i++) {
        ptrdiff_t c = i % job->chunks, cb = i / job->chunks % job->colblocks, outer = i / job->chunks / job->colblocks;
        ptrdiff_t place[RD_DIMS], out = 0, first = cb * job->width, w = ms_min_ix(job->width, job->cols - first);
        const char *x = job->x + locate(job->kept, job->nk, outer, place, &out) + first * job->col.step;
        reduce_cols(job, x, w, c * job->chunk, ms_min_ix((c + 1) * job->chunk, job->length), buf, &s);
        for (ptrdiff_t j = 0; j < w; j++) {
            rd_state t;
            t.a = s.a[j];
            t.b = s.b[j];
            t.i = s.i[j];
            if (job->chunks > 1) job->parts[(outer * job->cols + first + j) * job->chunks + c] = t;
            else put(job, out + (first + j) * job->col.out, &t);
        }
    }
}

static void join_parts(const rd_job *job) {
    ptrdiff_t place[RD_DIMS], out = 0, cols = job->cols ? job->cols : 1;
    locate(job->kept, job->nk, 0, place, &out);
    for (ptrdiff_t i = 0; i < job->results; i++) {
        rd_state s = rd_start(job->op);
        for (ptrdiff_t c = 0; c < job->chunks; c++) rd_combine(job->op, &s, job->parts + i * job->chunks + c);
        put(job, out + (job->cols ? i % cols * job->col.out : 0), &s);
        if (i % cols == cols - 1) advance(job->kept, job->nk, place, &out);
    }
}

int rd_reduce(int op, int dt, int out_dt, const char *x, int nd, const ptrdiff_t *dim, const ptrdiff_t *stride, uint64_t axes,
              int finish, double par, void *out) {
    rd_job job;
    ptrdiff_t step = 1, tasks;
    memset(&job, 0, sizeof job);
    job.table = RD_PICK(ms_rt_table->isa);
    job.x = x;
    job.out = out;
    job.op = op;
    job.dt = dt;
    job.out_dt = out_dt;
    job.finish = finish;
    job.par = par;
    job.wide = dt == MS_F64;
    job.results = job.length = job.width = 1;
    for (int k = nd - 1; k >= 0; k--) {
        rd_dim d;
        d.n = dim[k];
        d.step = stride[k];
        if (axes >> k & 1) {
            d.out = 0;
            job.length *= d.n;
            if (d.n != 1) job.red[job.nr++] = d;
        } else {
            d.out = step;
            step *= d.n;
            job.results *= d.n;
            if (d.n != 1) job.kept[job.nk++] = d;
        }
    }
    if (job.results == 0) return 0;
    if (job.length == 0) {
        rd_state s = rd_start(op);
        if (out_dt == MS_BOOL) s.a = op == RD_MIN; /* all of nothing */
        for (ptrdiff_t i = 0; i < job.results; i++) put(&job, i, &s);
        return 0;
    }
    sort_and_merge(job.kept, &job.nk);
    sort_and_merge(job.red, &job.nr);
    if (job.nr == 0) {
        job.red[0].n = 1;
        job.red[0].step = ms_dt_size(dt);
        job.nr = 1;
    }
    job.chunk = job.length;
    if (has_short_rows(&job)) {
        ms_rt_table->parallel_for(job.results, ms_max_ix(RD_GRAIN / job.length, 1), rows_task, &job);
        return 0;
    }
    if (job.nk > 0) {
        rd_dim k = job.kept[job.nk - 1], r = job.red[job.nr - 1];
        ptrdiff_t ks = k.step < 0 ? -k.step : k.step, rs = r.step < 0 ? -r.step : r.step;
        int short_rows = job.length <= 32 && k.n >= 64; /* many of them: side by side even so */
        if (((ks < rs || job.length == 1) && k.n >= 8) || short_rows) {
            job.col = k;
            job.cols = k.n;
            job.width = ms_min_ix(k.n, ks > rs ? RD_COLS / 8 : RD_COLS); /* a block of short rows stays in the first cache */
            job.colblocks = (k.n + job.width - 1) / job.width;
            job.nk--;
        }
    }
    tasks = job.cols ? job.results / job.cols * job.colblocks : job.results;
    if (tasks < RD_FEW && job.length * job.width > RD_CHUNK) job.chunk = ms_max_ix((job.cols ? 2 : 1) * RD_CHUNK / job.width, 1);
    job.chunks = (job.length + job.chunk - 1) / job.chunk;
    if (job.chunks > 1) {
        job.parts = (rd_state *)ms_rt_table->alloc((size_t)(job.results * job.chunks) * sizeof(rd_state));
        if (!job.parts) return -1;
    }
    ms_rt_table->parallel_for(tasks * job.chunks, ms_max_ix(RD_GRAIN / (ms_min_ix(job.chunk, job.length) * job.width), 1), job.cols ? col_task : row_task, &job);
    if (job.chunks > 1) {
        join_parts(&job);
        ms_rt_table->release(job.parts);
    }
    return 0;
}

typedef struct {
    const rd_table *table;
    const char *x;
    char *out;
    int64_t *idx;
    int op, dt, wide;
    ptrdiff_t r, b, blocks;
} scan_job;

static void scan_block(const scan_job *job, int row, ptrdiff_t off, ptrdiff_t n, ptrdiff_t at, rd_cols *s, float *in, float *res) {
    ptrdiff_t size = ms_dt_size(job->dt);
    const char *x = job->x + off * size;
    char *y = job->out + off * size;
    int64_t *idx = job->idx ? job->idx + off : NULL;
    if (job->wide) {
        (row ? job->table->scanrow_f64 : job->table->scan_f64)(job->op, (const double *)(const void *)x, (double *)(void *)y, idx, n, at, s);
    } else if (job->dt == MS_F32) {
        (row ? job->table->scanrow_f32 : job->table->scan_f32)(job->op, (const float *)(const void *)x, (float *)(void *)y, idx, n, at, s);
    } else {
        job->table->load(job->dt, x, size, n, in);
        (row ? job->table->scanrow_f32 : job->table->scan_f32)(job->op, in, res, idx, n, at, s);
        job->table->store(job->dt, res, n, (uint16_t *)(void *)y);
    }
}

static void scan_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const scan_job *job = (const scan_job *)ctx;
    rd_cols s;
    float in[RD_COLS], res[RD_COLS];
    (void)worker;
    for (ptrdiff_t i = begin; i < end; i++) {
        ptrdiff_t a = i / job->blocks, first = i % job->blocks * RD_COLS, w = ms_min_ix(RD_COLS, job->b - first);
        for (ptrdiff_t j = 0; j < w; j++) {
            s.a[j] = job->op == SC_PROD ? 1 : 0;
            s.i[j] = -1;
            s.acc.m_d[j] = 0;
        }
        if (job->b == 1)
            for (ptrdiff_t at = 0; at < job->r; at += RD_COLS)
                scan_block(job, 0, a * job->r + at, ms_min_ix(RD_COLS, job->r - at), at, &s, in, res);
        else
            for (ptrdiff_t at = 0; at < job->r; at++) scan_block(job, 1, (a * job->r + at) * job->b + first, w, at, &s, in, res);
    }
}

int rd_scan(int op, int dt, const char *x, void *out, int64_t *idx, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b) {
    scan_job job;
    if (a * r * b == 0) return 0;
    job.table = RD_PICK(ms_rt_table->isa);
    job.x = x;
    job.out = (char *)out;
    job.idx = idx;
    job.op = op;
    job.dt = dt;
    job.wide = dt == MS_F64;
    job.r = r;
    job.b = b;
    job.blocks = (b + RD_COLS - 1) / RD_COLS;
    ms_rt_table->parallel_for(a * job.blocks, ms_max_ix(RD_GRAIN / (r * ms_min_ix(b, RD_COLS)), 1), scan_task, &job);
    return 0;
}
