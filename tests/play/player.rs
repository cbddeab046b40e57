//! A running `myriad play --json`, with every line it writes.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A wait that takes longer is a failure.
const TIMEOUT: Duration = Duration::from_mins(5);

/// A running `myriad play`.
pub(crate) struct Player {
    process: Child,
    lines: Receiver<String>,
    /// Every line so far.
    pub(crate) log: Vec<Value>,
    folder: TempDir,
}

impl Player {
    /// Starts it with arguments separated by spaces, in a folder with `files`.
    pub(crate) fn start(args: &str, files: &[(&str, &str)]) -> Self {
        Self::start_with(args, files, &[])
    }

    /// The same with environment variables.
    pub(crate) fn start_with(
        args: &str,
        files: &[(&str, &str)],
        variables: &[(&str, &str)],
    ) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut process = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .arg("play")
            .args(args.split_whitespace())
            .arg("--json")
            .current_dir(folder.path())
            .env("JACK_DEFAULT_SERVER", crate::server::name())
            .env("XDG_CONFIG_HOME", folder.path())
            // Hides the audio devices of the machine.
            .env("ALSA_CONFIG_PATH", "/dev/null")
            .env("PULSE_SERVER", "/nowhere")
            .env_remove("PULSE_COOKIE")
            .env_remove("PULSE_RUNTIME_PATH")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { process, lines, log: Vec::new(), folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Waits for a line that `wanted` accepts.
    pub(crate) fn wait_for(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("no line with {what}; {}", self.last_words());
            };
            let value: Value = serde_json::from_str(&line).unwrap();
            self.log.push(value.clone());
            if wanted(&value) {
                return value;
            }
        }
    }

    /// The next status.
    pub(crate) fn status(&mut self) -> Value {
        // Earlier lines are skipped.
        while let Ok(line) = self.lines.try_recv() {
            self.log.push(serde_json::from_str(&line).unwrap());
        }
        self.wait_for("the status", |line| line["event"] == "status")
    }

    /// Waits for a notice that contains `words`.
    pub(crate) fn note(&mut self, words: &str) -> Value {
        let says = |line: &Value| line["text"].as_str().is_some_and(|text| text.contains(words));
        self.wait_for(words, says)
    }

    /// Sends SIGINT and returns the exit code; the last line of the log is the summary then.
    pub(crate) fn interrupt(&mut self) -> Option<i32> {
        signal("INT", &self.process.id().to_string());
        self.wait_for("the end", |line| line["event"] == "end");
        self.exit()
    }

    /// Waits for the end and returns the exit code.
    pub(crate) fn exit(&mut self) -> Option<i32> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(200)) {
                    self.log.push(serde_json::from_str(&line).unwrap());
                }
                return status.code();
            }
            assert!(Instant::now() < deadline, "the player does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn last_words(&mut self) -> String {
        let _ = self.process.kill();
        let mut words = String::new();
        if let Some(errors) = &mut self.process.stderr {
            let _ = errors.read_to_string(&mut words);
        }
        let last = self.log.last().map(Value::to_string).unwrap_or_default();
        format!("last line {last}, errors: {words}")
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a signal to a process.
pub(crate) fn signal(name: &str, process: &str) {
    // The shell's built-in `kill`, because not every system has the program.
    let command = format!("kill -{name} {process}");
    let status = Command::new("sh").args(["-c", &command]).status().unwrap();
    assert!(status.success());
}

/// One partial with a constant envelope, in which discontinuities are easy to detect.
pub(crate) const SINE: &str = r#"
format = 2
name = "Sine"
[source]
partials = 1
[env1]
attack = 0.0
sustain = 1.0
release = 0.02
"#;
