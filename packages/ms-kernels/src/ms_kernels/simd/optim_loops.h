/* The update rules for one instruction set; OPT_SUFFIX(name) names what is exported. */
#include "optim.h"
#include "vecmath.h"

#define RULE(name) \
    static void name(const opt_numbers *c, float *p, const float *g, float *a, float *b, float *d, ptrdiff_t n)
#define EACH_ELEMENT \
    const opt_numbers k = *c; \
    (void)a, (void)b, (void)d; \
    MS_IVDEP \
    for (ptrdiff_t i = 0; i < n; ++i)
#define GRADIENT float x = k.scale * g[i] + k.l2 * p[i]

#define ADAM(name, nesterov, amsgrad) \
    RULE(name) { \
        EACH_ELEMENT { \
            GRADIENT; \
            float m = k.decay1 * a[i] + k.gain1 * x, v = k.decay2 * b[i] + k.gain2 * (x * x); \
            float top = nesterov ? k.decay1 * m + k.gain1 * x : m, low = v; \
            a[i] = m; \
            b[i] = v; \
            if (amsgrad) d[i] = low = d[i] > v ? d[i] : v; \
            p[i] = k.keep * p[i] - k.rate * top / (sqrtf(low) * k.root_scale + k.eps); \
        } \
    }
ADAM(adam, 0, 0)
ADAM(adam_nesterov, 1, 0)
ADAM(adam_amsgrad, 0, 1)
ADAM(adam_nesterov_amsgrad, 1, 1)

RULE(plain) {
    EACH_ELEMENT {
        GRADIENT;
        p[i] = k.keep * p[i] - k.rate * x;
    }
}

RULE(momentum) {
    EACH_ELEMENT {
        GRADIENT;
        float v = k.decay1 * a[i] + k.gain1 * x;
        a[i] = v;
        p[i] = k.keep * p[i] - k.rate * v;
    }
}

RULE(momentum_nesterov) {
    EACH_ELEMENT {
        GRADIENT;
        float v = k.decay1 * a[i] + k.gain1 * x;
        a[i] = v;
        p[i] = k.keep * p[i] - k.rate * (x + k.decay1 * v);
    }
}

RULE(adagrad) {
    EACH_ELEMENT {
        GRADIENT;
        float v = k.decay2 * a[i] + k.gain2 * (x * x);
        a[i] = v;
        p[i] = k.keep * p[i] - k.rate * x / (sqrtf(v) + k.eps);
    }
}

RULE(rmsprop) {
    EACH_ELEMENT {
        GRADIENT;
        float v = k.decay2 * a[i] + k.gain2 * (x * x);
        float m = k.decay1 * b[i] + k.rate * x / sqrtf(v + k.eps);
        a[i] = v;
        b[i] = m;
        p[i] = k.keep * p[i] - m;
    }
}

RULE(rmsprop_centered) {
    EACH_ELEMENT {
        GRADIENT;
        float v = k.decay2 * a[i] + k.gain2 * (x * x), mean = k.decay2 * d[i] + k.gain2 * x;
        float m = k.decay1 * b[i] + k.rate * x / sqrtf(v - mean * mean + k.eps);
        a[i] = v;
        b[i] = m;
        d[i] = mean;
        p[i] = k.keep * p[i] - m;
    }
}

const opt_loop OPT_SUFFIX(opt_loops)[OPT_RULES] = {
    adam, adam_nesterov, adam_amsgrad, adam_nesterov_amsgrad, plain, momentum, momentum_nesterov, adagrad, rmsprop,
    rmsprop_centered,
};
