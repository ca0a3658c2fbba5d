/* A recurrent layer's loop over the steps of a sequence, forward and backward.  The products with the inputs are done
   before (all steps at once); here is what must go step by step. */
#ifndef MS_RECURRENT_H
#define MS_RECURRENT_H

#include "ms_rt.h"

enum { MS_CELL_TANH = 0, MS_CELL_RELU = 1, MS_CELL_LSTM = 2, MS_CELL_GRU = 3 };

/* Arrays are C-contiguous and all of one type, float or double.  T steps, B sequences, H units, G gates of a cell
   (1, 1, 4, 3), S numbers kept of each unit and step (0, 0, 5, 4: see recurrent_loops.h).  No sequence depends on another
   one: threads take different sequences and never wait for each other. */
typedef struct ms_scan {
    int cell, reverse;
    ptrdiff_t steps, batch, hidden;
    const int64_t *lengths;      /* (B), or NULL: all steps count */
    const void *x, *w, *bias;    /* (T, B, G H) products with the inputs; (G H, H); (G H) or NULL */
    const void *h0, *c0;         /* (B, H); c0 of an LSTM only */
    void *y, *hn, *cn, *saved;   /* (T, B, H), (B, H), (B, H), (T, B, S H) */
    /* backward: x, bias, hn, cn are not used, y and saved are read */
    const void *dy, *dhn, *dcn;
    void *dx, *dh0, *dc0;        /* (T, B, G H), (B, H), (B, H) */
    void *dq;                    /* (T, B, H), GRU only: gradient of the new gate's recurrent part */
} ms_scan;

/* 0, or -1 when out of memory */
int ms_scan_forward(const ms_scan *s, int is_double);
int ms_scan_backward(const ms_scan *s, int is_double);

typedef struct ms_scan_kern {
    int (*forward[2])(const ms_scan *s); /* float, double */
    int (*backward[2])(const ms_scan *s);
} ms_scan_kern;

extern const ms_scan_kern ms_scan_kern_base, ms_scan_kern_avx2;
#endif
