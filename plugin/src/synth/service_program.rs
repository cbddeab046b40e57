//! Finds the program of the render service, which the plugin's bundle brings with it.

use myriad_live::ServiceProgram;
use std::path::{Path, PathBuf};

/// Its name.
const PROGRAM: &str = "myriad-render-service";

/// The program beside this plugin or in the resources of its bundle; else one that the system finds by name.
pub(super) fn service_program() -> ServiceProgram {
    let in_bundle = this_library().and_then(|library| in_bundle(&library));
    ServiceProgram { path: in_bundle.unwrap_or_else(|| PROGRAM.into()), arguments: Vec::new() }
}

/// Where a bundle whose library is `library` has the program: beside it (CLAP), or in `Resources` beside
/// the folder of the library (VST3).
fn in_bundle(library: &Path) -> Option<PathBuf> {
    let folder = library.parent()?;
    let places = [folder.join(PROGRAM), folder.parent()?.join("Resources").join(PROGRAM)];
    places.into_iter().find(|path| path.is_file())
}

/// The file that this code was loaded from.
fn this_library() -> Option<PathBuf> {
    let address = this_library as fn() -> Option<PathBuf> as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let has = (number(start)?..number(end)?).contains(&address);
        has.then(|| rest.find('/').map(|at| PathBuf::from(&rest[at..])))?
    });
    path.filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use super::*;

    #[test]
    fn the_program_is_found_in_both_bundles() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let vst3 = put("Myriad.vst3/Contents/x86_64-linux/Myriad.so");
        let clap = put("clap/Myriad.clap");
        assert_eq!([&vst3, &clap].map(|library| in_bundle(library)), [None, None]);
        let resource = put("Myriad.vst3/Contents/Resources/myriad-render-service");
        let beside = put("clap/myriad-render-service");
        assert_eq!(in_bundle(&vst3), Some(resource));
        assert_eq!(in_bundle(&clap), Some(beside));
    }

    #[test]
    fn the_library_is_the_file_of_this_code() {
        assert_eq!(this_library(), std::env::current_exe().ok());
    }
}
