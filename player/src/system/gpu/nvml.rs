//! The few functions of NVML that are used, as `nvml.h` declares them.

use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

#[cfg(windows)]
const LIBRARY: &str = "nvml.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libnvidia-ml.so.1";

/// Zero for success.
type Status = c_int;
/// A GPU, as the library knows it.
type Device = *mut c_void;

/// Bytes of memory.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Memory {
    pub(super) total: u64,
    pub(super) free: u64,
    pub(super) used: u64,
}

/// Percent of the time in which a kernel ran, and memory was used.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Utilisation {
    pub(super) gpu: c_uint,
    memory: c_uint,
}

/// A process that uses a GPU.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct Process {
    pub(super) pid: c_uint,
    used_memory: u64,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

impl Process {
    /// Its memory in bytes; none where the driver does not say.
    pub(super) fn memory(&self) -> Option<u64> {
        (self.used_memory != u64::MAX).then_some(self.used_memory)
    }
}

/// The clock of the multiprocessors.
const SM_CLOCK: c_uint = 1;
/// The sensor on the chip.
const CHIP: c_uint = 0;
/// Names and versions are at most so long.
const TEXT: usize = 96;
/// There is not enough room for all processes.
const TOO_SMALL: Status = 7;

/// The open library.
pub(super) struct Nvml(Library);

impl Nvml {
    /// Opens the library and starts it.
    pub(super) fn open() -> Result<Self, String> {
        // SAFETY: the driver's library; starting it is what loading is for.
        let library = unsafe { Library::new(LIBRARY) }.map_err(|error| error.to_string())?;
        let nvml = Self(library);
        // SAFETY: it has this type.
        match unsafe { nvml.function::<unsafe extern "C" fn() -> Status>(c"nvmlInit_v2")?() } {
            0 => Ok(nvml),
            status => Err(format!("NVML cannot be started: error {status}")),
        }
    }

    /// # Safety
    /// `T` is the type of the function of this name.
    unsafe fn function<T>(&self, name: &CStr) -> Result<Symbol<'_, T>, String> {
        // SAFETY: the caller promises it.
        unsafe { self.0.get(name.to_bytes_with_nul()) }.map_err(|error| error.to_string())
    }

    pub(super) fn driver(&self) -> Option<String> {
        type Get = unsafe extern "C" fn(*mut c_char, c_uint) -> Status;
        // SAFETY: it has this type, and writes at most as much as there is.
        unsafe {
            let get = self.function::<Get>(c"nvmlSystemGetDriverVersion").ok()?;
            text(|to| get(to, TEXT as c_uint))
        }
    }

    pub(super) fn count(&self) -> Option<u32> {
        // SAFETY: it has this type.
        unsafe {
            let get = self
                .function::<unsafe extern "C" fn(*mut c_uint) -> Status>(c"nvmlDeviceGetCount_v2");
            value(|count| get.map_or(-1, |get| get(count)))
        }
    }

    pub(super) fn gpu(&self, index: u32) -> Option<OneGpu<'_>> {
        type Get = unsafe extern "C" fn(c_uint, *mut Device) -> Status;
        let mut device = std::ptr::null_mut();
        // SAFETY: it has this type.
        let status = unsafe {
            let get = self.function::<Get>(c"nvmlDeviceGetHandleByIndex_v2").ok()?;
            get(index, &mut device)
        };
        (status == 0).then_some(OneGpu { nvml: self, device })
    }
}

impl Drop for Nvml {
    fn drop(&mut self) {
        // SAFETY: it has this type, and nothing of the library is used any more.
        unsafe {
            if let Ok(end) = self.function::<unsafe extern "C" fn() -> Status>(c"nvmlShutdown") {
                end();
            }
        }
    }
}

/// One GPU. What the driver does not report is none.
pub(super) struct OneGpu<'a> {
    nvml: &'a Nvml,
    device: Device,
}

