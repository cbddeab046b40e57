//! The supervised renderer: renders on the GPU while it is available, and on the CPU otherwise.
//!
//! All failures of a GPU are handled here:
//! - [`watchdog`]: calls of the GPU run on their own thread, with timeouts;
//! - [`recovery`]: a lost GPU is prepared again in the background, with exponential back-off;
//! - [`Concealment`]: the sound that is lost with a GPU is predicted for a few milliseconds and
//!   crossfaded into that of the CPU;
//! - [`wait_limit`]: a GPU is waited for as long as the CPU can still take over in time;
//! - [`load_shedding`]: a CPU that is too slow leaves out the quietest partials;
//! - [`report`]: what happened, for displays and logs.
//!
//! Clouds contain the phases of their fundamentals, so harmonic ones continue in phase on another
//! renderer; the phases of all others are lost. When the policy changes the renderer, or a lost GPU
//! returns, both renderers render during a crossfade.
//!
//! Several blocks may be in flight. The [`State`] in which a block is rendered is decided when it
//! is submitted; losing the GPU turns all blocks in flight into the CPU's.

mod load_shedding;
mod recovery;
mod report;
mod state;
mod wait_limit;
pub mod watchdog;

pub use load_shedding::{Clock, wall_clock};
pub use recovery::MakeGpuRenderer;
pub use report::{FailoverReport, Takeover, TakeoverKind};

use crate::concealment::Concealment;
use crate::cost_model::CostModel;
use load_shedding::LoadShedding;
use myriad_engine::Workers;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, Due, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use recovery::Recovery;
use report::Reporter;
use state::{Readiness, State};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use wait_limit::WaitLimit;
use watchdog::WatchdogConfig;

/// The load of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Ticks of the block.
    pub ticks: usize,
    /// Clouds that sound in it.
    pub clouds: usize,
    /// Their partials.
    pub partials: usize,
}

impl Load {
    /// The load of `block`.
    pub fn of(block: &VoiceBlock) -> Self {
        let mut load = Self { ticks: block.ticks(), ..Self::default() };
        for slot in block.first_slots() {
            let copies = usize::from(block.spans()[slot].most_copies);
            load.clouds += copies;
            load.partials += copies * block.summary(slot).most_partials();
        }
        load
    }

    /// The same clouds, of whose partials only such a `share` sounds: the rest is filtered away or too quiet.
    fn sounding(self, share: f64) -> Self {
        Self { partials: (share * self.partials as f64) as usize, ..self }
    }
}

/// The renderer that the policy prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The CPU.
    Cpu,
    /// The CPU, but the GPU may be needed soon and should be prepared.
    PrepareGpu,
    /// The GPU.
    Gpu,
}

/// Decides for every block which renderer renders it. Called on the render thread.
pub type Policy = Box<dyn FnMut(Load) -> Preference + Send>;

/// Makes the policy when the renderer is prepared. May take seconds.
pub type MakePolicy = Box<dyn FnMut(Capacity) -> Result<Policy, PrepareError> + Send>;

/// Blocks that every GPU renderer has in flight.
const LEAST_DEPTH: usize = 2;

struct InFlight {
    block: Arc<VoiceBlock>,
    load: Load,
    state: State,
    /// Whether the GPU renderer accepted it.
    sent: Result<(), RenderError>,
}

/// Renders on the GPU while it is available, and on the CPU otherwise.
pub struct SupervisedRenderer {
    make_policy: MakePolicy,
    policy: Policy,
    /// The policy's last decision.
    preference: Preference,
    requires_gpu: bool,
    cpu: CpuRenderer,
    gpu: Recovery,
    depth: usize,
    /// The state of the next block, before the policy decides.
    state: State,
    in_flight: VecDeque<InFlight>,
    /// Ticks that were rendered since it was prepared.
    rendered: u64,
    /// Whether the CPU renderer has rendered the clouds that sound.
    cpu_has_clouds: bool,
    /// Copies of blocks for a renderer that has not rendered their clouds yet.
    for_cpu: Arc<VoiceBlock>,
    for_gpu: Arc<VoiceBlock>,
    /// The output of the GPU, and of the renderer that one with more room replaces.
    gpu_sound: Buses,
    replaced_sound: Buses,
    /// Whether blocks are sent to the renderer with more room, which has not replaced the other one yet.
    sends_to_larger: bool,
    /// One for each channel of each bus.
    concealment: Vec<Concealment>,
    /// Only for live playing.
    load_shedding: Option<LoadShedding>,
    wait_limit: Option<WaitLimit>,
    /// The share of the last block's partials that sounded.
    sounding_share: f64,
    due: Due,
    reporter: Reporter,
}

