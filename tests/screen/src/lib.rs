//! A virtual X display with a simulated mouse and keyboard, for tests.

#![cfg(target_os = "linux")]
#![allow(missing_docs, reason = "helpers of tests")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests too")]

mod drag;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::*;
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

pub const ESCAPE: u32 = 0xff1b;
pub const CONTROL: u32 = 0xffe3;

/// The display of all tests. It has one mouse, so one test at a time uses it.
pub struct Screen {
    connection: RustConnection,
    root: Window,
    /// Ends when its last client, this process, disconnects.
    _server: Child,
}

/// A screenshot.
pub struct Picture {
    pub size: [u32; 2],
    /// Red, green and blue, row by row.
    pub pixels: Vec<u8>,
}

impl Screen {
    /// Waits until no other test uses the display.
    pub fn take() -> MutexGuard<'static, Screen> {
        static SCREEN: OnceLock<Mutex<Screen>> = OnceLock::new();
        let screen = SCREEN.get_or_init(|| Mutex::new(Screen::start()));
        screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start() -> Screen {
        let server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-terminate", "-nolisten", "tcp"])
            .args(["-screen", "0", "2600x1700x24"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut server) = server else {
            panic!("no Xvfb; ./setup test installs it");
        };
        let mut number = String::new();
        let mut said = BufReader::new(server.stdout.take().unwrap());
        said.read_line(&mut number).unwrap();
        let display = format!(":{}", number.trim());
        let (connection, screen) = x11rb::connect(Some(&display)).unwrap();
        let root = connection.setup().roots[screen].root;
        // SAFETY: tests read the environment only after they have taken the display.
        unsafe {
            std::env::set_var("DISPLAY", &display);
            // Keeps the user's files out of the tests.
            std::env::set_var("XDG_DATA_HOME", target().join("tmp"));
        }
        Screen { connection, root, _server: server }
    }

    /// A window like the one of a plugin host.
    pub fn open(&self, [width, height]: [u32; 2]) -> Window {
        let window = self.connection.generate_id().unwrap();
        let (copy, class) = (x11rb::COPY_FROM_PARENT, WindowClass::INPUT_OUTPUT);
        let [width, height] = [width as u16, height as u16];
        let aux = CreateWindowAux::new();
        self.connection
            .create_window(copy as u8, window, self.root, 0, 0, width, height, 0, class, copy, &aux)
            .unwrap();
        self.connection.map_window(window).unwrap();
        self.sync();
        window
    }

    pub fn resize(&self, window: Window, [width, height]: [u32; 2]) {
        let aux = ConfigureWindowAux::new().width(width).height(height);
        self.connection.configure_window(window, &aux).unwrap();
        self.sync();
    }

    pub fn close(&self, window: Window) {
        self.connection.destroy_window(window).unwrap();
        self.sync();
    }

    fn sync(&self) {
        self.connection.get_input_focus().unwrap().reply().unwrap();
    }

    fn fake(&self, kind: u8, detail: u8, [x, y]: [i16; 2]) {
        self.connection.xtest_fake_input(kind, detail, 0, self.root, x, y, 0).unwrap();
        self.sync();
    }

    /// Moves the mouse; windows are at the top left of the screen.
    pub fn point(&self, at: [i16; 2]) {
        self.fake(MOTION_NOTIFY_EVENT, 0, at);
    }

    pub fn press(&self) {
        self.fake(BUTTON_PRESS_EVENT, 1, [0, 0]);
    }

    pub fn release(&self) {
        self.fake(BUTTON_RELEASE_EVENT, 1, [0, 0]);
    }

    /// Presses keys in order and releases them in reverse, as for a shortcut.
    pub fn strike(&self, symbols: &[u32]) {
        let codes: Vec<u8> = symbols.iter().map(|&symbol| self.code_of(symbol)).collect();
        codes.iter().for_each(|&code| self.fake(KEY_PRESS_EVENT, code, [0, 0]));
        codes.iter().rev().for_each(|&code| self.fake(KEY_RELEASE_EVENT, code, [0, 0]));
    }

    fn code_of(&self, symbol: u32) -> u8 {
        let (first, last) =
            (self.connection.setup().min_keycode, self.connection.setup().max_keycode);
        let count = last - first + 1;
        let map = self.connection.get_keyboard_mapping(first, count).unwrap().reply().unwrap();
        let per_code = usize::from(map.keysyms_per_keycode);
        let at = map.keysyms.chunks(per_code).position(|symbols| symbols[0] == symbol);
        first + at.unwrap() as u8
    }

    /// The whole screen.
    pub fn whole(&self) -> Picture {
        self.picture(self.root)
    }

    /// A window with its child windows.
    pub fn picture(&self, window: Window) -> Picture {
        let geometry = self.connection.get_geometry(window).unwrap().reply().unwrap();
        let (width, height) = (geometry.width, geometry.height);
        // The pixels of the root, because those of a window do not include its child windows.
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, self.root, 0, 0, width, height, u32::MAX)
            .unwrap()
            .reply()
            .unwrap();
        let pixels = image.data.chunks(4).flat_map(|bgrx| [bgrx[2], bgrx[1], bgrx[0]]);
        Picture { size: [width.into(), height.into()], pixels: pixels.collect() }
    }
}

impl Picture {
    /// About how many colours there are; a window without content has one.
    pub fn colours(&self) -> usize {
        let colours: std::collections::HashSet<&[u8]> = self.pixels.chunks(3).step_by(29).collect();
        colours.len()
    }

    /// Red, green and blue of a pixel.
    pub fn at(&self, [x, y]: [u32; 2]) -> [u8; 3] {
        let first = 3 * (y * self.size[0] + x) as usize;
        [self.pixels[first], self.pixels[first + 1], self.pixels[first + 2]]
    }

    /// Whether the import page of an editor of 1200 by 780 points shows the outline of a sound: bright
    /// where the page is dark without one.
    pub fn shows_a_sound(&self) -> bool {
        (440..470).all(|x| self.at([x, 443])[0] > 150)
    }

    /// Saves it as `target/screenshots/NAME.png`.
    pub fn keep(&self, name: &str) {
        let folder = target().join("screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        let file = std::fs::File::create(folder.join(name).with_extension("png")).unwrap();
        let mut encoder = png::Encoder::new(file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&self.pixels).unwrap();
    }
}

/// The build folder of the workspace.
fn target() -> PathBuf {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| PathBuf::from(root).join("target"), PathBuf::from)
}
