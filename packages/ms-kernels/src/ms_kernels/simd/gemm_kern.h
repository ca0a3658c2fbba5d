/* Template: tile kernels, own GEMM and row primitives for one type and one instruction set.
   Needs T, F(name), and for vector code V, VL, V_ZERO, V_LOAD, V_STORE, V_BCAST, V_ADD, V_FMA. */
#define NR ((ptrdiff_t)(MS_LINE / sizeof(T)))

#ifdef V
/* mr is a constant at every call, so that the tests below vanish and the tile stays in registers */
MS_INLINE void F(tile)(int mr, ptrdiff_t k, const T *a, const T *b, const ptrdiff_t *off, T *c, ptrdiff_t ldc,
                              int acc)
{
    V c00 = V_ZERO, c01 = V_ZERO, c10 = V_ZERO, c11 = V_ZERO, c20 = V_ZERO, c21 = V_ZERO;
    V c30 = V_ZERO, c31 = V_ZERO, c40 = V_ZERO, c41 = V_ZERO, c50 = V_ZERO, c51 = V_ZERO;
    ptrdiff_t l;
    for (l = 0; l < k; l++, a += MS_MR) {
        const T *p = b + off[l];
        V b0 = V_LOAD(p), b1 = V_LOAD(p + VL), x;
#define ROW(I)                                                                                                       \
    if (mr > I) {                                                                                                    \
        x = V_BCAST(a + I);                                                                                          \
        c##I##0 = V_FMA(x, b0, c##I##0);                                                                             \
        c##I##1 = V_FMA(x, b1, c##I##1);                                                                             \
    }
        ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5)
#undef ROW
    }
