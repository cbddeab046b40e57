//! Partials of a recorded note, by complex demodulation: the sound is multiplied by the conjugate of the
//! expected partial, and the average over a few periods is its level and phase offset. The window is a
//! whole number of periods long, so that the other partials of a harmonic sound fall on its zeros.

use super::ImportError;
use super::sound::Sound;
use myriad_measure::Complex;
use std::f64::consts::TAU;

/// Periods of the window.
const PERIODS: f64 = 3.0;

/// The pitch of the sound over time.
#[derive(Clone, Debug)]
pub(super) struct PitchTrack {
    /// Seconds from each frame to the next.
    pub(super) hop: f64,
    /// The pitch from each frame to the next, in Hertz.
    pub(super) pitches: Vec<f64>,
}

impl PitchTrack {
    pub(super) fn frames(&self) -> usize {
        self.pitches.len()
    }

    /// The phase of ratio 1 at each frame, in turns.
    pub(super) fn phases(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let until = |pitch: &f64| {
            let before = sum;
            sum += pitch * self.hop;
            before
        };
        self.pitches.iter().map(until).collect()
    }

    /// The median, which ignores an unclear attack.
    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.pitches.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

/// A partial: its level and its phase offset in turns at each frame.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub(super) ratio: f64,
    pub(super) levels: Vec<f64>,
    pub(super) phase_offsets: Vec<f64>,
    /// Coherence of the phase from frame to frame, 0 to 1; it is low for noise.
    pub(super) coherence: f64,
}

impl Partial {
    pub(super) fn power(&self) -> f64 {
        self.levels.iter().map(|level| level * level).sum()
    }

    /// The mean frequency offset from its ratio in Hertz, weighted by its power.
    fn drift(&self, hop: f64) -> f64 {
        let steps = self.phase_offsets.windows(2).zip(&self.levels);
        let (mut sum, mut weights) = (0.0, 1e-30);
        for (pair, level) in steps {
            sum += (pair[1] - pair[0]) * level * level;
            weights += level * level;
        }
        sum / weights / hop
    }
}

/// The partial of `sound` at `ratio` times its pitch.
pub(super) fn at_ratio(sound: &Sound, track: &PitchTrack, ratio: f64) -> Partial {
    let demodulated = demodulate(sound, track, ratio);
    let half = 0.5 * PERIODS * sound.rate / track.median();
    let moment = |frame: usize| average(&demodulated, frame as f64 * track.hop * sound.rate, half);
    let moments: Vec<Complex<f64>> = (0..track.frames()).map(moment).collect();
    let mut phase_offsets = Vec::with_capacity(moments.len());
    let (mut last, mut coherent, mut all) = (0.0, Complex::new(0.0, 0.0), 1e-30);
    for (frame, now) in moments.iter().enumerate() {
        let turn = now.arg() / TAU;
        last = turn - (turn - last).round();
        phase_offsets.push(last);
        if frame > 0 {
            coherent += now * moments[frame - 1].conj();
            all += now.norm() * moments[frame - 1].norm();
        }
    }
    Partial {
        ratio,
        levels: moments.iter().map(|moment| 2.0 * moment.norm()).collect(),
        phase_offsets,
        coherence: coherent.norm() / all,
    }
}

/// The sound, multiplied by the conjugate of a partial at `ratio`.
fn demodulate(sound: &Sound, track: &PitchTrack, ratio: f64) -> Vec<Complex<f64>> {
    let per_hop = track.hop * sound.rate;
    let last = track.frames() - 1;
    let mut out = Vec::with_capacity(sound.samples.len());
    for (frame, (turns, pitch)) in track.phases().iter().zip(&track.pitches).enumerate() {
        let begin = frame as f64 * per_hop;
        let end = match frame == last {
            true => sound.samples.len(),
            false => ((begin + per_hop).ceil() as usize).min(sound.samples.len()),
        };
        let step = ratio * pitch / sound.rate;
        let phase = ratio * turns + step * (out.len() as f64 - begin);
        let mut now = Complex::from_polar(1.0, -TAU * phase.fract());
        let turn = Complex::from_polar(1.0, -TAU * step);
        for &sample in &sound.samples[out.len().min(end)..end] {
            out.push(now * f64::from(sample));
            now *= turn;
        }
    }
    out
}

/// The average around sample `middle` with a Hann window that ends `half` samples away, over those samples
/// that exist.
fn average(demodulated: &[Complex<f64>], middle: f64, half: f64) -> Complex<f64> {
    let first = (middle - half).ceil().max(0.0) as usize;
    let end = ((middle + half).floor() as usize + 1).min(demodulated.len());
    let turn = Complex::from_polar(1.0, std::f64::consts::PI / half);
    let start = (first as f64 - middle) / half;
    let mut cosine = Complex::from_polar(1.0, std::f64::consts::PI * start);
    let (mut sum, mut weights) = (Complex::new(0.0, 0.0), 1e-12);
    for value in demodulated.get(first..end).unwrap_or_default() {
        let weight = 0.5 + 0.5 * cosine.re;
        sum += value * weight;
        weights += weight;
        cosine *= turn;
    }
    sum / weights
}

