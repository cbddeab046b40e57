// The spectrum of a cloud: from its plain-data description to the pitch and level of one
// partial. Twin of engine/src/spectrum.rs, function by function; there sixteen partials at a
// time, here one a thread.
//
// What decides a partial's pitch uses only operations that round once (the __f.._rn intrinsics,
// which the compiler never fuses), so that phases agree with the CPU bit for bit for as long as
// a note lasts. What decides its level may be fused and approximate (the build asks for quick
// division and roots).
//
// `index` is the partial's number less one; `tables` are rows of MAX_PARTIALS numbers. All
// branches are on the cloud, so a warp takes them together.
#pragma once

#include "math.cuh"

namespace spectrum {

constexpr u32 MAX_PARTIALS = 1024;
constexpr u32 LANES = 16;
constexpr u32 MAX_GROUPS = MAX_PARTIALS / LANES;

constexpr float TURN = 4294967296.0f;
// From this share of the sample rate on, partials fade...
constexpr float FADE_START = 0.46f * TURN;
// ...and from this one on they are silent and their phase rests.
constexpr float FADE_END = 0.495f * TURN;

struct Partial {
    // Phase per sample; 2^32 is one turn.
    u32 increment;
    // Level, before the cloud's gain.
    float level;
};

// Entry `index` of a row. The sum stays in 32 bits, which makes for short addresses.
DEVICE float at(const float* tables, u32 row, u32 index) {
    return tables[row * MAX_PARTIALS + index];
}

DEVICE float number(u32 index) { return __int2float_rn(int(index + 1)); }

// Whether the cloud's partials are anywhere else than its table says.
DEVICE bool is_bent(const Cloud& cloud) {
    return cloud.stretch != 0.0f || cloud.inharmonicity != 0.0f;
}

// Phase per sample as a float: the ratio of the table, stretched, made stiff, times the cloud's
// own increment. Without Bent the cloud is known to be neither.
template <bool Bent = true>
DEVICE float frequency(const Cloud& cloud, const float* tables, u32 index) {
    float ratio = at(tables, cloud.table, index);
    if (Bent && cloud.stretch != 0.0f) {
        const float log2_ratio = at(tables, cloud.table + 1, index);
        ratio = __fmul_rn(ratio, math::exp2_exact(__fmul_rn(log2_ratio, cloud.stretch)));
    }
    if (Bent && cloud.inharmonicity != 0.0f) {
        const float square = __fmul_rn(__fmul_rn(ratio, ratio), cloud.inharmonicity);
        ratio = __fmul_rn(ratio, __fsqrt_rn(__fadd_rn(square, 1.0f)));
    }
    return __fmul_rn(ratio, cloud.increment);
}

// The phase step of partials below the fade's end; those above rest.
DEVICE u32 increment_or_rest(float frequency) {
    return frequency < FADE_END ? u32(__float2int_rz(frequency)) : 0u;
}

// A row read between two entries; past the end it is flat.
DEVICE float read_between(const float* tables, u32 row, u32 index, float between) {
    const float here = at(tables, row, min(index, MAX_PARTIALS - 1));
    const float next = at(tables, row, min(index + 1, MAX_PARTIALS - 1));
    return fmaf(next - here, between, here);
}

// The table's level, between two frames; with a formant scale, read at `number x scale`.
DEVICE float table_level(const Cloud& cloud, const float* tables, u32 index) {
    const u32 low = cloud.frame, high = cloud.frame + 1;
    float from, to;
    if (cloud.formant == 1.0f) {
        from = at(tables, low, index);
        to = at(tables, high, index);
    } else {
        float position = fmaxf(__fsub_rn(__fmul_rn(number(index), cloud.formant), 1.0f), 0.0f);
        position = fminf(position, float(MAX_PARTIALS));
        const u32 whole = u32(__float2int_rz(position));
        const float between = position - __int2float_rn(int(whole));
        from = read_between(tables, low, whole, between);
        to = read_between(tables, high, whole, between);
    }
    return fmaf(to - from, cloud.morph, from);
}

// One for partials within the count, zero beyond; the last one fades.
DEVICE float count_fade(const Cloud& cloud, u32 index) {
    const float inside = __fadd_rn(cloud.partials, 1.0f) - number(index);
    return fminf(fmaxf(inside, 0.0f), 1.0f);
}

// Levels of odd and even partials.
DEVICE float parity(const Cloud& cloud, u32 index) {
    return index & 1 ? cloud.even : cloud.odd;
}

// A slope per octave above the first partial, and the decay of partials since the note began.
DEVICE float tilt_and_damping(const Cloud& cloud, float log2_ratio) {
    float exponent = log2_ratio * cloud.tilt;
    if (cloud.damping != 0.0f) {
        const float speed = math::exp2(log2_ratio * cloud.damping_slope);
        exponent = fmaf(-speed, cloud.damping, exponent);
    }
    return math::exp2(exponent);
}

// The magnitude of a two-pole or four-pole resonant filter.
DEVICE float filter_response(const Filter& filter, float frequency) {
    const float r = frequency * filter.inverse_cutoff;
    const float r2 = r * r;
    const float above = fmaf(fmaf(r2, filter.pass[2], filter.pass[1]), r2, filter.pass[0]);
    const float detour = 1.0f - r2;
    const float below = fmaf(r2, filter.inverse_q2, detour * detour);
    const float pair = above / fmaxf(below, 1.17549435e-38f);
    return filter.poles == 2 ? sqrtf(pair) : pair;
}

// From one to zero towards Nyquist.
DEVICE float nyquist_fade(float frequency) {
    constexpr float SLOPE = 1.0f / (FADE_END - FADE_START);
    const float fade = fmaf(-frequency, SLOPE, FADE_END / (FADE_END - FADE_START));
    return fminf(fmaxf(fade, 0.0f), 1.0f);
}

// The partial `index` of `cloud`, whose pitch is `frequency`.
DEVICE Partial evaluate(const Cloud& cloud, const float* tables, u32 index, float frequency) {
    float level = table_level(cloud, tables, index) * count_fade(cloud, index);
    level *= parity(cloud, index);
    if (cloud.tilt != 0.0f || cloud.damping != 0.0f) {
        const float log2_ratio = at(tables, cloud.table + 1, index);
        level *= tilt_and_damping(cloud, log2_ratio);
    }
    if (cloud.filter.poles != 0) {
        level *= filter_response(cloud.filter, frequency);
    }
    return {increment_or_rest(frequency), level * nyquist_fade(frequency)};
}

// The phase at which a partial starts: a hash of the cloud's seed and the partial's number,
// scaled by the scatter.
DEVICE u32 first_phase(const Cloud& cloud, u32 index) {
    const u32 hash = math::hash((index + 1 + cloud.seed) * 0x9E3779B1u);
    return (hash >> 16) * cloud.scatter;
}

}  // namespace spectrum
