//! Output to the terminal, which never panics, and the format of numbers.

use crate::failure::{Exit, Failure};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Prints `text` on standard output.
///
/// # Errors
/// When standard output cannot be written to. A closed pipe ends the program without a message.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(printable(text).as_bytes()).and_then(|()| out.flush()).map_err(
        |error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::new(Exit::PipeClosed, ""),
            _ => Failure::failed(format!("standard output: {error}")),
        },
    )
}

/// Prints one value as JSON on standard output.
///
/// # Errors
/// As [`print`].
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::failed)?;
    print(&(text + "\n"))
}

/// Prints a line on standard error; failures are ignored, because there is no other output left.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(line));
}

/// Control characters as `\u{1b}`, but for ends of lines and tabs: names of files and patches may have
/// them, and a terminal would obey.
fn printable(text: &str) -> Cow<'_, str> {
    let is_harmful = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_harmful) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match is_harmful(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown.into()
}

/// A progress bar on standard error, hidden unless that is a terminal.
pub fn progress_bar(total: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "  {wide_bar:.magenta} {percent:>3}%  {eta} left  {msg}";
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸ ");
    ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10))
        .with_style(style)
        .with_finish(ProgressFinish::AndClear)
}

/// Columns of the terminal, when standard output is one.
pub fn width() -> Option<usize> {
    let (_, columns) = console::Term::stdout().size_checked()?;
    Some(usize::from(columns))
}

/// Hours, minutes and seconds, to the millisecond.
pub fn clock(seconds: f64) -> String {
    let millis = (seconds * 1000.0).round() as u64;
    let (hours, minutes) = (millis / 3_600_000, millis / 60_000 % 60);
    let rest = (millis % 60_000) as f64 / 1000.0;
    match hours {
        0 => format!("{minutes}:{rest:06.3}"),
        _ => format!("{hours}:{minutes:02}:{rest:06.3}"),
    }
}

/// A level with its unit, or "silence".
pub fn level(value: Option<f64>, unit: &str) -> String {
    match value {
        Some(value) => format!("{value:.1} {unit}"),
        None => "silence".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        assert_eq!(printable("one\n\ttwo ä"), "one\n\ttwo ä");
        assert_eq!(printable("a\u{1b}[2Jb\r\u{9b}"), "a\\u{1b}[2Jb\\u{d}\\u{9b}");
    }

    #[test]
    fn clock_shows_minutes_and_hours() {
        assert_eq!(clock(5.25), "0:05.250");
        assert_eq!(clock(59.9996), "1:00.000");
        assert_eq!(clock(3725.5), "1:02:05.500");
    }
}
