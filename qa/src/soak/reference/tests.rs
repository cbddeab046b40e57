//! Faults of all kinds and levels are found by comparing with the reference, and clean play is clean.

use super::compare::Comparison;
use super::replay::{Replayed, Replayer};
use super::takeover::Takeovers;
use super::*;
use crate::soak::rng::Rng;
use crate::soak::tests::{RATE, Rig};
use myriad_engine::Event;
use myriad_engine::params::Param;
use std::collections::BTreeMap;

/// A piece of the generator's music, and what it would be with notes that are late, out of tune, or lack
/// partials.
struct Music {
    clean: Vec<[f32; 2]>,
    late: Vec<[f32; 2]>,
    detuned: Vec<[f32; 2]>,
    thin: Vec<[f32; 2]>,
}

impl Music {
    fn play(seed: u64, seconds: f64) -> Self {
        let mut rig = Rig::new(seed, 256, None);
        rig.play(seconds);
        let mut log = Vec::new();
        assert!(rig.session.read_log(&mut log));
        let rendered = |log: &[LogEntry]| rendered(log, &rig.session.engine_config());
        let clean = rendered(&log);
        assert!(clean[..rig.heard.len()] == rig.heard, "seed {seed}");
        Self {
            late: rendered(&delayed(&log)),
            detuned: rendered(&detuned(&log)),
            thin: rendered(&thinned(&log)),
            clean,
        }
    }
}

fn rendered(log: &[LogEntry], config: &EngineConfig) -> Vec<[f32; 2]> {
    let mut replayer = Replayer::new(config, &Takeovers::default()).unwrap();
    let mut sound = Vec::new();
    let mut keep = |replayed: Replayed| {
        if let Replayed::Frames { time, frames } = replayed {
            sound.resize(time as usize, [0.0; 2]);
            sound.extend(frames);
        }
    };
    log.iter().for_each(|entry| replayer.take(entry.clone(), &mut keep));
    replayer.finish(&mut keep);
    sound
}

/// The same log with every pressed key 37 frames late.
fn delayed(log: &[LogEntry]) -> Vec<LogEntry> {
    let (mut late, mut batch, mut waiting) = (Vec::new(), Vec::new(), Vec::<Event>::new());
    for entry in log {
        match entry {
            LogEntry::Event(event) => {
                let is_on = matches!(event.kind, EventKind::NoteOn { .. });
                batch.push(Event { frame: event.frame + if is_on { 37 } else { 0 }, ..*event });
            }
            LogEntry::Batch { frames, .. } => {
                batch.append(&mut waiting);
                batch.sort_by_key(|event| event.frame);
                let length = *frames as u32;
                let due = batch.partition_point(|event| event.frame < length);
                waiting = batch.split_off(due);
                waiting.iter_mut().for_each(|event| event.frame -= length);
                late.extend(batch.drain(..).map(LogEntry::Event));
                late.push(entry.clone());
            }
            other => late.push(other.clone()),
        }
    }
    late
}

/// The same log, a fiftieth of a semitone higher.
fn detuned(log: &[LogEntry]) -> Vec<LogEntry> {
    let bent = |part: u8, bend: f32| {
        LogEntry::Event(Event { frame: 0, part, kind: EventKind::PitchBend(bend + 0.01) })
    };
    let higher = log.iter().map(|entry| match *entry {
        LogEntry::Event(Event { frame, part, kind: EventKind::PitchBend(bend) }) => {
            LogEntry::Event(Event { frame, part, kind: EventKind::PitchBend(bend + 0.01) })
        }
        _ => entry.clone(),
    });
    (0..4).map(|part| bent(part, 0.0)).chain(higher).collect()
}

/// The same log with half of the partials.
fn thinned(log: &[LogEntry]) -> Vec<LogEntry> {
    let mut log = log.to_vec();
    for entry in &mut log {
        if let LogEntry::Patch { patch, .. } = entry {
            let partials = patch.values[Param::SourcePartials];
            patch.values.set(Param::SourcePartials, (partials / 2.0).ceil());
        }
    }
    log
}

/// Kinds of faults: each changes a piece of sound from a frame on.
type Plant = fn(&Music, &mut [[f32; 2]], usize, &mut Rng);

