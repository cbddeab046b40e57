//! One patch in detail.

use crate::failure::Failure;
use myriad_engine::Patch;

/// For people.
pub(super) fn to_text(patch: &Patch) -> String {
    patch.to_toml()
}

/// For scripts: the patch file's own structure.
pub(super) fn to_json(patch: &Patch) -> Result<serde_json::Value, Failure> {
    let value: toml::Value = toml::from_str(&patch.to_toml()).map_err(Failure::failed)?;
    serde_json::to_value(value).map_err(Failure::failed)
}
