//! The files of `assets/patches`, embedded by the build script.

include!(concat!(env!("OUT_DIR"), "/factory_list.rs"));
