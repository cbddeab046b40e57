//! Concealment of missing sound: a channel is continued by prediction, which fades out.

use myriad_engine::dsp::{FADE, HISTORY, continue_sound, fade_in};

/// One channel: its last samples and their predicted continuation.
#[derive(Clone)]
pub(crate) struct Concealment {
    history: [f32; HISTORY],
    prediction: [f32; FADE],
    /// Frames of the prediction that have been faded out.
    faded: usize,
    /// Silent samples that were remembered last.
    silent: usize,
}

impl Concealment {
    pub(crate) const fn new() -> Self {
        Self { history: [0.0; HISTORY], prediction: [0.0; FADE], faded: FADE, silent: HISTORY }
    }

    /// Whether nothing is being concealed.
    pub(crate) fn is_over(&self) -> bool {
        self.faded == FADE
    }

    /// Whether there is nothing to continue.
    pub(crate) fn is_silent(&self) -> bool {
        self.silent >= HISTORY
    }

    /// Predicts the continuation of what was remembered. Its fade-out starts with the next samples.
    pub(crate) fn predict(&mut self) {
        continue_sound(&self.history, &mut self.prediction);
        self.faded = 0;
    }

    /// Adds the prediction to `samples` while it fades out.
    pub(crate) fn add_prediction(&mut self, samples: &mut [f32]) {
        for sample in samples.iter_mut().take(FADE - self.faded) {
            *sample += self.prediction[self.faded] * (1.0 - fade_in(self.faded));
            self.faded += 1;
        }
    }

    /// Crossfades from the prediction to `samples`.
    pub(crate) fn crossfade(&mut self, samples: &mut [f32]) {
        let gains = (self.faded..FADE).map(fade_in);
        samples.iter_mut().zip(gains).for_each(|(x, gain)| *x *= gain);
        self.add_prediction(samples);
    }

    /// Keeps the end of `samples` to predict from.
    pub(crate) fn remember(&mut self, samples: &[f32]) {
        let new = &samples[samples.len().saturating_sub(HISTORY)..];
        self.history.copy_within(new.len().., 0);
        self.history[HISTORY - new.len()..].copy_from_slice(new);
        self.silent = match new.iter().all(|&sample| sample == 0.0) {
            true => self.silent.saturating_add(new.len()),
            false => 0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_silent_when_nothing_is_left_to_continue() {
        let mut channel = Concealment::new();
        assert!(channel.is_silent());
        channel.remember(&[0.0, 0.1, 0.0]);
        assert!(!channel.is_silent());
        (0..100).for_each(|_| channel.remember(&[0.0; 64]));
        assert!(channel.is_silent());
    }
}
