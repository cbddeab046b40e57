// Runs the kernels on the host, thread by thread: every thread is a fiber, and collective operations
// (barriers, votes, shuffles) wait until all fibers have reached them. For tests on machines without
// a GPU; also exports the device functions one by one.
#include "host.h"

Index threadIdx, blockIdx;

#include "render.cu"

#include <csetjmp>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace {

enum class Waits { No, ForWarp, ForBlock, ForEver };

struct Fiber {
    // Where it starts, and from then on where it goes on.
    ucontext_t beginning;
    jmp_buf place;
    bool has_started;
    std::unique_ptr<char[]> stack{new char[STACK]};
    Waits waits;
    // Votes and shuffled values of the collective before last and of the last one.
    uint32_t given[2];
    uint32_t collectives;
    static constexpr size_t STACK = 128 << 10;
};

std::vector<Fiber> fibers;
jmp_buf scheduler;
uint32_t running, threads;
std::function<void()> body;

void start() {
    body();
    fibers[running].waits = Waits::ForEver;
    _longjmp(scheduler, 1);
}

// Back to the scheduler, until all that this fiber waits for have arrived. Not by swapcontext, which asks the
// kernel for the signal mask every time.
void wait(Waits what) {
    Fiber& self = fibers[running];
    self.waits = what;
    if (_setjmp(self.place) == 0) _longjmp(scheduler, 1);
}

// Runs a fiber until it waits.
void resume(Fiber& fiber) {
    if (_setjmp(scheduler) != 0) return;
    if (fiber.has_started) _longjmp(fiber.place, 1);
    fiber.has_started = true;
    setcontext(&fiber.beginning);
}

// Resumes the fibers that wait for each other, once all of them have arrived.
bool release(uint32_t first, uint32_t count, Waits what) {
    bool any = false;
    for (uint32_t i = first; i < first + count; ++i) {
        if (fibers[i].waits == what) any = true;
        else if (fibers[i].waits != Waits::ForEver) return false;
    }
    for (uint32_t i = first; any && i < first + count; ++i) {
        if (fibers[i].waits == what) fibers[i].waits = Waits::No;
    }
    return any;
}

void run_block() {
    for (uint32_t i = 0; i < threads; ++i) {
        Fiber& fiber = fibers[i];
        fiber.waits = Waits::No;
        fiber.collectives = 0;
        fiber.has_started = false;
        getcontext(&fiber.beginning);
        fiber.beginning.uc_stack.ss_sp = fiber.stack.get();
        fiber.beginning.uc_stack.ss_size = Fiber::STACK;
        fiber.beginning.uc_link = nullptr;
        makecontext(&fiber.beginning, start, 0);
    }
    bool moved = true;
    while (moved) {
        moved = false;
        for (running = 0; running < threads; ++running) {
            if (fibers[running].waits != Waits::No) continue;
            moved = true;
            threadIdx = {running, 0, 0};
            resume(fibers[running]);
        }
        for (uint32_t warp = 0; warp < threads; warp += 32) {
            moved |= release(warp, 32, Waits::ForWarp);
        }
        moved |= release(0, threads, Waits::ForBlock);
    }
}

void launch(Index grid, uint32_t block, std::function<void()> kernel) {
    if (fibers.size() < block) fibers = std::vector<Fiber>(block);
    threads = block;
    body = std::move(kernel);
    for (uint32_t z = 0; z < grid.z; ++z)
        for (uint32_t y = 0; y < grid.y; ++y)
            for (uint32_t x = 0; x < grid.x; ++x) {
                blockIdx = {x, y, z};
                run_block();
            }
}

uint32_t* exchange(uint32_t given) {
    Fiber& self = fibers[running];
    const uint32_t turn = self.collectives++ % 2;
    self.given[turn] = given;
    wait(Waits::ForWarp);
    static uint32_t warp[32];
    const uint32_t first = running / 32 * 32;
    for (uint32_t i = 0; i < 32; ++i) warp[i] = fibers[first + i].given[turn];
    return warp;
}

}  // namespace

void __syncthreads() { wait(Waits::ForBlock); }
void __syncwarp() { wait(Waits::ForWarp); }

uint32_t __ballot_sync(uint32_t, bool vote) {
    const uint32_t* votes = exchange(vote);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < 32; ++i) bits |= votes[i] << i;
    return bits;
}

uint32_t __shfl_sync(uint32_t, uint32_t x, uint32_t from) { return exchange(x)[from]; }

// The kernels.

