/* Runs fused blocks; see vm.h. */
#include "vm.h"

#include "ew_stream.h"
#include "ew_view.h"
#include "reduce_combine.h"

enum { SCRATCH = 49152, L1 = 24576, LONGEST = 1024, SKEW = 64, GATHER = 3, SHORT_ROW = 512, FEW_ROWS = 64, CHUNK = 65536 };

static void fill(void *to, int wide, double value, ptrdiff_t n) {
    float f = (float)value;
    if (wide == 8) {
        ew_run(to, (const char *)&value, 0, 8, n);
    } else {
        ew_run(to, (const char *)&f, 0, 4, n);
    }
}

static ew_unary widen(const vm_block *b, int half) {
    return half == VM_F16 ? b->host->half()->f16_to_f32 : b->host->half()->bf16_to_f32;
}

static ew_unary narrow(const vm_block *b, int half) {
    return half == VM_F16 ? b->host->half()->f32_to_f16 : b->host->half()->f32_to_bf16;
}

static ew_unary rounding(const vm_block *b, int half) {
    return half == VM_F16 ? b->host->half()->round_f16 : b->host->half()->round_bf16;
}

/* Where elements [at, at + n) lie one after the other; NULL if they do not. */
static const char *piece(const ew_view *v, ptrdiff_t at, ptrdiff_t n) {
    const char *from = v->data;
    int last = v->ndim - 1;
    if (v->packed) return from + at * v->item;
    ptrdiff_t column = at % v->shape[last];
    if (v->step[last] != v->item || column + n > v->shape[last]) return NULL;
    from += column * v->item;
    at /= v->shape[last];
    for (int d = last - 1; d >= 0; --d) {
        from += at % v->shape[d] * v->step[d];
        at /= v->shape[d];
    }
    return from;
}

static void call(const vm_step *s, const char *const *p, char *out, ptrdiff_t n) {
    switch (s->kernel.arity) {
    case 1: s->kernel.unary(p[s->in[0]], out, n); break;
    case 2: s->kernel.binary(p[s->in[0]], p[s->in[1]], out, n); break;
    default: s->kernel.ternary(p[s->in[0]], p[s->in[1]], p[s->in[2]], out, n);
    }
}

static const char *load(const vm_run *r, int i, ptrdiff_t at, ptrdiff_t n, char *own, char *raw) {
    const vm_block *b = r->block;
    int half = b->input_half[i];
    const char *from = r->in[i].fixed ? NULL : piece(&r->in[i], at, n);
    if (!from) {
        char *to = half ? raw : own;
        if (r->in[i].fixed) {
            ew_run(to, r->in[i].data, 0, r->in[i].item, n);
        } else {
            ew_gather(&r->in[i], at, n, to);
        }
        from = to;
    }
    if (!half) return from;
    widen(b, half)(from, own, n);
    return own;
}

/* What one thread works with: where each slot is at the moment. */
typedef struct frame {
    const vm_run *r;
    const char *p[VM_SLOTS];
    MS_ALIGN(64) char scratch[SCRATCH];
    MS_ALIGN(64) char raw[LONGEST * 8];
} frame;

static void open_frame(frame *f, const vm_run *r, ptrdiff_t longest) {
    const vm_block *b = r->block;
    int slots = b->inputs + b->constants + b->registers;
    f->r = r;
    if (longest > r->length) longest = r->length;
    for (int s = 0; s < slots; ++s) f->p[s] = f->scratch + (ptrdiff_t)s * r->stride;
    for (int k = 0; k < b->constants; ++k) fill(f->scratch + (b->inputs + k) * r->stride, b->wide, b->constant[k], longest);
    for (int i = 0; i < b->inputs; ++i) {
        if (r->in[i].fixed) f->p[i] = load(r, i, 0, longest, f->scratch + i * r->stride, f->raw);
    }
}

