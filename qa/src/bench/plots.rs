//! Pictures of a run.

mod grid;
mod held;
mod round_trip;
mod theme;

use super::report::Report;
use myriad_player::failure::Failure;
use std::path::{Path, PathBuf};

/// Draws what was measured into `folder`. Gives the files.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn draw(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let held = report.held.as_deref().filter(|rows| !rows.is_empty());
    let grid = report.grid.as_ref().filter(|grid| !grid.cells.is_empty());
    let trips = report.round_trip.as_ref();
    let trips = trips.filter(|trips| !trips.rows.is_empty());
    let pictures = [
        ("held.svg", held.map(|rows| held::draw(report, rows))),
        ("grid.svg", grid.map(|grid| grid::draw(report, grid))),
        (
            "round-trip.svg",
            trips.map(|trips| round_trip::draw(report, trips)),
        ),
    ];
    let mut files = Vec::new();
    for (name, picture) in pictures {
        let Some(picture) = picture else { continue };
        let path = folder.join(name);
        myriad_player::atomic_file::write(&path, picture.as_bytes())
            .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
        files.push(path);
    }
    Ok(files)
}
