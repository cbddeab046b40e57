//! The program under test, playing, with every line it writes.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing takes nearly so long; a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running `myriad play`.
pub(crate) struct Player {
    process: Child,
    lines: Receiver<String>,
    /// Everything that it wrote.
    pub(crate) log: Vec<Value>,
    folder: TempDir,
}

impl Player {
    /// Starts it in a folder of its own that holds `files`; `--json` is added.
    pub(crate) fn start(args: &[&str], files: &[(&str, &str)]) -> Self {
        Self::start_with(args, files, &[])
    }

    /// The same with variables in its environment.
    pub(crate) fn start_with(
        args: &[&str],
        files: &[(&str, &str)],
        variables: &[(&str, &str)],
    ) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut process = Command::new(env!("CARGO_BIN_EXE_myriad"))
            .arg("play")
            .args(args)
            .arg("--json")
            .current_dir(folder.path())
            .env("JACK_DEFAULT_SERVER", crate::server::name())
            .env("XDG_CONFIG_HOME", folder.path())
            // Devices of the machine are none of the tests' business.
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
        Self {
            process,
            lines,
            log: Vec::new(),
            folder,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The next line that `wanted` agrees to.
    pub(crate) fn wait_for(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("{what} is not told; {}", self.last_words());
            };
            let value: Value = serde_json::from_str(&line).unwrap();
            self.log.push(value.clone());
            if wanted(&value) {
                return value;
            }
        }
    }

    /// How it is doing now.
    pub(crate) fn status(&mut self) -> Value {
        // What was written meanwhile is about the past.
        while let Ok(line) = self.lines.try_recv() {
            self.log.push(serde_json::from_str(&line).unwrap());
        }
        self.wait_for("the status", |line| line["event"] == "status")
    }

    /// Waits for a remark that contains `words`.
    pub(crate) fn note(&mut self, words: &str) -> Value {
        let says = |line: &Value| {
            line["text"]
                .as_str()
                .is_some_and(|text| text.contains(words))
        };
        self.wait_for(words, says)
    }

    /// Presses Ctrl-C and gives the exit code; the last line is in the log then.
    pub(crate) fn interrupt(&mut self) -> Option<i32> {
        signal("INT", &self.process.id().to_string());
        self.wait_for("the end", |line| line["event"] == "end");
        self.exit()
    }

    /// Waits for the end.
    pub(crate) fn exit(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                while let Ok(line) = self.lines.recv_timeout(Duration::from_millis(200)) {
                    self.log.push(serde_json::from_str(&line).unwrap());
                }
                return status.code();
            }
            assert!(Instant::now() < deadline, "it does not end");
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
    // The shell's own `kill`: not every system has it as a program.
    let command = format!("kill -{name} {process}");
    let status = Command::new("sh").args(["-c", &command]).status().unwrap();
    assert!(status.success());
}

/// One partial with an even envelope: what goes wrong with it is easily seen.
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
