// The kernels: thin entry points over the templates and functions in the other files.
#include "slice.cuh"
#include "unison.cuh"

// Warps of a block. They are independent of each other.
constexpr u32 WARPS = 2;
// Blocks that a multiprocessor should hold, which limits the registers of a thread.
constexpr u32 BLOCKS = ROWS == 16 ? 10 : 14;

// The start of an upload. The items follow, then ends and tiles (see `mix`).
struct Header {
    u32 items;
    // The index of the first item among all items of the block.
    u32 first_item;
    // The offset of the items from the header, in bytes.
    u32 items_at;
    // The block's number, which the host waits for.
    u32 block;
    // The offsets of ends and tiles from the header, in words, and the number of tiles.
    u32 ends_at;
    u32 tiles_at;
    u32 tiles;
    // The number of the first block with these items.
    u32 first_block;
};
static_assert(sizeof(Header) == 32, "Header");

// Buses of one client, which a block of the mix sums in parallel.
struct Tile {
    // The index of the end of its first group, and the number of its groups.
    u32 ends;
    u32 groups;
    u32 first_item;
    // Its first bus as clouds count them, how many there are, and the first one among all buses.
    u32 first_bus;
    u32 buses;
    u32 bus;
    // Where its sums are.
    u32 sums;
    u32 unused;
};
static_assert(sizeof(Tile) == 32, "Tile");

// Threads of a block of `fetch`, and the voices that they make clouds of.
constexpr u32 FETCH_THREADS = 256;
constexpr u32 FETCH_VOICES = FETCH_THREADS / WARP;
// The most ticks of a block.
constexpr u32 MAX_TICKS = 8;
// Pairs of words of a voice in one tick.
constexpr u32 VOICE_PAIRS = VOICE_WORDS / 2;

// A voice to fetch is two words: where it is in the block's memory; its first slot, and from this bit on one for each
// tick that has it.
constexpr u32 TICKS_SHIFT = 24;

// Copies a block from the host's pinned memory: the upload, and the voices that are listed. Makes the clouds of the
// voices: `descriptions[tick][number of the voice]`, which are prepared for rendering, and `copies[tick][slot]`. Voices are numbered from `first_voice` on.
// Grid: blocks that copy the upload, then one for each eight voices of the list, whose rest is filled with voices of
// no tick.
//
// A thread copies 8 bytes, so a warp requests whole cache lines. Limit: the bus (192 bytes per voice and tick), and
// half of its bandwidth when the lines are still in a core's cache, which is why the host writes blocks past the
// cache. Wider loads, more loads in flight, bulk copies and larger pages are no faster; the copy
// engine starts later.
extern "C" __global__ void __launch_bounds__(FETCH_THREADS, 8)
fetch(const uint2* upload_from, uint2* upload, u32 upload_pairs, const uint2* list,
      u32 first_voice, u32 listed_voices, const uint2* voices, u32* descriptions, u32* copies,
      u32 slots, u32 table_rows, u32 ticks, u32 buses) {
    __shared__ uint2 fetched[FETCH_VOICES][MAX_TICKS * VOICE_PAIRS];
    const u32 upload_blocks = (upload_pairs + FETCH_THREADS - 1) / FETCH_THREADS;
    if (blockIdx.x < upload_blocks) {
        const u32 at = blockIdx.x * FETCH_THREADS + threadIdx.x;
        if (at < upload_pairs) upload[at] = upload_from[at];
        return;
    }
    const u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const u32 listed = (blockIdx.x - upload_blocks) * FETCH_VOICES + warp;
    const u32 number = first_voice + listed;
    if (listed >= listed_voices || number >= slots) return;
    const uint2 entry = list[listed];
    const u32 slot = entry.y % (1u << TICKS_SHIFT), sounding = entry.y >> TICKS_SHIFT;
    if (sounding == 0) return;

    // All loads before the first store.
    constexpr int LOADS = (MAX_TICKS * VOICE_PAIRS + WARP - 1) / WARP;
    const u32 pairs = min(ticks, MAX_TICKS) * VOICE_PAIRS;
    const uint2* from = voices + entry.x * size_t(MAX_TICKS * VOICE_PAIRS);
    uint2 loaded[LOADS];
    EACH(i, LOADS) {
        const u32 at = i * WARP + lane;
        if (at < pairs) loaded[i] = from[at];
    }
    EACH(i, LOADS) {
        const u32 at = i * WARP + lane;
        if (at >= pairs) continue;
        fetched[warp][at] = loaded[i];
    }
    __syncwarp();
    if (lane < ticks) {
        Cloud& cloud = *reinterpret_cast<Cloud*>(&fetched[warp][lane * VOICE_PAIRS]);
        spectrum::prepare(cloud, table_rows, buses);
    }
    __syncwarp();
    constexpr u32 DESCRIPTION_PAIRS = DESCRIPTION_WORDS / 2;
    for (u32 at = lane; at < ticks * DESCRIPTION_PAIRS; at += WARP) {
        const u32 tick = at / DESCRIPTION_PAIRS, pair = at % DESCRIPTION_PAIRS;
        const size_t place = (tick * size_t(slots) + number) * DESCRIPTION_WORDS;
        reinterpret_cast<uint2*>(descriptions + place)[pair] = fetched[warp][tick * VOICE_PAIRS + pair];
    }
    // Half of the warp makes the copies of even ticks, the other half those of odd ones.
    const u32 copy = lane % unison::MAX_COPIES;
    for (u32 tick = lane / unison::MAX_COPIES; tick < ticks; tick += WARP / unison::MAX_COPIES) {
        const uint2* words = &fetched[warp][tick * VOICE_PAIRS + DESCRIPTION_WORDS / 2];
        const Unison& voice = *reinterpret_cast<const Unison*>(words);
        const bool is_one = copy < unison::copies_of(voice) && slot + copy < slots;
        if (!is_one || (sounding >> tick & 1) == 0) continue;
        UnisonCopy own = unison::copy_of(voice, copy, number);
        const u32 first_word = fetched[warp][tick * VOICE_PAIRS].x;
        if ((first_word & RICH << 8) == 0) own.threshold = spectrum::threshold_of(own.gain_from, own.gain_to);
        u32* place = copies + (tick * size_t(slots) + slot + copy) * COPY_WORDS;
        *reinterpret_cast<UnisonCopy*>(place) = own;
    }
}

