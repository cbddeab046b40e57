//! Virtual players: many clients that play chords and measure when they would hear them.

use crate::client::{Client, Incoming, Knock};
use crate::config::RATE;
use crate::jitter_buffer::JitterBuffer;
use crate::protocol::PacketHeader;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::time::sleep_until;

/// The chords that are played, one after the other.
const CHORDS: [[u8; 4]; 4] =
    [[48, 55, 60, 64], [45, 52, 57, 60], [41, 53, 57, 60], [43, 55, 59, 62]];

/// A chord is held so long, and the next one comes after the second time.
const HELD: Duration = Duration::from_millis(450);
const PERIOD: Duration = Duration::from_millis(900);

/// How often the clocks are compared.
const CLOCK: Duration = Duration::from_millis(500);

/// An onset is so much louder than the loudest of the last [`BEFORE`] frames, and louder than
/// [`AUDIBLE`].
const RISE: f32 = 3.0;
const BEFORE: usize = 1_024;
const AUDIBLE: f32 = 1e-3;

/// How players are made.
#[derive(Clone, Debug)]
pub struct LoadTest {
    /// The server.
    pub address: SocketAddr,
    /// Its token, if it needs one.
    pub token: Option<String>,
    /// How many players.
    pub players: usize,
    /// The patch of all of them.
    pub patch: String,
    /// How long they play.
    pub time: Duration,
}

/// What the players measured.
#[derive(Clone, Debug, Default)]
pub struct LoadReport {
    /// Players who had a seat.
    pub seated: usize,
    /// Milliseconds from each chord to its sound out of the jitter buffer, sorted.
    pub latencies: Vec<f64>,
    /// Chords that were not heard.
    pub unheard: usize,
    /// Packets.
    pub packets: u64,
    /// Packets that came too late to be played.
    pub late: u64,
    /// Packets that never came.
    pub lost: u64,
    /// Bytes of sound.
    pub bytes: u64,
    /// Players whose connection ended.
    pub dropped: usize,
}

impl LoadReport {
    /// The latency that this share of the chords does not exceed.
    pub fn percentile(&self, share: f64) -> f64 {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }

    fn add(&mut self, other: Self) {
        self.seated += other.seated;
        self.latencies.extend(other.latencies);
        self.unheard += other.unheard;
        self.packets += other.packets;
        self.late += other.late;
        self.lost += other.lost;
        self.bytes += other.bytes;
        self.dropped += other.dropped;
    }
}

/// Lets all players play at once.
///
/// # Errors
/// When there are no threads for them.
pub fn run(test: &LoadTest) -> std::io::Result<LoadReport> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads((cores / 4).max(1))
        .enable_all()
        .build()?;
    Ok(runtime.block_on(async {
        let mut players = Vec::new();
        for index in 0..test.players {
            let test = test.clone();
            players.push(tokio::spawn(async move { play(&test, index).await }));
            // Engines are made one after the other.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut report = LoadReport::default();
        for player in players {
            report.add(player.await.unwrap_or_default());
        }
        report.latencies.sort_by(f64::total_cmp);
        report
    }))
}

/// One player.
struct Player {
    client: Client,
    start: Instant,
    buffer: JitterBuffer,
    /// The server's clock at the client's time 0, in frames, and the way there and back of the ping that
    /// told so.
    offset: Option<(f64, f64)>,
    /// When the last chord was played, until it is heard.
    waiting: Option<f64>,
    /// The loudest samples of the last frames.
    recent: std::collections::VecDeque<f32>,
    next_number: Option<u32>,
    report: LoadReport,
}

async fn play(test: &LoadTest, index: usize) -> LoadReport {
    let knock = Knock { token: test.token.as_deref(), ..Knock::default() };
    let Ok(client) = Client::connect(test.address, knock).await else {
        return LoadReport::default();
    };
    let mut player = Player {
        client,
        start: Instant::now(),
        buffer: JitterBuffer::default(),
        offset: None,
        waiting: None,
        recent: std::iter::repeat_n(0.0, BEFORE).collect(),
        next_number: None,
        report: LoadReport { seated: 1, ..LoadReport::default() },
    };
    // Players do not play at the same moments.
    let shift = PERIOD.mul_f64((index as f64 * 0.618) % 1.0);
    if player.play(test, shift).await.is_none() {
        player.report.dropped = 1;
    }
    player.report.late = u64::from(player.buffer.late());
    player.report
}

