//! Impulse responses ready for convolution: cut into partitions whose spectra are shared by all that play them.
//!
//! Partitions become longer with their distance from the start (Gardner, "Efficient convolution without
//! input-output delay", JAES 1995). Those of a tick need no waiting, since sound comes in ticks. Longer ones begin twice
//! their length after the start: one length passes until their input is complete, another is the time to compute in.

use super::resample::resample;
use super::{COMPUTED, ImpulseResponse, computed};
use crate::render::TICK;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// Frames of the partitions, shortest first.
pub(crate) const BLOCKS: [usize; 3] = [TICK, 8 * TICK, 64 * TICK];

/// The most frames of a response, which bounds memory at very high sample rates.
const MAX_FRAMES: usize = 1 << 19;

/// The transforms of one size of blocks, there and back.
pub(crate) struct Plan {
    pub(crate) forward: Arc<dyn RealToComplex<f32>>,
    pub(crate) back: Arc<dyn ComplexToReal<f32>>,
}

/// The transforms of each size of blocks, made once.
pub(crate) fn plan(tier: usize) -> &'static Plan {
    static PLANS: LazyLock<[Plan; 3]> = LazyLock::new(|| {
        let mut planner = RealFftPlanner::new();
        BLOCKS.map(|block| Plan {
            forward: planner.plan_fft_forward(2 * block),
            back: planner.plan_fft_inverse(2 * block),
        })
    });
    &PLANS[tier]
}

/// The first frame of a response that partitions of this size are for.
fn first_frame(tier: usize) -> usize {
    if tier == 0 { 0 } else { 2 * BLOCKS[tier] }
}

/// A response, cut and transformed.
pub(crate) struct Kernel {
    frames: usize,
    /// For each size of blocks the spectra, channel by channel, partition by partition. A spectrum has the real parts of
    /// its bins, then the imaginary ones. The first imaginary one is the highest bin, which is real.
    spectra: [Vec<f32>; 3],
    channels: usize,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("frames", &self.frames).finish_non_exhaustive()
    }
}

impl Kernel {
    /// Transforms one or two channels of one length.
    pub(crate) fn new(channels: &[Vec<f32>]) -> Self {
        let frames = channels[0].len().min(MAX_FRAMES);
        let mut kernel = Self { frames, spectra: Default::default(), channels: channels.len() };
        for (tier, &block) in BLOCKS.iter().enumerate() {
            let forward = &plan(tier).forward;
            let (mut time, mut bins) = (forward.make_input_vec(), forward.make_output_vec());
            // The inverse transform multiplies by its length.
            let scale = 1.0 / (2 * block) as f32;
            for channel in channels {
                for partition in 0..kernel.partitions(tier) {
                    let first = first_frame(tier) + partition * block;
                    let part = &channel[first..frames.min(first + block)];
                    time.fill(0.0);
                    time.iter_mut().zip(part).for_each(|(to, from)| *to = scale * from);
                    // Lengths are those of the plan, so it cannot fail.
                    let _ = forward.process(&mut time, &mut bins);
                    let imaginary = bins[1..block].iter().map(|bin| bin.im);
                    let spectra = &mut kernel.spectra[tier];
                    spectra.extend(bins[..block].iter().map(|bin| bin.re));
                    spectra.extend([bins[block].re].into_iter().chain(imaginary));
                }
            }
        }
        kernel
    }

    /// Its length.
    pub(crate) fn frames(&self) -> usize {
        self.frames
    }

    /// How many partitions of this size it has.
    pub(crate) fn partitions(&self, tier: usize) -> usize {
        let end = BLOCKS.get(tier + 1).map_or(usize::MAX, |_| first_frame(tier + 1));
        let end = self.frames.min(end);
        end.saturating_sub(first_frame(tier)).div_ceil(BLOCKS[tier])
    }

    /// The spectrum of a partition of the channel for one side.
    #[inline(always)]
    pub(crate) fn spectrum(&self, tier: usize, side: usize, partition: usize) -> &[f32] {
        let row = side.min(self.channels - 1) * self.partitions(tier) + partition;
        let size = 2 * BLOCKS[tier];
        &self.spectra[tier][row * size..(row + 1) * size]
    }