/// Refines the pitch by the first partials, weighted by their power.
pub(super) fn refine(sound: &Sound, track: &mut PitchTrack) {
    const PARTIALS: usize = 6;
    let below = (0.45 * sound.rate / track.median()) as usize;
    let partials: Vec<Partial> =
        (1..=PARTIALS.min(below.max(1))).map(|n| at_ratio(sound, track, n as f64)).collect();
    for frame in 0..track.frames() - 1 {
        let (mut sum, mut weights) = (0.0, 1e-30);
        for partial in &partials {
            let level = partial.levels[frame].min(partial.levels[frame + 1]);
            let weight = level * level * partial.coherence.powi(4);
            let gained =
                (partial.phase_offsets[frame + 1] - partial.phase_offsets[frame]) / track.hop;
            sum += weight * gained / partial.ratio;
            weights += weight;
        }
        // At most a quarter tone at once, because attacks are noisy.
        let most = 0.03 * track.pitches[frame];
        track.pitches[frame] += (sum / weights).clamp(-most, most);
    }
    if let [.., before, last] = &mut track.pitches[..] {
        *last = *before;
    }
}

/// Up to `most` partials at their exact ratios: near whole numbers, stretched by the stiffness of a string
/// as estimated from the partials below. `step` hears of each.
pub(super) fn find(
    sound: &Sound,
    track: &PitchTrack,
    most: usize,
    step: impl Fn(usize, usize) -> Result<(), ImportError>,
) -> Result<Vec<Partial>, ImportError> {
    let highest = track.pitches.iter().fold(0.0, |top: f64, &pitch| top.max(pitch));
    let mut partials: Vec<Partial> = Vec::new();
    // Least squares for the stiffness B in (ratio / n)² = 1 + B n².
    let (mut above, mut below) = (0.0_f64, 1e-9_f64);
    let mut loudest: f64 = 0.0;
    let expected = most.min((0.48 * sound.rate / highest.max(1.0)) as usize + 1);
    for number in 1..=most {
        step(number.min(expected), expected)?;
        let n = number as f64;
        let stiffness = (above / below).clamp(0.0, 0.01);
        let expected = n * (1.0 + stiffness * n * n).sqrt();
        if expected * highest > 0.48 * sound.rate {
            break;
        }
        let mut partial = at_ratio(sound, track, expected);
        let off = partial.drift(track.hop) / track.median();
        let last = partials.last().map_or(0.0, |last| last.ratio);
        if partial.coherence > 0.7 && off.abs() < 0.35 && expected + off > last + 0.3 {
            partial = at_ratio(sound, track, expected + off);
        }
        loudest = loudest.max(partial.power());
        if partial.coherence > 0.9 && partial.power() > 1e-5 * loudest && number > 1 {
            let stretch = (partial.ratio / n).powi(2) - 1.0;
            let weight = partial.power().sqrt();
            above += weight * n * n * stretch;
            below += weight * n.powi(4);
        }
        partials.push(partial);
    }
    while partials.len() > 1 && partials.last().is_some_and(|last| last.power() < 1e-10 * loudest) {
        partials.pop();
    }
    Ok(partials)
}

/// Synthesises the sum of the partials.
pub(super) fn sum(sound: &Sound, track: &PitchTrack, partials: &[Partial]) -> Vec<f32> {
    let phases = track.phases();
    let per_hop = track.hop * sound.rate;
    let mut out = vec![0.0; sound.samples.len()];
    for partial in partials {
        let phase = |frame: usize| partial.ratio * phases[frame] + partial.phase_offsets[frame];
        for frame in 0..track.frames() - 1 {
            let start = (frame as f64 * per_hop).ceil() as usize;
            let end = (((frame + 1) as f64 * per_hop).ceil() as usize).min(out.len());
            let (from, to) = (phase(frame), phase(frame + 1));
            let levels = (partial.levels[frame], partial.levels[frame + 1]);
            let way = start as f64 / per_hop - frame as f64;
            let mut now = Complex::from_polar(1.0, TAU * (from + (to - from) * way).fract());
            let turn = Complex::from_polar(1.0, TAU * (to - from) / per_hop);
            for (index, out) in out[start.min(end)..end].iter_mut().enumerate() {
                let way = way + index as f64 / per_hop;
                *out += (now.re * (levels.0 + (levels.1 - levels.0) * way)) as f32;
                now *= turn;
            }
        }
    }
    out
}
