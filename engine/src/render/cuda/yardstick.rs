//! The bank kernel alone, on partials with fixed pitches: how fast a card can go at all.

use super::device::pointer;
use super::driver::{Card, Context, Event, Module, Shape, Stream};
use super::kernels::{self, BANK_PARTIALS, BANK_THREADS, BANK_WARPS};
use crate::dsp::hash;
use crate::render::{DeviceError, TICK};
use std::f64::consts::TAU;
use std::time::Duration;

/// How a card did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BankRun {
    /// Partials rendered at once.
    pub partials: usize,
    /// Frames of a render.
    pub frames: usize,
    /// Median time of a render, in seconds.
    pub seconds: f64,
    /// The error of the sum of the first warp's partials against double precision, in decibels.
    pub error_db: f64,
}

impl BankRun {
    /// Partials that would take exactly as long as the sound they make.
    pub fn in_real_time(&self, sample_rate: f64) -> f64 {
        self.partials as f64 * (self.frames as f64 / sample_rate) / self.seconds
    }
}

/// Runs the bank alone on card `device`: `renders` renders of about `partials` partials and
/// `ticks` ticks. Partials lie between 20 Hz and 20 kHz, and their levels move.
///
/// # Errors
/// When the card is unfit or a call fails.
pub fn bank_alone(
    device: usize,
    partials: usize,
    ticks: usize,
    renders: usize,
) -> Result<BankRun, DeviceError> {
    let warps = partials.div_ceil(BANK_PARTIALS);
    let partials = warps * BANK_PARTIALS;
    let random = |i: usize, salt: u32| hash(i as u32 ^ salt);
    let unit = |bits: u32| bits as f32 / 4_294_967_296.0;
    let fill = |salt: u32, value: fn(u32, f32) -> u32| -> Vec<u32> {
        let word = |i| value(random(i, salt), unit(random(i, salt)));
        (0..partials).map(word).collect()
    };
    let phases = fill(1, |bits, _| bits);
    let increments = fill(0x5EED, |_, u| {
        (20.0 * 1000.0_f32.powf(u) / 48_000.0 * 4_294_967_296.0) as u32
    });
    let from = fill(0xF00D, |_, u| u.to_bits());
    let to = fill(0xBEEF, |_, u| u.to_bits());

    let card = Card::find(device)?;
    let (mut context, _current) = Context::new(&card)?;
    let module = Module::load(kernels::image(card.capability).bytes)?;
    let kernel = module.function(kernels::BANK_ALONE)?;
    let slope = |i: usize| {
        let [from, to] = [from[i], to[i]].map(f32::from_bits);
        ((to - from) / (ticks * TICK) as f32).to_bits()
    };
    let bare: Vec<u32> = (0..partials)
        .flat_map(|i| [phases[i], increments[i], from[i], slope(i)])
        .collect();
    let mut bare_at = context.device_words(bare.len())?;
    Context::write(bare_at, &bare)?;
    let mut out_at = context.device_words(warps * ticks * TICK)?;
    let (mut warps_argument, mut ticks_argument) = (warps as u32, ticks as u32);
    let mut arguments = [
        pointer(&mut bare_at),
        pointer(&mut out_at),
        pointer(&mut warps_argument),
        pointer(&mut ticks_argument),
    ];
    let shape = Shape {
        grid: [warps.div_ceil(BANK_WARPS) as u32, 1, 1],
        threads: BANK_THREADS,
    };
    let stream = Stream::new()?;
    let (start, end) = (Event::new()?, Event::new()?);
    let mut run = || -> Result<f64, DeviceError> {
        stream.record(start)?;
        stream.launch(kernel, shape, &mut arguments)?;
        stream.record(end)?;
        let late = |_| DeviceError::Call {
            call: "bank_alone",
            reason: "the device does not finish",
        };
        stream.finish(Duration::from_secs(10)).map_err(late)?;
        Ok(f64::from(start.microseconds_to(end)?) * 1e-6)
    };
    run()?;
    let mut got = vec![0.0_f32; ticks * TICK];
    Context::read(out_at, &mut got)?;
    let error_db = error_db(&got, &phases, &increments, &from, &to);
    let mut seconds = (0..renders).map(|_| run()).collect::<Result<Vec<_>, _>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(BankRun {
        partials,
        frames: ticks * TICK,
        seconds: seconds[seconds.len() / 2],
        error_db,
    })
}

/// The first warp's sum against double precision.
fn error_db(got: &[f32], phases: &[u32], increments: &[u32], from: &[u32], to: &[u32]) -> f64 {
    let (mut error, mut power) = (0.0, 0.0);
    let frames = got.len() as f64;
    for (frame, &got) in got.iter().enumerate() {
        let sine = |i: usize| {
            let phase = phases[i].wrapping_add(increments[i].wrapping_mul(frame as u32));
            let [from, to] = [from[i], to[i]].map(|bits| f64::from(f32::from_bits(bits)));
            let level = from + (to - from) * frame as f64 / frames;
            level * (f64::from(phase) / 4_294_967_296.0 * TAU).sin()
        };
        let exact: f64 = (0..BANK_PARTIALS).map(sine).sum();
        error += (f64::from(got) - exact).powi(2);
        power += exact.powi(2);
    }
    10.0 * (error / power).log10()
}