impl SupervisedRenderer {
    /// Prefers the GPU renderer that `make_gpu` makes.
    pub fn new(make_gpu: MakeGpuRenderer, cpu: CpuRenderer) -> Self {
        Self {
            make_policy: Box::new(|_| Ok(Box::new(|_| Preference::Gpu))),
            policy: Box::new(|_| Preference::Gpu),
            preference: Preference::Gpu,
            requires_gpu: false,
            cpu,
            gpu: Recovery::new(make_gpu),
            depth: 1,
            state: State::Cpu,
            in_flight: VecDeque::new(),
            rendered: 0,
            cpu_has_clouds: true,
            for_cpu: Arc::new(VoiceBlock::new(0)),
            for_gpu: Arc::new(VoiceBlock::new(0)),
            gpu_sound: Buses::new(0),
            replaced_sound: Buses::new(0),
            sends_to_larger: false,
            concealment: Vec::new(),
            load_shedding: None,
            wait_limit: None,
            sounding_share: 1.0,
            due: Due::default(),
            reporter: Reporter::default(),
        }
    }

    /// Makes `prepare` fail when there is no GPU. A later loss is survived.
    #[must_use]
    pub fn require_gpu(mut self) -> Self {
        self.requires_gpu = true;
        self
    }

    /// Uses a policy, which is made in `prepare`, instead of always preferring the GPU.
    #[must_use]
    pub fn with_policy(mut self, make_policy: MakePolicy) -> Self {
        self.make_policy = make_policy;
        self
    }

    /// Sets the timeouts of the GPU.
    #[must_use]
    pub fn with_watchdog(mut self, config: WatchdogConfig) -> Self {
        self.gpu.watchdog = config;
        self
    }

    /// For live playing: a CPU that is too slow leaves out the quietest partials. Otherwise it renders
    /// all of them, however long it takes.
    #[must_use]
    pub fn with_load_shedding(mut self, sample_rate: f32, clock: Clock) -> Self {
        self.load_shedding = Some(LoadShedding::new(sample_rate, clock));
        self
    }

    /// For live playing: a GPU that is late is left while the CPU can still take over before sound is missing. `prepare` asks
    /// what one thread of the CPU takes.
    #[must_use]
    pub fn with_wait_limit(
        mut self,
        sample_rate: f32,
        cpu: impl Fn() -> Option<CostModel> + Send + 'static,
    ) -> Self {
        self.wait_limit = Some(WaitLimit::new(sample_rate, Box::new(cpu)));
        self
    }

    /// The report, to be read from any thread.
    pub fn report(&self) -> Arc<Mutex<FailoverReport>> {
        self.reporter.shared()
    }

    /// Makes the policy, and prepares the GPU if it is preferred from the start.
    fn prepare_gpu(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        // In case making the policy fails.
        (self.policy, self.preference) = (Box::new(|_| Preference::Cpu), Preference::Cpu);
        self.policy = (self.make_policy)(capacity)?;
        self.preference = (self.policy)(Load::default());
        match self.preference {
            Preference::Gpu => self.gpu.prepare(),
            Preference::Cpu | Preference::PrepareGpu => Ok(()),
        }
    }

