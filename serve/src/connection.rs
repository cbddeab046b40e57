//! A seat's connection: events in, sound out, and when it is ended.

use crate::config::Limits;
use crate::datagrams::{Datagrams, Ticket};
use crate::event_clock::EventClock;
use crate::packets::PacketWriter;
use crate::protocol::{
    DatagramOffer, Format, LONGEST_MESSAGE, ProtocolError, Request, ServerMessage, picture, read,
};
use crate::rate_limit::RateLimit;
use crate::seat::{Seat, SeatEnds};
use crate::server::State;
use futures_util::{Sink, SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use myriad_engine::mpe::Channels;
use myriad_engine::patch::Playable;
use myriad_engine::view::Points;
use myriad_engine::{Event, Patch, Snapshot, TimedEvent, factory};
use ringbuf::traits::{Consumer, Observer, Producer};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, Release};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role, WebSocketConfig};

/// How often what sounds is sent, and the state of the server.
const PICTURE: Duration = Duration::from_millis(50);
const STATE: Duration = Duration::from_secs(1);

/// How often a client that says nothing is asked whether it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The client has left.
    Left,
    /// The server stops.
    Stopping,
    /// The client breaks the rules, for this reason.
    Dropped(CloseCode, &'static str),
}

/// Plays a seat until its client leaves or has to leave, and offers datagrams if the client can reach them.
pub(crate) async fn play(
    upgraded: Upgraded,
    state: &Arc<State>,
    format: Format,
    has_datagrams: bool,
) {
    let config = WebSocketConfig::default()
        .read_buffer_size(8 << 10)
        .write_buffer_size(16 << 10)
        .max_write_buffer_size(256 << 10)
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_MESSAGE));
    let socket = TokioIo::new(upgraded);
    let mut socket = WebSocketStream::from_raw_socket(socket, Role::Server, Some(config)).await;
    let made = {
        let state = Arc::clone(state);
        tokio::task::spawn_blocking(move || state.make_seat()).await
    };
    let Ok(Ok((seat, ends))) = made else {
        let _ = timeout(
            state.config.limits.slow,
            close(&mut socket, CloseCode::Error, "no instrument"),
        )
        .await;
        return;
    };
    let mut connection = Connection::new(socket, state, Arc::clone(&seat), ends, format);
    if has_datagrams {
        connection.offer_datagrams();
    }
    let end = connection.run().await;
    seat.is_closed.store(true, Release);
    state.remove_seat(&seat);
    if let End::Dropped(code, reason) = end {
        state.counters.dropped.fetch_add(1, Relaxed);
        connection.close(code, reason).await;
    } else if end == End::Stopping {
        connection.close(CloseCode::Away, "the server stops").await;
    }
}

async fn close<S>(socket: &mut S, code: CloseCode, reason: &'static str)
where
    S: Sink<Message> + Unpin,
{
    let frame = CloseFrame { code, reason: reason.into() };
    // A client that does not take it is gone anyway.
    let _ = socket.send(Message::Close(Some(frame))).await;
}

struct Connection<'a> {
    socket: WebSocketStream<TokioIo<Upgraded>>,
    state: &'a Arc<State>,
    limits: Limits,
    seat: Arc<Seat>,
    ends: SeatEnds,
    packets: PacketWriter,
    /// The page's right to datagrams, the sessions that it opens with it, and the one that the sound goes through.
    ticket: Option<Ticket>,
    sessions: mpsc::Receiver<wtransport::Connection>,
    datagrams: Option<wtransport::Connection>,
    event_clock: EventClock,
    channels: Channels,
    messages: RateLimit,
    bytes: RateLimit,
    patches: RateLimit,
    errors: u32,
    /// When the client last said anything.
    heard: Instant,
    is_watched: bool,
    was_sounding: bool,
    snapshot: Snapshot,
    points: Points,
}

impl<'a> Connection<'a> {
    fn new(
        socket: WebSocketStream<TokioIo<Upgraded>>,
        state: &'a Arc<State>,
        seat: Arc<Seat>,
        ends: SeatEnds,
        format: Format,
    ) -> Self {
        let limits = state.config.limits;
        let limit = |(per_second, burst)| RateLimit::new(per_second, burst);
        Self {
            socket,
            state,
            limits,
            seat,
            ends,
            packets: PacketWriter::new(format),
            ticket: None,
            sessions: mpsc::channel(1).1,
            datagrams: None,
            event_clock: EventClock::new(f64::from(crate::config::RATE), state.clock.block),
            channels: Channels::new(),
            messages: limit(limits.messages),
            bytes: limit(limits.bytes),
            patches: limit(limits.patches),
            errors: 0,
            heard: Instant::now(),
            is_watched: false,
            was_sounding: true,
            snapshot: Snapshot::new(),
            points: Points::new(),
        }
    }

