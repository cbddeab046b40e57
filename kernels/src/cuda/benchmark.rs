//! The bank kernel alone, on partials with fixed pitches: the upper limit of a GPU's speed.

use super::driver::{Context, Event, Function, Gpu, Module, Shape, Stream};
use super::kernels::{self, BANK_PARTIALS, BANK_THREADS, BANK_WARPS};
use super::launch::pointers;
use crate::GpuError;
use cudarc::driver::sys::CUdeviceptr;
use myriad_engine::dsp::hash;
use myriad_engine::render::TICK;
use std::f64::consts::TAU;
use std::time::Duration;

/// Distinct partials; larger banks repeat them, so that they are quickly made.
const DISTINCT: usize = 1 << 20;

/// A bank of partials on a GPU. They lie between 20 Hz and 20 kHz, and their levels move.
#[derive(Debug)]
pub struct BankAlone {
    partials: usize,
    ticks: usize,
    error_db: f64,
    kernel: Function,
    stream: Stream,
    marks: [Event; 2],
    /// Device memory of the partials and of the rendered audio.
    memory: [CUdeviceptr; 2],
    context: Context,
}

impl BankAlone {
    /// About `partials` partials on GPU `device`, rendered `ticks` ticks at a time.
    ///
    /// # Errors
    /// When the GPU is unfit or a call fails.
    pub fn new(device: usize, partials: usize, ticks: usize) -> Result<Self, GpuError> {
        let warps = partials.div_ceil(BANK_PARTIALS).max(1);
        let partials = warps * BANK_PARTIALS;
        let bare = bare_partials(partials.min(DISTINCT), ticks);

        let gpu = Gpu::find(device)?;
        let (mut context, _current) = Context::new(&gpu)?;
        let module = Module::load(kernels::image(gpu.capability).bytes)?;
        let bare_at = context.device_words(4 * partials)?;
        for from in (0..partials).step_by(DISTINCT) {
            let count = DISTINCT.min(partials - from);
            let to = bare_at + (size_of::<BarePartial>() * from) as CUdeviceptr;
            Context::write(to, bare[..count].as_flattened())?;
        }
        let out_at = context.device_words(warps * ticks * TICK)?;
        let mut bank = Self {
            partials,
            ticks,
            error_db: 0.0,
            kernel: module.function(kernels::BANK_ALONE)?,
            stream: Stream::new()?,
            marks: [Event::new()?, Event::new()?],
            memory: [bare_at, out_at],
            context,
        };
        bank.render()?;
        let mut got = vec![0.0_f32; ticks * TICK];
        Context::read(out_at, &mut got)?;
        bank.error_db = error_db(&got, &bare[..BANK_PARTIALS]);
        Ok(bank)
    }

    /// Partials of the bank.
    pub fn partials(&self) -> usize {
        self.partials
    }

    /// The error of the sum of the first warp's partials against double precision, in decibels.
    pub fn error_db(&self) -> f64 {
        self.error_db
    }

    /// Renders once. Returns the seconds that the kernel took on the GPU.
    ///
    /// # Errors
    /// When a call fails or the GPU does not finish.
    pub fn render(&mut self) -> Result<f64, GpuError> {
        let _current = self.context.make_current()?;
        let warps = self.partials / BANK_PARTIALS;
        let [bare_at, out_at] = self.memory;
        let mut arguments = [bare_at, out_at, warps as u64, self.ticks as u64];
        let shape =
            Shape { grid: [warps.div_ceil(BANK_WARPS) as u32, 1, 1], threads: BANK_THREADS };
        let [start, end] = self.marks;
        self.stream.record(start)?;
        self.stream.launch(self.kernel, shape, &mut pointers(&mut arguments))?;
        self.stream.record(end)?;
        let late = |_| GpuError::Call { call: "bank_alone", reason: "the device does not finish" };
        self.stream.finish(Duration::from_secs(10)).map_err(late)?;
        Ok(f64::from(start.microseconds_to(end)?) * 1e-6)
    }
}

/// A partial as the kernel reads it: phase, increment, level, and the change of the level per frame.
pub(super) type BarePartial = [u32; 4];

pub(super) fn bare_partials(count: usize, ticks: usize) -> Vec<BarePartial> {
    let unit = |i: usize, salt: u32| hash(i as u32 ^ salt) as f32 / 4_294_967_296.0;
    let partial = |i: usize| {
        let hertz = 20.0 * 1000.0_f32.powf(unit(i, 0x5EED));
        let [from, to] = [unit(i, 0xF00D), unit(i, 0xBEEF)];
        let slope = (to - from) / (ticks * TICK) as f32;
        [
            hash(i as u32 ^ 1),
            (hertz / 48_000.0 * 4_294_967_296.0) as u32,
            from.to_bits(),
            slope.to_bits(),
        ]
    };
    (0..count).map(partial).collect()
}

/// The error of `got` against the sum of `partials` in double precision, in decibels.
pub(super) fn error_db(got: &[f32], partials: &[BarePartial]) -> f64 {
    let (mut error, mut power) = (0.0, 0.0);
    for (frame, &got) in got.iter().enumerate() {
        let sine = |&[phase, increment, level, slope]: &BarePartial| {
            let phase = phase.wrapping_add(increment.wrapping_mul(frame as u32));
            let [level, slope] = [level, slope].map(|bits| f64::from(f32::from_bits(bits)));
            (level + slope * frame as f64) * (f64::from(phase) / 4_294_967_296.0 * TAU).sin()
        };
        let exact: f64 = partials.iter().map(sine).sum();
        error += (f64::from(got) - exact).powi(2);
        power += exact.powi(2);
    }
    10.0 * (error / power).log10()
}
