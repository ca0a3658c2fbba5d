/* What the processor and the system offer. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "runtime.h"

#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

#if defined(__x86_64__) || defined(_M_X64)
static void cpuid(unsigned leaf, unsigned r[4]) {
#if defined(_MSC_VER)
    __cpuidex((int *)r, (int)leaf, 0);
#else
    __cpuid_count(leaf, 0, r[0], r[1], r[2], r[3]);
#endif
}

static uint64_t xcr0(void) {
#if defined(_MSC_VER)
    return _xgetbv(0);
#else
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low | (uint64_t)high << 32;
#endif
}

static int has_avx2(void) {
    enum { FMA = 1u << 12, OSXSAVE = 1u << 27, F16C = 1u << 29, AVX2 = 1u << 5, YMM = 6 };
    unsigned r[4];
    cpuid(0, r);
    if (r[0] < 7) return 0;
    cpuid(1, r);
    const unsigned need = FMA | OSXSAVE | F16C;
    if ((r[2] & need) != need || (xcr0() & YMM) != YMM) return 0;
    cpuid(7, r);
    return (r[1] & AVX2) != 0;
}
#else
static int has_avx2(void) { return 0; }
#endif

/* MS_KERNELS_ISA=baseline keeps to what every machine of the architecture has. */
int ms_cpu_isa(void) {
    const char *wish = getenv("MS_KERNELS_ISA");
    return !(wish && strcmp(wish, "baseline") == 0) && has_avx2();
}

int ms_cpu_count(void) {
#if defined(_WIN32)
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return (int)info.dwNumberOfProcessors;
#else
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
#endif
}

size_t ms_ram_bytes(void) {
#if defined(_WIN32)
    MEMORYSTATUSEX info;
    info.dwLength = sizeof info;
    return GlobalMemoryStatusEx(&info) ? (size_t)info.ullTotalPhys : (size_t)1 << 32;
#else
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : (size_t)1 << 32;
#endif
}
