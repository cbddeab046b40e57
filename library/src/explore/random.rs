//! Random changes of a patch around its present values.

use super::Section;
use super::dice::Dice;
use super::level::{level_db, match_level};
use myriad_engine::Patch;
use myriad_engine::modulation::{Drawing, MAX_ROUTES, Route, RouteCurve, Source, whole_way};
use myriad_engine::params::{Kind, Param};

/// The farthest that a knob is turned at full amount, as a share of its range.
const REACH: f32 = 0.5;
/// The probability that a knob which has its default is turned, at full amount. What a patch does not use stays
/// unused most of the time.
const UNUSED: f32 = 0.3;
/// Below this amount choices stay as they are.
const CHOICES_FROM: f32 = 0.35;
/// The probability that a choice changes at full amount.
const CHOICE: f32 = 0.3;
/// The same for switches of effects.
const SWITCH: f32 = 0.15;
/// How many new routes there are at most.
const NEW_ROUTES: usize = 3;
/// How many clouds a patch may play, if it does not play more already.
const MOST_CLOUDS: usize = 512;
/// How often the amount is halved until the result is heard.
const ATTEMPTS: usize = 6;

/// Changes a patch at random. `amount`, 0 to 1, says how far: knobs turn in proportion to it, choices and new routes
/// come in at larger amounts, and zero is the patch as it is. Locked sections keep every bit, as do pitch, voices and
/// zone. The result is about as loud as the patch was: its output gain is adapted, and where it would be silent it
/// is changed less.
pub fn randomise(patch: &Patch, amount: f32, locked: &[Section], seed: u32) -> Patch {
    let mut amount = amount.clamp(0.0, 1.0);
    let Some(wanted) = level_db(patch) else {
        // There is no level to keep.
        return vary(patch, amount, locked, seed);
    };
    for _ in 0..ATTEMPTS {
        let mut varied = vary(patch, amount, locked, seed);
        if varied == *patch || match_level(&mut varied, wanted) {
            return varied;
        }
        amount *= 0.5;
    }
    patch.clone()
}

/// The same without regard to its level.
pub(super) fn vary(patch: &Patch, amount: f32, locked: &[Section], seed: u32) -> Patch {
    let mut varied = patch.clone();
    if amount <= 0.0 || amount.is_nan() {
        return varied;
    }
    let is_kit = !patch.key_zones.is_empty();
    for &section in Section::RANDOM {
        // Of a kit only the effects are heard; an arpeggiator that is off stays off.
        let sounds = match section {
            Section::Effects => true,
            Section::Arp => !is_kit && patch.values[Param::ArpMode] != 0.0,
            _ => !is_kit,
        };
        if !sounds || locked.contains(&section) {
            continue;
        }
        for param in section.params().filter(|&param| !is_steady(param)) {
            let mut dice = Dice::new(seed, param as u32);
            let value = match param.info().kind {
                Kind::Choice(names) => choice(patch, param, names, amount, &mut dice),
                _ => number(patch, param, amount, &mut dice),
            };
            varied.values.set(param, value);
        }
        if section == Section::Routes {
            vary_routes(&mut varied.routes, amount, seed);
        }
    }
    limit_clouds(patch, &mut varied);
    varied
}

/// Parameters that random changes would make unplayable, or that do not change the sound.
fn is_steady(param: Param) -> bool {
    use Param::*;
    param.info().key() == "place"
        || matches!(
            param,
            LayerTune | LayerOutput | ShapeBalance | Env1Loop | ArpHold | ShifterOn | ShifterShift
        )
        || param.info().group() == "chord"
}

/// How readily a parameter turns: those that make a sound inharmonic, late or restless turn less.
fn readiness(param: Param) -> f32 {
    use Param::*;
    match param {
        ShapeStretch | ShapeStiffness | PartialDetune | PartialSnap | ShapeBandwidth
        | LayerBandwidth | UnisonDetune | SourceSpeed | LayerSpeed | ShifterFine | UnisonEntry => {
            0.3
        }
        _ => match param.info().key() {
            "delay" | "loop_start" | "loop_end" => 0.3,
            _ => 1.0,
        },
    }
}

/// Values beyond which a sound is hard to play; a patch that is beyond already may stay there.
const BOUNDS: &[(Param, f32, f32)] = &[
    (Param::Env1Delay, 0.0, 0.05),
    (Param::Env1Attack, 0.0, 1.0),
    (Param::Env1Hold, 0.0, 2.0),
    (Param::Env1Decay, 0.08, 20.0),
    (Param::Env1Release, 0.005, 6.0),
    (Param::Env1Speed, 0.5, 2.0),
    (Param::UnisonEntry, 0.0, 0.3),
    (Param::SourcePartials, 8.0, 1024.0),
    (Param::DynamicsGate, -96.0, -36.0),
    (Param::DynamicsSmear, 0.0, 1.0),
    (Param::DynamicsFreeze, 0.0, 0.7),
    (Param::DecayRate, 0.0, 40.0),
    (Param::FilterCutoff, 120.0, 20_000.0),
    (Param::Filter2Cutoff, 120.0, 20_000.0),
    (Param::FilterResonance, 0.0, 0.8),
    (Param::Filter2Resonance, 0.0, 0.8),
    (Param::CrusherBits, 5.0, 16.0),
    (Param::CrusherRate, 3_000.0, 48_000.0),
    (Param::DelayFeedback, 0.0, 0.8),
    (Param::DelayMix, 0.0, 0.5),
    (Param::ReverbDecay, 0.1, 12.0),
    (Param::ReverbMix, 0.0, 0.6),
    (Param::ConvolverMix, 0.0, 0.6),
];

