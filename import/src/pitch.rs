//! Pitch detection of a recorded note, over time.
//!
//! By the normalised square difference function, NSDF (McLeod and Wyvill, "A smarter way to find pitch",
//! 2005): the similarity of the sound to itself at each lag.

use super::sound::Sound;

/// The range of detected pitches, in Hertz.
const LOWEST: f64 = 25.0;
const HIGHEST: f64 = 4_500.0;

/// The least NSDF peak of a pitch.
const CLEAR: f64 = 0.7;

/// The pitch of the whole sound: the median of its parts, weighted by their power.
pub(super) fn of_sound(sound: &Sound) -> Option<f64> {
    let length = ((3.0 * sound.rate / LOWEST) as usize).min(sound.samples.len());
    let step = (length / 2).max(1);
    let mut found: Vec<(f64, f64)> = Vec::new();
    for start in (0..=sound.samples.len() - length).step_by(step) {
        let part = &sound.samples[start..start + length];
        let power: f64 = part.iter().map(|&x| f64::from(x).powi(2)).sum();
        if let Some((hertz, nsdf)) = of_part(part, sound.rate)
            && nsdf > CLEAR
        {
            found.push((hertz, power * nsdf.powi(4)));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half: f64 = found.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let median = found.iter().find(|(_, weight)| {
        sum += weight;
        sum >= half
    });
    median.map(|&(hertz, _)| hertz)
}

/// The pitch of a part of a sound, and its NSDF peak, 0 to 1.
fn of_part(part: &[f32], rate: f64) -> Option<(f64, f64)> {
    let longest = ((rate / LOWEST) as usize).min(part.len() / 2);
    let shortest = (rate / HIGHEST) as usize;
    let nsdf = nsdf(part, longest + 1);
    // Lags before the first negative value are skipped: small lags are always similar.
    let dip = (1..longest).find(|&lag| nsdf[lag] < 0.0)?;
    let peaks = (dip.max(shortest).max(1)..longest)
        .filter(|&lag| nsdf[lag] >= nsdf[lag - 1] && nsdf[lag] > nsdf[lag + 1]);
    let peaks: Vec<usize> = peaks.collect();
    let highest = peaks.iter().map(|&lag| nsdf[lag]).fold(0.0, f64::max);
    // Multiples of the period have about the same peak: the first that is nearly the highest is the period.
    let lag = *peaks.iter().find(|&&lag| nsdf[lag] > 0.93 * highest)?;
    Some((rate / (lag as f64 + peak_offset(&nsdf, lag)), nsdf[lag]))
}

/// How far the vertex of the parabola through three points is from the middle one.
fn peak_offset(nsdf: &[f64], lag: usize) -> f64 {
    let [a, b, c] = [lag - 1, lag, lag + 1].map(|lag| nsdf[lag]);
    let bend = a - 2.0 * b + c;
    if bend < 0.0 { 0.5 * (a - c) / bend } else { 0.0 }
}

/// The NSDF for each lag below `lags`.
fn nsdf(part: &[f32], lags: usize) -> Vec<f64> {
    let length = (part.len() + lags).next_power_of_two();
    let mut time = vec![0.0; length];
    for (to, &from) in time.iter_mut().zip(part) {
        *to = f64::from(from);
    }
    let squares: Vec<f64> = part.iter().map(|&x| f64::from(x).powi(2)).collect();
    let mut spectrum = myriad_measure::forward(&mut time);
    for bin in &mut spectrum {
        *bin = (bin.norm_sqr() / length as f64).into();
    }
    let time = myriad_measure::inverse(&mut spectrum, length);
    let mut power = 2.0 * squares.iter().sum::<f64>();
    // The power that leaves the two compared parts from lag to lag, at either end.
    let ends = squares.iter().zip(squares.iter().rev());
    let lost = ends.map(|(first, last)| first + last);
    let product_and_loss = time.iter().zip(lost.chain(std::iter::repeat(0.0)));
    let nsdf = product_and_loss.take(lags).map(|(product, lost)| {
        let nsdf = 2.0 * product / power.max(1e-12);
        power -= lost;
        nsdf
    });
    nsdf.collect()
}

/// The pitch at each of `frames` times, `hop` seconds apart: near `hertz`, and unchanged where it is
/// unclear.
pub(super) fn track(sound: &Sound, hertz: f64, frames: usize, hop: f64) -> Vec<f64> {
    /// The largest ratio to `hertz`: more than a wide vibrato.
    const FARTHEST: f64 = 1.07;
    let period = sound.rate / hertz;
    let length = ((4.0 * period) as usize + 2).min(sound.samples.len());
    let mut last = hertz;
    let at = |frame: usize| {
        let middle = (frame as f64 * hop * sound.rate) as usize;
        let start = middle.saturating_sub(length / 2).min(sound.samples.len() - length);
        let part = &sound.samples[start..start + length];
        let (low, high) = ((period / FARTHEST) as usize, (period * FARTHEST) as usize + 2);
        let nsdf = nsdf(part, (high + 1).min(length));
        let inside = low.max(1)..high.min(nsdf.len().saturating_sub(1));
        let best = inside.max_by(|&a, &b| nsdf[a].total_cmp(&nsdf[b]));
        if let Some(lag) = best.filter(|&lag| lag > low && nsdf[lag] > CLEAR) {
            let offset = peak_offset(&nsdf, lag).clamp(-1.0, 1.0);
            last = sound.rate / (lag as f64 + offset);
        }
        last
    };
    (0..frames).map(at).collect()
}
