//! Clients of services that render on the CPU, and the state of processes.

use myriad_conformance::testing::RATE;
use myriad_engine::render::{Buses, Capacity, PrepareError, RenderError, Renderer, VoiceBlock};
use myriad_engine::spectrum::{Cloud, STARTS, TURN, Table};
use myriad_engine::{Engine, EngineConfig, Patch};
use myriad_kernels::SUBCOMMAND;
use myriad_kernels::service::{Served, ServiceCommand, ServiceOptions, ServiceRenderer};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};

pub(crate) const CAPACITY: Capacity = Capacity { slots: 64, buses: 2 };

static LOCK: RwLock<()> = RwLock::new(());

/// No other test runs meanwhile, because this one counts the files and mappings of this process.
pub(crate) fn alone() -> RwLockWriteGuard<'static, ()> {
    LOCK.write().unwrap_or_else(PoisonError::into_inner)
}

/// Others may run meanwhile.
pub(crate) fn beside_others() -> RwLockReadGuard<'static, ()> {
    LOCK.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_myriad").into()
}

/// A step that takes longer is a failure.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(5);

/// What the services of these tests render on.
pub(crate) const GPU: Served = Served::StandIn(0);
pub(crate) const OTHER_GPU: Served = Served::StandIn(1);

/// A folder for the socket of a service of one test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o700);
        Self(tempfile::Builder::new().permissions(mode).tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn command(&self) -> ServiceCommand {
        ServiceCommand {
            program: program(),
            arguments: vec![SUBCOMMAND.into()],
            served: vec![GPU],
            folder: self.path().to_owned(),
            idle: Duration::from_millis(200),
        }
    }

    /// A client of the service in this folder.
    pub(crate) fn client(&self) -> ServiceRenderer {
        self.client_with(ServiceOptions {
            is_live: true,
            deadline: TIMEOUT,
            start_deadline: TIMEOUT,
            // A busy machine may stop a service for seconds, which is no hang.
            welcome_deadline: TIMEOUT,
            ..ServiceOptions::default()
        })
    }

    /// A client that renders offline. It may ask for as much as there is and is never evicted.
    pub(crate) fn offline_client(&self) -> ServiceRenderer {
        self.client_with(ServiceOptions {
            is_live: false,
            deadline: TIMEOUT,
            start_deadline: TIMEOUT,
            // A busy machine may stop a service for seconds, which is no hang.
            welcome_deadline: TIMEOUT,
            ..ServiceOptions::default()
        })
    }

    pub(crate) fn client_with(&self, options: ServiceOptions) -> ServiceRenderer {
        ServiceRenderer::new(self.command(), options)
    }

    /// A client that is prepared.
    pub(crate) fn prepared(&self) -> ServiceRenderer {
        let mut renderer = self.client();
        renderer.prepare(CAPACITY).unwrap();
        renderer
    }
}

impl Drop for Folder {
    /// No service outlives its test.
    fn drop(&mut self) {
        for gpu in [GPU, OTHER_GPU] {
            if let Ok(Some(status)) = myriad_kernels::service::status(self.path(), gpu, TIMEOUT) {
                let process = Pid::from_raw(status.process as i32);
                let _ = process.map(|process| kill_process(process, Signal::KILL));
            }
        }
    }
}

/// An engine that plays `patch` on `renderer`.
pub(crate) fn engine_on(renderer: Box<dyn Renderer>, patch: &Patch) -> Engine {
    let config = EngineConfig { sample_rate: RATE as f32, clouds: 256, ..EngineConfig::default() };
    let mut engine = Engine::with_renderer(&config, renderer).unwrap();
    engine.set_patch(0, patch);
    engine
}

/// A block of one tick and a few clouds; the first one starts them.
pub(crate) fn block(starts: bool) -> Arc<VoiceBlock> {
    let mut block = VoiceBlock::new(CAPACITY.slots);
    let (frame, morph) = Table::Saw.frame_at(0.8);
    block.start_tick();
    for slot in 0..8 {
        let cloud = Cloud {
            flags: if starts { STARTS } else { 0 },
            bus: slot % 2,
            table: Table::Saw.first_row(),
            frame,
            morph,
            partials: 20.0,
            increment: 110.0 * (slot + 1) as f32 / RATE as f32 * TURN,
            formant: 1.0,
            gain_from: [0.05; 2],
            gain_to: [0.05; 2],
            ..Cloud::default()
        };
        block.push(u32::from(slot), cloud);
    }
    Arc::new(block)
}

pub(crate) fn signal(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process as i32).unwrap(), signal).unwrap();
}

/// The state letter of a process, if there is one.
pub(crate) fn state(process: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after) = stat.rsplit_once(") ")?;
    after.chars().next()
}

/// Waits until `holds` is true.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A client that publishes the id of its service.
pub(crate) struct Watched {
    pub(crate) inner: ServiceRenderer,
    pub(crate) process: Arc<AtomicU32>,
}

impl Renderer for Watched {
    fn prepare(&mut self, capacity: Capacity) -> Result<(), PrepareError> {
        self.inner.prepare(capacity)?;
        let process = self.inner.process_id().unwrap();
        self.process.store(process, Ordering::Relaxed);
        Ok(())
    }
    fn reset(&mut self) {
        self.inner.reset();
    }
    fn depth(&self) -> usize {
        self.inner.depth()
    }
    fn limit_calls(&mut self, limit: Duration) -> bool {
        self.inner.limit_calls(limit)
    }
    fn submit(&mut self, block: &Arc<VoiceBlock>) -> Result<(), RenderError> {
        self.inner.submit(block)
    }
    fn collect(&mut self, buses: &mut Buses) -> Result<usize, RenderError> {
        self.inner.collect(buses)
    }
}
