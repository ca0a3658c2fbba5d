/* Runs fused blocks; see vm.h. */
#include "vm.h"

#include "ew_stream.h"
#include "ew_view.h"

enum { SCRATCH = 49152, L1 = 24576, LONGEST = 1024, SKEW = 64, GATHER = 3 };

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

static void run_range(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker) {
    const vm_run *r = (const vm_run *)ctx;
    const vm_block *b = r->block;
    MS_ALIGN(64) char scratch[SCRATCH];
    MS_ALIGN(64) char raw[LONGEST * 8];
    const char *p[VM_SLOTS];
    int slots = b->inputs + b->constants + b->registers;
    ptrdiff_t longest = end - begin < r->length ? end - begin : r->length;
    (void)worker;
    for (int s = 0; s < slots; ++s) p[s] = scratch + (ptrdiff_t)s * r->stride;
    for (int k = 0; k < b->constants; ++k) fill(scratch + (b->inputs + k) * r->stride, b->wide, b->constant[k], longest);
    for (int i = 0; i < b->inputs; ++i) {
        if (r->in[i].fixed) p[i] = load(r, i, 0, longest, scratch + i * r->stride, raw);
    }
    for (ptrdiff_t at = begin; at < end; at += r->length) {
        ptrdiff_t n = end - at < r->length ? end - at : r->length;
        for (int i = 0; i < b->inputs; ++i) {
            if (!r->in[i].fixed) p[i] = load(r, i, at, n, scratch + i * r->stride, raw);
        }
        for (int k = 0; k < b->outputs; ++k) {
            if (!b->output_half[k] && !r->stream) p[b->output_slot[k]] = r->out[k] + at * b->output_item[k];
        }
        for (const vm_step *s = b->steps, *last = s + b->count; s < last; ++s) {
            char *out = (char *)(uintptr_t)p[s->out]; /* a register or an output: memory of our own */
            call(s, p, out, n);
            if (s->round) {
                narrow(b, s->round)(out, raw, n);
                widen(b, s->round)(raw, out, n);
            }
        }
        for (int k = 0; k < b->outputs; ++k) {
            char *out = r->out[k] + at * b->output_item[k];
            const char *from = p[b->output_slot[k]];
            if (b->output_half[k]) {
                char *to = r->stream ? raw : out;
                narrow(b, b->output_half[k])(from, to, n);
                from = to;
            }
            if (r->stream) ew_stream_out(out, from, n * b->output_item[k]);
        }
    }
    if (r->stream) ew_stream_done();
}

void vm_execute(vm_run *r, ptrdiff_t n) {
    const vm_block *b = r->block;
    int slots = b->inputs + b->constants + b->registers, busy = b->constants + b->registers + 1;
    ptrdiff_t cost = b->cost, largest = 0, room;
    if (n <= 0) return;
    for (int i = 0; i < b->inputs; ++i) {
        const ew_view *v = &r->in[i];
        busy += !v->packed || b->input_half[i];
        if (!v->packed && !v->fixed) cost += GATHER;
        cost += b->input_half[i] != 0;
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
    ms_rt_table->parallel_for(n, EW_WORTH_A_THREAD / (cost > 0 ? cost : 1), run_range, r);
}
