/* Optimizer updates in place over many float32 arrays in one pass. */
#ifndef MS_OPTIM_H
#define MS_OPTIM_H

#include "ms_rt.h"

enum opt_rule {
    OPT_ADAM,
    OPT_ADAM_NESTEROV,
    OPT_ADAM_AMSGRAD,
    OPT_ADAM_NESTEROV_AMSGRAD,
    OPT_PLAIN,
    OPT_MOMENTUM,
    OPT_MOMENTUM_NESTEROV,
    OPT_ADAGRAD,
    OPT_RMSPROP,
    OPT_RMSPROP_CENTERED,
    OPT_RULES
};

/* The gradient that a rule sees is scale * g + l2 * p; before the step p is multiplied by keep. */
typedef struct opt_numbers {
    float scale, l2, keep, rate, eps;
    float decay1, gain1; /* first state: decay1 * old + gain1 * gradient */
    float decay2, gain2; /* second state, of the gradient's square */
    float root_scale;    /* of the square root below the fraction */
} opt_numbers;

typedef struct opt_array {
    float *p;
    const float *g;
    float *s[3];
    ptrdiff_t n, first; /* first: elements in the arrays before this one */
} opt_array;

typedef void (*opt_loop)(const opt_numbers *c, float *p, const float *g, float *a, float *b, float *d, ptrdiff_t n);
extern const opt_loop opt_loops_base[OPT_RULES], opt_loops_avx2[OPT_RULES];

/* Sets `first` itself. */
void opt_run(int rule, const opt_numbers *c, opt_array *arrays, ptrdiff_t count);

#endif
