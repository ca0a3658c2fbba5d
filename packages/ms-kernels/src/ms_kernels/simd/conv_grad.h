/* Template: the gradients of a convolution. */

/* Rows i = stride*q + f of the gradient take kernel row r where stride divides i + pad - r*dil: a correlation of stride
   one over dy for each phase f.  Returns the number of taps. */
static ptrdiff_t F(phase_taps)(ptrdiff_t size, ptrdiff_t stride, ptrdiff_t dil, ptrdiff_t pad, ptrdiff_t f, ptrdiff_t *e,
                               ptrdiff_t *at)
{
    ptrdiff_t r, n = 0;
    for (r = 0; r < size; r++) {
        ptrdiff_t d = f + pad - r * dil;
        if (d % stride)
            continue;
        e[n] = d / stride;
        at[n++] = r;
    }
    return n;
}

static int F(grad_input)(const ms_conv *q, const T *dy, const T *w, T *dx)
{
    ptrdiff_t rs = q->r * q->s, fh, fw, i, j;
    ptrdiff_t *table = (ptrdiff_t *)ms_rt_table->alloc((size_t)(2 * (q->r + q->s) + rs) * sizeof *table);
    ptrdiff_t *eh = table, *ah = eh + q->r, *ew = ah + q->r, *aw = ew + q->s, *place = aw + q->s;
    F(core) p;
    int failed = 0;
    if (!table)
        return -1;
    p.in = dy, p.bias = NULL;
    p.n = q->n, p.groups = q->groups, p.cg = q->mg, p.mg = q->cg, p.ih = q->oh, p.iw = q->ow;
    p.out_h = q->iw * q->sh, p.out_w = q->sw, p.out_c = q->ih * q->iw, p.out_n = q->groups * q->cg * p.out_c;
    p.eh = eh, p.ew = ew, p.sh = p.sw = 1;
    for (fh = 0; fh < q->sh && fh < q->ih; fh++) {
        p.nr = F(phase_taps)(q->r, q->sh, q->dh, q->pt, fh, eh, ah);
        p.oh = (q->ih - fh + q->sh - 1) / q->sh;
        for (fw = 0; fw < q->sw && fw < q->iw; fw++) {
            p.ns = F(phase_taps)(q->s, q->sw, q->dw, q->pl, fw, ew, aw);
            p.ow = (q->iw - fw + q->sw - 1) / q->sw;
            p.out = dx + fh * q->iw + fw;
            if (p.nr == 0 || p.ns == 0) { /* no kernel element reaches these pixels */
                ptrdiff_t planes = q->n * q->groups * q->cg, pl;
                for (pl = 0; pl < planes; pl++)
                    for (i = 0; i < p.oh; i++)
                        for (j = 0; j < p.ow; j++)
                            p.out[pl * p.out_c + i * p.out_h + j * p.out_w] = 0;
                continue;
            }
            for (i = 0; i < p.nr; i++)
                for (j = 0; j < p.ns; j++)
                    place[i * p.ns + j] = ah[i] * q->s + aw[j];
            failed |= F(run_core)(&p, w, q->mg * q->cg * rs, rs, q->cg * rs, place);
        }
    }
    ms_rt_table->release(table);
    return failed;
}

/* ---- the gradient of the weights ----
   dw[k][c][r][s] = sum over pixels of dy[k][pixel] * x[c][pixel shifted by r, s].  The pixels are the depth of the tile
   kernel.  x is laid out as blocks of 16 channels per pixel, padded and split by stride phase: a tap is again a constant
   shift.  With few channels, where blocks of 16 would be mostly empty, the columns are (c, r, s) instead. */
typedef struct {
    const ms_conv *q;
    const T *dy, *x;
    T *acc, *scratch, *dw;
    ptrdiff_t acc_each, scratch_each, parts;
    int flat;                                    /* columns are (c, r, s) */
    ptrdiff_t th, tiles, ni, units, blocks, strips;
    ptrdiff_t rows, wq, image;                   /* pixels of the copy: rows of a phase, their pitch, one image */
    ptrdiff_t slots_h, slots_w, min_h, min_w, *phase_h, *phase_w;
    const ptrdiff_t *base;                       /* shift of each tap in pixels */
    ptrdiff_t pixels;                            /* most real pixels of a unit */
} F(wgrad);

