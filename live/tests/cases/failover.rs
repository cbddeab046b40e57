//! The GPU is lost in the middle of a chord: the chord goes on, and nothing clicks.

use myriad_conformance::testing::*;
use myriad_engine::params::Param;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, Due, PrepareError, RenderError, Renderer, VoiceBlock,
};
use myriad_engine::{Engine, EngineConfig, Event, EventKind, Patch, ThreadPolicy, factory};
use myriad_live::auto::CostModel;
use myriad_live::fault::{Fault, FaultRenderer, Faults, simulated_gpu};
use myriad_live::supervised::watchdog::WatchdogConfig;
use myriad_live::supervised::{
    Clock, FailoverReport, MakePolicy, Policy, Preference, SupervisedRenderer,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Prefers the GPU while `wanted` is set.
fn on_demand(wanted: &Arc<AtomicBool>) -> MakePolicy {
    let wanted = Arc::clone(wanted);
    Box::new(move |_| {
        let wanted = Arc::clone(&wanted);
        let policy: Policy = Box::new(move |_| match wanted.load(Ordering::Relaxed) {
            true => Preference::Gpu,
            false => Preference::Cpu,
        });
        Ok(policy)
    })
}

/// Longer than any machine is only busy: the time decides nothing here, unless a test shortens it.
const WATCHDOG: WatchdogConfig = WatchdogConfig {
    thread_policy: ThreadPolicy::Normal,
    prepare_timeout: Duration::from_mins(5),
    render_timeout: Duration::from_mins(5),
};

struct Fixture {
    engine: Engine,
    faults: Arc<Faults>,
    report: Arc<Mutex<FailoverReport>>,
}

impl Fixture {
    fn new(patch: &Patch) -> Self {
        Self::with(patch, Arc::default(), |renderer| renderer)
    }

    fn with(
        patch: &Patch,
        faults: Arc<Faults>,
        change: impl FnOnce(SupervisedRenderer) -> SupervisedRenderer,
    ) -> Self {
        let renderer = SupervisedRenderer::new(simulated_gpu(1, &faults), CpuRenderer::new(1));
        let renderer = change(renderer.with_watchdog(WATCHDOG));
        let report = renderer.report();
        let config = EngineConfig { sample_rate: RATE as f32, ..EngineConfig::default() };
        let mut engine = Engine::with_renderer(&config, Box::new(renderer)).unwrap();
        engine.set_patch(0, patch);
        Self { engine, faults, report }
    }

    fn report(&self) -> FailoverReport {
        self.report.lock().unwrap().clone()
    }

    /// Plays in calls that are long enough for two blocks to be under way.
    fn play(&mut self, events: &[(usize, EventKind)], frames: usize) -> Vec<f32> {
        let mut sizes = std::iter::repeat(1_024);
        let [left, _] = play_in_blocks(&mut self.engine, events, frames, &mut sizes);
        left
    }

    fn chord(&mut self, frames: usize) -> Vec<f32> {
        self.play(&[(0, on(45)), (0, on(52)), (0, on(57))], frames)
    }

    /// Plays on until the report is as `wanted`.
    fn until(&mut self, wanted: fn(&FailoverReport) -> bool) -> Vec<f32> {
        let mut sound = Vec::new();
        for _ in 0..2_000 {
            sound.extend(self.play(&[], 1_024));
            if wanted(&self.report()) {
                return sound;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("it never came to that: {:?}", self.report());
    }
}

/// No step is larger than those of the sound at rest.
fn check_for_clicks(patch: &Patch, at_rest: &[&[f32]], all: &[f32]) {
    let mut own = at_rest.iter().fold(0.0f32, |top, x| top.max(steepest(x)));
    let step = steepest(all);
    if step > 1.6 * own {
        // Sound that moves is compared with itself, undisturbed.
        let undisturbed = Fixture::new(patch).chord(RATE + all.len());
        own = steepest(&undisturbed[RATE..]);
    }
    let name = &patch.name;
    assert!(step <= 1.6 * own, "{name}: a step of {step}, where {own} is its own");
}

/// A soft sound, in which any click stands out, and every factory patch that sustains.
fn sustained() -> Vec<Patch> {
    // The envelope of a kit is not that of its drums, which die away.
    let sustains =
        |patch: &&Patch| patch.key_zones.is_empty() && patch.values[Param::Env1Sustain] > 0.5;
    let factory = factory::patches().iter().filter(sustains).cloned();
    std::iter::once(soft()).chain(factory).collect()
}

#[test]
fn gpu_loss_and_return_do_not_click() {
    for patch in &sustained() {
        let mut fixture = Fixture::new(patch);
        let before = fixture.chord(2 * RATE);
        let report = fixture.report();
        assert!(report.losses == 0, "{}: lost before the fault: {report:?}", patch.name);
        // In the middle of a call, when two blocks are under way.
        fixture.faults.set_at(2, Fault::Fail);
        let lost = fixture.play(&[], RATE / 2);
        let report = fixture.report();
        assert!(!report.on_gpu && report.losses == 1, "{}: {report:?}", patch.name);
        assert!(report.lost_because.unwrap().contains("injected"));
        fixture.faults.set(Fault::None);
        let returned = fixture.until(|report| report.on_gpu);
        let after = fixture.play(&[], RATE / 2);
        assert_eq!(fixture.report().returns, 1);
        assert_eq!(fixture.engine.counters().renders_failed, 0);
        let (level, goes_on) = (rms(&before[RATE..]), rms(&lost[RATE / 4..]));
        assert!(goes_on > 0.3 * level, "{} goes on: {goes_on} after {level}", patch.name);
        if rms(&after) <= 0.2 * level {
            // The return took long, and what dies away is compared with itself, undisturbed.
            let played = before.len() + lost.len() + returned.len();
            let undisturbed = Fixture::new(patch).chord(played + after.len());
            let own = rms(&undisturbed[played..]);
            assert!(rms(&after) > 0.5 * own, "{} is still there", patch.name);
        }
        let rest = [&before[RATE..], &lost[RATE / 4..], &after];
        let all: Vec<f32> = [&before[RATE..], &lost, &returned, &after].concat();
        check_for_clicks(patch, &rest, &all);
    }
}

/// The CPU gets the phase of the fundamental, and so of every harmonic.
#[test]
fn sound_continues_in_phase_after_a_gpu_loss() {
    let patch = soft();
    let (mut lost, mut kept) = (Fixture::new(&patch), Fixture::new(&patch));
    let (_, expected) = (lost.chord(RATE), kept.chord(2 * RATE).split_off(RATE));
    lost.faults.set_at(2, Fault::Fail);
    let sound = lost.play(&[], RATE);
    assert_eq!(lost.report().losses, 1);
    // From when the two have faded into each other.
    let after = RATE / 10..RATE;
    let error: Vec<f32> = sound[after.clone()]
        .iter()
        .zip(&expected[after.clone()])
        .map(|(got, expected)| got - expected)
        .collect();
    let (error, level) = (rms(&error), rms(&expected[after]));
    assert!(error < 0.01 * level, "{error} beside {level}");
}

#[test]
fn a_hanging_render_call_is_abandoned() {
    let patch = soft();
    let mut fixture = Fixture::with(&patch, Arc::default(), |renderer| {
        renderer
            .with_watchdog(WatchdogConfig { render_timeout: Duration::from_secs(2), ..WATCHDOG })
    });
    let before = fixture.chord(RATE);
    fixture.faults.set_at(3, Fault::Hang);
    let lost = fixture.play(&[], RATE);
    let report = fixture.report();
    assert!(!report.on_gpu && report.losses == 1, "{report:?}");
    let reason = report.lost_because.unwrap();
    assert!(reason.contains("did not finish within 2000 ms"), "{reason}");
    // The thread that hung is let go, and a new renderer taken back.
    fixture.faults.set(Fault::None);
    let returned = fixture.until(|report| report.on_gpu);
    let after = fixture.play(&[], RATE / 2);
    let rest = [&before[RATE / 2..], &lost[RATE / 2..], &after];
    let all = [&before[RATE / 2..], &lost, &returned, &after].concat();
    check_for_clicks(&patch, &rest, &all);
    assert!(rms(&after) > 0.8 * rms(&before[RATE / 2..]));
    assert_eq!(fixture.engine.counters().renders_failed, 0);
}

/// Remembers how long its calls may take.
struct Limited {
    inner: CpuRenderer,
    limit: Arc<Mutex<Duration>>,
}

impl Renderer for Limited {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.inner.prepare(capacity)
    }
    fn reset(&mut self) {
        self.inner.reset();
    }
    fn limit_calls(&mut self, limit: Duration) -> bool {
        *self.limit.lock().unwrap() = limit;
        true
    }
    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.inner.submit(block)
    }
    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.inner.collect(buses)
    }
}

