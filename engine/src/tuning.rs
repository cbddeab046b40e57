//! Tunings: scales (Scala's `.scl`) and their mapping to the keyboard (`.kbm`).
//!
//! The formats are described at <https://www.huygens-fokker.org/scala/scl_format.html> and
//! <https://www.huygens-fokker.org/scala/help.htm#mappings>.

mod built_in;
mod setting;

pub use setting::ScaleSetting;

/// Keys are at most so many semitones from MIDI key 0: far beyond hearing, and finite in Hertz.
const FARTHEST: f64 = 1_000.0;

/// Why a text is not a valid scale or keyboard map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TuningError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what is expected.
    pub problem: String,
}

/// The pitch of every key, in semitones above MIDI key 0 at the usual tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    keys: [f32; 128],
    /// Keys that play nothing, a bit each.
    silent: u128,
}

impl Default for Tuning {
    /// Twelve equal steps, A at 440 Hz.
    fn default() -> Self {
        Self { keys: std::array::from_fn(|key| key as f32), silent: 0 }
    }
}

impl Tuning {
    /// A scale on the keyboard, by the texts of their files. Without a map, key 60 is its first
    /// note and keeps its usual pitch.
    ///
    /// # Errors
    /// When a text is invalid: says in which line, and what is expected.
    pub fn read(scale: &str, map: Option<&str>) -> Result<Tuning, TuningError> {
        let scale = Scale::read(scale)?;
        let map = match map {
            Some(map) => Map::read(map)?,
            None => Map::usual(scale.cents.len()),
        };
        let mut keys = [0.0; 128];
        for (key, pitch) in keys.iter_mut().enumerate() {
            // Keys without a note keep the pitch of the next one below.
            let mapped = (0..=key).rev().find_map(|key| map.degree(key));
            let cents = scale.at(mapped.unwrap_or(0)) - scale.at(map.reference_degree());
            let semitones = map.reference_semitones() + cents / 100.0;
            *pitch = semitones.clamp(-FARTHEST, FARTHEST) as f32;
        }
        Ok(Tuning { keys, silent: 0 })
    }

    /// The tuning with these frequencies of the keys, in Hertz; the keys of `silent`, a bit each, play
    /// nothing, and neither do keys without a frequency. Never allocates.
    pub fn from_hertz(hertz: &[f64; 128], silent: u128) -> Tuning {
        let mut tuning = Tuning { silent, ..Tuning::default() };
        for (key, (pitch, hertz)) in tuning.keys.iter_mut().zip(hertz).enumerate() {
            match (1e-3..1e6).contains(hertz) {
                true => *pitch = (69.0 + 12.0 * (hertz / 440.0).log2()) as f32,
                false => tuning.silent |= 1 << key,
            }
        }
        tuning
    }

    /// Whether a key plays nothing.
    pub fn is_silent(&self, key: u8) -> bool {
        self.silent >> (key & 127) & 1 == 1
    }

    /// The pitch of a note in semitones; interpolated between keys and extrapolated beyond them.
    pub fn pitch(&self, note: f32) -> f32 {
        let key = note.clamp(0.0, 127.0);
        let below = (key as usize).min(126);
        let (low, high) = (self.keys[below], self.keys[below + 1]);
        low + (high - low) * (key - below as f32) + (note - key)
    }
}

/// The notes of a scale in cents, without the first, which is zero; the last is its period.
struct Scale {
    cents: Vec<f64>,
}

impl Scale {
    fn read(text: &str) -> Result<Scale, TuningError> {
        let mut lines = content(text);
        let end = text.lines().count().max(1);
        lines.next(); // The name.
        let count = whole(lines.next(), end, "the number of notes")?;
        let Ok(1..=1024) = usize::try_from(count) else {
            return Err(error(end.min(2), format!("{count} notes; 1 to 1024 are possible")));
        };
        let mut cents = Vec::new();
        for _ in 0..count {
            let (line, text) = lines
                .next()
                .ok_or_else(|| error(end, format!("{} notes of {count}", cents.len())))?;
            cents.push(note(text).ok_or_else(|| {
                error(line, format!("\"{text}\" is neither cents (701.955) nor a ratio (3/2)"))
            })?);
        }
        Ok(Scale { cents })
    }

