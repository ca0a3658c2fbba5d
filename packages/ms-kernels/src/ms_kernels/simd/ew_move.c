/* Passes that move elements: choice by a mask, change of type, packing a strided array. */
#include "ew_host.h"
#include "ew_job.h"
#include "ew_view.h"

static void select_pairs(const void *c_, const void *x_, const void *y_, void *out_, ptrdiff_t n) {
    const uint8_t *c = (const uint8_t *)c_;
    const ew_pair *x = (const ew_pair *)x_, *y = (const ew_pair *)y_;
    ew_pair *out = (ew_pair *)out_;
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = c[i] ? x[i] : y[i];
}

static const ew_selects *selects(void) {
#if defined(MS_X86)
    if (ms_rt_table->isa >= 1) return &ew_selects_avx2;
#endif
    return &ew_selects_base;
}

void ew_run_where(const ew_view *cond, const ew_view *x, const ew_view *y, void *out, ptrdiff_t n) {
    ew_job j = {.arity = 3, .cost = 4, .in = {cond, x, y}, .out = (char *)out, .out_item = x->item};
    switch (x->item) {
    case 1: j.ternary = selects()->by_1; break;
    case 2: j.ternary = selects()->by_2; break;
    case 4: j.ternary = selects()->by_4; break;
    case 8: j.ternary = selects()->by_8; break;
    default: j.ternary = select_pairs;
    }
    ew_run_job(&j, n);
}

#define EW_CAST(from, to, F, R) \
    static void cast_##from##_##to(const void *x_, void *out_, ptrdiff_t n) { \
        const F *x = (const F *)x_; \
        R *out = (R *)out_; \
        for (ptrdiff_t i = 0; i < n; ++i) out[i] = (R)x[i]; \
    }
EW_CAST(f32, f64, float, double)
EW_CAST(f32, i32, float, int32_t)
EW_CAST(f32, i64, float, int64_t)
EW_CAST(f64, f32, double, float)
EW_CAST(f64, i32, double, int32_t)
EW_CAST(f64, i64, double, int64_t)
EW_CAST(u8, f32, uint8_t, float)
EW_CAST(u8, f64, uint8_t, double)
EW_CAST(u8, i32, uint8_t, int32_t)
EW_CAST(u8, i64, uint8_t, int64_t)
EW_CAST(i32, f32, int32_t, float)
EW_CAST(i32, f64, int32_t, double)
EW_CAST(i32, i64, int32_t, int64_t)
EW_CAST(i64, f32, int64_t, float)
EW_CAST(i64, f64, int64_t, double)
EW_CAST(i64, i32, int64_t, int32_t)

static void same_f32(const void *x, void *out, ptrdiff_t n) { memcpy(out, x, (size_t)n * 4); }

/* Columns as in ew_type; an empty place has no loop of its own (NumPy's will do). */
static const ew_unary casts[EW_TYPE_COUNT][EW_TYPE_COUNT] = {
    {same_f32, cast_f32_f64, 0, 0, 0, cast_f32_i32, cast_f32_i64},
    {cast_f64_f32, 0, 0, 0, 0, cast_f64_i32, cast_f64_i64},
    {0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 0, 0},
    {cast_u8_f32, cast_u8_f64, 0, 0, 0, cast_u8_i32, cast_u8_i64},
    {cast_i32_f32, cast_i32_f64, 0, 0, 0, 0, cast_i32_i64},
    {cast_i64_f32, cast_i64_f64, 0, 0, 0, cast_i64_i32, 0},
};
static const char out_items[EW_TYPE_COUNT] = {4, 8, 2, 2, 1, 4, 8};

static int is_half(int type) { return type == EW_F16 || type == EW_BF16; }

int ew_run_cast(int from, int to, const ew_view *x, void *out, ptrdiff_t n) {
    const ew_half *half = ew_half_loops();
    ew_job j = {.arity = 1, .cost = 4, .in = {x}, .out = (char *)out, .out_item = out_items[to]};
    /* To a 16-bit type in two roundings would be wrong: only from what float32 holds exactly. */
    if (is_half(to) && from != EW_F32 && from != EW_U8 && !is_half(from)) return 0;
    ew_unary widen = from == EW_F16 ? half->f16_to_f32 : from == EW_BF16 ? half->bf16_to_f32 : NULL;
    ew_unary narrow = to == EW_F16 ? half->f32_to_f16 : to == EW_BF16 ? half->f32_to_bf16 : NULL;
    if (widen && to == EW_F32) {
        j.unary = widen;
    } else if (narrow && from == EW_F32) {
        j.unary = narrow;
    } else {
        j.unary = casts[widen ? EW_F32 : from][narrow ? EW_F32 : to];
        j.widen = widen;
        j.narrow = narrow;
        if (!j.unary) return 0;
    }
    ew_run_job(&j, n);
    return 1;
}

#define EW_LOGICAL(name, OP) \
    static void logical_##name(const void *x_, const void *y_, void *out_, ptrdiff_t n) { \
        const uint8_t *x = (const uint8_t *)x_, *y = (const uint8_t *)y_; \
        uint8_t *out = (uint8_t *)out_; \
        for (ptrdiff_t i = 0; i < n; ++i) out[i] = x[i] OP y[i]; \
    }
EW_LOGICAL(and, &)
EW_LOGICAL(or, |)
EW_LOGICAL(xor, ^)

static void logical_not(const void *x_, void *out_, ptrdiff_t n) {
    const uint8_t *x = (const uint8_t *)x_;
    uint8_t *out = (uint8_t *)out_;
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = x[i] ^ 1;
}

