//! What a VST3 host looks for in the library: the factory that makes instances.
//!
//! As nice-plug's macro `nice_export_vst3` writes it, but for the instances: they are ours.

use super::Instance;
use crate::Myriad;
use nice_plug::wrapper::vst3::PluginInfo;
use nice_plug::wrapper::vst3::vst3::Steinberg::*;
use nice_plug::wrapper::vst3::vst3::{Class, ComWrapper};
use std::ffi::c_void;

/// The factory of this library; the caller owns it.
#[unsafe(no_mangle)]
pub extern "system" fn GetPluginFactory() -> *mut c_void {
    let factory = ComWrapper::new(Factory(PluginInfo::for_plugin::<Myriad>()));
    let factory = factory.to_com_ptr::<IPluginFactory>();
    factory.map_or(std::ptr::null_mut(), |factory| factory.into_raw().cast())
}

/// Called by hosts when they have loaded the library.
#[cfg_attr(target_os = "windows", unsafe(export_name = "InitDll"))]
#[cfg_attr(target_os = "macos", unsafe(export_name = "bundleEntry"))]
#[cfg_attr(all(unix, not(target_os = "macos")), unsafe(export_name = "ModuleEntry"))]
pub extern "C" fn enter(#[cfg(unix)] _library: *mut c_void) -> bool {
    nice_plug::wrapper::setup_logger::<Myriad>();
    true
}

/// Called by hosts before they unload the library.
#[cfg_attr(target_os = "windows", unsafe(export_name = "ExitDll"))]
#[cfg_attr(target_os = "macos", unsafe(export_name = "bundleExit"))]
#[cfg_attr(all(unix, not(target_os = "macos")), unsafe(export_name = "ModuleExit"))]
pub extern "C" fn exit() -> bool {
    true
}

struct Factory(PluginInfo);

impl Class for Factory {
    type Interfaces = (IPluginFactory, IPluginFactory2, IPluginFactory3);
}

impl Factory {
    /// Writes the description of the one class there is.
    ///
    /// # Safety
    /// `info` is null or valid for a write.
    unsafe fn describe<T>(&self, index: i32, info: *mut T, make: fn(&PluginInfo) -> T) -> tresult {
        if index != 0 || info.is_null() {
            return kInvalidArgument;
        }
        // SAFETY: it is not null.
        unsafe { info.write(make(&self.0)) };
        kResultOk
    }
}

impl IPluginFactoryTrait for Factory {
    unsafe fn getFactoryInfo(&self, info: *mut PFactoryInfo) -> tresult {
        // SAFETY: the caller promises it.
        unsafe { self.describe(0, info, PluginInfo::create_factory_info) }
    }

    unsafe fn countClasses(&self) -> int32 {
        1
    }

    unsafe fn getClassInfo(&self, index: int32, info: *mut PClassInfo) -> tresult {
        // SAFETY: the caller promises it.
        unsafe { self.describe(index, info, PluginInfo::create_class_info) }
    }

    unsafe fn createInstance(
        &self,
        class: FIDString,
        interface: FIDString,
        object: *mut *mut c_void,
    ) -> tresult {
        if class.is_null() || interface.is_null() || object.is_null() {
            return kInvalidArgument;
        }
        // SAFETY: a class is 16 bytes that need no alignment.
        if unsafe { &*class.cast::<[u8; 16]>() } != self.0.cid {
            return kInvalidArgument;
        }
        let instance = ComWrapper::new(Instance::new());
        let Some(unknown) = instance.as_com_ref::<FUnknown>() else {
            return kInvalidArgument;
        };
        let unknown = unknown.as_ptr();
        // SAFETY: `instance` lives, and an interface is 16 bytes. What the host gets counts for it.
        unsafe { ((*(*unknown).vtbl).queryInterface)(unknown, interface.cast(), object) }
    }
}

impl IPluginFactory2Trait for Factory {
    unsafe fn getClassInfo2(&self, index: int32, info: *mut PClassInfo2) -> tresult {
        // SAFETY: the caller promises it.
        unsafe { self.describe(index, info, PluginInfo::create_class_info_2) }
    }
}

impl IPluginFactory3Trait for Factory {
    unsafe fn getClassInfoUnicode(&self, index: int32, info: *mut PClassInfoW) -> tresult {
        // SAFETY: the caller promises it.
        unsafe { self.describe(index, info, PluginInfo::create_class_info_unicode) }
    }

    unsafe fn setHostContext(&self, _context: *mut FUnknown) -> tresult {
        kResultOk
    }
}
