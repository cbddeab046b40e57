//! Notes, blocks, rates and bypass.

use crate::host::*;
use clack_extensions::tail::{PluginTail, TailLength};
use clack_host::events::event_types::NoteExpressionType;
use clack_host::prelude::*;
use clack_host::process::ProcessStatus;

/// The pitch of a sound with one strong first partial, from its zero crossings.
fn pitch(sound: &[f32], rate: f64) -> f64 {
    let crossings: Vec<f64> = sound
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0)
        .map(|(at, pair)| at as f64 + f64::from(pair[0] / (pair[0] - pair[1])))
        .collect();
    let periods = (crossings.len() - 1) as f64;
    rate * periods / (crossings.last().unwrap() - crossings[0])
}

/// A host whose plugin plays one partial.
fn sine() -> Host {
    let mut host = Host::new();
    let partials = host.id("Source Partials");
    host.flush(&[HostEvent::Set(partials, 0.0)]);
    host
}

#[test]
fn a_note_is_in_tune_and_starts_on_its_sample() {
    let mut host = sine();
    let start = 1_003;
    let played = host.play(&blocks(512, 48_000), &[(start, on(69))]);
    let [left, right] = &played.sound;
    assert_eq!(host.latency(), 64);
    let first = left.iter().position(|&x| x != 0.0).unwrap();
    // Level and phase start at zero, so the first sound is a sample later.
    assert_eq!(first, start + 64 + 1);
    let measured = pitch(&left[12_000..], RATE);
    assert!((measured - 440.0).abs() < 0.1, "{measured} Hz");
    assert_eq!(left, right);
}

#[test]
fn the_latency_is_known_once_active_and_asks_for_one_restart_at_most() {
    let mut host = Host::new();
    host.play(&[64], &[]);
    assert_eq!(host.latency(), 64);
    let requests = |host: &Host| {
        let restart = |requests: &HostRequests| {
            requests.restart.swap(false, std::sync::atomic::Ordering::SeqCst)
        };
        host.instance.access_shared_handler(restart)
    };
    requests(&host);
    host.play(&[64], &[(0, on(60))]);
    assert!(!requests(&host), "the latency does not change again");
    assert_eq!(host.latency(), 64);
}

#[test]
fn blocks_of_any_size_sound_the_same() {
    let events =
        [(0, on(60)), (777, on(67)), (5_000, off(60)), (9_999, HostEvent::Midi([0xB0, 1, 99]))];
    let frames = 20_000;
    let expected = Host::new().play(&blocks(480, frames), &events).sound;
    let mut rng = Rng(7);
    let mut random = Vec::new();
    while random.iter().sum::<usize>() < frames {
        random.push(1 + rng.below(8_192).min(frames - random.iter().sum::<usize>() - 1));
    }
    for sizes in [blocks(1, frames), blocks(17, frames), blocks(8_192, frames), random] {
        assert_eq!(Host::new().play(&sizes, &events).sound, expected);
    }
}

#[test]
fn rendering_twice_is_bit_equal_and_so_is_offline() {
    use clack_extensions::render::{PluginRender, RenderMode};
    let events = [(10, on(48)), (200, on(55)), (3_000, off(48))];
    let mut host = Host::new();
    let first = host.play(&blocks(128, 9_600), &events);
    let again = host.play(&blocks(128, 9_600), &events);
    assert_eq!(first, again);
    let render: PluginRender = host.extension();
    render.set(&host.instance.plugin_handle(), RenderMode::Offline).unwrap();
    assert_eq!(first, host.play(&blocks(128, 9_600), &events));
}

