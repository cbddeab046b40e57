//! A small HTTP server, enough for Prometheus. It waits for no client, so that a slow one holds up
//! neither the others nor the program's end.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a client may take, from its connection to the last byte of the answer.
const TIMEOUT: Duration = Duration::from_secs(2);

/// More bytes than any valid request has.
const LONGEST_REQUEST: usize = 16 << 10;

/// The most clients at a time.
const MOST_CLIENTS: usize = 32;

/// How often the thread looks for clients and checks whether it should end.
const PAUSE: Duration = Duration::from_millis(50);

/// The same while there are clients.
const SHORT_PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug, thiserror::Error)]
#[error("--metrics {address}: {error}")]
pub(crate) struct ServerError {
    address: SocketAddr,
    error: io::Error,
}

/// Serves what was published last, until it is dropped.
pub(crate) struct Server {
    text: Arc<Mutex<String>>,
    stop: Arc<AtomicBool>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens at `address`; port 0 is any that is free.
    pub(crate) fn start(address: SocketAddr) -> Result<Self, ServerError> {
        let fail = |error| ServerError { address, error };
        let listener = TcpListener::bind(address).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let bound = listener.local_addr().map_err(fail)?;
        let (text, stop) = (Arc::<Mutex<String>>::default(), Arc::<AtomicBool>::default());
        let (served, stopped) = (Arc::clone(&text), Arc::clone(&stop));
        let thread = std::thread::Builder::new().name("metrics".to_owned());
        let serve = move || {
            let mut exchanges = VecDeque::new();
            while !stopped.load(Ordering::Relaxed) {
                let accepted = listener.accept();
                let is_idle = accepted.is_err();
                if let Ok((client, _)) = accepted {
                    // The oldest is the slowest, and makes room for others.
                    if exchanges.len() == MOST_CLIENTS {
                        exchanges.pop_front();
                    }
                    exchanges.extend(Exchange::new(client).ok());
                }
                exchanges.retain_mut(|exchange| exchange.step(&served));
                if is_idle {
                    std::thread::sleep(if exchanges.is_empty() { PAUSE } else { SHORT_PAUSE });
                }
            }
        };
        Ok(Self { text, stop, address: bound, thread: Some(thread.spawn(serve).map_err(fail)?) })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Replaces the text that is served.
    pub(crate) fn publish(&self, text: String) {
        *self.text.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A client that is being served, without waiting for it.
struct Exchange {
    client: TcpStream,
    /// When it is given up.
    deadline: Instant,
    request: Vec<u8>,
    /// What is still to be sent, once the request is complete.
    answer: Option<VecDeque<u8>>,
}

impl Exchange {
    fn new(client: TcpStream) -> io::Result<Self> {
        client.set_nonblocking(true)?;
        let deadline = Instant::now() + TIMEOUT;
        Ok(Self { client, deadline, request: Vec::new(), answer: None })
    }

    /// Reads and writes what can be read and written now. False when the exchange is over.
    fn step(&mut self, text: &Mutex<String>) -> bool {
        let progress = match self.answer {
            None => self.read(text),
            Some(_) => Ok(()),
        };
        match progress.and_then(|()| self.write()) {
            Ok(complete) => !complete && Instant::now() < self.deadline,
            Err(error) if error.kind() == ErrorKind::WouldBlock => Instant::now() < self.deadline,
            Err(_) => false,
        }
    }

    /// Reads the request, up to the empty line after its headers, which are not needed.
    fn read(&mut self, text: &Mutex<String>) -> io::Result<()> {
        let mut bytes = [0; 1024];
        loop {
            let count = match self.client.read(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                count => count?,
            };
            self.request.extend(&bytes[..count]);
            let is_whole = self.request.windows(4).any(|end| end == b"\r\n\r\n");
            if count == 0 || is_whole || self.request.len() > LONGEST_REQUEST {
                self.answer = Some(answer(&self.request, text).into());
                return Ok(());
            }
        }
    }

    /// Writes the answer. True when all of it is sent.
    fn write(&mut self) -> io::Result<bool> {
        let Some(answer) = &mut self.answer else {
            return Ok(false);
        };
        while !answer.is_empty() {
            match self.client.write(answer.as_slices().0) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => drop(answer.drain(..count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

/// The answer to a request.
fn answer(request: &[u8], text: &Mutex<String>) -> Vec<u8> {
    let line = String::from_utf8_lossy(request);
    let line = line.lines().next().unwrap_or_default();
    let (status, body) = match line.split_whitespace().take(2).collect::<Vec<_>>()[..] {
        ["GET", "/metrics"] => {
            let text = text.lock().unwrap_or_else(PoisonError::into_inner);
            ("200 OK", text.clone())
        }
        ["GET", _] => ("404 Not Found", "see /metrics\n".to_owned()),
        _ => ("400 Bad Request", "only GET is understood\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

/// For fuzzing: every request has an answer with a status line and the right length.
#[cfg(fuzzing)]
pub fn fuzz(request: &[u8]) {
    let answer = answer(request, &Mutex::new("myriad_up 1\n".into()));
    let answer = std::str::from_utf8(&answer).expect("an answer is text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 "), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    assert_eq!(length.and_then(|length| length.parse().ok()), Some(body.len()), "{head}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(request.as_bytes()).unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn it_serves_what_was_published_last_and_survives_nonsense() {
        let server = Server::start(([127, 0, 0, 1], 0).into()).unwrap();
        server.publish("old 1\n".to_owned());
        server.publish("new 2\n".to_owned());
        let get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
        for nonsense in ["", "\r\n\r\n", "POST / HTTP/1.1\r\n\r\n", "GET"] {
            ask(server.address(), nonsense);
        }
        let answer = ask(server.address(), get);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nnew 2\n"), "{answer}");
        assert!(ask(server.address(), "GET / HTTP/1.1\r\n\r\n").contains("404"));
        let taken = Server::start(server.address());
        assert!(taken.is_err_and(|error| error.to_string().starts_with("--metrics 127.0.0.1:")));
    }

    /// Clients that send a byte now and then keep nobody else from being served, are given up, and do
    /// not hold up the end.
    #[test]
    fn slow_clients_block_nothing() {
        /// Only a server that hangs takes longer.
        const LIMIT: Duration = Duration::from_secs(60);
        let server = Server::start(([127, 0, 0, 1], 0).into()).unwrap();
        server.publish("figures 1\n".to_owned());
        let address = server.address();
        // Sends a byte at a time until the server closes the connection.
        let feed = |mut client: TcpStream| {
            std::thread::spawn(move || {
                while client.write_all(b"x").is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            })
        };
        // All are connected before the others ask.
        let connect = move |_| TcpStream::connect(address).unwrap();
        let clients: Vec<_> = (0..2 * MOST_CLIENTS).map(connect).collect();
        let clients: Vec<_> = clients.into_iter().map(feed).collect();
        let (done, events) = channel();
        std::thread::spawn(move || {
            let answer = ask(address, "GET /metrics HTTP/1.1\r\n\r\n");
            assert!(answer.ends_with("figures 1\n"), "{answer}");
            done.send("served").unwrap();
            clients.into_iter().for_each(|client| client.join().unwrap());
            done.send("given up").unwrap();
            // One that is still connected at the end.
            let client = feed(connect(0));
            drop(server);
            done.send("ended").unwrap();
            client.join().unwrap();
        });
        for event in ["served", "given up", "ended"] {
            assert_eq!(events.recv_timeout(LIMIT), Ok(event));
        }
    }
}
