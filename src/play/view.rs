//! stub
use super::session::Session;
use crate::failure::Failure;
pub(crate) fn run(session: &mut Session, done: impl Fn(&Session) -> bool) -> Result<(), Failure> {
    super::write_lines(session, super::Style::Plain, done)
}
