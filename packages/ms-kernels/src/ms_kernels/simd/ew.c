/* Runs an elementwise loop over operands of any layout: in blocks that stay in the first-level cache, on the pool when
   that pays, past the cache when the result is far larger than it. */
#include "ew_host.h"
#include "ew_job.h"
#include "ew_stream.h"
#include "ew_view.h"

enum { MAX_ITEM = 16, GATHER_COST = 10, CONVERT_COST = 1 };

void ew_view_init(ew_view *v, const void *data, int item, int ndim, const ptrdiff_t *shape, const ptrdiff_t *step) {
    int n = 0;
    v->data = (const char *)data;
    v->item = item;
    for (int d = 0; d < ndim; ++d) {
        if (shape[d] == 1) continue;
        if (n > 0 && v->step[n - 1] == step[d] * shape[d]) {
            v->shape[n - 1] *= shape[d];
            v->step[n - 1] = step[d];
        } else {
            v->shape[n] = shape[d];
            v->step[n++] = step[d];
        }
    }
    v->ndim = n;
    v->fixed = n == 0 || (n == 1 && v->step[0] == 0);
    v->packed = n == 1 && v->step[0] == item;
}

void ew_view_packed(ew_view *v, const void *data, int item) {
    v->data = (const char *)data;
    v->item = item;
    v->ndim = v->packed = 1;
    v->fixed = 0;
}

void ew_view_fixed(ew_view *v, const void *data, int item) {
    v->data = (const char *)data;
    v->item = item;
    v->ndim = v->packed = 0;
    v->fixed = 1;
}

static void call(const ew_job *j, const char *const p[3], char *out, ptrdiff_t n) {
    switch (j->arity) {
    case 1: j->unary(p[0], out, n); break;
    case 2: j->binary(p[0], p[1], out, n); break;
    default: j->ternary(p[0], p[1], p[2], out, n);
    }
}

static void run_blocks(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const ew_job *j = (const ew_job *)ctx;
    MS_ALIGN(64) char raw[3][EW_BLOCK * MAX_ITEM];
    MS_ALIGN(64) float wide[3][EW_BLOCK];
    MS_ALIGN(64) char result[EW_BLOCK * MAX_ITEM];
    const char *p[3] = {NULL, NULL, NULL};
    (void)worker;
    ptrdiff_t step = j->whole ? end - begin : EW_BLOCK;
    for (int k = 0; k < j->arity; ++k) {
        const ew_view *v = j->in[k];
        if (!v->fixed) continue;
        ptrdiff_t n = end - begin < EW_BLOCK ? end - begin : EW_BLOCK;
        ew_run(raw[k], v->data, 0, v->item, n);
        p[k] = raw[k];
        if (!j->widen) continue;
        j->widen(raw[k], wide[k], n);
        p[k] = (const char *)wide[k];
    }
    for (ptrdiff_t at = begin; at < end; at += step) {
        ptrdiff_t n = end - at < step ? end - at : step;
        for (int k = 0; k < j->arity; ++k) {
            const ew_view *v = j->in[k];
            if (v->fixed) continue;
            const char *from = v->data + at * v->item;
            if (!v->packed) {
                ew_gather(v, at, n, raw[k]);
                from = raw[k];
            }
            if (j->widen) {
                j->widen(from, wide[k], n);
                from = (const char *)wide[k];
            }
            p[k] = from;
        }
        char *out = j->out + at * j->out_item;
        if (j->narrow) {
            call(j, p, result, n);
            if (j->stream) {
                j->narrow(result, raw[0] + EW_BLOCK * 8, n);
                ew_stream_out(out, raw[0] + EW_BLOCK * 8, n * j->out_item);
            } else {
                j->narrow(result, out, n);
            }
        } else if (j->stream) {
            call(j, p, result, n);
            ew_stream_out(out, result, n * j->out_item);
        } else {
            call(j, p, out, n);
        }
    }
    if (j->stream) ew_stream_done();
}

