//! Effects: process a part's sound after it was rendered, on the CPU.
//!
//! Every part has its own, since they belong to its patch. A part has two racks: when the patch
//! changes, the old rack rings out while the new one plays, with a crossfade of their input.

mod chorus;
pub(crate) mod compressor;
pub(crate) mod convolver;
mod crossfaded_tap;
mod crusher;
pub(crate) mod delay;
pub(crate) mod drive;
pub(crate) mod ducker;
pub(crate) mod eq;
mod flanger;
mod limiter;
mod line;
pub(crate) mod multiband;
mod oversample;
mod phaser;
mod rack;
mod ramp;
mod reverb;
mod shifter;
mod sweep;
mod values;

pub(crate) use values::EffectValues;

use crate::dsp::{FADE, FlushDenormals, fade_in};
use crate::render::TICK;
use convolver::Convolution;
use rack::Rack;

/// A tick of left and right.
type Stereo = [[f32; TICK]; 2];

/// What effects know besides their parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EffectContext {
    /// Quarter notes per minute.
    pub(crate) bpm: f32,
    /// Quarter notes at the end of the tick; `None` until a song runs.
    pub(crate) beat: Option<f64>,
}

/// One effect. The rack fades it in and out.
trait Effect: Send {
    /// Clears all sound; the next render is like the first.
    fn reset(&mut self);

    /// Processes one tick in place. Numbers are smoothed from tick to tick; choices change only
    /// while the effect is faded out.
    fn render(&mut self, sound: &mut Stereo, values: &EffectValues, context: EffectContext);

    /// Frames of silence that may pass before its output is heard again.
    fn memory(&self, values: &EffectValues) -> usize;

    /// Seconds until the sound in its feedback loop has fallen to [`GONE`], without further input.
    fn ringing(&self, _: &EffectValues, _: EffectContext) -> f32 {
        0.0
    }

    /// The number of the convolution that it has; 0 without one.
    fn convolution(&self) -> u64 {
        0
    }

    /// Takes a convolution, and leaves the one that it had.
    fn exchange_convolution(&mut self, _: &mut Option<Box<Convolution>>) {}
}

/// Fraction of the level that is left when a chord at ten times full scale counts as silent.
const GONE: f32 = 1e-7;

/// How often sound passes the feedback loop until it is gone, when `kept` is fed back each time.
fn rounds(kept: f32) -> f32 {
    GONE.ln() / kept.abs().ln()
}

/// Parameters of a part's effects for one tick. Aligned so that threads do not share cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(align(128))]
pub(crate) struct EffectParams {
    /// Whether any effect is on; if not, the values are not used.
    pub(crate) used: bool,
    /// Whether the patch has changed before this tick.
    pub(crate) changed: bool,
    /// Whether all sound was cut off and no note has started since.
    pub(crate) cut: bool,
    /// The number of the patch's convolution; 0 without one.
    pub(crate) convolution: u64,
    pub(crate) values: EffectValues,
    pub(crate) context: EffectContext,
}

impl EffectParams {
    /// No effects.
    pub(crate) fn none() -> Self {
        Self {
            used: false,
            changed: false,
            cut: false,
            convolution: 0,
            values: EffectValues::off(),
            context: EffectContext { bpm: 120.0, beat: None },
        }
    }
}

/// The effects of one part. Aligned like their parameters.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct PartEffects {
    /// The rack that plays, and the one that rings out.
    racks: [Rack; 2],
    /// Which one plays.
    playing: usize,
    /// The last values of the other rack.
    old_values: EffectValues,
    /// The last surroundings of both.
    context: EffectContext,
    /// Frames since the input was switched to the rack that plays; it crossfades for [`FADE`].
    crossfaded: usize,
    /// The faded end of a tail that had to stop, and how much of it was played.
    ending: [[f32; FADE]; 2],
    ended: usize,
    /// Whether the input of the last tick had sound.
    had_input: bool,
    /// Frames of the fade-out of a cut so far: silence after [`FADE`].
    cut: usize,
    /// Convolutions that have not been needed yet, and those that are not needed any more.
    waiting: Convolutions,
    spent: Convolutions,
    sample_rate: f32,
}

/// A few convolutions. None is made or dropped where sound is rendered: they come and go with patches.
pub(crate) type Convolutions = [Option<Box<Convolution>>; 4];

impl PartEffects {
    pub(crate) fn new(sample_rate: f32) -> Self {
        Self {
            racks: std::array::from_fn(|_| Rack::new(sample_rate)),
            playing: 0,
            old_values: EffectValues::off(),
            context: EffectParams::none().context,
            crossfaded: FADE,
            ending: [[0.0; FADE]; 2],
            ended: FADE,
            had_input: false,
            cut: 0,
            waiting: Default::default(),
            spent: Default::default(),
            sample_rate,
        }
    }

    /// Takes the convolution of a new patch, to be used when the first tick with its number is rendered, and leaves those
    /// that are not needed any more. Never allocates.
    pub(crate) fn exchange_convolutions(&mut self, convolutions: &mut Convolutions) {
        let fits = |it: &&mut Option<Box<Convolution>>| {
            it.as_ref().is_some_and(|it| it.sample_rate() == self.sample_rate)
        };
        let mut new = convolutions.iter_mut().find(fits).and_then(Option::take);
        std::mem::swap(convolutions, &mut self.spent);
        if new.is_none() {
            return;
        }
        // Without room the oldest, whose patch was replaced several times since, is never heard.
        let places = self.waiting.iter_mut();
        let number = |it: &Option<Box<Convolution>>| it.as_ref().map_or(0, |it| it.number());
        if let Some(place) = places.min_by_key(|place| number(place)) {
            std::mem::swap(place, &mut new);
        }
        if let Some(left) = convolutions.iter_mut().find(|left| left.is_none()) {
            *left = new;
        }
    }

