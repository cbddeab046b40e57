//! A seat: one visitor's instrument, which workers of the pool render, and the queues to its connection.

use crate::clock::Clock;
use crate::config::{RATE, SEAT_CLOUDS, SEAT_VOICES, ServeConfig};
use crate::protocol::{ClientStats, PacketHeader};
use myriad_engine::patch::Playable;
use myriad_engine::render::{CpuRenderer, Renderer};
use myriad_engine::{
    BoundedEvents, Counters, Engine, EngineConfig, EngineError, Event, SnapshotReceiver,
    SnapshotSender, TimedEvent, snapshots,
};
use myriad_live::supervised::{Preference, SupervisedRenderer, wall_clock};
use myriad_live::{Purpose, RendererChoice, RendererHandle, RendererKind};
use ringbuf::traits::{Consumer, Observer, Producer, Split};
use ringbuf::{HeapCons, HeapProd, HeapRb};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Events that wait for their time.
const EVENTS: usize = 4_096;

/// Events that one block can hold; the others wait for the next one.
const BLOCK_EVENTS: usize = 512;

/// Patches that wait for the next block.
const PATCHES: usize = 2;

/// Below this level sound is silence: 40 dB under the last bit of a 24-bit file.
const SILENCE: f32 = 1e-9;

/// One visitor's instrument.
pub(crate) struct Seat {
    pub(crate) id: u64,
    pub(crate) joined: Instant,
    instrument: Mutex<Instrument>,
    output: Mutex<Output>,
    /// The blocks of the last rounds, for the mix of a jam.
    pub(crate) jam: Option<Mutex<JamBlocks>>,
    /// Whether it waits for a worker, or one renders it.
    pub(crate) is_queued: AtomicBool,
    /// Whether its connection is gone.
    pub(crate) is_closed: AtomicBool,
    /// The next round to render. Only the worker that renders it writes this; the mix of a jam reads it.
    pub(crate) next_round: AtomicU64,
    /// Wakes its connection when there is sound to send.
    pub(crate) wake: Notify,
    pub(crate) counters: SeatCounters,
    info: Mutex<SeatInfo>,
    renderer: Option<RendererHandle>,
}

/// What the operator sees of a seat, as it is rendered.
#[derive(Debug, Default)]
pub(crate) struct SeatCounters {
    /// The largest samples since the last look, as bits: those of positive numbers are ordered.
    peak: [AtomicU32; 2],
    pub(crate) voices: AtomicUsize,
    pub(crate) partials: AtomicUsize,
    /// Rendering time of the last blocks as a share of their duration, as bits.
    load: AtomicU32,
    /// Blocks that were ready too late.
    pub(crate) missed: AtomicU64,
    /// Blocks that were not rendered because their time had passed.
    pub(crate) skipped: AtomicU64,
    /// Blocks that were dropped because the client was slow.
    pub(crate) dropped: AtomicU64,
    /// Events beyond the capacity of the queue.
    pub(crate) refused: AtomicU64,
}

impl SeatCounters {
    pub(crate) fn load(&self) -> f32 {
        f32::from_bits(self.load.load(Relaxed))
    }

    /// What sounds.
    pub(crate) fn sounding(&self) -> Counters {
        let [voices, partials] = [&self.voices, &self.partials].map(|count| count.load(Relaxed));
        Counters { voices, partials, ..Counters::default() }
    }

    pub(crate) fn take_peak(&self) -> [f32; 2] {
        self.peak.each_ref().map(|peak| f32::from_bits(peak.swap(0, Relaxed)))
    }
}

/// What the operator sees of a seat, as its connection knows it.
#[derive(Debug, Default)]
pub(crate) struct SeatInfo {
    pub(crate) patch: String,
    pub(crate) stats: ClientStats,
    /// Whether its sound goes as datagrams.
    pub(crate) has_datagrams: bool,
}

/// The engine and the render side's ends of its queues.
struct Instrument {
    engine: Engine,
    events: HeapCons<TimedEvent<u64>>,
    patches: HeapCons<Box<Playable>>,
    former_patches: HeapProd<Box<Playable>>,
    snapshots: SnapshotSender,
    /// Memory for a block.
    block_events: Vec<Event>,
    sound: [Vec<f32>; 2],
    interleaved: Vec<f32>,
}

