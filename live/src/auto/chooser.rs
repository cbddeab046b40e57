//! Chooses the renderer: the CPU while it is fast enough, because its latency is lower and it cannot
//! be lost; otherwise the GPU.

use super::{Calibration, CostModel, HostCost};
use crate::supervised::{Load, Preference};
use myriad_engine::render::TICK;

/// The share of a block's duration that control and rendering by the CPU may take. Above it the GPU plays: the rest is
/// for effects and what else the machine does.
const LEAVE: f64 = 0.6;

/// Above this share the GPU is prepared.
const GET_READY: f64 = 0.3;

/// The CPU renders again after it would have needed less than this share for `CALM` ticks: two seconds
/// at 48 kHz. So the renderer does not change with every voice.
const COME_BACK: f64 = 0.35;
const CALM: u64 = 3_000;

/// The cost ratio below which changing away from an overloaded renderer is worth it.
const CLEARLY: f64 = 0.7;

/// Decides for live playing, block by block.
#[derive(Clone, Debug)]
pub struct Chooser {
    host: HostCost,
    cpu: CostModel,
    gpu: CostModel,
    sample_rate: f64,
    on_gpu: bool,
    /// Ticks for which the load has been small.
    calm: u64,
}

impl Chooser {
    /// For playing at `sample_rate`.
    pub fn new(calibration: &Calibration, sample_rate: f32) -> Self {
        Self {
            host: calibration.host,
            cpu: calibration.cpu,
            gpu: calibration.gpu,
            sample_rate: f64::from(sample_rate),
            on_gpu: false,
            calm: 0,
        }
    }

    /// The preferred renderer of the next block.
    pub fn prefer(&mut self, load: Load) -> Preference {
        if load.ticks == 0 {
            return Preference::Cpu;
        }
        let duration = (load.ticks * TICK) as f64 / self.sample_rate;
        // Live, a block is rendered after its control, by either.
        let host = self.host.seconds(load);
        let cpu = (host + self.cpu.seconds(load)) / duration;
        let gpu = (host + self.gpu.seconds(load)) / duration;
        self.calm = match cpu < COME_BACK {
            true => self.calm + load.ticks as u64,
            false => 0,
        };
        self.on_gpu = match self.on_gpu {
            // At once, because an overload is audible.
            false => cpu > LEAVE && gpu < CLEARLY * cpu,
            true => self.calm < CALM && !(gpu > LEAVE && cpu < CLEARLY * gpu),
        };
        match self.on_gpu {
            true => Preference::Gpu,
            false if cpu > GET_READY && gpu < cpu => Preference::PrepareGpu,
            false => Preference::Cpu,
        }
    }
}

/// The estimated load of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The load of its average block.
    pub load: Load,
    /// The number of blocks.
    pub blocks: u64,
}

