//! Files that are dropped on the editor.

use super::*;
use egui_kittest::kittest::NodeT;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

pub(super) fn drop_file(window: &mut Window<'_>, file: &Path) {
    window.input_mut().dropped_files.push(Arc::new(Dropped(file.to_owned())));
    window.run_steps(1);
}

pub(super) fn fixture(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../import/fixtures")).join(name)
}

/// Lets the editor work until no import is under way.
pub(super) fn until_imported(window: &mut Window<'_>) {
    let give_up = Instant::now() + Duration::from_mins(5);
    window.run_steps(1);
    while window.query_by_label("Cancel import").is_some() {
        assert!(Instant::now() < give_up, "the import does not end");
        std::thread::sleep(Duration::from_millis(5));
        window.run_steps(1);
    }
    window.run_steps(2);
}

fn key(window: &Window<'_>) -> f32 {
    window.state().host.patch().tracks[0].as_ref().unwrap().key()
}

/// The text of the line that says what became of a file.
pub(super) fn note(window: &Window<'_>) -> Option<String> {
    let node =
        window.query_by(|node| node.value().is_some_and(|text| text.starts_with("Import: ")))?;
    NodeT::accesskit_node(&node).value()
}

/// A file becomes the room of the sound that was there before it.
#[test]
fn a_dropped_impulse_response_goes_into_the_convolver() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(Some(folder.path().into()));
    let mut window = open_with(library, "Felt Grand", "Effects", Vec2::from(Editor::SIZE));
    let before = window.state().host.patch();
    let response = folder.path().join("church.wav");
    let spec = hound::WavSpec {
        channels: 2,
        sample_rate: 48_000,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut wav = hound::WavWriter::create(&response, spec).unwrap();
    for frame in 0..9_600 {
        let level = 0.5 * (-f64::from(frame) / 2_000.0).exp();
        let noise = f64::from(frame * frame % 1_013) / 506.5 - 1.0;
        wav.write_sample((level * noise) as f32).unwrap();
        wav.write_sample((-level * noise) as f32).unwrap();
    }
    wav.finalize().unwrap();
    drop_file(&mut window, &response);
    until_imported(&mut window);
    window.get_by_label("Impulse").click();
    until_imported(&mut window);
    let patch = window.state().host.patch();
    assert_eq!(note(&window).unwrap(), "Import: Felt Grand is heard through church.wav.");
    assert_eq!((&patch.name, &patch.tracks), (&before.name, &before.tracks));
    assert_eq!(patch.values[Param::ConvolverOn], 1.0);
    let seconds = patch.impulse.as_ref().unwrap().seconds();
    assert!((seconds - 0.2).abs() < 0.02, "{seconds}");
}

#[test]
fn a_dropped_recording_is_trimmed_tuned_saved_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(Some(folder.path().into()));
    let mut window = open_with(library, "Aurora", "Source", Vec2::from(Editor::SIZE));
    drop_file(&mut window, &fixture("tone.flac"));
    until_imported(&mut window);
    assert_eq!(window.state().host.patch().name, "tone");
    assert!((key(&window) - 69.0).abs() < 0.1, "{}", key(&window));

    // Half of it is left, at the same pitch.
    let handle = centre(&window, "Trim start");
    let end = centre(&window, "Trim end");
    let before = window.state().host.patch();
    drag(&mut window, handle, handle + 0.5 * (end - handle), Modifiers::NONE);
    until_imported(&mut window);
    assert_ne!(window.state().host.patch(), before);
    assert!((key(&window) - 69.0).abs() < 0.1, "{}", key(&window));

    // An octave up, and detected again.
    window.get_by_label("Root key octave up").click();
    until_imported(&mut window);
    assert!((key(&window) - 81.0).abs() < 0.1, "{}", key(&window));
    window.get_by_label("Detect the root key").click();
    until_imported(&mut window);
    assert!((key(&window) - 69.0).abs() < 0.1, "{}", key(&window));

    window.get_by_label("Save as…").click();
    window.run_steps(3);
    window.key_press(Key::Enter);
    window.run_steps(3);
    assert!(folder.path().join("tone.toml").exists());
    for _ in 0..4 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(2);
    }
    assert_eq!(window.state().host.patch().name, "Aurora");
}

