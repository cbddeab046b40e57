// Definitions that device code needs to compile: none on a GPU, replacements on a host.
//
// On the host every intrinsic used by the kernels is a plain function that rounds the same way
// (compile with -ffp-contract=off), so that the device functions can be called and the kernels
// run, thread by thread, on a machine without a GPU: see emulate.cpp.
#pragma once

// An unrolled loop over every i below a constant n.
#define EACH(i, n) UNROLL for (int i = 0; i < n; ++i)

#ifdef __CUDACC__

#define DEVICE __device__ __forceinline__
#define DEVICE_METHOD __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define UNROLL_BY_FOUR _Pragma("unroll 4")
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define PAUSE() __nanosleep(100)
#else
#define PAUSE()
#endif
#define OFFSET(type, field) __INTADDR__(&((type*)0)->field)

#else

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE static inline
#define DEVICE_METHOD inline
#define UNROLL
#define ROLLED
#define UNROLL_BY_FOUR
// Blocks run one after the other, so nothing that is waited for can still happen.
#define PAUSE() abort()
#define OFFSET(type, field) __builtin_offsetof(type, field)
#define __global__
#define __device__
#define __launch_bounds__(...)
// One block runs at a time, so its shared memory can be static.
#define __shared__ static

struct uint2 { uint32_t x, y; };
struct uint4 { uint32_t x, y, z, w; };
struct float4 { float x, y, z, w; };
static inline uint2 make_uint2(uint32_t x, uint32_t y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

struct Index { uint32_t x, y, z; };
extern Index threadIdx, blockIdx;

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ull2double_rn(unsigned long long x) { return double(x); }
static inline unsigned long long __double2ull_rz(double x) { return (unsigned long long)x; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __int_as_float(int32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline int32_t __float_as_int(float x) { int32_t bits; memcpy(&bits, &x, 4); return bits; }
static inline float __int2float_rn(int32_t x) { return float(x); }
static inline float __uint2float_rn(uint32_t x) { return float(x); }
static inline int32_t __float2int_rz(float x) { return int32_t(x); }
static inline uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }

static inline int __clz(int x) { return x ? __builtin_clz(uint32_t(x)) : 32; }
static inline uint32_t __brev(uint32_t x) {
    uint32_t reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1) << (31 - bit);
    return reversed;
}
static inline int __popc(uint32_t x) { return __builtin_popcount(x); }

template <class T> T __ldcg(const T* from) { return *from; }
static inline uint32_t atomicAdd(uint32_t* to, uint32_t x) { uint32_t old = *to; *to += x; return old; }
static inline void __threadfence() {}
static inline void __threadfence_system() {}
static inline void __trap() {}
// Operations that all threads of a block or warp do together.
void __syncthreads();
void __syncwarp();
uint32_t __ballot_sync(uint32_t lanes, bool vote);
uint32_t __shfl_sync(uint32_t lanes, uint32_t x, uint32_t from);
static inline float __shfl_sync(uint32_t lanes, float x, uint32_t from) {
    return __int_as_float(int32_t(__shfl_sync(lanes, uint32_t(__float_as_int(x)), from)));
}

#endif
