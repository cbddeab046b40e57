//! Pictures of a run.
use super::report::Report;
use crate::failure::Failure;
use std::path::{Path, PathBuf};
pub(super) fn draw(_report: &Report, _folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    Ok(Vec::new())
}
