//! The Myriad program.
fn main() {}
