// The description of one cloud for one tick. Mirrors engine/src/spectrum/cloud.rs,
// where the fields are explained.
#pragma once

#include "host.h"

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef unsigned long long u64;

// Frames of a tick.
constexpr int TICK = 32;

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

// The coefficients of a filter with poles.
struct Poles {
    float inverse_cutoff;
    // Two or four of them; none for an open filter.
    u32 count;
    float inverse_q2;
    float pass[3];
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

// Values of a cloud that are the same for all its partials.
struct Prepared {
    // One over the frames from the cloud's start to the tick's end.
    float step;
    // Partials, and the groups that they fill.
    u16 count;
    u16 groups;
};

// A cloud of partials during one tick. Up to the widths it is what all unison copies of a voice share (a
// description), then come the values of the copy. A cloud that is not rich has prepared values in the place of rare
// features.
struct Cloud {
    u8 flags;
    u8 first_frame;
    u8 bus;
    u8 scale;
    u16 scatter;
    u16 detune;
    float bandwidth;
    u16 table;
    u16 frame;
    u16 snap;
    u16 smear;
    short contrast;
    u16 gate;
    short parity;
    short band_growth;
    union {
        Second second;
        Prepared prepared;
    };
    float morph;
    float partials;
    float formant;
    float stretch;
    float inharmonicity;
    float tilt;
    float damping;
    float damping_slope;
    union {
        Filter filters[2];
        Poles poles;
    };
    short width_from;
    short width_to;
    u32 seed;
    float increment;
    float gain_from[2];
    float gain_to[2];
    u32 phase;
    union {
        u32 band_clock;
        // Levels below this are inaudible.
        float threshold;
    };
};

// Words of a cloud, of its description, and of a unison copy: the index of its description, then the
// rest of the cloud.
constexpr u32 CLOUD_WORDS = sizeof(Cloud) / 4;
constexpr u32 DESCRIPTION_WORDS = 24;
constexpr u32 COPY_WORDS = 1 + CLOUD_WORDS - DESCRIPTION_WORDS;
// A bit of that index: the signs of both widths are changed.
constexpr u32 MIRRORED = 0x80000000;

// What is found out about a cloud on the GPU is above the bits of its first frame. The cloud uses a rare feature; a width is
// not zero; the signs of both widths are changed.
constexpr u32 RICH = 0x20;
constexpr u32 WIDE = 0x40;
constexpr u32 MIRRORS = 0x80;
DEVICE u32 first_frame(const Cloud& cloud) { return cloud.first_frame % TICK; }
// And in the flags of a cloud that is not rich, in the place of its contrast: its ratios are not those of its table; its levels
// are not, because of parity, tilt or damping; it has an invalid row or bus, and is silent.
constexpr u32 BENT = 8;
constexpr u32 SHAPED = 16;
constexpr u32 INVALID = 32;

// The layout that the engine relies on.
static_assert(sizeof(Filter) == 12, "Filter");
static_assert(sizeof(Prepared) == sizeof(Second), "Prepared");
static_assert(sizeof(Poles) == 2 * sizeof(Filter), "Poles");
static_assert(sizeof(Cloud) == 128, "Cloud");
static_assert(OFFSET(Cloud, table) == 12, "Cloud.table");
static_assert(OFFSET(Cloud, morph) == 36, "Cloud.morph");
static_assert(OFFSET(Cloud, filters) == 68, "Cloud.filters");
static_assert(OFFSET(Cloud, width_from) == 4 * DESCRIPTION_WORDS - 4, "Cloud.width_from");
static_assert(OFFSET(Cloud, seed) == 4 * DESCRIPTION_WORDS, "Cloud.seed");
