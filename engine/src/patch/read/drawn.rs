//! Reads what is drawn in a patch: LFO waveforms and envelopes. Errors say what was expected.

use super::super::Patch;
use super::super::text::Content;
use crate::modulation::{Drawing, DrawnEnvelope, ENVELOPES, EnvelopePoint, LFOS, Point};

/// Reads the drawing of an LFO or an envelope.
pub(super) fn read(key: &str, content: &Content, patch: &mut Patch) -> Result<(), String> {
    let envelope = (0..ENVELOPES).find(|index| key == format!("drawn.env{}", index + 1));
    match envelope {
        Some(index) => patch.envelopes[index] = Some(read_envelope(content)?),
        None => {
            let (lfo, drawing) = read_drawing(key, content)?;
            patch.drawings[lfo] = drawing;
        }
    }
    Ok(())
}

/// A drawn envelope: the number of the point that is held, then time, level and curve of each point.
fn read_envelope(content: &Content) -> Result<DrawnEnvelope, String> {
    let expected = || {
        format!(
            "expected the number of the held point, then {} to {} points: seconds up to {}, a level from 0 to 1, a curve \
             from -1 to 1",
            DrawnEnvelope::FEWEST,
            DrawnEnvelope::MOST,
            DrawnEnvelope::LONGEST
        )
    };
    let Content::Numbers(numbers) = content else {
        return Err(expected());
    };
    let numbers: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
    let (held, rest) = numbers.split_first().ok_or_else(expected)?;
    let (points, more) = rest.as_chunks::<3>();
    let possible = more.is_empty()
        && (DrawnEnvelope::FEWEST..=DrawnEnvelope::MOST).contains(&points.len())
        && held.fract() == 0.0
        && (1.0..points.len() as f32).contains(held)
        && points.iter().all(|[seconds, level, curve]| {
            (0.0..=DrawnEnvelope::LONGEST).contains(seconds)
                && (0.0..=1.0).contains(level)
                && (-1.0..=1.0).contains(curve)
        });
    match possible {
        true => {
            let point =
                |&[seconds, level, curve]: &[f32; 3]| EnvelopePoint { seconds, level, curve };
            let points: Vec<EnvelopePoint> = points.iter().map(point).collect();
            Ok(DrawnEnvelope::new(&points, *held as usize - 1))
        }
        false => Err(expected()),
    }
}

/// The LFO that is named, and what is drawn for it: heights, or points of three numbers each. Errors say what was expected.
fn read_drawing(key: &str, content: &Content) -> Result<(usize, Drawing), String> {
    let find = |kind: &str| (0..LFOS).find(|lfo| key == format!("drawn.lfo{}{kind}", lfo + 1));
    let is_within = |numbers: &[f64]| numbers.iter().all(|number| number.abs() <= 1.0);
    let Content::Numbers(numbers) = content else {
        return Err(format!("expected lfo1 to lfo{LFOS} = [up to {} heights]", Drawing::MOST));
    };
    let few: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
    if let Some(lfo) = find("") {
        return match numbers.len() <= Drawing::MOST && is_within(numbers) {
            true => Ok((lfo, Drawing::new(&few))),
            false => Err(format!("expected up to {} heights of -1 to 1", Drawing::MOST)),
        };
    }
    let Some(lfo) = find("_points") else {
        return Err(format!("expected lfo1 to lfo{LFOS}, or lfo1_points to lfo{LFOS}_points"));
    };
    let (points, rest) = few.as_chunks::<3>();
    let possible = rest.is_empty()
        && points.len() <= Drawing::MOST_POINTS
        && is_within(numbers)
        && points.iter().all(|[x, ..]| *x >= 0.0);
    match possible {
        true => {
            let points = points.iter().map(|&[x, y, curve]| Point { x, y, curve });
            Ok((lfo, Drawing::from_points(&points.collect::<Vec<_>>())))
        }
        false => Err(format!(
            "expected up to {} points: the place of each, 0 to 1, its height and its curve, -1 to 1",
            Drawing::MOST_POINTS
        )),
    }
}
