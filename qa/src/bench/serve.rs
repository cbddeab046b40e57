//! `myriad serve` on the loopback: what virtual players who play chords measure, and what it costs.

use super::Renderers;
use super::rounds::Plan;
use super::table::Table;
use myriad_player::failure::Failure;
use myriad_player::interrupt;
use myriad_serve::load_test::{self, LoadTest};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How many play at once; a quick run measures the first two.
const PLAYERS: [usize; 5] = [1, 10, 50, 100, 200];

/// The patch of the players: quick to sound, and of usual cost.
const PATCH: &str = "Velvet Tines";

/// The shortest measurement.
const SHORTEST: Duration = Duration::from_secs(5);

/// What so many players measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Served {
    pub renderer: String,
    pub players: usize,
    /// Players who got a seat.
    pub seated: usize,
    /// Milliseconds from a chord to its sound out of the client's jitter buffer.
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    /// Chords that were measured, and those that were not heard.
    pub chords: usize,
    pub unheard: usize,
    /// Blocks, those ready too late, and those left out because their time had passed.
    pub blocks: u64,
    pub missed: u64,
    pub skipped: u64,
    /// The share of packets that came too late or never.
    pub late: f64,
    /// Bytes of sound a second of each player.
    pub bytes_per_second: f64,
    /// Processor time of the server as a share of one core.
    pub cores: f64,
    /// The share of the time in which the GPU rendered; none where none was used.
    pub gpu: Option<f64>,
    /// Resident memory of the server in bytes.
    pub memory: u64,
}

/// A server in its own process, ended when it is dropped.
struct ServerProcess {
    child: Child,
    address: SocketAddr,
}

impl ServerProcess {
    fn start(renderer: &str, seats: usize) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::failed(format!("serve: {error}"));
        let program = std::env::current_exe().map_err(|error| failed(&error))?;
        let mut child = Command::new(program)
            .args(["serve", "--port", "0", "--json", "--renderer", renderer])
            .args(["--seats", &seats.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line).map_err(|error| failed(&error))?;
        }
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
        let address = said["address"].as_str().and_then(|text| text.parse().ok());
        let Some(address) = address else {
            // It has printed why.
            let _ = child.wait();
            return Err(failed(&"the server does not start"));
        };
        Ok(Self { child, address })
    }

    /// What the server says of itself.
    fn status(&self) -> serde_json::Value {
        let ask = || {
            let mut stream = TcpStream::connect(self.address)?;
            let address = self.address;
            write!(stream, "GET /status HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok::<_, std::io::Error>(answer)
        };
        let answer = ask().unwrap_or_default();
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).unwrap_or_default()
    }

    /// Seconds of processor time so far.
    fn processor_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        // The name, in parentheses, may have spaces.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let ticks = fields.split_whitespace().skip(11).take(2);
        // Linux counts in hundredths of a second for all programs.
        ticks.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    fn memory(&self) -> u64 {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id()));
        let pages = statm.unwrap_or_default();
        let pages = pages.split(' ').nth(1).and_then(|field| field.parse().ok());
        4_096 * pages.unwrap_or(0u64)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Measures as many players as there is time for.
pub(super) fn measure(renderers: Renderers, plan: &Plan) -> Result<Vec<Served>, Failure> {
    let renderer = match renderers {
        Renderers::All => "auto",
        Renderers::Cpu => "cpu",
        Renderers::Cuda => "cuda",
    };
    let counts = if plan.is_quick() { &PLAYERS[..2] } else { &PLAYERS[..] };
    let time = plan.piece(1.0, counts.len()).max(SHORTEST);
    let mut rows = Vec::new();
    for &players in counts {
        if interrupt::requested() {
            break;
        }
        rows.push(measure_players(renderer, players, time)?);
    }
    Ok(rows)
}

fn measure_players(renderer: &str, players: usize, time: Duration) -> Result<Served, Failure> {
    let server = ServerProcess::start(renderer, players)?;
    let (began, before) = (Instant::now(), server.processor_seconds());
    let test =
        LoadTest { address: server.address, token: None, players, patch: PATCH.into(), time };
    let watched = std::thread::scope(|scope| {
        let watched = scope.spawn(|| {
            // Near the end, when all play.
            std::thread::sleep(time.mul_f64(0.8));
            (server.status(), server.memory())
        });
        let report = load_test::run(&test);
        (report, watched.join())
    });
    let (report, watched) = watched;
    let report = report.map_err(Failure::failed)?;
    let elapsed = began.elapsed().as_secs_f64();
    let cores = (server.processor_seconds() - before) / elapsed;
    let (during, memory) = watched.unwrap_or_default();
    let status = server.status();
    let number = |name: &str| status[name].as_u64().unwrap_or(0);
    let packets = report.packets.max(1) as f64;
    Ok(Served {
        renderer: renderer.to_owned(),
        players,
        seated: report.seated,
        p50_ms: report.percentile(0.5),
        p95_ms: report.percentile(0.95),
        p99_ms: report.percentile(0.99),
        chords: report.latencies.len(),
        unheard: report.unheard,
        blocks: number("blocks"),
        missed: number("missed"),
        skipped: number("skipped"),
        late: (report.late + report.lost) as f64 / packets,
        bytes_per_second: report.bytes as f64 / time.as_secs_f64() / players.max(1) as f64,
        cores,
        gpu: during["gpu"]["busy"].as_f64(),
        memory,
    })
}

/// The rows as a table.
pub(super) fn table(rows: &[Served]) -> Table {
    let mut table = Table::new(
        "Players of `myriad serve` on the loopback: chord to sound, and what it costs",
        1,
        "players|p50|p95|p99|against one|unheard|late|deadlines missed|left out|kB/s each|cores|GPU|memory",
    );
    let alone = rows.iter().find(|row| row.players == 1).map(|row| row.p50_ms);
    for row in rows {
        let ms = |value: f64| format!("{value:.1} ms");
        let of = |share: f64| format!("{:.2}%", 100.0 * share);
        let missed = row.missed as f64 / row.blocks.max(1) as f64;
        let players = match row.seated == row.players {
            true => row.players.to_string(),
            false => format!("{} of {}", row.seated, row.players),
        };
        table.row([
            players,
            ms(row.p50_ms),
            ms(row.p95_ms),
            ms(row.p99_ms),
            alone.map_or_else(String::new, |one| {
                format!("{:+.1}%", 100.0 * (row.p50_ms / one - 1.0))
            }),
            format!("{} of {}", row.unheard, row.chords + row.unheard),
            of(row.late),
            format!("{} ({})", row.missed, of(missed)),
            row.skipped.to_string(),
            format!("{:.0}", row.bytes_per_second / 1e3),
            format!("{:.2}", row.cores),
            row.gpu.map_or_else(|| "-".to_owned(), of),
            format!("{} MB", row.memory >> 20),
        ]);
    }
    table
}
