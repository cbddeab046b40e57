//! Plays a number of instances for a while, and measures each.

use crate::clock::{BlockClock, thread_time};
use crate::host::{Host, HostingError, Instance, Plugin, Status, Underrun};
use clack_host::events::Pckn;
use clack_host::events::event_types::NoteOnEvent;
use clack_host::prelude::*;
use myriad_engine::ThreadPolicy;
use myriad_live::stream::Histogram;
use myriad_player::Load;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub(crate) const RATE: u32 = 48_000;

/// Seconds before the measurement: all voices start in the first, and what starting costs is over after the second.
const WARM_UP: u64 = 2;

/// How long the threads of instances may take to end. The library may keep threads of its own, so that is no failure.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// How often underruns are read.
const POLL: Duration = Duration::from_millis(100);

/// What every instance plays, and for how long.
#[derive(Clone, Copy)]
pub(crate) struct Measurement {
    pub(crate) seconds: u64,
    pub(crate) load: Load,
    /// Frames of a block.
    pub(crate) block: u32,
}

/// Instances that have played together.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) instances: Vec<MeasuredInstance>,
    /// Blocks that began a whole period late, because the machine did not wake up the audio thread.
    pub(crate) late_blocks: u64,
    /// Blocks for which the calls of all instances together took longer than a period, although they did not compute
    /// for half of it: the machine gave the processor to others.
    pub(crate) interrupted_blocks: u64,
    /// Such blocks in which they did compute: there is too much to do for one audio thread.
    pub(crate) overloaded_blocks: u64,
}

/// One instance. Times are shares of a block's period, known to 4%.
#[derive(Debug, Serialize)]
pub(crate) struct MeasuredInstance {
    /// CPU, GPU, or the stand-in for a GPU.
    pub(crate) renderer: String,
    pub(crate) why: String,
    /// Whether another renderer was chosen, which is not available now.
    pub(crate) stands_in: bool,
    /// How often the GPU was lost since the instance was activated.
    pub(crate) losses: u64,
    pub(crate) voices: usize,
    pub(crate) partials: usize,
    /// Of the sound while it was measured.
    pub(crate) peak: f32,
    pub(crate) has_render_thread: bool,
    pub(crate) raised_priority: bool,
    /// Blocks that the render thread has rendered, and the time they took; without a thread those of process().
    pub(crate) blocks: u64,
    pub(crate) block_median: f32,
    pub(crate) block_99: f32,
    pub(crate) process_median: f32,
    pub(crate) process_99: f32,
    pub(crate) process_most: f32,
    /// All since the instance was activated.
    pub(crate) underruns: Vec<Underrun>,
    /// Underruns that have not ended, so that their cause is not known.
    pub(crate) unended_underruns: u64,
}

impl Measurement {
    /// Plays `count` instances together.
    pub(crate) fn run(&self, plugin: &Plugin, count: usize) -> Result<Measured, HostingError> {
        let threads = count_threads();
        let mut hosted = Vec::new();
        let mut players = Vec::new();
        for _ in 0..count {
            let mut instance = plugin.instance()?;
            let processor = instance.activate(f64::from(RATE), self.block)?;
            players.push(InstancePlayer::new(processor, self.block));
            hosted.push(Hosted { instance, underruns: Vec::new(), before: None });
        }
        let measuring = AtomicBool::new(false);
        let (players, audio) = std::thread::scope(|scope| {
            let audio = scope.spawn(|| self.play(players, &measuring));
            while !audio.is_finished() {
                std::thread::sleep(POLL);
                for hosted in &mut hosted {
                    hosted.poll(measuring.load(Relaxed))?;
                }
            }
            audio.join().map_err(|_| HostingError::Process("it panicked".to_owned()))?
        })?;
        let mut instances = Vec::new();
        for (mut hosted, player) in hosted.into_iter().zip(players) {
            let status = hosted.poll(true)?;
            instances.push(hosted.measured(&player, status));
            hosted.instance.deactivate(player.processor.into_stopped());
        }
        // An instance ends its render thread in the background. Until then the render service has it as a client.
        let give_up = Instant::now() + END_TIMEOUT;
        while count_threads() > threads && Instant::now() < give_up {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Measured { instances, ..audio })
    }

