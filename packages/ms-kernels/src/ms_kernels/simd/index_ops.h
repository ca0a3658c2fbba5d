/* Gathering and adding rows by index. Arrays are dense: sizes (a, r, b) before, along and after the axis. Indices are
   int64, or int32 where i32 is set; they are known to lie in [-r, r). */
#ifndef MS_INDEX_OPS_H
#define MS_INDEX_OPS_H

#include <stddef.h>
#include <stdint.h>

enum { IX_F32, IX_F64, IX_8, IX_16, IX_32, IX_64 };

/* place of the first index outside [-r, r), or -1 */
ptrdiff_t ix_first_bad(const void *idx, int i32, ptrdiff_t n, ptrdiff_t r);

/* out[a, i, :] = x[a, idx[i], :]; b is in bytes */
void ix_take(const char *x, const void *idx, int i32, char *out, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b);

/* out[a, i, b] = x[a, idx[a, i, b], b]; items of `size` bytes: 1, 2, 4, 8 or 16 */
void ix_gather(const char *x, const void *idx, int i32, char *out, ptrdiff_t size, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b);

/* out[a, idx[a, i, b], b] += src[a, i, b], in the order of i */
void ix_scatter_add(int type, void *out, const void *idx, int i32, const void *src, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b);

/* out[a, idx[i], :] += src[a, i, :], in the order of i */
void ix_index_add(int type, void *out, const void *idx, int i32, const void *src, ptrdiff_t a, ptrdiff_t r, ptrdiff_t n, ptrdiff_t b);

#endif