// With `taken`, one block of threads renders all items.
extern "C" void emulate_render_clouds(const Header* upload, const u32* descriptions,
                                      const u32* copies, u32 slots, const float* tables,
                                      u32* phases, float* levels, uint2* slices,
                                      u32* last_blocks, float* samples, u32* routes, u32* sounded,
                                      u32* taken, u32 ticks) {
    const u32 blocks = taken ? 1 : (upload->items + WARPS - 1) / WARPS;
    launch({blocks, 1, 1}, WARPS * WARP, [=] {
        render_clouds(upload, descriptions, copies, slots, tables, phases, levels, slices,
                      last_blocks, samples, routes, sounded, taken, ticks);
    });
}

extern "C" void emulate_mix(u32 blocks, const Header* upload, const float* samples,
                            const u32* routes, float* sums, u32* arrivals, u32* sounded,
                            u32* taken, Mixed* mixed, u32 ticks, u32 buses) {
    launch({blocks, ticks, upload->tiles + 1}, MIX_GROUPS * STEREO, [=] {
        mix(upload, samples, routes, sums, arrivals, sounded, taken, mixed, ticks, buses);
    });
}

extern "C" void emulate_bank_alone(BarePartial* partials, float* out, u32 warps, u32 ticks) {
    launch({(warps + BANK_WARPS - 1) / BANK_WARPS, 1, 1}, BANK_WARPS * WARP, [=] {
        bank_alone(partials, out, warps, ticks);
    });
}

extern "C" void emulate_fetch(const uint2* upload_from, uint2* upload, u32 upload_pairs,
                              const uint2* list, u32 first_voice, u32 listed_voices,
                              const uint2* voices, u32* descriptions, u32* copies, u32 slots,
                              u32 table_rows, u32 ticks, u32 buses) {
    const u32 blocks = (upload_pairs + FETCH_THREADS - 1) / FETCH_THREADS +
                       (listed_voices + FETCH_VOICES - 1) / FETCH_VOICES;
    launch({blocks, 1, 1}, FETCH_THREADS, [=] {
        fetch(upload_from, upload, upload_pairs, list, first_voice, listed_voices, voices,
              descriptions, copies, slots, table_rows, ticks, buses);
    });
}

// The functions.

extern "C" float host_exp2_exact(float x) { return math::exp2_exact(x); }
extern "C" float host_exp2(float x) { return math::exp2(x); }
extern "C" float host_log2_exact(float x) { return math::log2_exact(x); }
extern "C" float host_quarter_sine(float t) { return math::quarter_sine(t); }
extern "C" float host_four_sine_squared(float t) { return math::four_sine_squared(t); }
extern "C" float host_cosine(u32 phase) { return math::cosine(phase); }
extern "C" float host_sine(u32 phase) { return math::sine(phase); }
extern "C" u32 host_hash(u32 x) { return math::hash(x); }
extern "C" float host_frequency(const Cloud* cloud, const float* tables, u32 index) {
    const auto ratios = spectrum::ratios_of<true, 1>(*cloud, tables, index);
    float frequency[1];
    if (spectrum::is_bent(*cloud)) {
        spectrum::frequencies<true, true>(*cloud, tables, ratios, index, frequency);
    } else {
        spectrum::frequencies<false, true>(*cloud, tables, ratios, index, frequency);
    }
    return frequency[0];
}
extern "C" spectrum::Partial host_evaluate(const Cloud* cloud, const float* tables, u32 index,
                                           float frequency) {
    float frequencies[1] = {frequency}, share[1] = {1.0f};
    const bool ends = cloud->partials < float(index + 1);
    spectrum::Partial partial[1];
    const auto ratios = spectrum::ratios_of<true, 1>(*cloud, tables, index);
    spectrum::wander(*cloud, tables, ratios, index, frequencies, share);
    const auto poles = filter::poles_of(cloud->filters[0]);
    spectrum::evaluate<true>(*cloud, tables, ratios, poles, index, ends, frequencies, partial);
    partial[0].level *= share[0];
    if (cloud->gate) {
        partial[0].level = dynamics::gated(dynamics::part_of(cloud->gate), partial[0].level);
    }
    if (frequencies[0] > spectrum::FADE_START) spectrum::fade(frequencies, partial);
    return partial[0];
}
extern "C" UnisonCopy host_copy(const Unison* voice, u32 copy) {
    return unison::copy_of(*voice, copy, 7);
}
extern "C" u32 host_first_phase(const Cloud* cloud, const float* tables, u32 index) {
    return spectrum::first_phase<true>(*cloud, tables, index);
}
extern "C" void host_advance(u32 phase, u32 increment, float from, float to, float step,
                             float* sum) {
    bank::advance(phase + bank::MIDDLE * increment, increment, bank::recurrence(increment), from,
                  (to - from) * step, *reinterpret_cast<float(*)[TICK]>(sum));
}
