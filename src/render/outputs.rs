//! The files of a render: the mix and the stems.

use super::Job;
use myriad_player::assignment::{AssignedPart, PatchAssignment};
use myriad_player::failure::Failure;
use myriad_player::wav::{self, WavError, WavFile};
use std::path::{Path, PathBuf};

/// The path of the mix, which must be a WAV file or a device, and not the song.
pub(super) fn target(song: &Path, output: Option<&Path>) -> Result<PathBuf, Failure> {
    let target = match output {
        Some(output) => output.to_owned(),
        None => PathBuf::from(song.file_name().unwrap_or_default()).with_extension("wav"),
    };
    let shown = target.display();
    let same = (target.canonicalize(), song.canonicalize());
    if matches!(same, (Ok(a), Ok(b)) if a == b) {
        return Err(Failure::misuse(format!("{shown}: is the song itself; choose another -o")));
    }
    let is_wav = target.extension().is_some_and(|end| end.eq_ignore_ascii_case("wav"));
    let is_device = target.exists() && !target.is_file() && !target.is_dir();
    if !is_wav && !is_device {
        return Err(Failure::misuse(format!("{shown}: the output is a WAV file; end -o in .wav")));
    }
    Ok(target)
}

/// All files that one render writes.
pub(super) struct Outputs {
    mix: WavFile,
    stems: Vec<(PathBuf, WavFile)>,
}

impl Outputs {
    pub(super) fn create(job: &Job, assignment: &PatchAssignment) -> Result<Self, Failure> {
        let file =
            |path: &Path, seed| WavFile::create(path, job.settings.sample_rate, job.bits, seed);
        wav::recover_beside(&job.target);
        let mix = file(&job.target, 0)?;
        let mut stems = Vec::new();
        if job.settings.stems {
            for (path, seed) in stem_paths(&job.target, &assignment.parts).into_iter().zip(1..) {
                let stem = file(&path, seed)?;
                stems.push((path, stem));
            }
        }
        Ok(Self { mix, stems })
    }

    pub(super) fn write_mix(&mut self, block: [&[f32]; 2]) -> Result<(), WavError> {
        self.mix.write(block)
    }

    pub(super) fn write_stems(&mut self, blocks: &[[Vec<f32>; 2]]) -> Result<(), WavError> {
        for ((_, stem), block) in self.stems.iter_mut().zip(blocks) {
            stem.write(block.each_ref().map(Vec::as_slice))?;
        }
        Ok(())
    }

    /// Completes the files, all or none, and returns the paths of the stems.
    pub(super) fn finish(self) -> Result<Vec<PathBuf>, WavError> {
        let (paths, stems): (Vec<_>, Vec<_>) = self.stems.into_iter().unzip();
        // A full disk shows when files are completed, so none is renamed before all are complete.
        let complete = stems
            .into_iter()
            .chain([self.mix])
            .map(WavFile::complete)
            .collect::<Result<Vec<_>, WavError>>()?;
        for file in complete {
            file.publish()?;
        }
        Ok(paths)
    }
}

/// `mix.wav` gives `mix-bass.wav`: the name of the track or else of the patch, and the channel when two are
/// the same.
fn stem_paths(mix: &Path, parts: &[AssignedPart]) -> Vec<PathBuf> {
    let slugs: Vec<String> =
        parts.iter().map(|part| slug(part.track.as_deref().unwrap_or(&part.patch.name))).collect();
    let base = mix.file_stem().unwrap_or_default().to_string_lossy();
    let path = |(part, slug): (&AssignedPart, &String)| {
        let unique = slugs.iter().filter(|other| *other == slug).count() == 1;
        let name = match (slug.is_empty(), unique) {
            (true, _) => format!("{base}-channel-{}.wav", part.channel + 1),
            (false, true) => format!("{base}-{slug}.wav"),
            (false, false) => format!("{base}-{slug}-channel-{}.wav", part.channel + 1),
        };
        mix.with_file_name(name)
    };
    parts.iter().zip(&slugs).map(path).collect()
}

/// A name for any file system: lower case, with hyphens for other characters.
fn slug(name: &str) -> String {
    const LONGEST: usize = 40;
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let short: String = words.join("-").chars().take(LONGEST).collect();
    short.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::Patch;

    fn part(channel: u8, track: &str) -> AssignedPart {
        AssignedPart {
            channel,
            track: Some(track.to_owned()),
            patch: Patch::default(),
            follows_program: false,
        }
    }

    #[test]
    fn stems_have_distinct_names() {
        let parts = [part(0, "Lead / 1"), part(1, "Pad"), part(4, "pad"), part(9, "//")];
        let paths = stem_paths(Path::new("out/mix.wav"), &parts);
        let expected = ["lead-1", "pad-channel-2", "pad-channel-5", "channel-10"];
        for (path, expected) in paths.iter().zip(expected) {
            assert_eq!(path, &PathBuf::from(format!("out/mix-{expected}.wav")));
        }
    }

    #[test]
    fn the_target_is_a_wav_file() {
        let target = |output| target(Path::new("a/song.mid"), Some(Path::new(output)));
        assert!(target("song.mp3").is_err());
        assert!(target("song").is_err());
        assert_eq!(target("b/x.WAV").unwrap(), PathBuf::from("b/x.WAV"));
    }
}
