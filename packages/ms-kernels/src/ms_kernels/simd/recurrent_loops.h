/* Template: the cells and the loop over steps for one type.  Needs T, F(name), KERN, EXP, TANH, LOOP.

   Kept of each unit and step: LSTM i, f, g, o, c; GRU r, z, n and the recurrent part q of the new gate. */
#define NR ((ptrdiff_t)(MS_LINE / sizeof(T)))

typedef struct {
    const ms_scan *s;
    ptrdiff_t gates, kept, wide; /* wide: H rounded up to whole tiles */
    T *panels;                   /* the weight in the order in which the tile kernels read it */
    const T *bias;               /* never NULL */
    ptrdiff_t *off;
    int failed[1];
} F(scan);

MS_INLINE T F(sigmoid)(T x) { return (T)1 / ((T)1 + EXP(-x)); }

/* ---- one step of one sequence; a: the products of the last output, gates `wide` apart; x, b: gates H apart ---- */
static void F(plain_step)(ptrdiff_t n, int relu, const T *a, const T *x, const T *b, T *y)
{
    ptrdiff_t j;
    if (relu) {
        for (j = 0; j < n; j++) {
            T v = x[j] + (a[j] + b[j]);
            y[j] = v > 0 || v != v ? v : (T)0;
        }
        return;
    }
    LOOP
    for (j = 0; j < n; j++)
        y[j] = TANH(x[j] + (a[j] + b[j]));
}

static void F(lstm_step)(ptrdiff_t n, ptrdiff_t wide, const T *a, const T *x, const T *b, T *c, T *y, T *saved)
{
    const T *ai = a, *af = a + wide, *ag = a + 2 * wide, *ao = a + 3 * wide;
    const T *xi = x, *xf = x + n, *xg = x + 2 * n, *xo = x + 3 * n, *bi = b, *bf = b + n, *bg = b + 2 * n, *bo = b + 3 * n;
    T *si = saved, *sf = saved + n, *sg = saved + 2 * n, *so = saved + 3 * n, *sc = saved + 4 * n;
    ptrdiff_t j;
    LOOP
    for (j = 0; j < n; j++) {
        T i = F(sigmoid)(xi[j] + (ai[j] + bi[j])), f = F(sigmoid)(xf[j] + (af[j] + bf[j]));
        T g = TANH(xg[j] + (ag[j] + bg[j])), o = F(sigmoid)(xo[j] + (ao[j] + bo[j]));
        T v = f * c[j] + i * g;
        c[j] = v;
        si[j] = i, sf[j] = f, sg[j] = g, so[j] = o, sc[j] = v;
        y[j] = o * TANH(v);
    }
}

static void F(gru_step)(ptrdiff_t n, ptrdiff_t wide, const T *a, const T *x, const T *b, const T *h, T *y, T *saved)
{
    const T *ar = a, *az = a + wide, *an = a + 2 * wide, *xr = x, *xz = x + n, *xn = x + 2 * n;
    const T *br = b, *bz = b + n, *bn = b + 2 * n;
    T *sr = saved, *sz = saved + n, *sn = saved + 2 * n, *sq = saved + 3 * n;
    ptrdiff_t j;
    LOOP
    for (j = 0; j < n; j++) {
        T r = F(sigmoid)(xr[j] + (ar[j] + br[j])), z = F(sigmoid)(xz[j] + (az[j] + bz[j])), q = an[j] + bn[j];
        T v = TANH(xn[j] + r * q);
        sr[j] = r, sz[j] = z, sn[j] = v, sq[j] = q;
        y[j] = v + z * (h[j] - v);
    }
}

/* ---- and back; dh: gradient of the output so far, then what goes on to the step before beside the products ---- */
static void F(plain_back)(ptrdiff_t n, int relu, const T *dy, const T *y, T *dh, T *d)
{
    ptrdiff_t j;
    LOOP
    for (j = 0; j < n; j++) {
        T g = dy[j] + dh[j];
        d[j] = relu ? (y[j] > 0 ? g : (T)0) : g * ((T)1 - y[j] * y[j]);
        dh[j] = 0;
    }
}