/// The renderer that finishes a piece first. Decided once: a change in the middle would make the sound
/// depend on the machine.
pub fn faster_for(piece: Piece, calibration: &Calibration) -> Preference {
    let host = calibration.host.seconds(piece.load);
    let cpu = (host + calibration.cpu.seconds(piece.load)) * piece.blocks as f64;
    // A GPU renders a block while the host computes the next one.
    let gpu = host.max(calibration.gpu.seconds(piece.load)) * piece.blocks as f64;
    match gpu + calibration.gpu_starts < cpu {
        true => Preference::Gpu,
        false => Preference::Cpu,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The CPU holds 200,000 partials, the GPU a hundred times as many, but every block costs it
    /// 100 µs.
    const MACHINE: Calibration = Calibration {
        host: HostCost { fixed: 0.0, per_cloud: 0.0 },
        cpu: CostModel {
            fixed: 1e-6,
            per_cloud: 0.0,
            per_partial: TICK as f64 / 48_000.0 / 200_000.0,
        },
        gpu: CostModel {
            fixed: 100e-6,
            per_cloud: 0.0,
            per_partial: TICK as f64 / 48_000.0 / 20_000_000.0,
        },
        gpu_starts: 0.4,
    };

    fn load(partials: usize) -> Load {
        Load { ticks: 2, clouds: partials / 100, partials }
    }

    /// The preference after so many blocks of that load.
    fn after(chooser: &mut Chooser, partials: usize, blocks: usize) -> Preference {
        (0..blocks).fold(Preference::Cpu, |_, _| chooser.prefer(load(partials)))
    }

    #[test]
    fn the_gpu_is_preferred_when_the_cpu_is_overloaded() {
        let mut chooser = Chooser::new(&MACHINE, 48_000.0);
        assert_eq!(chooser.prefer(Load::default()), Preference::Cpu);
        assert_eq!(after(&mut chooser, 10_000, 10), Preference::Cpu);
        assert_eq!(after(&mut chooser, 80_000, 10), Preference::PrepareGpu);
        assert_eq!(after(&mut chooser, 119_000, 10_000), Preference::PrepareGpu);
        // An overload is left with its first block.
        assert_eq!(after(&mut chooser, 121_000, 1), Preference::Gpu);
    }

    #[test]
    fn changing_voices_do_not_change_the_renderer() {
        let mut chooser = Chooser::new(&MACHINE, 48_000.0);
        assert_eq!(after(&mut chooser, 130_000, 1), Preference::Gpu);
        let mut changes = 0;
        for second in 0..60 {
            let partials = if second % 2 == 0 { 20_000 } else { 130_000 };
            changes += usize::from(after(&mut chooser, partials, 750) != Preference::Gpu);
        }
        assert_eq!(changes, 0);
        // In between, neither end is reached.
        assert_eq!(after(&mut chooser, 80_000, 100_000), Preference::Gpu);
        // It comes to rest, and only then the CPU has it again.
        assert_eq!(after(&mut chooser, 20_000, 1_499), Preference::Gpu);
        assert_eq!(after(&mut chooser, 20_000, 1), Preference::Cpu);
    }

    #[test]
    fn a_slower_gpu_is_never_preferred() {
        let weak = Calibration {
            gpu: CostModel { per_partial: MACHINE.cpu.per_partial * 1.5, ..MACHINE.gpu },
            ..MACHINE
        };
        let mut chooser = Chooser::new(&weak, 48_000.0);
        for partials in [0, 50_000, 100_000, 200_000, 1_000_000] {
            assert_eq!(after(&mut chooser, partials, 1_000), Preference::Cpu);
        }
    }

    #[test]
    fn a_gpu_that_is_hardly_faster_is_not_preferred() {
        // A tick at 192 kHz: what every block costs the GPU takes 60% of the time.
        let mut chooser = Chooser::new(&MACHINE, 192_000.0);
        let mut prefer = |partials| chooser.prefer(Load { ticks: 1, ..load(partials) });
        assert_eq!(prefer(25_000), Preference::Cpu);
        assert_eq!(prefer(40_000), Preference::PrepareGpu);
        assert_eq!(prefer(60_000), Preference::Gpu);
    }

    /// What both have to do counts for both: a GPU that would save a third of the rendering, but little of the whole, is
    /// not worth a change.
    #[test]
    fn control_counts() {
        let per_cloud = 0.3 * TICK as f64 / 48_000.0 / 1_000.0;
        let busy = Calibration { host: HostCost { fixed: 0.0, per_cloud }, ..MACHINE };
        // A hundred thousand partials in a thousand clouds: by CPU half of the time, with control four fifths.
        let mut chooser = Chooser::new(&MACHINE, 48_000.0);
        assert_eq!(after(&mut chooser, 100_000, 10), Preference::PrepareGpu);
        let mut chooser = Chooser::new(&busy, 48_000.0);
        assert_eq!(after(&mut chooser, 100_000, 10), Preference::Gpu);
        let gpu = CostModel { per_partial: 0.65 * MACHINE.cpu.per_partial, ..MACHINE.cpu };
        let close = |host| Calibration { host, gpu, ..MACHINE };
        let mut chooser = Chooser::new(&close(MACHINE.host), 48_000.0);
        assert_eq!(after(&mut chooser, 130_000, 10), Preference::Gpu);
        let mut chooser = Chooser::new(&close(busy.host), 48_000.0);
        assert_eq!(after(&mut chooser, 130_000, 10), Preference::PrepareGpu);
        // Offline the GPU renders beside control.
        let piece = Piece { load: Load { ticks: 8, ..load(100_000) }, blocks: 1_000 };
        let slow = CostModel { per_partial: MACHINE.cpu.per_partial, ..MACHINE.cpu };
        let calibration = Calibration { gpu: slow, gpu_starts: 0.0, ..busy };
        assert_eq!(faster_for(piece, &calibration), Preference::Gpu);
        let calibration = Calibration { gpu: slow, gpu_starts: 0.0, ..MACHINE };
        assert_eq!(faster_for(piece, &calibration), Preference::Cpu);
    }

    #[test]
    fn a_piece_is_rendered_where_it_finishes_first() {
        let piece = |partials, blocks| Piece { load: Load { ticks: 8, ..load(partials) }, blocks };
        // Two seconds of a little, and a minute of a lot.
        assert_eq!(faster_for(piece(1_000, 400), &MACHINE), Preference::Cpu);
        assert_eq!(faster_for(piece(100_000, 12_000), &MACHINE), Preference::Gpu);
        // A lot, but too short to be worth starting the GPU.
        assert_eq!(faster_for(piece(100_000, 50), &MACHINE), Preference::Cpu);
    }
}
