// The sine bank: one partial through one tick. Twin of engine/src/render/cpu/bank.rs, with the
// same result to about -125 dB by a shorter road.
//
// The CPU runs the delta form of the sine recurrence through the tick: two operations a sample.
// Here the delta form gives the eight samples in the tick's middle, and from there
//
//     y[t + 4] = 2 cos(4w) y[t] - y[t - 4]
//
// (Chebyshev's recurrence, four samples at a stride) leads outwards to both ends: one operation
// a sample, in four independent chains. Chebyshev's recurrence is inexact for low pitches only
// because its small angle is lost in 2 cos(w) and because errors grow with the square of the
// steps; at a stride of four the angle is four times as large, and three steps reach either end.
// All phases are exact integers, so nothing is carried from tick to tick.
//
// Instructions for a partial and tick of 32 samples, as compiled for sm_90:
//     seeds       4 polynomials, and what joins them                  54
//     middle      delta form, 7 samples x 2                           13
//     outwards    24 samples x 1                                      24
//     level       a ramp, one operation a sample                      36
//     sum         one fused multiply-add a sample                     32
// that is about 160, or 5 a sample; none of them touches memory.
#pragma once

#include "math.cuh"

constexpr int TICK = 32;

namespace bank {

// The sample that seeds are made for.
constexpr int MIDDLE = TICK / 2;

// Samples of a step outwards.
constexpr int STRIDE = 4;

// What the pitch alone decides: k of the delta form, and 2 cos(4w).
struct Recurrence {
    float k, turn;
};

DEVICE Recurrence recurrence(u32 increment) {
    return {math::four_sine_squared(__int2float_rn(int(increment)) * (1.0f / (1u << 31))),
            2.0f * math::cosine(STRIDE * increment)};
}

// Adds a sine to `sum`: at phase `middle` in sample MIDDLE, turning by `increment` a sample, its
// level leading from `from` on by `slope` a sample.
DEVICE void advance(u32 middle, u32 increment, Recurrence recurrence, float from, float slope,
                    float (&sum)[TICK]) {
    const float k = recurrence.k, turn = recurrence.turn;
    // Samples MIDDLE - STRIDE to MIDDLE + STRIDE - 1, from the middle to both sides.
    // sin(a) - sin(a - w) = 2 sin(w/2) cos(a - w/2), and 2 sin(w/2) is the root of k.
    float y[2 * STRIDE];
    y[STRIDE] = math::sine(middle);
    const float rise = sqrtf(k) * math::cosine(middle - (increment >> 1));
    float d = rise;
    UNROLL for (int i = STRIDE + 1; i < 2 * STRIDE; ++i) {
        d = fmaf(-k, y[i - 1], d);
        y[i] = y[i - 1] + d;
    }
    d = rise;
    UNROLL for (int i = STRIDE - 1; i >= 0; --i) {
        y[i] = y[i + 1] - d;
        d = fmaf(k, y[i], d);
    }

    const float stride_slope = STRIDE * slope;
    // Four chains, one a sample of the stride: backwards from the middle, then forwards.
    UNROLL for (int chain = 0; chain < STRIDE; ++chain) {
        const float start = fmaf(slope, float(MIDDLE - STRIDE + chain), from);
        float level = start, here = y[chain], after = y[chain + STRIDE];
        UNROLL for (int t = MIDDLE - STRIDE + chain; t >= 0; t -= STRIDE) {
            sum[t] = fmaf(level, here, sum[t]);
            if (t >= STRIDE) {
                const float before = fmaf(turn, here, -after);
                after = here;
                here = before;
                level -= stride_slope;
            }
        }
        level = start + stride_slope;
        float past = y[chain];
        here = y[chain + STRIDE];
        UNROLL for (int t = MIDDLE + chain; t < TICK; t += STRIDE) {
            sum[t] = fmaf(level, here, sum[t]);
            if (t + STRIDE < TICK) {
                const float next = fmaf(turn, here, -past);
                past = here;
                here = next;
                level += stride_slope;
            }
        }
    }
}

}  // namespace bank
