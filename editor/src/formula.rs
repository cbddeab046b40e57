//! Formulas that are typed to draw with: arithmetic on named numbers, such as `1/n` or `sin(n*0.3)`.
//!
//! A formula is compiled to a list of operations in postfix order, so that it is parsed once for all harmonics and
//! evaluation can neither fail nor recurse. The grammar:
//!
//! ```text
//! sum     = product (("+" | "-") product)*
//! product = sign (("*" | "/" | "%") sign)*
//! sign    = "-" sign | power
//! power   = atom ("^" sign)?
//! atom    = number | name | function "(" sum ("," sum)* ")" | "(" sum ")"
//! ```

use std::f32::consts::{E, PI};

/// The longest formula, in bytes.
const MAX_LENGTH: usize = 200;
/// The most brackets, signs and powers inside each other.
const MAX_DEPTH: usize = 32;

/// A formula.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    operations: Vec<Operation>,
}

/// Why a text is no formula, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormulaError(pub(crate) String);

/// Functions of one and of two numbers.
type Unary = fn(f32) -> f32;
type Binary = fn(f32, f32) -> f32;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Number(f32),
    /// A variable, by its index.
    Variable(usize),
    Unary(Unary),
    Binary(Binary),
}

/// Functions of one number by name.
const UNARY: [(&str, Unary); 12] = [
    ("sin", f32::sin),
    ("cos", f32::cos),
    ("tan", f32::tan),
    ("abs", f32::abs),
    ("sqrt", f32::sqrt),
    ("exp", f32::exp),
    ("ln", f32::ln),
    ("log2", f32::log2),
    ("floor", f32::floor),
    ("round", f32::round),
    ("odd", |x| if x.rem_euclid(2.0) == 1.0 { 1.0 } else { 0.0 }),
    ("random", |x| {
        let hash = myriad_engine::dsp::hash(x.to_bits());
        hash as f32 / u32::MAX as f32
    }),
];

/// Functions of two numbers by name.
const BINARY: [(&str, Binary); 3] = [("min", f32::min), ("max", f32::max), ("pow", f32::powf)];

/// Numbers with a name.
const CONSTANTS: [(&str, f32); 2] = [("pi", PI), ("e", E)];

impl Formula {
    /// Compiles a formula with variables of these names.
    ///
    /// # Errors
    /// When the text is no formula: what is wrong, and where.
    pub(crate) fn parse(text: &str, variables: &[&str]) -> Result<Self, FormulaError> {
        if text.len() > MAX_LENGTH {
            return Err(FormulaError(format!("longer than {MAX_LENGTH} characters")));
        }
        let mut parser =
            Parser { rest: text.trim_start(), variables, depth: 0, operations: vec![] };
        parser.sum()?;
        match parser.rest.is_empty() {
            true => Ok(Self { operations: parser.operations }),
            false => Err(parser.unexpected()),
        }
    }

    /// Its value for these values of the variables; zero where it has none, as at 1/0.
    pub(crate) fn at(&self, variables: &[f32]) -> f32 {
        let mut stack: Vec<f32> = Vec::with_capacity(8);
        for operation in &self.operations {
            let value = match *operation {
                Operation::Number(number) => number,
                Operation::Variable(index) => variables.get(index).copied().unwrap_or_default(),
                Operation::Unary(function) => function(stack.pop().unwrap_or_default()),
                Operation::Binary(function) => {
                    let right = stack.pop().unwrap_or_default();
                    function(stack.pop().unwrap_or_default(), right)
                }
            };
            stack.push(value);
        }
        stack.pop().filter(|value| value.is_finite()).unwrap_or_default()
    }
}

struct Parser<'a> {
    /// The text that is not read yet, without space before it.
    rest: &'a str,
    variables: &'a [&'a str],
    depth: usize,
    operations: Vec<Operation>,
}

