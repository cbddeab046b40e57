//! Batches that take long overlap when a device renders them: the next one is computed before the last one is finished.

use crate::lockstep::*;
use myriad_conformance::testing::*;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer, VoiceBlock,
};
use myriad_engine::{EventKind, factory};
use myriad_live::stream;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// What a test knows of a device, and decides.
#[derive(Default)]
struct Seen {
    in_flight: AtomicUsize,
    most_in_flight: AtomicUsize,
    is_finished: AtomicBool,
}

/// A device that takes two blocks and most of the time that they sound.
struct Device {
    cpu: CpuRenderer,
    is_asynchronous: bool,
    blocks: VecDeque<Arc<VoiceBlock>>,
    seen: Arc<Seen>,
}

impl Renderer for Device {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.cpu.prepare(capacity)
    }

    fn reset(&mut self) {
        self.blocks.clear();
        self.cpu.reset();
    }

    fn depth(&self) -> usize {
        2
    }

    fn is_asynchronous(&self) -> bool {
        self.is_asynchronous
    }

    fn is_finished(&mut self) -> bool {
        self.seen.is_finished.load(Relaxed)
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.blocks.push_back(Arc::clone(block));
        self.seen.in_flight.store(self.blocks.len(), Relaxed);
        self.seen.most_in_flight.fetch_max(self.blocks.len(), Relaxed);
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        // A load, so that it is worth it.
        std::thread::sleep(Duration::from_millis(1));
        let block = self.blocks.pop_front().ok_or(RenderError::OutOfTurn)?;
        self.seen.in_flight.store(self.blocks.len(), Relaxed);
        self.cpu.render(&block, buses)
    }
}

const DEPTH: usize = 224;

/// A stream whose batches take long.
fn slow(is_asynchronous: bool) -> (Lockstep, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let device = Device {
        cpu: CpuRenderer::new(1),
        is_asynchronous,
        blocks: VecDeque::new(),
        seen: Arc::clone(&seen),
    };
    let (control, audio, mut render) = stream::build(&config(DEPTH), Box::new(device)).unwrap();
    control.set_patch(0, factory::find("Aurora").unwrap()).unwrap();
    render.step();
    let mut stream = Lockstep { control, audio, render, heard: [Vec::new(), Vec::new()] };
    stream.play_64(&[(0, on(45))], 64 * 200);
    (stream, seen)
}

#[test]
fn batches_overlap_and_one_that_is_rendered_is_published_at_once() {
    let (mut stream, seen) = slow(true);
    assert_eq!(seen.in_flight.load(Relaxed), 1, "one batch is on its way");
    assert_eq!(stream.control.status().fill, DEPTH - 64);
    stream.render.step();
    assert_eq!(stream.control.status().fill, DEPTH - 64, "nobody waits for it");
    seen.is_finished.store(true, Relaxed);
    stream.render.step();
    assert_eq!(stream.control.status().fill, DEPTH);
    assert_eq!(stream.control.status().underruns, 0);
    assert_eq!(seen.most_in_flight.load(Relaxed), 2);
    // A ring that would be nearly empty without it.
    seen.is_finished.store(false, Relaxed);
    stream.play(&[], 960, &mut [96].into_iter().cycle());
    assert_eq!(stream.control.status().fill, DEPTH);
}

#[test]
fn overlapping_batches_change_no_sample() {
    let later = |from: usize, events: &[(usize, EventKind)]| -> Vec<_> {
        events.iter().map(|&(time, kind)| (from + time, kind)).collect()
    };
    let [overlapping, plain] = [true, false].map(|is_asynchronous| {
        let (mut stream, seen) = slow(is_asynchronous);
        let events = later(12_800, &[(7, on(52)), (500, off(45)), (1_000, cc(1, 0.7))]);
        stream.play(&events, 2_000, &mut [64, 64, 17, 64, 1, 200, 64].into_iter().cycle());
        // Another patch waits for the batch that is begun, and so does the end.
        stream.control.set_patch(0, factory::find("Velvet Tines").unwrap()).unwrap();
        stream.play_64(&later(14_800, &[(30, on(60))]), 1_280);
        stream.control.stop();
        stream.play_64(&[], 2_560);
        assert_eq!(seen.most_in_flight.load(Relaxed), if is_asynchronous { 2 } else { 1 });
        assert_eq!(seen.in_flight.load(Relaxed), 0);
        assert!(stream.render.has_ended());
        stream.heard
    });
    let differs = overlapping[0].iter().zip(&plain[0]).position(|(a, b)| a != b);
    assert_eq!(differs, None);
    assert!(overlapping == plain);
}