/// Bursts of noise are no note: they are taken as any sound by themselves, a note becomes one by a click, and
/// both are trimmed.
#[test]
fn any_sound_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(Some(folder.path().into()));
    let mut window = open_with(library, "Aurora", "Source", Vec2::from(Editor::SIZE));
    let loop_file = folder.path().join("loop.wav");
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 48_000,
        bits_per_sample: 32,
        sample_format: hound::SampleFormat::Float,
    };
    let mut wav = hound::WavWriter::create(&loop_file, spec).unwrap();
    let mut state = 1_u32;
    for frame in 0..48_000_u32 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
        let decay = (-((frame % 12_000) as f32) / 1_500.0).exp();
        wav.write_sample(0.5 * decay * noise).unwrap();
    }
    wav.finalize().unwrap();
    drop_file(&mut window, &loop_file);
    until_imported(&mut window);
    assert_eq!(window.state().host.patch().name, "loop");
    assert_eq!(key(&window).round(), 60.0);
    assert!(window.query_by_label("Root key octave up").is_none(), "it has no pitch");

    let whole = window.state().host.patch();
    let [handle, end] = ["Trim start", "Trim end"].map(|name| centre(&window, name));
    drag(&mut window, handle, handle + 0.5 * (end - handle), Modifiers::NONE);
    until_imported(&mut window);
    assert_ne!(window.state().host.patch(), whole);

    window.get_by_label("Recording").click();
    until_imported(&mut window);
    assert!(note(&window).unwrap().contains("take it as Any sound"), "{:?}", note(&window));
    window.get_by_label("Any sound").click();
    until_imported(&mut window);
    assert_eq!(window.state().host.patch().tracks, whole.tracks);

    drop_file(&mut window, &fixture("tone.flac"));
    until_imported(&mut window);
    assert!((key(&window) - 69.0).abs() < 0.1, "{}", key(&window));
    window.get_by_label("Any sound").click();
    until_imported(&mut window);
    assert_eq!(key(&window).round(), 60.0);
    window.get_by_label("Recording").click();
    until_imported(&mut window);
    assert!((key(&window) - 69.0).abs() < 0.1, "{}", key(&window));
}

/// A picture is imported like a sound: its length, pitches and paper are changed, and undo brings back
/// what was there.
#[test]
fn a_dropped_picture_is_stretched_looped_and_undone() {
    let mut window = open("Aurora", "Source");
    drop_file(&mut window, &fixture("drawing.jpg"));
    until_imported(&mut window);
    let drawn = window.state().host.patch();
    assert_eq!(drawn.name, "drawing");
    assert!((key(&window) - 60.0).abs() < 1e-3);
    assert!(drawn.tracks[1].is_some(), "colours are two layers");
    assert!(window.query_by_label("Picture of 64 × 96 pixels, 4.00 seconds").is_some());
    window.state_mut().host.note_on(60, 1.0);
    window.run_steps(4);
    let mut snapshot = Snapshot::new();
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.clouds.len(), 2, "a cloud for each side");
    window.state_mut().host.note_off(60);

    let mut last = drawn.clone();
    for (button, steps) in
        [("Length doubled", 1), ("Highest pitch octave down", 1), ("Lowest pitch semitone up", 1)]
    {
        for _ in 0..steps {
            window.get_by_label(button).click();
            until_imported(&mut window);
        }
        assert_ne!(window.state().host.patch(), last, "{button}");
        last = window.state().host.patch();
    }
    assert!(window.query_by_label("Picture of 64 × 96 pixels, 8.00 seconds").is_some());
    // The last one keeps what was set before, and reads the file again.
    window.get_by_label("Ink on paper").click();
    until_imported(&mut window);
    assert_ne!(window.state().host.patch(), last);
    assert!(window.query_by_label("Picture of 64 × 96 pixels, 8.00 seconds").is_some());
    for _ in 0..5 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(2);
    }
    assert_eq!(window.state().host.patch().name, "Aurora");
}

/// What the sound in the window plays is saved as a picture, which can be dropped on the window again.
#[test]
fn a_sound_is_saved_as_a_picture_and_dropped_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tonewheel.png");
    let mut window = open("Tonewheel", "Source");
    window.get_by_label("Browse patches").click();
    window.run_steps(2);
    assert!(window.query_by_label("Picture…").is_some(), "the browser offers it");
    let ctx = window.ctx.clone();
    let fixture = window.state_mut();
    fixture.editor.save_picture(&ctx, &fixture.host, &file);
    until_imported(&mut window);
    assert_eq!(note(&window), Some(format!("Import: Saved as {}.", file.display())));
    drop_file(&mut window, &file);
    until_imported(&mut window);
    assert_eq!(window.state().host.patch().name, "tonewheel");
    assert!(window.query_by_label("Picture of 500 × 2160 pixels, 4.00 seconds").is_some());

    // Where it cannot be written it says so, and the sound stays.
    let nowhere = folder.path().join("nowhere/x.png");
    let fixture = window.state_mut();
    fixture.editor.save_picture(&ctx, &fixture.host, &nowhere);
    until_imported(&mut window);
    let said = note(&window).unwrap();
    assert!(said.contains("could not be written"), "{said}");
    assert_eq!(window.state().host.patch().name, "tonewheel");
}

