//! The editor used like a user does: clicked, dragged and typed into, with a real engine and no
//! window. Widgets are found by their accessibility labels.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops here")]

mod browser;
mod damaged;
mod envelope;
mod explore;
mod harmonics;
mod import;
mod layers;
mod lfo;
mod output;
mod presets;
mod routes;
mod sources;
mod tuning;

use egui::{Event, Key, Modifiers, MouseWheelUnit, Pos2, Rect, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use myriad_editor::{Editor, EditorHost, Library, LocalHost, group_name, name_of};
use myriad_engine::modulation::Source;
use myriad_engine::params::{Kind, Param, TABLE};
use myriad_engine::patch::factory;
use myriad_engine::{Patch, Snapshot};

/// A patch in which everything has its default.
const PLAIN: &str = "plain";

struct Fixture {
    editor: Editor,
    host: LocalHost,
}

type Window<'a> = Harness<'a, Fixture>;

fn open<'a>(patch: &str, page: &str) -> Window<'a> {
    open_sized(patch, page, Vec2::from(Editor::SIZE))
}

fn open_sized<'a>(patch: &str, page: &str, size: Vec2) -> Window<'a> {
    open_with(Library::open(None), patch, page, size)
}

fn open_with<'a>(library: Library, patch: &str, page: &str, size: Vec2) -> Window<'a> {
    let patch = match patch {
        PLAIN => Patch::new(),
        patch => factory::find(patch).unwrap(),
    };
    let mut editor = Editor::new(library);
    editor.show_page(page);
    let fixture = Fixture { editor, host: LocalHost::new(patch).unwrap() };
    let mut window = Harness::builder().with_size(size).with_step_dt(1.0 / 30.0).build_ui_state(
        |ui, fixture: &mut Fixture| {
            fixture.host.advance(1.0 / 30.0);
            fixture.editor.ui(ui, &mut fixture.host);
        },
        fixture,
    );
    window.run_steps(3);
    window
}

fn value(window: &Window<'_>, param: Param) -> f32 {
    window.state().host.value(param)
}

fn centre(window: &Window<'_>, label: &str) -> Pos2 {
    window.get_by_label(label).rect().center()
}

/// Presses at `from`, moves in steps, lets go at `to`.
fn drag(window: &mut Window<'_>, from: Pos2, to: Pos2, modifiers: Modifiers) {
    window.event(Event::ModifiersChanged(modifiers));
    window.hover_at(from);
    window.run_steps(1);
    window.drag_at(from);
    for step in 1..=10 {
        window.hover_at(from + (to - from) * (step as f32 / 10.0));
    }
    window.run_steps(1);
    window.event(Event::PointerButton {
        pos: to,
        button: egui::PointerButton::Primary,
        pressed: false,
        modifiers,
    });
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    window.run_steps(2);
}

fn double_click(window: &mut Window<'_>, at: Pos2) {
    // Long enough after the last click for this not to be the third.
    window.run_steps(25);
    click(window, at, 2);
}

/// Clicks `count` times, quickly.
fn click(window: &mut Window<'_>, at: Pos2, times: usize) {
    window.hover_at(at);
    for pressed in [true, false].repeat(times) {
        window.event(Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        });
    }
    window.run_steps(2);
}

#[test]
fn a_knob_is_dragged_finely_reset_and_undone() {
    let mut window = open(PLAIN, "Source");
    let start = value(&window, Param::SourcePosition);
    let knob = centre(&window, "Source Position");
    drag(&mut window, knob, knob - vec2(0.0, 60.0), Modifiers::NONE);
    let coarse = value(&window, Param::SourcePosition);
    assert!(coarse > start + 0.1, "{start} to {coarse}");
    drag(&mut window, knob, knob - vec2(0.0, 60.0), Modifiers::SHIFT);
    let fine = value(&window, Param::SourcePosition);
    assert!(fine > coarse && fine - coarse < 0.2 * (coarse - start));
    assert_eq!(window.state().host.open_gestures, 0);

    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(value(&window, Param::SourcePosition), coarse);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(value(&window, Param::SourcePosition), start);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    window.run_steps(2);
    assert_eq!(value(&window, Param::SourcePosition), coarse);

    double_click(&mut window, knob);
    let default = Param::SourcePosition.info().default;
    assert_eq!(value(&window, Param::SourcePosition), default);
    assert_eq!(window.state().host.open_gestures, 0);
}

