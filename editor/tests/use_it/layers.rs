//! Tests of the second layer's widgets.

use super::*;

/// Sets a choice by its name, as a patch or a host does.
fn choose(window: &mut Window<'_>, param: Param, name: &str) {
    let value = param.info().parse(name).unwrap();
    window.state_mut().host.set(param, value);
    window.run_steps(2);
}

fn choices(param: Param) -> &'static [&'static str] {
    match param.info().kind {
        Kind::Choice(names) => names,
        _ => panic!("{param:?} is none"),
    }
}

/// Parameters without effect in a mode are dimmed, but present.
#[test]
fn every_knob_of_the_layer_is_there_in_every_mode() {
    let mut window = open(PLAIN, "Layers");
    for mode in choices(Param::LayerMode) {
        choose(&mut window, Param::LayerMode, mode);
        for row in TABLE.iter().filter(|row| row.group() == "layer") {
            let name = match row.id {
                "layer.mode" => format!("Layer 2 {mode}"),
                id => name_of(Param::by_id(id).unwrap()),
            };
            let there = window.query_by_label(&name).is_some();
            assert!(there, "{name} when {mode}");
        }
    }
}

#[test]
fn a_mode_is_chosen_with_the_mouse_and_heard() {
    let mut window = open(PLAIN, "Layers");
    window.state_mut().host.note_on(60, 1.0);
    let clouds = |window: &mut Window<'_>| {
        window.run_steps(4);
        let mut snapshot = Snapshot::new();
        window.state_mut().host.snapshot(&mut snapshot);
        snapshot.clouds.len()
    };
    assert_eq!(clouds(&mut window), 1);
    window.get_by_label("Add a layer").click();
    assert_eq!(clouds(&mut window), 2);
    assert!(window.query_by_label("Add a layer").is_none());
    for (index, mode) in choices(Param::LayerMode).iter().enumerate() {
        window.get_by_label(&format!("Layer 2 {mode}")).click();
        window.run_steps(2);
        assert_eq!(value(&window, Param::LayerMode), index as f32);
    }
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(value(&window, Param::LayerMode), 2.0);

    let knob = centre(&window, "Layer Blend");
    drag(&mut window, knob, knob - vec2(0.0, 60.0), Modifiers::NONE);
    assert!(value(&window, Param::LayerBlend) > 0.6);
    assert_eq!(window.state().host.open_gestures, 0);
}

/// Each table display belongs to its layer, and its position moves while a note moves through the
/// table.
#[test]
fn either_landscape_shows_and_moves_its_own_layer() {
    let mut window = open(PLAIN, "Layers");
    choose(&mut window, Param::LayerMode, "mix");
    let params = [Param::SourcePosition, Param::LayerPosition];
    let before = params.map(|param| value(&window, param));
    let land = centre(&window, "Layer Position landscape") + vec2(0.0, 40.0);
    drag(&mut window, land, land - vec2(0.0, 40.0), Modifiers::NONE);
    let after = params.map(|param| value(&window, param));
    assert_eq!(after[0], before[0]);
    assert!(after[1] > before[1] + 0.1, "{before:?} to {after:?}");

    window.state_mut().host.set(Param::LayerSpeed, -0.5);
    window.state_mut().host.note_on(60, 1.0);
    window.run_steps(20);
    let mut snapshot = Snapshot::new();
    window.state_mut().host.snapshot(&mut snapshot);
    let heard = params.map(|param| snapshot.heard[param]);
    assert_eq!(heard[0], after[0]);
    assert!(heard[1] < after[1] - 0.05, "{after:?} to {heard:?}");
}
