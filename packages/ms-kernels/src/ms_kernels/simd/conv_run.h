/* Template: packs the weights, plans the tiles, runs the correlation; the forward pass. */

/* Strips of 6 output channels: pack[strip][c][tap][6] */
typedef struct {
    const T *w;
    T *pack;
    ptrdiff_t strips, mg, cg, taps, wg, wm, wc;
    const ptrdiff_t *at; /* place of each tap in the kernel */
} F(packing);

static void F(pack_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(packing) *p = (const F(packing) *)arg;
    ptrdiff_t s, c, t, i;
    (void)worker;
    for (s = begin; s < end; s++) {
        ptrdiff_t m0 = s % p->strips * MS_MR, h = p->mg - m0 < MS_MR ? p->mg - m0 : MS_MR;
        const T *w = p->w + s / p->strips * p->wg + m0 * p->wm;
        T *dst = p->pack + s * p->cg * p->taps * MS_MR;
        if (h == MS_MR) {
            ptrdiff_t wm = p->wm;
            for (c = 0; c < p->cg; c++)
                for (t = 0; t < p->taps; t++, dst += MS_MR) {
                    const T *from = w + c * p->wc + p->at[t];
                    dst[0] = from[0], dst[1] = from[wm], dst[2] = from[2 * wm];
                    dst[3] = from[3 * wm], dst[4] = from[4 * wm], dst[5] = from[5 * wm];
                }
            continue;
        }
        for (c = 0; c < p->cg; c++)
            for (t = 0; t < p->taps; t++, dst += MS_MR)
                for (i = 0; i < MS_MR; i++)
                    dst[i] = i < h ? w[i * p->wm + c * p->wc + p->at[t]] : (T)0;
    }
}

