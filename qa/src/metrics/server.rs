//! A small HTTP server, enough for Prometheus.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a client may take to send its request.
const PATIENCE: Duration = Duration::from_secs(2);

/// More bytes than any valid request has.
const LONGEST_REQUEST: u64 = 16 << 10;

/// How often the thread checks whether it should end.
const PAUSE: Duration = Duration::from_millis(50);

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
            while !stopped.load(Ordering::Relaxed) {
                match listener.accept() {
                    // One after the other: there is one client, every few seconds.
                    Ok((client, _)) => drop(answer(client, &served)),
                    Err(_) => std::thread::sleep(PAUSE),
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

fn answer(client: TcpStream, text: &Mutex<String>) -> io::Result<()> {
    client.set_nonblocking(false)?;
    client.set_read_timeout(Some(PATIENCE))?;
    client.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(client.try_clone()?.take(LONGEST_REQUEST));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    // The headers are not needed.
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let (status, body) = match request.split_whitespace().take(2).collect::<Vec<_>>()[..] {
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
    let mut client = client;
    client.write_all(head.as_bytes())?;
    client.write_all(body.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
