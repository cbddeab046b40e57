//! The files of a render: the mix, and the stems named after what they hold.

use super::{Job, same_file};
use myriad_player::assignment::{AssignedPart, PatchAssignment};
use myriad_player::failure::Failure;
use myriad_player::song_render::SongRender;
use myriad_player::wav::{WavError, WavFile};
use std::path::{Path, PathBuf};

/// Where the mix goes.
///
/// # Errors
/// When that would not be a WAV file, or would overwrite the song.
pub(super) fn target(song: &Path, output: Option<&Path>) -> Result<PathBuf, Failure> {
    let target = match output {
        Some(output) => output.to_owned(),
        None => PathBuf::from(song.file_name().unwrap_or_default()).with_extension("wav"),
    };
    let shown = target.display();
    if same_file(&target, song) {
        return Err(Failure::misuse(format!(
            "{shown}: is the song itself; choose another -o"
        )));
    }
    let is_wav = target
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("wav"));
    let is_device = target.exists() && !target.is_file() && !target.is_dir();
    if !is_wav && !is_device {
        return Err(Failure::misuse(format!(
            "{shown}: only WAV is written; end -o in .wav"
        )));
    }
    Ok(target)
}

/// All files that one render writes.
pub(super) struct Outputs {
    mix: WavFile,
    stems: Vec<(PathBuf, WavFile)>,
}

impl Outputs {
    /// Begins the files.
    pub(super) fn create(job: &Job, assignment: &PatchAssignment) -> Result<Self, Failure> {
        let file =
            |path: &Path, seed| WavFile::create(path, job.settings.sample_rate, job.bits, seed);
        let mix = file(&job.target, 0)?;
        let mut stems = Vec::new();
        if job.settings.stems {
            for (path, seed) in stem_paths(&job.target, &assignment.roles)
                .into_iter()
                .zip(1..)
            {
                let stem = file(&path, seed)?;
                stems.push((path, stem));
            }
        }
        Ok(Self { mix, stems })
    }

    pub(super) fn write_mix(&mut self, block: [&[f32]; 2]) -> Result<(), WavError> {
        self.mix.write(block)
    }

    pub(super) fn write_stems(&mut self, song_render: &SongRender) -> Result<(), WavError> {
        for (part, (_, stem)) in self.stems.iter_mut().enumerate() {
            stem.write(song_render.stem(part))?;
        }
        Ok(())
    }

    /// Lets the files appear, all or none, and tells where the stems are.
    pub(super) fn finish(self) -> Result<Vec<PathBuf>, WavError> {
        let (paths, stems): (Vec<_>, Vec<_>) = self.stems.into_iter().unzip();
        // A disk that is full shows when files are completed; only then do any get their names.
        let sealed = stems
            .into_iter()
            .chain([self.mix])
            .map(WavFile::seal)
            .collect::<Result<Vec<_>, WavError>>()?;
        for file in sealed {
            file.reveal()?;
        }
        Ok(paths)
    }
}

/// `mix.wav` gives `mix-bass.wav`, after the track or else the patch; when two are alike, with
/// their channels.
fn stem_paths(mix: &Path, roles: &[AssignedPart]) -> Vec<PathBuf> {
    let slugs: Vec<String> = roles
        .iter()
        .map(|role| slug(role.track.as_deref().unwrap_or(&role.patch.name)))
        .collect();
    let base = mix
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let path = |(role, slug): (&AssignedPart, &String)| {
        let unique = slugs.iter().filter(|other| *other == slug).count() == 1;
        let name = match (slug.is_empty(), unique) {
            (true, _) => format!("{base}-channel-{}.wav", role.channel + 1),
            (false, true) => format!("{base}-{slug}.wav"),
            (false, false) => format!("{base}-{slug}-channel-{}.wav", role.channel + 1),
        };
        mix.with_file_name(name)
    };
    roles.iter().zip(&slugs).map(path).collect()
}

/// A name fit for any file system: lower case, and hyphens for everything unusual.
fn slug(name: &str) -> String {
    const LONGEST: usize = 40;
    let words: Vec<String> = name
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let joined = words.join("-");
    joined
        .chars()
        .take(LONGEST)
        .collect::<String>()
        .trim_end_matches('-')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::Patch;

    fn role(channel: u8, track: &str) -> AssignedPart {
        AssignedPart {
            channel,
            track: Some(track.to_owned()),
            patch: Patch::default(),
            follows_program: false,
        }
    }

    #[test]
    fn stems_are_named_apart() {
        let roles = [
            role(0, "Lead / 1"),
            role(1, "Pad"),
            role(4, "pad"),
            role(9, "//"),
        ];
        let paths = stem_paths(Path::new("out/mix.wav"), &roles);
        let expected = ["lead-1", "pad-channel-2", "pad-channel-5", "channel-10"];
        for (path, expected) in paths.iter().zip(expected) {
            assert_eq!(path, &PathBuf::from(format!("out/mix-{expected}.wav")));
        }
    }

    #[test]
    fn the_song_is_never_the_target() {
        let target = |output| target(Path::new("a/song.mid"), Some(Path::new(output)));
        assert!(target("song.mp3").is_err());
        assert!(target("song").is_err());
        assert_eq!(target("b/x.WAV").unwrap(), PathBuf::from("b/x.WAV"));
    }
}
