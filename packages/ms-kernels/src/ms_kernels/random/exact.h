/* The arithmetic of MindSpore 2.6's initializers, operation by operation in double and with the C library's functions: the
   definition that the vector kernels have to meet bit for bit, and what they ask where their own result is in doubt.

   The inverse error function is Boost.Math's rational approximation, 53-bit set (John Maddock, Boost Software License 1.0,
   https://www.boost.org/LICENSE_1_0.txt), its constants Y rounded to float. */
#ifndef MS_EXACT_H
#define MS_EXACT_H

#include <math.h>
#include <string.h>

#include "philox.h"

#define MS_TWO_PI_F 6.2831850051879883 /* twice pi as a float */
#define MS_SQRT2_F 1.4142135381698608 /* sqrt(2) as a float */
#define MS_U_MIN 1.0000000116860974e-07 /* 1e-7 as a float: ln never sees 0 */
static const double ms_erf_p0[8] = {
    -0.0005087819496582806, -0.008368748197417368, 0.03348066254097446, -0.012692614766297404, -0.03656379714117627,
    0.02198786811111689, 0.008226878746769157, -0.005387729650712429
};
static const double ms_erf_q0[10] = {
    1.0, -0.9700050433032906, -1.5657455823417585, 1.5622155839842302, 0.662328840472003, -0.7122890234154284,
    -0.05273963823400997, 0.07952836873415717, -0.0023339375937419, 0.0008862163904564247
};
static const double ms_erf_p1[9] = {
    -0.20243350835593876, 0.10526468069939171, 8.3705032834312, 17.644729840837403, -18.851064805871424,
    -44.6382324441787, 17.445385985570866, 21.12946554483405, -3.6719225470772936
};
static const double ms_erf_q1[9] = {
    1.0, 6.242641248542475, 3.971343795334387, -28.66081804998, -20.14326346804852, 48.560921310873994,
    10.826866735546016, -22.643693341313973, 1.7211476576120028
};
static const double ms_erf_p2[11] = {
    -0.1311027816799519, -0.16379404719331705, 0.11703015634199525, 0.38707973897260434, 0.3377855389120359,
    0.14286953440815717, 0.029015791000532906, 0.0021455899538880526, -6.794655751811263e-07, 2.8522533178221704e-08,
    -6.81149956853777e-10
};
static const double ms_erf_q2[8] = {
    1.0, 3.4662540724256723, 5.381683457070069, 4.778465929458438, 2.5930192162362027, 0.848854343457902,
    0.15226433829533179, 0.011059242293464892
};
static const double ms_erf_p3[9] = {
    -0.0350353787183178, -0.0022242652921344794, 0.018557330651423107, 0.009508047013259196, 0.0018712349281955923,
    0.00015754461742496055, 4.60469890584318e-06, -2.304047769118826e-10, 2.6633922742578204e-12
};
static const double ms_erf_q3[7] = {
    1.0, 1.3653349817554064, 0.7620591645536234, 0.22009110576413124, 0.03415891436709477, 0.00263861676657016,
    7.646752923027944e-05
};
static const double ms_erf_p4[9] = {
    -0.016743100507663373, -0.0011295143874558028, 0.001056288621524929, 0.00020938631748758808,
    1.4962478375834237e-05, 4.4969678992770644e-07, 4.625961635228786e-09, -2.811287356288318e-14,
    9.905570997331033e-17
};
static const double ms_erf_q4[7] = {
    1.0, 0.5914293448864175, 0.1381518657490833, 0.016074608709367652, 0.0009640118070051656, 2.7533547476472603e-05,
    2.82243172016108e-07
};
static const double ms_erf_p5[8] = {
    -0.002497821279189813, -7.79190719229054e-06, 2.5472303741302746e-05, 1.6239777734251093e-06,
    3.963410113048012e-08, 4.116328311909442e-10, 1.4559628671867504e-12, -1.1676501239718427e-18
};
static const double ms_erf_q5[7] = {
    1.0, 0.2071231122144225, 0.01694108381209759, 0.0006905382656226846, 1.4500735981823264e-05,
    1.4443775662814415e-07, 5.097612765997785e-10
};
static const double ms_erf_p6[8] = {
    -0.0005390429110190785, -2.8398759004727723e-07, 8.994651148922914e-07, 2.2934585926592085e-08,
    2.2556144486350015e-10, 9.478466275030226e-13, 1.3588013010892486e-15, -3.4889039339994887e-22
};
static const double ms_erf_q6[7] = {
    1.0, 0.08457462340018994, 0.002820929847262647, 4.682929219408942e-05, 3.999688121938621e-07,
    1.6180929088790448e-09, 2.315586083102596e-12
};