#[test]
fn sample_rates_change_between_activations() {
    let mut host = sine();
    for rate in [44_100.0, 96_000.0, 48_000.0, 192_000.0, 8_000.0, 45_678.901] {
        host.rate = rate;
        let frames = rate as usize / 2;
        let sound = host.play(&blocks(500, frames), &[(0, on(69))]).sound;
        let measured = pitch(&sound[0][frames / 2..], rate);
        assert!((measured - 440.0).abs() < 0.5, "{measured} Hz at {rate}");
    }
    for rate in [1_234.567_8, 12_345.678, 384_000.0, 768_000.0] {
        host.rate = rate;
        let sound = host.play(&blocks(512, 4_096), &[(0, on(57))]).sound;
        assert!(peak(&sound[0]) > 0.01, "{rate}");
    }
}

#[test]
fn reset_equals_a_new_instance() {
    let mut host = Host::new();
    let events = [(0, on(60)), (100, on(64))];
    let expected = host.play(&blocks(256, 4_096), &events).sound;
    let config = PluginAudioConfiguration {
        sample_rate: RATE,
        min_frames_count: 1,
        max_frames_count: 8_192,
    };
    let processor = host.instance.activate(|_, _| (), config).unwrap();
    let mut processor = processor.start_processing().unwrap();
    play_blocks(
        &mut processor,
        &[1_000, 333],
        &[(5, on(31)), (6, HostEvent::Midi([0xB0, 64, 127]))],
    );
    processor.reset();
    let sound = play_blocks(&mut processor, &blocks(256, 4_096), &events).sound;
    host.instance.deactivate(processor.stop_processing());
    assert_eq!(sound, expected);
}

#[test]
fn wheels_pedals_and_expressions_reach_the_notes() {
    let measured = |events: &[(usize, HostEvent)]| {
        let sound = sine().play(&blocks(256, 48_000), events).sound;
        (pitch(&sound[0][24_000..], RATE), peak(&sound[0][24_000..]))
    };
    let octave = 2.0f64.powf(1.0 / 6.0);
    let (bent, _) = measured(&[(0, on(69)), (500, HostEvent::Midi([0xE0, 127, 127]))]);
    assert!((bent / 440.0 / octave - 1.0).abs() < 1e-3, "bend of two semitones: {bent}");
    let tuning = HostEvent::Express(note(69, 69), NoteExpressionType::Tuning, 12.0);
    let (tuned, level) = measured(&[(0, on(69)), (500, tuning)]);
    assert!((tuned - 880.0).abs() < 0.5, "{tuned}");
    let quiet = HostEvent::Express(note(69, 69), NoteExpressionType::Volume, 0.25);
    let (_, soft) = measured(&[(0, on(69)), (500, quiet)]);
    assert!((soft / level - 0.25).abs() < 0.02, "{soft} of {level}");
    let (held, _) = measured(&[(0, on(69)), (0, HostEvent::Midi([0xB0, 64, 127])), (500, off(69))]);
    assert!((held - 440.0).abs() < 0.5, "the pedal holds");
}

#[test]
fn mpe_bends_one_note_of_two() {
    let mut host = sine();
    let mpe = host.id("MPE");
    host.flush(&[HostEvent::Set(mpe, 1.0)]);
    // A note on channel 2, bent by a quarter of 48 semitones; channel 3 is bent with no note.
    let events = [
        (0, HostEvent::Midi([0x91, 57, 100])),
        (100, HostEvent::Midi([0xE1, 0, 80])),
        (100, HostEvent::Midi([0xE2, 0, 127])),
    ];
    let sound = host.play(&blocks(256, 48_000), &events).sound;
    let measured = pitch(&sound[0][24_000..], RATE);
    assert!((measured - 440.0).abs() < 0.5, "{measured}");
}

