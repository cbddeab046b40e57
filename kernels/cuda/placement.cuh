// Changes of ratio: to the notes of a scale, and out of tune. Mirrors engine/src/spectrum/placement.rs:
// all of it decides pitch, so every operation rounds once.
#pragma once

#include "band.cuh"

namespace placement {

// The first row of the maps of scales, and the parts into which they divide an octave.
constexpr u32 MAP_ROW = 451;
constexpr u32 ROW = 1024;
constexpr u32 PARTS = 24;

// A ratio moved towards the nearest note of the scale.
DEVICE float snapped(const Cloud& cloud, const float* tables, float ratio) {
    const float octaves = fmaxf(__fadd_rn(math::log2_exact(ratio), 8.0f), 0.0f);
    const float within = __fsub_rn(octaves, __int2float_rn(__float2int_rz(octaves)));
    const u32 part = u32(__float2int_rz(__fmul_rn(within, float(PARTS))));
    const float note = tables[MAP_ROW * ROW + cloud.scale * PARTS + part];
    const float amount = __fmul_rn(__int2float_rn(cloud.snap), 1.0f / 65536.0f);
    return __fmul_rn(ratio, math::exp2_exact(__fmul_rn(__fsub_rn(note, within), amount)));
}

// A ratio detuned by its own random amount; the first partial stays.
DEVICE float detuned(const Cloud& cloud, u32 index, float ratio) {
    const float own = __int2float_rn(int(band::own_hash(cloud, index) >> 8));
    const float share = __fsub_rn(own, 8388608.0f);
    const float depth = __fmul_rn(__int2float_rn(cloud.detune), 1.0f / float(u64(1) << 42));
    const float octaves = index == 0 ? 0.0f : __fmul_rn(share, depth);
    return __fmul_rn(ratio, math::exp2_exact(octaves));
}

}  // namespace placement
