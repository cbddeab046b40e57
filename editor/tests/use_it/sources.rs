//! Modulation sources: every one can be seen and used, at every size and from every knob.

use super::*;
use egui_kittest::kittest::NodeT;

fn labels(window: &Window<'_>, end: &str) -> Vec<String> {
    let all = window.query_all_by(|node| node.label().is_some_and(|label| label.ends_with(end)));
    let mut labels: Vec<String> =
        all.filter_map(|node| NodeT::accesskit_node(&node).label()).collect();
    labels.sort();
    labels
}

/// *Night Bass* showed no LFO at all.
#[test]
fn every_source_is_in_the_row_or_in_its_list() {
    for size in [Editor::MIN_SIZE, Editor::SIZE, [2400.0, 1400.0]] {
        for page in ["Source", "Modulation", "Matrix"] {
            let mut window = open_sized("Night Bass", page, Vec2::from(size));
            for name in ["Env 1", "Env 4", "LFO 1", "LFO 6"] {
                let chip = window.get_by_label(&format!("{name} source")).rect();
                let whole = Rect::from_min_size(Pos2::ZERO, Vec2::from(size));
                assert!(whole.contains_rect(chip), "{size:?}: {name}");
            }
            if window.query_by_label("More sources").is_some() {
                window.get_by_label("More sources").click();
                window.run_steps(3);
            }
            let named = |source: &&(&str, Source)| !source.0.starts_with("macro");
            let mut expected: Vec<String> = Source::NAMES
                .iter()
                .filter(named)
                .map(|(name, _)| format!("{} source", group_name(name)))
                .collect();
            expected.sort();
            let mut seen = labels(&window, " source");
            seen.retain(|label| expected.contains(label));
            assert_eq!(seen, expected, "{size:?} {page}");
        }
    }
}

#[test]
fn a_source_is_dragged_from_the_list() {
    let mut window = open_sized(PLAIN, "Source", Vec2::from(Editor::MIN_SIZE));
    window.get_by_label("More sources").click();
    window.run_steps(3);
    let (chip, knob) = (centre(&window, "Breath source"), centre(&window, "Source Position"));
    drag(&mut window, chip, knob, Modifiers::NONE);
    let patch = window.state().host.patch();
    assert_eq!(patch.routes.len(), 1);
    assert_eq!(
        (patch.routes[0].source, patch.routes[0].target),
        (Source::Breath, Param::SourcePosition)
    );
}

#[test]
fn the_tab_of_an_lfo_is_dragged_onto_a_knob() {
    let mut window = open(PLAIN, "Modulation");
    let (tab, knob) = (centre(&window, "LFO 3"), centre(&window, &name_of(Param::Lfo1Rate)));
    drag(&mut window, tab, knob, Modifiers::NONE);
    let routes = window.state().host.patch().routes.clone();
    assert_eq!(routes.len(), 1);
    assert_eq!((routes[0].source, routes[0].target), (Source::Lfo3, Param::Lfo1Rate));
    // A click still chooses it.
    window.get_by_label("LFO 3").click();
    window.run_steps(2);
    assert!(window.query_by_label(&name_of(Param::Lfo3Rate)).is_some());
}

#[test]
fn the_menu_of_a_knob_modulates_it() {
    let mut window = open(PLAIN, "Source");
    window.get_by_label("Source Position").click_secondary();
    window.run_steps(3);
    window.get_by_label_contains("Modulate by").click();
    window.run_steps(3);
    window.get_by_label("Velocity").click_accesskit();
    window.run_steps(3);
    let routes = window.state().host.patch().routes.clone();
    assert_eq!(routes.len(), 1);
    assert_eq!((routes[0].source, routes[0].target), (Source::Velocity, Param::SourcePosition));

    window.key_press(Key::Escape);
    window.run_steps(3);
    window.get_by_label("Source Position").click_secondary();
    window.run_steps(3);
    window.get_by_label("Remove Velocity").click_accesskit();
    window.run_steps(3);
    assert!(window.state().host.patch().routes.is_empty());
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(2);
    assert_eq!(window.state().host.patch().routes, routes);
}