static void same_f64(const void *x, void *out, ptrdiff_t n) { memcpy(out, x, (size_t)n * 8); }

int ew_find_move(const char *name, int is_double, ew_kernel *k) {
    static const ew_kernel moves[] = {
        {.arity = 3, .cost = 4, .from_bool = 1},
        {.arity = 3, .cost = 8, .from_bool = 1},
        {.arity = 1, .cost = 2, .from_bool = 1, .unary = cast_u8_f32},
        {.arity = 1, .cost = 4, .from_bool = 1, .unary = cast_u8_f64},
        {.arity = 1, .cost = 2, .unary = same_f32},
        {.arity = 1, .cost = 4, .unary = same_f64},
        {.arity = 2, .cost = 1, .from_bool = 2, .to_bool = 1, .binary = logical_and},
        {.arity = 2, .cost = 1, .from_bool = 2, .to_bool = 1, .binary = logical_or},
        {.arity = 2, .cost = 1, .from_bool = 2, .to_bool = 1, .binary = logical_xor},
        {.arity = 1, .cost = 1, .from_bool = 1, .to_bool = 1, .unary = logical_not},
    };
    static const char *const names[] = {
        "where", "from_bool", "copy", "logical_and", "logical_or", "logical_xor", "logical_not"};
    for (int i = 0; i < 7; ++i) {
        if (strcmp(names[i], name) != 0) continue;
        *k = moves[i < 3 ? 2 * i + (is_double != 0) : i + 3];
        if (i == 0) k->ternary = is_double ? selects()->by_8 : selects()->by_4;
        return 1;
    }
    return 0;
}

typedef struct copy_job {
    const ew_view *x;
    char *out;
    int along;             /* the dimension whose elements are neighbours in memory, if that is not the last */
    ptrdiff_t left; /* elements of the result between two neighbours */
} copy_job;

enum { TILE = 32 };

#define EW_TURN(W) \
    case sizeof(W): \
        for (ptrdiff_t i = 0; i < rows; ++i) { \
            W *to = (W *)(out + i * out_step); \
            const char *source = from + i * (ptrdiff_t)sizeof(W); \
            for (ptrdiff_t k = 0; k < cols; ++k) to[k] = *(const W *)(source + k * step); \
        } \
        break;

/* out[i][k] = from[k][i] for one small tile: both sides stay in the first-level cache */
static void turn_tile(char *out, ptrdiff_t out_step, const char *from, ptrdiff_t step, int item, ptrdiff_t rows,
                      ptrdiff_t cols) {
    switch (item) {
        EW_TURN(uint8_t)
        EW_TURN(uint16_t)
        EW_TURN(uint32_t)
        EW_TURN(uint64_t)
        EW_TURN(ew_pair)
    }
}

/* Ranges count strips: TILE neighbours of dimension `along`, all of the last dimension, one place in the others. */
static void copy_strips(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const copy_job *j = (const copy_job *)ctx;
    const ew_view *v = j->x;
    int last = v->ndim - 1;
    ptrdiff_t strips = (v->shape[j->along] + TILE - 1) / TILE, cols = v->shape[last];
    (void)worker;
    for (ptrdiff_t at = begin; at < end; ++at) {
        ptrdiff_t rest = at / strips, row = at % strips * TILE, scale = 1, place = 0;
        const char *from = v->data + row * v->item;
        for (int d = last; d >= 0; --d) {
            if (d != last && d != j->along) {
                ptrdiff_t i = rest % v->shape[d];
                rest /= v->shape[d];
                from += i * v->step[d];
                place += i * scale;
            }
            scale *= v->shape[d];
        }
        ptrdiff_t rows = v->shape[j->along] - row < TILE ? v->shape[j->along] - row : TILE;
        char *out = j->out + (place + row * j->left) * v->item;
        for (ptrdiff_t k = 0; k < cols; k += TILE) {
            ptrdiff_t n = cols - k < TILE ? cols - k : TILE;
            turn_tile(out + k * v->item, j->left * v->item, from + k * v->step[last], v->step[last], v->item, rows, n);
        }
    }
}

static void copy_range(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const copy_job *j = (const copy_job *)ctx;
    char *out = j->out + begin * j->x->item;
    (void)worker;
    if (j->x->packed) {
        memcpy(out, j->x->data + begin * j->x->item, (size_t)((end - begin) * j->x->item));
    } else if (j->x->fixed) {
        ew_run(out, j->x->data, 0, j->x->item, end - begin);
    } else {
        ew_gather(j->x, begin, end - begin, out);
    }
}

void ew_run_copy(const ew_view *x, void *out, ptrdiff_t n) {
    copy_job j = {x, (char *)out, -1, 1};
    if (n <= 0) return;
    int last = x->ndim - 1, turns = x->item == 1 || x->item == 2 || x->item == 4 || x->item == 8 || x->item == 16;
    for (int d = 0; turns && !x->fixed && d < last; ++d) {
        if (x->step[d] == x->item && x->shape[d] >= 4 && x->shape[last] >= 4) j.along = d;
    }
    if (j.along < 0) {
        ms_rt_table->parallel_for(n, x->packed ? 65536 : 16384, copy_range, &j);
        return;
    }
    for (int d = last; d > j.along; --d) j.left *= x->shape[d];
    ptrdiff_t strips = n / (x->shape[j.along] * x->shape[last]) * ((x->shape[j.along] + TILE - 1) / TILE);
    ptrdiff_t strip = TILE * x->shape[last];
    ms_rt_table->parallel_for(strips, 32768 / strip + 1, copy_strips, &j);
}