// Waits until an item is rendered in block `number`, perhaps by a kernel that still runs. What it has written is then visible
// to loads that bypass the first cache.
DEVICE void wait_for(const volatile u32* last_block, u32 number) {
    while (*last_block != number) PAUSE();
    __threadfence();
}

// Renders an item of an upload; see `render_clouds`.
DEVICE void render_item(const Header& upload, u32 number, const u32* descriptions, const u32* copies,
                        u32 slots, const float* tables, u32* phases, float* levels,
                        uint2* slices, u32* last_blocks, float* samples, u32* routes, u32* sounded,
                        u32 ticks, Scratch& scratch, u32 lane) {
    const char* base = reinterpret_cast<const char*>(&upload);
    const uint4 words = reinterpret_cast<const uint4*>(base + upload.items_at)[number];
    const Item item = {words.x, words.y, words.z, words.w};
    const u32 which = item.slice_and_ticks % SLICES, sounding = item.slice_and_ticks / SLICES;

    const u32 known = item.slot * SLICES + which;
    const u32 after = upload.block == upload.first_block ? item.after : 1;
    if (after) wait_for(last_blocks + known, upload.block - after);
    const uint2 memory = __ldcg(slices + known);
    Slice slice = {which * SLICE, which * (SLICE / spectrum::LANES), 0, 0, 0};
    u32 generation = item.generation;
    if (memory.x == generation) {
        slice.touched = memory.y & 0xFF;
        slice.live = memory.y >> 8;
    }
    phases += item.slot * size_t(spectrum::MAX_PARTIALS) + slice.first;
    levels += item.slot * size_t(spectrum::MAX_PARTIALS) + slice.first;
    // Four rows at once: rows past `touched` are read and written without effect.
    phases += lane;
    levels += lane;
    Strand* strands = scratch.strands + lane;
    ROLLED for (u32 row = 0; 2 * row < slice.touched; row += 4) {
        const u32 first = row * WARP;
        u32 phase[4];
        float level[4];
        EACH(i, 4) phase[i] = __ldcg(phases + first + i * WARP);
        EACH(i, 4) level[i] = __ldcg(levels + first + i * WARP);
        EACH(i, 4) store_rest(strands + first + i * WARP, phase[i], level[i]);
    }

    static_assert(CLOUD_WORDS == WARP, "each thread loads a word of the cloud");
    const u32 place = upload.first_item + number;
    // A thread loads one word of every tick, which is in the description or in the copy. Its address is computed without a
    // branch.
    const bool is_described = lane < DESCRIPTION_WORDS;
    const u32* source = is_described ? descriptions : copies;
    const u32 first_copy = item.slot * COPY_WORDS, next_copy = slots * COPY_WORDS;
    // The first frame is in the first word.
    const u32 mirrors = lane == 0 ? MIRRORS << 8 : 0;
    // Each thread knows where the description of the tick of its number is, and whether the copy mirrors.
    const u32 described = lane < ticks ? copies[first_copy + lane * next_copy] : 0;
    const u32 index = lane * slots + min(described & ~MIRRORED, slots - 1);
    const u32 own_place = index * DESCRIPTION_WORDS | (described & MIRRORED);
    const auto load_word = [&](u32 tick) {
        const u32 of_tick = __shfl_sync(ALL, own_place, tick);
        const u32 own_word = first_copy + tick * next_copy + 1 - DESCRIPTION_WORDS;
        const u32 found = source[(is_described ? of_tick & ~MIRRORED : own_word) + lane];
        return found | (of_tick / (MIRRORED / MIRRORS >> 8) & mirrors);
    };
    u32 next = load_word(0);
    u32 sounding_partials = 0;
    // Each thread keeps the route of the tick of its number.
    u32 own_route = NOWHERE;
    float* out = samples + place * size_t(ticks) * STEREO;
    ROLLED for (u32 tick = 0; tick < ticks; ++tick, out += STEREO) {
        __syncwarp();
        scratch.cloud[lane] = next;
        __syncwarp();
        if (tick + 1 < ticks) next = load_word(tick + 1);
        const Cloud& cloud = *reinterpret_cast<const Cloud*>(scratch.cloud);
        const bool is_valid = cloud.first_frame & RICH || (cloud.flags & INVALID) == 0;
        if ((sounding >> tick & 1) == 0 || !is_valid) continue;
        generation += cloud.flags & STARTS;
        const bool is_heard = render(cloud, tables, slice, scratch, out, lane);
        if (is_heard && lane == tick) own_route = cloud.bus;
        sounding_partials = slice.sounded;
    }
    if (lane < ticks) routes[place * ticks + lane] = own_route;

    ROLLED for (u32 row = 0; 2 * row < slice.touched; row += 4) {
        const u32 first = row * WARP;
        EACH(i, 4) {
            const Rest rest = load_rest(strands + first + i * WARP);
            phases[first + i * WARP] = rest.phase;
            levels[first + i * WARP] = rest.level;
        }
    }
    if (lane == 0) slices[known] = make_uint2(generation, slice.touched | slice.live << 8);
    // The state must be visible before its number is.
    __threadfence();
    __syncwarp();
    if (lane == 0) {
        last_blocks[known] = upload.block;
        if (sounding_partials) atomicAdd(sounded, sounding_partials);
    }
}

