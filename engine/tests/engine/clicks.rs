//! No event clicks: no step is larger than the signal's own slope.

use myriad_conformance::testing::*;
use myriad_engine::params::{Kind, Param};
use myriad_engine::{EventKind, Expression};

/// Plays a held chord and other events at `MOMENT`, and compares the steepest step around it with
/// those of the sound before and after.
fn check(name: &str, patch: &myriad_engine::Patch, events: &[(usize, EventKind)]) {
    check_against(0.0, name, patch, events);
}

/// The same, where a sound as steep as `other` may be heard for a moment.
fn check_against(
    other: f32,
    name: &str,
    patch: &myriad_engine::Patch,
    events: &[(usize, EventKind)],
) {
    const MOMENT: usize = 24_000;
    let mut all = vec![(10, on(40)), (500, on(47)), (901, on(52))];
    all.extend(events.iter().map(|&(after, kind)| (MOMENT + after, kind)));
    let out = play(&mut engine(patch), &all, 2 * MOMENT);
    for side in &out {
        let before = steepest(&side[12_000..MOMENT - 100]);
        let during = steepest(&side[MOMENT - 100..MOMENT + 6_000]);
        let after = steepest(&side[MOMENT + 6_000..]);
        let own = before.max(after).max(other);
        assert!(own > 1e-4, "{name}: it sounds");
        assert!(during <= 1.6 * own, "{name}: a step of {during}, where {own} is its own");
    }
}

#[test]
fn notes_start_and_stop_softly() {
    check("note on", &soft(), &[(3, on(59))]);
    check("note off", &soft(), &[(3, off(47))]);
    check("fast repeats", &soft(), &[(3, on(59)), (40, off(59)), (41, on(59)), (99, off(59))]);
}

#[test]
fn any_start_within_a_tick_is_soft() {
    let patch = with(
        soft(),
        &[(Param::Env1Attack, 0.0), (Param::Env1Release, 0.002), (Param::SourcePartials, 1.0)],
    );
    for offset in 0..32 {
        let events = [(offset, on(60)), (9_600 + offset, off(60))];
        let out = play(&mut engine(&patch), &events, 19_200);
        // One sample of a 1 ms attack, plus the sine's own slope, with room for the curve.
        let steady = steepest(&out[0][4_800..9_600]);
        let level = peak(&out[0]);
        let limit = steady + 3.0 * level / 48.0;
        assert!(steepest(&out[0]) < limit, "offset {offset}");
    }
}

#[test]
fn stealing_fades() {
    let few = with(soft(), &[(Param::VoiceLimit, 3.0)]);
    let notes = [(5, on(60)), (700, on(64)), (1_400, on(67))];
    check("steal", &few, &notes);
    let fewer = [(5, set(Param::VoiceLimit, 1.0))];
    check("fewer voices", &soft(), &fewer);
}

#[test]
fn restarting_a_key_fades_the_old_voice() {
    let restart = with(soft(), &[(Param::VoiceRetrigger, 1.0)]);
    check("restart", &restart, &[(5, on(47)), (100, on(47))]);
}

#[test]
fn mono_and_legato_change_notes_softly() {
    for mode in [1.0, 2.0] {
        let mut alone = with(soft(), &[(Param::VoiceMode, mode)]);
        check("next note", &alone, &[(5, on(55))]);
        check("back again", &alone, &[(5, on(55)), (2_000, off(55))]);
        alone.values.set(Param::PitchGlide, 0.1);
        check("glide", &alone, &[(5, on(55))]);
    }
}

#[test]
fn panic_fades_and_nothing_is_left() {
    for kind in [EventKind::AllSoundOff, cc(120, 0.0)] {
        let out = play(&mut engine(&soft()), &[(0, on(40)), (0, on(47)), (9_600, kind)], 19_200);
        let own = steepest(&out[0][4_800..9_600]);
        assert!(steepest(&out[0]) <= 1.6 * own);
        assert_eq!(peak(&out[0][11_000..]), 0.0);
    }
}

#[test]
fn changing_the_patch_fades_the_old_sound() {
    let mut engine = engine(&soft());
    let [before, _] = play(&mut engine, &[(0, on(40)), (0, on(47))], 9_600);
    let other = [(Param::SourceTable, 3.0), (Param::AmpLevel, 0.0)];
    engine.set_patch(0, &with(soft(), &other));
    let [after, _] = play(&mut engine, &[(0, on(52))], 9_600);
    let own = steepest(&before[4_800..]).max(steepest(&after[4_800..]));
    let crossfade = [&before[9_500..], &after[..2_000]].concat();
    assert!(steepest(&crossfade) <= 1.6 * own);
}

#[test]
fn every_parameter_jumps_without_a_click() {
    for &param in Param::ALL {
        let (min, max) = param.info().kind.range();
        let values = match param.info().kind {
            Kind::Choice(names) => (0..names.len()).map(|index| index as f32).collect(),
            _ => vec![min, max, min],
        };
        let filtered = [(Param::FilterType, 2.0), (Param::FilterCutoff, 800.0)];
        let patch = with(soft(), &filtered);
        for &value in &values {
            check(param.info().id, &patch, &[(5, set(param, value))]);
        }
    }
}

/// Switches, positions in the order, choices and numbers of effects, each with its own effect on and
/// with all of them.
#[test]
fn every_effect_comes_goes_and_changes_without_a_click() {
    // While the order changes, the dry sound is heard.
    let notes = [(10, on(40)), (500, on(47)), (901, on(52))];
    let [dry, _] = play(&mut engine(&soft()), &notes, 24_000);
    let dry = steepest(&dry[12_000..]);
    // The stairs of a crusher would hide the clicks of others.
    let all = with(with_all_effects(soft()), &[(Param::CrusherOn, 0.0)]);
    for &param in Param::ALL {
        let group = param.info().group();
        let Some(switch) = Param::by_id(&format!("{group}.on")) else {
            continue;
        };
        // Stairs that become coarser are steps by design.
        if matches!(param, Param::CrusherBits | Param::CrusherRate) {
            continue;
        }
        let alone = with(soft(), &[(switch, 1.0)]);
        let (min, max) = param.info().kind.range();
        // Only switches and positions concern the other effects.
        let patches = match param.info().kind {
            Kind::Number { .. } => vec![alone],
            _ if group == "crusher" => vec![alone],
            _ => vec![alone, all.clone()],
        };
        for mut patch in patches {
            let before = patch.values[param];
            for value in [min, max] {
                let name = format!("{} at {}", param.info().id, param.info().format(value));
                patch.values.set(param, before);
                check_against(dry, &name, &patch, &[(5, set(param, value))]);
                patch.values.set(param, value);
                check_against(dry, &name, &patch, &[(5, set(param, before))]);
            }
        }
    }
}

#[test]
fn controllers_and_expression_move_without_a_click() {
    for number in [1, 2, 7, 10, 11, 74] {
        let moves = [(5, cc(number, 1.0)), (2_000, cc(number, 0.2))];
        check("controller", &soft(), &moves);
    }
    let bends = [(5, 1.0), (1_000, -1.0)].map(|(at, bend)| (at, EventKind::PitchBend(bend)));
    check("bend", &soft(), &bends);
    for kind in [Expression::Pitch, Expression::Level, Expression::Pan, Expression::Brightness] {
        let (key, value) = (47, 0.7);
        let event = EventKind::NoteExpression { key, kind, value };
        check("expression", &soft(), &[(5, event)]);
    }
}
