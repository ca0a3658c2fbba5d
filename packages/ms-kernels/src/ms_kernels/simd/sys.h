/* What differs between POSIX and Windows: atomics, locks, threads. */
#ifndef MS_SYS_H
#define MS_SYS_H

#include "ms_rt.h"

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#include <process.h>

typedef SRWLOCK ms_mutex;
typedef CONDITION_VARIABLE ms_cond;
typedef HANDLE ms_thread;
#define MS_MUTEX_INIT SRWLOCK_INIT
#define MS_COND_INIT CONDITION_VARIABLE_INIT
MS_INLINE void ms_lock(ms_mutex *m) { AcquireSRWLockExclusive(m); }
MS_INLINE void ms_unlock(ms_mutex *m) { ReleaseSRWLockExclusive(m); }
MS_INLINE void ms_wait(ms_cond *c, ms_mutex *m) { SleepConditionVariableSRW(c, m, INFINITE, 0); }
MS_INLINE void ms_signal(ms_cond *c) { WakeConditionVariable(c); }
MS_INLINE void ms_broadcast(ms_cond *c) { WakeAllConditionVariable(c); }
MS_INLINE void ms_yield(void) { SwitchToThread(); }
MS_INLINE void ms_pause(void) { YieldProcessor(); }

MS_INLINE int64_t ms_load(volatile int64_t *p) { return InterlockedCompareExchange64(p, 0, 0); }
MS_INLINE void ms_store(volatile int64_t *p, int64_t v) { InterlockedExchange64(p, v); }
MS_INLINE int64_t ms_fetch_add(volatile int64_t *p, int64_t v) { return InterlockedExchangeAdd64(p, v); }
MS_INLINE int ms_cas(volatile int64_t *p, int64_t old, int64_t v) {
    return InterlockedCompareExchange64(p, v, old) == old;
}

#else
#include <pthread.h>
#include <sched.h>

typedef pthread_mutex_t ms_mutex;
typedef pthread_cond_t ms_cond;
typedef pthread_t ms_thread;
#define MS_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
#define MS_COND_INIT PTHREAD_COND_INITIALIZER
MS_INLINE void ms_lock(ms_mutex *m) { pthread_mutex_lock(m); }
MS_INLINE void ms_unlock(ms_mutex *m) { pthread_mutex_unlock(m); }
MS_INLINE void ms_wait(ms_cond *c, ms_mutex *m) { pthread_cond_wait(c, m); }
MS_INLINE void ms_signal(ms_cond *c) { pthread_cond_signal(c); }
MS_INLINE void ms_broadcast(ms_cond *c) { pthread_cond_broadcast(c); }
MS_INLINE void ms_yield(void) { sched_yield(); }
MS_INLINE void ms_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

MS_INLINE int64_t ms_load(volatile int64_t *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
MS_INLINE void ms_store(volatile int64_t *p, int64_t v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
MS_INLINE int64_t ms_fetch_add(volatile int64_t *p, int64_t v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
MS_INLINE int ms_cas(volatile int64_t *p, int64_t old, int64_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#endif
#endif