// Renders every item of an upload: a slice of a cloud through `ticks` ticks, a warp each.
//
// Without `taken`, each warp of the grid has the item of its number. Otherwise warps take items in order until none is
// left, and `taken` counts these. Then the grid may be small, and three blocks may be rendered at the same time: an item that
// was in one of the two before begins when it is rendered there, which `last_blocks[slot][slice]` tells. Grids that wait must
// leave room for the one that they wait for; see turn.rs.
//
// Reads the upload (16 bytes per item), its unison copy in `copies[tick][slot]` (36 bytes per tick), the
// copy's description in `descriptions[tick]` (96 bytes), and tables (through the caches). Reads and writes 8
// bytes of state per partial, once. Writes 256 bytes per item and tick to `samples[item][tick][side][frame]`, and their bus to
// `routes[item][tick]`.
// Limit: the FP32 issue rate. A partial takes 156 instructions per tick for the bank, 25 to 100 for
// its spectrum, and about 30 for the work done once per tick or block.
extern "C" __global__ void __launch_bounds__(WARPS * WARP, BLOCKS)
render_clouds(const Header* upload, const u32* descriptions, const u32* copies, u32 slots,
              const float* tables, u32* phases, float* levels, uint2* slices,
              u32* last_blocks, float* samples, u32* routes, u32* sounded, u32* taken, u32 ticks) {
    __shared__ Scratch scratches[WARPS];
    const u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    Scratch& scratch = scratches[warp];
    u32 number = blockIdx.x * WARPS + warp;
    ROLLED for (;;) {
        if (taken) number = __shfl_sync(ALL, lane == 0 ? atomicAdd(taken, 1u) : 0u, 0);
        if (number >= upload->items) return;
        render_item(*upload, number, descriptions, copies, slots, tables, phases, levels, slices,
                    last_blocks, samples, routes, sounded, ticks, scratch, lane);
        if (!taken) return;
    }
}

