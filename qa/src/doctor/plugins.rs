//! Whether hosts find the plugin.

use super::Finding;
use std::path::PathBuf;

/// Folders that hosts look into, and what is ours in them.
fn places() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let under_home = |path: &str| home.as_ref().map(|home| home.join(path));
    let places = if cfg!(target_os = "macos") {
        [
            under_home("Library/Audio/Plug-Ins/VST3/Myriad.vst3"),
            under_home("Library/Audio/Plug-Ins/CLAP/Myriad.clap"),
            Some(PathBuf::from("/Library/Audio/Plug-Ins/VST3/Myriad.vst3")),
            Some(PathBuf::from("/Library/Audio/Plug-Ins/CLAP/Myriad.clap")),
        ]
    } else {
        [
            under_home(".vst3/Myriad.vst3"),
            under_home(".clap/Myriad.clap"),
            Some(PathBuf::from("/usr/lib/vst3/Myriad.vst3")),
            Some(PathBuf::from("/usr/lib/clap/Myriad.clap")),
        ]
    };
    places.into_iter().flatten().collect()
}

pub(super) fn examine() -> Vec<Finding> {
    let found: Vec<PathBuf> = places().into_iter().filter(|path| path.exists()).collect();
    let named = |found: &[PathBuf]| {
        let names = found.iter().map(|path| path.display().to_string());
        names.collect::<Vec<_>>().join(", ")
    };
    vec![match found.as_slice() {
        [] => Finding::note(
            "plugin",
            "not installed: no Myriad.vst3 or Myriad.clap where hosts look",
            "make install-plugin, then let the host scan again",
        ),
        found => Finding::ok("plugin", named(found)),
    }]
}