/* 16 columns of every pixel: channels c0.. of the padded image */
static void F(columns_by_channel)(const F(wgrad) *p, T *dst, const T *img, ptrdiff_t count, ptrdiff_t oh0)
{
    const ms_conv *q = p->q;
    const ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), size = q->ih * q->iw;
    ptrdiff_t a, b, j, c, v;
    for (a = 0; a < p->slots_h; a++)
        for (b = 0; b < p->slots_w; b++)
            for (j = 0; j < p->rows; j++, dst += p->wq * nr) {
                ptrdiff_t y = (oh0 + j) * q->sh + p->phase_h[a] + p->min_h, first = p->phase_w[b] + p->min_w;
                ptrdiff_t lo = first < 0 ? (-first + q->sw - 1) / q->sw : 0, hi = 0;
                if (y >= 0 && y < q->ih && q->iw > first)
                    hi = (q->iw - first + q->sw - 1) / q->sw;
                hi = hi > p->wq ? p->wq : hi;
                lo = lo > hi ? hi : lo;
                memset(dst, 0, (size_t)(lo * nr) * sizeof(T));
                memset(dst + hi * nr, 0, (size_t)((p->wq - hi) * nr) * sizeof(T));
                if (hi > lo) {
                    const T *src = img + y * q->iw + first;
                    for (v = lo; v < hi; v++) {
                        T *to = dst + v * nr;
                        const T *from = src + v * q->sw;
                        if (count == nr) { /* a constant number: unrolled */
                            for (c = 0; c < nr; c++)
                                to[c] = from[c * size];
                            continue;
                        }
                        for (c = 0; c < count; c++, from += q->ih * q->iw)
                            to[c] = *from;
                        for (; c < nr; c++)
                            to[c] = 0;
                    }
                }
            }
}

/* 16 columns (c, r, s) from j0 on of the h rows of real pixels */
static void F(columns_flat)(const ms_conv *q, T *dst, const T *img, ptrdiff_t j0, ptrdiff_t oh0, ptrdiff_t h)
{
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), col, i, v, all = q->cg * q->r * q->s;
    for (col = 0; col < nr; col++) {
        ptrdiff_t j = j0 + col, c = j / (q->r * q->s), r = j / q->s % q->r, s = j % q->s;
        ptrdiff_t first = s * q->dw - q->pl, lo, hi;
        lo = first < 0 ? (-first + q->sw - 1) / q->sw : 0;
        hi = q->iw > first ? (q->iw - first + q->sw - 1) / q->sw : 0;
        hi = hi > q->ow ? q->ow : hi;
        lo = lo > hi ? hi : lo;
        for (i = 0; i < h; i++) {
            ptrdiff_t y = (oh0 + i) * q->sh + r * q->dh - q->pt;
            T *to = dst + i * q->ow * nr + col;
            if (j >= all || y < 0 || y >= q->ih) {
                for (v = 0; v < q->ow; v++)
                    to[v * nr] = 0;
            } else {
                const T *from = img + (c * q->ih + y) * q->iw + first;
                for (v = 0; v < lo; v++)
                    to[v * nr] = 0;
                for (; v < hi; v++)
                    to[v * nr] = from[v * q->sw];
                for (; v < q->ow; v++)
                    to[v * nr] = 0;
            }
        }
    }
}