#[test]
fn the_logo_tells_the_version() {
    let window = open(PLAIN, "Source");
    let logo = window.get_by_label(concat!("Myriad ", env!("CARGO_PKG_VERSION"))).rect();
    assert!(logo.left() < 100.0 && logo.top() < 60.0, "{logo:?}");
}

#[test]
fn a_value_is_typed_exactly() {
    let mut window = open(PLAIN, "Filter");
    window.get_by_label("Filter Cutoff value").click();
    window.run_steps(3);
    window.event(Event::Text("1.5 kHz".into()));
    window.run_steps(1);
    window.key_press(Key::Enter);
    window.run_steps(2);
    assert_eq!(value(&window, Param::FilterCutoff), 1_500.0);
    // Invalid text and Escape change nothing.
    for (text, key) in [("loud", Key::Enter), ("200", Key::Escape)] {
        window.get_by_label("Filter Cutoff value").click();
        window.run_steps(3);
        window.event(Event::Text(text.into()));
        window.run_steps(1);
        window.key_press(key);
        window.run_steps(2);
        assert_eq!(value(&window, Param::FilterCutoff), 1_500.0, "{text}");
    }
}

#[test]
fn wheel_and_arrow_keys_turn_what_they_point_at() {
    let mut window = open(PLAIN, "Source");
    let knob = centre(&window, "Unison Detune");
    let start = value(&window, Param::UnisonDetune);
    window.hover_at(knob);
    window.run_steps(2);
    for _ in 0..3 {
        window.event(Event::MouseWheel {
            unit: MouseWheelUnit::Line,
            delta: vec2(0.0, 1.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers: Modifiers::NONE,
        });
    }
    window.run_steps(3);
    let turned = value(&window, Param::UnisonDetune);
    assert!(turned > start);
    window.get_by_label("Unison Detune").focus();
    window.run_steps(2);
    window.key_press(Key::ArrowDown);
    window.run_steps(2);
    assert!(value(&window, Param::UnisonDetune) < turned);
}

#[test]
fn tab_reaches_every_knob_of_the_page() {
    let mut window = open(PLAIN, "Source");
    let wanted = ["Source Position", "Unison Detune", "Pitch Glide", "Macro 8"];
    let mut reached = [false; 4];
    for _ in 0..120 {
        window.key_press(Key::Tab);
        window.run_steps(1);
        for (reached, label) in reached.iter_mut().zip(wanted) {
            *reached |= window.get_by_label(label).is_focused();
        }
    }
    assert_eq!(reached, [true; 4]);
}

#[test]
fn a_source_dragged_onto_a_knob_moves_it() {
    let mut window = open(PLAIN, "Source");
    let (chip, knob) = (centre(&window, "LFO 2 source"), centre(&window, "Source Position"));
    drag(&mut window, chip, knob, Modifiers::NONE);
    let routes = window.state().host.patch().routes.clone();
    assert_eq!(routes.len(), 1);
    assert_eq!(routes[0].source, Source::Lfo2);
    assert_eq!(routes[0].target, Param::SourcePosition);
    // The dot beside the knob changes the amount, and the engine moves the parameter.
    let bead = centre(&window, "LFO 2 to Source Position");
    drag(&mut window, bead, bead - vec2(0.0, 30.0), Modifiers::NONE);
    let deeper = window.state().host.patch().routes[0].amount;
    assert!(deeper > routes[0].amount);
    window.state_mut().host.note_on(60, 1.0);
    let mut heard = Vec::new();
    let mut snapshot = Snapshot::new();
    for _ in 0..60 {
        window.run_steps(1);
        window.state_mut().host.snapshot(&mut snapshot);
        heard.push(snapshot.heard[Param::SourcePosition]);
    }
    let (low, high) =
        heard.iter().fold((1.0_f32, 0.0_f32), |(low, high), &x| (low.min(x), high.max(x)));
    assert!(high - low > 0.1, "{low} to {high}");

    for _ in 0..2 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(2);
    }
    assert!(window.state().host.patch().routes.is_empty());
}

#[test]
fn the_filter_is_dragged_over_the_cloud() {
    let mut window = open("Aurora", "Source");
    let before = (value(&window, Param::FilterCutoff), value(&window, Param::FilterResonance));
    let handle = centre(&window, "Filter handle");
    drag(&mut window, handle, handle + vec2(200.0, -40.0), Modifiers::NONE);
    assert!(value(&window, Param::FilterCutoff) > 2.0 * before.0);
    assert!(value(&window, Param::FilterResonance) > before.1 + 0.1);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    let after = (value(&window, Param::FilterCutoff), value(&window, Param::FilterResonance));
    assert_eq!(after, before);
}

