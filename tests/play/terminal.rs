//! The view in a pseudo-terminal: it draws, plays and restores the terminal.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const TIMEOUT: Duration = Duration::from_mins(5);

/// Escape codes that enter and leave the alternate screen, and show the cursor.
const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";
const CURSOR: &str = "\x1b[?25h";

/// A terminal with the program in it.
struct Terminal {
    process: Child,
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    fn start(folder: &tempfile::TempDir, args: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_myriad");
        let command = format!("stty rows 24 cols 80 && exec {program} play --host clock {args}");
        let mut process = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(folder.path())
            .env("XDG_CONFIG_HOME", folder.path())
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let keys = process.stdin.take().unwrap();
        let mut screen = process.stdout.take().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                let _ = sender.send(bytes[..count].to_vec());
            }
        });
        Self { process, keys, output, seen: String::new() }
    }

    /// Waits until the text is on the screen.
    fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + TIMEOUT;
        while !self.seen.contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let bytes = self.output.recv_timeout(left);
            let bytes = bytes.unwrap_or_else(|_| panic!("{text:?} is not shown: {}", self.seen));
            self.seen += &String::from_utf8_lossy(&bytes);
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for the end, and checks that the terminal is restored.
    fn end(mut self) -> Option<i32> {
        let deadline = Instant::now() + TIMEOUT;
        let code = loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                break status.code();
            }
            assert!(Instant::now() < deadline, "the player does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(300)) {
            self.seen += &String::from_utf8_lossy(&bytes);
        }
        let left = self.seen.rfind(LEAVE).expect("the screen is restored");
        let shown = self.seen.rfind(CURSOR).expect("the cursor is shown");
        let drawn = self.seen.rfind("MYRIAD").unwrap_or(0);
        assert!(left > drawn && shown > drawn, "nothing is drawn afterwards");
        assert!(self.seen[left..].contains("Played"), "the summary is printed");
        code
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until so many more seconds have been recorded.
fn wait_for_recording(folder: &tempfile::TempDir, seconds: f64) {
    // What is not complete has another name.
    let written = || -> u64 {
        let files = std::fs::read_dir(folder.path()).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    };
    let wanted = written() + (seconds * 48_000.0) as u64 * 6;
    let deadline = Instant::now() + TIMEOUT;
    while written() < wanted {
        assert!(Instant::now() < deadline, "nothing is recorded");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn keys_play_and_ctrl_c_restores_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::start(&folder, "--record take.wav");
    terminal.wait_for(ENTER);
    terminal.wait_for("Spectrum");
    terminal.press("?");
    terminal.wait_for("sustain pedal");
    terminal.press("?/glass");
    terminal.wait_for("Glass Choir");
    terminal.press("\r");
    terminal.seen.clear();
    // When the help is shown again, the keys before it have been played.
    terminal.press("zcb?");
    terminal.wait_for("sustain pedal");
    wait_for_recording(&folder, 0.5);
    terminal.press("\x03");
    assert_eq!(terminal.end(), Some(0));
    // The recording is complete and has the notes of the keys.
    let mut wav = hound::WavReader::open(folder.path().join("take.wav")).unwrap();
    let loud = wav.samples::<i32>().any(|sample| sample.unwrap().abs() > 1 << 16);
    assert!(loud, "the keys are heard");
}

#[test]
fn sigterm_restores_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::start(&folder, "--for 60");
    terminal.wait_for("Spectrum");
    // The program itself, not the terminal around it.
    let parent = terminal.process.id();
    let children = format!("/proc/{parent}/task/{parent}/children");
    let child = std::fs::read_to_string(children).unwrap();
    crate::player::signal("TERM", child.trim());
    assert_eq!(terminal.end(), Some(0));
}