static void F(wgrad_unit)(const F(wgrad) *p, ptrdiff_t unit, T *acc, T *cols, T *rows, ptrdiff_t *off)
{
    const ms_conv *q = p->q;
    const F(ms_kern) *kern = F(pick)();
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), taps = q->r * q->s, oh0 = unit % p->tiles * p->th;
    ptrdiff_t n0 = unit / p->tiles * p->ni, n1 = n0 + p->ni < q->n ? n0 + p->ni : q->n, g, n, b, i, j, s, t, k0;
    ptrdiff_t h = q->oh - oh0 < p->th ? q->oh - oh0 : p->th, real = h * q->ow, pixels = real * (n1 - n0), block;
    block = p->flat ? pixels : p->image * p->ni; /* pixels per column block */
    for (n = 0, t = 0; n < n1 - n0; n++)
        for (i = 0; i < h; i++)
            for (j = 0; j < q->ow; j++, t++)
                off[t] = (p->flat ? t : n * p->image + i * p->wq + j) * nr;
    for (g = 0; g < q->groups; g++) {
        T *sums = acc + g * p->blocks * p->strips * MS_MR * nr;
        for (n = n0; n < n1; n++) {
            const T *img = p->x + (n * q->groups + g) * q->cg * q->ih * q->iw;
            const T *dy = p->dy + (n * q->groups + g) * q->mg * q->oh * q->ow + oh0 * q->ow;
            if (p->flat)
                for (b = 0; b < p->blocks; b++)
                    F(columns_flat)(q, cols + (b * block + (n - n0) * real) * nr, img, b * nr, oh0, h);
            else
                for (b = 0; b * nr < q->cg; b++)
                    F(columns_by_channel)(p, cols + (b * block + (n - n0) * p->image) * nr, img + b * nr * q->ih * q->iw,
                                          q->cg - b * nr < nr ? q->cg - b * nr : nr, oh0);
            for (s = 0; s < p->strips; s++) {
                T *to = rows + (s * pixels + (n - n0) * real) * MS_MR;
                ptrdiff_t left = q->mg - s * MS_MR < MS_MR ? q->mg - s * MS_MR : MS_MR;
                const T *from = dy + s * MS_MR * q->oh * q->ow;
                if (left == MS_MR) {
                    ptrdiff_t size = q->oh * q->ow;
                    for (j = 0; j < real; j++, to += MS_MR, from++) {
                        to[0] = from[0], to[1] = from[size], to[2] = from[2 * size];
                        to[3] = from[3 * size], to[4] = from[4 * size], to[5] = from[5 * size];
                    }
                    continue;
                }
                for (i = 0; i < MS_MR; i++, from += q->oh * q->ow)
                    if (i < left)
                        for (j = 0; j < real; j++)
                            to[j * MS_MR + i] = from[j];
                    else
                        for (j = 0; j < real; j++)
                            to[j * MS_MR + i] = 0;
            }
        }
        for (k0 = 0; k0 < pixels; k0 += 256) {
            ptrdiff_t k = pixels - k0 < 256 ? pixels - k0 : 256;
            for (b = 0; b < p->blocks; b++) {
                const T *from = p->flat ? cols + b * block * nr : cols + (b / taps * block + p->base[b % taps]) * nr;
                for (s = 0; s < p->strips; s++) {
                    ptrdiff_t left = q->mg - s * MS_MR;
                    kern->ker[left < MS_MR ? left : MS_MR](k, rows + (s * pixels + k0) * MS_MR, from, off + k0,
                                                           sums + (b * p->strips + s) * MS_MR * nr, nr, 1);
                }
            }
        }
    }
}

/* One part: a fixed share of the units with sums of its own, so that the result does not depend on who ran it. */
static void F(wgrad_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(wgrad) *p = (const F(wgrad) *)arg;
    T *scratch = p->scratch + worker * p->scratch_each;
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), part, u;
    ptrdiff_t cols = p->flat ? p->blocks * p->pixels * nr : p->blocks / (p->q->r * p->q->s) * p->image * p->ni * nr;
    ptrdiff_t rows = p->strips * p->pixels * MS_MR;
    ptrdiff_t at = (cols + rows + nr - 1) / nr * nr;
    for (part = begin; part < end; part++) {
        T *acc = p->acc + part * p->acc_each;
        memset(acc, 0, (size_t)p->acc_each * sizeof(T));
        for (u = p->units * part / p->parts; u < p->units * (part + 1) / p->parts; u++)
            F(wgrad_unit)(p, u, acc, scratch, scratch + cols, (ptrdiff_t *)(void *)(scratch + at));
    }
}

static void F(wgrad_sum)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(wgrad) *p = (const F(wgrad) *)arg;
    const ms_conv *q = p->q;
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), taps = q->r * q->s, all = q->cg * taps, row, b, j, part;
    (void)worker;
    for (row = begin; row < end; row++) {
        ptrdiff_t g = row / q->mg, m = row % q->mg;
        T *dw = p->dw + row * all;
        for (b = 0; b < p->blocks; b++) {
            T *sum = p->acc + ((g * p->blocks + b) * p->strips * MS_MR + m) * nr;
            ptrdiff_t c0 = b / taps * nr, count, step = taps;
            T *to = dw + c0 * taps + b % taps;
            count = q->cg - c0;
            if (p->flat)
                to = dw + b * nr, count = all - b * nr, step = 1;
            count = count < nr ? count : nr;
            for (part = 1; part < p->parts; part++)
                for (j = 0; j < nr; j++)
                    sum[j] += sum[part * p->acc_each + j];
            for (j = 0; j < count; j++)
                to[j * step] = sum[j];
        }
    }
}

