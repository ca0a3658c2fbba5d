/* The thread pool.

   A job is open while it has chunks left.  Workers join an open job by counting themselves into `state`; the caller
   takes part, closes the job when no chunk is left, and waits only for those who joined: a worker that wakes late costs
   nothing.  Idle workers spin for some 40 us, then sleep. */
#include "runtime.h"
#include "sys.h"

#include <stdlib.h>
#if !defined(_WIN32)
#include <signal.h>
#endif

enum { MAX_THREADS = 256, CHUNKS_PER_THREAD = 4, SPINS = 1500, YIELD_AFTER = 2000, ROUND = 64 };
enum { OPEN = 1, JOINED = 2 };
#define JOINED_MASK INT64_C(0xfffe)
#define EPOCH INT64_C(0x10000)

typedef struct {
    volatile int64_t next, end;
    char pad[112]; /* its own cache lines: neighbours must not slow each other down */
} lane;

static struct {
    volatile int64_t state, busy, sleepers, quit;
    char pad[96];
    ms_task fn;
    void *ctx;
    ptrdiff_t n, chunk;
    int lanes, limit; /* ranges of chunks; worker ids stay below limit */
    volatile int64_t size, workers;
    ms_mutex lock;
    ms_cond wake;
    ms_thread thread[MAX_THREADS];
    lane lane[MAX_THREADS];
} pool = {.lock = MS_MUTEX_INIT, .wake = MS_COND_INIT, .size = 1};

static MS_TLS int inside; /* 1 + worker id while this thread runs a task */

static void run_range(ms_task fn, void *ctx, ptrdiff_t n, ptrdiff_t chunk, ptrdiff_t i, int worker) {
    ptrdiff_t begin = i * chunk, end = begin + chunk < n ? begin + chunk : n;
    fn(ctx, begin, end, worker);
}

/* Own chunks first (their memory may still be in this core's cache), then what the others have left. */
static void work(int worker) {
    ms_task fn = pool.fn;
    void *ctx = pool.ctx;
    ptrdiff_t n = pool.n, chunk = pool.chunk;
    int lanes = pool.lanes;
    for (int k = 0; k < lanes; ++k) {
        lane *from = &pool.lane[(worker + k) % lanes];
        while (ms_load(&from->next) < from->end) {
            int64_t i = ms_fetch_add(&from->next, 1);
            if (i < from->end) run_range(fn, ctx, n, chunk, (ptrdiff_t)i, worker);
        }
    }
}

static int64_t wait_for_job(int64_t seen) {
    for (;;) {
        for (int spin = 0; spin < SPINS; ++spin) {
            int64_t s = ms_load(&pool.state);
            if (((s & OPEN) && s / EPOCH != seen) || ms_load(&pool.quit)) return s;
            ms_pause();
        }
        ms_lock(&pool.lock);
        ms_fetch_add(&pool.sleepers, 1);
        int64_t s = ms_load(&pool.state);
        if (!((s & OPEN) && s / EPOCH != seen) && !ms_load(&pool.quit)) ms_wait(&pool.wake, &pool.lock);
        ms_fetch_add(&pool.sleepers, -1);
        ms_unlock(&pool.lock);
    }
}

static void serve(int worker) {
    int64_t seen = -1;
    inside = 1 + worker;
    for (;;) {
        int64_t s = wait_for_job(seen);
        if (ms_load(&pool.quit)) return;
        if (!ms_cas(&pool.state, s, s + JOINED)) continue;
        seen = s / EPOCH;
        if (worker < pool.limit) work(worker);
        ms_fetch_add(&pool.state, -JOINED);
    }
}

#if defined(_WIN32)
static unsigned __stdcall entry(void *arg) {
    serve((int)(intptr_t)arg);
    return 0;
}

static int start(ms_thread *t, int worker) {
    *t = (HANDLE)_beginthreadex(NULL, 0, entry, (void *)(intptr_t)worker, 0, NULL);
    return *t != 0;
}

static void join(ms_thread t) {
    WaitForSingleObject(t, INFINITE);
    CloseHandle(t);
}
#else
static void *entry(void *arg) {
    serve((int)(intptr_t)arg);
    return NULL;
}

static int start(ms_thread *t, int worker) {
    sigset_t all, old; /* signals belong to the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(t, NULL, entry, (void *)(intptr_t)worker);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return !failed;
}

static void join(ms_thread t) { pthread_join(t, NULL); }
#endif

static void start_workers(int wanted) {
    while (pool.workers < wanted) {
        int id = (int)pool.workers + 1;
        if (!start(&pool.thread[id], id)) return; /* fewer helpers, same result */
        ms_store(&pool.workers, id);
    }
}

