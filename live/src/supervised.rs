//! The supervised renderer: plays on the GPU where it can, and on the CPU where it must.
//!
//! Everything that may go wrong with a GPU is handled here:
//! - [`watchdog`]: calls of the GPU run on a thread of their own, and have deadlines;
//! - [`recovery`]: a GPU that was lost is prepared again in the background, later and later;
//! - [`concealment`]: the sound that is lost with a GPU is predicted for a few milliseconds and
//!   crossfaded into that of the CPU;
//! - [`load_shedding`]: a CPU that cannot hold the load leaves out the quietest partials;
//! - [`report`]: what happened, for displays and logs.
//!
//! Clouds say where their fundamentals are, so harmonic ones continue in phase on another
//! renderer; of all others the phases are lost. A change-over on demand, and the return of a lost
//! GPU, have both renderers play during a crossfade.
//!
//! Several blocks may be in flight. The [`State`] in which a block is rendered is decided when it
//! is submitted; losing the GPU turns all blocks in flight into the CPU's.

mod concealment;
mod load_shedding;
mod recovery;
mod report;
pub mod watchdog;

pub use load_shedding::{Clock, wall_clock};
pub use recovery::{GpuLocation, MakeGpuRenderer};
pub use report::FailoverReport;

use concealment::Concealment;
use load_shedding::LoadShedding;
use myriad_engine::dsp::FADE;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, PrepareError, RenderError, Renderer, TICK, VoiceBlock,
};
use recovery::Recovery;
use report::Reporter;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use watchdog::WatchdogConfig;

/// What a block asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Ticks of the block.
    pub ticks: usize,
    /// Clouds that sound in it.
    pub clouds: usize,
    /// Partials that they ask for.
    pub partials: usize,
}

impl Load {
    /// That of `block`.
    pub fn of(block: &VoiceBlock) -> Self {
        let mut load = Self {
            ticks: block.ticks(),
            ..Self::default()
        };
        for slot in block.slots() {
            load.clouds += 1;
            load.partials += block.summary(slot).most_partials();
        }
        load
    }
}

/// Which renderer should play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// The CPU.
    Cpu,
    /// The CPU; but the GPU may be needed soon and should be prepared.
    PrepareGpu,
    /// The GPU.
    Gpu,
}

/// Says for every block which renderer should play it. Called on the thread that renders.
pub type Policy = Box<dyn FnMut(Load) -> Preference + Send>;

/// Makes the policy when the renderer is prepared; may take long.
pub type MakePolicy = Box<dyn FnMut(Capacity) -> Result<Policy, PrepareError> + Send>;

/// Which renderer plays a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Cpu,
    Gpu,
    /// Both, in a crossfade of which so many frames are over when the block begins.
    ToCpu {
        faded: usize,
    },
    ToGpu {
        faded: usize,
    },
}

impl State {
    /// The state of the next block. A crossfade that has begun is carried through.
    fn next(self, preference: Preference, gpu_is_ready: bool) -> Self {
        match (self, preference) {
            (State::Cpu, Preference::Gpu) if gpu_is_ready => State::ToGpu { faded: 0 },
            (State::Gpu, Preference::Cpu | Preference::PrepareGpu) => State::ToCpu { faded: 0 },
            (state, _) => state,
        }
    }

    /// The state after `frames` frames.
    fn advance(self, frames: usize) -> Self {
        match self {
            State::ToCpu { faded } if faded + frames < FADE => State::ToCpu {
                faded: faded + frames,
            },
            State::ToGpu { faded } if faded + frames < FADE => State::ToGpu {
                faded: faded + frames,
            },
            state => state.settle(),
        }
    }

    /// The state when the crossfade is over, or cut short.
    fn settle(self) -> Self {
        match self {
            State::Cpu | State::ToCpu { .. } => State::Cpu,
            State::Gpu | State::ToGpu { .. } => State::Gpu,
        }
    }
}

struct InFlight {
    block: Arc<VoiceBlock>,
    state: State,
    /// Whether the GPU took it.
    sent: Result<(), RenderError>,
}

