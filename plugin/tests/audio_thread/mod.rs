//! An instance that plays on and on, on a thread of its own, while others do things to it.

use crate::host::*;
use clack_host::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// What the audio thread has heard of the plugin so far.
#[derive(Default)]
pub struct Heard {
    pub moved: Vec<Gesture>,
    pub blocks: usize,
    /// The highest level of the last block.
    pub peak: f32,
}

/// Plays on and on, about as fast as a device would.
pub struct Playing {
    stop: Arc<AtomicBool>,
    pub heard: Arc<Mutex<Heard>>,
    thread: JoinHandle<StoppedPluginAudioProcessor<TestHost>>,
}

impl Playing {
    pub fn start(host: &mut Host) -> Self {
        let config = PluginAudioConfiguration {
            sample_rate: host.rate,
            min_frames_count: 1,
            max_frames_count: host.max_block,
        };
        let processor = host.instance.activate(|_, _| (), config).unwrap();
        let (stop, heard) = (Arc::new(AtomicBool::new(false)), Arc::<Mutex<Heard>>::default());
        let thread = std::thread::spawn({
            let (stop, heard) = (stop.clone(), heard.clone());
            move || {
                let mut processor = processor.start_processing().unwrap();
                while !stop.load(SeqCst) {
                    let mut played = Played::default();
                    let input = EventBuffer::new();
                    let [left, _] = play_block(&mut processor, 256, &input, None, &mut played);
                    let mut heard = heard.lock().unwrap();
                    heard.moved.extend(played.moved);
                    heard.blocks += 1;
                    heard.peak = peak(&left);
                    drop(heard);
                    std::thread::sleep(Duration::from_millis(4));
                }
                processor.stop_processing()
            }
        });
        Self { stop, heard, thread }
    }

    pub fn end(self, host: &mut Host) {
        self.stop.store(true, SeqCst);
        let processor = self.thread.join().unwrap();
        host.instance.deactivate(processor);
    }
}
