//! Planted faults are found, and clean play is found clean.

mod takeover;

use super::*;
use finding::{Finding, Kind};
use generator::{Scene, probe_patch};
use watch::{Bend, ClickDetector};

pub(super) const RATE: usize = 48_000;

/// A session in virtual time with its generator and its watch; what was played is kept.
pub(super) struct Rig {
    pub(super) session: Session,
    event_sender: EventSender,
    watch: Watch,
    pub(super) reference: Option<Reference>,
    pub(super) heard: Vec<[f32; 2]>,
    pub(super) found: Vec<Finding>,
}

const LOAD: Load = Load { voices: 8, copies: 1, partials: 16 };

impl Rig {
    pub(super) fn new(seed: u64, buffer: u32, depth: Option<u32>) -> Self {
        Self::on_renderer("cpu", seed, buffer, depth)
    }

    fn on_renderer(renderer: &str, seed: u64, buffer: u32, depth: Option<u32>) -> Self {
        let begin = Begin {
            schema: SCHEMA,
            version: String::new(),
            seed,
            seconds: 600.0,
            device: "virtual".to_owned(),
            renderer: renderer.to_owned(),
            gpu: 0,
            buffer: Some(buffer),
            depth,
            rate: None,
            awake: false,
            load: [LOAD.voices, LOAD.partials],
            inject: Vec::new(),
        };
        let stall = Arc::default();
        let setup = setup(&begin, Device::Virtual, LOAD, &stall).unwrap();
        let generator = SceneGenerator { seed, rate: RATE as f64, load: LOAD };
        Self {
            session: Session::start(setup).unwrap(),
            event_sender: EventSender::new(generator, 0),
            watch: Watch::new(RATE as f64, 0.0),
            reference: None,
            heard: Vec::new(),
            found: Vec::new(),
        }
    }

    /// The same with a reference.
    pub(super) fn with_reference(seed: u64, buffer: u32, depth: Option<u32>) -> Self {
        Self::new(seed, buffer, depth).start_reference()
    }

    /// The same on a simulated GPU, in blocks that end in the middle of a fade.
    pub(super) fn with_simulated_gpu(seed: u64) -> Self {
        Self::on_renderer("stand-in", seed, 192, None).start_reference()
    }

    fn start_reference(mut self) -> Self {
        self.reference = Some(Reference::start(&self.session, true, false).unwrap());
        self
    }

    /// Plays so many seconds.
    pub(super) fn play(&mut self, seconds: f64) {
        let end = self.session.time() + (seconds * RATE as f64) as u64;
        while self.session.time() < end {
            self.event_sender.tick(&mut self.session, &mut self.watch);
            self.session.step();
            self.listen();
        }
    }

    fn listen(&mut self) {
        let mut frames = Vec::new();
        self.session.hear_frames(&mut frames);
        if let Some(reference) = &mut self.reference {
            for (time, part, kind) in self.event_sender.take_planned() {
                reference.expect(time, part, kind);
            }
            let seconds = |at| at as f64 / RATE as f64;
            reference.hear(&frames, &self.session, seconds, &mut self.found);
        }
        self.watch.hear(&mut frames, &mut self.found);
        self.heard.extend(frames);
        let stuck = self.event_sender.check_voices(&self.session, &self.watch);
        self.found.extend(stuck);
    }
}

impl Rig {
    /// Ends all comparisons, and returns how many frames were compared.
    pub(super) fn finish_reference(&mut self) -> u64 {
        let reference = self.reference.as_mut().unwrap();
        reference.finish(&self.session, |at| at as f64 / RATE as f64, &mut self.found);
        reference.compared()
    }
}

/// The corners that the generator's sound turns, as the event sender tells them.
pub(super) fn bends(seed: u64, seconds: f64, latency: u64) -> Vec<Bend> {
    let generator = SceneGenerator { seed, rate: RATE as f64, load: LOAD };
    let mut start = (0.3 * RATE as f64) as u64;
    let mut bends = Vec::new();
    for number in 0.. {
        let scene: Scene = generator.scene(number);
        let at = start + latency;
        bends.extend(scene.bends.iter().map(|bend| Bend {
            from: bend.from + at,
            to: bend.to + at,
            ..*bend
        }));
        start += scene.frames;
        if start as f64 > seconds * RATE as f64 {
            break;
        }
    }
    bends
}

/// A fault in the middle of an excerpt.
enum Fault {
    /// A step that leaks away slowly.
    Step(f32),
    Drop(usize),
    Repeat(usize),
    NotANumber(usize),
}

