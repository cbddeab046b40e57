//! Errors of commands: one line on standard error, and an exit code.

use crate::terminal;
use myriad_library::LibraryError;
use std::fmt::Display;
use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The command line is wrong.
    Misuse,
    /// The command line is right, but the work failed.
    Failed,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The reader of standard output has closed it (`myriad patches | head -1`). This is no error.
    PipeClosed,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Exit::PipeClosed => 0,
            Exit::Failed => 1,
            Exit::Misuse => 2,
            // What shells report for a program that SIGINT ended.
            Exit::Interrupted => 130,
        }
    }
}

/// An error message and its exit code.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    pub fn misuse(message: impl Display) -> Self {
        Self::new(Exit::Misuse, message)
    }

    pub fn failed(message: impl Display) -> Self {
        Self::new(Exit::Failed, message)
    }

    pub fn new(exit: Exit, message: impl Display) -> Self {
        Self { exit, message: message.to_string() }
    }

    /// Prints the message as one line and returns the exit code.
    pub fn report(&self) -> ExitCode {
        if self.exit != Exit::PipeClosed {
            terminal::say(&format!("myriad: {}", one_line(&self.message)));
        }
        ExitCode::from(self.exit.code())
    }
}

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Self {
        match error {
            LibraryError::Unknown { .. } => Failure::misuse(error),
            _ => Failure::failed(error),
        }
    }
}

/// Joins the lines of a message (parsers quote source lines), and removes the operating system's error
/// number.
fn one_line(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.split_once(" (os error ") {
        Some((before, after)) => {
            let after = after.split_once(')').map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        None => line,
    }
}

impl From<clap::Error> for Failure {
    /// Keeps the first sentences of clap's message, which hold the error, and leaves out usage and tips.
    fn from(error: clap::Error) -> Self {
        let text = error.to_string();
        let error = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let error = error.strip_prefix("error: ").unwrap_or(&error);
        let error = error.replace(" tip: ", "; ");
        Failure::misuse(format!("{error} (see --help)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_line() {
        assert_eq!(one_line("a\n  |\n3 | b\n"), "a | 3 | b");
        assert_eq!(one_line("x: gone (os error 2); so"), "x: gone; so");
    }
}