/// The settings of an instance are restored with its project: scale, bend range, and MPE by an upper zone
/// with a range of its own. A scale of the patch is heard where the instance has none.
#[test]
fn settings_of_the_instance_are_restored_and_heard() {
    let measured = |host: &mut Host, events: &[(usize, HostEvent)]| {
        let sound = host.play(&blocks(256, 48_000), events).sound;
        pitch(&sound[0][24_000..], RATE)
    };
    let near = |got: f64, hertz: f64| assert!((got / hertz - 1.0).abs() < 1e-3, "{got} {hertz}");
    let mut host = sine();
    let scale = r#"{"scale": {"name": "Octaves", "scale": "Octaves\n1\n2/1\n",
        "keyboard": "0\n0\n127\n69\n69\n432.0\n1\n"}, "bend_range": 12.0,
        "mpe_upper": true, "mpe_channels": 4, "mpe_bend_range": 24}"#;
    let state = with_fields(&mut host, &[("settings", scale.into())]);
    assert!(host.load(&*state));
    near(measured(&mut host, &[(0, on(70))]), 864.0);
    near(measured(&mut host, &[(0, on(69)), (0, HostEvent::Midi([0xE0, 127, 127]))]), 864.0);
    let mpe = host.id("MPE");
    host.flush(&[HostEvent::Set(mpe, 1.0)]);
    // Channel 12 is the lowest of four below channel 16; its bend is for its own note alone.
    let member = [(0, HostEvent::Midi([0x9B, 69, 100])), (9, HostEvent::Midi([0xEB, 0, 96]))];
    near(measured(&mut host, &member), 864.0);
    let other = [(0, HostEvent::Midi([0x9B, 69, 100])), (9, HostEvent::Midi([0xEC, 0, 96]))];
    near(measured(&mut host, &other), 432.0);
    let saved = host.save();
    let mut again = Host::new();
    assert!(again.load(&*saved));
    near(measured(&mut again, &member), 864.0);
    assert_eq!(again.save(), saved, "and is saved the same");

    let mut host = sine();
    let saved = host.save();
    let state: serde_json::Value = serde_json::from_slice(&saved[8..]).unwrap();
    let patch = state["fields"]["patch"].as_str().unwrap();
    let tuned = format!("{patch}\n[tuning]\nname = \"just intonation\"\n");
    let state = with_fields(&mut host, &[("patch", tuned)]);
    assert!(host.load(&*state));
    near(measured(&mut host, &[(0, on(64))]), 261.6256 * 1.25);
    // States of before have no settings.
    assert!(host.load(&*saved));
    near(measured(&mut host, &[(0, on(69))]), 440.0);
}