/* Elements [at, at + n), n <= length; the values that are reduced are left at `kept` or, packed as well, in an output. */
static void run_piece(frame *f, ptrdiff_t at, ptrdiff_t n, char *const *kept) {
    const vm_run *r = f->r;
    const vm_block *b = r->block;
    const char **p = f->p;
    for (int i = 0; i < b->inputs; ++i) {
        if (!r->in[i].fixed) p[i] = load(r, i, at, n, f->scratch + i * r->stride, f->raw);
    }
    for (int k = 0; k < b->sinks; ++k) p[b->sink[k].slot] = kept[k];
    for (int k = 0; k < b->outputs; ++k) {
        if (!b->output_half[k] && !r->stream) p[b->output_slot[k]] = r->out[k] + at * b->output_item[k];
    }
    for (const vm_step *s = b->steps, *last = s + b->count; s < last; ++s) {
        char *out = (char *)(uintptr_t)p[s->out]; /* a register or an output: memory of our own */
        call(s, p, out, n);
        if (s->round) rounding(b, s->round)(out, out, n);
    }
    for (int k = 0; k < b->outputs; ++k) {
        char *out = r->out[k] + at * b->output_item[k];
        const char *from = p[b->output_slot[k]];
        if (b->output_half[k]) {
            char *to = r->stream ? f->raw : out;
            narrow(b, b->output_half[k])(from, to, n);
            from = to;
        }
        if (r->stream) ew_stream_out(out, from, n * b->output_item[k]);
    }
}

static void run_range(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const vm_run *r = (const vm_run *)ctx;
    frame f;
    (void)worker;
    open_frame(&f, r, end - begin);
    for (ptrdiff_t at = begin; at < end; at += r->length) {
        run_piece(&f, at, end - at < r->length ? end - at : r->length, NULL);
    }
    if (r->stream) ew_stream_done();
}

typedef char sink_room[RD_BLOCK * 8];

/* Elements [at, at + n), n <= RD_BLOCK; sets where the values of each sink begin. */
static void run_block(frame *f, ptrdiff_t at, ptrdiff_t n, sink_room *room, const void **found) {
    const vm_block *b = f->r->block;
    for (ptrdiff_t done = 0; done < n; done += f->r->length) {
        char *kept[VM_SINKS];
        for (int k = 0; k < b->sinks; ++k) kept[k] = room[k] + done * b->wide;
        run_piece(f, at + done, n - done < f->r->length ? n - done : f->r->length, kept);
        for (int k = 0; done == 0 && k < b->sinks; ++k) found[k] = f->p[b->sink[k].slot];
    }
}

static void put(const vm_run *r, int k, ptrdiff_t at, const rd_state *s) {
    const vm_sink *sink = &r->block->sink[k];
    ms_put(sink->type, r->sink_out[k], at, rd_finish(sink->op, sink->finish, (double)r->row, s));
}

/* Rows [begin, end), some of them at a time. */
static void short_rows(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const vm_run *r = (const vm_run *)ctx;
    const vm_block *b = r->block;
    frame f;
    MS_ALIGN(64) sink_room room[VM_SINKS];
    double v[RD_BLOCK / 2];
    const void *x[VM_SINKS];
    ptrdiff_t some = RD_BLOCK / r->row;
    (void)worker;
    open_frame(&f, r, RD_BLOCK);
    for (ptrdiff_t i = begin; i < end; i += some) {
        ptrdiff_t count = ms_min_ix(some, end - i);
        run_block(&f, i * r->row, count * r->row, room, x);
        for (int k = 0; k < b->sinks; ++k) {
            rd_state s = rd_start(b->sink[k].op);
            if (b->wide == 8) r->table->rows_f64(b->sink[k].op, (const double *)x[k], r->row, r->row, count, v);
            else r->table->rows_f32(b->sink[k].op, (const float *)x[k], r->row, r->row, count, v);
            for (ptrdiff_t j = 0; j < count; ++j) {
                s.a = v[j];
                put(r, k, i + j, &s);
            }
        }
    }
    if (r->stream) ew_stream_done();
}