/* Fills in the plan and runs.  `place[r*ns + s]` is the element of the kernel that belongs to a tap. */
static int F(run_core)(F(core) *p, const T *w, ptrdiff_t wg, ptrdiff_t wm, ptrdiff_t wc, const ptrdiff_t *place)
{
    const ms_rt *rt = ms_rt_table;
    ptrdiff_t line = MS_LINE / (ptrdiff_t)sizeof(T), taps = p->nr * p->ns, depth = p->cg * taps, c, i, j;
    ptrdiff_t threads = rt->threads(), budget = 262144 / (ptrdiff_t)sizeof(T), most_h, most_w, per_col, items, mrows;
    ptrdiff_t *table = (ptrdiff_t *)rt->alloc((size_t)(depth + 3 * (p->nr + p->ns)) * sizeof *table);
    ptrdiff_t *off = table, *slot_h, *slot_w, *shift_h, *shift_w;
    F(packing) pk;
    T *pack;
    if (!table)
        return -1;
    slot_h = table + depth, shift_h = slot_h + p->nr, slot_w = shift_h + p->nr, shift_w = slot_w + p->ns;
    p->phase_h = shift_w + p->ns, p->phase_w = p->phase_h + p->nr;
    most_h = F(split_phases)(p->nr, p->eh, p->sh, &p->min_h, &p->slots_h, p->phase_h, slot_h, shift_h);
    most_w = F(split_phases)(p->ns, p->ew, p->sw, &p->min_w, &p->slots_w, p->phase_w, slot_w, shift_w);

    /* tiles of rows (of parts of rows where one is too long) whose copy stays in the second-level cache */
    per_col = p->cg * p->slots_h * p->slots_w;
    p->tw = p->ow;
    if (per_col * (p->tw + most_w) * (1 + most_h) > budget && p->tw > 256) {
        p->tw = budget / (per_col * (1 + most_h)) - most_w;
        p->tw = p->tw < 256 ? 256 : p->tw;
        p->tw = (p->ow + (p->ow + p->tw - 1) / p->tw - 1) / ((p->ow + p->tw - 1) / p->tw);
    }
    p->wq = p->tw + most_w;
    p->th = budget / (per_col * p->wq) - most_h;
    p->th = p->th > 1024 / p->wq ? 1024 / p->wq : p->th;
    p->th = p->th < 1 ? 1 : p->th > p->oh ? p->oh : p->th;
    p->tiles_h = (p->oh + p->th - 1) / p->th;
    p->tiles_w = (p->ow + p->tw - 1) / p->tw;
    p->strips = (p->mg + MS_MR - 1) / MS_MR;
    items = p->n * p->groups * p->tiles_w;
    while (items * p->tiles_h % threads && items * p->tiles_h < 4 * threads && p->th > 4)
        p->th--, p->tiles_h = (p->oh + p->th - 1) / p->th;
    p->th = (p->oh + p->tiles_h - 1) / p->tiles_h;
    p->tiles_h = (p->oh + p->th - 1) / p->th;
    items *= p->tiles_h;
    p->msplit = 1;
    if (items < threads)
        p->msplit = p->strips < threads ? p->strips : threads;
    p->rows = p->th + most_h;
    /* an odd number of lines per channel: all channels of one pixel then lie in different cache sets */
    p->plane = p->slots_h * p->slots_w * p->rows * p->wq;
    p->plane = (p->plane + line + line - 1) / line;
    p->plane = (p->plane | 1) * line;
    p->cb = MS_DEPTH / taps;
    p->cb = p->cb < 1 ? 1 : p->cb;
    for (c = 0; c < p->cg; c++)
        for (i = 0; i < p->nr; i++)
            for (j = 0; j < p->ns; j++)
                off[(c * p->nr + i) * p->ns + j] =
                    c * p->plane + ((slot_h[i] * p->slots_w + slot_w[j]) * p->rows + shift_h[i]) * p->wq + shift_w[j];
    p->off = off;
    p->ni = 0;
    if (p->tiles_h == 1 && p->tiles_w == 1 && p->mg > 2)
        F(plan_small)(p);
    mrows = (p->strips < MS_STRIPS || p->ni ? p->strips : MS_STRIPS) * MS_MR;
    p->cbuf_at = (p->ni ? p->ni : 1) * p->cg * p->plane;
    p->panel_at = p->cbuf_at + mrows * (p->ni ? (p->pixels + line - 1) / line * line : (p->th * p->wq + line) / line * line);
    p->scratch_each = p->panel_at + (p->ni ? MS_DEPTH * line : line);
    if (p->ni) { /* several images: where their pixels lie */
        ptrdiff_t *pix = (ptrdiff_t *)rt->alloc((size_t)(p->pixels + line) * sizeof *pix);
        p->pix = pix;
        if (!pix) {
            rt->release(table);
            return -1;
        }
        for (c = 0; c < p->pixels + line; c++) {
            ptrdiff_t at = c < p->pixels ? c : p->pixels - p->run + c % p->run, real = p->oh * p->ow;
            pix[c] = at / real * p->cg * p->plane + at % real / p->ow * p->wq + at % p->ow;
        }
        items = (p->n + p->ni - 1) / p->ni * p->groups;
        p->msplit = items >= threads ? 1 : p->strips < threads ? p->strips : threads;
    }
    p->scratch = (T *)rt->alloc((size_t)(threads * p->scratch_each) * sizeof(T));
    pack = (T *)rt->alloc((size_t)(p->groups * p->strips * depth * MS_MR) * sizeof(T));
    if (p->scratch && pack) {
        ptrdiff_t total = items * p->msplit, grain;
        int one; /* depthwise, a tile for each plane */
        double work = (double)depth * (double)p->mg * (double)(p->ni ? p->pixels : p->th * p->tw) / (double)p->msplit;
        pk.w = w, pk.pack = pack, pk.strips = p->strips, pk.mg = p->mg, pk.cg = p->cg, pk.taps = taps;
        pk.wg = wg, pk.wm = wm, pk.wc = wc, pk.at = place;
        rt->parallel_for(p->groups * p->strips, 1 + 32768 / (depth * MS_MR), F(pack_task), &pk);
        p->pack = pack;
        grain = work >= 131072.0 ? 1 : (ptrdiff_t)(131072.0 / work) + 1;
        one = p->cg == 1 && p->mg == 1 && p->tiles_h == 1 && p->tiles_w == 1 && p->msplit == 1;
        one = one && p->slots_h * p->slots_w <= MS_SLOTS;
        rt->parallel_for(total, grain, p->ni ? F(small_task) : one ? F(plane_task) : F(core_task), p);
    }
    i = p->scratch && pack ? 0 : -1;
    rt->release(pack);
    rt->release(p->ni ? (void *)(uintptr_t)p->pix : NULL);
    rt->release(p->scratch);
    rt->release(table);
    return (int)i;
}

static int F(forward)(const ms_conv *q, const T *x, const T *w, const T *bias, T *y)
{
    ptrdiff_t *table = (ptrdiff_t *)ms_rt_table->alloc((size_t)(q->r + q->s + q->r * q->s) * sizeof *table), i;
    ptrdiff_t *eh = table, *ew = table + q->r, *place = table + q->r + q->s;
    F(core) p;
    int failed;
    if (!table)
        return -1;
    for (i = 0; i < q->r; i++)
        eh[i] = i * q->dh - q->pt;
    for (i = 0; i < q->s; i++)
        ew[i] = i * q->dw - q->pl;
    for (i = 0; i < q->r * q->s; i++)
        place[i] = i;
    p.in = x, p.out = y, p.bias = bias;
    p.n = q->n, p.groups = q->groups, p.cg = q->cg, p.mg = q->mg, p.ih = q->ih, p.iw = q->iw, p.oh = q->oh, p.ow = q->ow;
    p.out_w = 1, p.out_h = q->ow, p.out_c = q->oh * q->ow, p.out_n = q->groups * q->mg * p.out_c;
    p.nr = q->r, p.ns = q->s, p.eh = eh, p.ew = ew, p.sh = q->sh, p.sw = q->sw;
    failed = F(run_core)(&p, w, q->mg * q->cg * q->r * q->s, q->cg * q->r * q->s, q->r * q->s, place);
    ms_rt_table->release(table);
    return failed;
}
