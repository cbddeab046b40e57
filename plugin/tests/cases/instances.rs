//! Many instances in one host, and how long one takes to look at.

use crate::host::*;
use clack_extensions::audio_ports::{AudioPortInfoBuffer, PluginAudioPorts};
use clack_extensions::note_ports::{NotePortInfoBuffer, PluginNotePorts};
use clack_host::prelude::*;
use std::time::Instant;

#[test]
fn instances_are_independent_and_close_in_any_order() {
    let mut hosts: Vec<Host> = (0..20).map(|_| Host::new()).collect();
    let pan = hosts[0].id("Amp Pan");
    for (index, host) in hosts.iter_mut().enumerate() {
        host.flush(&[HostEvent::Set(pan, (index % 2) as f64)]);
    }
    let frames = 2_400;
    let sounds: Vec<Played> = hosts
        .iter_mut()
        .enumerate()
        .map(|(index, host)| host.play(&blocks(100 + index, frames), &[(0, on(60))]))
        .collect();
    for (index, played) in sounds.iter().enumerate() {
        assert_eq!(played.sound, sounds[index % 2].sound);
        let [left, right] = [0, 1].map(|channel| peak(&played.sound[channel]));
        assert!(if index % 2 == 0 { left > right } else { right > left });
    }
    // Every second one goes; the others play on as before.
    let mut rng = Rng(1);
    while hosts.len() > 1 {
        let closed = rng.below(hosts.len());
        drop(hosts.swap_remove(closed));
        let host = &mut hosts[0];
        let side = host.value(pan) as usize;
        assert_eq!(host.play(&blocks(77, frames), &[(0, on(60))]).sound, sounds[side].sound);
    }
}

#[test]
fn instances_play_at_the_same_time_on_threads_of_their_own() {
    let expected = Host::new().play(&blocks(128, 9_600), &[(0, on(50))]).sound;
    let play = || Host::new().play(&blocks(128, 9_600), &[(0, on(50))]).sound;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(play)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

#[test]
fn scanning_an_instance_touches_no_gpu() {
    Host::new();
    let start = Instant::now();
    let mut host = Host::new();
    host.params();
    // Hosts should take less than 100 ms to scan. Machines are noisy: this is said, not asserted.
    println!("made and looked at in {:?}", start.elapsed());
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    assert!(!maps.contains("libcuda"), "the driver is not even loaded");
}

#[test]
fn ports_are_one_stereo_output_and_notes_of_all_dialects() {
    let mut host = Host::new();
    let (audio, notes): (PluginAudioPorts, PluginNotePorts) = (host.extension(), host.extension());
    let plugin = host.instance.plugin_handle();
    assert_eq!((audio.count(&plugin, true), audio.count(&plugin, false)), (0, 1));
    let mut buffer = AudioPortInfoBuffer::new();
    assert_eq!(audio.get(&plugin, 0, false, &mut buffer).unwrap().channel_count, 2);
    assert_eq!((notes.count(&plugin, true), notes.count(&plugin, false)), (1, 0));
    let mut buffer = NotePortInfoBuffer::new();
    assert!(notes.get(&plugin, 0, true, &mut buffer).is_some());
}

#[test]
fn the_built_library_loads_as_a_clap_file_does() {
    let tests = std::env::current_exe().unwrap();
    let library = tests.with_file_name("libmyriad_plugin.so");
    if cfg!(target_os = "linux") {
        // SAFETY: it is the library of this very crate.
        let entry = unsafe { PluginEntry::load(&library) }.unwrap();
        let factory = entry.get_plugin_factory().unwrap();
        assert_eq!(factory.plugin_count(), 1);
        let descriptor = factory.plugin_descriptor(0).unwrap();
        assert_eq!(descriptor.id(), Some(ID));
        let features: Vec<_> = descriptor.features().collect();
        assert_eq!(features, [c"instrument", c"synthesizer", c"stereo"]);
        let played = Host::from_entry(&entry).play(&blocks(64, 4_800), &[(0, on(60))]);
        assert_eq!(played, Host::new().play(&blocks(64, 4_800), &[(0, on(60))]));
    }
}

/// An instance after the first costs little: what can be shared is. It is measured in a process of its own,
/// where no other test allocates.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "the kernel counts a process's memory on Linux only")]
fn an_instance_after_the_first_costs_at_most_six_megabytes() {
    const ALONE: &str = "MYRIAD_TEST_INSTANCE_MEMORY";
    const FIGURE: &str = "megabytes an instance: ";
    if std::env::var_os(ALONE).is_some() {
        println!("\n{FIGURE}{:.2}", megabytes_an_instance());
        return;
    }
    let mut itself = std::process::Command::new(std::env::current_exe().unwrap());
    let name = "cases::instances::an_instance_after_the_first_costs_at_most_six_megabytes";
    itself.args(["--exact", name, "--nocapture"]).env(ALONE, "1");
    let output = itself.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let figure = text.lines().find_map(|line| line.strip_prefix(FIGURE));
    let figure: f64 = figure.unwrap_or_else(|| panic!("{text}")).parse().unwrap();
    assert!(figure <= 6.0, "{figure} MB");
}

fn megabytes_an_instance() -> f64 {
    const COUNT: usize = 8;
    let active = || {
        let mut host = Host::new();
        let config = PluginAudioConfiguration {
            sample_rate: RATE,
            min_frames_count: 1,
            max_frames_count: 1_024,
        };
        let processor = host.instance.activate(|_, _| (), config).unwrap();
        let mut processor = processor.start_processing().unwrap();
        play_blocks(&mut processor, &blocks(512, 9_600), &[(0, on(60))]);
        (host, processor)
    };
    let mut hosts = vec![active()];
    let before = written_megabytes();
    hosts.extend((0..COUNT).map(|_| active()));
    let after = written_megabytes();
    for (mut host, processor) in hosts {
        host.instance.deactivate(processor.stop_processing());
    }
    (after - before) / COUNT as f64
}

/// The memory that this process has written to and shares with no other.
fn written_megabytes() -> f64 {
    let smaps = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = smaps.lines().find_map(|line| line.strip_prefix("Private_Dirty:")).unwrap();
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes / 1_000.0
}
