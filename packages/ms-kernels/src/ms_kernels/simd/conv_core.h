/* Template: the correlation behind the forward pass and the gradient of the input.

   out[m][oh][ow] = sum over c and taps of w[m][c][tap] * in[c][oh*sh + eh][ow*sw + ew].
   A tile of image rows is copied once, padded and split by stride phase, so that every tap is a constant shift of the
   copy: 16 neighbouring results then read 16 neighbouring numbers, and no im2col matrix is ever written. */

typedef struct {
    const T *in;
    T *out;
    const T *bias, *pack;
    ptrdiff_t n, groups, cg, mg, ih, iw;
    ptrdiff_t oh, ow, out_n, out_c, out_h, out_w; /* result size and strides */
    ptrdiff_t nr, ns;                             /* taps */
    const ptrdiff_t *eh, *ew;
    ptrdiff_t sh, sw;
    /* the plan */
    ptrdiff_t th, tw, tiles_h, tiles_w, msplit, strips, cb;
    ptrdiff_t rows, wq, plane, slots_h, slots_w;
    ptrdiff_t min_h, min_w, *phase_h, *phase_w;
    const ptrdiff_t *off;
    T *scratch;
    ptrdiff_t scratch_each, cbuf_at, panel_at;
    ptrdiff_t ni, pixels, run; /* small images: how many at a time, their pixels, neighbours copied at once */
    const ptrdiff_t *pix;      /* where each pixel lies in the copies */
} F(core);

/* slot of the stride phase of each tap and its shift in the copy; returns the largest shift */
static ptrdiff_t F(split_phases)(ptrdiff_t n, const ptrdiff_t *e, ptrdiff_t stride, ptrdiff_t *least, ptrdiff_t *slots,
                                 ptrdiff_t *phase, ptrdiff_t *slot, ptrdiff_t *shift)
{
    ptrdiff_t i, j, most = 0;
    *least = e[0];
    for (i = 1; i < n; i++)
        *least = e[i] < *least ? e[i] : *least;
    *slots = 0;
    for (i = 0; i < n; i++) {
        ptrdiff_t f = (e[i] - *least) % stride;
        shift[i] = (e[i] - *least) / stride;
        most = shift[i] > most ? shift[i] : most;
        for (j = 0; j < *slots && phase[j] != f; j++)
            ;
        if (j == *slots)
            phase[(*slots)++] = f;
        slot[i] = j;
    }
    return most;
}

/* one row of the copy: dst[j] = src[(j0 + j)*stride + e], zero outside of [0, width) */
static void F(copy_row)(T *dst, ptrdiff_t n, const T *src, ptrdiff_t width, ptrdiff_t first, ptrdiff_t stride)
{
    ptrdiff_t lo = first < 0 ? (-first + stride - 1) / stride : 0, hi, j;
    hi = width > first ? (width - first + stride - 1) / stride : 0;
    hi = hi > n ? n : hi;
    lo = lo > hi ? hi : lo;
    for (j = 0; j < lo; j++)
        dst[j] = 0;
    if (stride == 1)
        memcpy(dst + lo, src + first + lo, (size_t)(hi - lo) * sizeof(T));
    else if (stride == 2) /* a constant: vector code */
        for (j = lo; j < hi; j++)
            dst[j] = src[first + 2 * j];
    else
        for (j = lo; j < hi; j++)
            dst[j] = src[first + j * stride];
    for (j = hi; j < n; j++)
        dst[j] = 0;
}

static void F(copy_tile)(const F(core) *p, T *dst, const T *img, ptrdiff_t oh0, ptrdiff_t ow0)
{
    ptrdiff_t c, a, b, j;
    for (c = 0; c < p->cg; c++, dst += p->plane) {
        const T *src = img + c * p->ih * p->iw;
        T *to = dst;
        for (a = 0; a < p->slots_h; a++)
            for (b = 0; b < p->slots_w; b++)
                for (j = 0; j < p->rows; j++, to += p->wq) {
                    ptrdiff_t y = (oh0 + j) * p->sh + p->phase_h[a] + p->min_h;
                    if (y < 0 || y >= p->ih)
                        memset(to, 0, (size_t)p->wq * sizeof(T));
                    else
                        F(copy_row)(to, p->wq, src + y * p->iw, p->iw, ow0 * p->sw + p->phase_w[b] + p->min_w, p->sw);
                }
        memset(to, 0, (size_t)(dst + p->plane - to) * sizeof(T));
    }
}

