//! Takeovers in the generator's music do not click.

use super::super::replay::{Replayed, Replayer};
use super::*;
use crate::soak::finding::{Finding, Kind};
use crate::soak::rng::Rng;
use crate::soak::tests::{RATE, Rig, bends};
use crate::soak::watch::{Bend, SENSITIVITY, Watch};
use myriad_live::stream::LogEntry;
use myriad_player::Session;

/// Checks sound with the bends of its scenes.
fn watched(bends: &[Bend], sound: &[[f32; 2]]) -> (Watch, Vec<Finding>) {
    let mut watch = Watch::new(RATE as f64, 0.0);
    bends.iter().for_each(|&bend| watch.bend(bend));
    let mut found = Vec::new();
    sound.chunks(256).for_each(|frames| watch.hear(&mut frames.to_vec(), &mut found));
    watch.finish(&mut found);
    (watch, found)
}

/// Losses at random where the smallest clicks are found in what is `heard`, and a return after each.
fn planned(seed: u64, watch: &Watch, heard: &[[f32; 2]], latency: u64) -> Vec<Takeover> {
    let mut rng = Rng::new(seed, 2);
    let ticks = |seconds: f64| (seconds * RATE as f64 / TICK as f64) as u64;
    let (mut next, mut planned) = (ticks(0.5), Vec::new());
    for &(frame, threshold) in &watch.clicks.thresholds {
        let tick = frame.saturating_sub(latency) / TICK as u64;
        if threshold > SENSITIVITY || tick < next {
            continue;
        }
        let before = &heard[..frame as usize];
        if before.iter().rev().take(200).all(|sample| sample[0].abs() < 0.02) {
            continue;
        }
        let back = tick + ticks(rng.between(0.1, 0.3));
        planned.push(Takeover { tick, kind: TakeoverKind::Lost });
        planned.push(Takeover { tick: back, kind: TakeoverKind::ToGpu });
        next = back + ticks(rng.between(0.3, 0.9));
    }
    planned
}

/// What a session has played, with takeovers.
fn replayed(session: &Session, log: &[LogEntry], planned: &[Takeover]) -> Vec<[f32; 2]> {
    let takeovers = Takeovers::default();
    takeovers.lock().unwrap().extend(planned);
    let mut replayer = Replayer::new(&session.engine_config(), &takeovers).unwrap();
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

/// `make soak-losses`: how many takeovers click, of about 800 in 40 minutes of the generator's music.
#[test]
#[ignore = "takes minutes: make soak-losses"]
fn losses_in_music_do_not_click() {
    const SECONDS: f64 = 60.0;
    let (mut losses, mut clicks) = (0, 0);
    for seed in 1..=40 {
        let mut rig = Rig::new(seed, 256, None);
        rig.play(SECONDS);
        let mut log = Vec::new();
        assert!(rig.session.read_log(&mut log));
        let latency = rig.session.stream_latency();
        let bends = bends(seed, SECONDS, latency);
        let (watch, found) = watched(&bends, &rig.heard);
        assert_eq!(found, [], "seed {seed} without losses");
        let planned = planned(seed, &watch, &rig.heard, latency);
        let (_, found) = watched(&bends, &replayed(&rig.session, &log, &planned));
        let found: Vec<_> = found.iter().filter(|it| it.kind == Kind::Click).collect();
        losses += planned.len() / 2;
        clicks += found.len();
        println!("seed {seed}: {} losses, {} clicks {found:?}", planned.len() / 2, found.len());
    }
    println!("{losses} losses and as many returns: {clicks} clicks");
    assert!(losses > 700 && clicks == 0);
}
