/* Template: pooling for one type. */
typedef struct {
    const ms_pool *p;
    const T *from;
    T *to;
    void *index;
    int wide;
} F(pool_ctx);

/* The last NaN of a window, which has one. */
static ptrdiff_t F(nan_at)(const ms_pool *p, const T *src, ptrdiff_t d, ptrdiff_t h, ptrdiff_t w)
{
    ptrdiff_t i, j, k, at = -1;
    for (i = 0; i < p->count[0][d]; i++)
        for (j = 0; j < p->count[1][h]; j++)
            for (k = 0; k < p->count[2][w]; k++) {
                ptrdiff_t y = (p->start[0][d] + i * p->step[0]) * p->in[1] + p->start[1][h] + j * p->step[1];
                ptrdiff_t pos = y * p->in[2] + p->start[2][w] + k * p->step[2];
                at = src[pos] != src[pos] ? pos : at;
            }
    return at;
}

static void F(max_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(pool_ctx) *x = (const F(pool_ctx) *)arg;
    const ms_pool *p = x->p;
    const ptrdiff_t *start = p->start[2], *count = p->count[2], step = p->step[2], row_step = p->step[1] * p->in[2];
    ptrdiff_t plane, d, h, w, i, j, k, cell = begin * p->out[0] * p->out[1] * p->out[2];
    (void)worker;
    for (plane = begin; plane < end; plane++) {
        const T *src = x->from + plane * p->in[0] * p->in[1] * p->in[2];
        for (d = 0; d < p->out[0]; d++)
            for (h = 0; h < p->out[1]; h++) {
                ptrdiff_t deep = p->count[0][d], high = p->count[1][h];
                ptrdiff_t first = (p->start[0][d] * p->in[1] + p->start[1][h]) * p->in[2];
                for (w = 0; w < p->out[2]; w++, cell++) {
                    T best = -(T)INFINITY;
                    ptrdiff_t at = deep && high && count[w] ? first + start[w] : -1; /* all -inf: the first element */
                    int nan = 0;
                    for (i = 0; i < deep; i++)
                        for (j = 0; j < high; j++) {
                            ptrdiff_t pos = first + i * p->step[0] * p->in[1] * p->in[2] + j * row_step + start[w];
                            for (k = 0; k < count[w]; k++, pos += step) {
                                T v = src[pos];
                                at ^= (at ^ pos) & -(ptrdiff_t)(v > best); /* a mask: no branch to mispredict */
                                best = v > best ? v : best;
                                nan |= v != v;
                            }
                        }
                    if (nan) {
                        at = F(nan_at)(p, src, d, h, w);
                        best = src[at];
                    }
                    x->to[cell] = best;
                    if (x->wide)
                        ((int64_t *)x->index)[cell] = at;
                    else if (x->index)
                        ((int32_t *)x->index)[cell] = (int32_t)at;
                }
            }
    }
}

static void F(max_grad_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(pool_ctx) *x = (const F(pool_ctx) *)arg;
    const ms_pool *p = x->p;
    ptrdiff_t plane, i, cells = p->out[0] * p->out[1] * p->out[2], size = p->in[0] * p->in[1] * p->in[2];
    (void)worker;
    for (plane = begin; plane < end; plane++) {
        const T *dy = x->from + plane * cells;
        T *dx = x->to + plane * size;
        for (i = 0; i < size; i++)
            dx[i] = 0;
        for (i = 0; i < cells; i++) {
            int64_t at = x->wide ? ((const int64_t *)x->index)[plane * cells + i]
                                 : ((const int32_t *)x->index)[plane * cells + i];
            if (at >= 0 && at < size) /* an empty window has no element */
                dx[at] += dy[i];
        }
    }
}

static T F(scale)(const ms_pool *p, ptrdiff_t d, ptrdiff_t h, ptrdiff_t w)
{
    return p->divisor != 0 ? (T)p->divisor : (T)(p->weight[0][d] * p->weight[1][h] * p->weight[2][w]);
}

static void F(avg_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(pool_ctx) *x = (const F(pool_ctx) *)arg;
    const ms_pool *p = x->p;
    ptrdiff_t plane, d, h, w, i, j, k;
    (void)worker;
    for (plane = begin; plane < end; plane++) {
        const T *src = x->from + plane * p->in[0] * p->in[1] * p->in[2];
        T *y = x->to + plane * p->out[0] * p->out[1] * p->out[2];
        for (d = 0; d < p->out[0]; d++)
            for (h = 0; h < p->out[1]; h++)
                for (w = 0; w < p->out[2]; w++) {
                    ptrdiff_t n = p->count[2][w], any = n * p->count[0][d] * p->count[1][h];
                    T sum = 0;
                    for (i = 0; i < p->count[0][d]; i++)
                        for (j = 0; j < p->count[1][h]; j++) {
                            const T *row = src + ((p->start[0][d] + i) * p->in[1] + p->start[1][h] + j) * p->in[2];
                            T part = 0;
                            row += p->start[2][w];
                            for (k = 0; k < n; k++)
                                part += row[k];
                            sum += part;
                        }
                    *y++ = any ? sum / F(scale)(p, d, h, w) : (T)0;
                }
    }
}

static void F(avg_grad_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(pool_ctx) *x = (const F(pool_ctx) *)arg;
    const ms_pool *p = x->p;
    ptrdiff_t plane, d, h, w, i, j, k, size = p->in[0] * p->in[1] * p->in[2];
    (void)worker;
    for (plane = begin; plane < end; plane++) {
        const T *dy = x->from + plane * p->out[0] * p->out[1] * p->out[2];
        T *dx = x->to + plane * size;
        for (i = 0; i < size; i++)
            dx[i] = 0;
        for (d = 0; d < p->out[0]; d++)
            for (h = 0; h < p->out[1]; h++)
                for (w = 0; w < p->out[2]; w++) {
                    T g = *dy++ / F(scale)(p, d, h, w);
                    for (i = 0; i < p->count[0][d]; i++)
                        for (j = 0; j < p->count[1][h]; j++) {
                            T *row = dx + ((p->start[0][d] + i) * p->in[1] + p->start[1][h] + j) * p->in[2];
                            row += p->start[2][w];
                            for (k = 0; k < p->count[2][w]; k++)
                                row[k] += g;
                        }
                }
    }
}

static void F(run)(const ms_pool *p, ms_task task, const T *from, T *to, void *index, int wide)
{
    F(pool_ctx) x;
    ptrdiff_t size = p->in[0] * p->in[1] * p->in[2], cells = p->out[0] * p->out[1] * p->out[2];
    x.p = p, x.from = from, x.to = to, x.index = index, x.wide = wide && index;
    ms_rt_table->parallel_for(p->planes, 1 + 16384 / (size + 4 * cells + 1), task, &x);
}

void F(ms_pool_max)(const ms_pool *p, const T *x, T *y, void *index, int wide)
{
    F(run)(p, F(max_task), x, y, index, wide);
}

void F(ms_pool_max_grad)(const ms_pool *p, const T *dy, const void *index, int wide, T *dx)
{
    F(run)(p, F(max_grad_task), dy, dx, (void *)(uintptr_t)index, wide);
}

void F(ms_pool_avg)(const ms_pool *p, const T *x, T *y)
{
    F(run)(p, F(avg_task), x, y, NULL, 0);
}

void F(ms_pool_avg_grad)(const ms_pool *p, const T *dy, T *dx)
{
    F(run)(p, F(avg_grad_task), dy, dx, NULL, 0);
}
