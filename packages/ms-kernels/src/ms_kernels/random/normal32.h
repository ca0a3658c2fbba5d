/* Box-Muller in float.  Written once over the operations that the including file defines for its vector type (vf floats, vi
   32-bit integers).  Only operations that IEEE 754 defines, and no fused ones: every instruction set gives the same bits.
   The polynomials are minimax fits; error of the results about 2 ulp. */

MS_INLINE vf ms_unit32(vi word)
{
    return vf_sub(vf_of_bits(vi_or(vi_and(word, vi_set(0x7fffff)), vi_set(0x3f800000))), vf_set(1.0f));
}

/* ln of a positive normal number */
MS_INLINE vf ms_log32(vf u)
{
    vi bits = vi_of_bits(u), e = vi_sra(vi_sub(bits, vi_set(0x3f3504f3)), 23);
    vf m = vf_of_bits(vi_sub(bits, vi_sll(e, 23))), n = vf_of_int(e);
    vf s = vf_div(vf_sub(m, vf_set(1.0f)), vf_add(m, vf_set(1.0f))), z = vf_mul(s, s);
    vf t = vf_add(vf_mul(vf_set(0.2958259075442334f), z), vf_set(0.39988718153759595f));
    t = vf_add(vf_mul(t, z), vf_set(0.66666685211927f));
    t = vf_add(vf_mul(n, vf_set(-2.12194440e-4f)), vf_mul(vf_mul(t, z), s));
    return vf_add(vf_add(vf_add(t, s), s), vf_mul(n, vf_set(0.693359375f)));
}

/* sin and cos of an angle in [0, 2 pi] */
MS_INLINE void ms_sincos32(vf a, vf *sine, vf *cosine)
{
    vf magic = vf_set(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer, which stands in the low bits */
    vf t = vf_add(vf_mul(a, vf_set(0.63661977f)), magic), n = vf_sub(t, magic);
    vi q = vi_of_bits(t);
    vf x = vf_sub(a, vf_mul(n, vf_set(1.5703125f))); /* pi / 2 in three parts */
    x = vf_sub(x, vf_mul(n, vf_set(4.837512969970703125e-4f)));
    x = vf_sub(x, vf_mul(n, vf_set(7.549789948768648e-8f)));
    vf z = vf_mul(x, x);
    vf s = vf_add(vf_mul(vf_set(-0.00019586854340686763f), z), vf_set(0.008332742637888394f));
    s = vf_add(vf_mul(s, z), vf_set(-0.1666666462467725f));
    s = vf_add(vf_mul(vf_mul(s, z), x), x);
    vf c = vf_add(vf_mul(vf_set(2.446212594381283e-05f), z), vf_set(-0.0013887574768649666f));
    c = vf_add(vf_mul(c, z), vf_set(0.04166665033450915f));
    c = vf_add(vf_mul(c, z), vf_set(-0.49999999968134407f));
    c = vf_add(vf_mul(c, z), vf_set(1.0f));
    vi odd = vi_sll(q, 31); /* quadrants 1 and 3 swap the two */
    vi flip_s = vi_sll(vi_and(q, vi_set(2)), 30);
    vi flip_c = vi_sll(vi_and(vi_add(q, vi_set(1)), vi_set(2)), 30);
    *sine = vf_flip(vf_pick(odd, c, s), flip_s);
    *cosine = vf_flip(vf_pick(odd, s, c), flip_c);
}

/* Two standard normals a pair of words: sine first. */
MS_INLINE void ms_normal32(vi w0, vi w1, vf *first, vf *second)
{
    vf u = vf_max(ms_unit32(w0), vf_set(1e-7f)), s, c;
    vf r = vf_sqrt(vf_mul(ms_log32(u), vf_set(-2.0f)));
    ms_sincos32(vf_mul(ms_unit32(w1), vf_set(6.2831855f)), &s, &c);
    *first = vf_mul(s, r);
    *second = vf_mul(c, r);
}