#[test]
fn a_curve_is_drawn_by_its_points() {
    let mut window = open(PLAIN, "Filter");
    let point = centre(&window, "Curve 1 oct up");
    drag(&mut window, point, point + vec2(0.0, 40.0), Modifiers::NONE);
    assert!(value(&window, Param::Curve5) < -6.0);
    assert_eq!(value(&window, Param::Curve4), 0.0);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(value(&window, Param::Curve5), 0.0);
}

#[test]
fn an_envelope_is_drawn_by_its_corners() {
    let mut window = open(PLAIN, "Modulation");
    let corner = centre(&window, "Decay handle");
    let sustain = value(&window, Param::Env1Sustain);
    let decay = value(&window, Param::Env1Decay);
    drag(&mut window, corner, corner + vec2(40.0, 20.0), Modifiers::NONE);
    assert!(value(&window, Param::Env1Sustain) < sustain);
    assert!(value(&window, Param::Env1Decay) > decay);
    window.get_by_label("Env 2").click();
    window.run_steps(2);
    let curve = centre(&window, "Env 2 Attack curve");
    drag(&mut window, curve, curve - vec2(0.0, 30.0), Modifiers::NONE);
    let default = Param::Env2AttackCurve.info().default;
    assert!(value(&window, Param::Env2AttackCurve) > default);
}

#[test]
fn patches_are_searched_chosen_and_undone() {
    let mut window = open(PLAIN, "Source");
    window.get_by_label("Browse patches").click();
    window.run_steps(2);
    assert!(window.query_by_label("Tide").is_some());
    window.get_by_label("Search").click();
    window.run_steps(2);
    window.event(Event::Text("northern lights".into()));
    window.run_steps(2);
    assert!(window.query_by_label("Tide").is_none());
    window.get_by_label("Aurora").click();
    window.run_steps(2);
    assert_eq!(window.state().host.patch().name, "Aurora");
    assert_eq!(value(&window, Param::UnisonVoices), 7.0);
    window.key_press(Key::Escape);
    window.run_steps(2);
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert!(window.query_by_label("Search").is_none());
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(window.state().host.patch().name, "Init");
    let next = factory::patches();
    let here = next.iter().position(|patch| patch.name == "Init").unwrap();
    window.get_by_label("Next patch").click();
    window.run_steps(2);
    assert_eq!(window.state().host.patch().name, next[here + 1].name);
}

/// What the README promises: change a sound, save it under a name, find it again.
#[test]
fn a_changed_sound_is_saved_under_a_name_that_is_typed() {
    let folder = std::env::temp_dir().join(format!("myriad-use-{}", std::process::id()));
    let library = Library::open(Some(folder.clone()));
    let mut window = open_with(library, "Aurora", "Source", Vec2::from(Editor::SIZE));
    let knob = centre(&window, "Source Position");
    drag(&mut window, knob, knob + vec2(0.0, 60.0), Modifiers::NONE);
    let changed = value(&window, Param::SourcePosition);
    window.get_by_label("Browse patches").click();
    window.run_steps(2);
    window.get_by_label("Save as…").click();
    window.run_steps(3);
    // Typed text replaces the old name.
    window.event(Event::Text("Dusk".into()));
    window.key_press(Key::Enter);
    window.run_steps(3);
    let saved = std::fs::read_to_string(folder.join("dusk.toml")).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let saved = Patch::parse(&saved, "it").unwrap();
    assert_eq!(saved.name, "Dusk");
    assert!((saved.values[Param::SourcePosition] - changed).abs() < 1e-4);
    assert_eq!(window.state().host.patch().name, "Dusk");
}

#[test]
fn mouse_and_computer_keys_play() {
    let mut window = open("Tonewheel", "Source");
    let mut snapshot = Snapshot::new();
    let keyboard = centre(&window, "Keyboard");
    window.hover_at(keyboard);
    window.drag_at(keyboard);
    window.run_steps(4);
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.keys.count_ones(), 1);
    window.drop_at(keyboard);
    window.run_steps(2);
    window.key_down(Key::A);
    window.key_down(Key::D);
    window.run_steps(4);
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.keys, 1 << 60 | 1 << 64);
    window.key_up(Key::A);
    window.key_up(Key::D);
    window.run_steps(4);
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.keys, 0);
}

