// A slice of a cloud: up to 256 partials, rendered by one warp through all ticks of a block.
// Twin of engine/src/render/cpu/cloud.rs.
//
// The CPU walks a cloud in groups of sixteen partials; here a warp walks in rows of 32, two
// groups side by side, and a thread keeps the same place between left and right. Per tick and
// row: evaluate the spectrum, run the bank into 32 sums in registers. Per tick: fold the sums of
// the 32 threads through shared memory, once, spread by width, apply gains, write 64 samples.
// Between ticks phases and levels wait in shared memory; device memory sees them once a block.
//
// What a group does follows the CPU exactly but for one thing: `live` counts within the slice.
// A silent group above the count, below a sounding group of a higher slice, rests a tick earlier
// than on the CPU; nobody can hear its phase.
#pragma once

#include "bank.cuh"
#include "spectrum.cuh"

constexpr u32 WARP = 32;
constexpr u32 ALL = 0xFFFFFFFFu;
// Rows of 32 partials in a slice, and slices in a cloud.
constexpr u32 ROWS = 8;
constexpr u32 SLICE = ROWS * WARP;
constexpr u32 SLICES = spectrum::MAX_PARTIALS / SLICE;
// Left and right of a tick.
constexpr u32 STEREO = 2 * TICK;
// The route of a slice that has nothing to add to a tick.
constexpr u32 NOWHERE = 0xFFFFFFFFu;
// Partials quieter than this at both ends of a tick are not rendered: -144 dB.
constexpr float INAUDIBLE = 6e-8f;

// One warp's work: a slice of the cloud in a slot. Twin of engine/src/render/cuda/upload.rs.
struct Item {
    // Where its clouds are in the upload, one a tick.
    u32 cloud;
    u32 slot;
    // The slice's number, and above it a bit for each tick in which the cloud sounds.
    u32 slice_and_ticks;
    // How often clouds had started in this slot when the block began.
    u32 generation;
};
static_assert(sizeof(Item) == 16, "Item");

// What slices remember between blocks, by slot.
struct Memory {
    // A phase and a level for every partial.
    u32* phases;
    float* levels;
    // For every slice: the generation it belongs to, and `touched | live << 8`.
    uint2* slices;
};

// A warp's share of the block's shared memory. A row of `fold` is a thread's sums; its stride
// makes both the writes (16 bytes a thread) and the reads (a column a thread) free of conflicts.
struct alignas(16) Scratch {
    static constexpr u32 STRIDE = TICK + 4;
    float fold[WARP * STRIDE];
    u32 phase[SLICE];
    float level[SLICE];
    u32 cloud[WARP];
};

// Sums over the 32 threads of a warp, for the tick's frame with the thread's number.
struct Folded {
    float middle;
    // The same weighted by where partials stand between left and right.
    float side;
};

// Where partials stand at full width, by number modulo sixteen.
DEVICE constexpr float place(u32 lane) {
    constexpr float PLACES[spectrum::LANES] = {0.0f, 0.4f,  -0.4f, 0.8f,  -0.8f, 0.6f,  -0.6f, 1.0f,
                                               -1.0f, 0.3f, -0.3f, 0.7f,  -0.7f, 0.9f, -0.9f, 0.0f};
    return PLACES[lane];
}

// 8 wide writes, 32 reads, and an addition or two a read: about 90 instructions.
DEVICE Folded fold(const float (&sum)[TICK], float* scratch, u32 lane) {
    constexpr u32 STRIDE = Scratch::STRIDE;
    UNROLL for (int t = 0; t < TICK; t += 4) {
        float4* to = reinterpret_cast<float4*>(scratch + lane * STRIDE + t);
        *to = make_float4(sum[t], sum[t + 1], sum[t + 2], sum[t + 3]);
    }
    __syncwarp();
    float middle[2] = {0.0f, 0.0f}, side[2] = {0.0f, 0.0f};
    UNROLL for (u32 i = 0; i < spectrum::LANES; ++i) {
        const float both = scratch[i * STRIDE + lane] + scratch[(i + 16) * STRIDE + lane];
        middle[i % 2] += both;
        side[i % 2] = fmaf(both, place(i), side[i % 2]);
    }
    __syncwarp();
    return {middle[0] + middle[1], side[0] + side[1]};
}