const KINDS: [(&str, Plant); 11] = [
    ("step", |_, sound, at, _| {
        for (i, frame) in sound[at..at + 1_500].iter_mut().enumerate() {
            frame[0] += 0.1 * (1.0 - i as f32 / 1_500.0);
        }
    }),
    ("mute", |_, sound, at, _| {
        for (i, frame) in sound[at..at + 64].iter_mut().enumerate() {
            let gain = (16.0 - i.min(63 - i) as f32).max(0.0) / 16.0;
            *frame = frame.map(|sample| sample * gain);
        }
    }),
    ("repeat", |music, sound, at, _| {
        sound[at..at + LENGTH].copy_from_slice(&music.clean[at - 64..at - 64 + LENGTH]);
    }),
    ("dropped frame", |music, sound, at, _| {
        sound[at..at + LENGTH].copy_from_slice(&music.clean[at + 1..at + 1 + LENGTH]);
    }),
    ("wrong pitch", |music, sound, at, _| copy(&music.detuned, sound, at)),
    ("missing partials", |music, sound, at, _| copy(&music.thin, sound, at)),
    ("late note", |music, sound, at, _| copy(&music.late, sound, at)),
    ("gain", |_, sound, at, _| {
        for frame in &mut sound[at..at + LENGTH] {
            *frame = frame.map(|sample| sample * 0.9);
        }
    }),
    ("channels swapped", |_, sound, at, _| {
        sound[at..at + LENGTH].iter_mut().for_each(|frame| frame.swap(0, 1));
    }),
    ("noise", |_, sound, at, rng| {
        for frame in &mut sound[at..at + 200] {
            *frame = frame.map(|sample| sample + rng.between(-0.1, 0.1) as f32);
        }
    }),
    ("single sample", |_, sound, at, _| sound[at][1] += 0.1),
];

fn copy(other: &[[f32; 2]], sound: &mut [[f32; 2]], at: usize) {
    sound[at..at + LENGTH].copy_from_slice(&other[at..at + LENGTH]);
}

/// Frames that a fault lasts at most, and of an excerpt before and after it.
const LENGTH: usize = 2_000;
const AROUND: usize = 6_000;

/// Peaks of the difference that a fault makes, in dBFS.
const LEVELS: [f32; 5] = [-20.0, -40.0, -60.0, -75.0, -90.0];

/// Plants a fault of a kind whose difference has its peak at this level, at a random place where it makes
/// one. Returns the place, the clean excerpt, and the excerpt with the fault.
fn planted(
    music: &Music,
    plant: Plant,
    level: f32,
    rng: &mut Rng,
) -> (usize, Vec<[f32; 2]>, Vec<[f32; 2]>) {
    let wanted = 10f32.powf(level / 20.0);
    for _ in 0..10_000 {
        let at = AROUND + rng.below(music.clean.len() - 2 * AROUND);
        let mut faulty = music.clean.clone();
        plant(music, &mut faulty, at, rng);
        let span = at - AROUND..at + AROUND;
        let clean = music.clean[span.clone()].to_vec();
        let off = |i: usize, side: usize| faulty[span.start + i][side] - clean[i][side];
        let peaks = (0..clean.len()).map(|i| off(i, 0).abs().max(off(i, 1).abs()));
        let peak = peaks.fold(0.0, f32::max);
        // Elsewhere the sound would be the same with the fault.
        if peak > 1e-4 {
            let frame = |i: usize| [0, 1].map(|s| clean[i][s] + off(i, s) * (wanted / peak));
            let heard = (0..clean.len()).map(frame).collect();
            return (AROUND, clean, heard);
        }
    }
    panic!("the music has no place for it");
}

fn differences(tolerance: f32, clean: &[[f32; 2]], heard: &[[f32; 2]]) -> Vec<Difference> {
    let mut comparison = Comparison::new();
    comparison.tolerance = tolerance;
    comparison.hear(heard);
    comparison.expect(0, clean);
    let mut found = comparison.compare(u64::MAX);
    found.extend(comparison.finish());
    found
}

/// Plants `places` faults of every kind and level. Returns how many were found, by kind and level.
fn found_of_planted(seed: u64, seconds: f64, places: usize) -> BTreeMap<&'static str, [usize; 5]> {
    let music = Music::play(seed, seconds);
    let mut rng = Rng::new(seed, 1);
    let mut found: BTreeMap<_, [usize; 5]> = BTreeMap::new();
    for (kind, plant) in KINDS {
        for (column, level) in LEVELS.into_iter().enumerate() {
            for _ in 0..places {
                let (at, clean, heard) = planted(&music, plant, level, &mut rng);
                let is_found = [0.0, parity::BEFORE_EFFECTS].into_iter().all(|tolerance| {
                    assert_eq!(differences(tolerance, &clean, &clean), []);
                    let found = differences(tolerance, &clean, &heard);
                    let [one] = &found[..] else {
                        return false;
                    };
                    let peak = 20.0 * one.peak.log10();
                    let near = at as u64..(at + LENGTH) as u64;
                    near.contains(&one.from) && (peak - level).abs() < 0.1
                });
                found.entry(kind).or_default()[column] += usize::from(is_found);
            }
        }
    }
    found
}

#[test]
fn planted_faults_of_every_kind_and_level_are_found() {
    for (kind, found) in found_of_planted(11, 5.0, 1) {
        assert_eq!(found, [1; 5], "{kind}");
    }
}

/// `make soak-faults`: 550 faults in fresh music, as a table.
#[test]
#[ignore = "takes minutes: make soak-faults"]
fn table_of_planted_faults() {
    let seed = crate::soak::fresh_seed();
    println!("seed {seed}; found of 10 by the peak of the difference in dBFS");
    println!("{:<18}{}", "", LEVELS.map(|level| format!("{level:>6}")).concat());
    let found = found_of_planted(seed, 30.0, 10);
    for (kind, found) in &found {
        println!("{kind:<18}{}", found.map(|count| format!("{count:>6}")).concat());
    }
    assert!(found.values().flatten().all(|&count| count == 10));
}

