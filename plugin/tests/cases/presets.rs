//! Patches in the host's own browser: listed without an instance, and loaded into one.

use crate::audio_thread::Playing;
use crate::host::*;
use clack_extensions::preset_discovery::prelude::*;
use clack_host::prelude::*;
use myriad_engine::Patch;
use myriad_engine::patch::factory;
use std::ffi::{CStr, CString};
use std::path::Path;

/// What the plugin says about files and places.
#[derive(Default)]
struct Index {
    extensions: Vec<String>,
    /// The folder of each location, or nothing for the plugin itself.
    locations: Vec<String>,
}

fn string(text: Option<&CStr>) -> String {
    text.unwrap_or_default().to_str().unwrap().to_owned()
}

impl IndexerImpl for Index {
    fn declare_filetype(&mut self, kind: FileType) -> Result<(), HostError> {
        self.extensions.push(string(kind.file_extension));
        Ok(())
    }
    fn declare_location(&mut self, location: LocationInfo) -> Result<(), HostError> {
        self.locations.push(match location.location {
            Location::Plugin => String::new(),
            Location::File { path } => string(Some(path)),
        });
        Ok(())
    }
    fn declare_soundpack(&mut self, _: Soundpack) -> Result<(), HostError> {
        Ok(())
    }
}

/// A patch as the host's browser shows it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Listed {
    name: String,
    key: Option<String>,
    ids: Vec<String>,
    creators: Vec<String>,
    description: String,
    features: Vec<String>,
    user: bool,
    dated: bool,
}

/// All patches that the plugin lists, and why it does not list others.
#[derive(Default)]
struct List {
    presets: Vec<Listed>,
    errors: Vec<String>,
}

impl List {
    fn last(&mut self) -> &mut Listed {
        self.presets.last_mut().unwrap()
    }
}

impl MetadataReceiverImpl for List {
    fn on_error(&mut self, _code: i32, message: Option<&CStr>) {
        self.errors.push(string(message));
    }
    fn begin_preset(&mut self, name: Option<&CStr>, key: Option<&CStr>) -> Result<(), HostError> {
        let key = key.map(|key| string(Some(key)));
        self.presets.push(Listed { name: string(name), key, ..Listed::default() });
        Ok(())
    }
    fn add_plugin_id(&mut self, id: UniversalPluginId) {
        self.last().ids.push(string(Some(id.id)));
    }
    fn set_soundpack_id(&mut self, _id: &CStr) {}
    fn set_flags(&mut self, flags: Flags) {
        assert!(
            flags.contains(Flags::IS_FACTORY_CONTENT) != flags.contains(Flags::IS_USER_CONTENT)
        );
        self.last().user = flags.contains(Flags::IS_USER_CONTENT);
    }
    fn add_creator(&mut self, creator: &CStr) {
        self.last().creators.push(string(Some(creator)));
    }
    fn set_description(&mut self, description: &CStr) {
        self.last().description = string(Some(description));
    }
    fn set_timestamps(&mut self, _created: Option<Timestamp>, modified: Option<Timestamp>) {
        self.last().dated = modified.is_some();
    }
    fn add_feature(&mut self, feature: &CStr) {
        self.last().features.push(string(Some(feature)));
    }
    fn add_extra_info(&mut self, _key: &CStr, _value: &CStr) {}
}

fn entry() -> PluginEntry {
    // SAFETY: the entry is that of the plugin this test is linked with.
    unsafe { PluginEntry::load_from_raw(&myriad_plugin::clap_entry, c"") }.unwrap()
}

fn provider(entry: &PluginEntry) -> Provider<Index> {
    let factory: PresetDiscoveryFactory = entry.get_factory().unwrap();
    assert_eq!(factory.provider_count(), 1);
    let id = factory.get_provider_descriptor(0).unwrap().id().unwrap();
    let info = HostInfo::new("Test", "Myriad", "", "1").unwrap();
    Provider::instantiate(Index::default(), entry, id, &info).unwrap()
}

