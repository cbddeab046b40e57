//! Presets of single sections: an effect rack, an envelope, an LFO, a table, or all modulation, saved in a small
//! file and loaded into any patch.
//!
//! A preset is a patch file in which everything else has its default. So it keeps what parameters cannot say
//! (drawn waveforms, imported sounds, impulse responses), and later versions migrate it as any patch. An envelope
//! is saved as the first one of that patch, and loaded into any of them; LFOs and tables too.

use crate::explore::Section;
use crate::folders::WASTEBASKET;
use crate::library::{Library, file_name, free_file, write_whole};
use crate::{LibraryError, load};
use myriad_engine::Patch;
use myriad_engine::modulation::{ENVELOPES, LFOS};
use myriad_engine::params::Param;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a preset is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresetKind {
    /// The effect rack.
    Rack,
    /// One envelope.
    Envelope,
    /// One LFO, with its drawn waveform.
    Lfo,
    /// The table of one layer, with an imported sound.
    Table,
    /// All envelopes, LFOs, routes and macros.
    Modulation,
}

impl PresetKind {
    /// All kinds.
    pub const ALL: [PresetKind; 5] = [
        PresetKind::Rack,
        PresetKind::Envelope,
        PresetKind::Lfo,
        PresetKind::Table,
        PresetKind::Modulation,
    ];

    /// Name for users.
    pub fn name(self) -> &'static str {
        match self {
            PresetKind::Rack => "Rack",
            PresetKind::Envelope => "Envelope",
            PresetKind::Lfo => "LFO",
            PresetKind::Table => "Table",
            PresetKind::Modulation => "Modulation",
        }
    }

    /// The folder of its presets, beside that of the patches; also the category of their files.
    fn folder(self) -> &'static str {
        match self {
            PresetKind::Rack => "racks",
            PresetKind::Envelope => "envelopes",
            PresetKind::Lfo => "lfos",
            PresetKind::Table => "tables",
            PresetKind::Modulation => "modulation",
        }
    }

    /// Copies this section of one patch into another. `from` and `into` say which envelope, LFO or layer, from 0
    /// on.
    pub fn copy(self, (from, source): (&Patch, usize), (into, target): (&mut Patch, usize)) {
        match self {
            PresetKind::Rack => Section::Effects.copy(from, into),
            PresetKind::Modulation => {
                for section in [Section::Envelopes, Section::Lfos, Section::Routes] {
                    section.copy(from, into);
                }
            }
            PresetKind::Envelope => {
                copy_group("env", (from, source), (into, target));
                if source < ENVELOPES && target < ENVELOPES {
                    into.envelopes[target] = from.envelopes[source];
                }
            }
            PresetKind::Lfo => {
                copy_group("lfo", (from, source), (into, target));
                if source < LFOS && target < LFOS {
                    into.drawings[target] = from.drawings[source];
                }
            }
            PresetKind::Table => copy_table((from, source), (into, target)),
        }
    }
}

/// Copies the parameters of a numbered group, such as `env2`.
fn copy_group(name: &str, (from, source): (&Patch, usize), (into, target): (&mut Patch, usize)) {
    let source = format!("{name}{}", source + 1);
    for param in Param::ALL.iter().filter(|param| param.info().group() == source) {
        let twin = format!("{name}{}.{}", target + 1, param.info().key());
        if let Some(twin) = Param::by_id(&twin) {
            into.values.set(twin, from.values[*param]);
        }
    }
}

/// Copies the table of a layer: what it is, where in it, and how that moves.
fn copy_table((from, source): (&Patch, usize), (into, target): (&mut Patch, usize)) {
    const PARAMS: [[Param; 3]; 2] = [
        [Param::SourceTable, Param::SourcePosition, Param::SourceSpeed],
        [Param::LayerTable, Param::LayerPosition, Param::LayerSpeed],
    ];
    let (Some(sources), Some(targets)) = (PARAMS.get(source), PARAMS.get(target)) else {
        return;
    };
    for (source, target) in sources.iter().zip(targets) {
        into.values.set(*target, from.values[*source]);
    }
    into.tracks[target] = from.tracks[source].clone();
    // Both layers loop as the first one does.
    if target == 0 {
        for param in [Param::SourceLoop, Param::SourceLoopStart, Param::SourceLoopEnd] {
            into.values.set(param, from.values[param]);
        }
    }
}

/// A preset that was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name.
    pub name: String,
    file: PathBuf,
}

impl Library {
    /// The saved presets of a kind, by name. Files that are none are left out.
    pub fn presets(&self, kind: PresetKind) -> Vec<Preset> {
        let Ok(folder) = self.preset_folder(kind) else {
            return Vec::new();
        };
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
        let files = files.filter(|file| file.extension().is_some_and(|end| end == "toml"));
        let read = |file: PathBuf| Some(Preset { name: load(&file).ok()?.name, file });
        let mut presets: Vec<Preset> = files.filter_map(read).collect();
        presets.sort_by_cached_key(|preset| (preset.name.to_lowercase(), preset.file.clone()));
        presets
    }