static void F(lstm_back)(ptrdiff_t n, const T *dy, const T *saved, const T *last, T *dh, T *dc, T *d)
{
    const T *si = saved, *sf = saved + n, *sg = saved + 2 * n, *so = saved + 3 * n, *sc = saved + 4 * n;
    T *di = d, *df = d + n, *dg = d + 2 * n, *d_o = d + 3 * n;
    ptrdiff_t j;
    LOOP
    for (j = 0; j < n; j++) {
        T g = dy[j] + dh[j], i = si[j], f = sf[j], v = sg[j], o = so[j], t = TANH(sc[j]);
        T dv = dc[j] + g * o * ((T)1 - t * t);
        di[j] = dv * v * i * ((T)1 - i);
        df[j] = dv * last[j] * f * ((T)1 - f);
        dg[j] = dv * i * ((T)1 - v * v);
        d_o[j] = g * t * o * ((T)1 - o);
        dc[j] = dv * f;
        dh[j] = 0;
    }
}

static void F(gru_back)(ptrdiff_t n, const T *dy, const T *saved, const T *last, T *dh, T *d, T *dq)
{
    const T *sr = saved, *sz = saved + n, *sn = saved + 2 * n, *sq = saved + 3 * n;
    T *dr = d, *dz = d + n, *dn = d + 2 * n;
    ptrdiff_t j;
    LOOP
    for (j = 0; j < n; j++) {
        T g = dy[j] + dh[j], r = sr[j], z = sz[j], v = sn[j];
        T dv = g * ((T)1 - z) * ((T)1 - v * v);
        dr[j] = dv * sq[j] * r * ((T)1 - r);
        dz[j] = g * (last[j] - v) * z * ((T)1 - z);
        dn[j] = dv;
        dq[j] = dv * r;
        dh[j] = g * z;
    }
}

/* ---- layout ---- */
/* rows of numbers to the order of the tile kernels, MS_MR rows side by side */
static void F(interleave)(ptrdiff_t rows, ptrdiff_t n, const T *src, ptrdiff_t step, T *dst)
{
    ptrdiff_t l, i;
    if (rows == MS_MR) {
        const T *p0 = src, *p1 = src + step, *p2 = src + 2 * step, *p3 = src + 3 * step, *p4 = src + 4 * step,
                *p5 = src + 5 * step;
        for (l = 0; l < n; l++, dst += MS_MR)
            dst[0] = p0[l], dst[1] = p1[l], dst[2] = p2[l], dst[3] = p3[l], dst[4] = p4[l], dst[5] = p5[l];
        return;
    }
    for (l = 0; l < n; l++)
        for (i = 0; i < rows; i++)
            dst[l * MS_MR + i] = src[i * step + l];
}

/* panel p: rows of the weight (forward: p counts gates, then tiles of units) or columns (backward) side by side */
static void F(pack_forward)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(scan) *z = (const F(scan) *)arg;
    ptrdiff_t h = z->s->hidden, tiles = z->wide / NR, p, l, j;
    (void)worker;
    for (p = begin; p < end; p++) {
        ptrdiff_t first = p % tiles * NR, n = h - first < NR ? h - first : NR;
        const T *src = (const T *)z->s->w + (p / tiles * h + first) * h;
        T *dst = z->panels + p * h * NR;
        for (l = 0; l < h; l++)
            for (j = 0; j < NR; j++)
                dst[l * NR + j] = j < n ? src[j * h + l] : (T)0;
    }
}

static void F(pack_backward)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(scan) *z = (const F(scan) *)arg;
    ptrdiff_t h = z->s->hidden, k = z->gates * h, p, l, j;
    (void)worker;
    for (p = begin; p < end; p++) {
        ptrdiff_t first = p * NR, n = h - first < NR ? h - first : NR;
        const T *src = (const T *)z->s->w + first;
        T *dst = z->panels + p * k * NR;
        for (l = 0; l < k; l++)
            for (j = 0; j < NR; j++)
                dst[l * NR + j] = j < n ? src[l * h + j] : (T)0;
    }
}

/* c (+)= rows times packed weight: `panels` panels of depth k */
MS_INLINE void F(product)(const F(scan) *z, ptrdiff_t panels, ptrdiff_t k, ptrdiff_t rows, const T *a, T *c, ptrdiff_t ldc,
                          int acc)
{
    ptrdiff_t p, g, groups = groups_of(rows);
    for (p = 0; p < panels; p++)
        for (g = 0; g < groups; g++) {
            ptrdiff_t r = group(rows, g);
            KERN.ker[group(rows, g + 1) - r](k, a + g * MS_MR * k, z->panels + p * k * NR, z->off, c + r * ldc + p * NR,
                                             ldc, acc);
        }
}

