/* The cache of freed blocks.

   A fresh large block costs a page fault per 4 KiB, as much as the arithmetic on it.  Freed blocks are therefore kept, in
   lists by size class (eight per power of two), up to a limit; the one unused for longest goes first. */
#include "runtime.h"
#include "sys.h"

#include <stdlib.h>
#if defined(_WIN32)
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

enum { MIN_SHIFT = 12, STEP_BITS = 3, STEPS = 1 << STEP_BITS, CLASSES = (48 - MIN_SHIFT) * STEPS, LOOK_AHEAD = 2 };
static const size_t BIG = (size_t)1 << 21; /* from here on: straight from the system, in huge pages where it has them */

typedef struct block {
    size_t size; /* of the user's part */
    size_t length;
    int cls, mapped;
    struct block *newer, *older;    /* among all cached blocks */
    struct block *before, *after;   /* in the list of its class */
} block;

enum { HEADER = 64 };
typedef char header_fits[sizeof(block) <= HEADER ? 1 : -1];

static struct {
    ms_mutex lock;
    block *list[CLASSES], *newest, *oldest;
    ms_block_stats stats;
} cache = {.lock = MS_MUTEX_INIT, .stats = {.limit = (size_t)512 << 20}};

static int class_of(size_t bytes, size_t *rounded) {
    int shift = MIN_SHIFT;
    while (shift < 47 && bytes > (size_t)1 << (shift + 1)) ++shift;
    size_t base = (size_t)1 << shift, step = base >> STEP_BITS;
    size_t k = bytes <= base ? 0 : (bytes - base + step - 1) / step;
    *rounded = base + k * step;
    return (shift - MIN_SHIFT) * STEPS + (int)k;
}

static block *system_alloc(size_t size) {
    size_t length = size + HEADER;
    block *b;
#if defined(_WIN32)
    b = (block *)_aligned_malloc(length, 64);
    if (!b) return NULL;
    b->mapped = 0;
#else
    if (length >= BIG) {
        length = (length + BIG - 1) / BIG * BIG;
        char *raw = (char *)mmap(NULL, length + BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (raw == (char *)MAP_FAILED) return NULL;
        size_t skip = (BIG - (uintptr_t)raw % BIG) % BIG;
        if (skip) munmap(raw, skip);
        munmap(raw + skip + length, BIG - skip);
        b = (block *)(raw + skip);
#if defined(MADV_HUGEPAGE)
        madvise(b, length, MADV_HUGEPAGE);
#endif
        b->mapped = 1;
    } else {
        void *raw;
        if (posix_memalign(&raw, 64, length)) return NULL;
        b = (block *)raw;
        b->mapped = 0;
    }
#endif
    b->size = size;
    b->length = length;
    return b;
}

static void system_free(block *b) {
#if defined(_WIN32)
    _aligned_free(b);
#else
    if (b->mapped) {
        munmap(b, b->length);
    } else {
        free(b);
    }
#endif
}

static void unlink_block(block *b) {
    if (b->before) b->before->after = b->after; else cache.list[b->cls] = b->after;
    if (b->after) b->after->before = b->before;
    if (b->newer) b->newer->older = b->older; else cache.newest = b->older;
    if (b->older) b->older->newer = b->newer; else cache.oldest = b->newer;
    cache.stats.cached -= b->size;
}

static void link_block(block *b) {
    b->before = NULL;
    b->after = cache.list[b->cls];
    if (b->after) b->after->before = b;
    cache.list[b->cls] = b;
    b->newer = NULL;
    b->older = cache.newest;
    if (b->older) b->older->newer = b; else cache.oldest = b;
    cache.newest = b;
    cache.stats.cached += b->size;
}

/* Takes the oldest blocks out until at most `keep` bytes are cached; the chain is freed outside the lock. */
static block *shrink(size_t keep) {
    block *chain = NULL;
    while (cache.oldest && cache.stats.cached > keep) {
        block *b = cache.oldest;
        unlink_block(b);
        b->after = chain;
        chain = b;
    }
    return chain;
}

static void free_chain(block *b) {
    while (b) {
        block *next = b->after;
        system_free(b);
        b = next;
    }
}

static void take(size_t size) {
    cache.stats.in_use += size;
    size_t held = cache.stats.in_use + cache.stats.cached;
    if (cache.stats.in_use > cache.stats.peak_in_use) cache.stats.peak_in_use = cache.stats.in_use;
    if (held > cache.stats.peak_held) cache.stats.peak_held = held;
}

void *ms_alloc(size_t bytes) {
    size_t size;
    if (bytes > (size_t)1 << 46) return NULL;
    int cls = class_of(bytes, &size);
    ms_lock(&cache.lock);
    for (int k = cls; k <= cls + LOOK_AHEAD && k < CLASSES; ++k) {
        block *b = cache.list[k];
        if (!b) continue;
        unlink_block(b);
        cache.stats.hits++;
        take(b->size);
        ms_unlock(&cache.lock);
        return (char *)b + HEADER;
    }
    cache.stats.misses++;
    ms_unlock(&cache.lock);
    block *b = system_alloc(size);
    if (!b) {
        ms_trim(0);
        b = system_alloc(size);
        if (!b) return NULL;
    }
    b->cls = cls;
    ms_lock(&cache.lock);
    take(size);
    ms_unlock(&cache.lock);
    return (char *)b + HEADER;
}

void ms_release(void *p) {
    if (!p) return;
    block *b = (block *)((char *)p - HEADER), *chain;
    ms_lock(&cache.lock);
    cache.stats.in_use -= b->size;
    if (b->size > cache.stats.limit) {
        b->after = NULL;
        chain = b;
    } else {
        chain = shrink(cache.stats.limit - b->size);
        link_block(b);
    }
    ms_unlock(&cache.lock);
    free_chain(chain);
}

void ms_trim(size_t keep) {
    ms_lock(&cache.lock);
    block *chain = shrink(keep);
    ms_unlock(&cache.lock);
    free_chain(chain);
}

void ms_set_block_limit(size_t bytes) {
    ms_lock(&cache.lock);
    cache.stats.limit = bytes;
    block *chain = shrink(bytes);
    ms_unlock(&cache.lock);
    free_chain(chain);
}

void ms_get_block_stats(ms_block_stats *out) {
    ms_lock(&cache.lock);
    *out = cache.stats;
    ms_unlock(&cache.lock);
}

void ms_reset_block_peaks(int in_use, int held) {
    ms_lock(&cache.lock);
    if (in_use) cache.stats.peak_in_use = cache.stats.in_use;
    if (held) cache.stats.peak_held = cache.stats.in_use + cache.stats.cached;
    ms_unlock(&cache.lock);
}

void ms_blocks_lock(void) { ms_lock(&cache.lock); }

void ms_blocks_unlock(void) { ms_unlock(&cache.lock); }

void ms_blocks_after_fork(void) {
    ms_mutex fresh = MS_MUTEX_INIT;
    cache.lock = fresh;
}