fn number(patch: &Patch, param: Param, amount: f32, dice: &mut Dice) -> f32 {
    let (info, now) = (param.info(), patch.values[param]);
    let turn = dice.around_zero() * REACH * amount * readiness(param);
    if now == info.default && !dice.chance(UNUSED * amount) {
        return now;
    }
    let new = info.kind.from_scale(info.kind.to_scale(now) + turn);
    let bounds = BOUNDS.iter().find(|(bounded, ..)| *bounded == param);
    bounds.map_or(new, |&(_, low, high)| new.clamp(low.min(now), high.max(now)))
}

/// How far an amount is past the one that changes choices, 0 to 1.
fn past_choices(amount: f32) -> f32 {
    ((amount - CHOICES_FROM) / (1.0 - CHOICES_FROM)).max(0.0)
}

fn choice(patch: &Patch, param: Param, names: &[&str], amount: f32, dice: &mut Dice) -> f32 {
    let now = patch.values[param];
    let is_switch = param.info().key() == "on";
    let probability = past_choices(amount) * if is_switch { SWITCH } else { CHOICE };
    if !dice.chance(probability) {
        return now;
    }
    // Some choices need what the patch may not have.
    let lfo = match Section::of(param) {
        Section::Lfos => {
            let group = param.info().group().trim_start_matches("lfo");
            group.parse::<usize>().ok().and_then(|number| patch.drawings.get(number - 1))
        }
        _ => None,
    };
    let possible = |name: &str| match (param, name) {
        (Param::SourceTable, "imported") => patch.tracks[0].is_some(),
        (Param::LayerTable, "imported") => patch.tracks[1].is_some(),
        (Param::ConvolverResponse, "imported") => patch.impulse.is_some(),
        (_, "drawn" | "drawn steps") => lfo.is_some_and(|drawn| *drawn != Drawing::default()),
        // An arpeggiator that is on stays on.
        (Param::ArpMode, "off") => false,
        _ => true,
    };
    let others = (0..names.len()).filter(|&index| index as f32 != now && possible(names[index]));
    let others: Vec<usize> = others.collect();
    dice.one_of(&others).map_or(now, |index| index as f32)
}

/// Routes that move pitch or level stay as they are.
fn is_steady_route(route: &Route) -> bool {
    Section::of(route.target) == Section::Play || is_steady(route.target)
}

/// What new routes connect.
const SOURCES: &[Source] = &[
    Source::Env2,
    Source::Env3,
    Source::Lfo1,
    Source::Lfo2,
    Source::Lfo3,
    Source::Velocity,
    Source::Key,
    Source::Wheel,
    Source::Random,
];
const TARGETS: &[Param] = &[
    Param::SourcePosition,
    Param::LayerPosition,
    Param::LayerBlend,
    Param::ShapeTilt,
    Param::ShapeParity,
    Param::ShapeWidth,
    Param::FilterCutoff,
    Param::FilterResonance,
    Param::Filter2Cutoff,
];

fn vary_routes(routes: &mut Vec<Route>, amount: f32, seed: u32) {
    // Numbers above those of the parameters.
    let mut dice = Dice::new(seed, 1 << 16);
    for route in routes.iter_mut() {
        let turn = dice.around_zero() * amount;
        if !is_steady_route(route) {
            let whole = whole_way(route.target.info().kind);
            let new = route.amount * (1.0 + turn) + 0.1 * turn * whole;
            route.amount = new.clamp(-whole, whole).clamp(-1e6, 1e6);
        }
    }
    for _ in 0..NEW_ROUTES {
        let (wanted, turn) = (dice.chance(past_choices(amount) * CHOICE), dice.around_zero());
        let (Some(source), Some(target)) = (dice.one_of(SOURCES), dice.one_of(TARGETS)) else {
            return;
        };
        let amount = turn * 0.5 * amount * whole_way(target.info().kind);
        let route = Route { source, via: None, target, amount, curve: RouteCurve::default() };
        let exists = |other: &Route| (other.source, other.target) == (source, target);
        let room = routes.len() < MAX_ROUTES && !routes.iter().any(exists);
        if wanted && room && route.is_possible() {
            routes.push(route);
        }
    }
}

/// Keeps the patch from being much more to compute than before: without a second layer that was off, and with fewer
/// unison copies.
fn limit_clouds(before: &Patch, patch: &mut Patch) {
    let most = before.most_clouds().max(MOST_CLOUDS);
    if patch.most_clouds() > most {
        patch.values.set(Param::LayerMode, before.values[Param::LayerMode]);
    }
    while patch.most_clouds() > most && patch.values[Param::UnisonVoices] > 1.0 {
        patch.values.set(Param::UnisonVoices, patch.values[Param::UnisonVoices] - 1.0);
    }
}
