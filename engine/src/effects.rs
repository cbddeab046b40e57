//! Effects: what a part's sound goes through after it was rendered, on the processor.
//!
//! Every part has its own, since they belong to its patch. A part has two racks: when the patch
//! changes, the old rack rings out while the new one plays.

mod chorus;
pub(crate) mod compressor;
mod delay;
pub(crate) mod drive;
pub(crate) mod eq;
mod flanger;
mod limiter;
mod line;
mod oversample;
mod phaser;
mod place;
mod rack;
mod ramp;
mod reverb;
mod sweep;
mod values;

pub(crate) use values::EffectValues;

use crate::dsp::{FADE, FlushDenormals, fade_in};
use crate::render::TICK;
use rack::Rack;

/// A tick of left and right.
type Stereo = [[f32; TICK]; 2];

/// What effects may know besides their parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings {
    /// Quarter notes per minute.
    pub(crate) bpm: f32,
}

/// One effect. It sounds as long as it is rendered; the rack fades it in and out.
trait Effect: Send {
    /// Forgets all sound; the next render is like the first.
    fn reset(&mut self);

    /// One tick in place. Numbers glide from tick to tick; choices change only where nothing is
    /// heard.
    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, around: Surroundings);

    /// Frames that may pass in silence before it is heard again.
    fn memory(&self, values: &EffectValues) -> usize;

    /// Seconds until what goes round in it is [`GONE`], when nothing more goes in.
    fn ringing(&self, _: &EffectValues, _: Surroundings) -> f32 {
        0.0
    }
}

/// What is left of a chord at ten times full scale when the rack takes it for silence.
const GONE: f32 = 1e-7;

/// How often sound goes round until it is gone, when `kept` of it comes back each time.
fn rounds(kept: f32) -> f32 {
    GONE.ln() / kept.abs().ln()
}

/// What the effects of a part are told for one tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EffectParams {
    /// Whether any is switched on; if not, the values say nothing.
    pub(crate) used: bool,
    /// Whether the patch has changed before this tick.
    pub(crate) changed: bool,
    /// Whether all sound was cut off, and no note has begun since.
    pub(crate) cut: bool,
    pub(crate) values: EffectValues,
    pub(crate) around: Surroundings,
}

impl EffectParams {
    /// No effects.
    pub(crate) fn none() -> Self {
        Self {
            used: false,
            changed: false,
            cut: false,
            values: EffectValues::off(),
            around: Surroundings { bpm: 120.0 },
        }
    }
}

/// The effects of one part.
#[derive(Debug)]
pub(crate) struct PartEffects {
    /// The one that plays, and one that rings out.
    racks: [Rack; 2],
    /// Which one plays.
    playing: usize,
    /// What the other was told last.
    told: EffectValues,
    /// What both were told last of what is around them.
    around: Surroundings,
    /// Frames since the sound goes into the rack that plays.
    entered: usize,
    /// The end of a tail that had to go, faded, and how much of it was heard.
    ending: [[f32; FADE]; 2],
    ended: usize,
    /// Whether the last tick came with sound.
    sounded: bool,
    /// Frames of the fade that a cut is into: nothing is left after [`FADE`].
    cut: usize,
}

