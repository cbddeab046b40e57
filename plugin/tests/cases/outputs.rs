//! Outputs besides the main one, in a host that opens them and in one that does not.

use crate::host::*;
use clack_extensions::audio_ports::{AudioPortInfoBuffer, PluginAudioPorts};
use clack_extensions::audio_ports_config::PluginAudioPortsConfig;
use clack_host::prelude::*;
use clack_host::utils::ClapId;

/// A pad on output 3, and one on the main output.
const KIT: &str = "format = 3\nname = \"Two\"\n[[key_zone]]\nkeys = 36\noutput = 3\n\
    [[key_zone]]\nkeys = 38\nnote = 67\n";

const FRAMES: usize = 512;

fn kit() -> Host {
    let mut host = Host::new();
    let state = with_fields(&mut host, &[("patch", KIT.into())]);
    assert!(host.load(&*state));
    host
}

/// Plays with `ports` stereo outputs. Returns the left channel of each.
fn play(host: &mut Host, ports: usize) -> Vec<Vec<f32>> {
    let config = PluginAudioConfiguration {
        sample_rate: RATE,
        min_frames_count: 1,
        max_frames_count: FRAMES as u32,
    };
    let processor = host.instance.activate(|_, _| (), config).unwrap();
    let mut processor = processor.start_processing().unwrap();
    let mut heard = vec![Vec::new(); ports];
    for block in 0..20 {
        let mut sound = vec![[vec![f32::NAN; FRAMES], vec![f32::NAN; FRAMES]]; ports];
        let mut input = EventBuffer::new();
        match block {
            0 => on(36).push(0, &mut input),
            10 => on(38).push(7, &mut input),
            _ => {}
        }
        let mut memory = AudioPorts::with_capacity(2 * ports, ports);
        let buffers = sound.iter_mut().map(|sides| AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(
                sides.iter_mut().map(|side| side.as_mut_slice()),
            ),
        });
        let mut outputs = memory.with_output_buffers(buffers);
        let mut output = EventBuffer::new();
        processor
            .process(
                &InputAudioBuffers::empty(),
                &mut outputs,
                &input.as_input(),
                &mut output.as_output(),
                None,
                None,
            )
            .unwrap();
        for (heard, [left, right]) in heard.iter_mut().zip(sound) {
            assert!(left.iter().chain(&right).all(|x| x.is_finite()), "every output is written");
            heard.extend(left);
        }
    }
    host.instance.deactivate(processor.stop_processing());
    heard
}

#[test]
fn a_pad_is_heard_on_its_output_alone() {
    let single = play(&mut kit(), 1).remove(0);
    assert!(peak(&single) > 0.01);
    let mut host = kit();
    let layouts: PluginAudioPortsConfig = host.extension();
    assert_eq!(layouts.count(&host.instance.plugin_handle()), 2);
    layouts.select(&host.instance.plugin_handle(), ClapId::new(1)).unwrap();
    let ports: PluginAudioPorts = host.extension();
    assert_eq!(ports.count(&host.instance.plugin_handle(), false), 9);
    let mut buffer = AudioPortInfoBuffer::new();
    let third = ports.get(&host.instance.plugin_handle(), 3, false, &mut buffer).unwrap();
    assert_eq!(third.name, b"Output 3");
    let outputs = play(&mut host, 9);
    for (index, output) in outputs.iter().enumerate() {
        assert_eq!(peak(output) > 0.01, index == 0 || index == 3, "output {index}");
    }
    // The first ten blocks have the pad of output 3 alone.
    assert_eq!(peak(&outputs[0][..10 * FRAMES]), 0.0);
    let sums = outputs[0].iter().zip(&outputs[3]).map(|(main, third)| main + third);
    let difference = sums.zip(&single).map(|(sum, one)| (sum - one).abs());
    assert!(difference.fold(0.0, f32::max) < 1e-6, "they add up to the single output");
    // Back to one output, the same instance plays as before.
    layouts.select(&host.instance.plugin_handle(), ClapId::new(0)).unwrap();
    assert_eq!(play(&mut host, 1).remove(0), single);
}