/// How long the GPU may take for a block of `patch` that is due then, beside that CPU.
fn limit_of(patch: &Patch, due: Due, cpu: CostModel) -> Duration {
    let limit = Arc::<Mutex<Duration>>::default();
    let seen = Arc::clone(&limit);
    let gpu = move || -> Box<dyn Renderer> {
        Box::new(Limited { inner: CpuRenderer::new(1), limit: Arc::clone(&seen) })
    };
    let renderer = SupervisedRenderer::new(Arc::new(gpu), CpuRenderer::new(1))
        .with_watchdog(WATCHDOG)
        .with_wait_limit(RATE as f32, move || Some(cpu));
    // As in a soak.
    let renderer = FaultRenderer::new(Box::new(renderer), Arc::default());
    let mut engine = Engine::with_renderer(&EngineConfig::default(), Box::new(renderer)).unwrap();
    engine.set_patch(0, patch);
    engine.set_due(due);
    let [mut left, mut right] = [[0.0; 1_024]; 2];
    engine.render(&[note_on(45)], &mut left, &mut right);
    *limit.lock().unwrap()
}

/// The same of a soft sound beside a CPU that takes so long for whatever it renders.
fn limit(due: Due, cpu: Duration) -> Duration {
    let fixed = cpu.as_secs_f64();
    limit_of(&soft(), due, CostModel { fixed, per_cloud: 0.0, per_partial: 0.0 })
}

