//! The pictures of the tutorial: every step sets what the text says, from the initial patch on.

use myriad_engine::Patch;
use myriad_engine::modulation::{Route, RouteCurve, Source};
use myriad_engine::params::Param;
use myriad_engine::patch::factory;
use myriad_engine::tracks::{PartialTrack, Tracks, encode};
use std::error::Error;

/// A sound that is built in steps.
pub(crate) struct Sound {
    pub(crate) name: &'static str,
    /// Where it starts: a factory patch, or the recording of a voice.
    start: &'static str,
    pub(crate) keys: &'static [u8],
    pub(crate) seconds: f32,
    pub(crate) steps: &'static [Step],
}

/// A step: the page that it is done on, and what is done.
pub(crate) struct Step {
    pub(crate) page: &'static str,
    /// Parameters and their values, as people read them.
    set: &'static [(&'static str, &'static str)],
    /// New routes: source, target and amount.
    routes: &'static [(&'static str, &'static str, f32)],
    /// What is clicked on, if anything.
    pub(crate) click: Option<[f32; 2]>,
}

const STEP: Step = Step { page: "Source", set: &[], routes: &[], click: None };

/// The recording of the last sound.
const VOICE: &str = "a voice";

pub(crate) const SOUNDS: &[Sound] = &[
    Sound {
        name: "bass",
        start: "Init",
        keys: &[36],
        seconds: 0.2,
        steps: &[
            Step { set: &[("source.table", "pulse"), ("source.position", "30%")], ..STEP },
            Step {
                page: "Filter",
                set: &[
                    ("filter.type", "low-pass 24"),
                    ("filter.cutoff", "180 Hz"),
                    ("filter.resonance", "35%"),
                ],
                ..STEP
            },
            Step {
                page: "Modulation",
                set: &[
                    ("env1.decay", "400 ms"),
                    ("env1.sustain", "60%"),
                    ("env1.release", "80 ms"),
                    ("env2.attack", "0 ms"),
                    ("env2.decay", "250 ms"),
                    ("env2.sustain", "0%"),
                ],
                routes: &[("env2", "filter.cutoff", 3.0), ("velocity", "filter.cutoff", 1.5)],
                click: Some([98.0, 466.0]),
            },
            Step {
                page: "Output",
                set: &[("voice.mode", "legato"), ("pitch.glide", "60 ms")],
                ..STEP
            },
            Step {
                page: "Effects",
                set: &[("drive.on", "on"), ("drive.type", "warm"), ("drive.amount", "14 dB")],
                ..STEP
            },
        ],
    },
    Sound {
        name: "pad",
        start: "Init",
        keys: &[48, 55, 60, 64],
        seconds: 2.4,
        steps: &[
            Step {
                set: &[
                    ("source.table", "vocal"),
                    ("source.position", "40%"),
                    ("source.formant", "70%"),
                    ("unison.voices", "5"),
                    ("unison.detune", "14"),
                ],
                ..STEP
            },
            Step {
                page: "Shape",
                set: &[("shape.tilt", "-3"), ("shape.width", "60%"), ("shape.bandwidth", "8")],
                ..STEP
            },
            Step {
                page: "Modulation",
                set: &[
                    ("env1.attack", "1.2 s"),
                    ("env1.sustain", "100%"),
                    ("env1.release", "2.5 s"),
                    ("lfo1.shape", "smooth random"),
                    ("lfo1.rate", "0.2 Hz"),
                ],
                routes: &[("lfo1", "source.position", 0.25)],
                ..STEP
            },
            Step {
                page: "Effects",
                set: &[
                    ("chorus.on", "on"),
                    ("reverb.on", "on"),
                    ("reverb.size", "80%"),
                    ("reverb.decay", "5 s"),
                    ("reverb.mix", "40%"),
                ],
                ..STEP
            },
        ],
    },
    Sound {
        name: "bell",
        start: "Init",
        keys: &[60, 67],
        seconds: 0.4,
        steps: &[
            Step { set: &[("source.table", "strike bell"), ("source.scatter", "100%")], ..STEP },
            Step {
                page: "Shape",
                set: &[("strike.material", "bronze"), ("strike.hardness", "55%")],
                routes: &[("velocity", "strike.hardness", 0.4)],
                ..STEP
            },
            Step {
                page: "Modulation",
                set: &[
                    ("env1.attack", "0 ms"),
                    ("env1.decay", "20 s"),
                    ("env1.sustain", "0%"),
                    ("env1.release", "4 s"),
                ],
                ..STEP
            },
            Step {
                page: "Effects",
                set: &[
                    ("delay.on", "on"),
                    ("delay.sync", "1/8 dotted"),
                    ("delay.ping_pong", "100%"),
                ],
                ..STEP
            },
        ],
    },
    Sound {
        name: "kit",
        start: "Acoustic Kit",
        keys: &[38],
        seconds: 0.1,
        steps: &[
            Step { page: "Kit", ..STEP },
            Step { page: "Kit", click: Some([330.0, 480.0]), ..STEP },
            Step {
                page: "Effects",
                set: &[("crusher.on", "on"), ("crusher.bits", "6"), ("crusher.mix", "50%")],
                ..STEP
            },
        ],
    },
    Sound {
        name: "voice",
        start: VOICE,
        keys: &[57],
        seconds: 0.6,
        steps: &[
            STEP,
            Step { set: &[("source.speed", "0.25"), ("source.loop", "ping-pong")], ..STEP },
            Step {
                page: "Layers",
                set: &[("layer.mode", "morph"), ("layer.table", "organ"), ("layer.blend", "30%")],
                routes: &[("wheel", "layer.blend", 0.7)],
                ..STEP
            },
        ],
    },
];

