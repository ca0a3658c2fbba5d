/* What runs the NPU loops over arrays: blocks, threads, 16-bit types, saturation-relevant flags. */
#include "npu.h"

#include <string.h>

enum { BLOCK = 512, COLUMNS = 64, LEVELS = 64 };

static const char *const NAMES[] = {
#define NAME(name) #name,
    NPU_UNARY(NAME) NULL};

const char *npu_unary_name(int code) { return code >= 0 && code < NPU_UNARY_COUNT ? NAMES[code] : NULL; }

#if defined(MS_X86)
static const npu_loops *loops(void) { return ms_rt_table->isa >= 1 ? &npu_avx2 : &npu_base; }
#else
static const npu_loops *loops(void) { return &npu_base; }
#endif

static ptrdiff_t size_of(int type) { return type == NPU_F32 ? 4 : 2; }

typedef struct job {
    const npu_loops *k;
    int code, type, repeat, by_tree, failed, inverse;
    const char *x, *y;
    char *out;
    ptrdiff_t n, r, b;
    float scale, eps;
    const float *weight, *bias;
    float *mean, *rstd;
    int bad[256]; /* one a worker, so that no two write to one place */
} job;

static int run(job *j, ptrdiff_t n, ptrdiff_t grain, ms_task task) {
    int threads = ms_rt_table->threads(), bad = 0;
    memset(j->bad, 0, sizeof j->bad);
    j->failed = 0;
    j->k = loops();
    ms_rt_table->parallel_for(n, threads > 256 ? n : grain, task, j);
    for (int i = 0; i < 256; ++i) bad |= j->bad[i];
    return j->failed ? -1 : bad != 0;
}

static void unary_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    float in[BLOCK], out[BLOCK];
    ptrdiff_t item = size_of(j->type);
    for (ptrdiff_t i = begin; i < end; i += BLOCK) {
        ptrdiff_t n = end - i < BLOCK ? end - i : BLOCK;
        if (j->type == NPU_F32) {
            const float *x = (const float *)(const void *)(j->x + i * item);
            j->bad[worker] |= j->k->unary[j->code](x, (float *)(void *)(j->out + i * item), n);
            continue;
        }
        j->k->widen(j->type, j->x + i * item, in, n);
        j->bad[worker] |= j->k->unary[j->code](in, out, n);
        j->k->narrow(j->type, out, j->out + i * item, n);
    }
}

int npu_run_unary(int code, int type, const void *x, void *out, ptrdiff_t n) {
    job j = {0};
    j.code = code, j.type = type, j.x = (const char *)x, j.out = (char *)out;
    return run(&j, n, 4096, unary_task);
}

static void saturate_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    ptrdiff_t item = size_of(j->type), step = 4 * BLOCK;
    for (ptrdiff_t i = begin; i < end; i += step) /* small pieces: the second pass, if there is one, reads the cache */
        j->bad[worker] |= j->k->saturate(j->type, j->out + i * item, end - i < step ? end - i : step);
}

int npu_run_saturate(int type, void *x, ptrdiff_t n) {
    job j = {0};
    j.type = type, j.out = (char *)x;
    return run(&j, n, 65536, saturate_task);
}

static void hf32_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    (void)worker;
    j->k->hf32((const float *)(const void *)j->x + begin, (float *)(void *)j->out + begin, end - begin, j->code);
}

int npu_run_hf32(const float *x, float *out, ptrdiff_t n, int away) {
    job j = {0};
    j.code = away, j.x = (const char *)x, j.out = (char *)out;
    return run(&j, n, 65536, hf32_task);
}

static int binary(const job *j, const float *x, const float *y, float *out, ptrdiff_t n) {
    if (j->code == NPU_POWER) return j->k->power(x, y, out, n);
    j->k->maximum(x, y, out, n, j->code == NPU_MINIMUM);
    return 0;
}