static void F(store_row)(const F(core) *p, T *dst, const T *src, ptrdiff_t n, const T *bias)
{
    ptrdiff_t j;
    if (p->out_w != 1) {
        for (j = 0; j < n; j++)
            dst[j * p->out_w] = bias ? src[j] + *bias : src[j];
    } else if (bias) {
        T b = *bias;
        for (j = 0; j < n; j++)
            dst[j] = src[j] + b;
    } else {
        memcpy(dst, src, (size_t)n * sizeof(T));
    }
}

static void F(core_task)(void *arg, ptrdiff_t begin, ptrdiff_t end, int worker)
{
    const F(core) *p = (const F(core) *)arg;
    const F(ms_kern) *kern = F(pick)();
    ptrdiff_t nr = MS_LINE / (ptrdiff_t)sizeof(T), taps = p->nr * p->ns, depth = p->cg * taps, item;
    T *copy = p->scratch + worker * p->scratch_each, *cbuf = copy + p->cbuf_at;
    for (item = begin; item < end; item++) {
        ptrdiff_t ms = item % p->msplit, tw = item / p->msplit % p->tiles_w;
        ptrdiff_t th = item / p->msplit / p->tiles_w % p->tiles_h;
        ptrdiff_t ng = item / p->msplit / p->tiles_w / p->tiles_h, g = ng % p->groups, n = ng / p->groups;
        ptrdiff_t oh0 = th * p->th, ow0 = tw * p->tw, s0 = p->strips * ms / p->msplit;
        ptrdiff_t s1 = p->strips * (ms + 1) / p->msplit, h = p->oh - oh0, w = p->ow - ow0, panels, ldc, mb, whole, direct;
        h = h < p->th ? h : p->th;
        w = w < p->tw ? w : p->tw;
        panels = ((h - 1) * p->wq + w + nr - 1) / nr;
        whole = p->out_w == 1 && p->out_h == w && p->wq == w; /* no junk between the rows */
        /* then, if all tiles are full and nothing is added, the kernels write the result itself */
        direct = whole && !p->bias && h * w % nr == 0 && p->mg % MS_MR % 2 == 0 && p->mg > 2;
        ldc = direct ? p->out_c : panels * nr;
        F(copy_tile)(p, copy, p->in + (n * p->groups + g) * p->cg * p->ih * p->iw, oh0, ow0);
        for (mb = s0; mb < s1; mb += MS_STRIPS) {
            ptrdiff_t ns = s1 - mb < MS_STRIPS ? s1 - mb : MS_STRIPS, c, q, s, i, j;
            T *to = direct ? p->out + n * p->out_n + (g * p->mg + mb * MS_MR) * p->out_c + oh0 * p->out_h + ow0 : cbuf;
            if (p->mg <= 2) /* depthwise: no tile of 6 rows to fill */
                for (i = 0; i < p->mg; i++)
                    kern->line(depth, p->pack + g * depth * MS_MR + i, copy, p->off, cbuf + i * ldc, ldc);
            for (c = p->mg <= 2 ? p->cg : 0; c < p->cg; c += p->cb) {
                ptrdiff_t k = (p->cg - c < p->cb ? p->cg - c : p->cb) * taps;
                for (q = 0; q < panels; q++)
                    for (s = 0; s < ns; s++) {
                        ptrdiff_t left = p->mg - (mb + s) * MS_MR;
                        kern->ker[left < MS_MR ? left : MS_MR](
                            k, p->pack + ((g * p->strips + mb + s) * depth + c * taps) * MS_MR, copy + q * nr,
                            p->off + c * taps, to + s * MS_MR * ldc + q * nr, ldc, c > 0);
                    }
            }
            for (i = mb * MS_MR; !direct && i < (mb + ns) * MS_MR && i < p->mg; i++) {
                T *out = p->out + n * p->out_n + (g * p->mg + i) * p->out_c + oh0 * p->out_h + ow0 * p->out_w;
                const T *src = cbuf + (i - mb * MS_MR) * ldc, *bias = p->bias ? p->bias + g * p->mg + i : NULL;
                if (whole)
                    F(store_row)(p, out, src, h * w, bias);
                else
                    for (j = 0; j < h; j++)
                        F(store_row)(p, out + j * p->out_h, src + j * p->wq, w, bias);
            }
        }
    }
}