/// The import goes on without the window, and ends when it is cancelled: then nothing has changed.
#[test]
fn an_import_is_cancelled() {
    let mut window = open("Aurora", "Source");
    drop_file(&mut window, &fixture("tone.aiff"));
    // The ring is there in the frame after the drop, before any import can be taken over.
    window.key_press(Key::Escape);
    window.run_steps(3);
    assert!(window.query_by_label("Cancel import").is_none());
    assert_eq!(window.state().host.patch().name, "Aurora");
    assert!(window.query_by_label("Source Position").is_some(), "the pages are back");
}

#[test]
fn patches_scales_and_songs_are_told_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open("Aurora", "Source");
    let mut drop_text = |name: &str, bytes: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        drop_file(&mut window, &file);
        until_imported(&mut window);
        (window.state().host.patch().name.clone(), note(&window).unwrap_or_default())
    };
    let mut mine = factory::find("Tide").unwrap();
    mine.name = "Mine".into();
    let (name, note) = drop_text("mine.toml", mine.to_toml().as_bytes());
    assert_eq!((name.as_str(), note.as_str()), ("Mine", "Import: Loaded the patch Mine."));
    for (file, bytes, said) in [
        ("bad.toml", &b"name = 3"[..], "bad.toml"),
        ("bad.scl", b"! nothing", "bad.scl: "),
        ("early.kbm", b"0\n0\n127\n69\n69\n432.0\n1\n", "needs a scale"),
        ("good.scl", b"x\n 1\n 2/1\n", "tuned by good"),
        ("map.kbm", b"0\n0\n127\n69\n69\n432.0\n1\n", "tuned by good"),
        ("song.mid", b"MThd", "track of the host"),
        ("note.txt", b"text", "not a sound or picture that can be read"),
        ("cut.wav", b"RIFF\x10\0\0\0WAVEfmt ", "cut short"),
        ("empty.wav", b"", "not a sound or picture that can be read"),
        ("cut.png", b"\x89PNG\r\n\x1a\n\0\0", "a PNG picture that is cut short"),
        ("bad.jpg", b"\xFF\xD8\xFF\xE0x\xFF\xD9", "a damaged JPEG picture"),
    ] {
        let (name, note) = drop_text(file, bytes);
        assert_eq!(name, "Mine", "{file} changes nothing");
        assert!(note.contains(said) && !note.contains('\n'), "{file}: {note}");
    }
}

/// A pack is added to the user's patches and says how many; the sound stays as it is.
#[test]
fn a_dropped_pack_is_added_to_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let mut from = Library::open(Some(folder.path().join("from")));
    for name in ["Tide", "Aurora"] {
        from.save_new(&factory::find(name).unwrap()).unwrap();
    }
    let own: Vec<_> = from.entries().iter().filter(|entry| entry.file.is_some()).collect();
    let pack = folder.path().join("Two.zip");
    myriad_library::write_pack(&own, &pack).unwrap();

    let library = Library::open(Some(folder.path().join("to")));
    let mut window = open_with(library, "Felt Grand", "Source", Vec2::from(Editor::SIZE));
    drop_file(&mut window, &pack);
    window.run_steps(2);
    assert_eq!(note(&window).unwrap(), "Import: 2 patches added to the folder Two.");
    assert_eq!(window.state().host.patch().name, "Felt Grand");
    window.state_mut().editor.show_import(false);
    window.state_mut().editor.show_browser(true);
    window.run_steps(3);
    window.get_by_label("Folder Two").click();
    window.run_steps(3);
    assert_eq!(window.query_all_by_label("Tide").count(), 1);

    let broken = folder.path().join("broken.zip");
    std::fs::write(&broken, "no archive").unwrap();
    window.state_mut().editor.show_browser(false);
    drop_file(&mut window, &broken);
    window.run_steps(2);
    assert!(note(&window).unwrap().contains("broken.zip: not a pack"));
}
