// A slice of a cloud: 256 or 512 partials, rendered by one warp through all ticks of a block.
// Mirrors engine/src/render/cpu/cloud.rs.
//
// The CPU walks a cloud in groups of sixteen partials; here a warp walks in rows of 32, two
// groups in parallel, and a thread keeps the same pan position. Per tick, three
// steps: `evaluate_rows` goes through the rows and stores a Strand for each partial in shared
// memory; `advance` runs the bank over the strands into 32 sums in registers; `fold` adds the
// sums of the 32 threads through shared memory, once, and `to_stereo` spreads them by width,
// applies gains and writes 64 samples. Strands also keep the state of a slice between ticks;
// device memory is accessed once per block.
//
// Groups behave exactly as on the CPU with one exception: `live` counts within the slice. A silent
// group above the count, below a sounding group of a higher slice, stops a tick earlier than on the
// CPU; its phase is inaudible.
#pragma once

#include "bank.cuh"
#include "spectrum.cuh"

constexpr u32 WARP = 32;
constexpr u32 ALL = 0xFFFFFFFFu;
// Rows of 32 partials in a slice: limited by shared memory, so that a multiprocessor runs enough
// slices at once. kernels/src/cuda/kernels.rs has the same numbers.
#ifndef SLICE_ROWS
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define SLICE_ROWS 16
#else
#define SLICE_ROWS 8
#endif
#endif
constexpr u32 ROWS = SLICE_ROWS;
// Partials in a slice, and slices in a cloud.
constexpr u32 SLICE = ROWS * WARP;
constexpr u32 SLICES = spectrum::MAX_PARTIALS / SLICE;
// Groups of sixteen partials in a slice.
constexpr u32 GROUPS = SLICE / spectrum::LANES;
// Rows whose spectrum is evaluated in parallel.
constexpr int ABREAST = ROWS / 4;
// Rows of a small cloud, which are evaluated without a loop.
constexpr int FEW = 2;
// Left and right of a tick.
constexpr u32 STEREO = 2 * TICK;
// The route of a slice that is silent in a tick.
constexpr u32 NOWHERE = 0xFFFFFFFFu;

// One warp's work: a slice of the cloud in a slot. Mirrors kernels/src/cuda/upload.rs.
struct Item {
    u32 slot;
    // The slice's number, and above it a bit for each tick in which the cloud sounds.
    u32 slice_and_ticks;
    // How often clouds had started in this slot when the block began.
    u32 generation;
    // How many blocks before the first one with these items it was rendered last; zero when that was so long ago that it is
    // complete.
    u32 after;
};
static_assert(sizeof(Item) == 16, "Item");

// The state of a partial after a tick.
struct alignas(8) Rest {
    u32 phase;
    float level;
};

// A partial during a tick.
struct alignas(16) Strand {
    // At the end of the tick.
    Rest rest;
    u32 increment;
    // The level at the start.
    float from;
};

// In one access of 16 bytes.
DEVICE Strand load(const Strand* strand) {
    const uint4 words = *reinterpret_cast<const uint4*>(strand);
    return {{words.x, __int_as_float(int(words.y))}, words.z, __int_as_float(int(words.w))};
}

DEVICE void store(Strand* to, Strand strand) {
    uint4 words;
    words.x = strand.rest.phase;
    words.y = u32(__float_as_int(strand.rest.level));
    words.z = strand.increment;
    words.w = u32(__float_as_int(strand.from));
    *reinterpret_cast<uint4*>(to) = words;
}

// In one access of 8 bytes.
DEVICE Rest load_rest(const Strand* strand) {
    const uint2 words = *reinterpret_cast<const uint2*>(strand);
    return {words.x, __int_as_float(int(words.y))};
}

DEVICE void store_rest(Strand* to, u32 phase, float level) {
    *reinterpret_cast<uint2*>(to) = make_uint2(phase, u32(__float_as_int(level)));
}

// Shared memory in which 32 threads add their sums, half a tick at a time. Each thread has a row;
// the stride, and a gap before the upper sixteen, keep writes (16 bytes per thread) and reads (two
// columns at a time) free of bank conflicts.
struct alignas(16) FoldSpace {
    static constexpr u32 STRIDE = TICK / 2 + 4, GAP = 16;
    float words[WARP * STRIDE + GAP];
    DEVICE_METHOD static u32 row(u32 thread) { return thread * STRIDE + (thread / 16) * GAP; }
};