void ew_run_job(ew_job *j, ptrdiff_t n) {
    ptrdiff_t cost = j->cost;
    if (n <= 0) return;
    j->stream = EW_STREAM && n * j->out_item >= EW_STREAM_FROM;
    j->whole = !j->widen;
    for (int k = 0; k < j->arity; ++k) {
        const ew_view *v = j->in[k];
        if (!v->packed) j->whole = 0;
        if (!v->packed && !v->fixed) cost += GATHER_COST;
        if (v->data == j->out) j->stream = 0; /* in place: its lines are in the cache already */
    }
    if (j->widen) cost += j->arity * CONVERT_COST;
    if (j->stream) j->whole = 0;
    ms_rt_table->parallel_for(n, EW_WORTH_A_THREAD / cost, run_blocks, j);
}

const ew_half *ew_half_loops(void) {
#if defined(MS_X86)
    if (ms_rt_table->isa >= 1) return &ew_half_avx2;
#endif
    return &ew_half_base;
}

static const ew_loops *float_loops(int type) {
    if (type == EW_F64) return &ew_f64_base;
#if defined(MS_X86)
    if (ms_rt_table->isa >= 1) return &ew_f32_avx2;
#endif
    return &ew_f32_base;
}

static int true_cost(int type, int cost) {
    if (type == EW_F64) return cost < 5 ? cost * 2 : cost * 15;
    return ms_rt_table->isa >= 1 || cost < 5 ? cost : cost * 3;
}

/* What differs between the four floating types. */
static const ew_loops *prepare(ew_job *j, int type, int cost, int to_bool) {
    const ew_half *half = ew_half_loops();
    memset(j, 0, sizeof *j);
    j->cost = true_cost(type, cost);
    j->out_item = to_bool ? 1 : type == EW_F64 ? 8 : type == EW_F32 ? 4 : 2;
    if (type == EW_F16) {
        j->widen = half->f16_to_f32;
        j->narrow = to_bool ? NULL : half->f32_to_f16;
    } else if (type == EW_BF16) {
        j->widen = half->bf16_to_f32;
        j->narrow = to_bool ? NULL : half->f32_to_bf16;
    }
    return float_loops(type);
}

#define EW_NAME(name, cost) #name,
#define EW_COST(name, cost) cost,
static const char *const unary_names[] = {
    EW_UNARY(EW_NAME) EW_UNARY_GUARDED(EW_NAME) EW_UNARY_SCALAR(EW_NAME) EW_TEST(EW_NAME)};
static const short unary_costs[] = {EW_UNARY(EW_COST) EW_UNARY_GUARDED(EW_COST) EW_UNARY_SCALAR(EW_COST) EW_TEST(EW_COST)};
static const char *const binary_names[] = {EW_BINARY(EW_NAME) EW_BINARY_GUARDED(EW_NAME) EW_COMPARE(EW_NAME)};
static const short binary_costs[] = {EW_BINARY(EW_COST) EW_BINARY_GUARDED(EW_COST) EW_COMPARE(EW_COST)};
static const char *const ternary_names[] = {EW_TERNARY(EW_NAME)};
static const short ternary_costs[] = {EW_TERNARY(EW_COST)};

const char *ew_unary_name(int code) { return code < EW_UNARY_COUNT ? unary_names[code] : NULL; }
const char *ew_binary_name(int code) { return code < EW_BINARY_COUNT ? binary_names[code] : NULL; }
const char *ew_ternary_name(int code) { return code < EW_TERNARY_COUNT ? ternary_names[code] : NULL; }
int ew_unary_is_test(int code) { return code >= EW_FIRST_TEST; }
int ew_binary_is_compare(int code) { return code >= EW_FIRST_COMPARE; }

void ew_run_unary(int code, int type, const ew_view *x, void *out, ptrdiff_t n) {
    ew_job j;
    const ew_loops *loops = prepare(&j, type, unary_costs[code], ew_unary_is_test(code));
    j.arity = 1;
    j.unary = loops->unary[code];
    j.in[0] = x;
    j.out = (char *)out;
    ew_run_job(&j, n);
}

void ew_run_binary(int code, int type, const ew_view *x, const ew_view *y, void *out, ptrdiff_t n) {
    ew_job j;
    if (code == EW_pow && y->fixed && type <= EW_F64) {
        double power = type == EW_F64 ? *(const double *)y->data : (double)*(const float *)y->data;
        if (power == 2.0) {
            ew_run_unary(EW_square, type, x, out, n);
            return;
        }
    }
    const ew_loops *loops = prepare(&j, type, binary_costs[code], ew_binary_is_compare(code));
    j.arity = 2;
    j.binary = loops->binary[code];
    j.in[0] = x;
    j.in[1] = y;
    j.out = (char *)out;
    ew_run_job(&j, n);
}

