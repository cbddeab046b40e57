//! The computed impulse responses: rooms and a plate from noise whose bands decay by themselves, a spring from
//! allpass sections in a loop, a loudspeaker's cabinet from filters. Always the same, at one sample rate.

use crate::dsp::hash;
use std::f64::consts::TAU;
use std::sync::LazyLock;

/// Names, in the order of the parameter.
pub const COMPUTED: &[&str] = &["room", "chamber", "hall", "plate", "spring", "cabinet"];

/// Frames per second of computed responses.
pub(super) const SAMPLE_RATE: f32 = 48_000.0;

/// One or two channels.
type Channels = Vec<Vec<f32>>;

/// The response with this index, computed when it is first asked for. Not for the audio thread.
pub(super) fn response(index: usize) -> &'static Channels {
    static RESPONSES: [LazyLock<Channels>; 6] = [
        LazyLock::new(|| ROOM.compute()),
        LazyLock::new(|| CHAMBER.compute()),
        LazyLock::new(|| HALL.compute()),
        LazyLock::new(|| PLATE.compute()),
        LazyLock::new(|| vec![spring(1), spring(2)]),
        LazyLock::new(|| vec![cabinet()]),
    ];
    &RESPONSES[index]
}

/// Frequencies at which the bands of a room meet.
const SPLITS: [f32; 3] = [250.0, 2_000.0, 6_000.0];

/// A room.
struct Room {
    /// For repeatable noise.
    seed: u32,
    /// Seconds in which each band falls by 60 dB, lowest first.
    decays: [f32; 4],
    /// Levels of the bands.
    levels: [f32; 4],
    /// Seconds in which the echoes become dense, for low and high bands.
    rise: [f32; 2],
    /// Number of early reflections, and the seconds between which they lie.
    early: usize,
    span: [f32; 2],
}

const ROOM: Room = Room {
    seed: 0x5100,
    decays: [0.55, 0.5, 0.4, 0.28],
    levels: [0.8, 1.0, 0.9, 0.6],
    rise: [0.008, 0.006],
    early: 14,
    span: [0.002, 0.03],
};

const CHAMBER: Room = Room {
    seed: 0x5200,
    decays: [1.2, 1.2, 1.0, 0.6],
    levels: [0.8, 1.0, 1.0, 0.7],
    rise: [0.012, 0.01],
    early: 16,
    span: [0.004, 0.045],
};

const HALL: Room = Room {
    seed: 0x5300,
    decays: [2.7, 2.4, 1.9, 1.0],
    levels: [1.0, 1.0, 0.8, 0.45],
    rise: [0.05, 0.04],
    early: 20,
    span: [0.012, 0.085],
};

const PLATE: Room = Room {
    seed: 0x5400,
    decays: [1.7, 2.1, 1.9, 1.4],
    levels: [0.5, 0.9, 1.2, 1.2],
    // The high frequencies of a bending wave arrive first.
    rise: [0.03, 0.001],
    early: 0,
    span: [0.0, 0.0],
};

/// Repeatable noise, -1 to 1.
fn noise(seed: u32, n: usize) -> f32 {
    hash(hash(seed) ^ n as u32) as f32 / (1u64 << 31) as f32 - 1.0
}

/// The share of a one-pole low-pass filter.
fn one_pole(hertz: f32) -> f32 {
    1.0 - (-std::f32::consts::TAU * hertz / SAMPLE_RATE).exp()
}

impl Room {
    fn compute(&self) -> Channels {
        let mut channels: Channels = (0..2).map(|side| self.late(self.seed + side)).collect();
        for echo in 0..self.early {
            let place = (echo as f32 + 0.5 + 0.4 * noise(self.seed + 10, echo)) / self.early as f32;
            let seconds = self.span[0] + (self.span[1] - self.span[0]) * place;
            // Later reflections have met more walls.
            let level = 0.9 * (1.0 - 0.7 * place) * noise(self.seed + 20, echo).signum();
            for (side, channel) in channels.iter_mut().enumerate() {
                let aside = 0.0006 * noise(self.seed + 30 + side as u32, echo);
                let pan = 0.7 + 0.3 * noise(self.seed + 40 + side as u32, echo);
                let frame = ((seconds + aside).max(0.0) * SAMPLE_RATE) as usize;
                // A wall reflects highs less.
                for (near, share) in [0.25, 0.5, 0.25].into_iter().enumerate() {
                    if let Some(sample) = channel.get_mut(frame + near) {
                        *sample += level * pan * share;
                    }
                }
            }
        }
        channels
    }

    /// The dense echoes of one side.
    fn late(&self, seed: u32) -> Vec<f32> {
        let longest = self.decays.iter().fold(0.0_f32, |a, &b| a.max(b));
        let frames = (1.1 * longest * SAMPLE_RATE) as usize;
        let shares = SPLITS.map(one_pole);
        // Factors from each frame to the next.
        let decays = self.decays.map(|seconds| 10f32.powf(-3.0 / (seconds * SAMPLE_RATE)));
        let rises = self.rise.map(|seconds| (-1.0 / (seconds * SAMPLE_RATE)).exp());
        let (mut levels, mut missing) = (self.levels.map(|level| 0.3 * level), [1.0_f32; 2]);
        let mut lows = [0.0_f32; 3];
        let end = frames / 20;
        let mut sample = |frame: usize| {
            let mut rest = noise(seed, frame);
            let mut sum = 0.0;
            for band in (0..4).rev() {
                let part = match band {
                    0 => rest,
                    _ => {
                        let low = &mut lows[band - 1];
                        *low += (rest - *low) * shares[band - 1];
                        let high = rest - *low;
                        rest = *low;
                        high
                    }
                };
                // Filtered noise is quieter the lower its band; this makes bands alike.
                let width = [4.0, 2.0, 1.4, 1.0][band];
                sum += width * levels[band] * part * (1.0 - missing[usize::from(band > 1)]);
            }
            levels.iter_mut().zip(decays).for_each(|(level, decay)| *level *= decay);
            missing.iter_mut().zip(rises).for_each(|(missing, rise)| *missing *= rise);
            sum * ((frames - frame) as f32 / end as f32).min(1.0)
        };
        (0..frames).map(&mut sample).collect()
    }
}