// The part of the block's shared memory that a warp uses.
struct alignas(16) Scratch {
    FoldSpace fold;
    Strand strands[SLICE];
    u32 cloud[WARP];
};

// Sums over the 32 threads of a warp, for the tick's frame with the thread's number.
struct Folded {
    float middle;
    // The same, weighted by the pan positions of the partials.
    float side;
};

// Pan positions of partials at full width, by number modulo sixteen.
DEVICE constexpr float place(u32 lane) {
    constexpr float PLACES[spectrum::LANES] = {0.0f, 0.4f,  -0.4f, 0.8f,  -0.8f, 0.6f,  -0.6f, 1.0f,
                                               -1.0f, 0.3f, -0.3f, 0.7f,  -0.7f, 0.9f, -0.9f, 0.0f};
    return PLACES[lane];
}

// Twice 4 wide writes, 16 reads and one or two operations per read, then one exchange: about 100
// instructions, 140 when Wide. Without Wide the side is zero.
template <bool Wide>
DEVICE Folded fold(const float (&sum)[TICK], FoldSpace& space, u32 lane) {
    constexpr u32 LANES = spectrum::LANES, HALF = TICK / 2;
    const u32 upper = lane / LANES, column = lane % LANES;
    Folded halves[2];
    UNROLL for (u32 half = 0; half < 2; ++half) {
        UNROLL for (u32 t = 0; t < HALF; t += 4) {
            const float* from = sum + half * HALF + t;
            float4* to = reinterpret_cast<float4*>(space.words + FoldSpace::row(lane) + t);
            *to = make_float4(from[0], from[1], from[2], from[3]);
        }
        __syncwarp();
        // Sixteen threads sum the lower rows, sixteen the upper ones.
        const float* rows = space.words + FoldSpace::row(upper * LANES) + column;
        float middle[2] = {0.0f, 0.0f}, side[2] = {0.0f, 0.0f};
        UNROLL for (u32 i = 0; i < LANES; ++i) {
            const float x = rows[i * FoldSpace::STRIDE];
            middle[i % 2] += x;
            if (Wide && place(i) != 0.0f) side[i % 2] = fmaf(x, place(i), side[i % 2]);
        }
        halves[half] = {middle[0] + middle[1], side[0] + side[1]};
        __syncwarp();
    }
    // A thread keeps the half that has its own frame and adds the other rows' sum of that frame.
    const Folded own = upper ? halves[1] : halves[0], other = upper ? halves[0] : halves[1];
    const float middle = own.middle + __shfl_sync(ALL, other.middle, lane ^ LANES);
    return {middle, Wide ? own.side + __shfl_sync(ALL, other.side, lane ^ LANES) : 0.0f};
}

// Spreads by width, applies the ramped gains, and writes a tick that starts at `first_frame`.
DEVICE void to_stereo(const Cloud& cloud, Folded sum, float step, float* out, u32 lane) {
    const float time = __int2float_rn(int(lane));
    const auto ramp = [=](float from, float to) { return fmaf(time, (to - from) * step, from); };
    const float width = ramp(math::of_fraction(cloud.width_from), math::of_fraction(cloud.width_to));
    const float side = sum.side * (cloud.first_frame & MIRRORS ? -width : width);
    const float left = (sum.middle - side) * ramp(cloud.gain_from[0], cloud.gain_to[0]);
    const float right = (sum.middle + side) * ramp(cloud.gain_from[1], cloud.gain_to[1]);
    const u32 first = first_frame(cloud), frame = lane + first;
    if (frame < TICK) {
        out[frame] = left;
        out[TICK + frame] = right;
    }
    // The frames before the start are silent.
    if (lane < first) {
        out[lane] = 0.0f;
        out[TICK + lane] = 0.0f;
    }
}

// A slice and its state.
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

// Values of a cloud for one tick.
struct Tick {
    bool starts;
    // Frames from the cloud's start to the tick's end.
    u32 frames;
    // One over that.
    float step;
    // The cloud's partials, and the groups of the slice that they fill.
    u32 count, wanted;
    // Levels below this at both ends are inaudible.
    float threshold;
};

