//! Any bytes as a picture to import: an error, or a patch that can be written and read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use myriad_engine::Patch;
use myriad_import::{PictureOptions, Progress, import_picture, read_picture};
use std::os::fd::AsRawFd;

fuzz_target!(|bytes: &[u8]| {
    let file = rustix::fs::memfd_create("picture", rustix::fs::MemfdFlags::CLOEXEC);
    let file = file.expect("memory for a file");
    let mut rest = bytes;
    while !rest.is_empty() {
        let count = rustix::io::write(&file, rest).expect("memory for a file");
        rest = &rest[count..];
    }
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let progress = Progress::default();
    if let Ok(picture) = read_picture(path.as_ref(), false, &progress)
        && let Ok(imported) =
            import_picture(&picture, &PictureOptions::default(), "fuzz", &progress)
    {
        let text = imported.patch.to_toml();
        Patch::parse(&text, "imported").expect("what was imported can be read");
    }
});