/// A spring: allpass sections delay low frequencies less than those near the transition, so that each echo is a chirp
/// (Välimäki, Parker and Abel, "Parametric spring reverberation effect", JAES 2010).
fn spring(seed: u32) -> Vec<f32> {
    const SECONDS: f32 = 2.2;
    const SECTIONS: usize = 60;
    /// Frames of each section's delay: chirps up to a twelfth of the sample rate.
    const STRETCH: usize = 6;
    let frames = (SECONDS * SAMPLE_RATE) as usize;
    let mut out = vec![0.0; frames];
    // Two springs of different length on each side.
    for coil in 0..2 {
        let delay = (0.041 + 0.013 * coil as f32 + 0.002 * seed as f32) * SAMPLE_RATE;
        // And of different stiffness, so that the sides are not alike.
        let coefficient = 0.54 + 0.04 * seed as f32 + 0.02 * coil as f32;
        let mut echoes = vec![0.0_f32; delay as usize];
        let mut sections = [[0.0_f32; STRETCH]; SECTIONS];
        let [mut low, mut lower, mut hum] = [0.0_f32; 3];
        let (share, cut) = (one_pole(3_600.0), one_pole(90.0));
        for (frame, out) in out.iter_mut().enumerate() {
            let length = echoes.len();
            let echo = &mut echoes[frame % length];
            let mut x = -0.78 * *echo + if frame == 0 { 1.0 } else { 0.0 };
            for section in &mut sections {
                // One state a section: the transposed form.
                let state = &mut section[frame % STRETCH];
                let y = coefficient * x + *state;
                *state = x - coefficient * y;
                x = y;
            }
            low += (x - low) * share;
            lower += (low - lower) * share;
            hum += (lower - hum) * cut;
            *echo = lower - hum;
            *out += lower - hum;
        }
    }
    let end = frames / 20;
    let fade = |frame: usize| ((frames - frame) as f32 / end as f32).min(1.0);
    out.iter_mut().enumerate().for_each(|(frame, sample)| *sample *= fade(frame));
    out
}

/// A guitar loudspeaker in its cabinet, without a room.
fn cabinet() -> Vec<f32> {
    const FRAMES: usize = 2_880;
    let mut out = vec![0.0; FRAMES];
    out[0] = 1.0;
    for filter in [
        Biquad::high_pass(75.0, 0.8),
        Biquad::peak(115.0, 1.6, 4.0),
        Biquad::peak(420.0, 0.9, -5.0),
        Biquad::peak(2_600.0, 1.3, 6.0),
        Biquad::peak(3_900.0, 2.5, 3.0),
        Biquad::low_pass(4_900.0, 0.9),
        Biquad::low_pass(5_400.0, 0.6),
    ] {
        filter.run(&mut out);
    }
    let fade = |frame: usize| ((FRAMES - frame) as f64 / 480.0).min(1.0);
    out.iter().enumerate().map(|(frame, sample)| (sample * fade(frame)) as f32).collect()
}

/// A second-order filter (Robert Bristow-Johnson's cookbook), normalised by its first feedback coefficient.
struct Biquad {
    forward: [f64; 3],
    back: [f64; 2],
}

impl Biquad {
    fn new(forward: [f64; 3], back: [f64; 3]) -> Self {
        let [first, second, third] = back;
        Self { forward: forward.map(|x| x / first), back: [second / first, third / first] }
    }

    fn turn(hertz: f64, quality: f64) -> (f64, f64) {
        let (sine, cosine) = (TAU * hertz / f64::from(SAMPLE_RATE)).sin_cos();
        (cosine, sine / (2.0 * quality))
    }

    fn low_pass(hertz: f64, quality: f64) -> Self {
        let (c, alpha) = Self::turn(hertz, quality);
        let half = 0.5 * (1.0 - c);
        Self::new([half, 2.0 * half, half], [1.0 + alpha, -2.0 * c, 1.0 - alpha])
    }

    fn high_pass(hertz: f64, quality: f64) -> Self {
        let (c, alpha) = Self::turn(hertz, quality);
        let half = 0.5 * (1.0 + c);
        Self::new([half, -2.0 * half, half], [1.0 + alpha, -2.0 * c, 1.0 - alpha])
    }

    fn peak(hertz: f64, quality: f64, decibels: f64) -> Self {
        let (c, alpha) = Self::turn(hertz, quality);
        let gain = 10f64.powf(decibels / 40.0);
        Self::new(
            [1.0 + alpha * gain, -2.0 * c, 1.0 - alpha * gain],
            [1.0 + alpha / gain, -2.0 * c, 1.0 - alpha / gain],
        )
    }

    fn run(&self, samples: &mut [f64]) {
        let (mut inputs, mut outputs) = ([0.0; 2], [0.0; 2]);
        for sample in samples {
            let x = *sample;
            let y = self.forward[0] * x + self.forward[1] * inputs[0] + self.forward[2] * inputs[1]
                - self.back[0] * outputs[0]
                - self.back[1] * outputs[1];
            (inputs, outputs) = ([x, inputs[0]], [y, outputs[0]]);
            *sample = y;
        }
    }
}
