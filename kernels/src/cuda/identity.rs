//! Which GPU it is, with which driver, without starting anything on it.

use super::driver::{Gpu, call};
use crate::GpuError;
use cudarc::driver::sys::CUuuid;

/// Name, unique number and driver of GPU number `index`.
///
/// # Errors
/// When there is no such GPU, or it is not fit for us.
pub fn identity(index: usize) -> Result<String, GpuError> {
    let gpu = Gpu::find(index)?;
    let (mut handle, mut version) = (0, 0);
    call!(cuDeviceGet(&mut handle, index as i32))?;
    call!(cuDriverGetVersion(&mut version))?;
    let mut uuid = CUuuid { bytes: [0; 16] };
    call!(cuDeviceGetUuid(&mut uuid, handle))?;
    let uuid: String = uuid.bytes.iter().map(|b| format!("{b:02x}")).collect();
    // CUDA's version does not tell one driver of a series from the next.
    let driver = std::fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    Ok(format!(
        "{} {uuid}, CUDA {version}, driver {}",
        gpu.name,
        driver.trim()
    ))
}
