//! The cases, and what they share.

mod abuse;
mod access;
mod datagrams;
mod playing;

use myriad_engine::ThreadPolicy;
use myriad_live::{Purpose, RendererChoice, RendererKind};
use myriad_serve::client::{Client, Incoming, Knock};
use myriad_serve::{Limits, RATE, ServeConfig, Server};
use std::future::Future;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A server for tests: no sound is left out, however slow the machine is, so that every frame can be
/// checked.
fn config() -> ServeConfig {
    let purpose = Purpose::Live { sample_rate: RATE as f32, thread_policy: ThreadPolicy::Normal };
    ServeConfig {
        address: "127.0.0.1:0".parse().unwrap(),
        player_token: None,
        operator_token: None,
        origins: Vec::new(),
        seats: 8,
        jam: false,
        block: 256,
        threads: 2,
        renderer: RendererChoice {
            kind: RendererKind::Cpu,
            device: None,
            threads: 1,
            purpose,
            recalibrate: false,
            service: None,
        },
        share: None,
        patch: "Init".into(),
        limits: Limits { behind: 2_000, jam_wait: 2_000, ..Limits::default() },
    }
}

fn start(config: ServeConfig) -> Server {
    Server::start(config).unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(future)
}

/// A client with a seat.
async fn seat(server: &Server) -> Client {
    Client::connect(server.address(), Knock::default()).await.unwrap()
}

/// What a client hears, all of it from the first frame on.
#[derive(Default)]
struct Heard {
    /// The time of the first frame.
    start: u64,
    left: Vec<f32>,
}

impl Heard {
    /// Listens until the left side has `frames` frames from where it becomes audible, or `frames` in all.
    async fn listen(&mut self, client: &mut Client, frames: usize) {
        let end = self.left.len() + frames;
        while self.left.len() < end {
            match client.next().await {
                Incoming::Sound(header, samples) => {
                    if self.left.is_empty() {
                        self.start = header.frame;
                    }
                    assert_eq!(header.frame, self.start + self.left.len() as u64, "a gap");
                    self.left.extend(samples.iter().step_by(2));
                }
                Incoming::Text(message) => assert_ne!(message["type"], "error", "{message}"),
                Incoming::Closed(code) => panic!("closed: {code:?}"),
            }
        }
    }

    /// Where it becomes audible.
    fn onset(&self) -> usize {
        self.left.iter().position(|x| *x != 0.0).expect("it sounds")
    }
}

/// The level of a pitch in the sound (Goertzel's algorithm).
fn level(sound: &[f32], hertz: f64) -> f64 {
    let turn = std::f64::consts::TAU * hertz / f64::from(RATE);
    let (mut re, mut im) = (0.0, 0.0);
    for (i, x) in sound.iter().enumerate() {
        // Without a window, loud neighbours would hide what is measured.
        let hann = 0.5 - 0.5 * (std::f64::consts::TAU * i as f64 / sound.len() as f64).cos();
        re += hann * f64::from(*x) * (turn * i as f64).cos();
        im += hann * f64::from(*x) * (turn * i as f64).sin();
    }
    4.0 * re.hypot(im) / sound.len() as f64
}

/// Sends bytes and returns all that comes back until the server closes.
fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A reset is an answer too.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The answer to a request for `path`, with more headers.
fn get(address: SocketAddr, path: &str, headers: &str) -> String {
    exchange(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n"))
}
