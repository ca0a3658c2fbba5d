/* The elementwise loops for other extension modules: found by name, once, and called over blocks. */
#ifndef MS_EW_HOST_H
#define MS_EW_HOST_H

#include "ew.h"
#include "ew_table.h"

enum { EW_WORTH_A_THREAD = 200000 }; /* in the unit of the table's costs */

typedef struct ew_kernel {
    int arity, cost; /* arity 0: there is no such loop */
    int to_bool;     /* results are bytes */
    int from_bool;   /* how many of the first operands are bytes */
    ew_unary unary;
    ew_binary binary;
    ew_ternary ternary;
} ew_kernel;

typedef struct ew_host {
    void (*find)(const char *name, int is_double, ew_kernel *kernel);
    const ew_half *(*half)(void);
    void (*view)(ew_view *v, const void *data, int item, int ndim, const ptrdiff_t *shape, const ptrdiff_t *step);
} ew_host;

const ew_host *ew_host_table(void);
int ew_find_move(const char *name, int is_double, ew_kernel *kernel); /* 0: no such loop */

#endif
