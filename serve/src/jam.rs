//! A jam: everybody hears the sum of all seats.
//!
//! The mix of a round is made when the next one is due, so that all seats had the time of a whole block. When the
//! whole server was stalled, that time begins after it: seats catch up first, as they do without a jam.
//! A seat that is late even then is continued by prediction, which fades out, and fades in again.

use crate::clock::Clock;
use crate::config::{Limits, RATE};
use crate::seat::Seat;
use myriad_engine::dsp::{FADE, HISTORY, Limiter, continue_sound, fade_in};
use std::sync::atomic::Ordering::Acquire;
use std::sync::{Arc, PoisonError};

/// Mixes all seats. Belongs to the pacer; allocates only for new seats.
pub(crate) struct Mixer {
    clock: Clock,
    most_behind: u64,
    /// Rounds that a late seat is waited for.
    wait: u64,
    /// The next round to mix.
    next: u64,
    /// The newest round that seats have been told of.
    told: u64,
    /// Left and right in turn.
    mix: Vec<f32>,
    limiter: Limiter,
    /// The end of the last mix, which the limiter's look-ahead delays.
    delayed: [f32; 2 * Limiter::LOOK_AHEAD],
    /// What is known of each seat, by its id.
    channels: Vec<(u64, Channel)>,
}

/// One seat in the mix.
struct Channel {
    /// The end of its sound, left and right.
    history: [[f32; HISTORY]; 2],
    /// How the sound would have gone on when a block was missing.
    prediction: [[f32; FADE]; 2],
    /// Frames of the prediction that are over.
    predicted: usize,
    /// Frames since the sound came back.
    faded_in: usize,
    /// Whether the last block was missing.
    is_missing: bool,
}

impl Channel {
    fn new() -> Self {
        Self {
            history: [[0.0; HISTORY]; 2],
            prediction: [[0.0; FADE]; 2],
            predicted: FADE,
            faded_in: 0,
            is_missing: true,
        }
    }

    /// Adds a block, or what was predicted of it, to the mix.
    fn add(&mut self, block: Option<&[f32]>, mix: &mut [f32]) {
        if block.is_none() && !self.is_missing {
            for (history, prediction) in self.history.iter().zip(&mut self.prediction) {
                continue_sound(history, prediction);
            }
            (self.predicted, self.faded_in) = (0, 0);
        }
        self.is_missing = block.is_none();
        for sum in mix.chunks_exact_mut(2).take(FADE - self.predicted) {
            let gain = 1.0 - fade_in(self.predicted);
            sum[0] += gain * self.prediction[0][self.predicted];
            sum[1] += gain * self.prediction[1][self.predicted];
            self.predicted += 1;
        }
        let Some(block) = block else {
            return;
        };
        for (sum, pair) in mix.chunks_exact_mut(2).zip(block.chunks_exact(2)) {
            let gain = fade_in(self.faded_in);
            self.faded_in = (self.faded_in + 1).min(FADE);
            sum[0] += gain * pair[0];
            sum[1] += gain * pair[1];
        }
        self.remember(block);
    }

    fn remember(&mut self, block: &[f32]) {
        let frames = (block.len() / 2).min(HISTORY);
        let end = &block[block.len() - 2 * frames..];
        for (side, history) in self.history.iter_mut().enumerate() {
            history.copy_within(frames.., 0);
            let new = end.iter().skip(side).step_by(2);
            history[HISTORY - frames..].iter_mut().zip(new).for_each(|(old, new)| *old = *new);
        }
    }
}

impl Mixer {
    pub(crate) fn new(clock: Clock, seats: usize, limits: &Limits) -> Self {
        Self {
            clock,
            most_behind: limits.behind as u64,
            wait: limits.jam_wait as u64,
            next: 0,
            told: 0,
            mix: vec![0.0; 2 * clock.block],
            limiter: Limiter::new(RATE as f32),
            delayed: [0.0; 2 * Limiter::LOOK_AHEAD],
            channels: Vec::with_capacity(2 * seats + 2),
        }
    }

    /// Mixes what all seats have rendered and what is not waited for any longer, and sends it to all seats.
    /// `newest` is the round that seats have just been told of.
    pub(crate) fn mix(&mut self, newest: u64, seats: &[Arc<Seat>]) {
        // After a long stall nobody wants the old rounds any more.
        self.next = self.next.max(newest.saturating_sub(self.most_behind));
        // Nobody had the time of a block when the server was stalled; seats have until the next round now.
        let was_stalled = newest > self.told + 1;
        self.told = newest;
        while self.next < newest {
            let is_over = self.next + self.wait <= newest && !was_stalled;
            let has_next = |seat: &Arc<Seat>| {
                seat.next_round.load(Acquire) > self.next || seat.is_closed.load(Acquire)
            };
            if !is_over && !seats.iter().all(has_next) {
                break;
            }
            self.mix_round(self.next, seats);
            self.next += 1;
        }
    }

