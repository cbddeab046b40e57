//! Parameters as hosts see, show, set and automate them.

use crate::host::*;
use clack_extensions::params::ParamInfoFlags;
use clack_extensions::remote_controls::{PluginRemoteControls, RemoteControlsPageBuffer};
use clack_extensions::voice_info::PluginVoiceInfo;
use clack_host::prelude::*;
use myriad_engine::params::{COUNT, TABLE};
use std::collections::HashSet;

#[test]
fn every_row_of_the_table_is_a_parameter_with_its_group() {
    let params = Host::new().params();
    assert_eq!(params.len(), COUNT + 2, "and bypass and MPE");
    let ids: HashSet<u32> = params.iter().map(|info| info.id.get()).collect();
    let names: HashSet<&str> = params.iter().map(|info| info.name.as_str()).collect();
    assert_eq!((ids.len(), names.len()), (params.len(), params.len()));
    let cutoff = params.iter().find(|info| info.name == "Filter Cutoff").unwrap();
    assert_eq!(cutoff.module, "Filter");
    assert!(
        cutoff
            .flags
            .contains(ParamInfoFlags::IS_AUTOMATABLE | ParamInfoFlags::IS_MODULATABLE_PER_NOTE_ID)
    );
    let bypass = params.iter().find(|info| info.name == "Bypass").unwrap();
    assert!(bypass.flags.contains(ParamInfoFlags::IS_BYPASS | ParamInfoFlags::IS_STEPPED));
}

#[test]
fn ids_never_change() {
    // Projects remember these numbers; they follow from the ids of the table.
    let mut host = Host::new();
    for (name, number) in
        [("Filter Cutoff", 604_991_267), ("Macro 1", 825_613_967), ("Bypass", 773_352_680)]
    {
        assert_eq!(host.id(name).get(), number, "{name}");
    }
}

#[test]
fn defaults_equal_the_parameter_table() {
    let mut host = Host::new();
    let params = host.params();
    for (index, info) in params[..8].iter().enumerate() {
        assert_eq!(
            info.name,
            format!("Macro {}", index + 1),
            "control surfaces show the first eight"
        );
    }
    let mut rows: Vec<_> = TABLE.iter().collect();
    rows.sort_by_key(|row| row.group() != "macro");
    for (info, row) in params.iter().zip(rows) {
        assert!((host.value(info.id) - info.default).abs() < 1e-6, "{}", info.name);
        assert_eq!(host.text(info.id, info.default), row.format(row.default), "{}", info.name);
    }
}

#[test]
fn values_and_texts_round_trip() {
    let mut host = Host::new();
    for info in host.params() {
        for step in 0..=100 {
            let (start, end) = (info.range.start(), info.range.end());
            let value = start + (end - start) * f64::from(step) / 100.0;
            let text = host.text(info.id, value);
            let read = host.read(info.id, &text).unwrap_or_else(|| panic!("{} {text}", info.name));
            assert!(info.range.contains(&read), "{} {text} {read}", info.name);
            assert_eq!(host.text(info.id, read), text, "{}", info.name);
            assert_eq!(host.read(info.id, &text), Some(read));
        }
    }
}

#[test]
fn flush_and_process_set_the_same_values() {
    let mut rng = Rng(3);
    let events: Vec<HostEvent> = Host::new()
        .params()
        .iter()
        .map(|info| HostEvent::Set(info.id, rng.unit() * info.range.end()))
        .collect();
    let mut flushed = Host::new();
    flushed.flush(&events);
    let mut played = Host::new();
    let before = played.values();
    let timed: Vec<(usize, HostEvent)> = events.iter().map(|&say| (0, say)).collect();
    played.play(&[512], &timed);
    assert_eq!(flushed.values(), played.values());
    assert_ne!(before, played.values());
}

#[test]
fn automation_is_sample_accurate_and_does_not_depend_on_blocks() {
    let mut host = Host::new();
    let (cutoff, kind) = (host.id("Filter Cutoff"), host.id("Filter"));
    let mut events = vec![(0, HostEvent::Set(kind, 1.0)), (0, on(45))];
    for step in 0..50 {
        events.push((1_000 + 97 * step, HostEvent::Set(cutoff, 1.0 - step as f64 / 50.0)));
    }
    let expected = host.play(&blocks(8_000, 8_000), &events).sound;
    for size in [1, 64, 333] {
        assert_eq!(Host::new().play(&blocks(size, 8_000), &events).sound, expected, "{size}");
    }
    // The same automation half a tick later is another sound.
    let later: Vec<_> =
        events.iter().map(|&(at, say)| (at + usize::from(at > 0) * 16, say)).collect();
    assert_ne!(Host::new().play(&blocks(8_000, 8_000), &later).sound, expected);
}

#[test]
fn modulation_of_one_note_does_not_change_others() {
    let level = |modulated: Option<HostEvent>| {
        let mut host = Host::new();
        let partials = host.id("Source Partials");
        host.flush(&[HostEvent::Set(partials, 0.0)]);
        let mut events = vec![(0, on(45)), (0, on(81))];
        events.extend(modulated.map(|say| (100, say)));
        host.play(&blocks(256, 24_000), &events).sound[0][12_000..].to_vec()
    };
    let pan = Host::new().id("Amp Pan");
    let plain = level(None);
    // Both notes to the right: nothing is left on the left but by a hair.
    let right = |key| HostEvent::Modulate(pan, note(u32::from(key), key), 0.5);
    let one = level(Some(right(81)));
    assert!(peak(&one) < 0.7 * peak(&plain) && peak(&one) > 0.3 * peak(&plain));
    // A note id that does not exist changes nothing.
    assert_eq!(level(Some(HostEvent::Modulate(pan, note(7, 81), 0.5))), plain);
}

#[test]
fn modulation_is_not_saved() {
    let mut host = Host::new();
    let cutoff = host.id("Filter Cutoff");
    let before = host.save();
    host.play(
        &[64],
        &[(0, HostEvent::Modulate(cutoff, clack_host::events::Pckn::match_all(), 0.3))],
    );
    assert_eq!(host.save(), before);
}

#[test]
fn remote_control_pages_start_with_the_macros() {
    let mut host = Host::new();
    let macro_ids: Vec<ClapId> = (1..=8).map(|n| host.id(&format!("Macro {n}"))).collect();
    let pages: PluginRemoteControls = host.extension();
    let plugin = host.instance.plugin_handle();
    assert!(pages.count(&plugin) > 10);
    let mut buffer = RemoteControlsPageBuffer::new();
    let first = pages.get(&plugin, 0, &mut buffer).unwrap();
    let ids: Vec<ClapId> = first.param_ids.iter().flatten().copied().collect();
    assert_eq!(ids, macro_ids);
}

#[test]
fn voice_capacity_follows_the_patch() {
    let mut host = Host::new();
    let limit = host.id("Voices");
    let twelve = host.read(limit, "12").unwrap();
    host.play(&[64], &[(0, HostEvent::Set(limit, twelve))]);
    let voices: PluginVoiceInfo = host.extension();
    let info = voices.get(&host.instance.plugin_handle()).unwrap();
    assert_eq!((info.voice_count, info.voice_capacity), (12, 256));
    let most = host.params().iter().find(|info| info.id == limit).unwrap().range.clone();
    assert_eq!(host.text(limit, *most.end()), "256", "the plugin has no more");
}