/// The tuning of an MTS-ESP master is heard, unless the instance ignores it. The plugin finds its library by
/// the environment, so the test runs itself in a process that has it.
#[cfg(target_os = "linux")]
#[test]
fn an_mts_esp_master_tunes_the_plugin() {
    use myriad_live::mts_esp::LIBRARY_VARIABLE;
    if std::env::var_os(LIBRARY_VARIABLE).is_some() {
        let mut host = sine();
        let measured = |host: &mut Host| {
            let sound = host.play(&blocks(256, 48_000), &[(0, on(69))]).sound;
            pitch(&sound[0][24_000..], RATE)
        };
        assert!((measured(&mut host) - 432.0).abs() < 0.5, "{}", measured(&mut host));
        let ignoring = with_fields(&mut host, &[("settings", r#"{"follows_mts": false}"#.into())]);
        assert!(host.load(&*ignoring));
        assert!((measured(&mut host) - 440.0).abs() < 0.5, "{}", measured(&mut host));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libMTS.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/mts-esp/master.c");
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", source, "-lm", "-o"]).arg(&library);
    assert!(compiler.status().unwrap().success());
    let mut itself = std::process::Command::new(std::env::current_exe().unwrap());
    itself.args(["--exact", "cases::playing::an_mts_esp_master_tunes_the_plugin", "--nocapture"]);
    itself.env(LIBRARY_VARIABLE, &library).env("MTS_TEST_A4", "432");
    let output = itself.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn ended_notes_are_reported_and_the_plugin_then_sleeps() {
    let mut host = Host::new();
    let release = host.id("Env 1 Release");
    let short = host.read(release, "10 ms").unwrap();
    host.flush(&[HostEvent::Set(release, short)]);
    let events =
        [(0, on(60)), (0, on(64)), (1_000, off(60)), (2_000, HostEvent::Choke(note(64, 64)))];
    let played = host.play(&blocks(500, 1_500), &events);
    assert_eq!(played.ended, [], "the release still sounds");
    assert_eq!(played.last, Some(ProcessStatus::Continue));
    let played = host.play(&blocks(500, 24_000), &events);
    let mut ended = played.ended.clone();
    ended.sort_by_key(|note| format!("{note:?}"));
    assert_eq!(ended, [note(60, 60), note(64, 64)]);
    assert_eq!(played.last, Some(ProcessStatus::ContinueIfNotQuiet));
    assert_eq!(peak(&played.sound[0][12_000..]), 0.0);
}

#[test]
fn a_mono_voice_returns_to_a_held_key_and_ends_with_it() {
    let mut host = Host::new();
    let mode = host.id("Voice Mode");
    for mono in [1.0, 2.0] {
        host.flush(&[HostEvent::Set(mode, mono)]);
        let events = [(0, on(60)), (4_000, on(67)), (8_000, off(67)), (12_000, off(60))];
        let sound = host.play(&blocks(256, 48_000), &events).sound;
        assert!(peak(&sound[0][9_000..12_000]) > 0.01, "back to the first key");
        assert_eq!(peak(&sound[0][36_000..]), 0.0, "and gone with it");
    }
}

/// What the plugin says while a note plays: how long it will sound on.
fn tail(host: &mut Host) -> TailLength {
    let config =
        PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let tail: PluginTail = host.extension();
    let processor = host.instance.activate(|_, _| (), config).unwrap();
    let mut processor = processor.start_processing().unwrap();
    play_blocks(&mut processor, &[512], &[(0, on(60))]);
    let notifications = tail.get(&processor.plugin_handle());
    host.instance.deactivate(processor.stop_processing());
    notifications
}

/// Hosts stop listening when the tail is over: what sounds later is missing from a bounce.
#[test]
fn the_tail_is_release_and_effects() {
    let mut host = Host::new();
    // The default release of 200 ms, a fade, and the latency.
    assert_eq!(tail(&mut host), TailLength::Finite(9_600 + 256 + 64));
    let [reverb, delay] = ["Reverb", "Delay"].map(|name| host.id(name));
    host.flush(&[HostEvent::Set(reverb, 1.0), HostEvent::Set(delay, 1.0)]);
    let TailLength::Finite(frames) = tail(&mut host) else {
        panic!("rooms and echoes end");
    };
    let let_go = 4_800;
    let end = let_go + frames as usize;
    let events = [(0, on(60)), (let_go, off(60))];
    let sounding = host.play(&blocks(480, end / 6), &events);
    assert_eq!(sounding.last, Some(ProcessStatus::Continue));
    assert!(peak(&sounding.sound[0][end / 6 - 480..]) > 1e-5, "it rings");
    let played = host.play(&blocks(480, end + 4_800), &events);
    assert!(peak(&played.sound[0][end..]) < 1e-6, "and is over in time");
    assert_eq!(played.last, Some(ProcessStatus::ContinueIfNotQuiet));
    assert_eq!(played.ended, [note(60, 60)], "the note ends with its voice");
}

#[test]
fn a_latched_arpeggiator_has_an_infinite_tail() {
    let mut host = Host::new();
    let [mode, hold] = ["Arp", "Arp Hold"].map(|name| host.id(name));
    host.flush(&[HostEvent::Set(mode, 1.0), HostEvent::Set(hold, 1.0)]);
    assert_eq!(tail(&mut host), TailLength::Infinite);
}

#[test]
fn bypass_is_silent_without_a_click_and_ends() {
    let mut host = Host::new();
    let bypass = host.id("Bypass");
    let events = [
        (0, on(60)),
        (4_800, HostEvent::Set(bypass, 1.0)),
        (5_000, on(67)),
        (9_600, HostEvent::Set(bypass, 0.0)),
        (9_700, on(72)),
    ];
    let sound = host.play(&blocks(480, 19_200), &events).sound;
    assert!(peak(&sound[0][2_000..4_800]) > 0.05);
    assert_eq!(peak(&sound[0][5_600..9_600]), 0.0);
    assert!(peak(&sound[0][10_000..]) > 0.05);
}

#[test]
fn a_synced_lfo_follows_the_song_and_its_jumps() {
    // A square LFO of a quarter note on the level: loud in the first half of a beat.
    let mut host = Host::new();
    let patch = "format = 2\nname = \"Pulse\"\n[source]\npartials = 1\n[lfo1]\nshape = \"square\"\n\
                 sync = \"1/4\"\n[[route]]\nfrom = \"lfo1\"\nto = \"amp.level\"\namount = 40.0\n";
    let fields = serde_json::json!({ "patch": patch });
    // The knobs of an empty state are those of the defaults; say what differs.
    let params = serde_json::json!({
        "source.partials": { "f32": 0.0 },
        "amp.level": { "f32": 0.2 },
        "lfo1.shape": { "i32": 4 },
        "lfo1.sync": { "i32": 5 },
    });
    let state = serde_json::json!({ "version": "0", "params": params, "fields": fields });
    assert!(host.load(&*with_length(&state.to_string())));
    let config =
        PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let processor = host.instance.activate(|_, _| (), config).unwrap();
    let mut processor = processor.start_processing().unwrap();
    let mut played = Played::default();
    let mut levels = Vec::new();
    // 120 beats a minute: 24,000 frames a beat. Half a beat into the song, then a jump.
    for (block, beat) in [(0, 0.0), (1, 0.125), (2, 0.5), (3, 0.625), (4, 4.0), (5, 4.125)] {
        let transport = song(0, 120.0, beat + 0.02);
        let mut input = EventBuffer::new();
        if block == 0 {
            on(69).push(0, &mut input);
        }
        let empty = EventBuffer::new();
        for part in 0..5 {
            let events = if part == 0 { &input } else { &empty };
            let at = song(0, 120.0, beat + 0.02 + f64::from(part) * 480.0 / 24_000.0);
            let transport = if part == 0 { &transport } else { &at };
            let [left, _] = play_block(&mut processor, 480, events, Some(transport), &mut played);
            if part == 4 {
                levels.push(peak(&left));
            }
        }
    }
    host.instance.deactivate(processor.stop_processing());
    let loud: Vec<bool> = levels.iter().map(|&level| level > 0.01).collect();
    assert_eq!(loud, [true, true, false, false, true, true], "{levels:?}");
}

/// A patch is loaded without the memory of a convolver that is off; the host may switch it on.
#[test]
fn a_convolver_that_the_host_switches_on_is_heard() {
    let mut host = sine();
    let (convolver, release) = (host.id("Convolver"), host.id("Env 1 Release"));
    host.flush(&[HostEvent::Set(release, 0.0)]);
    let config = PluginAudioConfiguration {
        sample_rate: RATE,
        min_frames_count: 1,
        max_frames_count: 4_800,
    };
    let processor = host.instance.activate(|_, _| (), config).unwrap();
    let mut processor = processor.start_processing().unwrap();
    // The level a while after a short note.
    let mut tail = |events: &[(usize, HostEvent)]| {
        let note = [(0, on(60)), (4_800, off(60))];
        let events: Vec<_> = events.iter().chain(&note).copied().collect();
        let played = play_blocks(&mut processor, &[4_800; 4], &events);
        peak(&played.sound[0][14_400..])
    };
    assert!(tail(&[]) < 1e-5, "without it there is silence");
    let give_up = std::time::Instant::now() + std::time::Duration::from_mins(5);
    let mut level = tail(&[(0, HostEvent::Set(convolver, 1.0))]);
    while level < 1e-3 {
        assert!(std::time::Instant::now() < give_up, "{level}");
        level = tail(&[]);
    }
    host.instance.deactivate(processor.stop_processing());
}