impl OneGpu<'_> {
    /// A value that a function writes.
    ///
    /// # Safety
    /// The function of this name takes a device and a pointer to a `T`.
    unsafe fn get<T: Default>(&self, name: &CStr) -> Option<T> {
        type Get<T> = unsafe extern "C" fn(Device, *mut T) -> Status;
        // SAFETY: the caller promises it.
        unsafe {
            let get = self.nvml.function::<Get<T>>(name).ok()?;
            value(|to| get(self.device, to))
        }
    }

    /// A value of one of several kinds.
    ///
    /// # Safety
    /// The function of this name takes a device, a kind and a pointer to a number.
    unsafe fn get_kind(&self, name: &CStr, kind: c_uint) -> Option<u32> {
        type Get = unsafe extern "C" fn(Device, c_uint, *mut c_uint) -> Status;
        // SAFETY: the caller promises it.
        unsafe {
            let get = self.nvml.function::<Get>(name).ok()?;
            value(|to| get(self.device, kind, to))
        }
    }

    pub(super) fn name(&self) -> Option<String> {
        type Get = unsafe extern "C" fn(Device, *mut c_char, c_uint) -> Status;
        // SAFETY: it has this type, and writes at most as much as there is.
        unsafe {
            let get = self.nvml.function::<Get>(c"nvmlDeviceGetName").ok()?;
            text(|to| get(self.device, to, TEXT as c_uint))
        }
    }

    pub(super) fn memory(&self) -> Option<Memory> {
        // SAFETY: it writes this structure.
        unsafe { self.get(c"nvmlDeviceGetMemoryInfo") }
    }

    /// Whether the driver stays loaded while no process uses it; only Linux's driver says.
    pub(super) fn is_persistent(&self) -> Option<bool> {
        // SAFETY: it writes an enumeration.
        unsafe { self.get::<c_uint>(c"nvmlDeviceGetPersistenceMode") }.map(|mode| mode == 1)
    }

    pub(super) fn clock_mhz(&self) -> Option<u32> {
        // SAFETY: kinds are those of clocks.
        unsafe { self.get_kind(c"nvmlDeviceGetClockInfo", SM_CLOCK) }
    }

    pub(super) fn highest_clock_mhz(&self) -> Option<u32> {
        // SAFETY: as above.
        unsafe { self.get_kind(c"nvmlDeviceGetMaxClockInfo", SM_CLOCK) }
    }

    pub(super) fn temperature_c(&self) -> Option<u32> {
        // SAFETY: kinds are those of sensors.
        unsafe { self.get_kind(c"nvmlDeviceGetTemperature", CHIP) }
    }

    pub(super) fn power_mw(&self) -> Option<u32> {
        // SAFETY: it writes a number.
        unsafe { self.get(c"nvmlDeviceGetPowerUsage") }
    }

    pub(super) fn utilisation(&self) -> Option<Utilisation> {
        // SAFETY: it writes this structure.
        unsafe { self.get(c"nvmlDeviceGetUtilizationRates") }
    }

    /// Processes that compute on it.
    pub(super) fn computing(&self) -> Vec<Process> {
        self.processes(c"nvmlDeviceGetComputeRunningProcesses_v3")
    }

    /// Processes that draw with it.
    pub(super) fn drawing(&self) -> Vec<Process> {
        self.processes(c"nvmlDeviceGetGraphicsRunningProcesses_v3")
    }

    fn processes(&self, name: &CStr) -> Vec<Process> {
        type Get = unsafe extern "C" fn(Device, *mut c_uint, *mut Process) -> Status;
        // SAFETY: both functions have this type.
        let Ok(get) = (unsafe { self.nvml.function::<Get>(name) }) else {
            return Vec::new();
        };
        let mut processes = vec![Process::default(); 64];
        loop {
            let mut count = processes.len() as c_uint;
            // SAFETY: there is room for so many.
            match unsafe { get(self.device, &mut count, processes.as_mut_ptr()) } {
                0 => {
                    processes.truncate(count as usize);
                    return processes;
                }
                // It says how many there are; more may come meanwhile.
                TOO_SMALL => processes.resize(2 * count as usize, Process::default()),
                _ => return Vec::new(),
            }
        }
    }
}

/// What a function has written, if it says so.
fn value<T: Default>(get: impl FnOnce(*mut T) -> Status) -> Option<T> {
    let mut value = T::default();
    (get(&mut value) == 0).then_some(value)
}

/// A text that a function has written, with the zero that ends it.
fn text(get: impl FnOnce(*mut c_char) -> Status) -> Option<String> {
    let mut letters = [0_u8; TEXT];
    let status = get(letters.as_mut_ptr().cast());
    let text = CStr::from_bytes_until_nul(&letters).ok()?;
    (status == 0).then(|| text.to_string_lossy().into_owned())
}
