// The sine bank: one partial through one tick. Mirrors engine/src/render/cpu/bank.rs, with the
// same result to about -130 dB with fewer operations.
//
// The CPU runs the delta form of the sine recurrence through the tick: two operations a sample.
// Here the delta form gives the eight samples in the tick's middle, and from there
//
//     y[t + 4] = 2 cos(4w) y[t] - y[t - 4]
//
// (Chebyshev's recurrence, with a stride of four samples) continues to both ends: one operation
// per sample, in four independent chains. Chebyshev's recurrence is inexact for low pitches only
// because its small angle is lost in 2 cos(w) and because errors grow with the square of the
// steps; at a stride of four the angle is four times as large, and three steps reach either end.
// All phases are exact integers, so nothing is carried from tick to tick.
//
// Instructions for a partial and tick of 32 samples, as compiled for sm_90:
//     pitch       one polynomial, and 2 cos(4w) from it               20
//     seeds       a sine, a cosine, and their combination             24
//     middle      delta form, 7 samples x 2                           14
//     outwards    24 samples x 1                                      24
//     level       a ramp, one operation per sample                    33
//     sum         one fused multiply-add per sample                   32
// that is about 147, or 4.6 per sample; none of them accesses memory.
#pragma once

#include "math.cuh"

namespace bank {

// The sample that the seeds belong to.
constexpr int MIDDLE = TICK / 2;

// Samples of a step outwards.
constexpr int STRIDE = 4;

// The coefficients, which depend on the pitch alone: k of the delta form, and 2 cos(4w).
struct Recurrence {
    float k, turn;
};

// 2 cos(4w) comes from 4 sin^2(w/2) by doubling the angle twice, in one of two ways:
//     2 cos(2w) = (2 - k)^2 - 2,     2 cos(4w) = (2 cos(2w))^2 - 2
//     4 sin^2(w) = k (4 - k),        2 cos(4w) = 2 - 4 sin^2(w) (2 - k)^2
// Both are accurate while their operands are small. As k and 4 - k are interchangeable, both use
// the smaller one, which has more significant digits.
DEVICE Recurrence recurrence(u32 increment) {
    const float t = __int2float_rn(int(increment)) * (1.0f / (1u << 31));
    const float smaller = math::four_sine_squared(fminf(t, 1.0f - t)), larger = 4.0f - smaller;
    const float half = 2.0f - smaller, half2 = half * half;
    const float twice = fmaf(half, half, -2.0f);
    const float turn = fabsf(twice) < 1.41421356f ? fmaf(twice, twice, -2.0f)
                                            : fmaf(-half2, smaller * larger, 2.0f);
    return {t > 0.5f ? larger : smaller, turn};
}

// Adds a sine to `sum`: at phase `middle` in sample MIDDLE, turning by `increment` per sample, its
// level starting at `from` and changing by `slope` per sample.
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

    const auto add = [&](int t, float sine) {
        const float level = t == 0 ? from : fmaf(slope, float(t), from);
        sum[t] = fmaf(level, sine, sum[t]);
    };
    // Four chains, one per sample of the stride: backwards from the middle, then forwards.
    UNROLL for (int chain = 0; chain < STRIDE; ++chain) {
        float here = y[chain], after = y[chain + STRIDE];
        UNROLL for (int t = MIDDLE - STRIDE + chain; t >= 0; t -= STRIDE) {
            add(t, here);
            if (t >= STRIDE) {
                const float before = fmaf(turn, here, -after);
                after = here;
                here = before;
            }
        }
        float past = y[chain];
        here = y[chain + STRIDE];
        UNROLL for (int t = MIDDLE + chain; t < TICK; t += STRIDE) {
            add(t, here);
            if (t + STRIDE < TICK) {
                const float next = fmaf(turn, here, -past);
                past = here;
                here = next;
            }
        }
    }
}

}  // namespace bank