/* Chunks [begin, end) of rows. */
static void long_rows(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const vm_run *r = (const vm_run *)ctx;
    const vm_block *b = r->block;
    frame f;
    MS_ALIGN(64) sink_room room[VM_SINKS];
    const void *x[VM_SINKS];
    (void)worker;
    open_frame(&f, r, RD_BLOCK);
    for (ptrdiff_t i = begin; i < end; ++i) {
        ptrdiff_t origin = i / r->chunks * r->row, at = i % r->chunks * r->chunk, stop = ms_min_ix(at + r->chunk, r->row);
        rd_state s[VM_SINKS];
        for (int k = 0; k < b->sinks; ++k) s[k] = rd_start(b->sink[k].op);
        for (; at < stop; at += RD_BLOCK) {
            ptrdiff_t n = ms_min_ix(stop - at, RD_BLOCK);
            run_block(&f, origin + at, n, room, x);
            for (int k = 0; k < b->sinks; ++k) {
                if (b->wide == 8) r->table->block_f64(b->sink[k].op, (const double *)x[k], n, at, &s[k]);
                else r->table->block_f32(b->sink[k].op, (const float *)x[k], n, at, &s[k]);
            }
        }
        for (int k = 0; k < b->sinks; ++k) {
            if (r->chunks > 1) r->parts[i * b->sinks + k] = s[k];
            else put(r, k, i, &s[k]);
        }
    }
    if (r->stream) ew_stream_done();
}

static int short_form(const vm_block *b, ptrdiff_t rows, ptrdiff_t row) {
    for (int k = 0; k < b->sinks; ++k) {
        if (b->sink[k].op > RD_SUMSQ || b->sink[k].type > MS_F64) return 0;
    }
    return rows > 1 && row > 1 && row <= SHORT_ROW;
}

int vm_reducible(const vm_block *b, ptrdiff_t rows, ptrdiff_t row) {
    return rows > 0 && row > 0 && (short_form(b, rows, row) || rows == 1 || row > 32);
}

static int run_sinks(vm_run *r, ptrdiff_t cost) {
    const vm_block *b = r->block;
    ptrdiff_t grain = EW_WORTH_A_THREAD / cost;
    if (short_form(b, r->rows, r->row)) {
        ms_rt_table->parallel_for(r->rows, grain / r->row, short_rows, r);
        return 0;
    }
    r->chunk = r->rows < FEW_ROWS && r->row > CHUNK ? CHUNK : r->row;
    r->chunks = (r->row + r->chunk - 1) / r->chunk;
    r->parts = NULL;
    if (r->chunks > 1) {
        r->parts = (rd_state *)ms_rt_table->alloc((size_t)(r->rows * r->chunks * b->sinks) * sizeof(rd_state));
        if (!r->parts) return -1;
    }
    ms_rt_table->parallel_for(r->rows * r->chunks, grain / r->chunk, long_rows, r);
    for (ptrdiff_t i = 0; r->parts && i < r->rows; ++i) {
        for (int k = 0; k < b->sinks; ++k) {
            rd_state s = rd_start(b->sink[k].op);
            for (ptrdiff_t c = 0; c < r->chunks; ++c) rd_combine(b->sink[k].op, &s, &r->parts[(i * r->chunks + c) * b->sinks + k]);
            put(r, k, i, &s);
        }
    }
    ms_rt_table->release(r->parts);
    return 0;
}

int vm_execute(vm_run *r, ptrdiff_t n) {
    const vm_block *b = r->block;
    int slots = b->inputs + b->constants + b->registers, busy = b->constants + b->registers + 1;
    ptrdiff_t cost = b->cost + b->outputs * (b->wide / 4), largest = 0, room;
    if (n <= 0) return 0;
    for (int i = 0; i < b->inputs; ++i) {
        const ew_view *v = &r->in[i];
        busy += !v->packed || b->input_half[i];
        if (!v->packed && !v->fixed) cost += GATHER;
        cost += b->input_half[i] ? 2 : b->wide / 4;
    }
    for (int k = 0; k < b->outputs; ++k) largest = b->output_item[k] > largest ? b->output_item[k] : largest;
    r->stream = EW_STREAM && n * largest >= EW_STREAM_FROM;
    room = L1 / (busy * b->wide);
    ptrdiff_t most = (SCRATCH / slots - SKEW) / b->wide;
    room = room > most ? most : room;
    room = room > LONGEST ? LONGEST : room < 64 ? 64 : room / 64 * 64;
    if (n < room) room = (n + 15) / 16 * 16;
    r->length = room;
    r->stride = (int)(room * b->wide + SKEW);
    if (cost < 1) cost = 1;
    if (b->sinks) return run_sinks(r, cost + 1);
    ms_rt_table->parallel_for(n, EW_WORTH_A_THREAD / cost, run_range, r);
    return 0;
}