    /// Submits the block to the GPU, unless only the CPU renders it.
    fn send(&mut self, block: &Arc<VoiceBlock>, state: State) -> Result<(), RenderError> {
        let mut introduced = block;
        match state {
            State::Cpu => return Ok(()),
            State::ToGpu { faded: 0 } | State::ToLarger { faded: 0 } => {
                block.introduce(&mut self.for_gpu);
                introduced = &self.for_gpu;
            }
            State::Gpu | State::ToGpu { .. } | State::ToLarger { .. } | State::ToCpu { .. } => {}
        }
        if let State::ToLarger { .. } = state {
            self.sends_to_larger = true;
            let gpu = self.gpu.ready().ok_or(RenderError::NotPrepared)?;
            gpu.submit(block)?;
        }
        let gpu = match self.sends_to_larger {
            true => self.gpu.larger(),
            false => self.gpu.ready(),
        };
        gpu.ok_or(RenderError::NotPrepared)?.submit(introduced)
    }

    /// Channels whose sound is lost with a GPU.
    fn sounding_channels(&self) -> usize {
        self.concealment.iter().filter(|channel| !channel.is_silent()).count()
    }

    /// Limits how long the GPU may take for the oldest block in flight, which has that load.
    fn limit_wait(&mut self, load: Load) {
        let longest = self.gpu.watchdog.render_timeout;
        let limit = match (self.due, &self.wait_limit) {
            (Due::By(due), Some(wait_limit)) => {
                let left = due.saturating_duration_since(Instant::now());
                let others = self.in_flight.iter().map(|block| block.load);
                let blocks = std::iter::once(load).chain(others);
                let blocks = blocks.map(|load| load.sounding(self.sounding_share));
                wait_limit.of(left, blocks, self.sounding_channels(), longest)
            }
            _ => longest,
        };
        self.gpu.limit_calls(limit);
    }

    /// Collects the sound of a block from the GPU.
    fn collect_from_gpu(&mut self, state: State) -> Result<usize, RenderError> {
        let gpu = self.gpu.ready().ok_or(RenderError::NotPrepared)?;
        let State::ToLarger { .. } = state else {
            return gpu.collect(&mut self.gpu_sound);
        };
        gpu.collect(&mut self.replaced_sound)?;
        self.gpu.larger().ok_or(RenderError::NotPrepared)?.collect(&mut self.gpu_sound)
    }

    /// The renderer with more room replaces the other one.
    fn adopt_larger(&mut self) {
        self.gpu.adopt_larger();
        self.sends_to_larger = false;
    }

    /// Renders the CPU's share and crossfades it with the GPU's output. Returns the CPU's partials.
    fn mix(
        &mut self,
        state: State,
        block: &Arc<VoiceBlock>,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        let frames = block.ticks() * TICK;
        if let State::Gpu | State::ToLarger { .. } = state {
            self.cpu_has_clouds = false;
            self.cpu.prepare_ahead(block);
            if let State::ToLarger { faded } = state {
                self.gpu_sound.fade_from(&self.replaced_sound, faded, frames);
            }
            std::mem::swap(buses, &mut self.gpu_sound);
            return Ok(0);
        }
        let partials = self.render_on_cpu(block, buses)?;
        match state {
            State::Cpu | State::Gpu | State::ToLarger { .. } => {}
            State::ToCpu { faded } => buses.fade_from(&self.gpu_sound, faded, frames),
            State::ToGpu { faded } => {
                self.gpu_sound.fade_from(buses, faded, frames);
                std::mem::swap(buses, &mut self.gpu_sound);
            }
        }
        Ok(partials)
    }

    fn render_on_cpu(
        &mut self,
        block: &Arc<VoiceBlock>,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        let mut block = block;
        if !self.cpu_has_clouds {
            block.introduce(&mut self.for_cpu);
            block = &self.for_cpu;
            self.cpu_has_clouds = true;
        }
        let Some(load_shedding) = &mut self.load_shedding else {
            return self.cpu.render(block, buses);
        };
        let partials = load_shedding.render(&mut self.cpu, block, buses)?;
        self.reporter.sheds(self.cpu.thinned());
        Ok(partials)
    }