#[test]
fn the_matrix_adds_bends_and_removes_routes() {
    let mut window = open(PLAIN, "Matrix");
    window.get_by_label("Add route").click();
    window.run_steps(2);
    assert_eq!(window.state().host.patch().routes.len(), 1);
    window.get_by_label("linear").click();
    window.run_steps(2);
    let curve = window.state().host.patch().routes[0].curve;
    assert_eq!(curve, myriad_engine::modulation::RouteCurve::Squared);
    window.get_by_label_contains("Remove route 1").click();
    window.run_steps(2);
    assert!(window.state().host.patch().routes.is_empty());
}

/// Dragging a slot changes the order of its effect, and the others move up.
#[test]
fn effects_are_switched_and_moved_in_the_rack() {
    let mut window = open(PLAIN, "Effects");
    window.get_by_label("Reverb").click();
    window.run_steps(2);
    assert_eq!(value(&window, Param::ReverbOn), 1.0);
    assert!(window.query_by_label("Reverb Size").is_some());
    let (reverb, drive) = (centre(&window, "Reverb Order"), centre(&window, "Drive Order"));
    drag(&mut window, reverb, drive, Modifiers::NONE);
    assert_eq!(value(&window, Param::ReverbPlace), 1.0);
    assert_eq!(value(&window, Param::DrivePlace), 2.0);
    assert_eq!(value(&window, Param::LimiterPlace), 14.0);
}

/// A step of the pattern is set by dragging its bar, and tied by a click.
#[test]
fn steps_of_the_arpeggiator_are_dragged() {
    let mut window = open(PLAIN, "Arp");
    let bar = centre(&window, "Step 3 Velocity");
    drag(&mut window, bar, bar + vec2(0.0, 20.0), Modifiers::NONE);
    assert!(value(&window, Param::Step3Velocity) < 0.9);
    window.get_by_label("Step 4 Tie").click();
    window.run_steps(2);
    assert_eq!(value(&window, Param::Step4Tie), 1.0);
    assert_eq!(value(&window, Param::Step5Tie), 0.0);
}

/// A pad plays its key while it is held, and its settings change the patch, which can be undone.
#[test]
fn pads_play_and_change_their_zone() {
    let mut window = open("Acoustic Kit", "Kit");
    let pad = centre(&window, "Snare, key 38");
    window.hover_at(pad);
    window.drag_at(pad);
    window.run_steps(2);
    // Before the frame that the meters are read in.
    window.state_mut().host.advance(0.02);
    let [left, right] = window.state_mut().host.status().peaks;
    assert!(left.max(right) > 0.01, "the pad sounds: {left} {right}");
    window.drop_at(pad);
    window.run_steps(2);
    let zone = |window: &Window<'_>| {
        let patch = window.state().host.patch();
        patch.key_zones.iter().find(|zone| zone.keys[0] == 38).unwrap().clone()
    };
    let before = zone(&window);
    let knob = centre(&window, "Pad Pan");
    drag(&mut window, knob, knob + vec2(0.0, -40.0), Modifiers::NONE);
    let after = zone(&window);
    assert!(after.pan > before.pan + 0.1, "{} {}", before.pan, after.pan);
    assert_eq!((after.level, after.tune, after.choke), (before.level, before.tune, before.choke));
    // Patches that are no kits have no such page.
    assert!(open(PLAIN, "Kit").query_by_label("Kit").is_none());
}

/// A key of the chord is added by a click, and taken away by another.
#[test]
fn chords_are_clicked_on_keys() {
    let mut window = open(PLAIN, "Play");
    // The right end of the keys: two octaves up, white.
    let keys = window.get_by_label("Chord keys").rect();
    let top = keys.right_bottom() - vec2(3.0, 6.0);
    for wanted in [24.0, 0.0] {
        click(&mut window, top, 1);
        assert_eq!(value(&window, Param::Chord1), wanted);
    }
}

/// An envelope with a slope is drawn with its break, and that corner sets time and level.
#[test]
fn an_envelope_breaks_where_it_is_dragged() {
    let mut window = open(PLAIN, "Modulation");
    assert!(window.query_by_label("Slope handle").is_none());
    window.state_mut().host.set(Param::Env1Slope, 1.0);
    window.run_steps(2);
    assert!(window.query_by_label("Slope handle").is_some());
    let (sustain, before) = (value(&window, Param::Env1Sustain), value(&window, Param::Env1Break));
    let corner = centre(&window, "Decay handle");
    drag(&mut window, corner, corner + vec2(0.0, 20.0), Modifiers::NONE);
    assert!(value(&window, Param::Env1Break) < before);
    assert_eq!(value(&window, Param::Env1Sustain), sustain);
    window.get_by_label("Env 1 Loop").click();
    window.run_steps(2);
    assert_eq!(value(&window, Param::Env1Loop), 1.0);
}

