// The spectrum of a cloud: from its plain-data description to the pitch and level of one
// partial. Mirrors engine/src/spectrum.rs, function by function; there sixteen partials at a
// time, here one per thread.
//
// What decides a partial's pitch uses only operations that round once (the __f.._rn intrinsics,
// which the compiler never fuses), so that phases agree with the CPU bit for bit for as long as
// a note lasts. What decides its level may be fused and approximate (the build asks for quick
// division and roots).
//
// `index` is a partial's number less one; tables are rows of MAX_PARTIALS numbers, and `row[index]`
// of a table's row is the partial's. `frequencies` and `evaluate` take N partials, APART from each
// other, through each branch in parallel: one alone is a chain of dependent operations. Branches
// depend on the cloud or on whole groups of sixteen, so the threads of a warp do not diverge.
#pragma once

#include "dynamics.cuh"
#include "filter.cuh"
#include "placement.cuh"
#include "second.cuh"

namespace spectrum {

constexpr u32 MAX_PARTIALS = 1024;
constexpr u32 LANES = 16;
constexpr u32 MAX_GROUPS = MAX_PARTIALS / LANES;
// The distance between partials that a thread evaluates in parallel. Even, so that all of them are
// odd or all are even.
constexpr u32 APART = 32;

constexpr float TURN = 4294967296.0f;
// From this fraction of the sample rate on, partials fade.
constexpr float FADE_START = 0.46f * TURN;
// From this one on they are silent and their phase stops.
constexpr float FADE_END = 0.495f * TURN;

// Partials quieter than this at both ends of a tick are not rendered: -144 dB.
constexpr float INAUDIBLE = 6e-8f;

struct Partial {
    // Phase per sample; 2^32 is one turn.
    u32 increment;
    // Level, before the cloud's gain.
    float level;
};

DEVICE float number(u32 index) { return __int2float_rn(int(index + 1)); }

// The ratios of N partials in a table, and their logarithms.
template <int N> struct Ratios {
    float ratio[N], log2[N];
};

// The distance between the rows of two frames; tables of tracks have bends in between.
DEVICE u32 to_next_frame(bool tracks) { return tracks ? 2 * MAX_PARTIALS : MAX_PARTIALS; }

// Loads both at once, long before the logarithms are needed. A table's first row has the ratios. Without
// Rich the table is not one of tracks, whose pitches are bent from frame to frame.
template <bool Rich, int N>
DEVICE Ratios<N> ratios_of(const Cloud& cloud, const float* tables, u32 index) {
    const float* row = tables + (cloud.table * MAX_PARTIALS + index);
    Ratios<N> ratios;
    EACH(i, N) ratios.ratio[i] = row[i * APART];
    EACH(i, N) ratios.log2[i] = row[MAX_PARTIALS + i * APART];
    if (Rich && cloud.flags & TRACKS) {
        const float* bend = tables + (cloud.frame + 1) * MAX_PARTIALS + index;
        EACH(i, N) {
            const float ratio = ratios.ratio[i];
            ratios.ratio[i] = __fadd_rn(ratio, __fmul_rn(ratio, bend[i * APART]));
        }
    }
    if (Rich && second::morphs(cloud)) {
        const u32 table = cloud.second.table & ~SECOND_TRACKS;
        const float* to = tables + table * MAX_PARTIALS + index;
        const float* bend = tables + (cloud.second.frame + 1) * MAX_PARTIALS + index;
        const bool bent = second::tracks(cloud);
        const float part = second::part(cloud);
        EACH(i, N) {
            float ratio = to[i * APART];
            if (bent) ratio = __fadd_rn(ratio, __fmul_rn(ratio, bend[i * APART]));
            ratios.ratio[i] = second::between(part, ratios.ratio[i], ratio);
            ratios.log2[i] = second::between(part, ratios.log2[i], to[MAX_PARTIALS + i * APART]);
        }
    }
    return ratios;
}

// Whether the cloud uses a rare feature: bands, tracks, filters of other kinds or two of them, scales,
// dynamics, or a second table.
DEVICE bool is_rich(const Cloud& cloud) {
    const u32 any = cloud.detune | cloud.snap | cloud.smear | u16(cloud.contrast) | cloud.gate |
                    u16(cloud.second.share);
    return cloud.bandwidth != 0.0f || cloud.flags & TRACKS || any != 0 || filter::is_rich(cloud);
}

// Whether the cloud's ratios differ from those of its table.
DEVICE bool is_bent(const Cloud& cloud) {
    return cloud.stretch != 0.0f || cloud.inharmonicity != 0.0f;
}

// Levels below this, before the gains, are inaudible.
DEVICE float threshold_of(const float (&gain_from)[2], const float (&gain_to)[2]) {
    const float loudest = fmaxf(fmaxf(gain_from[0], gain_from[1]), fmaxf(gain_to[0], gain_to[1]));
    return INAUDIBLE / fmaxf(loudest, 1e-30f);
}

// A cloud's partials, and the groups that they fill.
DEVICE u32 count_of(const Cloud& cloud) {
    return min(u32(__float2int_rz(fmaxf(cloud.partials, 0.0f))), MAX_PARTIALS);
}
DEVICE u32 groups_of(u32 count) { return min((count + LANES) / LANES, MAX_GROUPS); }

// One over the frames from the cloud's start to the tick's end.
DEVICE float step_of(const Cloud& cloud) {
    return 1.0f / __int2float_rn(int(TICK - first_frame(cloud)));
}

// Computes from a description what is the same for all copies and partials, once for all of them. A cloud that is not rich
// has it in the place of the features that it does not use. A cloud with an invalid row or bus, which must not read or write
// out of bounds, is INVALID. Reads and writes the words of the description only.
DEVICE void prepare(Cloud& cloud, u32 table_rows, u32 buses) {
    const u32 end = table_rows - (cloud.flags & TRACKS ? 3 : 1);
    if (cloud.table >= end || cloud.frame >= end || cloud.bus >= buses) {
        cloud.first_frame = 0;
        cloud.flags = INVALID;
        return;
    }
    cloud.first_frame %= TICK;
    if (cloud.width_from != 0 || cloud.width_to != 0) cloud.first_frame |= WIDE;
    if (is_rich(cloud)) {
        cloud.first_frame |= RICH;
        return;
    }
    cloud.poles = filter::poles_of(cloud.filters[0]);
    const u32 count = count_of(cloud);
    cloud.prepared = {step_of(cloud), u16(count), u16(groups_of(count))};
    const bool is_shaped = cloud.parity != 0 || cloud.tilt != 0.0f || cloud.damping != 0.0f;
    cloud.flags = u8((cloud.flags & STARTS) | (is_bent(cloud) ? BENT : 0) | (is_shaped ? SHAPED : 0));
}

// The ratio of a stretched table: raised to the power 1 + stretch.
DEVICE float stretched(const Cloud& cloud, float ratio, float log2_ratio) {
    return __fmul_rn(ratio, math::exp2_exact(__fmul_rn(log2_ratio, cloud.stretch)));
}

// The ratio of a stiff string.
DEVICE float stiff(const Cloud& cloud, float ratio) {
    const float square = __fmul_rn(__fmul_rn(ratio, ratio), cloud.inharmonicity);
    return __fmul_rn(ratio, __fsqrt_rn(__fadd_rn(square, 1.0f)));
}

// Phase per sample as floats: the ratios of the table, stretched, made stiff, snapped to a scale and
// detuned, times the cloud's increment. Without Bent the ratios are those of the table, without
// Rich only the first two apply.
template <bool Bent, bool Rich, int N>
DEVICE void frequencies(const Cloud& cloud, const float* tables, const Ratios<N>& ratios, u32 index,
                        float (&frequency)[N]) {
    float ratio[N];
    EACH(i, N) ratio[i] = ratios.ratio[i];
    if (Bent && cloud.stretch != 0.0f) {
        EACH(i, N) ratio[i] = stretched(cloud, ratio[i], ratios.log2[i]);
    }
    if (Bent && cloud.inharmonicity != 0.0f) {
        EACH(i, N) ratio[i] = stiff(cloud, ratio[i]);
    }
    if (Rich && cloud.snap != 0) {
        EACH(i, N) ratio[i] = placement::snapped(cloud, tables, ratio[i]);
    }
    if (Rich && cloud.detune != 0) {
        EACH(i, N) ratio[i] = placement::detuned(cloud, index + i * APART, ratio[i]);
    }
    EACH(i, N) frequency[i] = __fmul_rn(ratio[i], cloud.increment);
}

// The phase step of partials below the fade's end; above it the phase stops.
DEVICE u32 increment_or_rest(float frequency) {
    return frequency < FADE_END ? u32(__float2int_rz(frequency)) : 0u;
}

// A row interpolated between two entries; constant past the end.
DEVICE float read_between(const float* row, u32 index, float between) {
    const float here = row[min(index, MAX_PARTIALS - 1)];
    const float next = row[min(index + 1, MAX_PARTIALS - 1)];
    return fmaf(next - here, between, here);
}

// A table's level, interpolated between two frames.
DEVICE float table_level(float morph, const float* frame, u32 to_next) {
    const float low = frame[0], high = frame[to_next];
    return fmaf(high - low, morph, low);
}

// The same with a formant scale: read at `number x scale`. `row` is the whole row.
DEVICE float formant_level(float formant, float morph, const float* frame, u32 to_next,
                           u32 index) {
    float position = fmaxf(__fsub_rn(__fmul_rn(number(index), formant), 1.0f), 0.0f);
    position = fminf(position, float(MAX_PARTIALS));
    const u32 whole = u32(__float2int_rz(position));
    const float between = position - __int2float_rn(int(whole));
    const float low = read_between(frame, whole, between);
    const float high = read_between(frame + to_next, whole, between);
    return fmaf(high - low, morph, low);
}

// The levels of N partials in a table, whose rows of frames are `to_next` apart.
template <int N>
DEVICE void levels(float formant, float morph, const float* frame, u32 to_next, u32 index,
                   float (&level)[N]) {
    if (formant == 1.0f) {
        const float* first = frame + index;
        EACH(i, N) level[i] = table_level(morph, first + i * APART, to_next);
    } else {
        EACH(i, N) level[i] = formant_level(formant, morph, frame, to_next, index + i * APART);
    }
}

// One for partials within the count, zero beyond; the last one fades.
DEVICE float count_fade(const Cloud& cloud, u32 index) {
    const float inside = __fadd_rn(cloud.partials, 1.0f) - number(index);
    return fminf(fmaxf(inside, 0.0f), 1.0f);
}

// Levels of odd and even partials.
DEVICE float parity(const Cloud& cloud, u32 index) {
    const float parity = math::of_fraction(cloud.parity);
    return index & 1 ? 1.0f - fmaxf(parity, 0.0f) : 1.0f + fminf(parity, 0.0f);
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

// From one to zero towards Nyquist.
DEVICE float nyquist_fade(float frequency) {
    constexpr float SLOPE = 1.0f / (FADE_END - FADE_START);
    const float fade = fmaf(-frequency, SLOPE, FADE_END / (FADE_END - FADE_START));
    return fminf(fmaxf(fade, 0.0f), 1.0f);
}

// Moves the pitches of the bands of a cloud, if there are any, and returns factors of their levels.
template <int N>
DEVICE void wander(const Cloud& cloud, const float* tables, const Ratios<N>& ratios, u32 index,
                   float (&frequency)[N], float (&share)[N]) {
    EACH(i, N) share[i] = 1.0f;
    if (cloud.bandwidth == 0.0f) return;
    float noise[N];
    EACH(i, N) noise[i] = 1.0f;
    if (cloud.flags & TRACKS) {
        const float* row = tables + (cloud.table + 3) * MAX_PARTIALS + index;
        EACH(i, N) noise[i] = row[i * APART];
    }
    EACH(i, N) {
        share[i] = band::wander(cloud, ratios.log2[i], noise[i], index + i * APART, frequency[i]);
    }
}

// The partials `index`, `index` + APART, and so on of `cloud`, whose pitches are `frequency`,
// without the fade towards Nyquist. `ends` is set when the cloud's count may end among them, or
// before; `poles` is the first filter, which is the only one without Rich.
template <bool Rich, int N>
DEVICE void evaluate(const Cloud& cloud, const float* tables, const Ratios<N>& ratios,
                     const Poles& poles, u32 index, bool ends, const float (&frequency)[N],
                     Partial (&partial)[N]) {
    const float* frame = tables + cloud.frame * MAX_PARTIALS;
    const u32 to_next = Rich ? to_next_frame(cloud.flags & TRACKS) : MAX_PARTIALS;
    float level[N];
    levels(cloud.formant, cloud.morph, frame, to_next, index, level);
    if (Rich && cloud.second.share != 0) {
        float other[N];
        const float* frame = tables + cloud.second.frame * MAX_PARTIALS;
        const float morph = __int2float_rn(cloud.second.morph) * (1.0f / MORPH);
        const float part = second::part(cloud);
        levels(cloud.formant, morph, frame, to_next_frame(second::tracks(cloud)), index, other);
        EACH(i, N) level[i] = second::level(cloud, part, level[i], other[i]);
    }
    if (Rich && cloud.contrast != 0) {
        EACH(i, N) level[i] = dynamics::contrasted(cloud, level[i]);
    }
    if (ends) {
        EACH(i, N) level[i] *= count_fade(cloud, index + i * APART);
    }
    if (Rich || cloud.flags & SHAPED) {
        if (cloud.parity != 0) {
            const float share = parity(cloud, index);
            EACH(i, N) level[i] *= share;
        }
        if (cloud.tilt != 0.0f || cloud.damping != 0.0f) {
            EACH(i, N) level[i] *= tilt_and_damping(cloud, ratios.log2[i]);
        }
    }
    if (Rich && filter::is_rich(cloud)) {
        filter::both(cloud, tables, frequency, level);
    } else if (poles.count != 0) {
        EACH(i, N) level[i] *= filter::pole_response(poles, frequency[i]);
    }
    EACH(i, N) partial[i] = {u32(__float2int_rz(frequency[i])), level[i]};
}

// Fades partials near Nyquist, and stops the phases of those beyond.
template <int N> DEVICE void fade(const float (&frequency)[N], Partial (&partial)[N]) {
    EACH(i, N) {
        partial[i] = {increment_or_rest(frequency[i]),
                      partial[i].level * nyquist_fade(frequency[i])};
    }
}

// The phase at which a partial starts: a hash of the cloud's seed and the partial's number,
// scaled by the scatter; and, when the whole cloud starts, its phase so far. Tracks start with their
// recorded phases.
template <bool Rich> DEVICE u32 first_phase(const Cloud& cloud, const float* tables, u32 index) {
    const u32 hash = band::own_hash(cloud, index);
    u32 before = cloud.flags & STARTS ? (index + 1) * cloud.phase : 0;
    if (Rich && cloud.flags & TRACKS) {
        const float recorded = tables[(cloud.table + 2) * MAX_PARTIALS + index];
        before += u32(__float2int_rz(recorded)) << 16;
    }
    return (hash >> 16) * cloud.scatter + before;
}

}  // namespace spectrum