    /// Cents above the first note of the first period.
    fn at(&self, degree: i64) -> f64 {
        let count = self.cents.len() as i64;
        let (period, note) = (degree.div_euclid(count), degree.rem_euclid(count));
        let within = match note {
            0 => 0.0,
            note => self.cents[note as usize - 1],
        };
        period as f64 * self.cents[self.cents.len() - 1] + within
    }
}

/// The mapping of a scale to the keyboard.
struct Map {
    first: i64,
    last: i64,
    /// The key of degree 0.
    middle: i64,
    reference: i64,
    hertz: f64,
    /// Degrees of an octave of the map.
    period: i64,
    /// The degree of each key of that octave; `None` for keys without a note. If empty, keys and
    /// degrees are the same.
    degrees: Vec<Option<i64>>,
}

impl Map {
    fn usual(notes: usize) -> Map {
        Map {
            first: 0,
            last: 127,
            middle: 60,
            reference: 60,
            hertz: 440.0 * (-9.0_f64 / 12.0).exp2(),
            period: notes as i64,
            degrees: Vec::new(),
        }
    }

    fn read(text: &str) -> Result<Map, TuningError> {
        let end = text.lines().count().max(1);
        let mut lines = content(text);
        let mut number = |what: &str| whole(lines.next(), end, what);
        let size = number("the size of the map")?;
        let first = number("the first key")?;
        let last = number("the last key")?;
        let middle = number("the key of the scale's first note")?;
        let reference = number("the reference key")?;
        let (line, hertz) =
            lines.next().ok_or_else(|| error(end, "no reference frequency".into()))?;
        let hertz = hertz.split_whitespace().next().unwrap_or("");
        let hertz: f64 = hertz
            .parse()
            .ok()
            .filter(|hertz| (1e-3..1e5).contains(hertz))
            .ok_or_else(|| error(line, format!("\"{hertz}\" is no frequency in Hertz")))?;
        let period = whole(lines.next(), end, "the degree of the octave")?;
        if !(0..=1024).contains(&size) {
            return Err(error(1, format!("a map of {size} keys; 0 to 1024 are possible")));
        }
        let mut degrees = Vec::new();
        for _ in 0..size {
            degrees.push(match lines.next() {
                Some((_, text)) if text.starts_with('x') => None,
                None => None,
                line => Some(whole(line, end, "a degree or x")?),
            });
        }
        Ok(Map { first, last, middle, reference, hertz, period, degrees })
    }

    fn degree(&self, key: usize) -> Option<i64> {
        let key = key as i64;
        ((self.first..=self.last).contains(&key)).then(|| self.degree_of(key))?
    }

    fn degree_of(&self, key: i64) -> Option<i64> {
        let away = key - self.middle;
        let size = self.degrees.len() as i64;
        if size == 0 {
            return Some(away);
        }
        let degree = self.degrees[away.rem_euclid(size) as usize]?;
        Some(degree + away.div_euclid(size) * self.period)
    }

    fn reference_degree(&self) -> i64 {
        self.degree_of(self.reference).unwrap_or(0)
    }

    fn reference_semitones(&self) -> f64 {
        69.0 + 12.0 * (self.hertz / 440.0).log2()
    }
}

/// Lines that are not comments, with their numbers.
fn content(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate();
    numbered
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.starts_with('!'))
}

fn whole(line: Option<(usize, &str)>, end: usize, what: &str) -> Result<i64, TuningError> {
    let (line, text) = line.ok_or_else(|| error(end, format!("{what} is missing")))?;
    let word = text.split_whitespace().next().unwrap_or("");
    // No keyboard has a million keys, and larger numbers would overflow.
    let number = word.parse().ok().filter(|number: &i64| number.unsigned_abs() <= 1_000_000);
    number.ok_or_else(|| error(line, format!("\"{word}\" where {what} is expected")))
}

/// A note in cents: text with a point is cents, without one a ratio.
fn note(text: &str) -> Option<f64> {
    let word = text.split_whitespace().next()?;
    let cents = match word.contains('.') {
        true => word.parse().ok()?,
        false => {
            let (above, below) = word.split_once('/').unwrap_or((word, "1"));
            let ratio = above.parse::<f64>().ok()? / below.parse::<f64>().ok()?;
            1200.0 * ratio.log2()
        }
    };
    // More than a hundred octaves are a mistake.
    (-120_000.0..=120_000.0).contains(&cents).then_some(cents)
}