template <bool Rich> DEVICE Tick tick_of(const Cloud& cloud, const Slice& slice) {
    using namespace spectrum;
    const u32 count = Rich ? count_of(cloud) : cloud.prepared.count;
    const u32 groups = Rich ? groups_of(count) : cloud.prepared.groups;
    const u32 frames = TICK - first_frame(cloud);
    return {
        (cloud.flags & STARTS) != 0,
        frames,
        Rich ? step_of(cloud) : cloud.prepared.step,
        count,
        groups > slice.groups_before ? groups - slice.groups_before : 0,
        Rich ? threshold_of(cloud.gain_from, cloud.gain_to) : cloud.threshold,
    };
}

// The bits that any thread of the warp has.
DEVICE u32 any_bits(u32 bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_or_sync(ALL, bits);
#else
    const u32 lane = threadIdx.x % WARP;
    UNROLL for (u32 distance = WARP / 2; distance > 0; distance /= 2) {
        bits |= __shfl_sync(ALL, bits, lane ^ distance);
    }
    return bits;
#endif
}

// Per thread, two bits per row: whether its partial has a level, and whether it is audible.
struct Marks {
    static constexpr u32 AUDIBLE = ROWS;
    u32 bits;

    DEVICE_METHOD void set(bool mark, u32 row) {
        if (mark) bits |= 1u << row;
    }
    // The marks of all threads of the lower or the upper group of every row.
    DEVICE_METHOD Marks of_group(u32 upper, u32 lane) const {
        return {any_bits(lane / spectrum::LANES == upper ? bits : 0)};
    }
    DEVICE_METHOD u32 rows(u32 which) const { return bits >> which & ((1u << ROWS) - 1); }
    DEVICE_METHOD bool is_set(u32 row) const { return bits >> row & 1; }
};
static_assert(2 * ROWS <= 32, "marks fit into a word");

// Groups up to the last one marked, given the marks of both groups of every row.
DEVICE u32 groups_up_to(u32 lower, u32 upper) {
    return max(2 * (32 - __clz(int(lower))) - (lower ? 1 : 0), 2 * (32 - __clz(int(upper))));
}

// What the marks of all threads say.
struct Marked {
    // Groups up to the last one that has a level.
    u32 live;
    // A bit for every row that is audible, and how many groups are.
    u32 audible_rows, audible_groups;
};

DEVICE Marked marked_rows(Marks own, u32 lane) {
    const Marks lower = own.of_group(0, lane), upper = own.of_group(1, lane);
    const u32 lower_heard = lower.rows(Marks::AUDIBLE), upper_heard = upper.rows(Marks::AUDIBLE);
    return {groups_up_to(lower.rows(0), upper.rows(0)), lower_heard | upper_heard,
            u32(__popc(lower_heard) + __popc(upper_heard))};
}

// The same for FEW rows, by votes.
DEVICE Marked marked_few(Marks own) {
    constexpr u32 LOWER = (1u << spectrum::LANES) - 1;
    Marked marked = {0, 0, 0};
    EACH(i, FEW) {
        const u32 live = __ballot_sync(ALL, own.is_set(i));
        if (live != 0) marked.live = 2 * i + (live > LOWER ? 2 : 1);
        const u32 audible = __ballot_sync(ALL, own.is_set(i + Marks::AUDIBLE));
        const u32 lower = min(audible & LOWER, 1u), upper = min(audible & ~LOWER, 1u);
        marked.audible_rows |= (lower | upper) << i;
        marked.audible_groups += lower + upper;
    }
    return marked;
}

// Groups of a slice, counted from its first.
struct Reach {
    // Groups to process: those that still have a level, and those within the count that start
    // below Nyquist.
    u32 processed;
    // Groups so far below Nyquist that none of their partials fades.
    u32 clear;
};

// The number of the lowest bit that is set.
DEVICE u32 lowest(u32 bits) { return u32(__clz(int(__brev(bits)))); }

// How many leading bits are set, counted from the lowest.
DEVICE u32 leading(u32 bits) { return lowest(~bits); }

// Ratios rise, so both are leading groups; a thread tests one group.
template <bool Bent, bool Rich>
DEVICE Reach reach(const Cloud& cloud, const Tick& tick, const float* tables, const Slice& slice,
                   u32 lane) {
    using namespace spectrum;
    const u32 group = lane % GROUPS;
    float first[1];
    const u32 index = slice.first + group * LANES;
    frequencies<Bent, Rich>(cloud, tables, ratios_of<Rich, 1>(cloud, tables, index), index, first);
    const u32 below = __ballot_sync(ALL, group < tick.wanted && first[0] < FADE_END);
    const u32 clear = __ballot_sync(ALL, first[0] < FADE_START);
    // A group ends below where the next one starts.
    return {max(slice.live, min(leading(below), GROUPS)),
            max(min(leading(clear), GROUPS), 1u) - 1};
}

