/* Products of many matrices, cut into tiles of the output for the one thread pool; BLAS works on one tile at a time. */
#include "gemm.h"

#include <limits.h>
#include <string.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef void (*sgemm_fn)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void (*dgemm_fn)(int, int, int, int, int, int, double, const double *, int, const double *, int, double,
                         double *, int);
typedef void (*zgemm_fn)(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *,
                         void *, int);

typedef void (*sgemv_fn)(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void (*dgemv_fn)(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);

static sgemm_fn blas_s;
static dgemm_fn blas_d;
static zgemm_fn blas_c, blas_z;
static sgemv_fn blas_sv;
static dgemv_fn blas_dv;

void ms_gemm_set_blas(void *const fns[6])
{
    /* through memcpy: ISO C has no cast from a data to a function pointer */
    memcpy(&blas_s, &fns[0], sizeof blas_s);
    memcpy(&blas_d, &fns[1], sizeof blas_d);
    memcpy(&blas_c, &fns[2], sizeof blas_c);
    memcpy(&blas_z, &fns[3], sizeof blas_z);
    memcpy(&blas_sv, &fns[4], sizeof blas_sv);
    memcpy(&blas_dv, &fns[5], sizeof blas_dv);
}

typedef struct {
    const ms_gemm_job *job;
    ptrdiff_t parts_m, parts_n, item;
    int failed[1]; /* written by tasks that ran out of memory; any write is the same */
} gemm_ctx;

static const size_t ITEM[] = {4, 8, 8, 16};

/* A product with one row or one column reads its matrix once: packing it, as gemm does, would cost more than that. */
static int vector(const ms_gemm_job *j, const char *a, const char *b, char *c, ptrdiff_t m, ptrdiff_t n)
{
    int column = n == 1, trans = column ? j->ta : !j->tb, k = (int)j->k, len = (int)(column ? m : n);
    const char *mat = column ? a : b, *vec = column ? b : a;
    int ld = (int)(column ? j->lda : j->ldb), step = (int)(column ? (j->tb ? 1 : j->ldb) : (j->ta ? j->lda : 1));
    int rows = trans ? k : len, cols = trans ? len : k, out = column ? (int)j->n : 1;
    if (j->kind == MS_F32)
        blas_sv(ROW_MAJOR, trans ? TRANS : NO_TRANS, rows, cols, 1.0f, (const float *)mat, ld, (const float *)vec, step, 0.0f,
                (float *)c, out);
    else
        blas_dv(ROW_MAJOR, trans ? TRANS : NO_TRANS, rows, cols, 1.0, (const double *)mat, ld, (const double *)vec, step, 0.0,
                (double *)c, out);
    return 0;
}

/* rows [m0, m1) and columns [n0, n1) of one product */
static int tile(const ms_gemm_job *j, const char *a, const char *b, char *c, ptrdiff_t m0, ptrdiff_t m1, ptrdiff_t n0,
                ptrdiff_t n1)
{
    ptrdiff_t size = (ptrdiff_t)ITEM[j->kind], m = m1 - m0, n = n1 - n0;
    int ta = j->ta ? TRANS : NO_TRANS, tb = j->tb ? TRANS : NO_TRANS;
    int fits = j->lda <= INT_MAX && j->ldb <= INT_MAX && j->n <= INT_MAX && m <= INT_MAX && j->k <= INT_MAX;
    a += (j->ta ? m0 : m0 * j->lda) * size;
    b += (j->tb ? n0 * j->ldb : n0) * size;
    c += (m0 * j->n + n0) * size;
    if ((m == 1 || n == 1) && fits && (j->kind == MS_F32 ? blas_sv != NULL : j->kind == MS_F64 && blas_dv))
        return vector(j, a, b, c, m, n);
#define ARGS ROW_MAJOR, ta, tb, (int)m, (int)n, (int)j->k
    if (j->kind == MS_F32) {
        if (blas_s && fits) {
            blas_s(ARGS, 1.0f, (const float *)a, (int)j->lda, (const float *)b, (int)j->ldb, 0.0f, (float *)c, (int)j->n);
            return 0;
        }
        return MS_PICK(ms_kern_f32)
            ->gemm(m, n, j->k, (const float *)a, j->ta ? 1 : j->lda, j->ta ? j->lda : 1, (const float *)b,
                   j->tb ? 1 : j->ldb, j->tb ? j->ldb : 1, (float *)c, j->n);
    }
    if (j->kind == MS_F64) {
        if (blas_d && fits) {
            blas_d(ARGS, 1.0, (const double *)a, (int)j->lda, (const double *)b, (int)j->ldb, 0.0, (double *)c, (int)j->n);
            return 0;
        }
        return MS_PICK(ms_kern_f64)
            ->gemm(m, n, j->k, (const double *)a, j->ta ? 1 : j->lda, j->ta ? j->lda : 1, (const double *)b,
                   j->tb ? 1 : j->ldb, j->tb ? j->ldb : 1, (double *)c, j->n);
    }
    {
        const float one_c[2] = {1, 0}, zero_c[2] = {0, 0};
        const double one_z[2] = {1, 0}, zero_z[2] = {0, 0};
        zgemm_fn fn = j->kind == MS_C64 ? blas_c : blas_z;
        const void *one = j->kind == MS_C64 ? (const void *)one_c : (const void *)one_z;
        const void *zero = j->kind == MS_C64 ? (const void *)zero_c : (const void *)zero_z;
        if (!fn || !fits)
            return -2;
        fn(ARGS, one, a, (int)j->lda, b, (int)j->ldb, zero, c, (int)j->n);
        return 0;
    }
#undef ARGS
}

static void task(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    gemm_ctx *x = (gemm_ctx *)arg;
    const ms_gemm_job *j = x->job;
    ptrdiff_t per = x->parts_m * x->parts_n, i, d;
    (void)worker;
    for (i = begin; i < end; i++) {
        ptrdiff_t batch = i / per, pm = i % per / x->parts_n, pn = i % x->parts_n, rest = batch;
        const char *a = j->a, *b = j->b;
        ptrdiff_t m0 = j->m * pm / x->parts_m, m1 = j->m * (pm + 1) / x->parts_m;
        ptrdiff_t n0 = j->n * pn / x->parts_n, n1 = j->n * (pn + 1) / x->parts_n;
        int failed;
        for (d = j->ndim - 1; d >= 0; d--) {
            a += rest % j->shape[d] * j->as[d];
            b += rest % j->shape[d] * j->bs[d];
            rest /= j->shape[d];
        }
        if (x->parts_n > 1) { /* whole cache lines of c for each task */
            n0 = pn == 0 ? 0 : (n0 + 15) / 16 * 16;
            n1 = pn + 1 == x->parts_n ? j->n : (n1 + 15) / 16 * 16;
        }
        failed = tile(j, a, b, j->c + batch * j->m * j->n * x->item, m0, m1, n0, n1);
        if (failed)
            x->failed[0] = failed;
    }
}

int ms_gemm_run(const ms_gemm_job *job)
{
    gemm_ctx x;
    ptrdiff_t batch = 1, d, threads = ms_rt_table->threads(), parts, grain;
    double work;
    for (d = 0; d < job->ndim; d++)
        batch *= job->shape[d];
    if (batch == 0 || job->m == 0 || job->n == 0)
        return 0;
    if (job->k == 0) {
        memset(job->c, 0, (size_t)(batch * job->m * job->n) * ITEM[job->kind]);
        return 0;
    }
    x.job = job;
    x.item = (ptrdiff_t)ITEM[job->kind];
    x.parts_m = x.parts_n = 1;
    x.failed[0] = 0;
    work = (double)job->m * (double)job->n * (double)job->k; /* of one product */
    if (threads > 1 && batch % threads && batch < 8 * threads && work * (double)batch > 131072.0) {
        parts = threads;
        while (parts > 1 && work / (double)parts < 65536.0)
            parts--;
        if (job->n >= job->m && job->n >= 32 * parts)
            x.parts_n = parts;
        else if (job->m >= parts)
            x.parts_m = parts;
    }
    work /= (double)(x.parts_m * x.parts_n);
    grain = work >= 65536.0 ? 1 : (ptrdiff_t)(65536.0 / work) + 1;
    ms_rt_table->parallel_for(batch * x.parts_m * x.parts_n, grain, task, &x);
    return x.failed[0];
}

typedef struct {
    int kind, back;
    const uint16_t *half;
    const float *full;
    void *dst;
} convert_ctx;

static void convert(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const convert_ctx *x = (const convert_ctx *)arg;
    const ms_half_kern *kern = MS_PICK(ms_half);
    (void)worker;
    if (x->back)
        kern->narrow(x->kind, x->full + begin, (uint16_t *)x->dst + begin, end - begin);
    else
        kern->widen(x->kind, x->half + begin, (float *)x->dst + begin, end - begin);
}

void ms_widen(int kind, const uint16_t *src, float *dst, ptrdiff_t n)
{
    convert_ctx x;
    x.kind = kind, x.back = 0, x.half = src, x.full = NULL, x.dst = dst;
    ms_rt_table->parallel_for(n, 65536, convert, &x);
}

void ms_narrow(int kind, const float *src, uint16_t *dst, ptrdiff_t n)
{
    convert_ctx x;
    x.kind = kind, x.back = 1, x.half = NULL, x.full = src, x.dst = dst;
    ms_rt_table->parallel_for(n, 65536, convert, &x);
}
