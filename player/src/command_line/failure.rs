//! How the program ends when something is wrong: one line on standard error, and an exit code.

use crate::terminal;
use clap::error::ErrorKind;
use std::fmt::Display;
use std::process::ExitCode;

/// What the exit code tells a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The command line asks for something that does not exist.
    Misuse,
    /// The request is sound, but could not be carried out.
    Failed,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// Whoever reads our output has gone (`myriad patches | head -1`): nothing to complain about.
    PipeClosed,
}

impl Exit {
    fn code(self) -> u8 {
        match self {
            Exit::PipeClosed => 0,
            Exit::Failed => 1,
            Exit::Misuse => 2,
            // What shells report for a program that a SIGINT ended.
            Exit::Interrupted => 130,
        }
    }
}

/// An error on its way to the user.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    /// The command line is wrong.
    pub fn misuse(message: impl Display) -> Self {
        Self::new(Exit::Misuse, message)
    }

    /// The work failed.
    pub fn failed(message: impl Display) -> Self {
        Self::new(Exit::Failed, message)
    }

    pub fn new(exit: Exit, message: impl Display) -> Self {
        Self {
            exit,
            message: message.to_string(),
        }
    }

    /// Prints the one line and gives the exit code.
    pub fn report(&self) -> ExitCode {
        if self.exit != Exit::PipeClosed {
            terminal::say(&format!("myriad: {}", one_line(&self.message)));
        }
        ExitCode::from(self.exit.code())
    }
}

/// Errors of the parsers we use may span lines (a quoted source line, a caret): join them. The
/// system's own add a number that tells a user nothing.
fn one_line(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    let line = words.join(" ");
    match line.split_once(" (os error ") {
        Some((before, after)) => {
            let after = after.split_once(')').map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        None => line,
    }
}

/// Whether clap stopped in order to teach rather than to complain.
pub fn is_help(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

impl From<clap::Error> for Failure {
    /// clap writes a paragraph with usage and tips; its first sentences hold the news.
    fn from(error: clap::Error) -> Self {
        let text = error.to_string();
        let news = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let news = news.strip_prefix("error: ").unwrap_or(&news);
        Failure::misuse(format!(
            "{} (--help explains)",
            news.replace(" tip: ", "; ")
        ))
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