    /// The audio thread: returns the players, and what was measured of all together.
    fn play(
        &self,
        mut players: Vec<InstancePlayer>,
        measuring: &AtomicBool,
    ) -> Result<(Vec<InstancePlayer>, Measured), HostingError> {
        ThreadPolicy::RealTime.assume(self.block as usize, RATE as f32);
        players.iter_mut().try_for_each(InstancePlayer::start)?;
        let period = Duration::from_secs(1) * self.block / RATE;
        let blocks = |seconds: u64| seconds * u64::from(RATE) / u64::from(self.block);
        let mut notes = Notes::new(self.load);
        let mut clock = BlockClock::new(period);
        let (mut interrupted_blocks, mut overloaded_blocks) = (0, 0);
        for block in 0..blocks(WARM_UP + self.seconds) {
            let is_measured = block >= blocks(WARM_UP);
            if is_measured {
                measuring.store(true, Relaxed);
            }
            let events = notes.of_block(block * u64::from(self.block), self.block);
            clock.wait();
            let (began, computed) = (Instant::now(), thread_time());
            for player in &mut players {
                player.play_block(events, period, is_measured)?;
            }
            if is_measured && began.elapsed() > period {
                match was_interrupted(computed, thread_time(), period) {
                    true => interrupted_blocks += 1,
                    false => overloaded_blocks += 1,
                }
            }
        }
        for player in &mut players {
            player.processor.ensure_processing_stopped();
        }
        let late_blocks = clock.late();
        let instances = Vec::new();
        Ok((players, Measured { instances, late_blocks, interrupted_blocks, overloaded_blocks }))
    }
}

/// Threads of this process; none where the system does not tell.
fn count_threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// Whether calls that took longer than a period did not compute for half of it, by the processor time of their thread
/// before and after them. Where that is not known they computed.
fn was_interrupted(before: Option<Duration>, after: Option<Duration>, period: Duration) -> bool {
    let computed = after.zip(before).map(|(after, before)| after.saturating_sub(before));
    computed.is_some_and(|computed| computed < period / 2)
}

/// The notes of the load, block by block.
struct Notes {
    waiting: std::iter::Peekable<std::vec::IntoIter<(u64, u8)>>,
    /// Of the last block.
    events: EventBuffer,
    started: u32,
}

impl Notes {
    fn new(load: Load) -> Self {
        let notes: Vec<_> = load.notes(RATE as f32).collect();
        let events = EventBuffer::new();
        Self { waiting: notes.into_iter().peekable(), events, started: 0 }
    }

    fn of_block(&mut self, first_frame: u64, frames: u32) -> &EventBuffer {
        self.events.clear();
        let end = first_frame + u64::from(frames);
        while let Some((frame, key)) = self.waiting.next_if(|(frame, _)| *frame < end) {
            let note = Pckn::new(0u16, 0u16, u16::from(key), self.started);
            let time = frame.saturating_sub(first_frame) as u32;
            self.events.push(&NoteOnEvent::new(time, note, f64::from(Load::VELOCITY)));
            self.started += 1;
        }
        &self.events
    }
}

/// The audio thread's side of an instance.
struct InstancePlayer {
    processor: PluginAudioProcessor<Host>,
    ports: AudioPorts,
    sound: [Vec<f32>; 2],
    /// Events of the instance for the host, which ignores them.
    output: EventBuffer,
    process_time: Histogram,
    longest: f32,
    peak: f32,
}

impl InstancePlayer {
    fn new(processor: StoppedPluginAudioProcessor<Host>, block: u32) -> Self {
        Self {
            processor: processor.into(),
            ports: AudioPorts::with_capacity(2, 1),
            sound: [vec![0.0; block as usize], vec![0.0; block as usize]],
            output: EventBuffer::new(),
            process_time: Histogram::default(),
            longest: 0.0,
            peak: 0.0,
        }
    }

    fn start(&mut self) -> Result<(), HostingError> {
        let started = self.processor.ensure_processing_started();
        started.map(drop).map_err(|error| HostingError::Process(error.to_string()))
    }