// Thread groups of a block of the mix (each sums the items of 16 slots), blocks of a stage, and
// buses that a block sums in parallel.
constexpr u32 MIX_GROUPS = 4;
constexpr u32 MIX_STAGE = 16;
constexpr u32 MIX_BUSES = 16;
// Buses of which a group sums the stages.
constexpr u32 MIX_OWN_BUSES = MIX_BUSES / MIX_GROUPS;

// The output of a mix in the host's memory: this header, then `[tick][bus][side][frame]`.
struct Mixed {
    // The number of the last complete block, and in the upper half the partials it sounded: one
    // write, so that no fence is needed between the two.
    volatile unsigned long long done;
    u32 unused[14];
};

// Sums rows of samples into buses, of which a thread has one sample. Rows that follow each other mostly have the same bus.
struct BusSums {
    // The thread's column of the buses that have been summed.
    float (*sums)[STEREO];
    u32 thread;
    // A bit for each of these.
    u32 present;
    u32 bus;
    float sum;

    DEVICE_METHOD void add(u32 to, float sample) {
        if (to != bus) {
            finish();
            bus = to;
            sum = present >> to & 1 ? sums[to][thread] : 0.0f;
        }
        sum += sample;
    }
    DEVICE_METHOD void finish() {
        if (bus >= MIX_BUSES) return;
        sums[bus][thread] = sum;
        present |= 1u << bus;
    }
};