MS_INLINE double ms_horner(const double *c, int n, double x)
{
    double y = c[n - 1];
    for (int i = n - 2; i >= 0; i--) {
        y = y * x + c[i];
    }
    return y;
}

MS_INLINE double ms_ratio(const double *p, int np, const double *q, int nq, double x)
{
    return ms_horner(p, np, x) / ms_horner(q, nq, x);
}

#define MS_RATIO(k, x) ms_ratio(ms_erf_p##k, (int)(sizeof(ms_erf_p##k) / 8), ms_erf_q##k, (int)(sizeof(ms_erf_q##k) / 8), x)

/* erf_inv(p), given q = 1 - p */
MS_INLINE double ms_erf_inv(double p, double q)
{
    if (p <= 0.5) {
        double g = p * (p + 10.0);
        return g * 0.08913147449493408 + g * MS_RATIO(0, p);
    }
    if (q >= 0.25) {
        return sqrt(-2.0 * log(q)) / (2.249481201171875 + MS_RATIO(1, q - 0.25));
    }
    double x = sqrt(-log(q));
    if (x < 3) {
        return 0.807220458984375 * x + MS_RATIO(2, x - 1.125) * x;
    }
    if (x < 6) {
        return 0.9399557113647461 * x + MS_RATIO(3, x - 3) * x;
    }
    if (x < 18) {
        return 0.9836282730102539 * x + MS_RATIO(4, x - 6) * x;
    }
    if (x < 44) {
        return 0.9971456527709961 * x + MS_RATIO(5, x - 18) * x;
    }
    return 0.9994134902954102 * x + MS_RATIO(6, x - 44) * x;
}

MS_INLINE double ms_unit_double(uint32_t word)
{
    float u;
    uint32_t bits = (word & 0x7fffffu) | 0x3f800000u;
    memcpy(&u, &bits, 4);
    return (double)(u - 1.0f);
}

MS_INLINE void ms_exact_normal(double mean, double sigma, uint32_t w0, uint32_t w1, float *out)
{
    double u1 = ms_unit_double(w0), u2 = ms_unit_double(w1);
    u1 = u1 > MS_U_MIN ? u1 : MS_U_MIN;
    u2 = u2 > MS_U_MIN ? u2 : MS_U_MIN;
    double x = sqrt(-2.0 * log(u1)) * sigma, y = MS_TWO_PI_F * u2;
    out[0] = (float)(mean + x * cos(y));
    out[1] = (float)(mean + x * sin(y));
}

MS_INLINE float ms_exact_truncated(const double *p, uint32_t word)
{
    double z = 2.0 * (p[2] + (word * (1.0 / 4294967296.0)) * p[3]);
    if (z >= 2) {
        z = 1.9999998807907104; /* the float below 2 */
    } else if (z <= 0) {
        z = 1.401298464324817e-45; /* the float above 0 */
    }
    double q = z > 1 ? 2 - z : z, s = z > 1 ? -1.0 : 1.0;
    double erfc_inv = s * ms_erf_inv(1 - q, q);
    return (float)(p[0] + (-erfc_inv * MS_SQRT2_F) * p[1]);
}

#endif