    fn play_block(
        &mut self,
        events: &EventBuffer,
        period: Duration,
        is_measured: bool,
    ) -> Result<(), HostingError> {
        let failed = |error: PluginInstanceError| HostingError::Process(error.to_string());
        let processor = self.processor.as_started_mut().map_err(failed)?;
        self.output.clear();
        let sound = self.sound.iter_mut().map(|channel| channel.as_mut_slice());
        let mut outputs = self.ports.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(sound),
        }]);
        let began = Instant::now();
        let processed = processor.process(
            &InputAudioBuffers::empty(),
            &mut outputs,
            &events.as_input(),
            &mut self.output.as_output(),
            None,
            None,
        );
        let share = began.elapsed().as_secs_f32() / period.as_secs_f32();
        processed.map_err(failed)?;
        let samples = self.sound.iter().flatten();
        if samples.clone().any(|sample| !sample.is_finite()) {
            return Err(HostingError::Process("its sound has values that are no numbers".into()));
        }
        if is_measured {
            self.process_time.counts[Histogram::bucket(share)] += 1;
            self.longest = self.longest.max(share);
            self.peak = samples.fold(self.peak, |peak, sample| peak.max(sample.abs()));
        }
        Ok(())
    }
}

/// The main thread's side of an instance.
struct Hosted {
    instance: Instance,
    /// All that have ended so far.
    underruns: Vec<Underrun>,
    /// Render times up to the start of the measurement, once it has begun.
    before: Option<Histogram>,
}

impl Hosted {
    /// Reads the status; `measuring` says whether the measurement has begun.
    fn poll(&mut self, measuring: bool) -> Result<Status, HostingError> {
        self.instance.idle();
        let mut status = self.instance.status()?;
        if let Some(thread) = &mut status.render_thread {
            self.underruns.append(&mut thread.ended_underruns);
            if measuring && self.before.is_none() {
                self.before = Some(histogram(&thread.render_time));
            }
        }
        Ok(status)
    }

    /// What was measured, with the status at the end.
    fn measured(&mut self, player: &InstancePlayer, status: Status) -> MeasuredInstance {
        let process_time = &player.process_time;
        let render_time = status.render_thread.as_ref().map(|thread| {
            let before = self.before.take().unwrap_or_default();
            since(&before, &histogram(&thread.render_time))
        });
        let block_time = render_time.as_ref().unwrap_or(process_time);
        let all_underruns = status.render_thread.as_ref().map_or(0, |thread| thread.underruns);
        let underruns = std::mem::take(&mut self.underruns);
        MeasuredInstance {
            renderer: status.renderer,
            why: status.why,
            stands_in: status.stands_in,
            losses: status.losses,
            voices: status.voices,
            partials: status.partials,
            peak: player.peak,
            has_render_thread: render_time.is_some(),
            raised_priority: status.render_thread.is_some_and(|thread| thread.raised_priority),
            blocks: block_time.total(),
            block_median: block_time.quantile(0.5),
            block_99: block_time.quantile(0.99),
            process_median: process_time.quantile(0.5),
            process_99: process_time.quantile(0.99),
            process_most: player.longest,
            unended_underruns: all_underruns.saturating_sub(underruns.len() as u64),
            underruns,
        }
    }
}

/// The histogram with these counts. Buckets that do not exist are left out.
fn histogram(counts: &[(usize, u64)]) -> Histogram {
    let mut histogram = Histogram::default();
    for &(bucket, count) in counts {
        if let Some(place) = histogram.counts.get_mut(bucket) {
            *place = count;
        }
    }
    histogram
}

/// What was counted between two readings.
fn since(before: &Histogram, now: &Histogram) -> Histogram {
    let difference = |bucket: usize| now.counts[bucket].saturating_sub(before.counts[bucket]);
    Histogram { counts: std::array::from_fn(difference) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use super::*;

    #[test]
    fn all_voices_start_within_a_second_on_their_frames() {
        let mut notes = Notes::new("128x64".parse().unwrap());
        let mut started = 0;
        for block in 0..u64::from(RATE) / 64 {
            for event in notes.of_block(64 * block, 64) {
                assert!(event.header().time() < 64);
                started += 1;
            }
        }
        assert_eq!(started, 128);
    }

    #[test]
    fn a_long_call_is_the_machines_if_it_did_not_compute() {
        let time = |micros| Some(Duration::from_micros(micros));
        let period = Duration::from_micros(1_333);
        assert!(was_interrupted(time(100), time(300), period));
        assert!(!was_interrupted(time(100), time(900), period));
        assert!(!was_interrupted(None, None, period));
    }

    #[test]
    fn render_times_before_the_measurement_do_not_count() {
        let (before, now) = (histogram(&[(3, 5), (9, 1)]), histogram(&[(3, 5), (9, 4), (999, 1)]));
        let since = since(&before, &now);
        assert_eq!((since.total(), since.counts[9]), (3, 3));
    }
}