impl PartEffects {
    pub(crate) fn new(sample_rate: f32) -> Self {
        Self {
            racks: std::array::from_fn(|_| Rack::new(sample_rate)),
            playing: 0,
            told: EffectValues::off(),
            around: EffectParams::none().around,
            entered: FADE,
            ending: [[0.0; FADE]; 2],
            ended: FADE,
            sounded: false,
            cut: 0,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.racks.iter_mut().for_each(Rack::reset);
        (self.playing, self.entered, self.ended) = (0, FADE, FADE);
        self.told = EffectValues::off();
        (self.sounded, self.cut) = (false, 0);
    }

    /// Whether nothing is left to be heard.
    pub(crate) fn is_resting(&self) -> bool {
        self.racks.iter().all(Rack::is_resting) && self.ended == FADE
    }

    /// Seconds until it rests, when nothing more goes in.
    pub(crate) fn tail(&self) -> f32 {
        let tails = self.racks.iter().map(|rack| rack.tail(self.around));
        tails.fold(0.0, f32::max)
    }

    /// Changes the sound of one tick as its cue says.
    pub(crate) fn render(
        &mut self,
        left: &mut [f32],
        right: &mut [f32],
        effect_params: &EffectParams,
    ) {
        let values = match effect_params.used {
            true => effect_params.values,
            false => EffectValues::off(),
        };
        self.around = effect_params.around;
        if self.cut == FADE && !effect_params.cut && !self.sounded {
            // Nothing is left that would have to fade in, and the next attack is whole.
            self.cut = 0;
        }
        let idle = self.racks.iter().all(Rack::is_idle) && self.ended == FADE;
        if idle && !effect_params.used && self.entered == FADE {
            self.sounded = left.iter().chain(&*right).any(|&sample| sample != 0.0);
            return;
        }
        let _flush = FlushDenormals::new();
        if self.cut == FADE && effect_params.cut {
            self.sounded = left.iter().chain(&*right).any(|&sample| sample != 0.0);
            left.fill(0.0);
            right.fill(0.0);
            return;
        }
        if effect_params.changed {
            self.change(&values, effect_params.around);
        }
        let mut fresh: Stereo = [[0.0; TICK]; 2];
        fresh[0].copy_from_slice(left);
        fresh[1].copy_from_slice(right);
        self.sounded = fresh.iter().flatten().any(|&sample| sample != 0.0);
        let mut old: Stereo = [[0.0; TICK]; 2];
        if self.entered < FADE {
            for (fresh, old) in fresh.iter_mut().zip(&mut old) {
                for (frame, (fresh, old)) in fresh.iter_mut().zip(old).enumerate() {
                    let whole = *fresh;
                    *fresh = whole * fade_in(self.entered + frame);
                    *old = whole - *fresh;
                }
            }
            self.entered = (self.entered + TICK).min(FADE);
        }
        let (playing, told) = (self.playing, self.told);
        self.racks[playing].render(&mut fresh, &values, effect_params.around);
        self.racks[1 - playing].render(&mut old, &told, effect_params.around);
        for (side, out) in [&mut *left, &mut *right].into_iter().enumerate() {
            for (frame, out) in out.iter_mut().enumerate() {
                *out = fresh[side][frame] + old[side][frame];
                if let Some(ending) = self.ending[side].get(self.ended + frame) {
                    *out += ending;
                }
            }
        }
        self.ended = (self.ended + TICK).min(FADE);
        if effect_params.cut || self.cut > 0 {
            self.cut_off(left, right, effect_params.cut);
        }
    }

    /// Fades out what is cut off, tails and all; back in when a note begins before all is gone.
    fn cut_off(&mut self, left: &mut [f32], right: &mut [f32], cut: bool) {
        for (left, right) in left.iter_mut().zip(right) {
            self.cut = match cut {
                true => (self.cut + 1).min(FADE),
                false => self.cut.saturating_sub(1),
            };
            if self.cut > 0 {
                let gain = 1.0 - fade_in(self.cut - 1);
                *left *= gain;
                *right *= gain;
            }
        }
        if self.cut == FADE {
            let sounded = self.sounded;
            self.reset();
            (self.cut, self.sounded) = (FADE, sounded);
        }
    }

    /// Another patch: the rack that played rings out, the other starts anew.
    fn change(&mut self, values: &EffectValues, around: Surroundings) {
        let next = 1 - self.playing;
        self.end(next, around);
        self.told = self.racks[self.playing].told();
        self.playing = next;
        self.racks[next].start(values);
        // Without sound in the air nothing has to fade, and the next attack is whole.
        self.entered = if self.sounded { 0 } else { FADE };
    }

    /// Has the end of a rack's tail ready, so that the rack is free.
    fn end(&mut self, rack: usize, around: Surroundings) {
        if self.racks[rack].is_resting() {
            return;
        }
        for tick in 0..FADE / TICK {
            let mut sound: Stereo = [[0.0; TICK]; 2];
            let told = self.told;
            self.racks[rack].render(&mut sound, &told, around);
            for (side, sound) in sound.iter().enumerate() {
                for (frame, sample) in sound.iter().enumerate() {
                    let at = tick * TICK + frame;
                    // What is left of an ending that is itself interrupted goes on under this one.
                    let left = self.ending[side].get(self.ended + at).copied();
                    self.ending[side][at] = left.unwrap_or(0.0) + sample * (1.0 - fade_in(at));
                }
            }
        }
        self.ended = 0;
    }
}

#[cfg(test)]
mod tests;
