/* Softmax, normalisations and cross entropy over whole arrays: cuts the work into rows, tiles or channels for the pool.

   16-bit items are widened piece by piece into a buffer and rounded once on the way out. Sums over rows are made per
   chunk of a fixed size and joined in order: results do not depend on the number of threads. */
#include "norm_table.h"
#include "reduce_combine.h"

#define NM_GRAIN 16384          /* items worth a thread */
#define NM_STREAM (8 << 20)     /* results of more bytes bypass the cache */
#define NM_PARTS 32             /* chunks of rows at most */

typedef struct {
    const nm_kernels *k;
    int dt, wide, log, stream, failed;
    ptrdiff_t size, piece; /* of an item; items handled at a time */
    const char *x, *dy, *gamma, *beta;
    const void *mean_in, *rstd_in;
    char *y;
    void *mean, *rstd, *var, *dgamma, *dbeta;
    double eps, *parts;
    ptrdiff_t a, r, b, chunk, groups;
    const int64_t *labels;
    int64_t ignore;
    double smooth, wsum;
} nm_job;

static nm_job new_job(int dt, const void *x, const void *y, ptrdiff_t items, ptrdiff_t row) {
    nm_job job;
    memset(&job, 0, sizeof job);
    job.dt = dt;
    job.wide = dt == MS_F64;
    job.k = NM_PICK(ms_rt_table->isa, job.wide);
    job.size = ms_dt_size(dt);
    job.piece = dt == MS_F32 || dt == MS_F64 ? PTRDIFF_MAX : RD_BLOCK;
    job.x = (const char *)x;
    job.y = (char *)y;
    job.stream = dt <= MS_F64 && items * job.size >= NM_STREAM && (uintptr_t)y % 32 == 0 && row * job.size % 32 == 0;
    return job;
}

static int is16(const nm_job *job) { return job->dt > MS_F64; }
static ptrdiff_t grain(ptrdiff_t items) { return ms_max_ix(NM_GRAIN / ms_max_ix(items, 1), 1); }
static double get(const nm_job *job, const void *p, ptrdiff_t i) { return job->wide ? ((const double *)p)[i] : (double)((const float *)p)[i]; }
static void set(const nm_job *job, void *p, ptrdiff_t i, double v) {
    if (job->wide) ((double *)p)[i] = v;
    else ((float *)p)[i] = (float)v;
}
static const char *at(const nm_job *job, const char *vector, ptrdiff_t i) { return vector ? vector + i * (job->wide ? 8 : 4) : NULL; }

static const void *widen(const nm_job *job, const char *p, ptrdiff_t n, void *buf) {
    if (!is16(job)) return p;
    job->k->load(job->dt, p, n, buf);
    return buf;
}

/* where a kernel may write the n items that end up at y, and the end of that */
static void *target(const nm_job *job, char *y, void *buf) { return is16(job) ? buf : (void *)y; }
static void finish(const nm_job *job, char *y, ptrdiff_t n, const void *buf) {
    if (is16(job)) job->k->store(job->dt, buf, n, y);
}
static void finish_stream(const nm_job *job) {
    if (job->stream) ms_stream_end();
}

/* ---- softmax ---- */

static void softmax_rows(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    nm_job *job = (nm_job *)ctx;
    ptrdiff_t n = job->r, item = job->wide ? 8 : 4;
    int need = is16(job) || job->stream;
    char *buf = need ? (char *)ms_rt_table->alloc((size_t)(2 * n * item)) : NULL;
    (void)worker;
    if (need && !buf) {
        job->failed = 1;
        return;
    }
    for (ptrdiff_t i = begin; i < end; i++) {
        char *y = job->y + i * n * job->size;
        const void *x = widen(job, job->x + i * n * job->size, n, buf);
        if (job->dy) {
            const void *g = widen(job, job->dy + i * n * job->size, n, buf + n * item);
            void *to = target(job, y, buf + n * item);
            job->k->softmax_grad(g, x, to, n, job->log);
            finish(job, y, n, to);
        } else {
            void *to = target(job, y, buf);
            job->k->softmax(x, job->stream ? (void *)buf : to, to, n, job->log, job->stream);
            finish(job, y, n, to);
        }
    }
    finish_stream(job);
    ms_rt_table->release(buf);
}

static void copy_tile(const nm_job *job, const char *src, char *tile, ptrdiff_t w) {
    ptrdiff_t item = job->wide ? 8 : 4;
    for (ptrdiff_t i = 0; i < job->r; i++) job->k->load(job->dt, src + i * job->b * job->size, w, tile + i * w * item);
}