fn error(line: usize, problem: String) -> TuningError {
    TuningError { line, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYTHAGOREAN: &str =
        "! a comment\nFive notes\n 5\n!\n 9/8\n 81/64\n 3/2 fifth\n 27/16\n 2/1\n";

    #[test]
    fn equal_temperament_gives_the_key_numbers() {
        let twelve: String = (1..=12).map(|n| format!("{}.0\n", 100 * n)).collect();
        let tuning = Tuning::read(&format!("Equal\n12\n{twelve}"), None).unwrap();
        for key in 0..128 {
            assert!((tuning.pitch(key as f32) - key as f32).abs() < 1e-4, "{key}");
        }
    }

    #[test]
    fn a_scale_repeats_at_its_period() {
        let tuning = Tuning::read(PYTHAGOREAN, None).unwrap();
        assert!((tuning.pitch(60.0) - 60.0).abs() < 1e-5);
        assert!((tuning.pitch(63.0) - 67.019_55).abs() < 1e-4);
        assert!((tuning.pitch(65.0) - 72.0).abs() < 1e-5);
        assert!((tuning.pitch(55.0) - 48.0).abs() < 1e-5);
    }

    #[test]
    fn a_map_says_which_keys_and_how_high() {
        // The white keys play the five notes and leave E and B out; A is 432 Hz.
        let map = "12\n0\n127\n60\n69\n432.0\n5\n0\nx\n1\nx\nx\n2\nx\n3\nx\n4\nx\nx\n";
        let tuning = Tuning::read(PYTHAGOREAN, Some(map)).unwrap();
        let a = 69.0 + 12.0 * (432.0_f32 / 440.0).log2();
        assert!((tuning.pitch(69.0) - a).abs() < 1e-4);
        assert!((tuning.pitch(81.0) - a - 12.0).abs() < 1e-4);
        assert!((tuning.pitch(67.0) - (a - 2.039_1)).abs() < 1e-3);
        assert_eq!(tuning.pitch(61.0), tuning.pitch(60.0));
    }

    #[test]
    fn frequencies_become_pitches() {
        let mut hertz = std::array::from_fn(|key| 432.0 * ((key as f64 - 69.0) / 12.0).exp2());
        let tuning = Tuning::from_hertz(&hertz, 1 << 61);
        let a = 69.0 + 12.0 * (432.0_f32 / 440.0).log2();
        assert!((tuning.pitch(69.0) - a).abs() < 1e-4 && (tuning.pitch(81.0) - a - 12.0) < 1e-4);
        assert!(tuning.is_silent(61) && !tuning.is_silent(60));
        // What another program wrote may be anything.
        (hertz[3], hertz[4], hertz[5]) = (f64::NAN, 0.0, f64::INFINITY);
        let tuning = Tuning::from_hertz(&hertz, 0);
        assert!((3..6).all(|key| tuning.is_silent(key) && tuning.pitch(key.into()).is_finite()));
    }

    /// Found by fuzzing: numbers that are no cents or no keys, and pitches without end.
    #[test]
    fn pitches_are_finite() {
        let far = format!("x\n1\n{}.\n", "4".repeat(90));
        assert_eq!(Tuning::read(&far, None).unwrap_err().line, 3);
        let wide = Tuning::read("x\n1\n120000.\n", None).unwrap();
        assert!((0..128).all(|key| wide.pitch(key as f32).abs() <= 1_000.0));
        let map = format!("1\n0\n127\n{}\n69\n440.0\n5\n0\n", i64::MIN);
        assert!(Tuning::read(PYTHAGOREAN, Some(&map)).is_err());
    }

    #[test]
    fn errors_name_the_line() {
        for (scale, line) in
            [("x", 1), ("x\nmany\n", 2), ("x\n2\n3/2\n", 3), ("x\n1\nhigh", 3), ("x\n0", 2)]
        {
            assert_eq!(Tuning::read(scale, None).unwrap_err().line, line, "{scale:?}");
        }
        assert!(Tuning::read(PYTHAGOREAN, Some("12\n0\n")).is_err());
        assert!(Tuning::read(PYTHAGOREAN, Some("0\n0\n127\n60\n69\nloud\n5\n")).is_err());
    }
}