// The same for a slice of FEW rows, from the pitches of all of its partials.
DEVICE Reach reach_of_few(const Tick& tick, const Slice& slice, const float (&frequency)[FEW]) {
    using namespace spectrum;
    // Small clouds are mostly far below Nyquist.
    bool is_clear = true;
    EACH(i, FEW) is_clear &= frequency[i] < FADE_START;
    if (__ballot_sync(ALL, is_clear) == ALL) return {max(slice.live, tick.wanted), 2 * FEW};
    // Groups of a row whose first partial is marked.
    const auto firsts = [](u32 row) { return (row & 1) | (row >> LANES & 1) << 1; };
    u32 below = 0, clear = 0;
    EACH(i, FEW) {
        below |= firsts(__ballot_sync(ALL, frequency[i] < FADE_END)) << 2 * i;
        clear |= firsts(__ballot_sync(ALL, frequency[i] < FADE_START)) << 2 * i;
    }
    return {max(slice.live, min(leading(below), tick.wanted)), max(leading(clear), 1u) - 1};
}

// Evaluates N rows from `row` on, whose ratios and pitches are given, without the fade towards Nyquist.
template <bool Rich, int N>
DEVICE void evaluate_some(const Cloud& cloud, const Tick& tick, const float* tables,
                          const Slice& slice, const Poles& poles,
                          const spectrum::Ratios<N>& ratios, u32 row, float (&frequency)[N],
                          spectrum::Partial (&partial)[N], u32 lane) {
    using namespace spectrum;
    const u32 index = slice.first + row * WARP + lane;
    float share[N];
    if (Rich) wander(cloud, tables, ratios, index, frequency, share);
    const bool ends = tick.count < slice.first + (row + N) * WARP;
    evaluate<Rich>(cloud, tables, ratios, poles, index, ends, frequency, partial);
    if (Rich) EACH(i, N) partial[i].level *= share[i];
    if (Rich && cloud.gate != 0) {
        const float threshold = dynamics::part_of(cloud.gate);
        EACH(i, N) partial[i].level = dynamics::gated(threshold, partial[i].level);
    }
}

// Fades N rows that are evaluated, from `row` on, and advances phases and levels. Returns marks of these rows, the first one's
// in the lowest bits.
template <bool Rich, int N>
DEVICE Marks advance_some(const Cloud& cloud, const Tick& tick, const float* tables,
                          const Slice& slice, Reach reached, u32 row, const float (&frequency)[N],
                          spectrum::Partial (&partial)[N], Strand* strands, u32 lane) {
    using namespace spectrum;
    const u32 first = row * WARP + lane, index = slice.first + first;
    const u32 groups = reached.processed, groups_end = 2 * (row + N);
    if (Rich || min(groups_end, groups) > reached.clear) fade(frequency, partial);
    // The state after the last tick.
    Rest last[N];
    EACH(i, N) last[i] = load_rest(strands + first + i * WARP);
    if (tick.starts || groups > slice.touched) {
        EACH(i, N) {
            const u32 group = 2 * (row + i) + lane / LANES;
            if (group >= slice.touched && group < groups) {
                last[i] = {first_phase<Rich>(cloud, tables, index + i * WARP), 0.0f};
            }
            if (tick.starts) last[i].level = partial[i].level;
        }
    }
    if (groups_end > groups) {
        EACH(i, N) {
            // A group that is not processed stays silent.
            if (2 * (row + i) + lane / LANES >= groups) {
                partial[i] = {0, 0.0f};
                last[i].level = 0.0f;
            }
        }
    }
    if (Rich && cloud.smear != 0 && !tick.starts) {
        EACH(i, N) {
            partial[i].level = dynamics::smeared(cloud.smear, last[i].level, partial[i].level,
                                                 nyquist_fade(frequency[i]));
        }
    }
    Marks marks = {0};
    EACH(i, N) {
        const float from = last[i].level, level = partial[i].level;
        const u32 phase = last[i].phase + tick.frames * partial[i].increment;
        store(strands + first + i * WARP, {{phase, level}, partial[i].increment, from});
        marks.set(level > 0.0f, i);
        marks.set(fmaxf(from, level) > tick.threshold, i + Marks::AUDIBLE);
    }
    return marks;
}