fn note_on(key: u8) -> Event {
    Event { frame: 0, part: 0, kind: on(key) }
}

/// A render service that stands still would take the sound with it if it was waited for any longer.
#[test]
fn a_gpu_is_waited_for_while_the_cpu_can_take_over_in_time() {
    let quick = Duration::from_nanos(1);
    let left = Duration::from_mins(1);
    let waits = limit(Due::By(Instant::now() + left), quick);
    assert!(waits < left, "{waits:?}");
    // What is late already gets a moment still.
    let late = limit(Due::By(Instant::now()), quick);
    assert!(late < waits && late > Duration::ZERO, "{late:?}");
    for due in [Due::InRealTime, Due::Whenever] {
        assert_eq!(limit(due, quick), WATCHDOG.render_timeout);
    }
    let slow = Duration::from_secs(1);
    assert_eq!(limit(Due::By(Instant::now() + left), slow), WATCHDOG.render_timeout);
}

/// The CPU could not hold all partials that the patch has, but those that pass its filter.
#[test]
fn partials_that_do_not_sound_are_no_reason_to_wait_for_a_gpu() {
    let due = Due::By(Instant::now() + Duration::from_mins(1));
    let cpu = CostModel { fixed: 0.0, per_cloud: 0.0, per_partial: 2e-6 };
    let bright = with(soft(), &[(Param::SourcePartials, 512.0), (Param::SourcePosition, 1.0)]);
    assert_eq!(limit_of(&bright, due, cpu), WATCHDOG.render_timeout);
    let dark = with(bright, &[(Param::FilterType, 2.0), (Param::FilterCutoff, 100.0)]);
    assert!(limit_of(&dark, due, cpu) < WATCHDOG.render_timeout);
}