static void stop_workers(void) {
    ms_lock(&pool.lock);
    ms_store(&pool.quit, 1);
    ms_broadcast(&pool.wake);
    ms_unlock(&pool.lock);
    for (int id = 1; id <= (int)pool.workers; ++id) join(pool.thread[id]);
    ms_store(&pool.workers, 0);
    ms_store(&pool.quit, 0);
}

static void inline_job(ptrdiff_t n, ptrdiff_t chunk, ms_task fn, void *ctx, int worker) {
    int before = inside;
    inside = 1 + worker;
    for (ptrdiff_t i = 0; i * chunk < n; ++i) run_range(fn, ctx, n, chunk, i, worker);
    inside = before;
}

void ms_parallel_for(ptrdiff_t n, ptrdiff_t grain, ms_task fn, void *ctx) {
    if (n <= 0) return;
    int worker = inside ? inside - 1 : 0, size = (int)ms_load(&pool.size);
    if (grain < 1) grain = 1;
    if (size == 1 || n <= grain) {
        inline_job(n, n, fn, ctx, worker);
        return;
    }
    ptrdiff_t parts = n / grain, most = (ptrdiff_t)size * CHUNKS_PER_THREAD;
    if (parts > most) parts = most;
    if (parts < 1) parts = 1;
    ptrdiff_t chunk = (n + parts - 1) / parts;
    if (chunk >= 4 * ROUND) chunk = (chunk + ROUND - 1) / ROUND * ROUND;
    parts = (n + chunk - 1) / chunk;
    if (parts == 1 || inside || !ms_cas(&pool.busy, 0, 1)) {
        inline_job(n, chunk, fn, ctx, worker);
        return;
    }
    int lanes = parts < size ? (int)parts : size;
    start_workers(size - 1);
    pool.fn = fn;
    pool.ctx = ctx;
    pool.n = n;
    pool.chunk = chunk;
    pool.lanes = lanes;
    pool.limit = size;
    for (int k = 0; k < lanes; ++k) {
        pool.lane[k].end = parts * (k + 1) / lanes;
        ms_store(&pool.lane[k].next, parts * k / lanes);
    }
    ms_store(&pool.state, (ms_load(&pool.state) / EPOCH + 1) % (INT64_C(1) << 40) * EPOCH + OPEN);
    if (ms_load(&pool.sleepers)) {
        ms_lock(&pool.lock);
        if (lanes == size) {
            ms_broadcast(&pool.wake);
        } else {
            for (int k = 1; k < lanes; ++k) ms_signal(&pool.wake);
        }
        ms_unlock(&pool.lock);
    }
    inside = 1;
    work(0);
    inside = 0;
    int64_t s = ms_fetch_add(&pool.state, -OPEN);
    for (int spin = 0; (s & JOINED_MASK) != 0; ++spin) {
        if (spin < YIELD_AFTER) {
            ms_pause();
        } else {
            ms_yield();
        }
        s = ms_load(&pool.state);
    }
    ms_store(&pool.busy, 0);
}

int ms_threads(void) { return (int)ms_load(&pool.size); }

int ms_workers(void) { return (int)ms_load(&pool.workers); }

int ms_set_threads(int n) {
    if (inside) return -1;
    if (n < 1) n = 1;
    if (n > MAX_THREADS) n = MAX_THREADS;
    while (!ms_cas(&pool.busy, 0, 1)) ms_yield();
    if (n - 1 < (int)pool.workers) stop_workers();
    ms_store(&pool.size, n);
    ms_store(&pool.busy, 0);
    return 0;
}

#if !defined(_WIN32)
static void before_fork(void) {
    ms_lock(&pool.lock);
    ms_blocks_lock();
}

static void after_fork_parent(void) {
    ms_blocks_unlock();
    ms_unlock(&pool.lock);
}

/* The child has the forking thread only: it starts with an idle pool and makes its own workers when it needs them. */
static void after_fork_child(void) {
    pthread_mutex_t lock = MS_MUTEX_INIT;
    pthread_cond_t wake = MS_COND_INIT;
    pool.lock = lock;
    pool.wake = wake;
    pool.workers = 0;
    pool.sleepers = pool.busy = pool.quit = pool.state = 0;
    inside = 0;
    ms_blocks_after_fork();
}
#endif

int ms_pool_init(int n) {
    pool.size = n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
#if defined(_WIN32)
    return 0;
#else
    return pthread_atfork(before_fork, after_fork_parent, after_fork_child);
#endif
}
