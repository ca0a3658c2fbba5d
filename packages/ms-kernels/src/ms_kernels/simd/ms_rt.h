/* The runtime that every native loop shares: one thread pool, one cache of freed blocks, one choice of instruction set.

   The pool lives in ms_kernels.core.runtime.  Another extension module reaches it through a table of pointers: its .pyx
   has MS_RT_DEFINE in one verbatim block and sets `ms_rt_table = rt_table()` when it is imported. */
#ifndef MS_RT_H
#define MS_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(_MSC_VER)
#define MS_RESTRICT __restrict
#define MS_INLINE static __forceinline
#define MS_TLS __declspec(thread)
#define MS_ALIGN(n) __declspec(align(n))
#define MS_UNUSED
#else
#define MS_RESTRICT __restrict__
#define MS_INLINE static inline __attribute__((always_inline, unused))
#define MS_TLS _Thread_local
#define MS_ALIGN(n) __attribute__((aligned(n)))
#define MS_UNUSED __attribute__((unused))
#endif

#if defined(__x86_64__) || defined(_M_X64)
#define MS_X86 1 /* the _avx2.c files are compiled */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Works on [begin, end).  `worker` is < threads() and differs between the parts of one call that run at the same time. */
typedef void (*ms_task)(void *ctx, ptrdiff_t begin, ptrdiff_t end, int worker);

typedef struct ms_rt {
    /* Runs fn over [0, n) in chunks of at least `grain`.  The borders follow from n, grain and threads() alone, also when
       the call runs inline: with one thread, from inside a task, or while another thread has the pool. */
    void (*parallel_for)(ptrdiff_t n, ptrdiff_t grain, ms_task fn, void *ctx);
    int (*threads)(void);
    void *(*alloc)(size_t bytes); /* 64-byte aligned; NULL when out of memory */
    void (*release)(void *block); /* takes NULL */
    int isa;                      /* 0 baseline, 1 AVX2 + FMA + F16C */
} ms_rt;

extern const ms_rt *ms_rt_table;

#define MS_RT_DEFINE const ms_rt *ms_rt_table;

#ifdef __cplusplus
}
#endif
#endif
