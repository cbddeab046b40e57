//! The baseline: a bare delta-form loop, tuned by hand for each instruction set, without culling,
//! spectra, seeding and ticks.

use std::arch::x86_64::*;

/// Frames of one call.
pub(crate) const FRAMES: usize = 32;

/// State of sixteen oscillators, as arrays.
#[repr(align(64))]
#[derive(Clone)]
pub(crate) struct Group {
    y: [f32; 16],
    d: [f32; 16],
    level: [f32; 16],
    k: [f32; 16],
    step: [f32; 16],
}

impl Group {
    pub(crate) fn new(index: usize) -> Self {
        let angle = |i: usize| 0.001 + 0.0005 * (16 * index + i) as f32 % 3.0;
        Self {
            y: [0.0; 16],
            d: std::array::from_fn(|i| angle(i).sin()),
            level: [1e-3; 16],
            k: std::array::from_fn(|i| 4.0 * (angle(i) / 2.0).sin().powi(2)),
            step: [0.0; 16],
        }
    }
}

/// Advances all groups, 128 oscillators at a time. Eight chains hide the latency of the recurrence (four
/// are a tenth slower); their state is in registers, their factors are in memory.
///
/// # Safety
/// The machine has AVX-512 F. The number of groups is a multiple of eight.
#[target_feature(enable = "avx512f")]
pub(crate) unsafe fn avx512(groups: &mut [Group], sum: &mut [[f32; 16]; FRAMES]) {
    for eight in groups.chunks_exact_mut(8) {
        // SAFETY: the array holds sixteen floats.
        let load = |x: &[f32; 16]| unsafe { _mm512_loadu_ps(x.as_ptr()) };
        let mut y: [__m512; 8] = std::array::from_fn(|i| load(&eight[i].y));
        let mut d: [__m512; 8] = std::array::from_fn(|i| load(&eight[i].d));
        let mut level: [__m512; 8] = std::array::from_fn(|i| load(&eight[i].level));
        let k: [__m512; 8] = std::array::from_fn(|i| load(&eight[i].k));
        let step: [__m512; 8] = std::array::from_fn(|i| load(&eight[i].step));
        for frame in sum.iter_mut() {
            let mut mix = load(frame);
            for i in 0..8 {
                mix = _mm512_fmadd_ps(level[i], y[i], mix);
                d[i] = _mm512_fnmadd_ps(k[i], y[i], d[i]);
                y[i] = _mm512_add_ps(y[i], d[i]);
                level[i] = _mm512_add_ps(level[i], step[i]);
            }
            // SAFETY: the frame holds sixteen floats.
            unsafe { _mm512_storeu_ps(frame.as_mut_ptr(), mix) };
        }
        for i in 0..8 {
            // SAFETY: each array holds sixteen floats.
            unsafe {
                _mm512_storeu_ps(eight[i].y.as_mut_ptr(), y[i]);
                _mm512_storeu_ps(eight[i].d.as_mut_ptr(), d[i]);
                _mm512_storeu_ps(eight[i].level.as_mut_ptr(), level[i]);
            }
        }
    }
}

/// Advances all groups, thirty-two oscillators at a time.
///
/// # Safety
/// The machine has AVX2 and FMA. The number of groups is a multiple of two.
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn avx2(groups: &mut [Group], sum: &mut [[f32; 16]; FRAMES]) {
    for two in groups.chunks_exact_mut(2) {
        // Four chains: the low and the high half of either group.
        // SAFETY: each half holds eight floats.
        let load = |x: &[f32; 16], half: usize| unsafe { _mm256_loadu_ps(x[8 * half..].as_ptr()) };
        let mut y: [__m256; 4] = std::array::from_fn(|i| load(&two[i / 2].y, i % 2));
        let mut d: [__m256; 4] = std::array::from_fn(|i| load(&two[i / 2].d, i % 2));
        let mut level: [__m256; 4] = std::array::from_fn(|i| load(&two[i / 2].level, i % 2));
        let k: [__m256; 4] = std::array::from_fn(|i| load(&two[i / 2].k, i % 2));
        let step: [__m256; 4] = std::array::from_fn(|i| load(&two[i / 2].step, i % 2));
        for frame in sum.iter_mut() {
            let mut mix = [load(frame, 0), load(frame, 1)];
            for i in 0..4 {
                mix[i % 2] = _mm256_fmadd_ps(level[i], y[i], mix[i % 2]);
                d[i] = _mm256_fnmadd_ps(k[i], y[i], d[i]);
                y[i] = _mm256_add_ps(y[i], d[i]);
                level[i] = _mm256_add_ps(level[i], step[i]);
            }
            // SAFETY: the frame holds twice eight floats.
            unsafe {
                _mm256_storeu_ps(frame.as_mut_ptr(), mix[0]);
                _mm256_storeu_ps(frame[8..].as_mut_ptr(), mix[1]);
            }
        }
        for i in 0..4 {
            let half = 8 * (i % 2);
            // SAFETY: each half holds eight floats.
            unsafe {
                _mm256_storeu_ps(two[i / 2].y[half..].as_mut_ptr(), y[i]);
                _mm256_storeu_ps(two[i / 2].d[half..].as_mut_ptr(), d[i]);
                _mm256_storeu_ps(two[i / 2].level[half..].as_mut_ptr(), level[i]);
            }
        }
    }
}
