// Spectral dynamics: contrast, gate, smear. Mirrors engine/src/spectrum/dynamics.rs.
#pragma once

#include "math.cuh"

namespace dynamics {

constexpr u32 HELD = 0xFFFF;

// A number from 1 down, from the steps of its logarithm.
DEVICE float part_of(u32 steps) { return math::exp2(__int2float_rn(int(steps)) * (-1.0f / 4096.0f)); }

// A level of the table, raised to a power.
DEVICE float contrasted(const Cloud& cloud, float level) {
    const float more = __int2float_rn(cloud.contrast) * (1.0f / 8192.0f);
    const float loudest = __int2float_rn(cloud.flags >> 3) * -0.25f;
    return math::exp2(fmaf(math::log2_exact(level), 1.0f + more, -more * loudest));
}

// Zero below the threshold, unchanged above twice the threshold, a ramp between.
DEVICE float gated(float threshold, float level) {
    const float above = fmaf(level, __fdividef(1.0f, threshold), -1.0f);
    return level * fminf(fmaxf(above, 0.0f), 1.0f);
}

// The level at the end of this tick, on its way from `from` to `to`.
DEVICE float smeared(u32 smear, float from, float to, float fade) {
    const float step = smear == HELD ? 0.0f : part_of(smear);
    const float level = fmaf(to - from, step, from) * fade;
    return smear == HELD ? level : fmaxf(level - 1e-9f, 0.0f);
}

}  // namespace dynamics