static void softmax_tiles(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    nm_job *job = (nm_job *)ctx;
    ptrdiff_t blocks = (job->b + NM_TILE - 1) / NM_TILE, item = job->wide ? 8 : 4;
    ptrdiff_t bytes = job->r * ms_min_ix(job->b, NM_TILE) * item;
    char *tile = (char *)ms_rt_table->alloc((size_t)(bytes * (job->dy ? 2 : 1)));
    (void)worker;
    if (!tile) {
        job->failed = 1;
        return;
    }
    for (ptrdiff_t t = begin; t < end; t++) {
        ptrdiff_t first = t % blocks * NM_TILE, w = ms_min_ix(NM_TILE, job->b - first);
        ptrdiff_t off = (t / blocks * job->r * job->b + first) * job->size;
        copy_tile(job, (job->dy ? job->dy : job->x) + off, tile, w);
        if (job->dy) {
            copy_tile(job, job->x + off, tile + bytes, w);
            job->k->softmax_grad_tile(tile, tile + bytes, job->r, w, job->log);
        } else {
            job->k->softmax_tile(tile, job->r, w, job->log);
        }
        for (ptrdiff_t i = 0; i < job->r; i++) job->k->store(job->dt, tile + i * w * item, w, job->y + off + i * job->b * job->size);
    }
    ms_rt_table->release(tile);
}

static int run_softmax(nm_job *job, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b) {
    if (a * r * b == 0) return 0;
    job->r = r;
    job->b = b;
    if (b == 1) ms_rt_table->parallel_for(a, grain(r), softmax_rows, job);
    else ms_rt_table->parallel_for(a * ((b + NM_TILE - 1) / NM_TILE), grain(r * ms_min_ix(b, NM_TILE)), softmax_tiles, job);
    return job->failed ? -1 : 0;
}

int nm_softmax(int dt, int log, const void *x, void *y, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b) {
    nm_job job = new_job(dt, x, y, a * r * b, r);
    job.log = log;
    return run_softmax(&job, a, r, b);
}

int nm_softmax_grad(int dt, int log, const void *g, const void *y, void *dx, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b) {
    nm_job job = new_job(dt, y, dx, a * r * b, r);
    job.log = log;
    job.stream = 0;
    job.dy = (const char *)g;
    return run_softmax(&job, a, r, b);
}

/* ---- pieces that all normalisations share ---- */

static void run_stats(const nm_job *job, const char *x, ptrdiff_t n, float *buf, rd_state *s) {
    for (ptrdiff_t i = 0; i < n;) {
        ptrdiff_t m = ms_min_ix(job->piece, n - i);
        job->k->stats(widen(job, x + i * job->size, m, buf), m, s);
        i += m;
    }
}

static void run_affine(const nm_job *job, const char *x, char *y, ptrdiff_t n, double c, double a, double b, float *buf) {
    for (ptrdiff_t i = 0; i < n;) {
        ptrdiff_t m = ms_min_ix(job->piece, n - i);
        void *to = target(job, y + i * job->size, buf);
        job->k->affine(widen(job, x + i * job->size, m, buf), to, m, c, a, b, job->stream);
        finish(job, y + i * job->size, m, to);
        i += m;
    }
}

static void run_dots(const nm_job *job, const char *dy, const char *x, const char *gamma, ptrdiff_t n, double c, float *buf, double *s) {
    for (ptrdiff_t i = 0; i < n;) {
        ptrdiff_t m = ms_min_ix(job->piece, n - i);
        const void *d = widen(job, dy + i * job->size, m, buf), *v = widen(job, x + i * job->size, m, buf + RD_BLOCK);
        job->k->dots(d, v, at(job, gamma, i), m, c, s);
        i += m;
    }
}

static void run_affine2(const nm_job *job, const char *dy, const char *x, char *dx, ptrdiff_t n, double a, double c, double b, double d,
                        float *buf) {
    for (ptrdiff_t i = 0; i < n;) {
        ptrdiff_t m = ms_min_ix(job->piece, n - i);
        const void *g = widen(job, dy + i * job->size, m, buf), *v = widen(job, x + i * job->size, m, buf + RD_BLOCK);
        void *to = target(job, dx + i * job->size, buf);
        job->k->affine2(g, v, to, m, a, c, b, d);
        finish(job, dx + i * job->size, m, to);
        i += m;
    }
}

