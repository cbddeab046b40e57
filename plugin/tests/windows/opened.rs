//! An editor in a window of its own.

use crate::host::*;
use clack_extensions::gui::{GuiApiType, GuiConfiguration, GuiSize, PluginGui, Window};
use myriad_test_screen::Screen;
use std::time::{Duration, Instant};

const X11: GuiConfiguration = GuiConfiguration { api_type: GuiApiType::X11, is_floating: false };

/// An editor in its window.
pub struct Opened {
    pub window: u32,
    pub size: [u32; 2],
}

impl Opened {
    pub fn open(host: &mut Host, screen: &Screen, scale: f64) -> Self {
        Self::open_after(host, screen, scale, Duration::ZERO)
    }

    /// Opens it like a host that takes a while between creating and showing it.
    pub fn open_after(host: &mut Host, screen: &Screen, scale: f64, pause: Duration) -> Self {
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
        std::thread::sleep(pause);
        // SAFETY: the window is closed after the editor.
        unsafe { gui.set_parent(&plugin, Window::from_x11_handle(window.into())) }.unwrap();
        gui.show(&plugin).unwrap();
        Self { window, size }
    }

    pub fn until_drawn(&self, host: &mut Host, screen: &Screen) {
        until(host, "the editor is drawn", |_| {
            // Looking takes time that the editor needs for drawing.
            std::thread::sleep(Duration::from_millis(50));
            screen.picture(self.window).colours() > 200
        });
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
    let give_up = Instant::now() + Duration::from_mins(5);
    while !done(host) {
        assert!(Instant::now() < give_up, "waited in vain until {what}");
        host.idle();
        std::thread::sleep(Duration::from_millis(5));
    }
}