fn c_path(path: &Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

/// A patch of the user's in a file.
fn saved(folder: &Path) -> (Patch, CString) {
    let mut patch = factory::find("Tide").unwrap();
    patch.name = "Mine: ä".into();
    patch.author = "Ada".into();
    let file = folder.join("mine.toml");
    std::fs::write(&file, patch.to_toml()).unwrap();
    (patch, c_path(&file))
}

#[test]
fn the_host_lists_factory_patches_and_files() {
    let entry = entry();
    let mut provider = provider(&entry);
    assert_eq!(provider.indexer().extensions, ["toml"]);
    assert_eq!(provider.indexer().locations[0], "");
    let mut list = List::default();
    provider.get_metadata(Location::Plugin, &mut list);
    assert_eq!(list.presets.len(), factory::patches().len());
    let aurora = list.presets.iter().find(|preset| preset.name == "Aurora").unwrap();
    let patch = factory::find("Aurora").unwrap();
    assert_eq!(aurora.key.as_deref(), Some("Aurora"));
    assert_eq!((&aurora.ids[..], aurora.user), (&["org.myriad.myriad".to_owned()][..], false));
    assert_eq!(aurora.creators, [patch.author]);
    assert_eq!(aurora.description, patch.description);
    assert_eq!(aurora.features[0], patch.category);
    assert_eq!(aurora.features[1..], patch.tags);

    let folder = tempfile::tempdir().unwrap();
    let (patch, file) = saved(folder.path());
    let mut list = List::default();
    provider.get_metadata(Location::File { path: &file }, &mut list);
    let [mine] = &list.presets[..] else { panic!("one patch a file") };
    assert_eq!((&mine.name, &mine.key), (&patch.name, &None));
    assert_eq!((mine.user, mine.dated, &mine.creators[..]), (true, true, &["Ada".to_owned()][..]));

    // Deleted patches are not listed, and what is no patch is named.
    let basket = folder.path().join("wastebasket");
    std::fs::create_dir(&basket).unwrap();
    std::fs::copy(folder.path().join("mine.toml"), basket.join("mine.toml")).unwrap();
    std::fs::write(folder.path().join("other.toml"), "volume = 3").unwrap();
    let mut list = List::default();
    let deleted = c_path(&basket.join("mine.toml"));
    provider.get_metadata(Location::File { path: &deleted }, &mut list);
    assert!(list.presets.is_empty() && list.errors.is_empty());
    let other = c_path(&folder.path().join("other.toml"));
    provider.get_metadata(Location::File { path: &other }, &mut list);
    assert!(list.presets.is_empty());
    assert!(list.errors[0].contains("other.toml:1"), "{:?}", list.errors);
}

/// A patch that the host loads sounds as one that the editor has loaded, also while a note sounds.
#[test]
fn the_host_loads_a_patch_into_an_instance() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = saved(folder.path());
    let notes = [(0, on(48)), (4_000, on(60))];
    let expected = |name: &str| {
        let mut host = Host::new();
        let patch = factory::find(name).unwrap();
        let state = with_fields(&mut host, &[("patch", patch.to_toml())]);
        let mut state: serde_json::Value = serde_json::from_slice(&state[8..]).unwrap();
        for param in myriad_engine::params::Param::ALL {
            let (info, value) = (param.info(), patch.values[*param]);
            state["params"][info.id] = match info.kind {
                myriad_engine::params::Kind::Number { .. } => {
                    serde_json::json!({ "f32": info.kind.to_scale(value) })
                }
                _ => serde_json::json!({ "i32": value as i32 }),
            };
        }
        assert!(host.load(&*with_length(&state.to_string())));
        host
    };
    let mut host = Host::new();
    let pan = host.id("Amp Pan");
    host.flush(&[HostEvent::Set(pan, 0.1)]);
    let mut direct = expected("Aurora");
    assert_eq!(host.load_preset(Location::Plugin, Some(c"Aurora")), Ok(()));
    assert_eq!(host.values(), direct.values());
    assert_eq!(host.save(), direct.save());
    let played = host.play(&blocks(256, 12_000), &notes);
    assert!(peak(&played.sound[0]) > 0.01);
    assert_eq!(played, direct.play(&blocks(256, 12_000), &notes));
    let mut tide = expected("Tide");
    assert_eq!(host.load_preset(Location::File { path: &file }, None), Ok(()));
    assert_eq!(host.values(), tide.values());

    // What cannot be loaded changes nothing, and the host is told why.
    let before = host.save();
    let none = host.load_preset(Location::Plugin, Some(c"Arora")).unwrap_err();
    assert_eq!(none, "no factory patch is called 'Arora'");
    let missing = c_path(&folder.path().join("missing.toml"));
    let none = host.load_preset(Location::File { path: &missing }, None).unwrap_err();
    assert!(none.contains("missing.toml"), "{none}");
    assert!(host.load_preset(Location::Plugin, None).is_err());
    assert_eq!(host.save(), before);
}

#[test]
fn patches_are_loaded_while_the_audio_thread_runs() {
    let mut host = Host::new();
    let playing = Playing::start(&mut host);
    let blocks = || playing.heard.lock().unwrap().blocks;
    for name in [c"Aurora", c"Tide", c"Night Bass", c"Aurora"] {
        let before = blocks();
        assert_eq!(host.load_preset(Location::Plugin, Some(name)), Ok(()));
        while blocks() == before {
            std::thread::yield_now();
        }
    }
    playing.end(&mut host);
    let mut direct = Host::new();
    assert_eq!(direct.load_preset(Location::Plugin, Some(c"Aurora")), Ok(()));
    assert_eq!(host.save(), direct.save());
}

#[test]
fn macros_have_the_names_of_the_patch() {
    let mut host = Host::new();
    let names = |host: &mut Host| -> Vec<String> {
        host.params().into_iter().take(8).map(|info| info.name).collect()
    };
    let renamed = |host: &mut Host| host.instance.access_handler(|told| told.renamed.take());
    let plain: Vec<_> = (1..=8).map(|number| format!("Macro {number}")).collect();
    assert_eq!((names(&mut host), renamed(&mut host)), (plain.clone(), 0));
    for name in ["Aurora", "Night Bass"] {
        let patch = factory::find(name).unwrap();
        let expected = patch.macro_names.iter().zip(&plain).map(|(name, plain)| match &**name {
            "" => plain.clone(),
            name => name.into(),
        });
        let expected: Vec<_> = expected.collect();
        assert_ne!(expected, plain, "{name} names its macros");
        let key = CString::new(name).unwrap();
        for times in [1, 0] {
            assert_eq!(host.load_preset(Location::Plugin, Some(&key)), Ok(()));
            assert_eq!((names(&mut host), renamed(&mut host)), (expected.clone(), times));
        }
    }
    let saved = host.save();
    let mut restored = Host::new();
    assert!(restored.load(&saved[..]));
    assert_eq!(names(&mut restored), names(&mut host));
    // A name that is too long is cut where a letter ends.
    let mut patch = factory::find("Aurora").unwrap();
    patch.macro_names[0] = "ä".repeat(200);
    let state = with_fields(&mut host, &[("patch", patch.to_toml())]);
    assert!(host.load(&state[..]));
    assert_eq!(names(&mut host)[0], "ä".repeat(127));
}