/// What is heard instead is said in words.
#[test]
fn differences_are_described() {
    let sine = |i: usize| {
        let x = i as f32 * 0.031;
        [0.3 * x.sin(), 0.2 * (1.7 * x).sin()]
    };
    let clean: Vec<_> = (0..12_000).map(sine).collect();
    let changed = |change: &dyn Fn(usize) -> [f32; 2]| {
        let frame = |i: usize| if (4_000..8_000).contains(&i) { change(i) } else { sine(i) };
        let heard: Vec<_> = (0..12_000).map(frame).collect();
        let found = differences(0.0, &clean, &heard);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].to_string()
    };
    type Change<'a> = &'a dyn Fn(usize) -> [f32; 2];
    let cases: [(Change, &str); 7] = [
        (&|_| [0.0; 2], "silence: 4000 frames differ from the reference, by up to -10 dBFS"),
        (&|i| [sine(i)[1], sine(i)[0]], "left and right are swapped"),
        (&|i| sine(i).map(|x| 0.5 * x), "louder by -6.02 dB"),
        (&|i| sine(i - 32), "32 frames too late"),
        (&|i| sine(i + 1), "1 frames too early"),
        (&|i| sine(2 * i), "another sound"),
        (&|_| [f32::NAN; 2], "samples are not numbers"),
    ];
    for (change, words) in cases {
        let text = changed(change);
        assert!(text.starts_with(words), "{text}");
    }
}

/// Events that reach the engine late or not at all are found; those of an underrun are late by nature.
#[test]
fn late_and_lost_events_are_found() {
    let event =
        |frame: u32| LogEntry::Event(Event { frame, part: 1, kind: EventKind::PitchBend(0.5) });
    let batch = |start: u64| LogEntry::Batch { start, time: start + 384, frames: 256 };
    let off = |sent: &[u64], log: &[LogEntry]| {
        let mut plan = Plan::default();
        sent.iter().for_each(|time| plan.expect(*time, 1, EventKind::PitchBend(0.5)));
        let found = plan.check(log);
        found.iter().map(|off| (off.time, off.frames())).collect::<Vec<_>>()
    };
    assert_eq!(off(&[300], &[batch(0), event(44), batch(256)]), []);
    assert_eq!(off(&[300], &[batch(0), event(45), batch(256)]), [(300, 1.0)]);
    assert_eq!(off(&[300], &[batch(0), batch(256), batch(512), batch(6_000)]), [(300, 0.0)]);
    // The frames from 256 to 512 were skipped.
    assert_eq!(off(&[300], &[batch(0), event(0), batch(512)]), []);
    // Nobody planned it: it comes from elsewhere.
    assert_eq!(off(&[], &[event(3), batch(0)]), []);
}

/// All of it together: the sound of a session in virtual time is that of its reference, from the first
/// frame to the last; what is planted behind the stream is found.
#[test]
fn a_session_is_compared_from_its_first_frame_to_its_last() {
    let mut rig = Rig::with_reference(12, 192, Some(500));
    rig.play(1.0);
    while rig.heard.last().is_none_or(|frame| frame[0].abs() < 0.01) {
        rig.play(0.01);
    }
    let at = rig.heard.len() as u64;
    let seconds = |at| at as f64 / RATE as f64;
    let reference = rig.reference.as_mut().unwrap();
    reference.hear(&[[0.0; 2]; 64], &rig.session, seconds, &mut rig.found);
    rig.play(0.5);
    assert_eq!(rig.finish_reference(), rig.heard.len() as u64 + 64);
    let [found] = &rig.found[..] else {
        panic!("{:?}", rig.found);
    };
    assert_eq!(found.kind, Kind::Difference);
    assert!((at..at + 64).contains(&found.frame), "{found:?}");
}

/// A GPU that is lost and comes back again and again changes the sound by fades and nothing else: the reference is
/// the same, bit for bit, from the first frame to the last, however long notes sound on. What is planted into such a
/// fade is found.
#[test]
fn takeovers_are_fades_and_nothing_else() {
    let mut rig = Rig::with_simulated_gpu(13);
    let report = |rig: &Rig| rig.session.renderer_report().failover;
    let mut fades = 0;
    for round in 1..=4 {
        while rig.heard.last().is_none_or(|frame| frame[0].abs() < 0.01) {
            rig.play(0.01);
        }
        rig.session.lose_gpu();
        while report(&rig).losses < round {
            rig.play(0.001);
        }
        fades += usize::from(rig.heard.last().is_some_and(|frame| *frame != [0.0; 2]));
        while report(&rig).returns < round {
            rig.play(0.01);
        }
        rig.play(0.5);
    }
    assert!(fades > 0, "a sound was playing");
    assert_eq!(rig.finish_reference(), rig.heard.len() as u64);
    assert_eq!(rig.found, []);
}