    fn offer_datagrams(&mut self) {
        if let Some((ticket, sessions)) = self.state.datagrams.as_ref().and_then(Datagrams::offer) {
            (self.ticket, self.sessions) = (Some(ticket), sessions);
        }
    }

    async fn run(&mut self) -> End {
        let mut stopping = self.state.stopping.subscribe();
        if *stopping.borrow_and_update() {
            return End::Stopping;
        }
        let [mut picture, mut server] = [PICTURE, STATE].map(|period| {
            let mut interval = interval(period);
            interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
            interval
        });
        let mut keep_alive = interval(KEEP_ALIVE);
        if let Err(end) = self.welcome().await {
            return end;
        }
        loop {
            let outcome = tokio::select! {
                biased;
                _ = stopping.changed() => Err(End::Stopping),
                () = self.seat.wake.notified() => self.send_sound().await,
                message = self.socket.next() => match message {
                    Some(Ok(message)) => self.receive(message).await,
                    Some(Err(_)) => Err(End::Dropped(CloseCode::Protocol, "malformed")),
                    None => Err(End::Left),
                },
                Some(session) = self.sessions.recv() => {
                    self.datagrams = Some(session);
                    self.seat.lock_info().has_datagrams = true;
                    Ok(())
                }
                _ = picture.tick() => self.send_picture().await,
                _ = server.tick() => self.send_state().await,
                _ = keep_alive.tick() => self.send(Message::Ping(Default::default())).await,
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    async fn welcome(&mut self) -> Result<(), End> {
        let welcome = ServerMessage::Welcome {
            seat: self.seat.id,
            rate: crate::config::RATE,
            block: self.state.clock.block,
            latency: self.seat.latency(),
            jam: self.state.config.jam,
            patch: &self.state.config.patch,
            datagrams: self.ticket.as_ref().map(|ticket| DatagramOffer {
                port: self.state.address.port(),
                ticket: ticket.token(),
                certificate: ticket.certificate(),
            }),
        };
        let welcome = welcome.to_json();
        self.send(Message::text(welcome)).await
    }

    /// Sends a message; a client that takes it too slowly is dropped.
    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(self.limits.slow, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Left),
            Err(_) => Err(End::Dropped(CloseCode::Policy, "too slow")),
        }
    }

    async fn close(&mut self, code: CloseCode, reason: &'static str) {
        // It does not wait for a client that takes nothing.
        let _ = timeout(Duration::from_millis(200), close(&mut self.socket, code, reason)).await;
    }

    async fn send_sound(&mut self) -> Result<(), End> {
        // Older ones would come too late anyway.
        while self.ends.sound.ready() > self.limits.behind {
            self.ends.sound.next();
            self.seat.counters.dropped.fetch_add(1, Relaxed);
        }
        let sent = async {
            while let Some((header, samples)) = self.ends.sound.next() {
                let room = self.datagrams.as_ref().and_then(|session| session.max_datagram_size());
                for packet in self.packets.packets(header, samples, room.unwrap_or(usize::MAX)) {
                    self.state.counters.bytes.fetch_add(packet.len() as u64, Relaxed);
                    if let Some(session) = &self.datagrams {
                        if session.send_datagram(&packet).is_ok() {
                            continue;
                        }
                        // The session has ended.
                        self.datagrams = None;
                        self.seat.lock_info().has_datagrams = false;
                    }
                    self.socket.feed(Message::Binary(packet.into())).await?;
                }
            }
            self.socket.flush().await
        };
        match timeout(self.limits.slow, sent).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Left),
            Err(_) => Err(End::Dropped(CloseCode::Policy, "too slow")),
        }
    }

    async fn send_state(&mut self) -> Result<(), End> {
        // What the engine has given back is freed here.
        while self.ends.former_patches.try_pop().is_some() {}
        if self.heard.elapsed() > self.limits.silent {
            return Err(End::Dropped(CloseCode::Policy, "no answer"));
        }
        let (load, seats) = (self.seat.counters.load(), self.state.seats_taken());
        self.send(Message::text(ServerMessage::Server { load, seats }.to_json())).await
    }

    /// Sends what sounds, as long as anything does, to a client that wants to draw it.
    async fn send_picture(&mut self) -> Result<(), End> {
        if !self.is_watched {
            return Ok(());
        }
        let counters = &self.seat.counters;
        let peaks = counters.take_peak();
        let is_sounding = peaks != [0.0; 2];
        if !is_sounding && !self.was_sounding {
            return Ok(());
        }
        self.was_sounding = is_sounding;
        self.ends.snapshots.look(&mut self.snapshot);
        let numbers = self.points.fill(&self.snapshot, counters.sounding(), peaks);
        let message = Message::Binary(picture(numbers).into());
        self.send(message).await
    }

    async fn receive(&mut self, message: Message) -> Result<(), End> {
        self.heard = Instant::now();
        let length = message.len() as f64;
        if !self.messages.take(1.0) || !self.bytes.take(length) {
            return Err(End::Dropped(CloseCode::Policy, "too many messages"));
        }
        let request = match &message {
            Message::Text(text) => read(text),
            Message::Close(_) => return Err(End::Left),
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Binary(_) | Message::Frame(_) => Err(ProtocolError::Malformed),
        };
        match request {
            Ok(Request::Event(channel, kind, stamp)) => {
                let time = self.event_clock.play_at(stamp, self.state.clock.now());
                self.state.counters.events.fetch_add(1, Relaxed);
                let Self { channels, ends, seat, .. } = self;
                channels.play(channel, kind, &mut |kind| {
                    let event = Event { frame: 0, part: 0, kind };
                    if !ends.events.push(TimedEvent { time, event }) {
                        seat.counters.refused.fetch_add(1, Relaxed);
                    }
                });
                Ok(())
            }
            Ok(Request::Ping(id)) => {
                let pong = ServerMessage::Pong { id, frame: self.state.clock.now() };
                self.send(Message::text(pong.to_json())).await
            }
            Ok(Request::Stats(stats)) => {
                self.seat.lock_info().stats = stats;
                Ok(())
            }
            Ok(Request::Watch(on)) => {
                self.is_watched = on;
                self.ends.snapshots.watch(on.then_some(0));
                Ok(())
            }
            Ok(Request::Patch(name)) => {
                let missing = || "there is no such patch".to_owned();
                self.load_patch(move || factory::find(&name).ok_or_else(missing)).await
            }
            Ok(Request::PatchText(toml)) => {
                let parse = move || Patch::parse(&toml, "patch").map_err(|error| error.to_string());
                self.load_patch(parse).await
            }
            Err(error) => self.refuse(&error.to_string()).await,
        }
    }

    /// Plays a patch that `load` parses. That takes milliseconds, so their number is limited, and no other
    /// connection waits for it.
    async fn load_patch(
        &mut self,
        load: impl FnOnce() -> Result<Patch, String> + Send + 'static,
    ) -> Result<(), End> {
        if !self.patches.take(1.0) {
            return self.refuse("too many patches").await;
        }
        match tokio::task::spawn_blocking(load).await {
            Ok(Ok(patch)) => self.set_patch(patch).await,
            Ok(Err(error)) => self.refuse(&error).await,
            Err(_) => self.refuse("the patch cannot be read").await,
        }
    }

    async fn set_patch(&mut self, patch: Patch) -> Result<(), End> {
        if self.ends.patches.is_full() {
            return self.refuse("too many patches").await;
        }
        let name = patch.name.clone();
        let playable = tokio::task::spawn_blocking(|| {
            Playable::new(patch).prepared(crate::config::RATE as f32).complete()
        })
        .await;
        let Ok(Ok(playable)) = playable else {
            return self.refuse("there is no room for the patch's table").await;
        };
        // There is room, as was checked.
        let _ = self.ends.patches.try_push(Box::new(playable));
        let changed = ServerMessage::PatchChanged { name: &name }.to_json();
        self.seat.lock_info().patch = name;
        self.send(Message::text(changed)).await
    }

    /// Tells the client what is wrong. After many errors it is dropped.
    async fn refuse(&mut self, message: &str) -> Result<(), End> {
        self.errors += 1;
        self.state.counters.refused.fetch_add(1, Relaxed);
        if self.errors > self.limits.errors {
            return Err(End::Dropped(CloseCode::Policy, "too many errors"));
        }
        let message = message.chars().take(300).collect::<String>();
        self.send(Message::text(ServerMessage::Error { message: &message }.to_json())).await
    }
}
