//! Any bytes as a request for metrics: an answer with a status line and a length that is right.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| myriad_qa::metrics::fuzz(bytes));
