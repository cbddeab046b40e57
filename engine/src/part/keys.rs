//! Keys that are down, in the order in which they were pressed, for mono voices.

/// A stack of keys without repeats.
#[derive(Clone, Debug)]
pub(super) struct KeyStack {
    keys: [(u8, f32); 128],
    count: usize,
}

impl Default for KeyStack {
    fn default() -> Self {
        Self { keys: [(0, 0.0); 128], count: 0 }
    }
}

impl KeyStack {
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn press(&mut self, key: u8, velocity: f32) {
        self.lift(key);
        // Keys are below 128 and are stored once, so there is always room.
        self.keys[self.count] = (key, velocity);
        self.count += 1;
    }

    pub(super) fn lift(&mut self, key: u8) {
        if let Some(at) = self.keys[..self.count].iter().position(|&(other, _)| other == key) {
            self.keys.copy_within(at + 1..self.count, at);
            self.count -= 1;
        }
    }

    /// The key pressed last that is still down, and its velocity.
    pub(super) fn top(&self) -> Option<(u8, f32)> {
        self.count.checked_sub(1).map(|top| self.keys[top])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn holds(&self, key: u8) -> bool {
        self.keys[..self.count].iter().any(|&(other, _)| other == key)
    }

    /// The key that was pressed as number `index`, and its velocity.
    pub(super) fn nth(&self, index: usize) -> (u8, f32) {
        self.keys[index]
    }

    /// Number `index` in order of pitch.
    pub(super) fn nth_by_pitch(&self, index: usize) -> (u8, f32) {
        let keys = &self.keys[..self.count];
        let below = |key: u8| keys.iter().filter(|&&(other, _)| other < key).count();
        let nth = keys.iter().find(|&&(key, _)| below(key) == index);
        nth.copied().unwrap_or(self.keys[0])
    }
}
