//! Planted faults are found, and clean play is found clean.

use super::*;
use finding::{Finding, Kind};
use generator::{Scene, probe_patch};
use watch::{Bend, ClickDetector, SENSITIVITY};

const RATE: usize = 48_000;

/// A session in virtual time with its generator and its watch; what was played is kept.
struct Rig {
    session: Session,
    event_sender: EventSender,
    watch: Watch,
    heard: Vec<[f32; 2]>,
    found: Vec<Finding>,
}

const LOAD: Load = Load {
    voices: 8,
    partials: 16,
};

impl Rig {
    fn new(seed: u64, buffer: u32, depth: Option<u32>) -> Self {
        let begin = Begin {
            schema: SCHEMA,
            version: String::new(),
            seed,
            seconds: 600.0,
            device: "virtual".to_owned(),
            renderer: "cpu".to_owned(),
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
        let generator = SceneGenerator {
            seed,
            rate: RATE as f64,
            load: LOAD,
        };
        Self {
            session: Session::start(setup).unwrap(),
            event_sender: EventSender::new(generator, 0),
            watch: Watch::new(RATE as f64, 0.0),
            heard: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Plays so many seconds.
    fn play(&mut self, seconds: f64) {
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
        self.watch.hear(&mut frames, &mut self.found);
        self.heard.extend(frames);
        let stuck = self.event_sender.check_voices(&self.session, &self.watch);
        self.found.extend(stuck);
    }
}

/// The corners that the generator's sound turns, as the event sender tells them.
fn bends(seed: u64, seconds: f64, latency: u64) -> Vec<Bend> {
    let generator = SceneGenerator {
        seed,
        rate: RATE as f64,
        load: LOAD,
    };
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
                    frame[1] = if frames % 2 == 0 {
                        f32::NAN
                    } else {
                        f32::INFINITY
                    };
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
const BEGINNING: Bend = Bend {
    from: 0,
    to: 3_000,
    size: f32::INFINITY,
};

/// Those of `bends` that lie in an excerpt, in its time.
fn local(bends: &[Bend], start: usize) -> Vec<Bend> {
    let (start, end) = (start as u64, (start + 2 * AROUND) as u64);
    let overlapping = bends
        .iter()
        .filter(|bend| bend.to > start && bend.from < end);
    let shifted = overlapping.map(|bend| Bend {
        from: bend.from.saturating_sub(start),
        to: bend.to - start,
        ..*bend
    });
    shifted.chain([BEGINNING]).collect()
}

/// 160 faults of graded size, each in a piece of music of its own: all above the stated threshold
/// are found where they are, and the same pieces without them are clean.
#[test]
fn planted_faults_are_found_and_clean_music_is_not() {
    const SECONDS: f64 = 130.0;
    /// What is played follows from this and the library: music that leaves faults to be heard.
    const MUSIC: u64 = 12;
    let mut make_renderer = Rig::new(MUSIC, 256, None);
    make_renderer.play(SECONDS);
    make_renderer.watch.finish(&mut make_renderer.found);
    assert_eq!(make_renderer.found, []);
    let bends = bends(MUSIC, SECONDS, make_renderer.session.stream_latency());
    let mut rng = rng::Rng::new(4, 0);
    let (mut promised, mut smallest) = (0, f32::INFINITY);
    for number in 0..160 {
        let grade = number / 4;
        let fault = match number % 4 {
            // From -66 to -8 dBFS.
            0 => Fault::Step(10f32.powf((-66.0 + 1.5 * grade as f32) / 20.0)),
            1 => Fault::Drop(1 + 5 * grade),
            2 => Fault::Repeat(1 + 5 * grade),
            _ => Fault::NotANumber(1 + grade),
        };
        let start = rng.below(make_renderer.heard.len() - 2 * AROUND);
        let clean = &make_renderer.heard[start..start + 2 * AROUND];
        let around = local(&bends, start);
        let mut detector = ClickDetector::new();
        around.iter().for_each(|&bend| detector.bend(bend));
        detector.hear(clean, &mut Vec::new());
        let near = |frame: u64| frame.abs_diff(AROUND as u64);
        let threshold = detector
            .thresholds
            .iter()
            .min_by_key(|(frame, _)| near(*frame))
            .map_or(f32::INFINITY, |(_, threshold)| *threshold);

        let mut watch = Watch::new(RATE as f64, 0.0);
        around.iter().for_each(|&bend| watch.bend(bend));
        let mut found = Vec::new();
        watch.hear(&mut fault.plant(clean), &mut found);
        watch.finish(&mut found);
        let kind = match fault {
            Fault::NotANumber(_) => Kind::NotANumber,
            _ => Kind::Click,
        };
        for finding in &found {
            assert_eq!(finding.kind, kind, "fault {number}: {found:?}");
            assert!(near(finding.frame) < 300, "fault {number}: {found:?}");
        }
        let size = fault.size(clean);
        if size >= threshold {
            promised += 1;
            smallest = smallest.min(size);
            assert_eq!(found.len(), 1, "fault {number}: {size} of {threshold}");
        }
    }
    // The promise is kept, and it is worth something: half of them lie below -40 dBFS, or where
    // the music itself turns corners.
    assert!(promised >= 79, "only {promised} of 160 were promised");
    assert!(smallest < 2.0 * SENSITIVITY, "{smallest}");
}

/// 40 stalls of graded length: those that cost frames are found with their place, the others do
/// no harm, and none of them clicks.
#[test]
fn planted_stalls_are_found_when_they_cost_frames() {
    let (block, depth) = (64, 640);
    let mut make_renderer = Rig::new(12, block, Some(depth));
    let (mut expected, mut noticed) = (Vec::new(), Vec::new());
    for blocks in 1..=40u64 {
        make_renderer.play(0.9);
        let at = make_renderer.session.time();
        for _ in 0..blocks {
            make_renderer.session.step_unrendered();
            make_renderer.listen();
        }
        // Frames that were ready last for ten blocks, of which one is asked for before the next is
        // rendered.
        if blocks >= u64::from(depth / block) {
            expected.push(at + u64::from(depth));
        }
        make_renderer.play(0.1);
        make_renderer.session.tick();
        for underrun in make_renderer.session.take_underruns() {
            let (at, frames) = (underrun.at_frame, underrun.frames);
            noticed.push(at);
            let (from, to) = (at.saturating_sub(1_024), at + frames + 1_024);
            let cut = false;
            make_renderer
                .watch
                .disturbance(watch::Disturbance { from, to, cut });
        }
    }
    make_renderer.watch.finish(&mut make_renderer.found);
    assert_eq!(noticed, expected);
    make_renderer
        .found
        .retain(|finding| finding.kind == Kind::Click);
    assert_eq!(make_renderer.found, []);
}

#[test]
fn the_same_seed_plays_the_same_sound() {
    let played = |seed| {
        let mut make_renderer = Rig::new(seed, 256, None);
        make_renderer.play(8.0);
        make_renderer.heard
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
