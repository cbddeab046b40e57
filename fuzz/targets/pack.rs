//! Packs of patches.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| myriad_library::fuzz_pack(bytes));
