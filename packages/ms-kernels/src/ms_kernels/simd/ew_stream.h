/* Writing results past the cache, which pays when no cache would keep them anyway. */
#ifndef MS_EW_STREAM_H
#define MS_EW_STREAM_H

#include "ms_rt.h"

#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define EW_STREAM 1
#else
#define EW_STREAM 0
#endif

static const ptrdiff_t EW_STREAM_FROM = (ptrdiff_t)16 << 20; /* bytes of result */

static void ew_stream_out(char *out, const char *from, ptrdiff_t bytes) {
#if EW_STREAM
    ptrdiff_t head = (ptrdiff_t)((0 - (uintptr_t)out) & 15u);
    if (head > bytes) head = bytes;
    memcpy(out, from, (size_t)head);
    ptrdiff_t i = head;
    for (; i + 64 <= bytes; i += 64) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 32));
        __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 48));
        _mm_stream_si128((__m128i *)(void *)(out + i), a);
        _mm_stream_si128((__m128i *)(void *)(out + i + 16), b);
        _mm_stream_si128((__m128i *)(void *)(out + i + 32), c);
        _mm_stream_si128((__m128i *)(void *)(out + i + 48), d);
    }
    memcpy(out + i, from + i, (size_t)(bytes - i));
#else
    memcpy(out, from, (size_t)bytes);
#endif
}

static void ew_stream_done(void) {
#if EW_STREAM
    _mm_sfence();
#endif
}

#endif
