// Bands: partials that are narrow bands of noise and not sines. Mirrors engine/src/spectrum/band.rs,
// where the numbers are explained.
#pragma once

#include "math.cuh"

namespace band {

constexpr float REACH = 1.25f;
constexpr float WIDEST = 0.6f;
constexpr float MAKE_UP = 1.8f;
constexpr float FULL = 0.001734f;
constexpr int FRACTION = 20;
constexpr float SPEED = 64.0f;
constexpr float STEPS = 4.0f;

// A hash that differs for every partial.
DEVICE u32 own_hash(const Cloud& cloud, u32 index) {
    return math::hash((index + 1 + cloud.seed) * 0x9E3779B1u);
}

// The lattice's point below a position.
DEVICE u32 point(u32 own, u32 position) {
    return math::hash(own + (position >> FRACTION) * 0x85EBCA6Bu);
}

// The sum of two bytes of a point, -255 to 255.
DEVICE float lean(u32 point) {
    return __int2float_rn(int(point & 0xFF) + int(point >> 8 & 0xFF) - 255);
}

DEVICE float mixed(float a, float b, float way) {
    return __fadd_rn(a, __fmul_rn(__fsub_rn(b, a), way));
}

// Moves a band's frequency to its present value, and returns the factor of its level. `noise` is the
// depth of both, 0 to 1.
DEVICE float wander(const Cloud& cloud, float log2_ratio, float noise, u32 index,
                    float& frequency) {
    const u32 own = own_hash(cloud, index);
    const float band_growth = math::of_fraction(cloud.band_growth);
    const float stepped = __fadd_rn(__fmul_rn(band_growth, STEPS), 0.5f);
    const float steps = __fmul_rn(__int2float_rn(__float2int_rz(stepped)), 1.0f / STEPS);
    const float speed = math::exp2_exact(__fmul_rn(log2_ratio, steps));
    const u32 position = u32(__float2int_rz(__fmul_rn(speed, SPEED))) * cloud.band_clock + own;
    const float between = __fmul_rn(__int2float_rn(int(position & ((1u << FRACTION) - 1))),
                                    1.0f / (1 << FRACTION));
    const float bent = __fsub_rn(3.0f, __fadd_rn(between, between));
    const float way = __fmul_rn(__fmul_rn(between, between), bent);

    const u32 here = point(own, position), next = point(own, position + (1u << FRACTION));

    const float growth = math::exp2_exact(__fmul_rn(log2_ratio, band_growth));
    const float asked = __fmul_rn(growth, __fmul_rn(cloud.bandwidth, cloud.increment));
    const float width = __fmul_rn(fminf(asked, __fmul_rn(frequency, WIDEST)), noise);
    const float aside = __fmul_rn(mixed(lean(here), lean(next), way), REACH / 255.0f);
    frequency = __fadd_rn(frequency, __fmul_rn(width, aside));

    const float level = mixed(__int2float_rn(int(here >> 16)), __int2float_rn(int(next >> 16)), way);
    const float depth = fminf(cloud.bandwidth * (1.0f / FULL), 1.0f) * noise;
    return fmaf(fmaf(level, MAKE_UP / 65535.0f, -1.0f), depth, 1.0f);
}

}  // namespace band