#define ROW(I)                                                                                                       \
    if (mr > I) {                                                                                                    \
        T *q = c + I * ldc;                                                                                          \
        if (acc) {                                                                                                   \
            c##I##0 = V_ADD(c##I##0, V_LOAD(q));                                                                     \
            c##I##1 = V_ADD(c##I##1, V_LOAD(q + VL));                                                                \
        }                                                                                                            \
        V_STORE(q, c##I##0);                                                                                         \
        V_STORE(q + VL, c##I##1);                                                                                    \
    }
    ROW(0) ROW(1) ROW(2) ROW(3) ROW(4) ROW(5)
#undef ROW
}
#else
MS_INLINE void F(tile)(int mr, ptrdiff_t k, const T *a, const T *b, const ptrdiff_t *off, T *c, ptrdiff_t ldc,
                              int acc)
{
    /* two rows at a time: the sums then fit the 16 registers of the baseline */
    int i;
    for (i = 0; i < mr; i += 2) {
        T s0[MS_LINE / sizeof(T)] = {0}, s1[MS_LINE / sizeof(T)] = {0};
        ptrdiff_t l, j;
        for (l = 0; l < k; l++) {
            const T *p = b + off[l];
            T x0 = a[l * MS_MR + i], x1 = a[l * MS_MR + i + 1];
            for (j = 0; j < NR; j++) {
                s0[j] += x0 * p[j];
                s1[j] += x1 * p[j];
            }
        }
        for (j = 0; j < NR; j++) {
            c[i * ldc + j] = acc ? c[i * ldc + j] + s0[j] : s0[j];
            c[(i + 1) * ldc + j] = acc ? c[(i + 1) * ldc + j] + s1[j] : s1[j];
        }
    }
}
#endif

#define TILE(MR)                                                                                                     \
    static void F(tile##MR)(ptrdiff_t k, const T *a, const T *b, const ptrdiff_t *off, T *c, ptrdiff_t ldc, int acc) \
    {                                                                                                                \
        F(tile)(MR, k, a, b, off, c, ldc, acc);                                                                      \
    }
TILE(2)
TILE(4)
TILE(6)
#undef TILE

static const F(ms_ker) F(tiles)[MS_MR + 1] = {F(tile2), F(tile2), F(tile2), F(tile4), F(tile4), F(tile6), F(tile6)};

#define KC 256
#define MC 96
#define NC 1024

static int F(gemm)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const T *a, ptrdiff_t ars, ptrdiff_t acs, const T *b,
                   ptrdiff_t brs, ptrdiff_t bcs, T *c, ptrdiff_t ldc)
{
    ptrdiff_t off[KC], i, j, l, jc, pc, ic, jr, ir;
    T edge[MS_MR * MS_LINE / sizeof(T)];
    ptrdiff_t nmax = n < NC ? (n + NR - 1) / NR * NR : NC;
    T *pack_b = (T *)ms_rt_table->alloc((size_t)(KC * (nmax + MC)) * sizeof(T)), *pack_a;
    if (!pack_b)
        return -1;
    pack_a = pack_b + KC * nmax;
    for (l = 0; l < KC; l++)
        off[l] = l * NR;
    for (jc = 0; jc < n; jc += NC) {
        ptrdiff_t nc = n - jc < NC ? n - jc : NC;
        for (pc = 0; pc == 0 || pc < k; pc += KC) {
            ptrdiff_t kc = k - pc < KC ? k - pc : KC;
            for (jr = 0; jr < nc; jr += NR) {
                T *dst = pack_b + jr * kc;
                ptrdiff_t w = nc - jr < NR ? nc - jr : NR;
                const T *src = b + pc * brs + (jc + jr) * bcs;
                for (l = 0; l < kc; l++)
                    for (j = 0; j < NR; j++)
                        dst[l * NR + j] = j < w ? src[l * brs + j * bcs] : (T)0;
            }
            for (ic = 0; ic < m; ic += MC) {
                ptrdiff_t mc = m - ic < MC ? m - ic : MC;
                for (ir = 0; ir < mc; ir += MS_MR) {
                    T *dst = pack_a + ir * kc;
                    ptrdiff_t h = mc - ir < MS_MR ? mc - ir : MS_MR;
                    const T *src = a + (ic + ir) * ars + pc * acs;
                    for (l = 0; l < kc; l++)
                        for (i = 0; i < MS_MR; i++)
                            dst[l * MS_MR + i] = i < h ? src[i * ars + l * acs] : (T)0;
                }
                for (jr = 0; jr < nc; jr += NR)
                    for (ir = 0; ir < mc; ir += MS_MR) {
                        ptrdiff_t w = nc - jr < NR ? nc - jr : NR, h = mc - ir < MS_MR ? mc - ir : MS_MR;
                        T *to = c + (ic + ir) * ldc + jc + jr;
                        if (w == NR && h == MS_MR) {
                            F(tile6)(kc, pack_a + ir * kc, pack_b + jr * kc, off, to, ldc, pc > 0);
                            continue;
                        }
                        F(tiles)[h](kc, pack_a + ir * kc, pack_b + jr * kc, off, edge, NR, 0);
                        for (i = 0; i < h; i++)
                            for (j = 0; j < w; j++)
                                to[i * ldc + j] = pc > 0 ? to[i * ldc + j] + edge[i * NR + j] : edge[i * NR + j];
                    }
            }
        }
    }
    ms_rt_table->release(pack_b);
    return 0;
}

#ifdef V
static void F(line)(ptrdiff_t k, const T *a, const T *b, const ptrdiff_t *off, T *c, ptrdiff_t n)
{
    ptrdiff_t j = 0, l;
    for (; j + 8 * VL <= n; j += 8 * VL) {
        V s0 = V_ZERO, s1 = V_ZERO, s2 = V_ZERO, s3 = V_ZERO, s4 = V_ZERO, s5 = V_ZERO, s6 = V_ZERO, s7 = V_ZERO;
        for (l = 0; l < k; l++) {
            const T *p = b + off[l] + j;
            V x = V_BCAST(a + l * MS_MR);
            s0 = V_FMA(x, V_LOAD(p), s0);
            s1 = V_FMA(x, V_LOAD(p + VL), s1);
            s2 = V_FMA(x, V_LOAD(p + 2 * VL), s2);
            s3 = V_FMA(x, V_LOAD(p + 3 * VL), s3);
            s4 = V_FMA(x, V_LOAD(p + 4 * VL), s4);
            s5 = V_FMA(x, V_LOAD(p + 5 * VL), s5);
            s6 = V_FMA(x, V_LOAD(p + 6 * VL), s6);
            s7 = V_FMA(x, V_LOAD(p + 7 * VL), s7);
        }
        V_STORE(c + j, s0);
        V_STORE(c + j + VL, s1);
        V_STORE(c + j + 2 * VL, s2);
        V_STORE(c + j + 3 * VL, s3);
        V_STORE(c + j + 4 * VL, s4);
        V_STORE(c + j + 5 * VL, s5);
        V_STORE(c + j + 6 * VL, s6);
        V_STORE(c + j + 7 * VL, s7);
    }
    for (; j < n; j += 2 * VL) {
        V s0 = V_ZERO, s1 = V_ZERO;
        for (l = 0; l < k; l++) {
            const T *p = b + off[l] + j;
            V x = V_BCAST(a + l * MS_MR);
            s0 = V_FMA(x, V_LOAD(p), s0);
            s1 = V_FMA(x, V_LOAD(p + VL), s1);
        }
        V_STORE(c + j, s0);
        V_STORE(c + j + VL, s1);
    }
}

static T F(dot)(ptrdiff_t n, const T *x, const T *y)
{
    V s0 = V_ZERO, s1 = V_ZERO, s2 = V_ZERO, s3 = V_ZERO;
    T lanes[VL], sum = 0;
    ptrdiff_t i = 0, j;
    for (; i + 4 * VL <= n; i += 4 * VL) {
        s0 = V_FMA(V_LOAD(x + i), V_LOAD(y + i), s0);
        s1 = V_FMA(V_LOAD(x + i + VL), V_LOAD(y + i + VL), s1);
        s2 = V_FMA(V_LOAD(x + i + 2 * VL), V_LOAD(y + i + 2 * VL), s2);
        s3 = V_FMA(V_LOAD(x + i + 3 * VL), V_LOAD(y + i + 3 * VL), s3);
    }
    for (; i + VL <= n; i += VL)
        s0 = V_FMA(V_LOAD(x + i), V_LOAD(y + i), s0);
    V_STORE(lanes, V_ADD(V_ADD(s0, s1), V_ADD(s2, s3)));
    for (; i < n; i++)
        sum += x[i] * y[i];
    for (j = 0; j < VL; j++)
        sum += lanes[j];
    return sum;
}
#else
static void F(line)(ptrdiff_t k, const T *a, const T *b, const ptrdiff_t *off, T *c, ptrdiff_t n)
{
    ptrdiff_t j, i, l;
    for (j = 0; j < n; j += NR) {
        T s[MS_LINE / sizeof(T)] = {0};
        for (l = 0; l < k; l++)
            for (i = 0; i < NR; i++)
                s[i] += a[l * MS_MR] * b[off[l] + j + i];
        memcpy(c + j, s, sizeof s);
    }
}

static T F(dot)(ptrdiff_t n, const T *x, const T *y)
{
    /* fixed lanes: the compiler may vectorise this without reordering a sum */
    T s[16] = {0}, r = 0;
    ptrdiff_t i, j;
    for (i = 0; i + 16 <= n; i += 16)
        for (j = 0; j < 16; j++)
            s[j] += x[i + j] * y[i + j];
    for (; i < n; i++)
        r += x[i] * y[i];
    for (j = 0; j < 16; j++)
        r += s[j];
    return r;
}
#endif

const F(ms_kern) F2(ms_kern) = {
    {F(tile2), F(tile2), F(tile2), F(tile4), F(tile4), F(tile6), F(tile6)}, F(gemm), F(line), F(dot)};

#undef KC
#undef MC
#undef NC
#undef NR
