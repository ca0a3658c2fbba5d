/* Chooses the instruction set. */
#include "recurrent.h"

#include "gemm.h"

int ms_scan_forward(const ms_scan *s, int is_double) { return MS_PICK(ms_scan_kern)->forward[is_double](s); }

int ms_scan_backward(const ms_scan *s, int is_double) { return MS_PICK(ms_scan_kern)->backward[is_double](s); }
