// Spectral filters: factors of the level of a partial. Mirrors
// engine/src/spectrum/filter.rs, where kinds and numbers are explained.
#pragma once

#include "math.cuh"

namespace filter {

enum Kind : u32 {
    OPEN, LOW12, LOW24, HIGH12, HIGH24, BAND12, BAND24, NOTCH, PEAK, LOW_SHELF, HIGH_SHELF,
    COMB, ODD_COMB, PHASER, FORMANT, DRAWN,
};

// The first row of the vowels' curves.
constexpr u32 FORMANT_ROW = 418;
constexpr u32 ROW = 1024;
constexpr u32 POINTS = 7;

DEVICE u32 kind(const Filter& filter) { return filter.words[0] & 0xFF; }
DEVICE u32 half(const Filter& filter) { return filter.words[0] >> 16; }
DEVICE float number(const Filter& filter) { return __int_as_float(int(filter.words[1])); }

DEVICE Poles poles_of(const Filter& filter) {
    const u32 which = kind(filter);
    const float peak = number(filter);
    const bool shelf = which == LOW_SHELF || which == HIGH_SHELF;
    const bool two = which == LOW12 || which == HIGH12 || which == BAND12 || shelf;
    const float inverse = __fdividef(1.0f, two ? peak * peak : peak);
    const u32 count = which == OPEN ? 0 : two ? 2 : 4;
    Poles poles = {filter.inverse_cutoff, count, shelf ? 4.0f : inverse, {1.0f, 0.0f, 0.0f}};
    float(&pass)[3] = poles.pass;
    switch (which) {
        case HIGH12: case HIGH24: pass[0] = 0.0f; pass[2] = 1.0f; break;
        case BAND12: case BAND24: pass[0] = 0.0f; pass[1] = inverse; break;
        case NOTCH: pass[1] = -2.0f; pass[2] = 1.0f; break;
        case PEAK: pass[1] = -2.0f + inverse * (1.0f + peak); pass[2] = 1.0f; break;
        case LOW_SHELF: pass[0] = peak * peak; pass[1] = 2.0f * peak; pass[2] = 1.0f; break;
        case HIGH_SHELF: pass[1] = 2.0f * peak; pass[2] = peak * peak; break;
    }
    return poles;
}

// The magnitude of a two-pole or four-pole resonant filter.
DEVICE float pole_response(const Poles& poles, float frequency) {
    const float r = frequency * poles.inverse_cutoff;
    const float r2 = r * r;
    const float above = fmaf(fmaf(r2, poles.pass[2], poles.pass[1]), r2, poles.pass[0]);
    const float detour = 1.0f - r2;
    // The smallest positive number, so that nothing is divided by zero.
    const float below = fmaf(r2, poles.inverse_q2, fmaf(detour, detour, 1.17549435e-38f));
    const float pair = __fdividef(above, below);
    return poles.count == 2 ? sqrtf(pair) : pair;
}

// The squared magnitude of a delay with feedback, x turns from a peak.
DEVICE float ripple_response(float feedback, float x) {
    const float sine = math::quarter_sine(x + x);
    const float rest = 1.0f - feedback;
    const float valley = 4.0f * feedback * (sine * sine);
    return __fdividef(rest * (1.0f + feedback), fmaf(rest, rest, valley));
}

DEVICE float comb_response(const Filter& filter, float r) {
    const float blunt = fmaf(r, __int2float_rn(int(half(filter))) * (1.0f / 65536.0f), 1.0f);
    const float offset = kind(filter) == ODD_COMB ? 0.5f : 0.0f;
    const float x = math::from_whole(__fsub_rn(r, offset));
    return sqrtf(ripple_response(__fdividef(number(filter), blunt), x));
}

DEVICE float phaser_response(const Filter& filter, float r) {
    const float density = __int2float_rn(int(half(filter))) * (1.0f / 8192.0f);
    const float x = math::from_whole(__fmul_rn(math::log2_exact(r), density));
    const float open = fmaf(fabsf(x), -2.0f, 1.0f);
    return sqrtf(ripple_response(number(filter), x)) * math::quarter_sine(open);
}

// A row read at `at`, interpolated between two entries.
DEVICE float read_between(const float* row, u32 index, float between) {
    const float here = row[index], next = row[min(index + 1, ROW - 1)];
    return fmaf(next - here, between, here);
}

DEVICE float formant_response(const Filter& filter, const float* tables, float r) {
    const float octaves = __fadd_rn(math::log2_exact(r), 6.0f);
    const float at = fminf(fmaxf(__fmul_rn(octaves, 100.0f), 0.0f), float(ROW - 1));
    const u32 index = u32(__float2int_rz(at));
    const float between = at - __int2float_rn(int(index));
    const float* row = tables + (FORMANT_ROW + (half(filter) >> 11)) * ROW;
    const float morph = __int2float_rn(int(half(filter) & 2047)) * (1.0f / 2048.0f);
    const float low = read_between(row, index, between);
    const float curve = fmaf(read_between(row + ROW, index, between) - low, morph, low);
    return math::exp2(curve * number(filter));
}

// The height of a point of a curve, from its byte.
DEVICE float point(const Filter& filter, u32 index) {
    const u64 bytes = filter.words[0] | u64(filter.words[1]) << 32;
    return __int2float_rn(int(bytes >> (8 * (min(index, POINTS - 1) + 1)) & 0xFF));
}

DEVICE float drawn_response(const Filter& filter, float r) {
    const float octaves = __fadd_rn(math::log2_exact(r), 3.0f);
    const float at = fminf(fmaxf(octaves, 0.0f), float(POINTS - 1));
    const u32 index = u32(__float2int_rz(at));
    const float x = at - __int2float_rn(int(index));
    const float way = x * x * fmaf(x, -2.0f, 3.0f);
    const float here = point(filter, index);
    const float height = fmaf(point(filter, index + 1) - here, way, here);
    // Powers of two of gain from each byte to the next: a quarter of a decibel.
    return math::exp2((height - 192.0f) * 0.0415241012f);
}

// The gain of one filter of any kind for N partials.
template <int N>
DEVICE void gains(const Filter& filter, const float* tables, const float (&frequency)[N],
                  float (&gain)[N]) {
    float r[N];
    EACH(i, N) r[i] = __fmul_rn(frequency[i], filter.inverse_cutoff);
    switch (kind(filter)) {
        case OPEN: EACH(i, N) gain[i] = 1.0f; break;
        case COMB: case ODD_COMB: EACH(i, N) gain[i] = comb_response(filter, r[i]); break;
        case PHASER: EACH(i, N) gain[i] = phaser_response(filter, r[i]); break;
        case FORMANT: EACH(i, N) gain[i] = formant_response(filter, tables, r[i]); break;
        case DRAWN: EACH(i, N) gain[i] = drawn_response(filter, r[i]); break;
        default: {
            const Poles poles = poles_of(filter);
            EACH(i, N) gain[i] = pole_response(poles, frequency[i]);
        }
    }
}

// Whether the cloud has other filters than a first one with poles.
DEVICE bool is_rich(const Cloud& cloud) {
    return kind(cloud.filters[0]) > HIGH_SHELF || kind(cloud.filters[1]) != OPEN;
}

// The gain of both filters for N partials, in series or in parallel.
template <int N>
DEVICE void both(const Cloud& cloud, const float* tables, const float (&frequency)[N],
                 float (&level)[N]) {
    const bool one = kind(cloud.filters[0]) == OPEN || kind(cloud.filters[1]) == OPEN;
    const bool parallel = cloud.flags & PARALLEL && !one;
    float total[N];
    EACH(i, N) total[i] = parallel ? 0.0f : 1.0f;
    ROLLED for (u32 which = 0; which < 2; ++which) {
        float gain[N];
        gains(cloud.filters[which], tables, frequency, gain);
        EACH(i, N) total[i] = parallel ? fmaf(gain[i], 0.5f, total[i]) : total[i] * gain[i];
    }
    EACH(i, N) level[i] *= total[i];
}

}  // namespace filter
