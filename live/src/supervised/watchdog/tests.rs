#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

use super::*;
use crate::fault::{Fault, FaultRenderer, Faults};
use crate::supervised::Load;
use crate::workload::workload;
use myriad_engine::render::CpuRenderer;

const CAPACITY: Capacity = Capacity { slots: 4, buses: 1 };

fn block(number: usize) -> Arc<VoiceBlock> {
    let load = Load { ticks: 1 + number, clouds: 1, partials: 20 };
    Arc::new(workload(CAPACITY.slots, load, number == 0))
}

fn watched(faults: &Arc<Faults>, render_timeout: Duration) -> WatchdogRenderer {
    let gpu = FaultRenderer::new(Box::new(CpuRenderer::new(1)), Arc::clone(faults));
    let config = WatchdogConfig { render_timeout, ..WatchdogConfig::default() };
    let mut watched = WatchdogRenderer::new(Box::new(gpu), config);
    watched.prepare(CAPACITY).unwrap();
    watched
}

#[test]
fn blocks_are_rendered_in_order_and_returned() {
    let mut watched = watched(&Arc::default(), Duration::from_secs(10));
    let mut cpu = CpuRenderer::new(1);
    cpu.prepare(CAPACITY).unwrap();
    let (mut sound, mut expected) = (Buses::new(1), Buses::new(1));
    // More than the renderer takes at once: they wait their turn.
    let blocks: Vec<_> = (0..6).map(block).collect();
    let mut ahead = blocks.iter();
    ahead.by_ref().take(DEPTH - 1).for_each(|next| watched.submit(next).unwrap());
    for block in &blocks {
        if let Some(next) = ahead.next() {
            watched.submit(next).unwrap();
            assert_eq!(watched.submit(next), Err(RenderError::OutOfTurn), "no place is left");
        }
        watched.collect(&mut sound).unwrap();
        cpu.render(block, &mut expected).unwrap();
        let frames = block.ticks() * myriad_engine::TICK;
        assert_eq!(sound.bus(0)[0][..frames], expected.bus(0)[0][..frames]);
    }
    // So that the caller can fill them again.
    assert!(blocks.into_iter().all(|block| Arc::into_inner(block).is_some()));
    assert_eq!(watched.collect(&mut sound), Err(RenderError::OutOfTurn));
}

#[test]
fn a_reset_forgets_blocks_in_flight_and_keeps_their_memory() {
    let mut watched = watched(&Arc::default(), Duration::from_secs(10));
    let mut sound = Buses::new(1);
    for _ in 0..3 {
        watched.submit(&block(0)).unwrap();
        watched.submit(&block(1)).unwrap();
        watched.reset();
        assert_eq!(watched.collect(&mut sound), Err(RenderError::OutOfTurn));
    }
    watched.submit(&block(0)).unwrap();
    watched.collect(&mut sound).unwrap();
    let mut expected = Buses::new(1);
    let mut cpu = CpuRenderer::new(1);
    cpu.prepare(CAPACITY).unwrap();
    cpu.render(&block(0), &mut expected).unwrap();
    assert_eq!(sound.bus(0)[0][..myriad_engine::TICK], expected.bus(0)[0][..myriad_engine::TICK]);
}

#[test]
fn a_hanging_thread_is_abandoned() {
    let faults: Arc<Faults> = Arc::default();
    let mut watched = watched(&faults, Duration::from_millis(200));
    let mut sound = Buses::new(1);
    faults.set(Fault::Hang);
    let blocks = [block(0), block(1)];
    for block in &blocks {
        watched.submit(block).unwrap();
    }
    let late = Err(RenderError::Late { milliseconds: 200 });
    assert_eq!(watched.collect(&mut sound), late);
    assert_eq!(watched.collect(&mut sound), late);
    assert_eq!(watched.submit(&blocks[0]).map(|()| 0), late);
    assert!(watched.prepare(CAPACITY).is_err());
    // It keeps what it hangs with: the block is copied from, not changed.
    assert!(Arc::strong_count(&blocks[0]) > 1);
    // Would take half a minute if it waited for the thread.
    drop(watched);
    faults.set(Fault::None);
}

#[test]
fn a_panicking_thread_is_a_loss() {
    let faults: Arc<Faults> = Arc::default();
    let mut watched = watched(&faults, Duration::from_secs(10));
    faults.set(Fault::Panic);
    let error = watched.render(&block(0), &mut Buses::new(1)).unwrap_err();
    assert!(error.to_string().contains("has ended"), "{error}");
}