static int F(grad_weight)(const ms_conv *q, const T *dy, const T *x, T *dw)
{
    const ms_rt *rt = ms_rt_table;
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), taps = q->r * q->s, most_h, most_w, i, j, threads = rt->threads();
    ptrdiff_t *table = (ptrdiff_t *)rt->alloc((size_t)(4 * (q->r + q->s) + taps) * sizeof *table);
    ptrdiff_t *eh = table, *slot_h = eh + q->r, *shift_h = slot_h + q->r, *ew = shift_h + q->r, *slot_w = ew + q->s;
    ptrdiff_t *shift_w = slot_w + q->s, *base = shift_w + q->s, budget = 262144 / (ptrdiff_t)sizeof(T), per_row, images;
    F(wgrad) p;
    double work;
    if (!table)
        return -1;
    for (i = 0; i < q->r; i++)
        eh[i] = i * q->dh - q->pt;
    for (i = 0; i < q->s; i++)
        ew[i] = i * q->dw - q->pl;
    p.q = q, p.dy = dy, p.x = x, p.dw = dw;
    p.phase_h = base + taps, p.phase_w = p.phase_h + q->r;
    most_h = F(split_phases)(q->r, eh, q->sh, &p.min_h, &p.slots_h, p.phase_h, slot_h, shift_h);
    most_w = F(split_phases)(q->s, ew, q->sw, &p.min_w, &p.slots_w, p.phase_w, slot_w, shift_w);
    p.flat = 2 * q->cg < nr;
    p.blocks = p.flat ? (q->cg * taps + nr - 1) / nr : (q->cg + nr - 1) / nr * taps;
    p.strips = (q->mg + MS_MR - 1) / MS_MR;
    p.wq = q->ow + most_w;
    per_row = p.flat ? p.blocks * nr * q->ow : p.blocks / taps * nr * p.slots_h * p.slots_w * p.wq;
    p.th = budget / per_row - (p.flat ? 0 : most_h);
    p.th = p.th > 1024 / q->ow ? 1024 / q->ow : p.th;
    p.th = p.th < 1 ? 1 : p.th > q->oh ? q->oh : p.th;
    p.tiles = (q->oh + p.th - 1) / p.th;
    p.th = (q->oh + p.tiles - 1) / p.tiles;
    p.tiles = (q->oh + p.th - 1) / p.th;
    p.rows = p.th + most_h;
    p.image = p.slots_h * p.slots_w * p.rows * p.wq;
    p.ni = 1;
    if (p.tiles == 1) { /* several small images at a time */
        p.ni = 256 / (q->oh * q->ow);
        j = budget / (per_row * (p.th + most_h));
        p.ni = p.ni > j ? j : p.ni;
        p.ni = p.ni < 1 ? 1 : p.ni > q->n ? q->n : p.ni;
    }
    images = (q->n + p.ni - 1) / p.ni;
    p.units = images * p.tiles;
    p.pixels = p.ni * p.th * q->ow;
    for (i = 0; i < q->r; i++)
        for (j = 0; j < q->s; j++)
            base[i * q->s + j] = ((slot_h[i] * p.slots_w + slot_w[j]) * p.rows + shift_h[i]) * p.wq + shift_w[j];
    p.base = base;
    work = (double)(q->n * q->groups * q->mg * q->cg * taps) * (double)(q->oh * q->ow);
    p.parts = p.units < threads ? p.units : threads;
    if (work < 262144.0)
        p.parts = 1;
    p.acc_each = q->groups * p.blocks * p.strips * MS_MR * nr;
    p.scratch_each = (p.flat ? p.blocks * p.pixels : p.blocks / taps * p.image * p.ni) * nr + p.strips * p.pixels * MS_MR;
    p.scratch_each = (p.scratch_each + nr - 1) / nr * nr;
    p.scratch_each += (p.pixels * (ptrdiff_t)(sizeof(ptrdiff_t) / sizeof(T)) + nr - 1) / nr * nr;
    p.acc = (T *)rt->alloc((size_t)(p.parts * p.acc_each) * sizeof(T));
    p.scratch = (T *)rt->alloc((size_t)(threads * p.scratch_each) * sizeof(T));
    i = p.acc && p.scratch ? 0 : -1;
    if (i == 0) {
        rt->parallel_for(p.parts, 1, F(wgrad_task), &p);
        rt->parallel_for(q->groups * q->mg, 1 + 16384 / (p.blocks * nr), F(wgrad_sum), &p);
    }
    rt->release(p.scratch);
    rt->release(p.acc);
    rt->release(table);
    return (int)i;
}