static double param(const nm_job *job, const char *p, ptrdiff_t i, double otherwise) { return p ? get(job, p, i) : otherwise; }

/* ---- layer norm and root mean square norm: rows of r items ---- */

static void layer_rows(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const nm_job *job = (const nm_job *)ctx;
    float buf[RD_BLOCK];
    ptrdiff_t n = job->r;
    (void)worker;
    for (ptrdiff_t row = begin; row < end; row++) {
        const char *x = job->x + row * n * job->size;
        char *y = job->y + row * n * job->size;
        rd_state s = rd_start(RD_VAR);
        if (job->mean) {
            run_stats(job, x, n, buf, &s);
            set(job, job->mean, row, s.a);
        } else {
            for (ptrdiff_t i = 0; i < n; i += RD_BLOCK) {
                ptrdiff_t m = ms_min_ix(RD_BLOCK, n - i);
                s.b += job->k->sumsq(widen(job, x + i * job->size, m, buf), m);
            }
        }
        double rstd = 1 / sqrt(s.b / (double)n + job->eps);
        set(job, job->rstd, row, rstd);
        for (ptrdiff_t i = 0; i < n;) {
            ptrdiff_t m = ms_min_ix(job->piece, n - i);
            void *to = target(job, y + i * job->size, buf);
            job->k->scale(widen(job, x + i * job->size, m, buf), to, m, s.a, rstd, at(job, job->gamma, i), at(job, job->beta, i), job->stream);
            finish(job, y + i * job->size, m, to);
            i += m;
        }
    }
    finish_stream(job);
}

void nm_layer(int dt, const void *x, const void *gamma, const void *beta, double eps, void *y, void *mean, void *rstd,
              ptrdiff_t rows, ptrdiff_t n) {
    nm_job job = new_job(dt, x, y, rows * n, n);
    job.gamma = (const char *)gamma;
    job.beta = (const char *)beta;
    job.eps = eps;
    job.mean = mean;
    job.rstd = rstd;
    job.r = n;
    ms_rt_table->parallel_for(rows, grain(n), layer_rows, &job);
}

static void layer_grad_chunks(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    nm_job *job = (nm_job *)ctx;
    ptrdiff_t n = job->r, item = job->wide ? 8 : 4;
    float buf[2 * RD_BLOCK];
    char *acc = (char *)ms_rt_table->alloc((size_t)(2 * n * item));
    (void)worker;
    if (!acc) {
        job->failed = 1;
        return;
    }
    memset(acc, 0, (size_t)(2 * n * item));
    for (ptrdiff_t c = begin; c < end; c++) {
        double *total = job->parts + c * 2 * n;
        ptrdiff_t last = ms_min_ix((c + 1) * job->chunk, job->a);
        memset(total, 0, (size_t)(2 * n) * sizeof(double));
        for (ptrdiff_t row = c * job->chunk; row < last; row++) {
            ptrdiff_t off = row * n * job->size;
            double mean = job->mean_in ? get(job, job->mean_in, row) : 0, rstd = get(job, job->rstd_in, row), s[2] = {0, 0};
            run_dots(job, job->dy + off, job->x + off, job->gamma, n, mean, buf, s);
            double c0 = job->mean_in ? s[0] / (double)n : 0, c1 = s[1] * rstd / (double)n;
            for (ptrdiff_t i = 0; i < n;) {
                ptrdiff_t m = ms_min_ix(job->piece, n - i);
                char *dx = job->y + off + i * job->size;
                const void *d = widen(job, job->dy + off + i * job->size, m, buf);
                const void *x = widen(job, job->x + off + i * job->size, m, buf + RD_BLOCK);
                void *to = target(job, dx, buf);
                job->k->norm_dx(d, x, at(job, job->gamma, i), to, m, mean, rstd, c0, c1, acc + i * item, acc + (n + i) * item);
                finish(job, dx, m, to);
                i += m;
            }
            if ((row - c * job->chunk) % 32 == 31 || row == last - 1) job->k->flush(acc, total, 2 * n);
        }
    }
    ms_rt_table->release(acc);
}