/* ---- the loop over steps ---- */
static void F(forward_rows)(const F(scan) *z, ptrdiff_t first, ptrdiff_t rows, T *room)
{
    const ms_scan *s = z->s;
    ptrdiff_t h = s->hidden, gh = z->gates * h, ldc = z->gates * z->wide, step, r, j, g;
    T *a = room, *products = a + ROWS * h, *state = products + ROWS * ldc, *cells = state + ROWS * h;
    const T *x = (const T *)s->x;
    T *y = (T *)s->y, *saved = (T *)s->saved;
    memcpy(state, (const T *)s->h0 + first * h, (size_t)(rows * h) * sizeof(T));
    if (s->cell == MS_CELL_LSTM)
        memcpy(cells, (const T *)s->c0 + first * h, (size_t)(rows * h) * sizeof(T));
    for (step = 0; step < s->steps; step++) {
        ptrdiff_t t = s->reverse ? s->steps - 1 - step : step, at = t * s->batch + first;
        for (g = 0; g < groups_of(rows); g++) {
            r = group(rows, g);
            F(interleave)(group(rows, g + 1) - r, h, state + r * h, h, a + g * MS_MR * h);
        }
        F(product)(z, ldc / NR, h, rows, a, products, ldc, 0);
        for (r = 0; r < rows; r++) {
            const T *p = products + r * ldc, *in = x + (at + r) * gh;
            T *out = y + (at + r) * h, *keep = saved + (at + r) * z->kept * h;
            if (!counts(s, first + r, t)) {
                for (j = 0; j < h; j++)
                    out[j] = 0;
                for (j = 0; j < z->kept * h; j++)
                    keep[j] = 0;
                continue;
            }
            if (s->cell == MS_CELL_LSTM)
                F(lstm_step)(h, z->wide, p, in, z->bias, cells + r * h, out, keep);
            else if (s->cell == MS_CELL_GRU)
                F(gru_step)(h, z->wide, p, in, z->bias, state + r * h, out, keep);
            else
                F(plain_step)(h, s->cell == MS_CELL_RELU, p, in, z->bias, out);
            memcpy(state + r * h, out, (size_t)h * sizeof(T));
        }
    }
    memcpy((T *)s->hn + first * h, state, (size_t)(rows * h) * sizeof(T));
    if (s->cell == MS_CELL_LSTM)
        memcpy((T *)s->cn + first * h, cells, (size_t)(rows * h) * sizeof(T));
}

static void F(backward_rows)(const F(scan) *z, ptrdiff_t first, ptrdiff_t rows, T *room)
{
    const ms_scan *s = z->s;
    ptrdiff_t h = s->hidden, gh = z->gates * h, kept = z->kept * h, step, r, j, g;
    int gru = s->cell == MS_CELL_GRU, lstm = s->cell == MS_CELL_LSTM;
    T *a = room, *dh = a + ROWS * gh, *dc = dh + ROWS * z->wide;
    const T *y = (const T *)s->y, *saved = (const T *)s->saved, *dy = (const T *)s->dy;
    T *d = (T *)s->dx, *dq = (T *)s->dq;
    for (r = 0; r < rows; r++) {
        memcpy(dh + r * z->wide, (const T *)s->dhn + (first + r) * h, (size_t)h * sizeof(T));
        if (lstm)
            memcpy(dc + r * h, (const T *)s->dcn + (first + r) * h, (size_t)h * sizeof(T));
    }
    for (step = s->steps - 1; step >= 0; step--) {
        ptrdiff_t t = s->reverse ? s->steps - 1 - step : step, at = t * s->batch + first;
        for (r = 0; r < rows; r++) {
            ptrdiff_t b = first + r, last = before(s, b, t);
            T *to = d + (at + r) * gh;
            if (!counts(s, b, t)) { /* the states went by unchanged, and so do their gradients */
                for (j = 0; j < gh; j++)
                    to[j] = 0;
                for (j = 0; j < (gru ? h : 0); j++)
                    dq[(at + r) * h + j] = 0;
                continue;
            }
            if (lstm)
                F(lstm_back)(h, dy + (at + r) * h, saved + (at + r) * kept,
                             last < 0 ? (const T *)s->c0 + b * h : saved + (last * s->batch + b) * kept + 4 * h,
                             dh + r * z->wide, dc + r * h, to);
            else if (gru)
                F(gru_back)(h, dy + (at + r) * h, saved + (at + r) * kept,
                            last < 0 ? (const T *)s->h0 + b * h : y + (last * s->batch + b) * h, dh + r * z->wide, to,
                            dq + (at + r) * h);
            else
                F(plain_back)(h, s->cell == MS_CELL_RELU, dy + (at + r) * h, y + (at + r) * h, dh + r * z->wide, to);
        }
        for (g = 0; g < groups_of(rows); g++) {
            ptrdiff_t n = group(rows, g + 1) - group(rows, g);
            T *to = a + g * MS_MR * gh;
            r = group(rows, g);
            F(interleave)(n, gru ? 2 * h : gh, d + (at + r) * gh, gh, to);
            if (gru)
                F(interleave)(n, h, dq + (at + r) * h, h, to + 2 * h * MS_MR);
        }
        F(product)(z, z->wide / NR, gh, rows, a, dh, z->wide, 1);
    }
    for (r = 0; r < rows; r++) {
        memcpy((T *)s->dh0 + (first + r) * h, dh + r * z->wide, (size_t)h * sizeof(T));
        if (lstm)
            memcpy((T *)s->dc0 + (first + r) * h, dc + r * h, (size_t)h * sizeof(T));
    }
}

