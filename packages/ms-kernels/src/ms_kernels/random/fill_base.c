/* The kernels in plain C: the only ones on a machine without AVX2, and the definition of what the others give. */
#include "exact.h"

typedef float vf;
typedef uint32_t vi;
#define vf_set(x) (x)
#define vi_set(x) (x##u)
#define vf_add(a, b) ((a) + (b))
#define vf_sub(a, b) ((a) - (b))
#define vf_mul(a, b) ((a) * (b))
#define vf_div(a, b) ((a) / (b))
#define vf_sqrt(a) sqrtf(a)
#define vf_max(a, b) ((a) > (b) ? (a) : (b))
#define vf_of_int(a) ((float)(int32_t)(a))
#define vf_pick(mask, a, b) ((mask) >> 31 ? (a) : (b))
#define vf_flip(a, sign) vf_of_bits(vi_of_bits(a) ^ (sign))
#define vi_add(a, b) ((a) + (b))
#define vi_sub(a, b) ((a) - (b))
#define vi_and(a, b) ((a) & (b))
#define vi_or(a, b) ((a) | (b))
#define vi_sll(a, n) ((a) << (n))
#define vi_sra(a, n) ((a) >> (n) | ((a) >> 31 ? ~(0xffffffffu >> (n)) : 0u))

MS_INLINE vf vf_of_bits(vi bits)
{
    vf x;
    memcpy(&x, &bits, 4);
    return x;
}

MS_INLINE vi vi_of_bits(vf x)
{
    vi bits;
    memcpy(&bits, &x, 4);
    return bits;
}

#include "normal32.h"

MS_INLINE void unit_words(const ms_fill *f, uint64_t unit, uint32_t *w)
{
    for (int i = 0; i < MS_UNIT_WORDS / 4; i++) {
        ms_philox_block(f, unit * (MS_UNIT_WORDS / 4) + (uint64_t)i, w + 4 * i);
    }
}

/* One kernel: `T *o` are the outputs of a unit, `w` its words; the body fills o. */
#define KERNEL(name, T, per_unit, body)                                                              \
    static void name(const ms_fill *f, uint64_t unit, ptrdiff_t units, void *out)                    \
    {                                                                                                \
        uint32_t w[MS_UNIT_WORDS];                                                                   \
        for (ptrdiff_t n = 0; n < units; n++) {                                                      \
            T *MS_RESTRICT o = (T *)out + n * (per_unit);                                            \
            unit_words(f, unit + (uint64_t)n, w);                                                    \
            body                                                                                     \
        }                                                                                            \
    }
#define EACH(count, statement)                                                                       \
    for (int i = 0; i < (count); i++) {                                                              \
        statement;                                                                                   \
    }

MS_INLINE double unit53(const uint32_t *w)
{
    return (double)(((uint64_t)w[1] << 32 | w[0]) >> 11) * (1.0 / 9007199254740992.0);
}

KERNEL(words, uint32_t, 32, memcpy(o, w, sizeof(w)); (void)f;)
KERNEL(uniform64, float, 32, EACH(32, o[i] = (float)(w[i] * (1.0 / 4294967296.0) * f->p[0] + f->p[1])))
KERNEL(normal64, float, 32, EACH(16, ms_exact_normal(f->p[0], f->p[1], w[2 * i], w[2 * i + 1], o + 2 * i)))
KERNEL(trunc64, float, 32, EACH(32, o[i] = ms_exact_truncated(f->p, w[i])))
KERNEL(unit32, float, 32, EACH(32, o[i] = ms_unit32(w[i]) * (float)f->p[0] + (float)f->p[1]))
KERNEL(normal32, float, 32, EACH(16, ms_normal32(w[2 * i], w[2 * i + 1], o + 2 * i, o + 2 * i + 1))
       EACH(32, o[i] = o[i] * (float)f->p[0] + (float)f->p[1]))
KERNEL(less, uint8_t, 32, EACH(32, o[i] = ms_unit32(w[i]) < (float)f->p[0]))
KERNEL(less32, float, 32, EACH(32, o[i] = ms_unit32(w[i]) < (float)f->p[0] ? 1.0f : 0.0f))
KERNEL(mask, uint8_t, 4, memset(o, 0, 4);
       EACH(32, o[i / 8] = (uint8_t)(o[i / 8] | (unsigned)(ms_unit32(w[i]) >= (float)f->p[0]) << i % 8)))
KERNEL(int32, int64_t, 32, EACH(32, o[i] = (int64_t)((uint64_t)f->low + w[i] % f->span)))
KERNEL(int64, int64_t, 16, EACH(16, uint64_t v = (uint64_t)w[2 * i + 1] << 32 | w[2 * i];
                                o[i] = (int64_t)((uint64_t)f->low + (f->span ? v % f->span : v))))
KERNEL(unit64, double, 16, EACH(16, o[i] = unit53(w + 2 * i) * f->p[0] + f->p[1]))
KERNEL(gauss64, double, 16, EACH(8, double r = sqrt(-2.0 * log(1.0 - unit53(w + 4 * i)));
                                 double a = 6.283185307179586 * unit53(w + 4 * i + 2);
                                 o[2 * i] = sin(a) * r * f->p[0] + f->p[1];
                                 o[2 * i + 1] = cos(a) * r * f->p[0] + f->p[1]))

const ms_unit_kernel ms_kernels_base[MS_KINDS] = {
    [MS_WORDS] = words,   [MS_UNIFORM64] = uniform64, [MS_NORMAL64] = normal64, [MS_TRUNC64] = trunc64, [MS_UNIT32] = unit32,
    [MS_NORMAL32] = normal32, [MS_LESS] = less,       [MS_LESS32] = less32,     [MS_MASK] = mask,       [MS_INT32] = int32,
    [MS_INT64] = int64,   [MS_UNIT64] = unit64,       [MS_GAUSS64] = gauss64,
};
