/* Reading a range of an operand as packed elements. */
#ifndef MS_EW_VIEW_H
#define MS_EW_VIEW_H

#include "ew.h"

#include <string.h>

#define EW_RUN(W) \
    case sizeof(W): { \
        W *to = (W *)out; \
        if (step == 0) { \
            W value = *(const W *)from; \
            for (ptrdiff_t i = 0; i < n; ++i) to[i] = value; \
        } else { \
            for (ptrdiff_t i = 0; i < n; ++i) to[i] = *(const W *)(from + i * step); \
        } \
        break; \
    }

typedef struct ew_pair {
    uint64_t a, b;
} ew_pair;

/* n elements that lie `step` bytes apart */
static void ew_run(void *out, const char *from, ptrdiff_t step, int item, ptrdiff_t n) {
    if (step == item) {
        memcpy(out, from, (size_t)(n * item));
        return;
    }
    switch (item) {
        EW_RUN(uint8_t)
        EW_RUN(uint16_t)
        EW_RUN(uint32_t)
        EW_RUN(uint64_t)
        EW_RUN(ew_pair)
    default:
        for (ptrdiff_t i = 0; i < n; ++i) memcpy((char *)out + i * item, from + i * step, (size_t)item);
    }
}

/* Elements [begin, begin + n) in C order */
static void ew_gather(const ew_view *v, ptrdiff_t begin, ptrdiff_t n, char *out) {
    ptrdiff_t at[EW_DIMS];
    const char *from = v->data;
    int last = v->ndim - 1;
    for (int d = last; d >= 0; --d) {
        at[d] = begin % v->shape[d];
        begin /= v->shape[d];
        from += at[d] * v->step[d];
    }
    for (;;) {
        ptrdiff_t run = v->shape[last] - at[last];
        if (run > n) run = n;
        ew_run(out, from, v->step[last], v->item, run);
        n -= run;
        if (n == 0) return;
        out += run * v->item;
        from -= at[last] * v->step[last];
        at[last] = 0;
        for (int d = last - 1; d >= 0; --d) {
            from += v->step[d];
            if (++at[d] < v->shape[d]) break;
            from -= at[d] * v->step[d];
            at[d] = 0;
        }
    }
}
#endif