/// Sound for the connection.
struct Output {
    samples: HeapProd<f32>,
    headers: HeapProd<PacketHeader>,
    number: u32,
}

/// The last blocks of a seat, by their rounds.
pub(crate) struct JamBlocks {
    rounds: Vec<u64>,
    samples: Vec<f32>,
}

impl JamBlocks {
    fn new(block: usize, kept: usize) -> Self {
        Self { rounds: vec![u64::MAX; kept], samples: vec![0.0; 2 * block * kept] }
    }

    fn store(&mut self, round: u64, samples: &[f32]) {
        let slot = round as usize % self.rounds.len();
        self.rounds[slot] = round;
        self.samples[slot * samples.len()..][..samples.len()].copy_from_slice(samples);
    }

    /// The block of a round, unless it is not ready or too old.
    pub(crate) fn get(&self, round: u64) -> Option<&[f32]> {
        let slot = round as usize % self.rounds.len();
        let length = self.samples.len() / self.rounds.len();
        (self.rounds[slot] == round).then(|| &self.samples[slot * length..][..length])
    }
}

/// The connection's ends of a seat's queues.
pub(crate) struct SeatEnds {
    pub(crate) events: BoundedEvents<HeapProd<TimedEvent<u64>>>,
    pub(crate) patches: HeapProd<Box<Playable>>,
    pub(crate) former_patches: HeapCons<Box<Playable>>,
    pub(crate) snapshots: SnapshotReceiver,
    pub(crate) sound: SoundEnd,
}

/// The connection's end of the sound.
pub(crate) struct SoundEnd {
    samples: HeapCons<f32>,
    headers: HeapCons<PacketHeader>,
    memory: Vec<f32>,
}

impl SoundEnd {
    /// Blocks that are ready.
    pub(crate) fn ready(&self) -> usize {
        self.headers.occupied_len()
    }

    /// The next block; its samples are left and right in turn.
    pub(crate) fn next(&mut self) -> Option<(PacketHeader, &[f32])> {
        let header = self.headers.try_pop()?;
        let count = if header.is_silent { 0 } else { 2 * usize::from(header.frames) };
        self.samples.pop_slice(&mut self.memory[..count]);
        Some((header, &self.memory[..count]))
    }
}

/// A renderer that takes no more than a seat's share of a core.
fn make_renderer(config: &ServeConfig) -> (Box<dyn Renderer>, Option<RendererHandle>) {
    let choice = &config.renderer;
    // As if every block were shorter: so the choice of a GPU and load shedding keep to the share.
    let sample_rate = RATE as f32 / config.share.unwrap_or(1.0);
    if choice.kind == RendererKind::Cpu {
        if config.share.is_none() {
            return (Box::new(CpuRenderer::new(1)), None);
        }
        let cpu = SupervisedRenderer::new(choice.make_gpu(), CpuRenderer::new(1))
            .with_policy(Box::new(|_| Ok(Box::new(|_| Preference::Cpu))))
            .with_load_shedding(sample_rate, wall_clock());
        return (Box::new(cpu), None);
    }
    let purpose = match choice.purpose {
        Purpose::Live { thread_policy, .. } => Purpose::Live { sample_rate, thread_policy },
        piece => piece,
    };
    let (renderer, handle) = RendererChoice { purpose, threads: 1, ..choice.clone() }.make();
    (renderer, Some(handle))
}

