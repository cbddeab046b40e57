//! Any bytes as a WAV file to import: an error, or a patch that can be written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use myriad_engine::Patch;
use myriad_import::{Material, import};
use std::os::fd::AsRawFd;

fuzz_target!(|bytes: &[u8]| {
    let file = rustix::fs::memfd_create("wav", rustix::fs::MemfdFlags::CLOEXEC);
    let file = file.expect("memory for a file");
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = rustix::io::write(&file, rest).expect("memory for a file");
        rest = &rest[count..];
    }
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // A pitch that is known saves the slow search for it.
    for material in [
        Material::Wavetable { cycle: None },
        Material::Note { hertz: Some(440.0) },
        Material::AnySound,
    ] {
        if let Ok(imported) = import(path.as_ref(), material, "fuzz") {
            let text = imported.patch.to_toml();
            Patch::parse(&text, "imported").expect("what was imported can be read");
        }
    }
});