    /// Predicts the sound that is lost with a GPU, on the threads that render afterwards.
    fn predict(&mut self) {
        if let Some(workers) = self.cpu.workers() {
            let helpers = self.sounding_channels().saturating_sub(1);
            workers.run_on_each(helpers, &mut self.concealment, Concealment::predict);
        }
    }

    /// Handles a failure of the GPU: the CPU renders every block in flight.
    fn lose_gpu(&mut self, error: RenderError) {
        // It was not waited for as long as for one that hangs.
        let longest = self.gpu.watchdog.render_timeout.as_millis() as u64;
        let late = matches!(error, RenderError::Late { milliseconds } if milliseconds < longest);
        self.reporter.lost(error);
        self.gpu.lose(late);
        (self.state, self.sends_to_larger) = (State::Cpu, false);
        for block in &mut self.in_flight {
            block.state = State::Cpu;
        }
    }

    /// Reports that another renderer takes over with the next tick.
    fn take_over(&mut self, kind: TakeoverKind) {
        self.reporter.takes_over(Takeover { tick: self.rendered, kind });
    }

    /// Reports the renderer when no crossfade is in progress.
    fn settle_in(&mut self, state: State) {
        let on_gpu = match state {
            State::Cpu => false,
            State::Gpu => true,
            State::ToCpu { .. } | State::ToGpu { .. } | State::ToLarger { .. } => return,
        };
        if self.reporter.plays_on(on_gpu) && on_gpu {
            self.load_shedding.iter_mut().for_each(LoadShedding::reset);
        }
    }
}