int nm_layer_grad(int dt, const void *dy, const void *x, const void *mean, const void *rstd, const void *gamma, void *dx,
                  void *dgamma, void *dbeta, ptrdiff_t rows, ptrdiff_t n) {
    nm_job job = new_job(dt, x, dx, 0, n);
    ptrdiff_t chunks;
    job.dy = (const char *)dy;
    job.mean_in = mean;
    job.rstd_in = rstd;
    job.gamma = (const char *)gamma;
    job.a = rows;
    job.r = n;
    if (n == 0) return 0;
    job.chunk = ms_max_ix((rows + NM_PARTS - 1) / NM_PARTS, grain(n));
    chunks = (rows + job.chunk - 1) / job.chunk;
    job.parts = (double *)ms_rt_table->alloc((size_t)(ms_max_ix(chunks, 1) * 2 * n) * sizeof(double));
    if (!job.parts) return -1;
    ms_rt_table->parallel_for(chunks, 1, layer_grad_chunks, &job);
    for (ptrdiff_t i = 0; i < 2 * n && !job.failed; i++) {
        double t = 0;
        void *to = i < n ? dgamma : dbeta;
        for (ptrdiff_t c = 0; c < chunks; c++) t += job.parts[c * 2 * n + i];
        if (to) set(&job, to, i < n ? i : i - n, t);
    }
    ms_rt_table->release(job.parts);
    return job.failed ? -1 : 0;
}

/* ---- batch norm: (a, r, b) = (batch, channels, places) ---- */

static void batch_channels(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const nm_job *job = (const nm_job *)ctx;
    float buf[RD_BLOCK];
    (void)worker;
    for (ptrdiff_t c = begin; c < end; c++) {
        rd_state s = rd_start(RD_VAR);
        ptrdiff_t first = c * job->b * job->size, jump = job->r * job->b * job->size;
        for (ptrdiff_t i = 0; i < job->a; i++) run_stats(job, job->x + first + i * jump, job->b, buf, &s);
        double var = s.b / (double)(job->a * job->b), rstd = 1 / sqrt(var + job->eps);
        double scale = rstd * param(job, job->gamma, c, 1), shift = param(job, job->beta, c, 0);
        set(job, job->mean, c, s.a);
        set(job, job->var, c, var);
        set(job, job->rstd, c, rstd);
        for (ptrdiff_t i = 0; i < job->a; i++) run_affine(job, job->x + first + i * jump, job->y + first + i * jump, job->b, s.a, scale, shift, buf);
    }
    finish_stream(job);
}

static void batch_planes(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const nm_job *job = (const nm_job *)ctx;
    float buf[RD_BLOCK];
    (void)worker;
    for (ptrdiff_t i = begin; i < end; i++) {
        ptrdiff_t c = i % job->r, off = i * job->b * job->size;
        double scale = get(job, job->rstd_in, c) * param(job, job->gamma, c, 1);
        run_affine(job, job->x + off, job->y + off, job->b, get(job, job->mean_in, c), scale, param(job, job->beta, c, 0), buf);
    }
    finish_stream(job);
}

static void batch_grad_channels(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const nm_job *job = (const nm_job *)ctx;
    float buf[2 * RD_BLOCK];
    double count = (double)(job->a * job->b);
    (void)worker;
    for (ptrdiff_t c = begin; c < end; c++) {
        ptrdiff_t first = c * job->b * job->size, jump = job->r * job->b * job->size;
        double mean = get(job, job->mean_in, c), rstd = get(job, job->rstd_in, c), gain = rstd * param(job, job->gamma, c, 1), s[2] = {0, 0};
        for (ptrdiff_t i = 0; i < job->a; i++) run_dots(job, job->dy + first + i * jump, job->x + first + i * jump, NULL, job->b, mean, buf, s);
        set(job, job->dbeta, c, s[0]);
        set(job, job->dgamma, c, s[1] * rstd);
        for (ptrdiff_t i = 0; i < job->a; i++)
            run_affine2(job, job->dy + first + i * jump, job->x + first + i * jump, job->y + first + i * jump, job->b, gain, mean,
                        -gain * rstd * rstd * s[1] / count, -gain * s[0] / count, buf);
    }
}

static nm_job batch_job(int dt, const void *x, const void *gamma, const void *beta, const void *y, ptrdiff_t n, ptrdiff_t c, ptrdiff_t l) {
    nm_job job = new_job(dt, x, y, n * c * l, l);
    job.gamma = (const char *)gamma;
    job.beta = (const char *)beta;
    job.a = n;
    job.r = c;
    job.b = l;
    return job;
}

