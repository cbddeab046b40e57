//! Why a renderer cannot be prepared, and why a render failed.

/// Why a renderer could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The machine refused the memory.
    #[error("{slots} clouds need {mebibytes} MiB, more than this machine gives")]
    OutOfMemory {
        /// Clouds asked for.
        slots: usize,
        /// What they need.
        mebibytes: usize,
    },
    /// A worker thread could not be started.
    #[error("cannot start worker thread {index}: {source}")]
    Thread {
        /// Which one.
        index: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// It did not come back from being prepared.
    #[error("the device did not get ready within {milliseconds} ms")]
    Late {
        /// The time it was given.
        milliseconds: u64,
    },
    /// It got ready, and then failed at the first block.
    #[error("its first block failed: {0}")]
    Trial(Box<RenderError>),
    /// The thread that should have prepared it has ended.
    #[error("the thread of the device has ended")]
    ThreadEnded,
    /// The device that should render is not fit for it.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The process that should render cannot be had.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Remote(#[from] super::remote::StartError),
}

impl PrepareError {
    /// Whether trying again, as long as this program runs, is no use.
    pub fn is_final(&self) -> bool {
        match self {
            PrepareError::Device(device) => match device {
                DeviceError::NotBuilt
                | DeviceError::NoDriver
                | DeviceError::DriverTooOld { .. }
                | DeviceError::NoDevice { .. }
                | DeviceError::CardTooOld { .. }
                | DeviceError::NeedsRestart { .. } => true,
                DeviceError::OutOfMemory { .. } | DeviceError::Call { .. } => false,
            },
            PrepareError::OutOfMemory { .. }
            | PrepareError::Thread { .. }
            | PrepareError::Late { .. }
            | PrepareError::Trial(_)
            | PrepareError::ThreadEnded => false,
            #[cfg(target_os = "linux")]
            PrepareError::Remote(_) => false,
        }
    }
}

impl From<RenderError> for PrepareError {
    fn from(error: RenderError) -> Self {
        PrepareError::Trial(Box::new(error))
    }
}

/// What is wrong with a graphics card or its driver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// This build was made without the feature.
    #[error("this build of Myriad has no CUDA renderer")]
    NotBuilt,
    /// The driver's library is not there, or finds no card at all.
    #[error("no NVIDIA driver found on this machine")]
    NoDriver,
    /// The driver cannot run our kernels.
    #[error(
        "the NVIDIA driver is too old: it has CUDA {}.{}, and {}.{} is needed (driver 530 or newer)",
        found / 1000, found % 1000 / 10, needed / 1000, needed % 1000 / 10
    )]
    DriverTooOld {
        /// The CUDA version it has, as the driver counts: 1000 × major + 10 × minor.
        found: u32,
        /// The one our kernels need.
        needed: u32,
    },
    /// There are fewer cards than that.
    #[error("no CUDA device {index}: this machine has {count}")]
    NoDevice {
        /// The one asked for.
        index: usize,
        /// Those there are.
        count: usize,
    },
    /// The card cannot run our kernels.
    #[error("{name} is too old: it has compute capability {}.{}, and 6.0 is needed", found.0, found.1)]
    CardTooOld {
        /// What the card calls itself.
        name: String,
        /// Its compute capability.
        found: (u32, u32),
    },
    /// The card has less free memory than the renderer needs.
    #[error("{name} has {free} MiB free, and {slots} clouds need {needed} MiB")]
    OutOfMemory {
        /// What the card calls itself.
        name: String,
        /// Clouds asked for.
        slots: usize,
        /// MiB they need.
        needed: usize,
        /// MiB there are.
        free: usize,
    },
    /// A kernel has failed in this process, whoever's it was. From then on the driver refuses every
    /// new context in the same process with the same error, so trying again is no use.
    #[error("CUDA has failed in this program ({reason}); restart it to use the card again")]
    NeedsRestart {
        /// The driver's name for what happened.
        reason: &'static str,
    },
    /// A call of the driver failed.
    #[error("{call} failed: {reason}")]
    Call {
        /// Which one.
        call: &'static str,
        /// The driver's name for what happened.
        reason: &'static str,
    },
}

/// Why a block was not rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// `prepare` was not called, or failed.
    #[error("the renderer is not prepared")]
    NotPrepared,
    /// More blocks were submitted than the renderer takes, or more collected than submitted.
    #[error("the renderer was asked out of turn")]
    OutOfTurn,
    /// The block has slots that the renderer was not prepared for.
    #[error("a block of {slots} slots is too large: the renderer is prepared for {prepared}")]
    BlockTooLarge {
        /// Slots of the block.
        slots: usize,
        /// Slots that the renderer is prepared for.
        prepared: usize,
    },
    /// A call of the device's driver failed.
    #[error("{call} failed: {reason}")]
    Call {
        /// Which one.
        call: &'static str,
        /// The driver's name for what happened.
        reason: &'static str,
    },
    /// The device did not finish in time.
    #[error("the device did not finish within {milliseconds} ms")]
    Late {
        /// The time it was given.
        milliseconds: u64,
    },
    /// The process that rendered is lost.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Remote(#[from] super::remote::RemoteFailure),
}

impl RenderError {
    /// Whether the caller made a mistake: the renderer has not failed and goes on.
    pub(crate) fn is_misuse(&self) -> bool {
        matches!(
            self,
            RenderError::OutOfTurn | RenderError::BlockTooLarge { .. }
        )
    }
}
