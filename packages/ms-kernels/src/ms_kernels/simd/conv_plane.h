/* Template: the correlation of one plane with one filter (depthwise), for planes that are one tile.  They are many and
   small: all that is the same for each is worked out once. */

typedef struct {
    ptrdiff_t from, to, rows, n; /* rows of n numbers: where they lie in the image and in its padded copy */
} F(strip);

#define MS_SLOTS 16 /* stride phases in the plan */

/* The strips of a padded copy split by stride phase; their number. */
static ptrdiff_t F(plan_plane)(const F(core) *p, F(strip) *plan)
{
    ptrdiff_t a, b, n = 0;
    for (a = 0; a < p->slots_h; a++)
        for (b = 0; b < p->slots_w; b++) {
            ptrdiff_t first = p->phase_w[b] + p->min_w, top = p->phase_h[a] + p->min_h, hi, j1;
            ptrdiff_t lo = first < 0 ? (-first + p->sw - 1) / p->sw : 0, j0 = top < 0 ? (-top + p->sh - 1) / p->sh : 0;
            hi = p->iw > first ? (p->iw - first + p->sw - 1) / p->sw : 0;
            hi = hi > p->wq ? p->wq : hi;
            j1 = p->ih > top ? (p->ih - top + p->sh - 1) / p->sh : 0;
            j1 = j1 > p->rows ? p->rows : j1;
            if (lo >= hi || j0 >= j1)
                continue;
            plan[n].from = (j0 * p->sh + top) * p->iw + first + lo * p->sw;
            plan[n].to = ((a * p->slots_w + b) * p->rows + j0) * p->wq + lo;
            plan[n].rows = j1 - j0;
            plan[n++].n = hi - lo;
        }
    return n;
}

/* n neighbours; the usual lengths without a call */
static void F(few)(T *dst, const T *src, ptrdiff_t n)
{
    if (n > 16) {
        memcpy(dst, src, (size_t)n * sizeof(T));
    } else if (n >= 8) {
        memcpy(dst, src, 8 * sizeof(T));
        memcpy(dst + n - 8, src + n - 8, 8 * sizeof(T));
    } else if (n >= 4) {
        memcpy(dst, src, 4 * sizeof(T));
        memcpy(dst + n - 4, src + n - 4, 4 * sizeof(T));
    } else if (n > 0) {
        dst[0] = src[0];
        if (n > 1)
            dst[1] = src[1];
        if (n > 2)
            dst[2] = src[2];
    }
}

/* An image into its copy, whose borders are zero already. */
static void F(copy_plane)(const F(core) *p, const F(strip) *plan, ptrdiff_t strips, T *copy, const T *img)
{
    ptrdiff_t s, j, v, step = p->sh * p->iw;
    for (s = 0; s < strips; s++) {
        const T *from = img + plan[s].from;
        T *to = copy + plan[s].to;
        ptrdiff_t n = plan[s].n;
        for (j = 0; j < plan[s].rows; j++, from += step, to += p->wq) {
            if (p->sw == 1)
                F(few)(to, from, n);
            else if (p->sw == 2)
                for (v = 0; v < n; v++)
                    to[v] = from[2 * v];
            else
                for (v = 0; v < n; v++)
                    to[v] = from[v * p->sw];
        }
    }
}

static void F(plane_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(core) *p = (const F(core) *)arg;
    const F(ms_kern) *kern = F(pick)();
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), taps = p->nr * p->ns, g = begin % p->groups, item, j, v;
    ptrdiff_t width = ((p->oh - 1) * p->wq + p->ow + nr - 1) / nr * nr;
    T *copy = p->scratch + worker * p->scratch_each, *cbuf = copy + p->cbuf_at;
    int whole = p->out_w == 1 && p->out_h == p->ow && p->wq == p->ow;
    F(strip) plan[MS_SLOTS];
    ptrdiff_t strips = F(plan_plane)(p, plan);
    memset(copy, 0, (size_t)p->plane * sizeof(T));
    for (item = begin; item < end; item++) {
        T *out = p->out + item * p->out_c, bias = p->bias ? p->bias[g] : (T)0;
        F(copy_plane)(p, plan, strips, copy, p->in + item * p->ih * p->iw);
        kern->line(taps, p->pack + g * taps * MS_MR, copy, p->off, cbuf, width);
        if (whole)
            F(store_row)(p, out, cbuf, p->oh * p->ow, p->bias ? &bias : NULL);
        else if (p->out_w == 1 && !p->bias)
            for (j = 0; j < p->oh; j++)
                F(few)(out + j * p->out_h, cbuf + j * p->wq, p->ow);
        else
            for (j = 0; j < p->oh; j++)
                for (v = 0; v < p->ow; v++)
                    out[j * p->out_h + v * p->out_w] = cbuf[j * p->wq + v] + bias;
        g = g + 1 == p->groups ? 0 : g + 1;
    }
}
