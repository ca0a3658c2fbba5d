/* Template: the correlation for images so small that the junk between their rows would cost more than packing panels. */

/* The image into a copy whose borders are zero already: they lie in the same places for all images. */
static void F(copy_inside)(const F(core) *p, T *dst, const T *img)
{
    ptrdiff_t a, b, c, j, v;
    for (a = 0; a < p->slots_h; a++)
        for (b = 0; b < p->slots_w; b++) {
            ptrdiff_t first = p->phase_w[b] + p->min_w, lo = first < 0 ? (-first + p->sw - 1) / p->sw : 0, n = 0;
            ptrdiff_t top = p->phase_h[a] + p->min_h, j0 = top < 0 ? (-top + p->sh - 1) / p->sh : 0, j1 = 0;
            if (p->iw > first)
                n = (p->iw - first + p->sw - 1) / p->sw;
            n = (n > p->wq ? p->wq : n) - lo;
            if (p->ih > top)
                j1 = (p->ih - top + p->sh - 1) / p->sh;
            j1 = j1 > p->rows ? p->rows : j1;
            for (c = 0; c < p->cg; c++)
                for (j = j0; j < j1; j++) {
                    T *to = dst + c * p->plane + ((a * p->slots_w + b) * p->rows + j) * p->wq + lo;
                    const T *from = img + (c * p->ih + j * p->sh + top) * p->iw + first + lo * p->sw;
                    if (p->sw == 1 && n == 4) /* a constant size needs no call */
                        memcpy(to, from, 4 * sizeof(T));
                    else if (p->sw == 1 && n == 8)
                        memcpy(to, from, 8 * sizeof(T));
                    else
                        for (v = 0; v < n; v++)
                            to[v] = from[v * p->sw];
                }
        }
}

/* k rows of a panel of 16 pixels that do not lie side by side */
static void F(gather)(const F(core) *p, T *dst, const T *copy, const ptrdiff_t *off, const ptrdiff_t *pix, ptrdiff_t k)
{
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), l, j;
    for (l = 0; l < k; l++, dst += nr) {
        const T *src = copy + off[l];
        if (p->run == 4)
            for (j = 0; j < nr; j += 4)
                memcpy(dst + j, src + pix[j], 4 * sizeof(T));
        else if (p->run == 2)
            for (j = 0; j < nr; j += 2)
                memcpy(dst + j, src + pix[j], 2 * sizeof(T));
        else
            for (j = 0; j < nr; j++)
                dst[j] = src[pix[j]];
    }
}

static void F(small_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(core) *p = (const F(core) *)arg;
    const F(ms_kern) *kern = F(pick)();
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), taps = p->nr * p->ns, depth = p->cg * taps, item, l, real = p->oh * p->ow;
    T *copy = p->scratch + worker * p->scratch_each, *cbuf = copy + p->cbuf_at, *panel = copy + p->panel_at;
    ptrdiff_t rows[MS_DEPTH];
    for (l = 0; l < MS_DEPTH; l++)
        rows[l] = l * nr;
    memset(copy, 0, (size_t)p->cbuf_at * sizeof(T));
    for (item = begin; item < end; item++) {
        ptrdiff_t ms = item % p->msplit, g = item / p->msplit % p->groups, n0 = item / p->msplit / p->groups * p->ni, n;
        ptrdiff_t n1 = n0 + p->ni < p->n ? n0 + p->ni : p->n, panels = ((n1 - n0) * real + nr - 1) / nr, ldc = panels * nr;
        ptrdiff_t s0 = p->strips * ms / p->msplit, s1 = p->strips * (ms + 1) / p->msplit, c, q, s, i, j;
        for (n = n0; n < n1; n++)
            F(copy_inside)(p, copy + (n - n0) * p->cg * p->plane, p->in + (n * p->groups + g) * p->cg * p->ih * p->iw);
        for (c = 0; c < depth; c += MS_DEPTH) {
            ptrdiff_t k = depth - c < MS_DEPTH ? depth - c : MS_DEPTH;
            for (q = 0; q < panels; q++) {
                F(gather)(p, panel, copy, p->off + c, p->pix + q * nr, k);
                for (s = s0; s < s1; s++) {
                    ptrdiff_t left = p->mg - s * MS_MR;
                    kern->ker[left < MS_MR ? left : MS_MR](k, p->pack + ((g * p->strips + s) * depth + c) * MS_MR, panel, rows,
                                                           cbuf + (s - s0) * MS_MR * ldc + q * nr, ldc, c > 0);
                }
            }
        }
        for (i = s0 * MS_MR; i < s1 * MS_MR && i < p->mg; i++)
            for (n = n0; n < n1; n++) {
                T *out = p->out + n * p->out_n + (g * p->mg + i) * p->out_c;
                const T *src = cbuf + (i - s0 * MS_MR) * ldc + (n - n0) * real, *bias = p->bias ? p->bias + g * p->mg + i : NULL;
                if (p->out_w == 1 && p->out_h == p->ow)
                    F(store_row)(p, out, src, real, bias);
                else
                    for (j = 0; j < p->oh; j++)
                        F(store_row)(p, out + j * p->out_h, src + j * p->ow, p->ow, bias);
            }
    }
}

/* Whether whole images are so small that packed panels are cheaper; if so, how many images a task takes. */
static void F(plan_small)(F(core) *p)
{
    ptrdiff_t line = MS_LINE / (ptrdiff_t)sizeof(T), real = p->oh * p->ow, threads = ms_rt_table->threads();
    ptrdiff_t loose = ((p->oh - 1) * p->wq + p->ow + line - 1) / line * line, most;
    p->run = p->ow % 4 == 0 ? 4 : p->ow % 2 == 0 ? 2 : 1;
    if ((double)loose <= (double)real * (1.0 + (double)(line / p->run + 2) / (double)(MS_MR * p->strips)))
        return;
    most = 131072 / (ptrdiff_t)sizeof(T) / (p->mg * real);
    p->ni = 256 / real < most ? 256 / real : most;
    most = (p->n + threads - 1) / threads;
    p->ni = p->ni > most ? most : p->ni;
    p->ni = p->ni < 1 ? 1 : p->ni;
    p->pixels = p->ni * real;
}