void nm_batch(int dt, const void *x, const void *gamma, const void *beta, double eps, void *y, void *mean, void *var, void *rstd,
              ptrdiff_t n, ptrdiff_t c, ptrdiff_t l) {
    nm_job job = batch_job(dt, x, gamma, beta, y, n, c, l);
    job.eps = eps;
    job.mean = mean;
    job.var = var;
    job.rstd = rstd;
    ms_rt_table->parallel_for(c, grain(n * l), batch_channels, &job);
}

void nm_batch_infer(int dt, const void *x, const void *gamma, const void *beta, const void *mean, const void *rstd, void *y,
                    ptrdiff_t n, ptrdiff_t c, ptrdiff_t l) {
    nm_job job = batch_job(dt, x, gamma, beta, y, n, c, l);
    job.mean_in = mean;
    job.rstd_in = rstd;
    ms_rt_table->parallel_for(n * c, grain(l), batch_planes, &job);
}

void nm_batch_grad(int dt, const void *dy, const void *x, const void *mean, const void *rstd, const void *gamma, void *dx,
                   void *dgamma, void *dbeta, ptrdiff_t n, ptrdiff_t c, ptrdiff_t l) {
    nm_job job = batch_job(dt, x, gamma, NULL, dx, n, c, l);
    job.dy = (const char *)dy;
    job.mean_in = mean;
    job.rstd_in = rstd;
    job.dgamma = dgamma;
    job.dbeta = dbeta;
    ms_rt_table->parallel_for(c, grain(n * l), batch_grad_channels, &job);
}

/* ---- group norm: (a, r, b) = (batch, channels of a group, places); a task is one group of one sample ---- */

static void group_tasks(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const nm_job *job = (const nm_job *)ctx;
    float buf[RD_BLOCK];
    ptrdiff_t n = job->r * job->b;
    (void)worker;
    for (ptrdiff_t t = begin; t < end; t++) {
        rd_state s = rd_start(RD_VAR);
        ptrdiff_t off = t * n * job->size, channel = t % job->groups * job->r;
        run_stats(job, job->x + off, n, buf, &s);
        double rstd = 1 / sqrt(s.b / (double)n + job->eps);
        set(job, job->mean, t, s.a);
        set(job, job->rstd, t, rstd);
        for (ptrdiff_t c = 0; c < job->r; c++) {
            ptrdiff_t run = off + c * job->b * job->size;
            run_affine(job, job->x + run, job->y + run, job->b, s.a, rstd * param(job, job->gamma, channel + c, 1),
                       param(job, job->beta, channel + c, 0), buf);
        }
    }
    finish_stream(job);
}

static void group_grad_tasks(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const nm_job *job = (const nm_job *)ctx;
    float buf[2 * RD_BLOCK];
    ptrdiff_t n = job->r * job->b;
    (void)worker;
    for (ptrdiff_t t = begin; t < end; t++) {
        ptrdiff_t off = t * n * job->size, channel = t % job->groups * job->r;
        double mean = get(job, job->mean_in, t), rstd = get(job, job->rstd_in, t), s0 = 0, s1 = 0;
        double *parts = job->parts + t * job->r * 2;
        for (ptrdiff_t c = 0; c < job->r; c++) {
            ptrdiff_t run = off + c * job->b * job->size;
            double s[2] = {0, 0}, g = param(job, job->gamma, channel + c, 1);
            run_dots(job, job->dy + run, job->x + run, NULL, job->b, mean, buf, s);
            parts[2 * c] = s[0];
            parts[2 * c + 1] = s[1] * rstd;
            s0 += g * s[0];
            s1 += g * s[1];
        }
        for (ptrdiff_t c = 0; c < job->r; c++) {
            ptrdiff_t run = off + c * job->b * job->size;
            run_affine2(job, job->dy + run, job->x + run, job->y + run, job->b, rstd * param(job, job->gamma, channel + c, 1), mean,
                        -rstd * rstd * rstd * s1 / (double)n, -rstd * s0 / (double)n, buf);
        }
    }
}

void nm_group(int dt, const void *x, const void *gamma, const void *beta, double eps, void *y, void *mean, void *rstd,
              ptrdiff_t n, ptrdiff_t groups, ptrdiff_t c, ptrdiff_t l) {
    nm_job job = batch_job(dt, x, gamma, beta, y, n, c, l);
    job.stream = job.stream && groups > 0;
    job.eps = eps;
    job.groups = groups;
    job.mean = mean;
    job.rstd = rstd;
    ms_rt_table->parallel_for(n * groups, grain(c * l), group_tasks, &job);
}