// Evaluates the spectrum row by row, and advances phases and levels. Returns a bit for every audible
// row. Without Rich the cloud uses none of the features that `is_rich` tests.
template <bool Bent, bool Rich>
DEVICE u32 evaluate_rows(const Cloud& cloud, const Tick& tick, const float* tables, Slice& slice,
                         Strand* strands, u32 lane) {
    using namespace spectrum;
    const Poles poles = Rich ? filter::poles_of(cloud.filters[0]) : cloud.poles;
    Marked marked;
    Reach reached;
    if (!Rich && max(slice.live, tick.wanted) <= 2 * FEW) {
        const auto ratios = ratios_of<Rich, FEW>(cloud, tables, slice.first + lane);
        float frequency[FEW];
        frequencies<Bent, Rich>(cloud, tables, ratios, slice.first + lane, frequency);
        Partial partial[FEW];
        evaluate_some<Rich>(cloud, tick, tables, slice, poles, ratios, 0, frequency, partial, lane);
        reached = reach_of_few(tick, slice, frequency);
        marked = marked_few(advance_some<Rich>(cloud, tick, tables, slice, reached, 0, frequency,
                                               partial, strands, lane));
    } else {
        Marks own = {0};
        reached = reach<Bent, Rich>(cloud, tick, tables, slice, lane);
        ROLLED for (u32 row = 0; 2 * row < reached.processed; row += ABREAST) {
            const u32 index = slice.first + row * WARP + lane;
            const auto ratios = ratios_of<Rich, ABREAST>(cloud, tables, index);
            float frequency[ABREAST];
            frequencies<Bent, Rich>(cloud, tables, ratios, index, frequency);
            Partial partial[ABREAST];
            evaluate_some<Rich>(cloud, tick, tables, slice, poles, ratios, row, frequency, partial,
                                lane);
            own.bits |= advance_some<Rich>(cloud, tick, tables, slice, reached, row, frequency,
                                           partial, strands, lane).bits << row;
        }
        marked = marked_rows(own, lane);
    }
    slice.touched = max(slice.touched, reached.processed);
    slice.live = marked.live;
    const u32 count = tick.count > slice.first ? tick.count - slice.first : 0;
    slice.sounded = min(LANES * marked.audible_groups, count);
    return marked.audible_rows;
}

// Renders one tick of a slice. Returns whether it wrote to `out`; otherwise it is silent.
DEVICE bool render(const Cloud& shared, const float* tables, Slice& slice, Scratch& scratch,
                   float* out, u32 lane) {
    Tick tick;
    u32 rows;
    if (shared.flags & STARTS) {
        slice.touched = 0;
        slice.live = 0;
    }
    Strand* strands = scratch.strands;
    if (shared.first_frame & RICH) {
        tick = tick_of<true>(shared, slice);
        rows = evaluate_rows<true, true>(shared, tick, tables, slice, strands, lane);
    } else {
        // A cloud that is not rich is kept in registers; a rich one does not fit there.
        const Cloud cloud = shared;
        tick = tick_of<false>(cloud, slice);
        rows = cloud.flags & BENT
                   ? evaluate_rows<true, false>(cloud, tick, tables, slice, strands, lane)
                   : evaluate_rows<false, false>(cloud, tick, tables, slice, strands, lane);
    }
    if (rows == 0) return false;

    float sum[TICK];
    UNROLL for (int t = 0; t < TICK; ++t) sum[t] = 0.0f;
    // From the tick's end back to its middle; phases wrap.
    const u32 back = bank::MIDDLE - tick.frames;
    const Strand* own = strands + lane;
    ROLLED for (; rows != 0; rows >>= 2, own += 2 * WARP) {
        EACH(i, 2) {
            if ((rows >> i & 1) == 0) continue;
            const Strand strand = load(own + i * WARP);
            bank::advance(strand.rest.phase + back * strand.increment, strand.increment,
                          bank::recurrence(strand.increment), strand.from,
                          (strand.rest.level - strand.from) * tick.step, sum);
        }
    }
    const Folded folded = shared.first_frame & WIDE ? fold<true>(sum, scratch.fold, lane)
                               : fold<false>(sum, scratch.fold, lane);
    to_stereo(shared, folded, tick.step, out, lane);
    return true;
}
