//! What the operating system and the GPU's driver say about this machine.

pub mod gpu;
pub mod machine;
pub mod memory;
pub(crate) mod processor_usage;
