// From a voice to the clouds of its unison copies. Mirrors engine/src/spectrum/unison.rs, where the fields are
// explained.
#pragma once

#include "math.cuh"

// Levels and places of a voice's copies.
struct UnisonMix {
    float gain, pan, spread, entry;
};

// How the copies of a voice differ.
struct Unison {
    // The number of copies in the lowest byte, then LEFT or RIGHT.
    u32 shape;
    u32 seed;
    u32 seed_steps[3];
    float increment;
    float detune;
    UnisonMix from, to;
    u32 band_clock[2];
    u32 phase;
};

static_assert(sizeof(Unison) == 72, "Unison");

// Words of a voice during one tick: what its copies share, how they differ, and unused ones.
constexpr u32 VOICE_WORDS = 48;

// What a copy has of its own: the index of its description, then the rest of its cloud.
struct UnisonCopy {
    u32 description;
    u32 seed;
    float increment;
    float gain_from[2];
    float gain_to[2];
    u32 phase;
    union {
        u32 band_clock;
        float threshold;
    };
};
static_assert(sizeof(UnisonCopy) == 4 * COPY_WORDS, "UnisonCopy");

namespace unison {

constexpr u32 MAX_COPIES = 16;
// Bits of the shape: one channel alone.
constexpr u32 LEFT = 1 << 8;
constexpr u32 RIGHT = 1 << 9;
// The seeds of copies are so far apart, and the number of the attempt has so many bits.
constexpr u32 SEEDS_APART = 1024;
constexpr u32 STEP_BITS = 5;
// Bits of a band clock below those of a cloud's.
constexpr u32 CLOCK_SHIFT = 18;

// Where a copy is, from -1 to 1: how it is detuned, and how it is panned.
struct Place {
    float place, standing;
};

DEVICE Place place_of(u32 copy, u32 copies) {
    if (copies < 2) return {0.0f, 0.0f};
    const float place = __fsub_rn(
        __fdiv_rn(__fmul_rn(2.0f, __uint2float_rn(copy)), __uint2float_rn(copies - 1)), 1.0f);
    const u32 nearest = min(copy, copies - 1 - copy);
    return {place, nearest % 2 == 0 ? place : -place};
}

// The seed of a copy.
DEVICE u32 seed_of(const Unison& unison, u32 copy) {
    const u32 bit = copy * STEP_BITS, word = bit / 32;
    const u64 low = unison.seed_steps[word], high = word < 2 ? unison.seed_steps[word + 1] : 0;
    const u32 step = u32((low | high << 32) >> (bit % 32)) % (1u << STEP_BITS);
    return unison.seed + (copy + MAX_COPIES * step) * SEEDS_APART;
}

// The gain of a copy that comes in later than the first.
DEVICE float entered(const UnisonMix& mix, float place) {
    const float gain = fminf(fmaxf(mix.entry - 0.5f * (place + 1.0f), 0.0f), 1.0f);
    return place == -1.0f ? 1.0f : gain;
}

// The gains of left and right of a copy.
DEVICE void gains(const UnisonMix& mix, Place at, u32 shape, float (&gains)[2]) {
    const float gain = mix.gain * entered(mix, at.place);
    const float pan = fminf(fmaxf(mix.pan + at.standing * mix.spread, -1.0f), 1.0f);
    const float right = 0.5f * (pan + 1.0f);
    gains[0] = shape & RIGHT ? 0.0f : gain * math::quarter_sine(1.0f - right);
    gains[1] = shape & LEFT ? 0.0f : gain * math::quarter_sine(right);
}

// How many copies a voice has, whatever its shape says.
DEVICE u32 copies_of(const Unison& unison) { return min(max(unison.shape & 0xFF, 1u), MAX_COPIES); }

// One of a voice's copies, whose description has that index.
DEVICE UnisonCopy copy_of(const Unison& unison, u32 copy, u32 description) {
    const Place at = place_of(copy, copies_of(unison));
    // What decides the pitch is rounded as on the CPU.
    const float factor = math::exp2_exact(__fmul_rn(at.place, unison.detune));
    UnisonCopy own;
    own.description = description | (copy % 2 == 1 ? MIRRORED : 0);
    own.seed = seed_of(unison, copy);
    own.increment = __fmul_rn(unison.increment, factor);
    gains(unison.from, at, unison.shape, own.gain_from);
    gains(unison.to, at, unison.shape, own.gain_to);
    own.phase = unison.phase;
    const u64 clock = unison.band_clock[0] | u64(unison.band_clock[1]) << 32;
    own.band_clock = 0;
    if (clock != 0) {
        const u64 ahead = __double2ull_rz(__dmul_rn(__ull2double_rn(clock), double(factor)));
        own.band_clock = u32(ahead >> CLOCK_SHIFT);
    }
    return own;
}

}  // namespace unison
