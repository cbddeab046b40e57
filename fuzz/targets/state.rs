//! Any bytes as the state that a host gives back to the plugin.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| myriad_plugin::state::fuzz(bytes));