impl Renderer for SupervisedRenderer {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.cpu.prepare(capacity)?;
        self.for_cpu = Arc::new(VoiceBlock::new(capacity.slots));
        self.for_gpu = Arc::new(VoiceBlock::new(capacity.slots));
        self.gpu_sound = Buses::new(capacity.buses);
        self.replaced_sound = Buses::new(capacity.buses);
        self.sends_to_larger = false;
        self.concealment = vec![Concealment::new(); 2 * capacity.buses];
        self.load_shedding.iter_mut().for_each(LoadShedding::reset);
        self.cpu_has_clouds = true;
        self.gpu.start_over(capacity);
        let outcome = self.prepare_gpu(capacity);
        if let Err(error) = &outcome {
            self.gpu.refuse(error);
        }
        // Where there is no GPU, nobody waits for one.
        if let (Some(wait_limit), false) = (&mut self.wait_limit, self.gpu.is_unavailable()) {
            wait_limit.prepare(self.cpu.threads());
        }
        let on_gpu = self.gpu.ready().is_some();
        self.state = if on_gpu { State::Gpu } else { State::Cpu };
        self.depth = match self.gpu.ready().map(|gpu| gpu.depth()) {
            Some(depth) => depth,
            None if self.gpu.is_unavailable() => 1,
            None => LEAST_DEPTH,
        };
        self.in_flight = VecDeque::with_capacity(self.depth);
        self.rendered = 0;
        self.sounding_share = 1.0;
        self.reporter.prepared(on_gpu, outcome.as_ref().err());
        match self.requires_gpu {
            true => outcome,
            false => Ok(()),
        }
    }

    fn workers(&self) -> Option<Arc<Workers>> {
        self.cpu.workers()
    }

    fn reset(&mut self) {
        self.in_flight.clear();
        self.cpu.reset();
        self.concealment.fill(Concealment::new());
        if self.sends_to_larger {
            self.adopt_larger();
        }
        self.gpu.limit_calls(self.gpu.watchdog.render_timeout);
        if let Some(gpu) = self.gpu.ready() {
            gpu.reset();
        }
        // The remaining blocks of a crossfade are not collected any more.
        self.state = self.state.settle();
        self.settle_in(self.state);
    }

    fn depth(&self) -> usize {
        self.depth
    }

    /// The GPU, which others may use as well. The processor takes memory as it is needed.
    fn begin_with(&mut self, slots: usize) {
        self.gpu.begin_with(slots);
    }

    fn room(&self) -> usize {
        match self.state {
            State::Cpu => self.for_cpu.capacity(),
            // The GPU renders as well, if only to the end of a crossfade.
            _ => self.gpu.room(),
        }
    }

    fn set_due(&mut self, due: Due) {
        self.due = due;
        let real_time = due != Due::Whenever;
        self.load_shedding.iter_mut().for_each(|shedding| shedding.set_real_time(real_time));
    }

    fn is_asynchronous(&self) -> bool {
        self.state == State::Gpu && self.gpu.is_asynchronous()
    }

    fn is_finished(&mut self) -> bool {
        match (self.in_flight.front().map(|oldest| oldest.state), self.gpu.ready()) {
            (Some(State::Gpu), Some(gpu)) => gpu.is_finished(),
            // The CPU renders it when it is collected.
            _ => true,
        }
    }

    fn expect(&mut self) {
        if self.state != State::Cpu
            && let Some(gpu) = self.gpu.ready()
        {
            gpu.expect();
        }
    }

    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        if self.in_flight.len() >= self.depth {
            return Err(RenderError::OutOfTurn);
        }
        block.check_fits(self.for_cpu.capacity())?;
        let load = Load::of(block);
        self.preference = (self.policy)(load);
        if self.state == State::Cpu && self.gpu.larger().is_some() && self.in_flight.is_empty() {
            self.adopt_larger();
        }
        let fits = block.check_fits(self.gpu.room()).is_ok();
        let gpu = Readiness {
            is_ready: self.gpu.ready().is_some() && fits,
            is_larger_ready: self.gpu.larger().is_some() && !self.sends_to_larger,
        };
        let state = self.state.next(self.preference, gpu);
        self.state = state.advance(block.ticks() * TICK);
        let sent = self.send(block, state);
        self.in_flight.push_back(InFlight { block: Arc::clone(block), load, state, sent });
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let next = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        let InFlight { block, load, mut state, sent } = next;
        let mut on_gpu = Ok(0);
        if state != State::Cpu {
            self.limit_wait(load);
            on_gpu = sent.and_then(|()| self.collect_from_gpu(state));
        }
        if let Err(error) = on_gpu {
            // Before the crossfade to the GPU there is none of its sound to conceal.
            if state != (State::ToGpu { faded: 0 }) {
                self.predict();
                self.take_over(TakeoverKind::Lost);
            }
            self.lose_gpu(error);
            state = State::Cpu;
        }
        match state {
            State::ToCpu { faded: 0 } => self.take_over(TakeoverKind::ToCpu),
            State::ToGpu { faded: 0 } => self.take_over(TakeoverKind::ToGpu),
            _ => {}
        }
        let on_cpu = self.mix(state, &block, buses)?;
        let frames = block.ticks() * TICK;
        for (index, concealment) in self.concealment.iter_mut().enumerate() {
            let samples = &mut buses.bus_mut(index / 2)[index % 2][..frames];
            concealment.crossfade(samples);
            concealment.remember(samples);
        }
        self.rendered += block.ticks() as u64;
        if let (State::ToLarger { .. }, State::Gpu) = (state, state.advance(frames)) {
            self.adopt_larger();
        }
        self.settle_in(state.advance(frames));
        // During a concealment the CPU is busy enough.
        if self.concealment.iter().all(Concealment::is_over) {
            let wanted = self.preference != Preference::Cpu;
            let (ticks, in_use) = (block.ticks() as u64, block.slots_in_use());
            if let Some(refused) = self.gpu.poll(ticks, wanted, in_use) {
                self.reporter.refused(&refused);
            }
        }
        let (partials, left_out) = match state {
            State::Cpu => (on_cpu, self.cpu.thinned()),
            _ => (on_gpu.unwrap_or(on_cpu), 0),
        };
        if load.partials > 0 {
            self.sounding_share = (partials + left_out) as f64 / load.partials as f64;
        }
        Ok(partials)
    }
}
