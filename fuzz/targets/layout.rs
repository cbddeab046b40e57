//! Any bytes in the memory that the render service shares with a client, read by both sides.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| myriad_kernels::service::fuzz(bytes));
