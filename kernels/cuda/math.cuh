// Functions that CPU and GPU compute from the same polynomials. Mirrors
// engine/src/spectrum/math.rs.
#pragma once

#include "cloud.cuh"

namespace math {

// The value of a fraction of two bytes in a cloud.
DEVICE float of_fraction(short x) { return __fmul_rn(__int2float_rn(x), 1.0f / FRACTION); }


// 2^x; the integer part is added to the exponent. With Exact every operation rounds, so
// that the result is bit-equal everywhere; without, products and sums are fused.
template <bool Exact> DEVICE float exp2_by(float x) {
    // Adding this to a float leaves its nearest integer in the lowest bits of the sum.
    const float MAGIC = 12582912.0f;
    // Minimax for 2^x on -0.5..0.5.
    const float C[7] = {1.0f,          0.693147182f,   0.24022647f,   0.05550329f,
                        0.009618489f,  0.0013399931f,  0.00015345812f};
    x = fmaxf(x, -126.0f);
    const float shifted = __fadd_rn(x, MAGIC);
    const float fraction = __fsub_rn(x, __fsub_rn(shifted, MAGIC));
    float p = C[6];
    UNROLL for (int i = 5; i >= 0; --i) {
        p = Exact ? __fadd_rn(__fmul_rn(p, fraction), C[i]) : fmaf(p, fraction, C[i]);
    }
    return __int_as_float(int(u32(__float_as_int(p)) + (u32(__float_as_int(shifted)) << 23)));
}

// 2^x for x up to 126, for pitches: bit-equal to the CPU's.
DEVICE float exp2_exact(float x) { return exp2_by<true>(x); }

// 2^x for x up to 126, for levels: within 3e-7 relative. A GPU has an instruction for it, which
// gives zero below -126.
DEVICE float exp2(float x) {
#ifdef __CUDACC__
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return exp2_by<false>(x);
#endif
}

// The logarithm of a number above zero: bit-equal to the CPU's. -127 for zero.
DEVICE float log2_exact(float x) {
    const u32 ONE = 0x3F800000u, ROOT = 0x3F3504F3u;
    const float C[9] = {1.44269504f,  -0.72134733f, 0.4809106f,   -0.36070484f, 0.28791833f,
                        -0.23892035f, 0.21566986f,  -0.20742103f, 0.12614846f};
    const u32 bits = u32(__float_as_int(x));
    const u32 exponent = (bits + (ONE - ROOT)) >> 23;
    const float y = __fsub_rn(__int_as_float(int(bits - (exponent << 23) + ONE)), 1.0f);
    float p = C[8];
    UNROLL for (int i = 7; i >= 0; --i) p = __fadd_rn(__fmul_rn(p, y), C[i]);
    return __fadd_rn(__fmul_rn(p, y), __fsub_rn(__int2float_rn(int(exponent)), 127.0f));
}

// The distance of a number from the nearest whole one: bit-equal to the CPU's.
DEVICE float from_whole(float x) {
    const float MAGIC = 12582912.0f;
    return __fsub_rn(x, __fsub_rn(__fadd_rn(x, MAGIC), MAGIC));
}

// sin(pi/2 t) for t in -1..1, within 2e-7.
DEVICE float quarter_sine(float t) {
    // Minimax for sin(pi/2 t) / t in powers of t squared.
    const float t2 = t * t;
    float p = 0.00015082056f;
    p = fmaf(p, t2, -0.004672228f);
    p = fmaf(p, t2, 0.07968848f);
    p = fmaf(p, t2, -0.6459634f);
    p = fmaf(p, t2, 1.57079637f);
    return p * t;
}

// 4 sin^2(pi/2 t) for t in 0..0.5, within two units in the last place. The CPU squares a sine;
// here one polynomial in t squared does.
DEVICE float four_sine_squared(float t) {
    const float t2 = t * t;
    float p = 0.0493066497f;
    p = fmaf(p, t2, -0.470178187f);
    p = fmaf(p, t2, 2.6704855f);
    p = fmaf(p, t2, -8.11742306f);
    p = fmaf(p, t2, 9.86960411f);
    return t2 * p;
}

// The cosine of an integer phase: cos(x) = sin(pi/2 - |x|), which folds the turn into the half
// turn that the polynomial covers.
DEVICE float cosine(u32 phase) {
    const u32 magnitude = int(phase) < 0 ? 0u - phase : phase;
    return quarter_sine(fmaf(__uint2float_rn(magnitude), -1.0f / (1u << 30), 1.0f));
}

// The sine of an integer phase.
DEVICE float sine(u32 phase) { return cosine(phase - (1u << 30)); }

// A well-mixed hash ("lowbias32", Chris Wellons).
DEVICE u32 hash(u32 x) {
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    return x ^ (x >> 16);
}

}  // namespace math
