//! Partials of a recorded note, by complex demodulation: the sound is turned back by the phase that a
//! partial should have, and what is left, averaged over a few periods, is how loud it is and how far
//! its phase is off. The window is as long as a whole number of periods, so that the other partials
//! of a harmonic sound fall on its zeros.

use super::sound::Sound;
use realfft::num_complex::Complex;
use std::f64::consts::TAU;

/// Periods that are averaged over.
const PERIODS: f64 = 3.0;

/// Moments at a regular distance, and how the pitch of the whole goes through them.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// Seconds from each moment to the next.
    pub(super) hop: f64,
    /// The pitch from each moment to the next, in Hertz.
    pub(super) pitches: Vec<f64>,
}

impl Course {
    pub(super) fn frames(&self) -> usize {
        self.pitches.len()
    }

    /// Turns of ratio 1 until each moment.
    pub(super) fn turns(&self) -> Vec<f64> {
        let mut sum = 0.0;
        let until = |pitch: &f64| {
            let before = sum;
            sum += pitch * self.hop;
            before
        };
        self.pitches.iter().map(until).collect()
    }

    /// The middle pitch: as many are above as below, so that a rough start does not count.
    pub(super) fn middle(&self) -> f64 {
        let mut sorted = self.pitches.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

/// A partial at each moment: its level, and how many turns it is ahead of where its ratio has it.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub(super) ratio: f64,
    pub(super) levels: Vec<f64>,
    pub(super) ahead: Vec<f64>,
    /// How steadily its phase moves, 0 to 1: what is no partial but noise has little.
    pub(super) steadiness: f64,
}

impl Partial {
    pub(super) fn power(&self) -> f64 {
        self.levels.iter().map(|level| level * level).sum()
    }

