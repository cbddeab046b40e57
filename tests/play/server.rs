//! A JACK server for one test at a time.

use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// The name under which our servers are found, and no other server is.
pub(crate) fn name() -> String {
    format!("myriad-test-{}", std::process::id())
}

/// A running server. Tests that have one take turns.
pub(crate) struct Server {
    process: Child,
    rate: u32,
    period: u32,
    _turn: MutexGuard<'static, ()>,
}

impl Server {
    /// Starts a server with the dummy driver, which is paced by the clock.
    pub(crate) fn start(rate: u32, period: u32) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        static NAME: Once = Once::new();
        NAME.call_once(|| {
            ::jack::set_logger(::jack::LoggerType::None);
            // SAFETY: once, before any client of this process is opened; the library reads it
            // then, and no thread of ours changes it again.
            unsafe { std::env::set_var("JACK_DEFAULT_SERVER", name()) };
        });
        Self {
            process: spawn(rate, period),
            rate,
            period,
            _turn: turn,
        }
    }

    /// Ends it without a warning.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        crate::player::signal(name, &self.process.id().to_string());
    }

    /// Starts it again after it was killed.
    pub(crate) fn restart(&mut self) {
        self.process = spawn(self.rate, self.period);
    }

    /// A client of it.
    pub(crate) fn client(name: &str) -> ::jack::Client {
        let (client, _) =
            ::jack::Client::new(name, ::jack::ClientOptions::NO_START_SERVER).unwrap();
        client
    }
}

impl Drop for Server {
    /// Ends it politely: a server that is killed keeps its place in JACK's registry, and there are
    /// only eight.
    fn drop(&mut self) {
        if std::thread::panicking() || self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            end(&mut self.process);
        } else {
            // It was killed: the next of its name takes over its place, and gives it back.
            self.restart();
            end(&mut self.process);
        }
    }
}

fn end(process: &mut Child) {
    let id = process.id().to_string();
    let _ = Command::new("sh")
        .args(["-c", &format!("kill -TERM {id}")])
        .status();
    let start = Instant::now();
    while process.try_wait().is_ok_and(|ended| ended.is_none()) {
        if start.elapsed() > PATIENCE {
            let _ = process.kill();
            let _ = process.wait();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a server with real-time threads where we may, and without otherwise.
fn spawn(rate: u32, period: u32) -> Child {
    let start = Instant::now();
    loop {
        for priority in [&["-R", "-P", "70"][..], &["-r"]] {
            let mut process = Command::new("jackd")
                .args(["-n", &name()])
                .args(priority)
                .args([
                    "-d",
                    "dummy",
                    "-r",
                    &rate.to_string(),
                    "-p",
                    &period.to_string(),
                ])
                .env("JACK_NO_AUDIO_RESERVATION", "1")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("jackd is installed by `./setup test`");
            if answers(&mut process) {
                return process;
            }
            end(&mut process);
        }
        assert!(
            start.elapsed() < PATIENCE,
            "no JACK server starts here; when many were killed, removing /dev/shm/jack* helps"
        );
    }
}

fn answers(process: &mut Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        if process.try_wait().unwrap().is_some() {
            return false;
        }
        let options = ::jack::ClientOptions::NO_START_SERVER;
        if ::jack::Client::new("knock", options).is_ok() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
