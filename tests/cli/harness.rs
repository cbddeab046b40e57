//! Runs the program in a folder of its own, and checks how it ends.

#[cfg(target_os = "linux")]
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A run that takes longer hangs. Other tests compute at the same time, so it is many times what a run needs.
const DEADLINE: Duration = Duration::from_mins(10);

const PROGRAM: &str = env!("CARGO_BIN_EXE_myriad");

/// A temporary folder that the program runs in.
pub(crate) struct Folder(TempDir);

pub(crate) struct Run {
    /// The exit code; none when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file for the program to read.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), bytes).unwrap();
        self
    }

    /// The names of all files, hidden ones too, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Starts the program with the arguments of a command line.
    pub(crate) fn spawn(&self, line: &str) -> Child {
        self.start(Command::new(PROGRAM).args(words(line)))
    }

    /// The same with variables of the environment.
    #[cfg(target_os = "linux")]
    pub(crate) fn spawn_with(&self, line: &str, variables: &[(&str, OsString)]) -> Child {
        self.start(Command::new(PROGRAM).args(words(line)).envs(variables.iter().cloned()))
    }

    /// Starts the program where no file can be longer than `bytes`, as if the disk were full then.
    #[cfg(unix)]
    pub(crate) fn spawn_with_little_room(&self, line: &str, bytes: usize) -> Child {
        // The shell counts in blocks of 512 bytes. The signal would end the program.
        let limit = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", bytes / 512);
        self.start(Command::new("sh").args(["-c", &limit, PROGRAM]).args(words(line)))
    }

    /// Starts the program where ALSA's library cannot be loaded: the file of its name that the dynamic
    /// linker finds first is empty.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_without_alsa(&self, line: &str) -> Run {
        let hidden = TempDir::new().unwrap();
        std::fs::write(hidden.path().join("libasound.so.2"), "").unwrap();
        let mut command = Command::new(PROGRAM);
        let child = self.start(command.args(words(line)).env("LD_LIBRARY_PATH", hidden.path()));
        ended(child, line)
    }

    fn start(&self, command: &mut Command) -> Child {
        command
            .current_dir(self.0.path())
            // Hides the audio devices of the machine.
            .env("ALSA_CONFIG_PATH", "/dev/null")
            .env("JACK_DEFAULT_SERVER", "none")
            .env("PULSE_SERVER", "/nowhere")
            .env("XDG_CONFIG_HOME", self.0.path())
            .env("XDG_DATA_HOME", self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub(crate) fn run(&self, line: &str) -> Run {
        ended(self.spawn(line), line)
    }

    /// Runs a command that must succeed.
    pub(crate) fn succeed(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
        run
    }

    /// Runs a command that must fail with `code` and one line that contains `words`, and leave no files.
    pub(crate) fn fail(&self, line: &str, code: i32, words: &str) {
        let before = self.files();
        let run = self.run(line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        run.assert_one_line(line);
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
        assert_eq!(self.files(), before, "{line}");
    }
}

/// Waits until a process that `line` has started ends.
pub(crate) fn ended(mut child: Child, line: &str) -> Run {
    let start = Instant::now();
    // A process that fills its pipes would wait for a reader.
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > DEADLINE {
            child.kill().unwrap();
            panic!("{line} takes too long");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = child.wait().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|reader| reader.join().unwrap());
    Output { status, stdout, stderr }.into()
}

/// Reads everything that comes through a pipe.
fn drain(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).unwrap();
        }
        bytes
    })
}

/// Waits for something that a running process does, which may need seconds of real time.
pub(crate) fn wait_until(what: &str, happened: impl Fn() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < DEADLINE, "{what} does not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to a process.
#[cfg(unix)]
pub(crate) fn signal(name: &str, child: &Child) {
    // The shell's built-in `kill`, because not every system has the program.
    let command = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
}

/// Splits a command line like a shell: at spaces, except in single quotes.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (index, piece) in line.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(piece.split_whitespace()),
            _ => words.push(piece),
        }
    }
    words
}

impl Run {
    /// An error is one line on standard error that starts with the program's name.
    pub(crate) fn assert_one_line(&self, about: impl std::fmt::Debug) {
        let said = &self.stderr;
        assert_eq!(said.lines().count(), 1, "{about:?}: {said}");
        assert!(said.starts_with("myriad: "), "{about:?}: {said}");
        assert!(!said.contains("panicked"), "{about:?}: {said}");
        assert_eq!(self.stdout, "", "{about:?}");
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// The left and right samples of a 32-bit float WAV file.
pub(crate) fn samples(path: &Path) -> [Vec<f32>; 2] {
    let mut wav = hound::WavReader::open(path).unwrap();
    assert_eq!(wav.spec().channels, 2);
    let all: Vec<f32> = wav.samples::<f32>().map(Result::unwrap).collect();
    [0, 1].map(|channel| all.iter().skip(channel).step_by(2).copied().collect())
}