    /// Turns a second that it gains on its ratio, where it is loud.
    fn drift(&self, hop: f64) -> f64 {
        let steps = self.ahead.windows(2).zip(&self.levels);
        let (mut sum, mut weights) = (0.0, 1e-30);
        for (pair, level) in steps {
            sum += (pair[1] - pair[0]) * level * level;
            weights += level * level;
        }
        sum / weights / hop
    }
}

/// The partial of `sound` whose frequency is `ratio` times the course's.
pub(super) fn at_ratio(sound: &Sound, course: &Course, ratio: f64) -> Partial {
    let turned = turned_back(sound, course, ratio);
    let half = 0.5 * PERIODS * sound.rate / course.middle();
    let moment = |frame: usize| average(&turned, frame as f64 * course.hop * sound.rate, half);
    let moments: Vec<Complex<f64>> = (0..course.frames()).map(moment).collect();
    let mut ahead = Vec::with_capacity(moments.len());
    let (mut last, mut alike, mut all) = (0.0, Complex::new(0.0, 0.0), 1e-30);
    for (frame, now) in moments.iter().enumerate() {
        let turn = now.arg() / TAU;
        last = turn - (turn - last).round();
        ahead.push(last);
        if frame > 0 {
            alike += now * moments[frame - 1].conj();
            all += now.norm() * moments[frame - 1].norm();
        }
    }
    Partial {
        ratio,
        levels: moments.iter().map(|moment| 2.0 * moment.norm()).collect(),
        ahead,
        steadiness: alike.norm() / all,
    }
}

/// Every sample, turned back by the phase of `ratio`.
fn turned_back(sound: &Sound, course: &Course, ratio: f64) -> Vec<Complex<f64>> {
    let per_hop = course.hop * sound.rate;
    let last = course.frames() - 1;
    let mut out = Vec::with_capacity(sound.samples.len());
    for (frame, (turns, pitch)) in course.turns().iter().zip(&course.pitches).enumerate() {
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

/// The average around sample `middle`, by a raised cosine that ends `half` samples away. Where the
/// sound has not begun or has ended, the rest counts for all.
fn average(turned: &[Complex<f64>], middle: f64, half: f64) -> Complex<f64> {
    let first = (middle - half).ceil().max(0.0) as usize;
    let end = ((middle + half).floor() as usize + 1).min(turned.len());
    let turn = Complex::from_polar(1.0, std::f64::consts::PI / half);
    let start = (first as f64 - middle) / half;
    let mut cosine = Complex::from_polar(1.0, std::f64::consts::PI * start);
    let (mut sum, mut weights) = (Complex::new(0.0, 0.0), 1e-12);
    for value in turned.get(first..end).unwrap_or_default() {
        let weight = 0.5 + 0.5 * cosine.re;
        sum += value * weight;
        weights += weight;
        cosine *= turn;
    }
    sum / weights
}

/// Makes the course follow what the first partials do, the loudest most of all.
pub(super) fn refine(sound: &Sound, course: &mut Course) {
    const LOOKED_AT: usize = 6;
    let below = (0.45 * sound.rate / course.middle()) as usize;
    let partials: Vec<Partial> = (1..=LOOKED_AT.min(below.max(1)))
        .map(|n| at_ratio(sound, course, n as f64))
        .collect();
    for frame in 0..course.frames() - 1 {
        let (mut sum, mut weights) = (0.0, 1e-30);
        for partial in &partials {
            let level = partial.levels[frame].min(partial.levels[frame + 1]);
            let weight = level * level * partial.steadiness.powi(4);
            let gained = (partial.ahead[frame + 1] - partial.ahead[frame]) / course.hop;
            sum += weight * gained / partial.ratio;
            weights += weight;
        }
        // No more than a quarter tone at once: attacks are noisy.
        let most = 0.03 * course.pitches[frame];
        course.pitches[frame] += (sum / weights).clamp(-most, most);
    }
    if let [.., before, last] = &mut course.pitches[..] {
        *last = *before;
    }
}

/// Up to `most` partials, each where it really is: near a whole ratio, or where the stiffness of a
/// string has it, as found from those below.
pub(super) fn find(sound: &Sound, course: &Course, most: usize) -> Vec<Partial> {
    let highest = course
        .pitches
        .iter()
        .fold(0.0, |top: f64, &pitch| top.max(pitch));
    let mut partials: Vec<Partial> = Vec::new();
    // Least squares for the stiffness B in (ratio / n)² = 1 + B n².
    let (mut above, mut below) = (0.0_f64, 1e-9_f64);
    let mut loudest: f64 = 0.0;
    for number in 1..=most {
        let n = number as f64;
        let stiffness = (above / below).clamp(0.0, 0.01);
        let expected = n * (1.0 + stiffness * n * n).sqrt();
        if expected * highest > 0.48 * sound.rate {
            break;
        }
        let mut partial = at_ratio(sound, course, expected);
        let off = partial.drift(course.hop) / course.middle();
        let last = partials.last().map_or(0.0, |last| last.ratio);
        if partial.steadiness > 0.7 && off.abs() < 0.35 && expected + off > last + 0.3 {
            partial = at_ratio(sound, course, expected + off);
        }
        loudest = loudest.max(partial.power());
        if partial.steadiness > 0.9 && partial.power() > 1e-5 * loudest && number > 1 {
            let stretch = (partial.ratio / n).powi(2) - 1.0;
            let weight = partial.power().sqrt();
            above += weight * n * n * stretch;
            below += weight * n.powi(4);
        }
        partials.push(partial);
    }
    while partials.len() > 1
        && partials
            .last()
            .is_some_and(|last| last.power() < 1e-10 * loudest)
    {
        partials.pop();
    }
    partials
}

/// What the partials sound like together.
pub(super) fn sum(sound: &Sound, course: &Course, partials: &[Partial]) -> Vec<f32> {
    let turns = course.turns();
    let per_hop = course.hop * sound.rate;
    let mut out = vec![0.0; sound.samples.len()];
    for partial in partials {
        let phase = |frame: usize| partial.ratio * turns[frame] + partial.ahead[frame];
        for frame in 0..course.frames() - 1 {
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