#[test]
fn a_hanging_prepare_call_is_abandoned() {
    let faults: Arc<Faults> = Arc::default();
    faults.set(Fault::HangInPrepare);
    let mut fixture = Fixture::with(&soft(), Arc::clone(&faults), |renderer| {
        renderer.with_watchdog(WatchdogConfig {
            prepare_timeout: Duration::from_millis(50),
            ..WATCHDOG
        })
    });
    assert!(rms(&fixture.chord(RATE)) > 0.01);
    let report = fixture.report();
    assert!(!report.on_gpu && report.losses == 0);
    assert!(report.refused_because.unwrap().contains("within 50 ms"));
    faults.set(Fault::None);
    fixture.until(|report| report.on_gpu);
}

#[test]
fn a_slow_gpu_is_not_lost() {
    let mut fixture = Fixture::new(&soft());
    fixture.faults.set(Fault::Slow(Duration::from_millis(5)));
    fixture.chord(RATE / 4);
    let report = fixture.report();
    assert!(report.on_gpu && report.losses == 0, "{report:?}");
}

#[test]
fn the_cpu_replaces_a_gpu_that_cannot_be_prepared() {
    let faults: Arc<Faults> = Arc::default();
    faults.set(Fault::Fail);
    let mut fixture = Fixture::with(&soft(), faults, |renderer| renderer);
    assert!(rms(&fixture.chord(RATE)) > 0.01);
    let report = fixture.report();
    assert!(!report.on_gpu && report.refused_because.is_some());
    assert_eq!(fixture.engine.counters().renders_failed, 0);
}

#[test]
fn a_gpu_that_is_required_and_missing_is_an_error() {
    let faults: Arc<Faults> = Arc::default();
    faults.set(Fault::Fail);
    let gpu = simulated_gpu(1, &faults);
    let renderer = SupervisedRenderer::new(gpu, CpuRenderer::new(1)).require_gpu();
    let refused = Engine::with_renderer(&EngineConfig::default(), Box::new(renderer)).err();
    let refused = refused.unwrap().to_string();
    assert!(refused.contains("injected"), "{refused}");
}

#[test]
fn without_a_fault_it_is_bit_equal_to_the_gpu_renderer() {
    let patch = &factory::find("Aurora").unwrap();
    let events = [(0, on(45)), (5_000, on(52)), (20_000, off(45))];
    let plain = play(&mut engine(patch), &events, RATE);
    let mut fixture = Fixture::new(patch);
    assert!(fixture.play(&events, RATE) == plain[0]);
    fixture.engine.reset();
    assert!(play(&mut fixture.engine, &events, RATE) == plain);
}

/// The policy changes between the renderers.
#[test]
fn policy_changes_do_not_click() {
    for patch in &sustained() {
        let wanted = Arc::new(AtomicBool::new(false));
        let mut fixture = Fixture::with(patch, Arc::default(), |renderer| {
            renderer.with_policy(on_demand(&wanted))
        });
        let cpu = fixture.chord(2 * RATE);
        assert!(!fixture.report().on_gpu);
        let mut all = cpu[RATE..].to_vec();
        let mut rests = vec![cpu[RATE..].to_vec()];
        for turn in 0..3 {
            wanted.store(true, Ordering::Relaxed);
            all.extend(fixture.until(|report| report.on_gpu));
            let gpu = fixture.play(&[], RATE / 2);
            wanted.store(false, Ordering::Relaxed);
            let back = fixture.play(&[], RATE / 2);
            let report = fixture.report();
            assert!(!report.on_gpu && report.losses == 0, "{report:?}");
            assert_eq!(report.switches, 2 * (turn + 1));
            all.extend(gpu.iter().chain(&back));
            rests.extend([gpu[RATE / 4..].to_vec(), back[RATE / 4..].to_vec()]);
        }
        let rests: Vec<&[f32]> = rests.iter().map(Vec::as_slice).collect();
        check_for_clicks(patch, &rests, &all);
    }
}