    /// Gives the rack that plays the convolution with this number, if it is here.
    fn find_convolution(&mut self, number: u64) {
        let [first, second] = &mut self.racks;
        let (playing, other) = match self.playing {
            0 => (first, second),
            _ => (second, first),
        };
        if playing.convolution() == number {
            return;
        }
        let Some(place) = self.spent.iter_mut().find(|place| place.is_none()) else { return };
        let is_it = |it: &&mut Option<Box<Convolution>>| {
            it.as_ref().is_some_and(|it| it.number() == number)
        };
        if let Some(found) = self.waiting.iter_mut().find(is_it) {
            std::mem::swap(place, found);
        } else if number > 0 && other.convolution() == number {
            // The same patch with other values: the sound of before does not ring out through it.
            other.exchange_convolution(place);
        } else if number > 0 {
            return;
        }
        playing.exchange_convolution(place);
        // Those of patches that were replaced before they sounded.
        for waiting in &mut self.waiting {
            if waiting.as_ref().is_some_and(|it| it.number() < number)
                && let Some(place) = self.spent.iter_mut().find(|place| place.is_none())
            {
                std::mem::swap(waiting, place);
            }
        }
    }

    pub(crate) fn reset(&mut self) {
        self.racks.iter_mut().for_each(Rack::reset);
        (self.playing, self.crossfaded, self.ended) = (0, FADE, FADE);
        self.old_values = EffectValues::off();
        (self.had_input, self.cut) = (false, 0);
    }

    /// Whether it is silent.
    pub(crate) fn is_silent(&self) -> bool {
        self.racks.iter().all(Rack::is_silent) && self.ended == FADE
    }

    /// Seconds until it is silent, without further input.
    pub(crate) fn tail(&self) -> f32 {
        let tails = self.racks.iter().map(|rack| rack.tail(self.context));
        tails.fold(0.0, f32::max)
    }

    /// Processes one tick in place.
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
        self.context = effect_params.context;
        if self.cut == FADE && !effect_params.cut && !self.had_input {
            // Nothing has to be faded in, and the next attack is complete.
            self.cut = 0;
        }
        let idle = self.racks.iter().all(Rack::is_idle) && self.ended == FADE;
        if idle && !effect_params.used && self.crossfaded == FADE {
            self.had_input = left.iter().chain(&*right).any(|&sample| sample != 0.0);
            return;
        }
        let _flush = FlushDenormals::new();
        if self.cut == FADE && effect_params.cut {
            self.had_input = left.iter().chain(&*right).any(|&sample| sample != 0.0);
            left.fill(0.0);
            right.fill(0.0);
            return;
        }
        if effect_params.changed {
            self.change(&values, effect_params.context);
        }
        self.find_convolution(effect_params.convolution);
        let mut fresh: Stereo = [[0.0; TICK]; 2];
        fresh[0].copy_from_slice(left);
        fresh[1].copy_from_slice(right);
        self.had_input = fresh.iter().flatten().any(|&sample| sample != 0.0);
        let mut old: Stereo = [[0.0; TICK]; 2];
        if self.crossfaded < FADE {
            for (fresh, old) in fresh.iter_mut().zip(&mut old) {
                for (frame, (fresh, old)) in fresh.iter_mut().zip(old).enumerate() {
                    let whole = *fresh;
                    *fresh = whole * fade_in(self.crossfaded + frame);
                    *old = whole - *fresh;
                }
            }
            self.crossfaded = (self.crossfaded + TICK).min(FADE);
        }
        let (playing, old_values) = (self.playing, self.old_values);
        self.racks[playing].render(&mut fresh, &values, effect_params.context);
        self.racks[1 - playing].render(&mut old, &old_values, effect_params.context);
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

    /// Fades out everything when sound is cut off, tails included; fades back in when a note starts
    /// before that.
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
            let had_input = self.had_input;
            self.reset();
            (self.cut, self.had_input) = (FADE, had_input);
        }
    }

    /// The patch has changed: the rack that played rings out, the other starts with the new values.
    fn change(&mut self, values: &EffectValues, context: EffectContext) {
        let next = 1 - self.playing;
        self.end(next, context);
        self.old_values = self.racks[self.playing].values();
        self.playing = next;
        self.racks[next].start(values);
        // Without input there is nothing to crossfade, and the next attack is complete.
        self.crossfaded = if self.had_input { 0 } else { FADE };
    }

    /// Renders the faded end of a rack's tail in advance, so that the rack is free.
    fn end(&mut self, rack: usize, context: EffectContext) {
        if self.racks[rack].is_silent() {
            return;
        }
        for tick in 0..FADE / TICK {
            let mut sound: Stereo = [[0.0; TICK]; 2];
            let old_values = self.old_values;
            self.racks[rack].render(&mut sound, &old_values, context);
            for (side, sound) in sound.iter().enumerate() {
                for (frame, sample) in sound.iter().enumerate() {
                    let at = tick * TICK + frame;
                    // The rest of an earlier ending is added.
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
