//! Finds GPUs and checks whether they can run the kernels.

use super::{Failed, call};
use crate::GpuError;
use crate::cuda::kernels;
use cudarc::driver::sys::{self, CUresult};
use std::ffi::CStr;

/// A GPU that can run the kernels.
#[derive(Clone, Debug)]
pub(in crate::cuda) struct Gpu {
    pub(super) handle: sys::CUdevice,
    pub(in crate::cuda) name: String,
    pub(in crate::cuda) capability: (u32, u32),
    pub(in crate::cuda) processors: u32,
    /// The highest clock rate.
    pub(in crate::cuda) kilohertz: u32,
    /// The CUDA version of the driver: 1000 × major + 10 × minor.
    pub(in crate::cuda) driver: u32,
}

impl Gpu {
    /// Looks for the driver and for GPU number `index`.
    pub(in crate::cuda) fn find(index: usize) -> Result<Self, GpuError> {
        // SAFETY: loads the driver's library, whose initialisers are made to run in any process.
        if !unsafe { sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        match call!(cuInit(0)) {
            Ok(()) => {}
            // The library without a kernel module, or without a GPU.
            Err(Failed {
                code:
                    CUresult::CUDA_ERROR_NO_DEVICE
                    | CUresult::CUDA_ERROR_STUB_LIBRARY
                    | CUresult::CUDA_ERROR_SYSTEM_NOT_READY,
                ..
            }) => return Err(GpuError::NoDriver),
            Err(failed) => return Err(failed.into()),
        }
        let mut version = 0;
        call!(cuDriverGetVersion(&mut version))?;
        let found = version as u32;
        if found < kernels::NEEDED_VERSION {
            return Err(GpuError::DriverTooOld { found, needed: kernels::NEEDED_VERSION });
        }
        let mut count = 0;
        call!(cuDeviceGetCount(&mut count))?;
        let count = count as usize;
        if index >= count {
            return Err(GpuError::NoDevice { index, count });
        }
        let mut handle = 0;
        call!(cuDeviceGet(&mut handle, index as i32))?;
        let mut name = [0; 256];
        call!(cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, handle))?;
        // SAFETY: the driver has written a terminated string.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        let attribute = |which| {
            let mut value = 0;
            call!(cuDeviceGetAttribute(&mut value, which, handle)).map(|()| value as u32)
        };
        use sys::CUdevice_attribute as Attribute;
        let gpu = Gpu {
            handle,
            name: name.to_string_lossy().into_owned(),
            capability: (
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            processors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            kilohertz: attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            driver: found,
        };
        if gpu.capability < kernels::NEEDED_CAPABILITY {
            return Err(GpuError::GpuTooOld { name: gpu.name, found: gpu.capability });
        }
        Ok(gpu)
    }
}

/// Name, UUID and driver version of GPU number `index`. Starts nothing on the GPU.
///
/// # Errors
/// When there is no such GPU, or it cannot run the kernels.
pub fn identity(index: usize) -> Result<String, GpuError> {
    let gpu = Gpu::find(index)?;
    let mut uuid = sys::CUuuid { bytes: [0; 16] };
    call!(cuDeviceGetUuid(&mut uuid, gpu.handle))?;
    let uuid: String = uuid.bytes.iter().map(|b| format!("{b:02x}")).collect();
    // CUDA's version is the same for several drivers of a series.
    let driver = std::fs::read_to_string("/sys/module/nvidia/version").unwrap_or_default();
    let (name, version, driver) = (gpu.name, gpu.driver, driver.trim());
    Ok(format!("{name} {uuid}, CUDA {version}, driver {driver}"))
}