int nm_group_grad(int dt, const void *dy, const void *x, const void *mean, const void *rstd, const void *gamma, void *dx,
                  void *dgamma, void *dbeta, ptrdiff_t n, ptrdiff_t groups, ptrdiff_t c, ptrdiff_t l) {
    nm_job job = batch_job(dt, x, gamma, NULL, dx, n, c, l);
    ptrdiff_t channels = groups * c;
    job.dy = (const char *)dy;
    job.groups = groups;
    job.mean_in = mean;
    job.rstd_in = rstd;
    job.parts = (double *)ms_rt_table->alloc((size_t)(n * channels * 2 + 1) * sizeof(double));
    if (!job.parts) return -1;
    ms_rt_table->parallel_for(n * groups, grain(c * l), group_grad_tasks, &job);
    for (ptrdiff_t j = 0; j < channels; j++) {
        double db = 0, dg = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            db += job.parts[2 * (i * channels + j)];
            dg += job.parts[2 * (i * channels + j) + 1];
        }
        set(&job, dgamma, j, dg);
        set(&job, dbeta, j, db);
    }
    ms_rt_table->release(job.parts);
    return 0;
}

/* ---- cross entropy: a rows of r classes ---- */

static int counts(const nm_job *job, int64_t label) { return label != job->ignore && label >= 0 && label < job->r; }

static void ce_rows(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    nm_job *job = (nm_job *)ctx;
    ptrdiff_t n = job->r, item = job->wide ? 8 : 4;
    char *buf = is16(job) ? (char *)ms_rt_table->alloc((size_t)(n * item)) : NULL;
    (void)worker;
    if (is16(job) && !buf) {
        job->failed = 1;
        return;
    }
    for (ptrdiff_t i = begin; i < end; i++) {
        ptrdiff_t off = i * n * job->size;
        int64_t label = job->labels[i];
        const void *x = widen(job, job->x + off, n, buf);
        void *to = target(job, job->y + off, buf);
        double top, logsum, loss = 0;
        if (job->dy) { /* backward: x is log p */
            double g = get(job, job->dy, i), even = job->smooth / (double)n, own;
            if (!counts(job, label)) g = 0;
            own = counts(job, label) ? param(job, job->gamma, label, 1) * (1 - job->smooth) : 0;
            if (g == 0) memset(to, 0, (size_t)(n * item));
            else job->k->exp_axpy(x, job->gamma, to, n, g * (own + even * job->wsum), g * even);
            if (g != 0) set(job, to, label, get(job, to, label) - g * own);
        } else {
            job->k->lse(x, n, &top, &logsum);
            job->k->shift(x, to, n, top, logsum);
            if (counts(job, label)) loss = -(1 - job->smooth) * param(job, job->gamma, label, 1) * get(job, to, label);
            if (counts(job, label) && job->smooth != 0) loss -= job->smooth / (double)n * job->k->dot(job->gamma, to, n);
            if (job->dgamma) ms_put(job->dt, job->dgamma, i, loss);
        }
        finish(job, job->y + off, n, to);
    }
    ms_rt_table->release(buf);
}

static int run_ce(nm_job *job, const int64_t *labels, const void *weight, int64_t ignore, double smooth, ptrdiff_t n, ptrdiff_t c) {
    job->labels = labels;
    job->gamma = (const char *)weight;
    job->ignore = ignore;
    job->smooth = smooth;
    job->a = n;
    job->r = c;
    if (n * c == 0) return 0;
    job->wsum = weight ? job->k->dot(NULL, weight, c) : (double)c;
    ms_rt_table->parallel_for(n, grain(c), ce_rows, job);
    return job->failed ? -1 : 0;
}

int nm_cross_entropy(int dt, const void *x, const int64_t *labels, const void *weight, int64_t ignore, double smooth, void *loss,
                     void *logp, ptrdiff_t n, ptrdiff_t c) {
    nm_job job = new_job(dt, x, logp, 0, c);
    job.dgamma = loss;
    return run_ce(&job, labels, weight, ignore, smooth, n, c);
}

int nm_cross_entropy_grad(int dt, const void *g, const void *logp, const int64_t *labels, const void *weight, int64_t ignore,
                          double smooth, void *dx, ptrdiff_t n, ptrdiff_t c) {
    nm_job job = new_job(dt, logp, dx, 0, c);
    job.dy = (const char *)g;
    return run_ce(&job, labels, weight, ignore, smooth, n, c);
}
