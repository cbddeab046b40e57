//! The fade between two sounds that should be one: how long it takes, and its shape.

/// Frames in which one sound goes and another comes: 5 ms at 48 kHz.
pub const FADE: usize = 256;

/// The share of what comes in, `frame` frames into a fade; what goes out has the rest.
pub fn fade_in(frame: usize) -> f32 {
    let x = (frame + 1) as f32 / FADE as f32;
    if x < 1.0 {
        x * x * (3.0 - 2.0 * x)
    } else {
        1.0
    }
}
