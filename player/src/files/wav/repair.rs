//! Recordings that could not be completed: their header is made to fit what was written.

use crate::atomic_file::{UNFINISHED, follow_links, numbered};
use crate::terminal;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Corrects the sizes in the header of a file that [`WavFile`](super::WavFile) has written, by the
/// length of the file, and cuts off a frame that is not whole. Returns the number of frames.
pub(super) fn repair(mut file: &File) -> io::Result<u64> {
    let foreign = || io::Error::new(ErrorKind::InvalidData, "not a recording of Myriad");
    let mut header = [0; 68];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut header[..44])?;
    // The header of 16-bit files ends there; others have the longer format chunk.
    let end = match (&header[36..40], header[16]) {
        (b"data", 16) => 44,
        (_, 40) => {
            file.read_exact(&mut header[44..])?;
            68
        }
        _ => return Err(foreign()),
    };
    let frame = u64::from(header[32]);
    if header[..4] != *b"RIFF" || header[end - 8..end - 4] != *b"data" || frame == 0 {
        return Err(foreign());
    }
    let frames = (file.metadata()?.len() - end as u64) / frame;
    let data = u32::try_from(frames * frame).map_err(|_| foreign())?;
    let whole = data.checked_add(end as u32 - 8).ok_or_else(foreign)?;
    for (at, size) in [(end as u64 - 4, data), (4, whole)] {
        file.seek(SeekFrom::Start(at))?;
        file.write_all(&size.to_le_bytes())?;
    }
    file.set_len(end as u64 + u64::from(data))?;
    Ok(frames)
}

/// Completes the files in the folder of `target` that a killed process has left unfinished, and says
/// so: `take.myriad-unfinished.wav` becomes `take.recovered.wav`. Files that are still being written
/// are locked, and stay as they are.
pub fn recover_beside(target: &Path) {
    let target = follow_links(target);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(files) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    let names = files.filter_map(|file| Some(PathBuf::from(file.ok()?.file_name())));
    let mut left: Vec<(PathBuf, PathBuf)> = names
        .filter_map(|name| {
            Some((target.with_file_name(&name), target.with_file_name(wanted(&name)?)))
        })
        .collect();
    left.sort();
    for (path, wanted) in left {
        match recover(&path, &wanted) {
            Ok(Some(kept)) => terminal::say(&format!(
                "myriad: note: {} holds what an earlier session could not complete",
                kept.display()
            )),
            // In use, or nothing is in it.
            Ok(None) => {}
            Err(error) => terminal::say(&format!("myriad: note: {}: {error}", path.display())),
        }
    }
}

/// The name that an unfinished file should have had; none for any other file.
fn wanted(name: &Path) -> Option<PathBuf> {
    let (stem, unfinished) = name.file_stem()?.to_str()?.rsplit_once('.')?;
    let number = unfinished.strip_prefix(UNFINISHED)?;
    let is_ours = number.is_empty() || number.strip_prefix('-')?.parse::<u32>().is_ok();
    let extension = name.extension().filter(|end| end.eq_ignore_ascii_case("wav"))?;
    is_ours.then(|| Path::new(stem).with_added_extension(extension))
}

/// Completes one file. Returns its new path; none when it is in use, or had no sound.
fn recover(path: &Path, wanted: &Path) -> io::Result<Option<PathBuf>> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Ok(None);
    }
    let file = File::options().read(true).write(true).open(path)?;
    if file.try_lock().is_err() {
        return Ok(None);
    }
    // A file without a whole header has no sound.
    if file.metadata()?.len() < 44 || repair(&file)? == 0 {
        fs::remove_file(path)?;
        return Ok(None);
    }
    file.sync_all()?;
    let mut names = (1..).map(|number| numbered(wanted, "recovered", number));
    let free = names.find(|name| !name.exists()).ok_or(ErrorKind::AlreadyExists)?;
    fs::rename(path, &free)?;
    Ok(Some(free))
}

#[cfg(test)]
mod tests {
    use super::super::{Bits, WavFile};
    use super::*;

    /// What a process that is killed leaves: the bytes that are in the file at that moment.
    fn killed(path: &Path, bits: Bits, frames: usize) -> Vec<u8> {
        let mut file = WavFile::create(path, 8_000, bits, 0).unwrap();
        let sound: Vec<f32> = (0..frames).map(|n| (n % 100) as f32 / 128.0).collect();
        file.write([&sound, &sound]).unwrap();
        fs::read(numbered(path, UNFINISHED, 1)).unwrap()
    }

    #[test]
    fn an_unfinished_file_can_be_played_and_lacks_a_second_at_most() {
        let folder = tempfile::tempdir().unwrap();
        for bits in [Bits::Int16, Bits::Int24, Bits::Float32] {
            let bytes = killed(&folder.path().join("take.wav"), bits, 20_000);
            let wav = hound::WavReader::new(bytes.as_slice()).unwrap();
            assert_eq!(wav.duration(), 16_000, "{bits:?}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "all were dropped");
    }

    #[test]
    fn what_a_killed_process_left_is_recovered() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for bits in [Bits::Int16, Bits::Int24, Bits::Float32] {
            let mut bytes = killed(&path("take.wav"), bits, 20_000);
            // Half a frame, and a header that is older than the data.
            bytes.extend([1; 3]);
            bytes[4..8].fill(0);
            fs::write(path("take.myriad-unfinished.wav"), &bytes).unwrap();
            fs::write(path("none.myriad-unfinished-2.wav"), b"RIFF").unwrap();
            fs::write(path("song.unfinished.wav"), b"of another program").unwrap();
            let (mut used, _) =
                crate::atomic_file::AtomicFile::create_visible(&path("now.wav")).unwrap();
            used.keep();
            recover_beside(&path("other.wav"));
            let wav = hound::WavReader::open(path("take.recovered.wav")).unwrap();
            assert!((16_000..=20_000).contains(&wav.duration()), "{bits:?}: {}", wav.duration());
            assert!(path("song.unfinished.wav").exists());
            assert!(path("now.myriad-unfinished.wav").exists(), "it is being written");
            assert!(!path("none.myriad-unfinished-2.wav").exists());
            assert!(!path("take.myriad-unfinished.wav").exists());
            drop(used);
            fs::remove_file(path("now.myriad-unfinished.wav")).unwrap();
            fs::remove_file(path("take.recovered.wav")).unwrap();
        }
    }

    /// Recovering a second take does not replace the first.
    #[test]
    fn recovered_files_have_names_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let bytes = killed(&path("take.wav"), Bits::Int24, 8_000);
        for _ in 0..2 {
            fs::write(path("take.myriad-unfinished.wav"), &bytes).unwrap();
            recover_beside(&path("take.wav"));
        }
        assert!(path("take.recovered.wav").exists() && path("take.recovered-2.wav").exists());
    }
}