    fn mix_round(&mut self, round: u64, seats: &[Arc<Seat>]) {
        self.mix.fill(0.0);
        self.channels.retain(|(id, _)| seats.iter().any(|seat| seat.id == *id));
        for seat in seats {
            let Some(jam) = &seat.jam else {
                continue;
            };
            let known = self.channels.iter().position(|(id, _)| *id == seat.id);
            let index = known.unwrap_or_else(|| {
                self.channels.push((seat.id, Channel::new()));
                self.channels.len() - 1
            });
            let jam = jam.lock().unwrap_or_else(PoisonError::into_inner);
            self.channels[index].1.add(jam.get(round), &mut self.mix);
        }
        self.limit();
        let is_silent = self.mix.iter().all(|x| x.abs() < 1e-9);
        for seat in seats {
            seat.send(self.clock.first_frame(round), is_silent, &self.mix);
        }
    }

    /// Keeps the sum below full scale, which delays it by the limiter's look-ahead.
    fn limit(&mut self) {
        for (frame, pair) in self.mix.chunks_exact_mut(2).enumerate() {
            let gain = self.limiter.gain(pair[0].abs().max(pair[1].abs()));
            let at = 2 * (frame % Limiter::LOOK_AHEAD);
            let delayed = &mut self.delayed[at..at + 2];
            for (sample, delayed) in pair.iter_mut().zip(delayed) {
                *sample = gain * std::mem::replace(delayed, *sample);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ServeConfig;
    use myriad_engine::factory;
    use myriad_engine::patch::Playable;
    use std::sync::atomic::Ordering::Relaxed;

    /// A tone of which a block is missing has no jump.
    #[test]
    fn a_missing_block_makes_no_click() {
        for block in [64, 256, 1_024] {
            let tone = |i: usize| 0.5 * (i as f32 * 0.06).sin();
            let mut channel = Channel::new();
            let mut heard = Vec::new();
            for round in 0..40 {
                let frames = round * block..(round + 1) * block;
                let sound: Vec<f32> = frames.flat_map(|i| [tone(i), tone(i)]).collect();
                let mut mix = vec![0.0; 2 * block];
                let is_missing = matches!(round, 20 | 21 | 30);
                channel.add((!is_missing).then_some(&sound), &mut mix);
                heard.extend(mix.into_iter().step_by(2));
            }
            let jump = heard.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
            assert!(jump < 0.5 * 0.06 * 1.6, "{jump} with blocks of {block}");
            assert_eq!(
                heard[38 * block..39 * block],
                (38 * block..39 * block).map(tone).collect::<Vec<_>>()
            );
        }
    }

    /// Seats render what a stall of the whole server has delayed; a seat that alone is late is not waited for.
    #[test]
    fn after_a_stall_seats_catch_up_before_they_are_mixed() {
        let config = ServeConfig { jam: true, ..crate::seat::tests::config() };
        let clock = Clock::new(RATE, config.block);
        let patch = Playable::new(factory::find("Init").unwrap());
        let (seat, mut ends) = Seat::new(1, &clock, &config, patch).unwrap();
        seat.next_round.store(1, Relaxed);
        let seats = [Arc::new(seat)];
        let render_to = |round| {
            for round in seats[0].next_round.load(Relaxed)..=round {
                seats[0].render(round, &clock);
                seats[0].next_round.store(round + 1, Relaxed);
            }
        };
        let mut mixer = Mixer::new(clock, 1, &config.limits);
        // The round that is due, the last one that the seat has rendered, the rounds that are mixed, and
        // whether the last of them was without the seat.
        for (newest, rendered, mixed, is_missing) in [
            (1, 0, 0..1, true),
            (2, 1, 1..2, false),
            (8, 1, 2..2, false),
            (9, 8, 2..9, false),
            (10, 8, 9..10, true),
            (11, 8, 10..11, true),
        ] {
            render_to(rendered);
            mixer.mix(newest, &seats);
            let frames = std::iter::from_fn(|| ends.sound.next().map(|(header, _)| header.frame));
            let mixed: Vec<u64> = mixed.map(|round| clock.first_frame(round)).collect();
            assert_eq!(frames.collect::<Vec<_>>(), mixed, "when round {newest} is due");
            assert_eq!(mixer.channels[0].1.is_missing, is_missing, "when round {newest} is due");
        }
    }
}
