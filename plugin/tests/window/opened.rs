//! An instance that plays, with its editor in a window.

use crate::host::*;
use crate::screen::Screen;
use clack_extensions::gui::{GuiApiType, GuiConfiguration, GuiSize, PluginGui, Window};
use clack_host::events::io::EventBuffer;
use clack_host::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const X11: GuiConfiguration = GuiConfiguration {
    api_type: GuiApiType::X11,
    is_floating: false,
};

/// What the audio thread has heard of the plugin so far.
#[derive(Default)]
pub struct Heard {
    pub moved: Vec<Moved>,
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
        let (stop, heard) = (
            Arc::new(AtomicBool::new(false)),
            Arc::<Mutex<Heard>>::default(),
        );
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
        Self {
            stop,
            heard,
            thread,
        }
    }

    pub fn end(self, host: &mut Host) {
        self.stop.store(true, SeqCst);
        let processor = self.thread.join().unwrap();
        host.instance.deactivate(processor);
    }
}

/// An editor in its window.
pub struct Opened {
    pub window: u32,
    pub size: [u32; 2],
}

impl Opened {
    pub fn open(host: &mut Host, screen: &Screen, scale: f64) -> Self {
        let gui: PluginGui = host.extension();
        let plugin = host.instance.plugin_handle();
        assert!(gui.is_api_supported(&plugin, X11));
        gui.create(&plugin, X11).unwrap();
        if scale != 1.0 {
            gui.set_scale(&plugin, scale).unwrap();
        }
        let GuiSize { width, height } = gui.get_size(&plugin).unwrap();
        let size = [width, height];
        let window = screen.open(size);
        // SAFETY: the window is closed after the editor.
        unsafe { gui.set_parent(&plugin, Window::from_x11_handle(window.into())) }.unwrap();
        gui.show(&plugin).unwrap();
        Self { window, size }
    }

    /// The user drags the host's frame.
    pub fn resize(&mut self, host: &mut Host, screen: &Screen, [width, height]: [u32; 2]) {
        let gui: PluginGui = host.extension();
        let plugin = host.instance.plugin_handle();
        assert!(gui.can_resize(&plugin));
        let wanted = GuiSize { width, height };
        let size = gui.adjust_size(&plugin, wanted).unwrap();
        self.size = [size.width, size.height];
        screen.resize(self.window, self.size);
        gui.set_size(&plugin, size).unwrap();
        assert_eq!(gui.get_size(&plugin), Some(size));
    }

    pub fn close(self, host: &mut Host, screen: &Screen) {
        let gui: PluginGui = host.extension();
        gui.destroy(&host.instance.plugin_handle());
        screen.close(self.window);
    }
}

/// Does the host's chores until something has happened.
pub fn until(host: &mut Host, what: &str, mut done: impl FnMut(&mut Host) -> bool) {
    let give_up = Instant::now() + Duration::from_secs(60);
    while !done(host) {
        assert!(Instant::now() < give_up, "waited in vain until {what}");
        host.idle();
        std::thread::sleep(Duration::from_millis(5));
    }
}
