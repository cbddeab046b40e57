//! What the operator sees: seats, load and counters, as JSON and for Prometheus.

use crate::config::RATE;
use crate::protocol::ClientStats;
use crate::server::State;
use serde::Serialize;
use std::fmt::Write;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What has happened to connections.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Connections that were accepted.
    pub(crate) connections: AtomicU64,
    /// Connections beyond the limit of visitors.
    pub(crate) turned_away: AtomicU64,
    /// Wrong tokens and origins.
    pub(crate) forbidden: AtomicU64,
    /// Visitors for whom there was no seat.
    pub(crate) full: AtomicU64,
    /// Seats that were taken away: malformed messages, floods, slow or dead clients.
    pub(crate) dropped: AtomicU64,
    /// Messages that were refused.
    pub(crate) refused: AtomicU64,
    /// Seats that were taken.
    pub(crate) seats: AtomicU64,
    /// Events that were played.
    pub(crate) events: AtomicU64,
    /// Bytes of sound that were sent.
    pub(crate) bytes: AtomicU64,
}

/// The state of a server.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The version of the program.
    pub version: &'static str,
    /// Seconds since the start.
    pub uptime_s: f64,
    /// The most seats.
    pub most_seats: usize,
    /// Whether everybody hears everybody.
    pub jam: bool,
    /// Threads that render, and the share of their time that they do.
    pub threads: usize,
    /// See `threads`.
    pub load: f32,
    /// Blocks rendered since the start.
    pub blocks: u64,
    /// Blocks that were ready later than when the next was due.
    pub missed: u64,
    /// Blocks that were left out because their time had passed.
    pub skipped: u64,
    /// Seats that were taken since the start.
    pub visits: u64,
    /// Connections since the start.
    pub connections: u64,
    /// Connections beyond the limit of visitors.
    pub turned_away: u64,
    /// Wrong tokens and origins.
    pub forbidden: u64,
    /// Visitors for whom there was no seat.
    pub full: u64,
    /// Seats that were taken away.
    pub dropped: u64,
    /// Messages that were refused.
    pub refused: u64,
    /// Events that were played.
    pub events: u64,
    /// Bytes of sound.
    pub bytes: u64,
    /// The render service of the GPU, where one is used.
    pub gpu: Option<GpuStatus>,
    /// The seats that are taken.
    pub seats: Vec<SeatStatus>,
}

/// How busy the GPU's render service is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct GpuStatus {
    /// Its clients.
    pub clients: usize,
    /// The share of the time in which it renders.
    pub busy: f64,
}

/// The state of a seat.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeatStatus {
    /// Its number.
    pub id: u64,
    /// Seconds since it was taken.
    pub age_s: f64,
    /// Its patch.
    pub patch: String,
    /// `cpu`, `cuda` or `stand-in`.
    pub renderer: &'static str,
    /// Voices that sound.
    pub voices: usize,
    /// Partials that sound.
    pub partials: usize,
    /// Its share of a core.
    pub load: f32,
    /// Blocks ready too late, left out, and not taken by the client.
    pub missed: u64,
    /// See `missed`.
    pub skipped: u64,
    /// See `missed`.
    pub dropped: u64,
    /// Whether its sound goes as datagrams, not through the WebSocket.
    pub datagrams: bool,
    /// What its client measured.
    pub client: ClientStats,
}

