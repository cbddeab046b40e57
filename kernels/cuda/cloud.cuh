// The description of one cloud for one tick. Mirrors engine/src/spectrum/cloud.rs,
// where the fields are explained.
#pragma once

#include "host.h"

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef unsigned long long u64;

// The cloud starts in this tick: phases are set, and levels do not ramp.
constexpr u32 STARTS = 1;
// The cloud's table is one of tracks, whose rows are in another order.
constexpr u32 TRACKS = 2;
// The filters are in parallel.
constexpr u32 PARALLEL = 4;

// A spectral filter: its kind in the lowest byte of the words, and its parameters.
struct Filter {
    float inverse_cutoff;
    u32 words[2];
};

// The second table of a cloud.
struct Second {
    u16 table;
    u16 frame;
    u16 morph;
    short share;
};
// A bit of its table: it is one of tracks.
constexpr u32 SECOND_TRACKS = 0x8000;
// The units of its morph, and of fractions in clouds.
constexpr float MORPH = 32768.0f;
constexpr float FRACTION = 16384.0f;

// A cloud of partials during one tick.
struct Cloud {
    u8 flags;
    u8 first_frame;
    u8 bus;
    u8 scale;
    u16 scatter;
    u16 detune;
    u32 seed;
    float bandwidth;
    u16 table;
    u16 frame;
    u16 snap;
    u16 smear;
    short contrast;
    u16 gate;
    short parity;
    short band_growth;
    Second second;
    float morph;
    float partials;
    float increment;
    float formant;
    float stretch;
    float inharmonicity;
    float tilt;
    float damping;
    float damping_slope;
    Filter filters[2];
    float gain_from[2];
    float gain_to[2];
    short width_from;
    short width_to;
    u32 phase;
    u32 band_clock;
};

// The layout that the engine relies on.
static_assert(sizeof(Filter) == 12, "Filter");
static_assert(sizeof(Cloud) == 128, "Cloud");
static_assert(OFFSET(Cloud, table) == 16, "Cloud.table");
static_assert(OFFSET(Cloud, morph) == 40, "Cloud.morph");
static_assert(OFFSET(Cloud, filters) == 76, "Cloud.filters");
static_assert(OFFSET(Cloud, gain_from) == 100, "Cloud.gain_from");
static_assert(OFFSET(Cloud, width_to) == 118, "Cloud.width_to");