    /// Saves a section of a patch. A name that is taken gets a number, so that nothing is replaced.
    ///
    /// # Errors
    /// When there is no name or no folder, or it cannot be written.
    pub fn save_preset(
        &self,
        kind: PresetKind,
        name: &str,
        patch: &Patch,
        index: usize,
    ) -> io::Result<Preset> {
        let name = name.trim();
        if name.is_empty() {
            return Err(io::Error::other("a preset has a name"));
        }
        let taken = self.presets(kind);
        let is_free = |name: &String| !taken.iter().any(|preset| preset.name == *name);
        let numbered = (2..).map(|number| format!("{name} {number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let mut preset = Patch::new();
        kind.copy((patch, index), (&mut preset, 0));
        preset.name = names.find(is_free).unwrap_or_default();
        preset.category = kind.folder().to_owned();
        preset.author = self.author().to_owned();
        let file = free_file(&self.preset_folder(kind)?, &file_name(&preset.name));
        write_whole(&file, &preset.to_toml())?;
        Ok(Preset { name: preset.name, file })
    }

    /// Loads a preset into a patch; `index` says which envelope, LFO or layer.
    ///
    /// # Errors
    /// When its file cannot be read or understood; the patch stays as it is then.
    pub fn load_preset(
        &self,
        kind: PresetKind,
        preset: &Preset,
        patch: &mut Patch,
        index: usize,
    ) -> Result<(), LibraryError> {
        let saved = load(&preset.file)?;
        kind.copy((&saved, 0), (patch, index));
        Ok(())
    }

    /// Moves a preset to the wastebasket, a folder beside it.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn delete_preset(&self, preset: &Preset) -> io::Result<()> {
        let folder = preset.file.parent().unwrap_or(Path::new(""));
        let basket = folder.join(WASTEBASKET);
        fs::create_dir_all(&basket)?;
        let stem = preset.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        fs::rename(&preset.file, free_file(&basket, &stem))
    }

    fn preset_folder(&self, kind: PresetKind) -> io::Result<PathBuf> {
        let folder = self.folder()?;
        Ok(folder.parent().unwrap_or(folder).join(kind.folder()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use myriad_engine::factory;
    use myriad_engine::modulation::Drawing;

    fn library(folder: &tempfile::TempDir) -> Library {
        Library::open(Some(folder.path().join("patches")))
    }

    /// What a preset has reaches the patch, and nothing else of it changes.
    #[test]
    fn every_kind_is_saved_and_loaded_into_any_place() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(&folder);
        let mut from = factory::find("Aurora").unwrap();
        from.values.set(Param::Env2Attack, 0.123);
        from.values.set(Param::Lfo3Rate, 3.25);
        from.drawings[2] = Drawing::new(&[0.0, 1.0, -0.5]);
        from.values.set(Param::LayerTable, 2.0);
        from.values.set(Param::LayerPosition, 0.75);
        let into = factory::find("Felt Grand").unwrap();
        let moved = |kind: PresetKind, source: usize, target: usize| {
            let preset = library.save_preset(kind, "Mine", &from, source).unwrap();
            assert_eq!(library.presets(kind), std::slice::from_ref(&preset));
            let mut patch = into.clone();
            library.load_preset(kind, &preset, &mut patch, target).unwrap();
            let mut expected = into.clone();
            kind.copy((&from, source), (&mut expected, target));
            assert_eq!(patch, expected, "{kind:?}");
            let back = library.save_preset(kind, "Back", &into, target).unwrap();
            library.load_preset(kind, &back, &mut patch, target).unwrap();
            assert_eq!(patch, into, "the rest of it was never touched: {kind:?}");
            expected
        };
        let patch = moved(PresetKind::Envelope, 1, 3);
        assert_eq!(patch.values[Param::Env4Attack], 0.123);
        let patch = moved(PresetKind::Lfo, 2, 0);
        assert_eq!(patch.values[Param::Lfo1Rate], 3.25);
        assert_eq!(patch.drawings[0], from.drawings[2]);
        let patch = moved(PresetKind::Table, 1, 0);
        assert_eq!(patch.values[Param::SourcePosition], 0.75);
        moved(PresetKind::Rack, 0, 0);
        let patch = moved(PresetKind::Modulation, 0, 0);
        assert_eq!(patch.routes, from.routes);
    }

    #[test]
    fn presets_replace_nothing_and_are_deleted_to_a_wastebasket() {
        let folder = tempfile::tempdir().unwrap();
        let library = library(&folder);
        let patch = factory::find("Aurora").unwrap();
        let save = |name: &str| library.save_preset(PresetKind::Rack, name, &patch, 0);
        let names = || {
            let presets = library.presets(PresetKind::Rack);
            presets.into_iter().map(|preset| preset.name).collect::<Vec<_>>()
        };
        assert!(save("  ").is_err());
        save("Hall").unwrap();
        let second = save(" Hall ").unwrap();
        save("../../Hall").unwrap();
        assert_eq!(names(), ["../../Hall", "Hall", "Hall 2"]);
        library.delete_preset(&second).unwrap();
        assert_eq!(names(), ["../../Hall", "Hall"]);
        assert!(folder.path().join("racks/wastebasket/hall-2.toml").is_file());
        let gone = library.load_preset(PresetKind::Rack, &second, &mut Patch::new(), 0);
        assert!(gone.unwrap_err().to_string().contains("hall-2.toml"));
        assert!(library.presets(PresetKind::Lfo).is_empty());
        assert!(Library::open(None).save_preset(PresetKind::Rack, "Hall", &patch, 0).is_err());
    }
}