/// A reset cuts the fade short: the display must not name the renderer that was left.
#[test]
fn a_reset_in_the_middle_of_a_fade_is_reported() {
    let wanted = Arc::new(AtomicBool::new(true));
    let mut renderer =
        SupervisedRenderer::new(simulated_gpu(1, &Arc::default()), CpuRenderer::new(1))
            .with_watchdog(WATCHDOG)
            .with_policy(on_demand(&wanted));
    let report = renderer.report();
    renderer.prepare(Capacity { slots: 1, buses: 1 }).unwrap();
    let mut block = VoiceBlock::new(1);
    block.start_tick();
    let (block, mut buses) = (Arc::new(block), Buses::new(1));
    assert!(report.lock().unwrap().on_gpu);
    for (turn, on_gpu) in [false, true, false].into_iter().enumerate() {
        wanted.store(on_gpu, Ordering::Relaxed);
        renderer.render(&block, &mut buses).unwrap();
        assert_eq!(report.lock().unwrap().on_gpu, !on_gpu, "it fades");
        renderer.reset();
        let report = report.lock().unwrap();
        assert_eq!(report.on_gpu, on_gpu, "it has changed over");
        assert_eq!(report.switches, turn as u64 + 1);
    }
}

/// A wide sound of many partials on a machine whose time is made up: the more partials sound,
/// the longer a block takes.
#[test]
fn load_shedding_drops_the_quietest_partials_and_restores_them() {
    let rich = patch(&[
        (Param::SourcePartials, 512.0),
        (Param::SourcePosition, 1.0),
        (Param::Env1Sustain, 1.0),
        (Param::Env1Attack, 0.01),
    ]);
    let (now, step) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (time, pace) = (Arc::clone(&now), Arc::clone(&step));
    // Two reads around a block differ by the simulated time of the block.
    let clock: Clock = Arc::new(move || {
        Duration::from_nanos(time.fetch_add(pace.load(Ordering::Relaxed), Ordering::Relaxed))
    });
    let faults: Arc<Faults> = Arc::default();
    faults.set(Fault::Fail);
    let mut fixture =
        Fixture::with(&rich, faults, |renderer| renderer.with_load_shedding(RATE as f32, clock));
    const BLOCK: usize = 64;
    let block_time = BLOCK as f64 / RATE as f64 * 1e9;
    let mut sound = Vec::new();
    // Plays so many blocks on a machine that holds `capacity` partials; gives those that sound.
    let mut run = |events: &[(usize, EventKind)], blocks: usize, capacity: f64| {
        let mut sounding = 0;
        for block in 0..blocks {
            let events = if block == 0 { events } else { &[] };
            sound.extend(play(&mut fixture.engine, events, BLOCK)[0].iter());
            sounding = fixture.engine.counters().partials;
            let nanoseconds = sounding as f64 / capacity * block_time;
            step.store(nanoseconds as u64, Ordering::Relaxed);
        }
        (sounding, fixture.report())
    };
    let chord: Vec<_> = [33, 40, 45, 52].map(|key| (0, on(key))).into();
    let (full, report) = run(&chord, 750, 1e9);
    assert!(full > 1_000 && report.partials_shed == 0, "{full}: {report:?}");
    let capacity = full as f64 / 2.0;
    let (thin, report) = run(&[], 750, capacity);
    assert!((0.3..=0.75).contains(&(thin as f64 / capacity)), "{thin}");
    assert!(report.partials_shed + thin >= full - 64, "{thin}: {report:?}");
    let (again, report) = run(&[], 6_000, 1e9);
    assert_eq!((again, report.partials_shed), (full, 0));
    assert!(report.most_partials_shed > 0);
    // What is left out was quiet: the level hardly changes, and nothing steps.
    let [before, thin, after] =
        [300, 1_100, 7_000].map(|block| &sound[block * BLOCK..][..RATE / 2]);
    for other in [thin, after] {
        let change = db(rms(other)) - db(rms(before));
        assert!(change.abs() < 1.0, "{change} dB");
    }
    let rest = [before, after];
    check_for_clicks(&rich, &rest, &sound[300 * BLOCK..]);
}
