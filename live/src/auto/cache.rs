//! The cache of calibrations: a small file for each machine.

use super::{Calibration, CostModel, HostCost, Key};
use myriad_files::atomic_file;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const HEADER: &str = "\
# What Myriad has measured on this machine, in seconds, to choose between CPU and GPU.
# It is measured again when this file is gone, or with --recalibrate.
";

/// The user's cache folder.
pub fn folder() -> Option<PathBuf> {
    let variable = |name| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let caches = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else {
        let below = |home: PathBuf| match cfg!(target_os = "macos") {
            true => home.join("Library/Caches"),
            false => home.join(".cache"),
        };
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(below))
    };
    Some(caches?.join("myriad"))
}

fn path(folder: &Path, key: &Key) -> PathBuf {
    folder.join(format!("calibration-{:016x}.txt", key.hash()))
}

/// The calibration of the machine of that key; none if it is missing or invalid.
pub fn load(folder: &Path, key: &Key) -> Option<Calibration> {
    let text = fs::read_to_string(path(folder, key)).ok()?;
    let value = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(" = "));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    if value("machine")? != key.text() {
        return None;
    }
    let number = |name: &str| value(name)?.parse::<f64>().ok();
    let model = |name: &str| -> Option<CostModel> {
        let model = CostModel {
            fixed: number(&format!("{name}_fixed"))?,
            per_cloud: number(&format!("{name}_cloud"))?,
            per_partial: number(&format!("{name}_partial"))?,
        };
        model.is_sane().then_some(model)
    };
    let calibration = Calibration {
        host: HostCost { fixed: number("host_fixed")?, per_cloud: number("host_cloud")? },
        cpu: model("cpu")?,
        gpu: model("gpu")?,
        gpu_starts: number("gpu_starts")?,
    };
    (calibration.gpu_starts >= 0.0 && calibration.host.is_sane()).then_some(calibration)
}

/// Stores a calibration: writes another file and renames it, so that no process reads half of it.
///
/// # Errors
/// When the folder cannot be written to.
pub fn store(folder: &Path, key: &Key, calibration: &Calibration) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = format!("{HEADER}machine = {}\n", key.text());
    text += &format!("host_fixed = {:e}\n", calibration.host.fixed);
    text += &format!("host_cloud = {:e}\n", calibration.host.per_cloud);
    for (name, model) in [("cpu", calibration.cpu), ("gpu", calibration.gpu)] {
        text += &format!("{name}_fixed = {:e}\n", model.fixed);
        text += &format!("{name}_cloud = {:e}\n", model.per_cloud);
        text += &format!("{name}_partial = {:e}\n", model.per_partial);
    }
    text += &format!("gpu_starts = {:e}\n", calibration.gpu_starts);
    atomic_file::write(&path(folder, key), text.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

    use super::*;

    const MEASURED: Calibration = Calibration {
        host: HostCost { fixed: 2.5e-6, per_cloud: 4.5e-8 },
        cpu: CostModel { fixed: 1.25e-6, per_cloud: 2.0e-7, per_partial: 3.1e-9 },
        gpu: CostModel { fixed: 4e-5, per_cloud: 0.0, per_partial: 1.7e-11 },
        gpu_starts: 0.36,
    };

    fn key(text: &str) -> Key {
        Key::from_text(text.to_owned())
    }

    #[test]
    fn a_calibration_is_loaded_on_the_same_machine_only() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("not there yet");
        let here = key("a machine = fast with\na GPU");
        assert_eq!(load(&folder, &here), None);
        store(&folder, &here, &MEASURED).unwrap();
        assert_eq!(load(&folder, &here), Some(MEASURED));
        assert_eq!(load(&folder, &key("another driver")), None);
        // Measured anew, it replaces the old.
        let slower = Calibration { gpu_starts: 1.0, ..MEASURED };
        store(&folder, &here, &slower).unwrap();
        assert_eq!(load(&folder, &here), Some(slower));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn invalid_files_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let here = key("here");
        store(folder.path(), &here, &MEASURED).unwrap();
        let path = path(folder.path(), &here);
        let good = fs::read_to_string(&path).unwrap();
        for bad in [
            String::new(),
            "not a table".to_owned(),
            good[..good.len() / 2].to_owned(),
            good.replace("3.1e-9", "nan"),
            good.replace("3.1e-9", "-3.1e-9"),
            good.replace("4.5e-8", "-4.5e-8"),
            good.replace("host_cloud", "cloud"),
            good.replace("3.1e-9", "\"fast\""),
            good.replace("machine = here", "machine = there"),
        ] {
            fs::write(&path, &bad).unwrap();
            assert_eq!(load(folder.path(), &here), None, "{bad}");
        }
        fs::write(&path, [0xff, 0x00]).unwrap();
        assert_eq!(load(folder.path(), &here), None);
    }
}
