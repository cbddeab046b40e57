//! Auditions: a short phrase that suits the category of a patch, played when it is chosen.

use crate::host::EditorHost;

/// A note: when it begins and ends, in seconds from the start of the phrase, key and velocity.
type Note = (f64, f64, u8, f32);

/// The phrase of a category.
fn phrase(category: &str) -> Vec<Note> {
    let line = |keys: &[u8], step: f64, length: f64| -> Vec<Note> {
        let note = |(index, &key): (usize, &u8)| {
            let begin = step * index as f64;
            (begin, begin + length, key, 0.8)
        };
        keys.iter().enumerate().map(note).collect()
    };
    let chord = |keys: &[u8], length: f64| -> Vec<Note> {
        keys.iter().map(|&key| (0.0, length, key, 0.75)).collect()
    };
    match category {
        "bass" => line(&[36, 36, 48, 43, 36], 0.28, 0.24),
        "lead" | "solo" => line(&[60, 63, 67, 70, 72], 0.24, 0.3),
        "pluck" | "bell" | "mallet" | "arp" | "sequence" => line(&[60, 64, 67, 72, 76], 0.2, 0.5),
        "drums" | "kit" | "percussion" => line(&[36, 42, 38, 42, 36, 46], 0.2, 0.15),
        "effect" | "fx" | "drone" => chord(&[48], 2.4),
        "keys" | "piano" | "organ" | "guitar" => {
            let mut notes = chord(&[48, 60, 64, 67], 0.9);
            notes.extend(
                line(&[72, 71, 67], 0.3, 0.4).iter().map(|n| (n.0 + 1.0, n.1 + 1.0, n.2, n.3)),
            );
            notes
        }
        _ => chord(&[48, 55, 60, 64], 2.0),
    }
}

/// A phrase that is being played.
#[derive(Debug, Default)]
pub(crate) struct Audition {
    began: f64,
    /// Notes that have not begun yet.
    waiting: Vec<Note>,
    /// Keys that are down, and when they go up.
    down: Vec<(f64, u8)>,
}

impl Audition {
    /// Plays the phrase of a category from its beginning.
    pub(crate) fn start(&mut self, host: &mut dyn EditorHost, category: &str, time: f64) {
        self.stop(host);
        self.began = time;
        self.waiting = phrase(category);
        self.tick(host, time);
    }

    /// Presses and releases the keys that are due.
    pub(crate) fn tick(&mut self, host: &mut dyn EditorHost, time: f64) {
        let now = time - self.began;
        self.down.retain(|&(end, key)| {
            let held = now < end;
            if !held {
                host.note_off(key);
            }
            held
        });
        let down = &mut self.down;
        self.waiting.retain(|&(begin, end, key, velocity)| {
            let waits = now < begin;
            if !waits {
                host.note_on(key, velocity);
                down.push((end, key));
            }
            waits
        });
    }

    /// Releases every key.
    pub(crate) fn stop(&mut self, host: &mut dyn EditorHost) {
        self.waiting.clear();
        for (_, key) in self.down.drain(..) {
            host.note_off(key);
        }
    }

    pub(crate) fn plays(&self) -> bool {
        !self.waiting.is_empty() || !self.down.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalHost;
    use myriad_engine::{Patch, Snapshot};

    /// Every key goes up again, at its time or when the phrase is stopped.
    #[test]
    fn phrases_end() {
        for category in ["bass", "keys", "pad", "drums"] {
            for stop in [None, Some(0.3)] {
                let mut host = LocalHost::new(Patch::new()).unwrap();
                let mut audition = Audition::default();
                audition.start(&mut host, category, 10.0);
                assert!(audition.plays());
                let mut sounded = false;
                for step in 0..100 {
                    let time = 10.0 + f64::from(step) / 30.0;
                    audition.tick(&mut host, time);
                    if stop.is_some_and(|stop| time - 10.0 > stop) {
                        audition.stop(&mut host);
                    }
                    host.advance(1.0 / 30.0);
                    let mut snapshot = Snapshot::new();
                    host.snapshot(&mut snapshot);
                    sounded |= snapshot.keys != 0;
                }
                let mut snapshot = Snapshot::new();
                host.snapshot(&mut snapshot);
                assert!(sounded && !audition.plays(), "{category}");
                assert_eq!(snapshot.keys, 0, "{category}");
            }
        }
    }
}
