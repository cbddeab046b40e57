//! Fault injection: faults that Myriad must survive are caused at intervals.

use super::finding::{Blame, Finding, Kind};
use super::generator::LEAD;
use super::rng::Rng;
use super::watch::{Bend, Disturbance, Watch};
use myriad_engine::EventKind;
use myriad_live::fault::{Fault as RenderFault, Faults};
use myriad_player::Session;
use std::sync::Arc;
use std::time::Duration;

/// The faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Fault {
    /// The GPU loses its context in the middle of a chord
    GpuLoss,
    /// The render thread is held up for 5 to 40 ms
    Stall,
    /// The device goes away and has to be found again
    DeviceLoss,
    /// Three hundred random bytes as MIDI messages
    Midi,
    /// Six thousand events at once
    Flood,
    /// Most of the free memory is taken for some seconds
    Memory,
    /// A step of -26 dBFS is added to the sound, to test the click detector
    Click,
}

impl Fault {
    /// How long its consequences may last, in seconds.
    fn aftermath(self) -> f64 {
        match self {
            Fault::Click => 5.0,
            Fault::GpuLoss | Fault::Stall | Fault::Flood => 1.0,
            Fault::Midi => 2.5,
            Fault::Memory => 8.0,
            Fault::DeviceLoss => 15.0,
        }
    }

    /// Whether it may cause such a finding. A lost GPU may only cause an underrun, when failover takes
    /// longer than there are frames ready.
    fn may_cause(self, kind: Kind) -> bool {
        match self {
            Fault::Click => matches!(kind, Kind::Click | Kind::Difference),
            Fault::GpuLoss | Fault::Memory => kind == Kind::Underrun,
            Fault::Stall => matches!(kind, Kind::Underrun | Kind::Timing | Kind::NotSilent),
            Fault::Flood => {
                matches!(kind, Kind::Underrun | Kind::Timing | Kind::NotSilent | Kind::Events)
            }
            // The sound is cut off.
            Fault::DeviceLoss => matches!(
                kind,
                Kind::Underrun | Kind::Timing | Kind::NotSilent | Kind::Events | Kind::Difference
            ),
            Fault::Midi => matches!(
                kind,
                Kind::Underrun | Kind::Timing | Kind::NotSilent | Kind::StuckVoices | Kind::Events
            ),
        }
    }
}

/// The longest time to the first fault, and the times between faults, in seconds.
const FIRST: f64 = 30.0;
const RESTS: [f64; 2] = [45.0, 75.0];

/// How long random notes sound before they are ended.
const NOISE_SECONDS: f64 = 1.0;

/// The memory fault takes this share of what is free, but at most so many bytes, for so long.
const MEMORY_SHARE: f64 = 0.6;
const MOST_MEMORY: usize = 2 << 30;
const MEMORY_SECONDS: u64 = 5;

/// The step that the click fault adds, and for how many frames.
const STEP: f32 = 0.05;
const STEP_FRAMES: usize = 300;

/// Injects faults when they are due.
pub(super) struct Injector {
    /// Each with the second of play at which it is injected next.
    faults: Vec<(Fault, f64)>,
    rng: Rng,
    stall: Arc<Faults>,
    /// When random notes have to be ended.
    clean_up: Option<f64>,
    /// Until when memory is taken, so that the memory of the soak cannot be measured.
    memory_taken_until: f64,
    /// Recent faults, and when they were injected.
    recent: Vec<(Fault, f64)>,
    /// Whether a step is to be added to the sound.
    step: bool,
}

/// What the caller has to do for a fault.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Orders {
    /// Stall rendering for so long, in virtual time.
    pub(super) stall: Duration,
    /// End all sound, and restore the patch of every part.
    pub(super) clean_up: bool,
}

impl Injector {
    /// Injects `faults` into a soak of `seconds`, of which `past` are over.
    pub(super) fn new(
        faults: &[Fault],
        seed: u64,
        seconds: f64,
        past: f64,
        stall: Arc<Faults>,
    ) -> Self {
        let mut rng = Rng::new(seed ^ 0x5bad, past as u64);
        let first = FIRST.min((seconds - past) / 4.0);
        let each = first / faults.len().max(1) as f64;
        let at = |index: usize| past + first + each * index as f64;
        Self {
            faults: (faults.iter().enumerate())
                .map(|(index, &fault)| (fault, at(index) + rng.between(0.0, 0.2)))
                .collect(),
            rng,
            stall,
            clean_up: None,
            memory_taken_until: 0.0,
            recent: Vec::new(),
            step: false,
        }
    }

