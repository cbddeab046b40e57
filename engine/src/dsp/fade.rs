//! The crossfade between two versions of a sound: its length and its shape.

/// Frames of a crossfade: 5 ms at 48 kHz.
pub const FADE: usize = 256;

/// The gain of the incoming sound after `frame` frames of a crossfade; the outgoing one has the rest.
pub fn fade_in(frame: usize) -> f32 {
    let x = (frame + 1) as f32 / FADE as f32;
    if x < 1.0 { x * x * (3.0 - 2.0 * x) } else { 1.0 }
}
