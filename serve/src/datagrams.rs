//! Sound as datagrams, by WebTransport: one that is lost is concealed instead of waited for, as the bytes of a
//! WebSocket are.
//!
//! A seat is a WebSocket all the same. Its first message tells the page a ticket and the certificate of the datagrams, whose
//! port has the number of the server's own. A page that comes with the ticket gets the sound of that seat as datagrams; everything
//! else stays where it was, and so does the sound where a browser or a network has no datagrams.

use crate::access::Token;
use crate::config::Limits;
use crate::server::State;
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{interval, timeout};
use wtransport::endpoint::IncomingSession;
use wtransport::endpoint::endpoint_side::Server;
use wtransport::quinn::{IdleTimeout, TransportConfig};
use wtransport::{Connection, Endpoint, Identity, ServerConfig};

/// Where a page asks for the sound of a seat; its ticket follows.
pub(crate) const PATH: &str = "/sound/";

/// After how long without an answer datagrams are given up, and how often one is asked for. The sound comes by the
/// WebSocket again then.
const SILENCE: Duration = Duration::from_secs(3);
const KEEP_ALIVE: Duration = Duration::from_secs(1);

/// Sound that waits for a network that takes none: what is older is dropped for what is newer.
const WAITING_BYTES: usize = 16 << 10;

/// Browsers take a certificate that nobody has signed for two weeks; it is replaced long before.
const RENEWAL: Duration = Duration::from_secs(5 * 24 * 3_600);

/// Who waits for which ticket.
type Waiting = HashMap<String, mpsc::Sender<Connection>>;

/// Datagrams of a server.
pub(crate) struct Datagrams {
    endpoint: Endpoint<Server>,
    /// The SHA-256 of the certificate.
    certificate: Mutex<[u8; 32]>,
    waiting: Mutex<Waiting>,
}

impl Datagrams {
    /// Listens at `address`. Must be called by a thread of the runtime.
    pub(crate) fn start(address: SocketAddr) -> io::Result<Self> {
        let (certificate, config) = configuration(address)?;
        Ok(Self {
            endpoint: Endpoint::server(config)?,
            certificate: Mutex::new(certificate),
            waiting: Mutex::default(),
        })
    }

    /// A ticket for a seat, and what comes with it: sessions, of which the newest counts.
    pub(crate) fn offer(self: &Arc<Self>) -> Option<(Ticket, mpsc::Receiver<Connection>)> {
        let token = Token::random().ok()?;
        let (sender, receiver) = mpsc::channel(1);
        lock(&self.waiting).insert(token.reveal().to_owned(), sender);
        Some((Ticket { token, datagrams: Arc::clone(self) }, receiver))
    }

    /// Answers pages, and renews the certificate, until the server stops.
    pub(crate) async fn run(self: Arc<Self>, state: Arc<State>) {
        let mut stopping = state.stopping.subscribe();
        let most = state.config.seats + state.config.limits.visitors;
        let mut renewal = interval(RENEWAL);
        renewal.tick().await;
        loop {
            let incoming = tokio::select! {
                _ = stopping.wait_for(|stops| *stops) => break,
                _ = renewal.tick() => {
                    self.renew(state.address);
                    continue;
                }
                incoming = self.endpoint.accept() => incoming,
            };
            // Whoever only pretends to be at an address gets no work done.
            if !incoming.remote_address_validated() {
                incoming.retry();
            } else if self.endpoint.open_connections() >= most {
                incoming.refuse();
            } else {
                let datagrams = Arc::clone(&self);
                let limits = state.config.limits;
                tokio::spawn(async move { datagrams.admit(incoming, &limits).await });
            }
        }
        self.endpoint.close(0u32.into(), b"the server stops");
    }

    /// Lets in whoever has a ticket.
    async fn admit(&self, incoming: IncomingSession, limits: &Limits) {
        let session = timeout(limits.request, async {
            let request = incoming.await.ok()?;
            let ticket = request.path().strip_prefix(PATH).unwrap_or_default();
            let seat = lock(&self.waiting).get(ticket).cloned();
            match seat {
                Some(seat) => Some((seat, request.accept().await.ok()?)),
                None => {
                    request.forbidden().await;
                    None
                }
            }
        });
        if let Ok(Some((seat, session))) = session.await {
            // A seat that has left wants none.
            let _ = seat.send(session).await;
        }
    }

    /// Takes a new certificate. Sessions go on; a new page gets the new one.
    fn renew(&self, address: SocketAddr) {
        // Where it fails, datagrams can no longer be had and pages use the WebSocket.
        if let Ok((certificate, config)) = configuration(address)
            && self.endpoint.reload_config(config, false).is_ok()
        {
            *lock(&self.certificate) = certificate;
        }
    }
}

/// A new certificate's SHA-256, and what to listen with.
fn configuration(address: SocketAddr) -> io::Result<([u8; 32], ServerConfig)> {
    // Pages know the certificate itself, so names do not matter.
    let identity = Identity::self_signed(["localhost"]).map_err(io::Error::other)?;
    let certificate = identity.certificate_chain().as_slice().first();
    let certificate = *certificate.ok_or(io::ErrorKind::NotFound)?.hash().as_ref();
    let mut transport = TransportConfig::default();
    transport
        .max_idle_timeout(Some(IdleTimeout::try_from(SILENCE).map_err(io::Error::other)?))
        .keep_alive_interval(Some(KEEP_ALIVE))
        .datagram_send_buffer_size(WAITING_BYTES);
    let config = ServerConfig::builder()
        .with_bind_address(address)
        .with_custom_transport(identity, transport)
        .build();
    Ok((certificate, config))
}

/// The right to the datagrams of a seat, for as long as it exists.
pub(crate) struct Ticket {
    token: Token,
    datagrams: Arc<Datagrams>,
}

impl Ticket {
    pub(crate) fn token(&self) -> &str {
        self.token.reveal()
    }

    /// The certificate that the page is to expect.
    pub(crate) fn certificate(&self) -> [u8; 32] {
        *lock(&self.datagrams.certificate)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        lock(&self.datagrams.waiting).remove(self.token());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
