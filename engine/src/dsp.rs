//! Small signal tools that know nothing of patches, threads or hosts.

mod denormals;

pub use denormals::FlushDenormals;
