//! A JACK server for one test at a time.

use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// How long a server may take to start or end.
const TIMEOUT: Duration = Duration::from_mins(5);

/// A name that no other server has.
pub(crate) fn name() -> String {
    format!("myriad-test-{}", std::process::id())
}

/// A running server. Only one test at a time has one.
pub(crate) struct Server {
    process: Child,
    rate: u32,
    period: u32,
    _lock: MutexGuard<'static, ()>,
}

impl Server {
    /// Starts a server with the dummy driver, which is paced by the clock.
    pub(crate) fn start(rate: u32, period: u32) -> Self {
        static LOCK: Mutex<()> = Mutex::new(());
        let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        static NAME: Once = Once::new();
        NAME.call_once(|| {
            ::jack::set_logger(::jack::LoggerType::None);
            // SAFETY: it runs once, before the first client of this process reads the variable, and
            // nothing else changes the environment.
            unsafe { std::env::set_var("JACK_DEFAULT_SERVER", name()) };
        });
        Self { process: spawn(rate, period), rate, period, _lock: lock }
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn signal(&self, name: &str) {
        crate::player::signal(name, &self.process.id().to_string());
    }

    /// Starts it again after it was killed.
    pub(crate) fn restart(&mut self) {
        self.process = spawn(self.rate, self.period);
    }

    /// A new client.
    pub(crate) fn client(name: &str) -> ::jack::Client {
        accepted(|| ::jack::Client::new(name, ::jack::ClientOptions::NO_START_SERVER)).0
    }
}

/// What a server answers when it has time: it refuses clients and their activation after it had no processor for a fifth of a
/// second. The player tries again as well.
pub(crate) fn accepted<T>(mut ask: impl FnMut() -> Result<T, ::jack::Error>) -> T {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(answer) => return answer,
            Err(error) => assert!(start.elapsed() < TIMEOUT, "the server refuses: {error}"),
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

impl Drop for Server {
    /// Ends it with SIGTERM: a killed server keeps its entry in JACK's registry, which has eight.
    fn drop(&mut self) {
        if std::thread::panicking() || self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            end(&mut self.process);
        } else {
            // It was killed: a new server of the same name takes over its entry and frees it.
            self.restart();
            end(&mut self.process);
        }
    }
}

fn end(process: &mut Child) {
    let id = process.id().to_string();
    let _ = Command::new("sh").args(["-c", &format!("kill -TERM {id}")]).status();
    let start = Instant::now();
    while process.try_wait().is_ok_and(|ended| ended.is_none()) {
        if start.elapsed() > TIMEOUT {
            let _ = process.kill();
            let _ = process.wait();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a server with real-time threads where that is allowed, else without.
fn spawn(rate: u32, period: u32) -> Child {
    let start = Instant::now();
    loop {
        for priority in [&["-R", "-P", "70"][..], &["-r"]] {
            let mut process = Command::new("jackd")
                .args(["-n", &name()])
                .args(priority)
                .args(["-d", "dummy", "-r", &rate.to_string(), "-p", &period.to_string()])
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
            start.elapsed() < TIMEOUT,
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
        if ::jack::Client::new("probe", options).is_ok() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}
