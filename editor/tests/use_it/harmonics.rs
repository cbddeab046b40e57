//! Tables drawn harmonic by harmonic.

use super::*;
use egui::accesskit::Role;
use myriad_engine::tracks::{DrawnTable, Harmonic};

fn table(window: &Window<'_>) -> Option<DrawnTable> {
    window.state().host.patch().tracks[0].as_ref()?.drawn()
}

/// The harmonics of a frame.
fn frame(window: &Window<'_>, frame: usize) -> Vec<Harmonic> {
    table(window).unwrap().frame(frame).to_vec()
}

fn press(window: &mut Window<'_>, button: &str) {
    window.get_by_label(button).click();
    window.run_steps(2);
}

fn undo(window: &mut Window<'_>) {
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
}

fn formula(window: &mut Window<'_>, text: &str) {
    window.get_by_role(Role::TextInput).focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
}

/// A stroke across the bars changes the sound while the button is down; the note sounds on, and undo brings the table
/// back that was there.
#[test]
fn bars_are_drawn_while_a_note_sounds() {
    let mut window = open("Tonewheel", "Harmonics");
    let before = value(&window, Param::SourceTable);
    window.state_mut().host.note_on(48, 1.0);
    window.run_steps(4);
    let bars = window.get_by_label("Harmonic bars").rect().shrink2(vec2(0.0, 6.0));
    // From the bottom left to the top right of the first half.
    let (from, to) = (bars.left_bottom() + vec2(2.0, -2.0), bars.center_top() + vec2(0.0, 2.0));
    window.hover_at(from);
    window.run_steps(1);
    window.drag_at(from);
    window.run_steps(1);
    window.hover_at(to);
    window.run_steps(1);
    let levels: Vec<f32> = {
        let position = value(&window, Param::SourcePosition);
        let table = table(&window).expect("a copy of the organ");
        let drawn = (position * (table.frames() - 1) as f32).round() as usize;
        table.frame(drawn)[..32].iter().map(|harmonic| harmonic.level).collect()
    };
    assert!(levels.is_sorted(), "{levels:?}");
    assert!(levels[0] < 0.01 && levels[31] > 0.5, "{levels:?}");
    let imported = Param::SourceTable.info().parse("imported").unwrap();
    assert_eq!(value(&window, Param::SourceTable), imported);
    // What the renderer is told has the new levels.
    window.run_steps(2);
    let mut snapshot = Snapshot::new();
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.keys, 1 << 48, "the note sounds on");
    window.drop_at(to);
    window.run_steps(2);
    assert_eq!(window.state().host.open_gestures, 0);
    undo(&mut window);
    assert_eq!(value(&window, Param::SourceTable), before);
    assert!(table(&window).is_none());
    window.state_mut().host.snapshot(&mut snapshot);
    assert_eq!(snapshot.keys, 1 << 48, "undo does not end it");
}

#[test]
fn frames_are_chosen_copied_pasted_and_morphed() {
    let mut window = open(PLAIN, "Harmonics");
    press(&mut window, "Frame 1");
    assert_eq!(value(&window, Param::SourcePosition), 0.0);
    formula(&mut window, "1/n");
    press(&mut window, "Copy");
    press(&mut window, "Frame 5");
    assert!((value(&window, Param::SourcePosition) - 4.0 / 15.0).abs() < 1e-5);
    formula(&mut window, "0.001");
    press(&mut window, "Morph");
    let middle = frame(&window, 2)[0].level;
    assert!((middle - 0.0316).abs() < 0.001, "half way from 0 to -60 dB: {middle}");
    press(&mut window, "Paste");
    assert_eq!(frame(&window, 4), frame(&window, 0));
    undo(&mut window);
    assert!(frame(&window, 4)[0].level < 0.0011);
}

#[test]
fn tools_and_formulas_change_one_frame_or_all() {
    let mut window = open(PLAIN, "Harmonics");
    press(&mut window, "Frame 9");
    press(&mut window, "Odd");
    assert_eq!(frame(&window, 8)[1].level, 0.0);
    assert!(frame(&window, 8)[2].level > 0.0);
    assert!(frame(&window, 12)[1].level > 0.0, "only one frame");
    press(&mut window, "All frames");
    formula(&mut window, "sin(n*0.3)/(frame+1)");
    let level = |n: usize, at: usize| (0.3 * n as f32).sin().abs() / (at + 1) as f32;
    for at in [0, 7, 15] {
        for n in [1, 2, 9] {
            let (is, wanted) = (frame(&window, at)[n - 1].level, level(n, at));
            assert!((is / wanted - 1.0).abs() < 0.03, "frame {at}, {n}: {is} {wanted}");
        }
    }
    press(&mut window, "Tuning");
    formula(&mut window, "10*n");
    assert!((frame(&window, 6)[4].tuning - 50.0).abs() < 0.1);
    assert!((frame(&window, 6)[4].level / level(5, 6) - 1.0).abs() < 0.03, "levels stay");
    press(&mut window, "Pan");
    formula(&mut window, "1-2*odd(n)");
    assert_eq!([0, 1].map(|n| frame(&window, 6)[n].pan), [-1.0, 1.0]);
    press(&mut window, "Decay");
    formula(&mut window, "0.5*n");
    assert_eq!(frame(&window, 0)[3].decay, 2.0);
    let saved = window.state().host.patch().to_toml();
    let read = Patch::parse(&saved, "saved").unwrap();
    assert_eq!(read.tracks[0].as_ref().unwrap().drawn(), table(&window));
    // A mistake is told and changes nothing.
    let before = table(&window);
    formula(&mut window, "1/(n");
    assert_eq!(table(&window), before);
    for _ in 0..4 {
        undo(&mut window);
    }
    assert!(frame(&window, 12)[1].level > 0.0 && frame(&window, 8)[1].level == 0.0);
}

#[test]
fn the_second_layer_and_the_number_of_frames() {
    let mut window = open("Quint Chapel", "Harmonics");
    press(&mut window, "Layer 2");
    press(&mut window, "Smooth");
    assert!(table(&window).is_none());
    let second = |window: &Window<'_>| {
        let patch = window.state().host.patch();
        patch.tracks[1].as_ref().and_then(|tracks| tracks.drawn()).unwrap()
    };
    assert_eq!(second(&window).frames(), 16);
    window.get_by_label("Number of frames").click();
    window.run_steps(3);
    press(&mut window, "4 frames");
    assert_eq!(second(&window).frames(), 4);
    assert!(window.query_by_label("Frame 5").is_none());
}
