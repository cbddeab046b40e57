//! The sound around a finding: a player and its waveform.

use crate::plot::{AMBER, Anchor, RED, Svg, VIOLET};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hound::WavReader;
use myriad_player::analysis::colour::{FAINT, Rgb};
use std::path::Path;

const SIZE: [f64; 2] = [960.0, 120.0];
const PANEL: Rgb = [0x0c, 0x0a, 0x18];

/// Milliseconds that are drawn before and after the finding.
const MILLISECONDS: f64 = 8.0;

/// An audio element that contains the sound, and its waveform; none when the file cannot be read.
pub(super) fn show(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let wave = wave(path)?;
    Some(format!(
        "<audio controls preload=\"none\" src=\"data:audio/wav;base64,{}\"></audio>\n{wave}",
        STANDARD.encode(bytes)
    ))
}

/// The waveform around the middle of the file.
fn wave(path: &Path) -> Option<String> {
    let mut wav = WavReader::open(path).ok()?;
    let rate = f64::from(wav.spec().sample_rate);
    let samples: Result<Vec<i32>, _> = wav.samples().collect();
    let samples = samples.ok()?;
    let frames = samples.len() / 2;
    let around = (MILLISECONDS / 1000.0 * rate) as usize;
    let middle = frames / 2;
    let range = middle.saturating_sub(around)..(middle + around).min(frames);
    let level = |frame: usize, side: usize| f64::from(samples[2 * frame + side]) / 8_388_608.0;
    let levels = range.clone().flat_map(|frame| [level(frame, 0), level(frame, 1)]);
    let top = levels.fold(1e-6, |top: f64, level| top.max(level.abs()));
    let mut svg = Svg::new(SIZE, PANEL);
    let across = |frame: usize| SIZE[0] * (frame - range.start) as f64 / range.len().max(1) as f64;
    let x = across(middle.min(range.end));
    svg.line([x, 0.0], [x, SIZE[1]], RED, 1.0);
    for (side, colour) in [VIOLET, AMBER].into_iter().enumerate() {
        let height = |level: f64| SIZE[1] / 2.0 - level / top * (SIZE[1] / 2.0 - 8.0);
        let points: Vec<[f64; 2]> =
            range.clone().map(|frame| [across(frame), height(level(frame, side))]).collect();
        svg.path(&points, colour, 1.2, false);
    }
    let caption = format!("{:.0} ms; full height is {top:.3}", 2.0 * MILLISECONDS);
    svg.text([8.0, 14.0], (12.0, FAINT, Anchor::Start), &caption);
    Some(svg.finish())
}