impl Sound {
    /// The patch after the first `steps` steps.
    pub(crate) fn patch(&self, steps: usize) -> Result<Patch, Box<dyn Error>> {
        let mut patch = match self.start {
            VOICE => voice()?,
            name => factory::find(name).ok_or("no such patch")?.clone(),
        };
        for step in &self.steps[..steps] {
            for &(id, text) in step.set {
                let param = Param::by_id(id).ok_or(id)?;
                let value = param.info().parse(text).ok_or_else(|| format!("{id}: {text}"))?;
                patch.values.set(param, value);
            }
            for &(source, id, amount) in step.routes {
                let named = Source::NAMES.iter().find(|(name, _)| *name == source);
                patch.routes.push(Route {
                    source: named.ok_or(source)?.1,
                    via: None,
                    target: Param::by_id(id).ok_or(id)?,
                    amount,
                    curve: RouteCurve::default(),
                });
            }
        }
        Ok(patch)
    }
}

/// A patch as `myriad import` makes it, of a voice that sings from "a" to "i" in two seconds.
fn voice() -> Result<Patch, Box<dyn Error>> {
    const FRAMES: usize = 200;
    const PITCH: f64 = 220.0;
    // The formants of both vowels.
    let vowels = [[730.0, 1_090.0, 2_440.0], [270.0, 2_290.0, 3_010.0]];
    let level = |hertz: f64, frame: usize| {
        let x = frame as f64 / (FRAMES - 1) as f64;
        let way = x * x * (3.0 - 2.0 * x);
        let formants = (0..3).map(|i| vowels[0][i] + (vowels[1][i] - vowels[0][i]) * way);
        let heard = formants.map(|formant| (-((hertz - formant) / 180.0).powi(2)).exp());
        ((0.02 + heard.sum::<f64>()) * (200.0 / hertz).min(1.0)) as f32
    };
    let partials: Vec<PartialTrack> = (1..=48)
        .map(|number| PartialTrack {
            ratio: f64::from(number),
            noise: 0.0,
            levels: (0..FRAMES).map(|frame| level(PITCH * f64::from(number), frame)).collect(),
            phases: vec![0.0; FRAMES],
        })
        .collect();
    let mut patch = Patch::new();
    patch.name = "Voice".into();
    for (id, text) in
        [("source.table", "imported"), ("source.position", "0%"), ("source.speed", "1")]
    {
        let param = Param::by_id(id).ok_or(id)?;
        patch.values.set(param, param.info().parse(text).ok_or(text)?);
    }
    let bytes = encode(PITCH, 2.0, &[0.0; FRAMES], &partials);
    patch.tracks[0] = Some(Tracks::from_bytes(bytes)?);
    Ok(patch)
}
