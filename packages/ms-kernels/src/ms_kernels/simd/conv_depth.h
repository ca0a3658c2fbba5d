/* Template: the weights' gradient of convolutions with one channel in per group (depthwise), and the entry points. */
typedef struct {
    F(core) core; /* its copy of one padded plane */
    const ms_conv *q;
    const T *dy, *x;
    T *dw;
    ptrdiff_t each;
} F(depth);

static void F(depth_weight)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(depth) *p = (const F(depth) *)arg;
    const ms_conv *q = p->q;
    const F(core) *core = &p->core;
    const F(ms_kern) *kern = F(pick)();
    ptrdiff_t out = q->groups * q->mg, taps = q->r * q->s, n, m, i, t, wq = core->wq;
    T *copy = core->scratch + worker * p->each, *dy = copy + core->plane;
    F(strip) plan[MS_SLOTS];
    int planned = core->slots_h * core->slots_w <= MS_SLOTS;
    ptrdiff_t strips = planned ? F(plan_plane)(core, plan) : 0;
    memset(copy, 0, (size_t)p->each * sizeof(T));
    for (m = begin; m < end; m++) {
        T *dw = p->dw + m * taps;
        for (t = 0; t < taps; t++)
            dw[t] = 0;
        for (n = 0; n < q->n; n++) {
            const T *from = p->dy + (n * out + m) * q->oh * q->ow;
            const T *img = p->x + (n * q->groups + m / q->mg) * q->ih * q->iw;
            if (planned)
                F(copy_plane)(core, plan, strips, copy, img);
            else
                F(copy_tile)(core, copy, img, 0, 0);
            for (i = 0; i < q->oh; i++) /* rows as far apart as the copy's, zeros between them */
                F(few)(dy + i * wq, from + i * q->ow, q->ow);
            for (t = 0; t < taps; t++)
                dw[t] += kern->dot((q->oh - 1) * wq + q->ow, dy, copy + core->off[t]);
        }
    }
}

static int F(run_depth)(const ms_conv *q, const T *dy, const T *x, T *dw)
{
    const ms_rt *rt = ms_rt_table;
    ptrdiff_t line = MS_LINE / (ptrdiff_t)sizeof(T), taps = q->r * q->s, i, j, most_h, most_w;
    ptrdiff_t *table = (ptrdiff_t *)rt->alloc((size_t)(4 * (q->r + q->s) + taps) * sizeof *table);
    ptrdiff_t *eh = table, *slot_h = eh + q->r, *shift_h = slot_h + q->r, *ew = shift_h + q->r, *slot_w = ew + q->s;
    ptrdiff_t *shift_w = slot_w + q->s, *off = shift_w + q->s;
    F(depth) p;
    if (!table)
        return -1;
    for (i = 0; i < q->r; i++)
        eh[i] = i * q->dh - q->pt;
    for (i = 0; i < q->s; i++)
        ew[i] = i * q->dw - q->pl;
    p.q = q, p.dy = dy, p.x = x, p.dw = dw;
    p.core.cg = 1, p.core.ih = q->ih, p.core.iw = q->iw, p.core.sh = q->sh, p.core.sw = q->sw;
    p.core.phase_h = off + taps, p.core.phase_w = p.core.phase_h + q->r, p.core.off = off;
    most_h = F(split_phases)(q->r, eh, q->sh, &p.core.min_h, &p.core.slots_h, p.core.phase_h, slot_h, shift_h);
    most_w = F(split_phases)(q->s, ew, q->sw, &p.core.min_w, &p.core.slots_w, p.core.phase_w, slot_w, shift_w);
    p.core.rows = q->oh + most_h;
    p.core.wq = q->ow + most_w;
    p.core.plane = (p.core.slots_h * p.core.slots_w * p.core.rows * p.core.wq + line) / line * line;
    for (i = 0; i < q->r; i++)
        for (j = 0; j < q->s; j++)
            off[i * q->s + j] =
                ((slot_h[i] * p.core.slots_w + slot_w[j]) * p.core.rows + shift_h[i]) * p.core.wq + shift_w[j];
    p.each = p.core.plane + (q->oh * p.core.wq + line) / line * line;
    p.core.scratch = (T *)rt->alloc((size_t)(rt->threads() * p.each) * sizeof(T));
    if (p.core.scratch)
        rt->parallel_for(q->groups * q->mg, 1 + 32768 / (q->n * q->oh * q->ow * taps), F(depth_weight), &p);
    i = p.core.scratch ? 0 : -1;
    rt->release(p.core.scratch);
    rt->release(table);
    return (int)i;
}

int F(ms_conv_forward)(const ms_conv *q, const T *x, const T *w, const T *bias, T *y)
{
    return F(forward)(q, x, w, bias, y);
}

int F(ms_conv_grad_input)(const ms_conv *q, const T *dy, const T *w, T *dx)
{
    return F(grad_input)(q, dy, w, dx);
}

int F(ms_conv_grad_weight)(const ms_conv *q, const T *dy, const T *x, T *dw)
{
    return q->cg == 1 && q->mg <= 2 && q->groups > 1 ? F(run_depth)(q, dy, x, dw) : F(grad_weight)(q, dy, x, dw);
}