/// Renders on the GPU as long as it can be had, and on the CPU otherwise.
pub struct SupervisedRenderer {
    make_policy: MakePolicy,
    policy: Policy,
    /// What the policy said last.
    preference: Preference,
    requires_gpu: bool,
    cpu: CpuRenderer,
    gpu: Recovery,
    depth: usize,
    /// That of the next block, before the policy has been asked.
    state: State,
    in_flight: VecDeque<InFlight>,
    /// Whether the CPU has played the clouds that sound.
    cpu_has_clouds: bool,
    /// Copies of blocks for a renderer that is new to their clouds.
    for_cpu: Arc<VoiceBlock>,
    for_gpu: Arc<VoiceBlock>,
    /// What the GPU has played.
    gpu_sound: Buses,
    concealment: Concealment,
    /// Only when somebody listens live.
    load_shedding: Option<LoadShedding>,
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
            cpu_has_clouds: true,
            for_cpu: Arc::new(VoiceBlock::new(0)),
            for_gpu: Arc::new(VoiceBlock::new(0)),
            gpu_sound: Buses::new(0),
            concealment: Concealment::new(0),
            load_shedding: None,
            reporter: Reporter::default(),
        }
    }

    /// Has `prepare` fail when there is no GPU; losing it later is survived.
    #[must_use]
    pub fn require_gpu(mut self) -> Self {
        self.requires_gpu = true;
        self
    }

    /// Follows a policy, which is made in `prepare`, instead of always preferring the GPU.
    #[must_use]
    pub fn with_policy(mut self, make_policy: MakePolicy) -> Self {
        self.make_policy = make_policy;
        self
    }

    /// How long the GPU may take.
    #[must_use]
    pub fn with_watchdog(mut self, config: WatchdogConfig) -> Self {
        self.gpu.watchdog = config;
        self
    }

    /// Somebody listens while it plays: a CPU that cannot hold the load leaves partials out, the
    /// quietest first. Otherwise it takes its time.
    #[must_use]
    pub fn with_load_shedding(mut self, sample_rate: f32, clock: Clock) -> Self {
        self.load_shedding = Some(LoadShedding::new(sample_rate, clock));
        self
    }

    /// Which renderer plays and what happened, to be read from any thread.
    pub fn report(&self) -> Arc<Mutex<FailoverReport>> {
        self.reporter.shared()
    }

    /// Makes the policy, and prepares the GPU if it is preferred from the start.
    fn prepare_gpu(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        // Until there is a policy.
        (self.policy, self.preference) = (Box::new(|_| Preference::Cpu), Preference::Cpu);
        self.policy = (self.make_policy)(capacity)?;
        self.preference = (self.policy)(Load::default());
        match self.preference {
            Preference::Gpu => self.gpu.prepare(),
            Preference::Cpu | Preference::PrepareGpu => Ok(()),
        }
    }

    /// Sends the block to the GPU, unless it is the CPU's.
    fn send(&mut self, block: &Arc<VoiceBlock>, state: State) -> Result<(), RenderError> {
        let mut block = block;
        match state {
            State::Cpu => return Ok(()),
            State::ToGpu { faded: 0 } => {
                block.introduce(&mut self.for_gpu);
                block = &self.for_gpu;
            }
            State::Gpu | State::ToGpu { .. } | State::ToCpu { .. } => {}
        }
        let gpu = self.gpu.ready().ok_or(RenderError::NotPrepared)?;
        gpu.submit(block)
    }

    /// Mixes what the GPU has played with what the CPU plays. Returns the partials that sounded.
    fn mix(
        &mut self,
        state: State,
        block: &Arc<VoiceBlock>,
        buses: &mut Buses,
    ) -> Result<usize, RenderError> {
        let frames = block.ticks() * TICK;
        if state == State::Gpu {
            self.cpu_has_clouds = false;
            std::mem::swap(buses, &mut self.gpu_sound);
            return Ok(0);
        }
        let partials = self.render_on_cpu(block, buses)?;
        match state {
            State::Cpu | State::Gpu => {}
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

    /// The GPU has failed: every block in flight is the CPU's.
    fn lose_gpu(&mut self, error: RenderError) {
        self.reporter.lost(error);
        self.gpu.lose();
        self.state = State::Cpu;
        for block in &mut self.in_flight {
            block.state = State::Cpu;
        }
    }

    /// Reports who plays when no crossfade is under way.
    fn settle_in(&mut self, state: State) {
        let on_gpu = match state {
            State::Cpu => false,
            State::Gpu => true,
            State::ToCpu { .. } | State::ToGpu { .. } => return,
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
        self.concealment = Concealment::new(capacity.buses);
        self.load_shedding.iter_mut().for_each(LoadShedding::reset);
        self.cpu_has_clouds = true;
        self.gpu.start_over(capacity);
        let outcome = self.prepare_gpu(capacity);
        if let Err(error) = &outcome {
            self.gpu.refuse(error);
        }
        let on_gpu = self.gpu.ready().is_some();
        self.state = if on_gpu { State::Gpu } else { State::Cpu };
        self.depth = match self.gpu.is_unavailable() {
            true => 1,
            false => watchdog::DEPTH,
        };
        self.in_flight = VecDeque::with_capacity(self.depth);
        self.reporter.prepared(on_gpu, outcome.as_ref().err());
        match self.requires_gpu {
            true => outcome,
            false => Ok(()),
        }
    }

    fn reset(&mut self) {
        self.in_flight.clear();
        self.cpu.reset();
        self.concealment.reset();
        if let Some(gpu) = self.gpu.ready() {
            gpu.reset();
        }
        // The blocks with which a crossfade would have ended will not be collected.
        self.state = self.state.settle();
        self.settle_in(self.state);
    }

    fn depth(&self) -> usize {
        self.depth
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
        self.preference = (self.policy)(Load::of(block));
        let gpu_is_ready = self.gpu.ready().is_some();
        let state = self.state.next(self.preference, gpu_is_ready);
        self.state = state.advance(block.ticks() * TICK);
        let sent = self.send(block, state);
        self.in_flight.push_back(InFlight {
            block: Arc::clone(block),
            state,
            sent,
        });
        Ok(())
    }

    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        let next = self.in_flight.pop_front().ok_or(RenderError::OutOfTurn)?;
        let InFlight {
            block,
            mut state,
            sent,
        } = next;
        let mut on_gpu = Ok(0);
        if state != State::Cpu {
            let ready = self.gpu.ready().ok_or(RenderError::NotPrepared);
            on_gpu = sent.and_then(|()| ready?.collect(&mut self.gpu_sound));
        }
        if let Err(error) = on_gpu {
            // There is nothing to conceal when nothing of the GPU has been heard yet.
            if state != (State::ToGpu { faded: 0 }) {
                self.concealment.predict();
            }
            self.lose_gpu(error);
            state = State::Cpu;
        }
        let on_cpu = self.mix(state, &block, buses)?;
        let frames = block.ticks() * TICK;
        self.concealment.blend(buses, frames);
        self.concealment.remember(buses, frames);
        self.settle_in(state.advance(frames));
        // During a concealment there is enough to do.
        if self.concealment.is_over() {
            let wanted = self.preference != Preference::Cpu;
            if let Some(refused) = self.gpu.poll(block.ticks() as u64, wanted) {
                self.reporter.refused(&refused);
            }
        }
        Ok(match state {
            State::Cpu => on_cpu,
            _ => on_gpu.unwrap_or(on_cpu),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossfade_that_has_begun_is_carried_through() {
        let begun = State::Gpu.next(Preference::Cpu, true);
        assert_eq!(begun, State::ToCpu { faded: 0 });
        let half = begun.advance(FADE / 2).next(Preference::Gpu, true);
        assert_eq!(half, State::ToCpu { faded: FADE / 2 });
        assert_eq!(half.advance(FADE / 2), State::Cpu);
        assert_eq!(half.settle(), State::Cpu);
    }

    #[test]
    fn the_gpu_is_changed_to_when_it_is_preferred_and_ready() {
        for preference in [Preference::Cpu, Preference::PrepareGpu] {
            assert_eq!(State::Cpu.next(preference, true), State::Cpu);
        }
        assert_eq!(State::Cpu.next(Preference::Gpu, false), State::Cpu);
        let begun = State::Cpu.next(Preference::Gpu, true);
        assert_eq!(begun, State::ToGpu { faded: 0 });
        assert_eq!(begun.advance(FADE), State::Gpu);
        assert_eq!(State::Gpu.next(Preference::Gpu, true), State::Gpu);
    }
}