/// Frames before and after a fault, and frames in which a step leaks away.
const AROUND: usize = 12_000;
const LEAK: usize = 1_500;

impl Fault {
    fn plant(&self, clean: &[[f32; 2]]) -> Vec<[f32; 2]> {
        let mut sound = clean.to_vec();
        match *self {
            Fault::Step(size) => {
                for (after, frame) in sound[AROUND..][..LEAK].iter_mut().enumerate() {
                    frame[0] += size * (1.0 - after as f32 / LEAK as f32);
                }
            }
            Fault::Drop(frames) => drop(sound.drain(AROUND..AROUND + frames)),
            Fault::Repeat(frames) => {
                let again = sound[AROUND - frames..AROUND].to_vec();
                sound.splice(AROUND..AROUND, again);
            }
            Fault::NotANumber(frames) => {
                for frame in &mut sound[AROUND..AROUND + frames] {
                    frame[1] = if frames % 2 == 0 { f32::NAN } else { f32::INFINITY };
                }
            }
        }
        sound
    }

    /// The step that it makes: what came, against what should have come.
    fn size(&self, clean: &[[f32; 2]]) -> f32 {
        let step = |other: usize| {
            let (a, b) = (clean[AROUND], clean[other]);
            (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
        };
        match *self {
            Fault::Step(size) => size.abs(),
            Fault::Drop(frames) => step(AROUND + frames),
            Fault::Repeat(frames) => step(AROUND - frames),
            Fault::NotANumber(_) => f32::INFINITY,
        }
    }
}

/// An excerpt begins in the middle of sound, which is a click itself.
const BEGINNING: Bend = Bend { from: 0, to: 3_000, size: f32::INFINITY };

/// Those of `bends` that lie in an excerpt, in its time.
fn local(bends: &[Bend], start: usize) -> Vec<Bend> {
    let (start, end) = (start as u64, (start + 2 * AROUND) as u64);
    let overlapping = bends.iter().filter(|bend| bend.to > start && bend.from < end);
    let shifted = overlapping.map(|bend| Bend {
        from: bend.from.saturating_sub(start),
        to: bend.to - start,
        ..*bend
    });
    shifted.chain([BEGINNING]).collect()
}

/// What is planted without regard to its place: frames, by its grade.
const BLIND: [fn(usize) -> Fault; 3] = [
    |grade| Fault::Drop(1 + 20 * grade),
    |grade| Fault::Repeat(1 + 20 * grade),
    |grade| Fault::NotANumber(1 + 4 * grade),
];

/// Steps are planted where so large ones are promised to be found, and where they do not clip, which is
/// another finding.
const LARGEST_STEP: f32 = 0.2;

/// A piece of music in which a fault is planted, and the smallest that is promised to be found.
struct Place<'a> {
    clean: &'a [[f32; 2]],
    bends: Vec<Bend>,
    threshold: f32,
}

impl<'a> Place<'a> {
    fn any(heard: &'a [[f32; 2]], bends: &[Bend], rng: &mut rng::Rng) -> Self {
        let start = rng.below(heard.len() - 2 * AROUND);
        let clean = &heard[start..start + 2 * AROUND];
        let bends = local(bends, start);
        let mut detector = ClickDetector::new();
        bends.iter().for_each(|&bend| detector.bend(bend));
        detector.hear(clean, &mut Vec::new());
        let nearest =
            detector.thresholds.iter().min_by_key(|(frame, _)| frame.abs_diff(AROUND as u64));
        Self { clean, bends, threshold: nearest.unwrap().1 }
    }

    /// Plants a fault: whatever is found is it, and it is found when that is promised. Says whether
    /// it is.
    fn holds_with(&self, fault: &Fault, what: &str) -> bool {
        let mut watch = Watch::new(RATE as f64, 0.0);
        self.bends.iter().for_each(|&bend| watch.bend(bend));
        let mut found = Vec::new();
        watch.hear(&mut fault.plant(self.clean), &mut found);
        watch.finish(&mut found);
        let kind = match fault {
            Fault::NotANumber(_) => Kind::NotANumber,
            _ => Kind::Click,
        };
        for finding in &found {
            assert_eq!(finding.kind, kind, "{what}: {found:?}");
            let off = finding.frame.abs_diff(AROUND as u64);
            assert!(off < 300, "{what}: {found:?}");
        }
        let size = fault.size(self.clean);
        let promised = size >= self.threshold;
        if promised {
            assert_eq!(found.len(), 1, "{what}: {size} of {}", self.threshold);
        }
        promised
    }
}