    /// The middle of a partition as a share of the response's length.
    #[inline(always)]
    pub(crate) fn middle(&self, tier: usize, partition: usize) -> f32 {
        let block = BLOCKS[tier];
        (first_frame(tier) + partition * block + block / 2) as f32 / self.frames as f32
    }
}

/// What a kernel is made from.
#[derive(Clone, PartialEq)]
enum Origin {
    Computed(usize),
    Imported(Arc<[u8]>),
}

/// A kernel that exists as long as something plays it.
struct Stored {
    origin: Origin,
    sample_rate: f32,
    kernel: Weak<Kernel>,
}

/// The kernel of a response at a sample rate: a new one unless it is played already. Allocates and locks.
fn stored(origin: Origin, sample_rate: f32, make: impl FnOnce() -> Kernel) -> Arc<Kernel> {
    static KERNELS: Mutex<Vec<Stored>> = Mutex::new(Vec::new());
    let lock = || KERNELS.lock().unwrap_or_else(PoisonError::into_inner);
    let find = |kernels: &[Stored]| {
        let same = |it: &&Stored| it.sample_rate == sample_rate && it.origin == origin;
        kernels.iter().filter(same).find_map(|it| it.kernel.upgrade())
    };
    if let Some(found) = find(&lock()) {
        return found;
    }
    // Takes a while, so the store is not locked meanwhile.
    let made = Arc::new(make());
    let mut kernels = lock();
    if let Some(found) = find(&kernels) {
        return found;
    }
    kernels.retain(|it| it.kernel.strong_count() > 0);
    kernels.push(Stored { origin, sample_rate, kernel: Arc::downgrade(&made) });
    made
}

/// The kernel of recorded channels, brought to the engine's sample rate and to the level at which noise stays as loud as it was.
fn kernel_of(channels: &[Vec<f32>], from: f32, to: f32) -> Kernel {
    let power: f64 = channels.iter().flatten().map(|&sample| f64::from(sample).powi(2)).sum();
    let gain = (channels.len() as f64 / power.max(1e-30)).sqrt() as f32;
    let level = |channel: &Vec<f32>| channel.iter().map(|sample| gain * sample).collect::<Vec<_>>();
    let at_rate: Vec<_> = channels.iter().map(|it| resample(&level(it), from, to)).collect();
    Kernel::new(&at_rate)
}

/// All responses that a patch can choose from, at one sample rate.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    kernels: Vec<Arc<Kernel>>,
}

impl Responses {
    /// Prepares the computed responses, and the imported one of a patch. Takes a moment.
    pub(crate) fn new(imported: Option<&ImpulseResponse>, sample_rate: f32) -> Self {
        let computed = (0..COMPUTED.len()).map(|index| {
            stored(Origin::Computed(index), sample_rate, || {
                kernel_of(computed::response(index), computed::SAMPLE_RATE, sample_rate)
            })
        });
        let imported = imported.map(|it| {
            stored(Origin::Imported(Arc::clone(&it.bytes)), sample_rate, || {
                kernel_of(&it.channels, it.sample_rate, sample_rate)
            })
        });
        /// The newest ones stay, so that the next patch has them at once.
        static NEWEST: Mutex<Vec<Arc<Kernel>>> = Mutex::new(Vec::new());
        let kernels: Vec<_> = computed.chain(imported).collect();
        let mut newest = NEWEST.lock().unwrap_or_else(PoisonError::into_inner);
        newest.clone_from(&kernels);
        Self { kernels }
    }

    /// Only these.
    #[cfg(test)]
    pub(crate) fn of(kernels: Vec<Arc<Kernel>>) -> Self {
        Self { kernels }
    }

    /// The kernel of a response; none for an imported one that the patch does not contain.
    #[inline(always)]
    pub(crate) fn get(&self, response: usize) -> Option<&Kernel> {
        self.kernels.get(response).map(|kernel| &**kernel)
    }

    /// The most partitions of this size.
    pub(crate) fn most_partitions(&self, tier: usize) -> usize {
        self.kernels.iter().map(|kernel| kernel.partitions(tier)).max().unwrap_or(0)
    }
}
