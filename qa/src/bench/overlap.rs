//! One block at a time against several in flight: the time that is saved by writing the next block
//! while a GPU still renders the last.

use super::candidate::Candidate;
use super::figure::{Figure, median};
use super::load::{Load, Spectrum};
use super::rounds::{Pace, Plan, ROUNDS, in_rounds, period, timed};
use indicatif::ProgressBar;
use myriad_engine::render::{Buses, Capacity, Renderer, TICK, VoiceBlock};
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// Voices, partials of a voice and ticks: as played live, and as a bounce of a large score.
const CASES: [(usize, usize, usize); 2] = [(1_024, 64, 2), (8_192, 256, 8)];

/// How many blocks follow each other before the last ones are waited for.
const STRETCH: usize = 16;

/// Microseconds a block, written and rendered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Overlap {
    pub renderer: String,
    pub voices: usize,
    /// Of a voice.
    pub partials: usize,
    pub frames: usize,
    /// Each collected before the next is written.
    pub alone: Figure,
    /// As many in flight as the renderer takes.
    pub overlapped: Figure,
    /// How many blocks those are.
    pub depth: usize,
}

/// Measures the candidates that take more than one block at a time.
pub(super) fn measure(candidates: &[Candidate], plan: &Plan) -> Result<Vec<Overlap>, Failure> {
    let mut rows = Vec::new();
    for candidate in candidates {
        for case in CASES.into_iter().filter(|_| !interrupt::requested()) {
            let length = plan.piece(0.02, 2 * CASES.len() * ROUNDS);
            rows.extend(measure_case(candidate, case, length)?);
        }
    }
    Ok(rows)
}

/// None when the renderer takes one block at a time.
fn measure_case(
    candidate: &Candidate,
    (voices, partials, ticks): (usize, usize, usize),
    length: Duration,
) -> Result<Option<Overlap>, Failure> {
    let capacity = Capacity { slots: voices, buses: 1 };
    let mut renderer = candidate.renderer();
    renderer.prepare(capacity).map_err(Failure::failed)?;
    if renderer.depth() < 2 {
        return Ok(None);
    }
    let load = Load { clouds: voices, partials, spectrum: Spectrum::Filtered };
    let depth = renderer.depth();
    let mut blocks: Vec<_> =
        (0..depth).map(|_| Arc::new(VoiceBlock::new(capacity.slots))).collect();
    let mut number = 0;
    let times = in_rounds(&mut [1, depth], &ProgressBar::hidden(), |depth| {
        let stretch = || {
            let blocks = &mut blocks[..*depth];
            let (seconds, sent) = timed(|| send(&mut *renderer, &load, ticks, &mut number, blocks));
            sent.map(|()| seconds / STRETCH as f64)
        };
        Ok(median(&Pace::BackToBack.run(period(ticks), length, stretch)?))
    })?;
    let figure = |times: &Vec<f64>| Some(Figure::of_rounds(times)?.scaled(1e6));
    let [alone, overlapped] = [figure(&times[0]), figure(&times[1])];
    Ok(alone.zip(overlapped).map(|(alone, overlapped)| Overlap {
        renderer: candidate.id().to_owned(),
        voices,
        partials,
        frames: ticks * TICK,
        alone,
        overlapped,
        depth,
    }))
}

/// Writes and renders [`STRETCH`] blocks, as many in flight as there are `blocks`.
fn send(
    renderer: &mut dyn Renderer,
    load: &Load,
    ticks: usize,
    number: &mut usize,
    blocks: &mut [Arc<VoiceBlock>],
) -> Result<(), Failure> {
    let mut buses = Buses::new(1);
    let depth = blocks.len();
    for sent in 0..STRETCH + depth {
        if sent >= depth {
            renderer.collect(&mut buses).map_err(Failure::failed)?;
        }
        if sent < STRETCH {
            let block = &mut blocks[sent % depth];
            load.fill(block, ticks, *number);
            renderer.submit(block).map_err(Failure::failed)?;
            *number += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::render::{PrepareError, RenderError};

    /// Counts blocks in flight, and the most of them.
    struct Counting {
        in_flight: usize,
        most: usize,
        rendered: usize,
    }

    impl Renderer for Counting {
        fn prepare(&mut self, _: Capacity) -> Result<(), PrepareError> {
            Ok(())
        }

        fn reset(&mut self) {}

        fn submit(&mut self, _: &Arc<VoiceBlock>) -> Result<(), RenderError> {
            self.in_flight += 1;
            self.most = self.most.max(self.in_flight);
            Ok(())
        }

        fn collect(&mut self, _: &mut Buses) -> Result<usize, RenderError> {
            self.in_flight -= 1;
            self.rendered += 1;
            Ok(0)
        }
    }

    #[test]
    fn as_many_blocks_are_in_flight_as_reported() {
        let load = Load { clouds: 4, partials: 16, spectrum: Spectrum::Table };
        for depth in 1..4 {
            let mut renderer = Counting { in_flight: 0, most: 0, rendered: 0 };
            let mut blocks: Vec<_> = (0..depth).map(|_| Arc::new(VoiceBlock::new(4))).collect();
            send(&mut renderer, &load, 2, &mut 0, &mut blocks).unwrap();
            assert_eq!((renderer.most, renderer.rendered), (depth, STRETCH));
            assert_eq!(renderer.in_flight, 0);
        }
    }
}