/// Faults of graded size, each in a piece of music of its own: all above the threshold that holds
/// there are found where they are, and the music without them is clean, whatever is played.
#[test]
fn planted_faults_are_found_and_clean_music_is_not() {
    const SECONDS: f64 = 34.0;
    for seed in 1..=4 {
        let mut rig = Rig::new(seed, 256, None);
        rig.play(SECONDS);
        rig.watch.finish(&mut rig.found);
        assert_eq!(rig.found, [], "seed {seed}");
        let bends = bends(seed, SECONDS, rig.session.stream_latency());
        let mut rng = rng::Rng::new(seed, 0);
        let mut cut = 0;
        for grade in 0..10 {
            // From just what is promised to twice that.
            let step =
                |place: &Place<'_>| Fault::Step(place.threshold * (1.0 + 0.1 * grade as f32));
            let clips = |place: &Place<'_>| {
                step(place).plant(place.clean).iter().flatten().any(|sample| sample.abs() > 1.0)
            };
            let place = std::iter::repeat_with(|| Place::any(&rig.heard, &bends, &mut rng))
                .take(1_000)
                .find(|place| place.threshold <= LARGEST_STEP && !clips(place))
                .unwrap();
            let step = step(&place);
            assert!(place.holds_with(&step, &format!("step {grade}, seed {seed}")));
            for (number, fault) in BLIND.iter().enumerate() {
                let place = Place::any(&rig.heard, &bends, &mut rng);
                let what = format!("fault {number} of grade {grade}, seed {seed}");
                let promised = place.holds_with(&fault(grade), &what);
                cut += usize::from(promised && number < 2);
            }
        }
        assert!(cut > 0, "no cut of seed {seed} is promised to be found");
    }
}

/// 40 stalls of graded length: those that cost frames are found with their place, the others do
/// no harm, and none of them clicks.
#[test]
fn planted_stalls_are_found_when_they_cost_frames() {
    let (block, depth) = (64, 640);
    let mut rig = Rig::with_reference(1, block, Some(depth));
    let (mut expected, mut noticed) = (Vec::new(), Vec::new());
    for blocks in 1..=40u64 {
        rig.play(0.9);
        let at = rig.session.time();
        for _ in 0..blocks {
            rig.session.step_unrendered();
            rig.listen();
        }
        // Frames that were ready last for ten blocks, of which one is asked for before the next is
        // rendered.
        if blocks >= u64::from(depth / block) {
            expected.push(at + u64::from(depth));
        }
        rig.play(0.1);
        rig.session.tick();
        for underrun in rig.session.take_underruns() {
            let (at, frames) = (underrun.at_frame, underrun.frames);
            noticed.push(at);
            let (from, to) = (at.saturating_sub(1_024), at + frames + 1_024);
            let cut = false;
            rig.watch.disturbance(watch::Disturbance { from, to, cut });
            rig.reference.as_mut().unwrap().underrun(&underrun);
        }
    }
    // Concealment and fades are what they should be, to the bit.
    assert_eq!(rig.finish_reference(), rig.heard.len() as u64);
    rig.watch.finish(&mut rig.found);
    assert_eq!(noticed, expected);
    rig.found
        .retain(|finding| matches!(finding.kind, Kind::Click | Kind::Difference | Kind::Events));
    assert_eq!(rig.found, []);
}

#[test]
fn the_same_seed_plays_the_same_sound() {
    let played = |seed| {
        let mut rig = Rig::new(seed, 256, None);
        rig.play(8.0);
        rig.heard
    };
    assert!(played(3) == played(3));
    assert!(played(3) != played(4));
}

/// Where it is promised that nothing sounds and a note comes out of that, sound and a missing note
/// are noticed.
#[test]
fn broken_promises_are_noticed() {
    let mut watch = Watch::new(RATE as f64, 0.0);
    let mut found = Vec::new();
    watch.expect_quiet(1_000, 2_000);
    watch.expect_onset(10_000);
    let mut sound = vec![[0.0; 2]; 30_000];
    sound[1_500] = [1e-4, 0.0];
    watch.hear(&mut sound, &mut found);
    let kinds: Vec<Kind> = found.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [Kind::NotSilent, Kind::Timing]);
    // The probe is what it should be.
    assert_eq!(probe_patch().name, "Probe");
}