// Sums the items into buses, in an order that depends on the client's slots alone: items of 16 slots
// one after the other, four such sums per block, sixteen blocks per stage, stages one after the
// other. So the sum does not depend on other clouds or clients, nor on how ticks are cut into blocks.
//
// `ends[tile.ends + group]` is the number of the first item after the group's. Grid: blocks of 64
// slots, ticks, tiles. The last block of a tick and tile sums what all its blocks have written; the
// last of these notifies the host. `arrivals` holds a counter for each tick and tile, after one for all.
//
// Reads 256 bytes per item and tick, once per 16 buses. Blocks mostly have one bus, and leave out the others. Limit: memory
// bandwidth when there are many items, latency (some dependent reads and one atomic counter) when there are few.
extern "C" __global__ void __launch_bounds__(MIX_GROUPS * STEREO, 4)
mix(const Header* upload, const float* samples, const u32* routes, float* sums, u32* arrivals,
    u32* sounded, u32* taken, Mixed* mixed, u32 ticks, u32 buses) {
    __shared__ float bus_sums[MIX_GROUPS][MIX_BUSES][STEREO];
    // The buses that each group has summed.
    __shared__ u32 present[MIX_GROUPS];
    // The buses of the blocks of a stage, one stage for each group.
    __shared__ u32 stage_buses[MIX_GROUPS][MIX_STAGE];
    __shared__ bool is_last;
    const u32 thread = threadIdx.x % STEREO, group = threadIdx.x / STEREO;
    const u32 tick = blockIdx.y, tiles = upload->tiles;
    if (blockIdx.z >= tiles) return;
    const u32* words = reinterpret_cast<const u32*>(upload);
    const Tile tile = reinterpret_cast<const Tile*>(words + upload->tiles_at)[blockIdx.z];
    const u32* ends = words + upload->ends_at + tile.ends;
    const u32 blocks = (tile.groups + MIX_GROUPS - 1) / MIX_GROUPS;
    if (blockIdx.x >= blocks) return;
    float* out = reinterpret_cast<float*>(mixed + 1);

    const u32 slots = blockIdx.x * MIX_GROUPS + group;
    const u32 end = slots < tile.groups ? ends[slots] : 0;
    const u32 begin = slots >= tile.groups ? 0 : slots == 0 ? tile.first_item : ends[slots - 1];
    BusSums own = {bus_sums[group], thread, 0, NOWHERE, 0.0f};
    constexpr u32 AHEAD = 8;
    ROLLED for (u32 item = begin; item < end; item += AHEAD) {
        u32 route[AHEAD];
        float sample[AHEAD];
        // All loads at once: none depends on a condition.
        UNROLL for (u32 i = 0; i < AHEAD; ++i) {
            const size_t at = min(item + i, end - 1) * size_t(ticks) + tick;
            route[i] = routes[at];
            sample[i] = samples[at * STEREO + thread];
        }
        UNROLL for (u32 i = 0; i < AHEAD; ++i) {
            const u32 bus = route[i] - tile.first_bus;
            if (item + i < end && bus < tile.buses) own.add(bus, sample[i]);
        }
    }
    own.finish();
    if (thread == 0) present[group] = own.present;
    __syncthreads();
    // sums[tile][tick][bus][block][side][frame], then the buses of each [tick][block].
    const size_t of_tick = tile.buses * size_t(blocks) * STEREO;
    float* block_sums = sums + tile.sums + tick * of_tick;
    u32* block_buses = reinterpret_cast<u32*>(sums + tile.sums + ticks * of_tick) + tick * blocks;
    u32 any = 0;
    UNROLL for (u32 i = 0; i < MIX_GROUPS; ++i) any |= present[i];
    u32 turn = 0;
    ROLLED for (u32 rest = any; rest != 0; rest &= rest - 1, ++turn) {
        if (turn % MIX_GROUPS != group) continue;
        const u32 bus = lowest(rest);
        float sum = 0.0f;
        UNROLL for (u32 i = 0; i < MIX_GROUPS; ++i) {
            if (present[i] >> bus & 1) sum += bus_sums[i][bus][thread];
        }
        block_sums[(bus * size_t(blocks) + blockIdx.x) * STEREO + thread] = sum;
    }
    if (threadIdx.x == 0) block_buses[blockIdx.x] = any;

    // The last block to arrive finishes the tick.
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        u32* arrived = arrivals + 1 + blockIdx.z * ticks + tick;
        is_last = atomicAdd(arrived, 1u) == blocks - 1;
        if (is_last) *arrived = 0;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    // A group sums a stage of every bus, then the stages of every fourth bus.
    float totals[MIX_OWN_BUSES];
    UNROLL for (u32 i = 0; i < MIX_OWN_BUSES; ++i) totals[i] = 0.0f;
    ROLLED for (u32 stage = 0; stage * MIX_STAGE < blocks; stage += MIX_GROUPS) {
        const u32 from = (stage + group) * MIX_STAGE;
        __syncthreads();
        if (thread < MIX_STAGE) {
            stage_buses[group][thread] = from + thread < blocks ? __ldcg(block_buses + from + thread) : 0;
        }
        __syncthreads();
        const u32* of_block = stage_buses[group];
        u32 several = 0;
        UNROLL for (u32 i = 0; i < MIX_STAGE; ++i) several |= of_block[i] & (of_block[i] - 1);
        BusSums stage_sums = {bus_sums[group], thread, 0, NOWHERE, 0.0f};
        // Blocks that have several buses are rare; then bus after bus is summed.
        ROLLED for (u32 bus = 0; bus < (several ? tile.buses : 1); ++bus) {
            float found[MIX_STAGE];
            UNROLL for (u32 i = 0; i < MIX_STAGE; ++i) {
                const u32 row = several ? bus : lowest(of_block[i]);
                const bool is_there = several ? of_block[i] >> bus & 1 : of_block[i] != 0;
                const size_t at = row * size_t(blocks) + from + i;
                found[i] = is_there ? __ldcg(block_sums + at * STEREO + thread) : 0.0f;
            }
            UNROLL for (u32 i = 0; i < MIX_STAGE; ++i) {
                const u32 row = several ? bus : lowest(of_block[i]);
                const bool is_there = several ? of_block[i] >> bus & 1 : of_block[i] != 0;
                if (is_there) stage_sums.add(row, found[i]);
            }
        }
        stage_sums.finish();
        if (thread == 0) present[group] = stage_sums.present;
        __syncthreads();
        UNROLL for (u32 i = 0; i < MIX_OWN_BUSES; ++i) {
            const u32 bus = i * MIX_GROUPS + group;
            UNROLL for (u32 other = 0; other < MIX_GROUPS; ++other) {
                if (present[other] >> bus & 1) totals[i] += bus_sums[other][bus][thread];
            }
        }
    }
    UNROLL for (u32 i = 0; i < MIX_OWN_BUSES; ++i) {
        const u32 bus = i * MIX_GROUPS + group;
        if (bus < tile.buses) out[(tick * buses + tile.bus + bus) * STEREO + thread] = totals[i];
    }
    // The writes of this block must be visible before the host is notified.
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(arrivals, 1u) == ticks * tiles - 1) {
        __threadfence_system();
        mixed->done = (unsigned long long)*sounded << 32 | upload->block;
        *arrivals = 0;
        *sounded = 0;
        *taken = 0;
    }
}