impl Parser<'_> {
    fn unexpected(&self) -> FormulaError {
        FormulaError(match self.rest.chars().next() {
            Some(found) => format!("unexpected \u{201c}{found}\u{201d}"),
            None => "something is missing at the end".to_owned(),
        })
    }

    /// Reads this character, if it is next.
    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        if let Some(rest) = rest {
            self.rest = rest.trim_start();
        }
        rest.is_some()
    }

    fn expect(&mut self, wanted: char) -> Result<(), FormulaError> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn push(&mut self, function: Binary) {
        self.operations.push(Operation::Binary(function));
    }

    fn sum(&mut self) -> Result<(), FormulaError> {
        self.product()?;
        loop {
            if self.take('+') {
                self.product()?;
                self.push(|a, b| a + b);
            } else if self.take('-') {
                self.product()?;
                self.push(|a, b| a - b);
            } else {
                return Ok(());
            }
        }
    }

    fn product(&mut self) -> Result<(), FormulaError> {
        self.sign()?;
        loop {
            if self.take('*') {
                self.sign()?;
                self.push(|a, b| a * b);
            } else if self.take('/') {
                self.sign()?;
                self.push(|a, b| a / b);
            } else if self.take('%') {
                self.sign()?;
                self.push(f32::rem_euclid);
            } else {
                return Ok(());
            }
        }
    }

    /// Every recursion goes through here, so the depth is limited here.
    fn sign(&mut self) -> Result<(), FormulaError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(FormulaError("too many brackets".to_owned()));
        }
        if self.take('-') {
            self.sign()?;
            self.operations.push(Operation::Unary(|x| -x));
        } else {
            self.atom()?;
            if self.take('^') {
                self.sign()?;
                self.push(f32::powf);
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Result<(), FormulaError> {
        if self.take('(') {
            self.sum()?;
            return self.expect(')');
        }
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        if self.rest.starts_with(is_digit) {
            let text = self.word(is_digit);
            let number = text.parse().map_err(|_| FormulaError(format!("{text} is no number")))?;
            self.operations.push(Operation::Number(number));
            return Ok(());
        }
        let name = self.word(|c| c.is_ascii_alphanumeric());
        if name.is_empty() {
            return Err(self.unexpected());
        }
        if let Some(index) = self.variables.iter().position(|variable| *variable == name) {
            self.operations.push(Operation::Variable(index));
        } else if let Some((_, number)) = CONSTANTS.iter().find(|(known, _)| *known == name) {
            self.operations.push(Operation::Number(*number));
        } else if let Some((_, function)) = UNARY.iter().find(|(known, _)| *known == name) {
            self.expect('(')?;
            self.sum()?;
            self.expect(')')?;
            self.operations.push(Operation::Unary(*function));
        } else if let Some((_, function)) = BINARY.iter().find(|(known, _)| *known == name) {
            self.expect('(')?;
            self.sum()?;
            self.expect(',')?;
            self.sum()?;
            self.expect(')')?;
            self.push(*function);
        } else {
            return Err(FormulaError(format!("{name} is not known")));
        }
        Ok(())
    }

    /// Reads characters as long as they are of a kind.
    fn word(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        let word = word.to_owned();
        self.rest = rest.trim_start();
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f32 {
        Formula::parse(text, &["n", "frame"]).unwrap().at(&[3.0, 2.0])
    }

    fn error(text: &str) -> String {
        Formula::parse(text, &["n"]).unwrap_err().0
    }

    #[test]
    fn arithmetic_binds_as_usual() {
        for (text, expected) in [
            ("1/n", 1.0 / 3.0),
            ("1 + 2 * 3 - 4", 3.0),
            ("-n^2", -9.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("(1 + 2) * (n - frame)", 3.0),
            ("7 % 4 / 2", 1.5),
            ("max(n, 5) - min(n, frame)", 3.0),
            ("sin(pi/2) + cos( 0 ) + abs(-1)", 3.0),
            ("odd(n) + odd(frame)", 1.0),
            ("sqrt(16) ^ .5", 2.0),
            ("1/0", 0.0),
            ("ln(0)", 0.0),
        ] {
            assert!((value(text) - expected).abs() < 1e-5, "{text}: {}", value(text));
        }
    }

    #[test]
    fn mistakes_are_told() {
        for (text, part) in [
            ("", "missing"),
            ("1/", "missing"),
            ("1 2", "unexpected"),
            ("(n", "missing"),
            ("n)", "unexpected"),
            ("wave(n)", "wave is not known"),
            ("1.2.3", "1.2.3 is no number"),
            ("sin n", "unexpected"),
            ("max(n)", "unexpected"),
            ("n; drop", "unexpected"),
            ("\u{e9}", "unexpected"),
        ] {
            assert!(error(text).contains(part), "{text}: {}", error(text));
        }
        assert!(error(&"(".repeat(100)).contains("brackets"));
        assert!(error(&"-".repeat(100)).contains("brackets"));
        assert!(error(&"1+".repeat(200)).contains("longer"));
    }

    /// Whatever is typed, nothing panics.
    #[test]
    fn any_text_is_a_formula_or_an_error() {
        const PARTS: [&str; 14] =
            ["n", "1", ".", "(", ")", "+", "-", "*", "/", "^", "sin", ",", "max(", " "];
        for seed in 0..5_000u32 {
            let part = |index: u32| {
                PARTS[myriad_engine::dsp::hash(seed * 16 + index) as usize % PARTS.len()]
            };
            let text: String = (0..seed % 12).map(part).collect();
            if let Ok(formula) = Formula::parse(&text, &["n"]) {
                assert!(formula.at(&[2.0]).is_finite(), "{text}");
            }
        }
    }
}