impl Player {
    fn now_ms(&self) -> f64 {
        self.start.elapsed().as_secs_f64() * 1e3
    }

    /// Plays until the time is over; `None` when the connection ends.
    async fn play(&mut self, test: &LoadTest, shift: Duration) -> Option<()> {
        let patch = serde_json::json!({ "type": "patch", "name": test.patch });
        self.client.send(patch.to_string()).await.ok()?;
        let end = self.start + test.time;
        let mut next_clock = self.start;
        // The buffer and the clock settle first.
        let mut next_on = self.start + Duration::from_millis(1_500) + shift;
        let mut next_off: Option<Instant> = None;
        let mut chord = 0;
        while Instant::now() < end {
            let now = Instant::now();
            if now >= next_clock {
                next_clock = now + CLOCK;
                let ping = serde_json::json!({ "type": "ping", "id": self.now_ms() });
                self.client.send(ping.to_string()).await.ok()?;
            }
            if now >= next_on && now + PERIOD < end {
                if self.waiting.replace(self.now_ms()).is_some() {
                    self.report.unheard += 1;
                }
                self.notes("noteOn", CHORDS[chord % CHORDS.len()]).await?;
                next_off = Some(next_on + HELD);
                next_on += PERIOD;
            } else if next_off.is_some_and(|off| now >= off) {
                self.notes("noteOff", CHORDS[chord % CHORDS.len()]).await?;
                next_off = None;
                chord += 1;
            }
            let wake = [Some(next_clock), Some(next_on), next_off, Some(end)];
            let wake = wake.into_iter().flatten().filter(|time| *time > now).min().unwrap_or(end);
            tokio::select! {
                biased;
                incoming = self.client.next() => self.receive(incoming)?,
                () = sleep_until(wake.into()) => {}
            }
        }
        if self.waiting.is_some() {
            self.report.unheard += 1;
        }
        Some(())
    }

    async fn notes(&mut self, kind: &str, keys: [u8; 4]) -> Option<()> {
        let time = self.offset.map(|(offset, _)| offset + self.now_ms() * f64::from(RATE) / 1e3);
        for key in keys {
            let note =
                serde_json::json!({ "type": kind, "key": key, "velocity": 0.8, "time": time });
            self.client.send(note.to_string()).await.ok()?;
        }
        Some(())
    }

    fn receive(&mut self, incoming: Incoming) -> Option<()> {
        match incoming {
            Incoming::Sound(header, samples) => self.hear(header, &samples),
            Incoming::Text(message) if message["type"] == "pong" => {
                let (sent, frame) = (message["id"].as_f64()?, message["frame"].as_f64()?);
                let (now, per_ms) = (self.now_ms(), f64::from(RATE) / 1e3);
                let way = now - sent;
                // The quickest ping knows best.
                if self.offset.is_none_or(|(_, best)| way <= best) {
                    self.offset = Some((frame - (sent + way / 2.0) * per_ms, way));
                }
            }
            Incoming::Text(_) => {}
            Incoming::Closed(_) => return None,
        }
        Some(())
    }

    fn hear(&mut self, header: PacketHeader, samples: &[f32]) {
        let per_ms = f64::from(RATE) / 1e3;
        let made = header.frame as f64 / per_ms;
        self.buffer.arrived(made, self.now_ms());
        self.report.packets += 1;
        let sound = if header.is_silent { 0 } else { 4 * samples.len() };
        self.report.bytes += (crate::protocol::HEADER + sound) as u64;
        if let Some(expected) = self.next_number {
            self.report.lost += u64::from(header.number.wrapping_sub(expected));
        }
        self.next_number = Some(header.number.wrapping_add(1));
        for (frame, pair) in samples.chunks_exact(2).enumerate() {
            let level = pair[0].abs().max(pair[1].abs());
            if let Some(played) = self.waiting
                && level > AUDIBLE
                && level > RISE * self.recent.iter().copied().fold(0.0, f32::max)
                && let Some(heard) = self.buffer.plays_at(made + frame as f64 / per_ms)
            {
                self.report.latencies.push(heard - played);
                self.waiting = None;
            }
            self.recent.pop_front();
            self.recent.push_back(level);
        }
    }
}