static void binary_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    float a[BLOCK], b[BLOCK], c[BLOCK];
    ptrdiff_t item = size_of(j->type);
    for (ptrdiff_t i = begin; i < end; i += BLOCK) {
        ptrdiff_t n = end - i < BLOCK ? end - i : BLOCK, at = i * item;
        if (j->type == NPU_F32) {
            j->bad[worker] |= binary(j, (const float *)(const void *)(j->x + at),
                                     (const float *)(const void *)(j->y + at), (float *)(void *)(j->out + at), n);
            continue;
        }
        j->k->widen(j->type, j->x + at, a, n);
        j->k->widen(j->type, j->y + at, b, n);
        j->bad[worker] |= binary(j, a, b, c, n);
        j->k->narrow(j->type, c, j->out + at, n);
    }
}

int npu_run_binary(int code, int type, const void *x, const void *y, void *out, ptrdiff_t n) {
    job j = {0};
    j.code = code, j.type = type, j.x = (const char *)x, j.y = (const char *)y, j.out = (char *)out;
    return run(&j, n, code == NPU_POWER ? 4096 : 32768, binary_task);
}

static void scan_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    const float *x = (const float *)(const void *)j->x;
    float *out = (float *)(void *)j->out;
    ptrdiff_t size = j->r * j->b;
    if (j->b == 1) {
        j->bad[worker] |= j->k->scan_lines(x + begin * size, out + begin * size, end - begin, j->r);
        return;
    }
    for (ptrdiff_t i = begin; i < end; ++i) j->bad[worker] |= j->k->scan(x + i * size, out + i * size, j->r, j->b);
}

int npu_run_scan(const float *x, float *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b) {
    job j = {0};
    j.x = (const char *)x, j.out = (char *)out, j.r = r, j.b = b;
    return run(&j, a, 8 + 65536 / (1 + r * b), scan_task);
}

/* Room for a row in float32 and for the sums of its repeats. */
static float *row_space(ptrdiff_t n, int rows) {
    return (float *)ms_rt_table->alloc((size_t)(n * rows + 2 * n / 8 + 64) * sizeof(float));
}

static const float *as_floats(const job *j, const char *x, ptrdiff_t n, float *space) {
    if (j->type == NPU_F32) return (const float *)(const void *)x;
    j->k->widen(j->type, x, space, n);
    return space;
}

static void put(job *j, ptrdiff_t at, const float *sum, ptrdiff_t n, int worker) {
    for (ptrdiff_t i = 0; i < n; ++i) j->bad[worker] |= !(sum[i] - sum[i] == 0.0f);
    j->k->narrow(j->type, sum, j->out + at * size_of(j->type), n);
}

static void tree_rows(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    ptrdiff_t item = size_of(j->type);
    float *space = row_space(j->r, 1);
    if (!space) {
        j->failed = 1;
        return;
    }
    for (ptrdiff_t i = begin; i < end; ++i) {
        const float *x = as_floats(j, j->x + i * j->r * item, j->r, space);
        float sum = j->k->tree(x, j->r, j->scale, j->repeat, j->by_tree, space + j->r);
        put(j, i, &sum, 1, worker);
    }
    ms_rt_table->release(space);
}

static void tree_blocks(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    ptrdiff_t item = size_of(j->type), blocks = (j->b + COLUMNS - 1) / COLUMNS;
    float sum[COLUMNS], *space = (float *)ms_rt_table->alloc((size_t)COLUMNS * (2 * LEVELS + 8) * sizeof(float));
    if (!space) {
        j->failed = 1;
        return;
    }
    for (ptrdiff_t i = begin; i < end; ++i) {
        ptrdiff_t a = i / blocks, c = i % blocks * COLUMNS, n = j->b - c < COLUMNS ? j->b - c : COLUMNS;
        j->k->tree_columns(j->type, j->x + (a * j->r * j->b + c) * item, j->r, j->b * item, n, j->scale, j->repeat,
                           j->by_tree, sum, space);
        put(j, a * j->b + c, sum, n, worker);
    }
    ms_rt_table->release(space);
}

enum { PART = 8 }; /* repeats a piece */

/* The repeats of one long row, each to its place. */
static void tree_parts(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    ptrdiff_t item = size_of(j->type), piece = (ptrdiff_t)PART * j->repeat;
    float in[BLOCK];
    (void)worker;
    if (j->type == NPU_F32) {
        ptrdiff_t at = begin * piece, last = end * piece < j->r ? end * piece : j->r;
        j->k->sums((const float *)(const void *)j->x + at, last - at, j->scale, j->repeat, j->mean + begin * PART);
        return;
    }
    for (ptrdiff_t i = begin; i < end; ++i) {
        ptrdiff_t at = i * piece, n = j->r - at < piece ? j->r - at : piece;
        j->k->sums(as_floats(j, j->x + at * item, n, in), n, j->scale, j->repeat, j->mean + i * PART);
    }
}