    /// Injects the faults that are due, and calls `injected` with each.
    pub(super) fn tick(
        &mut self,
        now: f64,
        session: &mut Session,
        watch: &mut Watch,
        mut injected: impl FnMut(Fault),
    ) -> Orders {
        let mut orders = Orders {
            clean_up: self.clean_up.take_if(|at| now >= *at).is_some(),
            ..Orders::default()
        };
        for index in 0..self.faults.len() {
            let (fault, next) = self.faults[index];
            if now < next {
                continue;
            }
            self.faults[index].1 = now + self.rng.between(RESTS[0], RESTS[1]);
            self.recent.push((fault, now));
            injected(fault);
            orders.stall = orders.stall.max(self.inject(fault, now, session, watch));
        }
        self.recent.retain(|(fault, at)| now < at + fault.aftermath() + 5.0);
        orders
    }

    /// Injects a fault. Returns for how long rendering stalls in virtual time.
    fn inject(
        &mut self,
        fault: Fault,
        now: f64,
        session: &mut Session,
        watch: &mut Watch,
    ) -> Duration {
        match fault {
            Fault::GpuLoss => session.lose_gpu(),
            Fault::Stall => {
                let time = Duration::from_secs_f64(self.rng.between(0.005, 0.04));
                self.stall.set_once(RenderFault::Slow(time));
                watch.forget_expectations();
                return time;
            }
            Fault::DeviceLoss => {
                session.unplug();
                watch.forget_expectations();
            }
            Fault::Midi => {
                for _ in 0..100 {
                    let bytes: [u8; 3] = std::array::from_fn(|_| self.rng.below(256) as u8);
                    session.midi(&bytes);
                }
                self.clean_up = Some(now + NOISE_SECONDS);
                self.allow_noise(session, watch);
            }
            Fault::Flood => {
                let cc = 74;
                for index in 0..6_000 {
                    let value = (index % 128) as f32 / 127.0;
                    session.plan(session.time(), LEAD, EventKind::Control { cc, value });
                }
                self.allow_noise(session, watch);
            }
            Fault::Memory => {
                self.memory_taken_until = now + MEMORY_SECONDS as f64 + 3.0;
                take_memory();
            }
            Fault::Click => self.step = true,
        }
        Duration::ZERO
    }

    /// Allows any sound for a while.
    fn allow_noise(&self, session: &Session, watch: &mut Watch) {
        let rate = f64::from(session.sample_rate());
        watch.forget_expectations();
        watch.bend(Bend {
            from: watch.time(),
            to: session.time() + (2.0 * NOISE_SECONDS * rate) as u64,
            size: 1.0,
        });
    }

    /// Adds the step of the click fault to frames that were played, where it can be told from music.
    pub(super) fn add_click(&mut self, frames: &mut [[f32; 2]], watch: &Watch) {
        if self.step && frames.len() >= STEP_FRAMES && watch.is_keen(frames.len()) {
            self.step = false;
            // Its consequences count from now on, however late the step is.
            let now = watch.seconds(watch.time());
            self.recent.push((Fault::Click, now));
            for frame in &mut frames[..STEP_FRAMES] {
                frame[0] += STEP;
            }
        }
    }

    /// Whether memory is taken, so that the memory of the soak cannot be measured.
    pub(super) fn takes_memory(&self, seconds: f64) -> bool {
        seconds < self.memory_taken_until
    }

    /// Blames a finding on an injected fault, if one may have caused it.
    pub(super) fn judge(&self, finding: &mut Finding) {
        let caused = |(fault, at): &(Fault, f64)| {
            let time = at - 0.5..at + fault.aftermath();
            fault.may_cause(finding.kind) && time.contains(&finding.seconds)
        };
        if let Some((fault, _)) = self.recent.iter().find(|recent| caused(recent)) {
            finding.blame = Blame::Injected;
            finding.text += &format!(" (on purpose: {})", super::name_of(*fault));
        }
    }
}

/// The frames around the loss or return of a device.
pub(super) fn device_disturbance(time: u64, rate: f64) -> Disturbance {
    Disturbance {
        from: time.saturating_sub((0.7 * rate) as u64),
        to: time + (0.3 * rate) as u64,
        cut: true,
    }
}

/// Takes memory for some seconds, on another thread.
fn take_memory() {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = myriad_player::memory::kibibytes(&text, "MemAvailable:").unwrap_or(1 << 20) << 10;
    let bytes = ((free as f64 * MEMORY_SHARE) as usize).min(MOST_MEMORY);
    let work = move || {
        let mut memory: Vec<u8> = Vec::new();
        // If the allocation is refused, there is no memory left, which is the fault.
        if memory.try_reserve_exact(bytes).is_ok() {
            memory.resize(bytes, 1);
            std::thread::sleep(Duration::from_secs(MEMORY_SECONDS));
        }
    };
    // The same holds for the thread.
    let _ = std::thread::Builder::new().spawn(work);
}
