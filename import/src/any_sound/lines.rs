//! The lines that a page draws of any sound: its loudest peaks, joined from moment to moment.

use super::super::overview::PartialLine;
use super::peaks::Peak;

/// The most lines, and the most peaks of a moment that are looked at.
const MOST_LINES: usize = 160;
const MOST_PEAKS: usize = 24;

/// How far a line moves from a moment to the next, as a ratio.
const FARTHEST: f64 = 1.06;

/// Shorter lines are noise, in moments.
const SHORTEST: usize = 4;

/// The lines of moments that are `hop` seconds apart and begin `from` seconds into the sound.
pub(super) fn draw(moments: &[Vec<Peak>], hop: f64, from: f64) -> Vec<PartialLine> {
    let mut lines: Vec<Vec<(usize, Peak)>> = Vec::new();
    // Lines that reach the last moment.
    let mut open: Vec<usize> = Vec::new();
    for (moment, peaks) in moments.iter().enumerate() {
        let mut loudest = peaks.clone();
        loudest.sort_by(|a, b| b.level.total_cmp(&a.level));
        loudest.truncate(MOST_PEAKS);
        let mut reached = Vec::with_capacity(loudest.len());
        for peak in loudest {
            let off = |line: usize| {
                let last = lines[line].last().map_or(0.0, |(_, last)| last.hertz);
                (last / peak.hertz).max(peak.hertz / last.max(1e-9))
            };
            let nearest = (0..open.len()).min_by(|&a, &b| off(open[a]).total_cmp(&off(open[b])));
            match nearest.filter(|&index| off(open[index]) < FARTHEST) {
                Some(index) => {
                    let line = open.swap_remove(index);
                    lines[line].push((moment, peak));
                    reached.push(line);
                }
                None => {
                    reached.push(lines.len());
                    lines.push(vec![(moment, peak)]);
                }
            }
        }
        open = reached;
    }
    lines.retain(|line| line.len() >= SHORTEST);
    let power =
        |line: &[(usize, Peak)]| line.iter().map(|(_, peak)| peak.level.powi(2)).sum::<f64>();
    lines.sort_by(|a, b| power(b).total_cmp(&power(a)));
    lines.truncate(MOST_LINES);
    let levels = lines.iter().flatten().map(|(_, peak)| peak.level);
    let top = levels.fold(1e-9, f64::max);
    let point = |&(moment, peak): &(usize, Peak)| {
        let seconds = from + moment as f64 * hop;
        [seconds as f32, peak.hertz as f32, (peak.level / top) as f32]
    };
    lines.iter().map(|line| PartialLine { points: line.iter().map(point).collect() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A glide and a steady tone are a line each; a peak of one moment is none.
    #[test]
    fn peaks_are_joined() {
        let peak = |hertz: f64| Peak { hertz, level: 0.5, phase: 0.0 };
        let moment = |n: usize| {
            let mut peaks = vec![peak(300.0), peak(1_000.0 * 1.03_f64.powi(n as i32))];
            peaks.extend((n == 10).then(|| peak(5_000.0)));
            peaks
        };
        let moments: Vec<Vec<Peak>> = (0..20).map(moment).collect();
        let lines = draw(&moments, 0.01, 2.0);
        assert_eq!(lines.len(), 2);
        for line in lines {
            assert_eq!(line.points.len(), 20);
            assert_eq!(line.points[0][0], 2.0);
            let [first, last] = [line.points[0][1], line.points[19][1]];
            assert!((first, last) == (300.0, 300.0) || (first == 1_000.0 && last > 1_700.0));
        }
    }
}