/// The pages with parameters.
#[rustfmt::skip]
const PAGES: [&str; 9] =
    ["Source", "Layers", "Shape", "Filter", "Modulation", "Effects", "Arp", "Play", "Output"];

/// Every parameter must be on some page.
#[test]
fn every_parameter_has_a_widget() {
    let mut seen = std::collections::HashSet::new();
    for page in PAGES {
        let mut window = open("Aurora", page);
        let mut tabs: Vec<String> = TABLE.iter().map(|row| group_name(row.group())).collect();
        tabs.dedup();
        // Where there are tabs, one for each group; but these are names of pages too.
        match page {
            "Modulation" | "Effects" => {
                tabs.retain(|tab| {
                    !["Source", "Shape", "Filter", "Arp", "Output"].contains(&tab.as_str())
                });
            }
            _ => tabs.truncate(0),
        }
        for tab in std::iter::once(None).chain(tabs.iter().map(Some)) {
            if let Some(tab) = tab.and_then(|tab| window.query_all_by_label(tab).next()) {
                tab.click();
            }
            window.run_steps(2);
            for row in TABLE {
                let name = name_of(Param::by_id(row.id).unwrap());
                if window.query_all_by_label_contains(&name).next().is_some() {
                    seen.insert(row.id);
                }
            }
        }
    }
    let missing: Vec<_> = TABLE.iter().filter(|row| !seen.contains(row.id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// In small windows and large ones nothing panics, and every widget has its own id.
#[test]
fn every_page_fits_every_size() {
    for size in [Editor::MIN_SIZE, Editor::SIZE, [2400.0, 1400.0], [300.0, 200.0]] {
        for page in PAGES.into_iter().chain(["Harmonics", "Matrix", "Explore"]) {
            let mut window = open_sized("Aurora", page, Vec2::from(size));
            window.state_mut().host.note_on(48, 1.0);
            window.run_steps(4);
            window.state_mut().editor.show_browser(true);
            window.run_steps(2);
        }
    }
}

/// A knob below another one cannot be reached.
#[test]
fn widgets_do_not_overlap() {
    for size in [Editor::MIN_SIZE, Editor::SIZE] {
        for page in ["Source", "Layers", "Shape", "Filter", "Play", "Output"] {
            let window = open_sized("Yowl Bass", page, Vec2::from(size));
            let mut places: Vec<(String, Rect)> = Vec::new();
            for name in Param::ALL.iter().map(|&param| name_of(param)) {
                for widget in window.query_all_by_label(&name) {
                    places.push((name.clone(), widget.rect().shrink(2.0)));
                }
            }
            let whole = Rect::from_min_size(Pos2::ZERO, Vec2::from(size));
            for (index, (name, place)) in places.iter().enumerate() {
                assert!(whole.contains_rect(*place), "{page} {size:?}: {name}");
                let other = places[..index].iter().find(|(_, p)| p.intersects(*place));
                assert!(other.is_none(), "{page} {size:?}: {name} on {other:?}");
            }
        }
    }
}

/// A DAW closes editors at any moment: no note hangs, no automation gesture stays open.
#[test]
fn closing_lets_go_of_keys_and_knobs() {
    let mut window = open("Tonewheel", "Source");
    window.key_down(Key::A);
    let knob = centre(&window, "Unison Detune");
    window.hover_at(knob);
    window.drag_at(knob);
    window.hover_at(knob - vec2(0.0, 30.0));
    window.run_steps(2);
    assert_eq!(window.state().host.open_gestures, 1);
    let fixture = window.state_mut();
    fixture.editor.closed(&mut fixture.host);
    fixture.host.advance(0.1);
    let mut snapshot = Snapshot::new();
    fixture.host.snapshot(&mut snapshot);
    assert_eq!((fixture.host.open_gestures, snapshot.keys), (0, 0));
}

/// The same when a page is left in the middle of something.
#[test]
fn leaving_a_page_cancels_text_entry() {
    let mut window = open(PLAIN, "Filter");
    let cutoff = value(&window, Param::FilterCutoff);
    window.get_by_label("Filter Cutoff value").click();
    window.run_steps(3);
    window.event(Event::Text("300".into()));
    window.run_steps(1);
    window.state_mut().editor.show_page("Source");
    window.run_steps(2);
    window.state_mut().editor.show_page("Filter");
    window.run_steps(2);
    assert!(window.query_by_label("Filter Cutoff value").is_some());
    assert_eq!(value(&window, Param::FilterCutoff), cutoff);
}