// Spreads by width, applies the ramped gains, and writes a tick that starts at `first_frame`.
DEVICE void to_stereo(const Cloud& cloud, Folded sum, float step, float* out, u32 lane) {
    const float time = __int2float_rn(int(lane));
    const auto ramp = [=](float from, float to) { return fmaf(time, (to - from) * step, from); };
    const float side = sum.side * ramp(cloud.width_from, cloud.width_to);
    const float left = (sum.middle - side) * ramp(cloud.gain_from[0], cloud.gain_to[0]);
    const float right = (sum.middle + side) * ramp(cloud.gain_from[1], cloud.gain_to[1]);
    const u32 frame = lane + cloud.first_frame;
    if (frame < TICK) {
        out[frame] = left;
        out[TICK + frame] = right;
    }
    // What the delay leaves open is silence.
    if (lane < cloud.first_frame) {
        out[lane] = 0.0f;
        out[TICK + lane] = 0.0f;
    }
}

// A slice and how far it has come.
struct Slice {
    // Its first partial, less one, and the groups of its cloud before it.
    u32 first, groups_before;
    // Groups that belong to this cloud and not to an earlier one in this slot.
    u32 touched;
    // Groups up to the last one that had a level at the end of the last tick.
    u32 live;
    // Partials sounded in the last tick.
    u32 sounded;
};

// Renders one tick of a slice. Returns whether it wrote to `out`; otherwise it is silent.
DEVICE bool render(const Cloud& cloud, const float* tables, Slice& slice, Scratch& scratch,
                   float* out, u32 lane) {
    using namespace spectrum;
    const bool starts = (cloud.flags & STARTS) != 0;
    if (starts) {
        slice.touched = 0;
        slice.live = 0;
    }
    const u32 frames = TICK - cloud.first_frame;
    const float step = 1.0f / __int2float_rn(int(frames));
    const float loudest = fmaxf(fmaxf(cloud.gain_from[0], cloud.gain_from[1]),
                                fmaxf(cloud.gain_to[0], cloud.gain_to[1]));
    const float threshold = INAUDIBLE / fmaxf(loudest, 1e-30f);
    const u32 count = u32(__float2int_rz(fmaxf(cloud.partials, 0.0f)));
    const u32 wanted_groups = min((count + LANES) / LANES, MAX_GROUPS);
    const u32 wanted = wanted_groups > slice.groups_before ? wanted_groups - slice.groups_before : 0;

    float sum[TICK];
    UNROLL for (int t = 0; t < TICK; ++t) sum[t] = 0.0f;
    u32 live = 0, processed_groups = 0, sounded = 0;
    ROLLED for (u32 row = 0; row < ROWS; ++row) {
        if (2 * row >= max(wanted, slice.live)) break;
        const u32 at = row * WARP + lane, index = slice.first + at;
        const u32 group = 2 * row + lane / LANES;
        const float frequency = spectrum::frequency(cloud, tables, index);
        // Ratios rise, so from a group above Nyquist on only old ones are left to fade.
        const float group_first = __shfl_sync(ALL, frequency, lane & LANES);
        const bool processed = group < slice.live || (group < wanted && group_first < FADE_END);
        const u32 processed_lanes = __ballot_sync(ALL, processed);
        if (processed_lanes == 0) break;
        processed_groups = 2 * row + (processed_lanes >> LANES ? 2 : 1);

        const Partial partial = evaluate(cloud, tables, index, frequency);
        const bool fresh = group >= slice.touched;
        const u32 phase = fresh ? first_phase(cloud, index) : scratch.phase[at];
        float from = starts ? partial.level : fresh ? 0.0f : scratch.level[at];
        if (processed) {
            scratch.phase[at] = phase + frames * partial.increment;
            scratch.level[at] = partial.level;
        }
        const u32 lively = __ballot_sync(ALL, processed && partial.level > 0.0f);
        if (lively) live = 2 * row + (lively >> LANES ? 2 : 1);
        const bool audible = processed && fmaxf(from, partial.level) > threshold;
        const u32 audible_lanes = __ballot_sync(ALL, audible);
        if (audible_lanes == 0) continue;
        sounded += (audible_lanes & 0xFFFFu ? LANES : 0) + (audible_lanes >> LANES ? LANES : 0);
        bank::advance(phase, partial.increment, processed ? from : 0.0f,
                      processed ? partial.level : 0.0f, step, sum);
    }
    slice.touched = max(slice.touched, processed_groups);
    slice.live = live;
    slice.sounded = min(sounded, count > slice.first ? count - slice.first : 0);
    if (sounded == 0) return false;
    to_stereo(cloud, fold(sum, scratch.fold, lane), step, out, lane);
    return true;
}