// Rows of 32 partials that a warp of the bare bank renders, and its warps.
constexpr u32 BANK_ROWS = 16;
constexpr u32 BANK_WARPS = 2;

// A partial of the bare bank: its pitch is constant in a block, its level changes by `slope` per frame.
struct alignas(16) BarePartial {
    u32 phase, increment;
    float level, slope;
};

// The bank alone, as a benchmark: partials with constant pitch, so that their recurrences are
// computed once and their seeds every tick, and with moving levels. A warp renders 512 of them and
// writes 32 samples per tick to `out[warp][tick][frame]`.
//
// Reads 16 bytes per partial and tick, one row ahead of its use, after the first tick from the
// caches; writes 16 bytes once. The rest is `advance`, without the recurrences.
extern "C" __global__ void __launch_bounds__(BANK_WARPS * WARP, 14)
bank_alone(BarePartial* partials, float* out, u32 warps, u32 ticks) {
    struct Space {
        FoldSpace fold;
        bank::Recurrence recurrences[BANK_ROWS * WARP];
    };
    __shared__ Space spaces[BANK_WARPS];
    const u32 warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const u32 number = blockIdx.x * BANK_WARPS + warp;
    if (number >= warps) return;
    Space& space = spaces[warp];
    uint4* own = reinterpret_cast<uint4*>(partials) + number * size_t(BANK_ROWS * WARP) + lane;
    ROLLED for (u32 row = 0; row < BANK_ROWS; row += 4) {
        u32 increments[4];
        EACH(i, 4) increments[i] = own[(row + i) * WARP].y;
        EACH(i, 4) space.recurrences[(row + i) * WARP + lane] = bank::recurrence(increments[i]);
    }
    uint4 next = own[0];
    ROLLED for (u32 tick = 0; tick < ticks; ++tick) {
        float sum[TICK];
        EACH(t, TICK) sum[t] = 0.0f;
        const u32 passed = TICK * tick;
        const float time = __int2float_rn(int(passed));
        UNROLL_BY_FOUR for (u32 row = 0; row < BANK_ROWS; ++row) {
            const uint4 partial = next;
            next = own[(row + 1) % BANK_ROWS * WARP];
            const float slope = __int_as_float(int(partial.w));
            const float level = fmaf(slope, time, __int_as_float(int(partial.z)));
            bank::advance(partial.x + partial.y * (passed + bank::MIDDLE), partial.y,
                          space.recurrences[row * WARP + lane], level, slope, sum);
        }
        out[(number * size_t(ticks) + tick) * TICK + lane] = fold<false>(sum, space.fold, lane).middle;
    }
    ROLLED for (u32 row = 0; row < BANK_ROWS; ++row) {
        own[row * WARP].x += own[row * WARP].y * (TICK * ticks);
    }
}

// Fails and destroys its context, for tests of recovery.
extern "C" __global__ void fail() { __trap(); }
