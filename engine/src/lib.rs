//! The Myriad engine.