impl Seat {
    /// Makes a seat that plays `patch`. Takes some milliseconds.
    ///
    /// # Errors
    /// When the renderer cannot be prepared.
    pub(crate) fn new(
        id: u64,
        clock: &Clock,
        config: &ServeConfig,
        patch: Playable,
    ) -> Result<(Self, SeatEnds), EngineError> {
        let engine_config = EngineConfig {
            sample_rate: RATE as f32,
            voices: SEAT_VOICES,
            clouds: SEAT_CLOUDS,
            ..EngineConfig::default()
        };
        let (renderer, handle) = make_renderer(config);
        let mut engine = Engine::with_renderer(&engine_config, renderer)?;
        let name = patch.name.clone();
        let mut patch = patch;
        engine.exchange_patch(0, &mut patch);
        // Some more than may wait: a connection that is woken late finds all of them.
        let (block, blocks) = (clock.block, 4 * config.limits.behind);
        // A seat that was stalled renders what it missed at once, before any of it is mixed.
        let kept = config.limits.behind + config.limits.jam_wait + 1;
        let (event_in, event_out) = BoundedEvents::ring(EVENTS);
        let (patch_in, patch_out) = HeapRb::new(PATCHES).split();
        let (former_in, former_out) = HeapRb::new(2 * PATCHES).split();
        let (sample_in, sample_out) = HeapRb::new(2 * block * blocks).split();
        let (header_in, header_out) = HeapRb::new(blocks).split();
        let (snapshot_in, snapshot_out) = snapshots();
        let instrument = Instrument {
            engine,
            events: event_out,
            patches: patch_out,
            former_patches: former_in,
            snapshots: snapshot_in,
            block_events: Vec::with_capacity(BLOCK_EVENTS),
            sound: std::array::from_fn(|_| vec![0.0; block]),
            interleaved: vec![0.0; 2 * block],
        };
        let seat = Self {
            id,
            joined: Instant::now(),
            instrument: Mutex::new(instrument),
            output: Mutex::new(Output { samples: sample_in, headers: header_in, number: 0 }),
            jam: config.jam.then(|| Mutex::new(JamBlocks::new(block, kept))),
            is_queued: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            next_round: AtomicU64::new(clock.round() + 1),
            wake: Notify::new(),
            counters: SeatCounters::default(),
            info: Mutex::new(SeatInfo {
                patch: name,
                stats: ClientStats::default(),
                has_datagrams: false,
            }),
            renderer: handle,
        };
        let sound =
            SoundEnd { samples: sample_out, headers: header_out, memory: vec![0.0; 2 * block] };
        let ends = SeatEnds {
            events: event_in,
            patches: patch_in,
            former_patches: former_out,
            snapshots: snapshot_out,
            sound,
        };
        Ok((seat, ends))
    }

    /// What renders it.
    pub(crate) fn renderer(&self) -> &'static str {
        self.renderer.as_ref().map_or("cpu", |handle| handle.report().using)
    }

    /// Frames from an event to its sound in the stream.
    pub(crate) fn latency(&self) -> usize {
        self.instrument.lock().unwrap_or_else(PoisonError::into_inner).engine.latency()
    }

    pub(crate) fn lock_info(&self) -> MutexGuard<'_, SeatInfo> {
        self.info.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renders the block of a round. For the one worker that has this seat; never allocates.
    pub(crate) fn render(&self, round: u64, clock: &Clock) {
        // Only this worker uses the instrument, so the lock is free.
        let Ok(mut instrument) = self.instrument.try_lock() else {
            return;
        };
        let began = Instant::now();
        instrument.exchange_patches();
        let start = clock.first_frame(round);
        let peak = instrument.render(start, clock.block);
        let Instrument { engine, snapshots, .. } = &mut *instrument;
        snapshots.show(engine, clock.block);
        let counters = engine.counters();
        self.counters.voices.store(counters.voices, Relaxed);
        self.counters.partials.store(counters.partials, Relaxed);
        for (most, peak) in self.counters.peak.iter().zip(peak) {
            most.fetch_max(peak.to_bits(), Relaxed);
        }
        match &self.jam {
            Some(jam) => {
                let mut jam = jam.lock().unwrap_or_else(PoisonError::into_inner);
                jam.store(round, &instrument.interleaved);
            }
            None => {
                let is_silent = peak[0].max(peak[1]) < SILENCE;
                self.send(start, is_silent, &instrument.interleaved);
            }
        }
        let share = began.elapsed().as_secs_f32() / clock.period().as_secs_f32();
        let load = self.counters.load();
        self.counters.load.store((load + (share - load) / 64.0).to_bits(), Relaxed);
    }

    /// Hands a block to the connection. Never waits: a client that takes none loses it.
    pub(crate) fn send(&self, frame: u64, is_silent: bool, samples: &[f32]) {
        // Workers send a seat's own sound and the pacer that of a jam, never both.
        let Ok(mut output) = self.output.try_lock() else {
            return;
        };
        let number = output.number;
        output.number = number.wrapping_add(1);
        let count = if is_silent { 0 } else { samples.len() };
        if output.headers.is_full() || output.samples.vacant_len() < count {
            self.counters.dropped.fetch_add(1, Relaxed);
            return;
        }
        output.samples.push_slice(&samples[..count]);
        let frames = (samples.len() / 2) as u16;
        // There is room, as was checked.
        let _ = output.headers.try_push(PacketHeader { frame, frames, is_silent, number });
        drop(output);
        self.wake.notify_one();
    }

    /// How long it has been taken.
    pub(crate) fn age(&self) -> Duration {
        self.joined.elapsed()
    }
}