void ew_run_ternary(int code, int type, const ew_view *x, const ew_view *y, const ew_view *z, void *out, ptrdiff_t n) {
    ew_job j;
    const ew_loops *loops = prepare(&j, type, ternary_costs[code], 0);
    j.arity = 3;
    j.ternary = loops->ternary[code];
    j.in[0] = x;
    j.in[1] = y;
    j.in[2] = z;
    j.out = (char *)out;
    ew_run_job(&j, n);
}

static const char item_sizes[EW_TYPE_COUNT] = {4, 8, 2, 2, 1, 4, 8};

static int is_little(int type, int cost, ptrdiff_t n) {
    return type <= EW_F64 && n * true_cost(type, cost) < EW_WORTH_A_THREAD;
}

void ew_flat_unary(int code, int type, const void *x, void *out, ptrdiff_t n) {
    if (is_little(type, unary_costs[code], n)) {
        float_loops(type)->unary[code](x, out, n);
        return;
    }
    ew_view v;
    ew_view_packed(&v, x, item_sizes[type]);
    ew_run_unary(code, type, &v, out, n);
}

void ew_flat_binary(int code, int type, const void *x, const void *y, void *out, ptrdiff_t n) {
    if (is_little(type, binary_costs[code], n)) {
        float_loops(type)->binary[code](x, y, out, n);
        return;
    }
    ew_view v, w;
    ew_view_packed(&v, x, item_sizes[type]);
    ew_view_packed(&w, y, item_sizes[type]);
    ew_run_binary(code, type, &v, &w, out, n);
}

void ew_flat_scalar(int code, int type, const void *x, double y, int swapped, void *out, ptrdiff_t n) {
    enum { SMALL = 128 };
    MS_ALIGN(16) char value[8];
    float f = (float)y;
    if (type <= EW_F64 && n <= SMALL && code != EW_pow) {
        MS_ALIGN(64) double filled[SMALL];
        if (type == EW_F64) ew_run(filled, (const char *)&y, 0, 8, n); else ew_run(filled, (const char *)&f, 0, 4, n);
        float_loops(type)->binary[code](swapped ? (const void *)filled : x, swapped ? x : (const void *)filled, out, n);
        return;
    }
    if (type == EW_F64) memcpy(value, &y, sizeof y); else memcpy(value, &f, sizeof f);
    if (type == EW_F16) ew_half_loops()->f32_to_f16(&f, value, 1);
    if (type == EW_BF16) ew_half_loops()->f32_to_bf16(&f, value, 1);
    ew_view v, w;
    ew_view_packed(&v, x, item_sizes[type]);
    ew_view_fixed(&w, value, item_sizes[type]);
    if (swapped) {
        ew_run_binary(code, type, &w, &v, out, n);
    } else {
        ew_run_binary(code, type, &v, &w, out, n);
    }
}

static int code_in(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1;
}

void ew_find(const char *name, int is_double, ew_kernel *k) {
    const ew_loops *loops = float_loops(is_double ? EW_F64 : EW_F32);
    int code, type = is_double ? EW_F64 : EW_F32;
    memset(k, 0, sizeof *k);
    if (ew_find_move(name, is_double, k)) return;
    if ((code = code_in(unary_names, EW_UNARY_COUNT, name)) >= 0) {
        k->arity = 1;
        k->unary = loops->unary[code];
        k->cost = true_cost(type, unary_costs[code]);
        k->to_bool = ew_unary_is_test(code);
    } else if ((code = code_in(binary_names, EW_BINARY_COUNT, name)) >= 0) {
        k->arity = 2;
        k->binary = loops->binary[code];
        k->cost = true_cost(type, binary_costs[code]);
        k->to_bool = ew_binary_is_compare(code);
    } else if ((code = code_in(ternary_names, EW_TERNARY_COUNT, name)) >= 0) {
        k->arity = 3;
        k->ternary = loops->ternary[code];
        k->cost = true_cost(type, ternary_costs[code]);
    }
}

static const ew_host host = {ew_find, ew_half_loops, ew_view_init};

const ew_host *ew_host_table(void) { return &host; }
