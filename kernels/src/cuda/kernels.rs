//! The code that `kernels/build` makes, embedded, and which image a GPU runs.

use std::ffi::CStr;

/// The CUDA version that a driver needs for our PTX: 1000 × major + 10 × minor.
pub(super) const NEEDED_VERSION: u32 = 12_010;

/// The oldest compute capability that our PTX is for.
pub(super) const NEEDED_CAPABILITY: (u32, u32) = (6, 0);

/// Threads of a block of `fetch`, and the voices that they fetch.
pub(super) const FETCH_THREADS: u32 = 256;
pub(super) const FETCH_VOICES: usize = 8;
/// Threads of a block of `render_clouds`, and the items they render.
pub(super) const RENDER_THREADS: u32 = 64;
pub(super) const RENDER_ITEMS: usize = 2;
/// Threads of a block of `mix`, the groups of slots they sum, and the buses of a tile.
pub(super) const MIX_THREADS: u32 = 256;
pub(super) const MIX_GROUPS: usize = 4;
pub(super) const MIX_BUSES: usize = 16;
/// Words of the header that comes before the mixed samples, and two of them: the number of the
/// last block that is complete, and the partials it sounded.
pub(super) const MIXED_WORDS: usize = 16;
pub(super) const MIXED_BLOCK: usize = 0;
pub(super) const MIXED_SOUNDED: usize = 1;
/// Threads of a block of `bank_alone`, its warps, and the partials of a warp.
pub(super) const BANK_THREADS: u32 = 64;
pub(super) const BANK_WARPS: usize = 2;
pub(super) const BANK_PARTIALS: usize = 512;

/// Entry points.
pub(super) const FETCH: &CStr = c"fetch";
pub(super) const RENDER_CLOUDS: &CStr = c"render_clouds";
pub(super) const MIX: &CStr = c"mix";
pub(super) const BANK_ALONE: &CStr = c"bank_alone";
pub(super) const FAIL: &CStr = c"fail";

/// Code for a GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    /// The compute capability that it was compiled for.
    capability: (u32, u32),
    pub(super) name: &'static str,
    pub(super) bytes: &'static [u8],
    /// Slices into which these kernels cut the largest cloud.
    pub(super) slices: usize,
}

macro_rules! image {
    ($capability:expr, $name:literal, $kind:literal, $slices:literal) => {
        Image {
            capability: $capability,
            name: $name,
            bytes: include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/built/render.",
                $name,
                $kind
            )),
            slices: $slices,
        }
    };
}

/// Machine code.
const GPUS: [Image; 5] = [
    image!((7, 5), "sm_75", ".cubin", 4),
    image!((8, 0), "sm_80", ".cubin", 4),
    image!((8, 6), "sm_86", ".cubin", 4),
    image!((8, 9), "sm_89", ".cubin", 4),
    image!((9, 0), "sm_90", ".cubin", 2),
];

/// PTX for all other GPUs, which the driver compiles. It ends in a zero byte.
pub(super) const PORTABLE: Image = image!(NEEDED_CAPABILITY, "compute_60", ".ptx", 4);

/// The image for a GPU. Machine code runs on GPUs of the same major number whose minor one is
/// not smaller.
pub(super) fn image(capability: (u32, u32)) -> Image {
    let fits =
        |image: &&Image| image.capability.0 == capability.0 && image.capability.1 <= capability.1;
    GPUS.iter().rev().find(fits).copied().unwrap_or(PORTABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gpu_gets_code_it_can_run() {
        let name = |major, minor| image((major, minor)).name;
        assert_eq!(name(6, 1), "compute_60");
        assert_eq!(name(7, 0), "compute_60");
        assert_eq!(name(7, 5), "sm_75");
        assert_eq!(name(8, 0), "sm_80");
        assert_eq!(name(8, 7), "sm_86");
        assert_eq!(name(8, 9), "sm_89");
        assert_eq!(name(9, 0), "sm_90");
        assert_eq!(name(10, 0), "compute_60");
        assert_eq!(name(12, 0), "compute_60");
    }

    #[test]
    fn images_are_whole() {
        assert_eq!(PORTABLE.bytes.last(), Some(&0));
        for image in GPUS {
            assert!(image.bytes.starts_with(b"\x7fELF"), "{}", image.name);
        }
    }
}