impl State {
    /// The state now. May ask the render service, which takes up to a tenth of a second.
    pub(crate) fn status(&self) -> Status {
        let (pool, counters) = (self.pool.counters(), &self.counters);
        let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let seats: Vec<SeatStatus> = seats
            .iter()
            .map(|seat| {
                let info = seat.lock_info();
                SeatStatus {
                    id: seat.id,
                    age_s: seat.age().as_secs_f64(),
                    patch: info.patch.clone(),
                    renderer: seat.renderer(),
                    voices: seat.counters.voices.load(Relaxed),
                    partials: seat.counters.partials.load(Relaxed),
                    load: seat.counters.load(),
                    missed: seat.counters.missed.load(Relaxed),
                    skipped: seat.counters.skipped.load(Relaxed),
                    dropped: seat.counters.dropped.load(Relaxed),
                    datagrams: info.has_datagrams,
                    client: info.stats,
                }
            })
            .collect();
        let gpu = seats
            .iter()
            .any(|seat| seat.renderer == "cuda")
            .then(|| myriad_live::service_load(self.config.renderer.device.unwrap_or(0)))
            .flatten()
            .map(|load| GpuStatus { clients: load.clients, busy: load.busy });
        Status {
            version: env!("CARGO_PKG_VERSION"),
            uptime_s: self.clock.uptime().as_secs_f64(),
            most_seats: self.config.seats,
            jam: self.config.jam,
            threads: self.pool.workers(),
            load: self.load(),
            blocks: pool.blocks.load(Relaxed),
            missed: pool.missed.load(Relaxed),
            skipped: pool.skipped.load(Relaxed),
            visits: counters.seats.load(Relaxed),
            connections: counters.connections.load(Relaxed),
            turned_away: counters.turned_away.load(Relaxed),
            forbidden: counters.forbidden.load(Relaxed),
            full: counters.full.load(Relaxed),
            dropped: counters.dropped.load(Relaxed),
            refused: counters.refused.load(Relaxed),
            events: counters.events.load(Relaxed),
            bytes: counters.bytes.load(Relaxed),
            gpu,
            seats,
        }
    }
}

impl Status {
    /// The state as JSON.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are no strings can fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The state for Prometheus.
    pub fn to_metrics(&self) -> String {
        let mut text = String::new();
        let mut add = |kind: &str, name: &str, help: &str, value: f64| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "# HELP myriad_serve_{name} {help}");
            let _ = writeln!(text, "# TYPE myriad_serve_{name} {kind}");
            let _ = writeln!(text, "myriad_serve_{name} {value}");
        };
        let total = |value: u64| value as f64;
        add("gauge", "seats", "Seats that are taken.", self.seats.len() as f64);
        add("gauge", "seats_max", "The most seats.", self.most_seats as f64);
        add(
            "gauge",
            "load_ratio",
            "Rendering time as a share of what all threads have.",
            self.load.into(),
        );
        add("gauge", "sample_rate_hertz", "Frames a second.", RATE.into());
        add("counter", "uptime_seconds_total", "Seconds since the start.", self.uptime_s);
        add("counter", "blocks_total", "Blocks rendered.", total(self.blocks));
        add("counter", "deadlines_missed_total", "Blocks ready too late.", total(self.missed));
        add(
            "counter",
            "blocks_skipped_total",
            "Blocks left out because their time had passed.",
            total(self.skipped),
        );
        add("counter", "connections_total", "Connections accepted.", total(self.connections));
        add(
            "counter",
            "connections_refused_total",
            "Connections beyond the limit.",
            total(self.turned_away),
        );
        add("counter", "forbidden_total", "Wrong tokens and origins.", total(self.forbidden));
        add("counter", "full_total", "Visitors without a seat.", total(self.full));
        add(
            "counter",
            "seats_dropped_total",
            "Seats taken away from slow, dead or hostile clients.",
            total(self.dropped),
        );
        add("counter", "messages_refused_total", "Messages refused.", total(self.refused));
        add("counter", "events_total", "Events played.", total(self.events));
        add("counter", "bytes_total", "Bytes of sound sent.", total(self.bytes));
        let late: u64 = self.seats.iter().map(|seat| u64::from(seat.client.late)).sum();
        add(
            "gauge",
            "client_late_packets",
            "Packets that came too late, of the present seats.",
            total(late),
        );
        let latency = self.seats.iter().map(|seat| seat.client.latency_ms).fold(0.0, f32::max);
        add(
            "gauge",
            "client_latency_ms",
            "The longest latency that a client measured.",
            latency.into(),
        );
        if let Some(gpu) = self.gpu {
            add(
                "gauge",
                "gpu_busy_ratio",
                "The share of the time in which the GPU renders.",
                gpu.busy,
            );
            add("gauge", "gpu_clients", "Clients of the render service.", gpu.clients as f64);
        }
        text
    }
}