int npu_run_tree(int type, const void *x, void *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b, float scale, int repeat,
                 int by_tree) {
    job j = {0};
    j.type = type, j.x = (const char *)x, j.out = (char *)out, j.r = r, j.b = b;
    j.scale = scale, j.repeat = repeat, j.by_tree = by_tree;
    if (b > 1) {
        ptrdiff_t work = r * COLUMNS;
        return run(&j, a * ((b + COLUMNS - 1) / COLUMNS), 1 + 32768 / (work > 0 ? work : 1), tree_blocks);
    }
    if (a > 1 || r < 65536) return run(&j, a, 1 + 65536 / (r > 0 ? r : 1), tree_rows);
    ptrdiff_t parts = (r + repeat - 1) / repeat, all = 1;
    while (all < parts) all *= 2;
    j.mean = (float *)ms_rt_table->alloc((size_t)all * sizeof(float));
    if (!j.mean) return -1;
    run(&j, (parts + PART - 1) / PART, 64, tree_parts);
    float sum = j.k->join(j.mean, parts, by_tree);
    ms_rt_table->release(j.mean);
    put(&j, 0, &sum, 1, 0);
    return j.bad[0] != 0;
}

/* Whole rows by a recipe: a layer norm where there are means to write, else a softmax. */
static void recipe_rows(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    ptrdiff_t item = size_of(j->type), n = j->n;
    int half = j->type == NPU_F16;
    float *space = row_space(n, 2), *spare = space + 2 * n;
    if (!space) {
        j->failed = 1;
        return;
    }
    for (ptrdiff_t i = begin; i < end; ++i) {
        const float *x = as_floats(j, j->x + i * n * item, n, space);
        float *y = j->type == NPU_F32 ? (float *)(void *)(j->out + i * n * item) : space + n;
        if (j->mean)
            j->bad[worker] |= j->k->layer_norm(x, j->weight, j->bias, y, n, j->eps, j->repeat, j->by_tree, j->mean + i,
                                               j->rstd + i, spare);
        else j->bad[worker] |= j->k->softmax(x, y, n, half, j->inverse && half, j->repeat, j->by_tree, spare);
        if (j->type != NPU_F32) j->k->narrow(j->type, y, j->out + i * n * item, n);
    }
    ms_rt_table->release(space);
}

int npu_run_softmax(int type, const void *x, void *out, ptrdiff_t rows, ptrdiff_t n, int inverse, int repeat,
                    int by_tree) {
    job j = {0};
    j.type = type, j.x = (const char *)x, j.out = (char *)out, j.n = n;
    j.inverse = inverse, j.repeat = repeat, j.by_tree = by_tree;
    return run(&j, rows, 1 + 8192 / n, recipe_rows);
}

static void turn_task(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    job *j = (job *)ctx;
    ptrdiff_t size = j->r * j->b * j->code;
    (void)worker;
    for (ptrdiff_t i = begin; i < end; ++i) j->k->turn(j->x + i * size, j->out + i * size, j->r, j->b, j->code);
}

void npu_run_turn(const void *x, void *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t b, int item) {
    job j = {0};
    j.code = item, j.x = (const char *)x, j.out = (char *)out, j.r = r, j.b = b;
    run(&j, a, 1 + 65536 / (1 + r * b), turn_task);
}

int npu_run_layer_norm(int type, const void *x, const float *weight, const float *bias, void *out, float *mean,
                       float *rstd, ptrdiff_t rows, ptrdiff_t n, float eps, int repeat, int by_tree) {
    job j = {0};
    j.type = type, j.x = (const char *)x, j.out = (char *)out, j.n = n, j.eps = eps, j.weight = weight, j.bias = bias;
    j.mean = mean, j.rstd = rstd, j.repeat = repeat, j.by_tree = by_tree;
    return run(&j, rows, 1 + 8192 / n, recipe_rows);
}