impl Instrument {
    fn exchange_patches(&mut self) {
        while !self.former_patches.is_full()
            && let Some(mut patch) = self.patches.try_pop()
        {
            self.engine.exchange_patch(0, &mut patch);
            // There is room, as was checked.
            let _ = self.former_patches.try_push(patch);
        }
    }

    /// Renders `frames` frames from `start` on, and returns the largest samples.
    fn render(&mut self, start: u64, frames: usize) -> [f32; 2] {
        self.block_events.clear();
        let end = start + frames as u64;
        while self.block_events.len() < BLOCK_EVENTS
            && let Some(next) = self.events.try_peek()
            && next.time < end
        {
            let frame = next.time.saturating_sub(start) as u32;
            self.block_events.push(Event { frame, ..next.event });
            self.events.try_pop();
        }
        let [left, right] = &mut self.sound;
        self.engine.render(&self.block_events, left, right);
        let mut peak = [0.0f32; 2];
        for ((pair, left), right) in self.interleaved.chunks_exact_mut(2).zip(left).zip(right) {
            peak = [peak[0].max(left.abs()), peak[1].max(right.abs())];
            (pair[0], pair[1]) = (*left, *right);
        }
        peak
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config::Limits;
    use assert_no_alloc::{AllocDisabler, assert_no_alloc};
    use myriad_engine::{EventKind, ThreadPolicy, factory};

    #[global_allocator]
    static ALLOCATOR: AllocDisabler = AllocDisabler;

    pub(crate) fn config() -> ServeConfig {
        let thread_policy = ThreadPolicy::Normal;
        ServeConfig {
            address: ([127, 0, 0, 1], 0).into(),
            player_token: None,
            operator_token: None,
            origins: Vec::new(),
            seats: 1,
            jam: false,
            block: 256,
            threads: 1,
            renderer: RendererChoice {
                kind: RendererKind::Cpu,
                device: None,
                threads: 1,
                purpose: Purpose::Live { sample_rate: RATE as f32, thread_policy },
                recalibrate: false,
                service: None,
            },
            share: Some(crate::config::SHARE),
            patch: "Init".into(),
            limits: Limits::default(),
        }
    }

    /// Also when events and patches arrive, a picture is wanted, and nobody takes the sound.
    #[test]
    fn a_worker_does_not_allocate() {
        let clock = Clock::new(RATE, 256);
        for jam in [false, true] {
            let patch = || Playable::new(factory::find("Aurora").unwrap());
            let config = ServeConfig { jam, ..config() };
            let (seat, mut ends) = Seat::new(1, &clock, &config, patch()).unwrap();
            ends.snapshots.watch(Some(0));
            for round in 0..200 {
                let kind = EventKind::NoteOn { key: 40 + (round % 40) as u8, velocity: 0.8 };
                let event = Event { frame: 0, part: 0, kind };
                assert!(ends.events.push(TimedEvent { time: 256 * round, event }));
                if round % 50 == 10 {
                    assert!(ends.patches.try_push(Box::new(patch())).is_ok());
                }
                assert_no_alloc(|| seat.render(round, &clock));
                while ends.former_patches.try_pop().is_some() {}
            }
            assert!(jam || seat.counters.dropped.load(Relaxed) > 100, "nobody took the sound");
            assert!(seat.counters.take_peak()[0] > 0.01);
        }
    }
}
