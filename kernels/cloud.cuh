// What a renderer is told about one cloud for one tick. Twin of engine/src/spectrum/cloud.rs,
// where the fields are explained.
#pragma once

#include "host.h"

typedef unsigned int u32;
typedef unsigned short u16;

// The cloud starts in this tick: phases are set, and levels start where they are.
constexpr u32 STARTS = 1;
// The cloud's table is one of tracks, whose rows are in another order.
constexpr u32 TRACKS = 2;

// Coefficients of the spectral filter's magnitude.
struct Filter {
    u32 poles;
    float inverse_cutoff;
    float inverse_q2;
    float pass[3];
};

// A cloud of partials during one tick.
struct Cloud {
    u16 flags;
    u16 first_frame;
    u16 bus;
    u16 scatter;
    u32 seed;
    float bandwidth;
    float band_growth;
    u32 table;
    u32 frame;
    float morph;
    float partials;
    float increment;
    float formant;
    float stretch;
    float inharmonicity;
    float odd;
    float even;
    float tilt;
    float damping;
    float damping_slope;
    Filter filter;
    float gain_from[2];
    float gain_to[2];
    float width_from;
    float width_to;
    u32 phase;
    u32 band_clock;
};

// The layout that the engine relies on.
static_assert(sizeof(Filter) == 24, "Filter");
static_assert(sizeof(Cloud) == 128, "Cloud");
static_assert(OFFSET(Cloud, table) == 20, "Cloud.table");
static_assert(OFFSET(Cloud, partials) == 32, "Cloud.partials");
static_assert(OFFSET(Cloud, filter) == 72, "Cloud.filter");
static_assert(OFFSET(Cloud, gain_from) == 96, "Cloud.gain_from");
static_assert(OFFSET(Cloud, width_to) == 116, "Cloud.width_to");