/* numbers that rows need between the steps */
static size_t F(room)(const F(scan) *z, int back)
{
    ptrdiff_t gh = z->gates * z->wide;
    return (size_t)(ROWS * (gh + (back ? 2 : 3) * z->wide)) * sizeof(T);
}

MS_INLINE void F(task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int back)
{
    F(scan) *z = (F(scan) *)arg;
    T *room = (T *)ms_rt_table->alloc(F(room)(z, back));
    ptrdiff_t b;
    if (!room) {
        z->failed[0] = 1;
        return;
    }
    memset(room, 0, F(room)(z, back)); /* rows of tiles that no sequence fills are computed, too */
    for (b = begin; b < end; b += ROWS)
        (back ? F(backward_rows) : F(forward_rows))(z, b, end - b < ROWS ? end - b : ROWS, room);
    ms_rt_table->release(room);
}

static void F(forward_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    (void)worker;
    F(task)(arg, begin, end, 0);
}

static void F(backward_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    (void)worker;
    F(task)(arg, begin, end, 1);
}

static int F(run)(const ms_scan *s, int back)
{
    F(scan) z;
    ptrdiff_t h = s->hidden, gh = GATES[s->cell] * h, wide = (h + NR - 1) / NR * NR, depth = back ? gh : h, l;
    ptrdiff_t panels = back ? wide / NR : GATES[s->cell] * wide / NR, grain = s->batch / ms_rt_table->threads();
    double work = (double)s->steps * (double)gh * (double)h;
    char *block;
    if (s->batch == 0)
        return 0;
    block = (char *)ms_rt_table->alloc((size_t)(panels * depth * NR + gh) * sizeof(T) + (size_t)depth * sizeof(ptrdiff_t));
    if (!block)
        return -1;
    z.s = s;
    z.gates = GATES[s->cell];
    z.kept = KEPT[s->cell];
    z.wide = wide;
    z.panels = (T *)(void *)block;
    z.off = (ptrdiff_t *)(void *)(block + (size_t)(panels * depth * NR) * sizeof(T)); /* a whole number of cache lines */
    z.failed[0] = 0;
    for (l = 0; l < depth; l++)
        z.off[l] = l * NR;
    z.bias = (const T *)s->bias;
    if (!z.bias) {
        z.bias = (T *)(void *)(z.off + depth);
        memset(z.off + depth, 0, (size_t)gh * sizeof(T));
    }
    ms_rt_table->parallel_for(panels, 1 + 16384 / (depth * NR), back ? F(pack_backward) : F(pack_forward), &z);
    if (work * (double)grain < 65536.0)
        grain = work > 0 ? 1 + (ptrdiff_t)(65536.0 / work) : s->batch;
    ms_rt_table->parallel_for(s->batch, grain, back ? F(backward_task) : F(forward_task), &z);
    ms_rt_table->release(block);
    return -z.failed[0];
}

static int F(forward)(const ms_scan *s) { return F(run)(s, 0); }
static int F(backward)(const ms_scan *s) { return F(run)(s, 1); }
#undef NR
