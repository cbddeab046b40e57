//! What every General MIDI program must sound like: how bright it is, how it starts and how it ends.

use myriad_conformance::testing::{RATE, spectrum};

/// A class of each: the program's number is its place. Three letters:
///
/// - brightness, the centre of the power spectrum of the first third of a second: `d`ark, `m`ellow,
///   `b`right or b`r`illiant;
/// - attack, the time to come within 3 dB of the highest level: `s`truck, `q`uick, or `l`ong;
/// - decay, the level after nine tenths of a second with the key held: `o`ver, `f`alling, or `h`eld.
#[rustfmt::skip] // A family a line.
const CLASSES: [[&str; 8]; 16] = [
    ["msf", "bsf", "msf", "bsf", "msf", "msf", "bsf", "bsf"], // Pianos.
    ["msf", "bsf", "msf", "msf", "msf", "msf", "bsf", "msf"], // Chromatic percussion.
    ["msh", "msh", "bqh", "mqh", "mqh", "mqh", "bqh", "mqh"], // Organs.
    ["msf", "msf", "msf", "bsf", "mso", "bsh", "bsh", "bsf"], // Guitars.
    ["dsf", "dsf", "dsf", "dsf", "dsf", "msf", "dsh", "msf"], // Basses.
    ["mqh", "mqh", "mqh", "mqh", "blh", "mso", "msf", "dsf"], // Strings.
    ["mqh", "mlh", "mqh", "mlh", "blh", "mqh", "bqh", "bso"], // Ensembles.
    ["bqh", "bqh", "dqh", "rqh", "mqh", "bqh", "mqh", "blh"], // Brass.
    ["bqh", "bqh", "bqh", "mqh", "bqh", "bqh", "mqh", "bqh"], // Reeds.
    ["mqh", "mqh", "mqh", "mqh", "mqh", "mqh", "dqh", "dqh"], // Pipes.
    ["msh", "bsh", "msh", "mqh", "bsh", "bsh", "bsh", "bsh"], // Leads.
    ["mlh", "mlh", "mlh", "mlh", "mlh", "blh", "mlh", "mlh"], // Pads.
    ["bsf", "mlh", "msf", "mlh", "bsf", "blh", "blh", "mlh"], // Effects.
    ["rsf", "bso", "bsf", "bsf", "msf", "rqh", "mqh", "bqh"], // Around the world.
    ["msf", "rso", "bsf", "bso", "dso", "mso", "mso", "rlh"], // Percussion.
    ["rqo", "blh", "blh", "rqh", "rsh", "bqh", "rqh", "bsf"], // Sounds.
];

/// What a note was measured to be.
#[derive(Debug)]
struct Measured {
    centroid_hertz: f32,
    attack_ms: usize,
    decay_db: f32,
}

fn measure(sound: [&[f32]; 2]) -> Measured {
    const WINDOW: usize = RATE / 100;
    let mono: Vec<f32> = sound[0].iter().zip(sound[1]).map(|(left, right)| left + right).collect();
    let (levels, _) = spectrum(&mono[..1 << 14]);
    let power = |db: f32| 10f32.powf(db / 10.0);
    let whole: f32 = levels.iter().map(|&db| power(db)).sum();
    let weighted = levels.iter().enumerate().map(|(bin, &db)| bin as f32 * power(db));
    let hertz_of_a_bin = RATE as f32 / (1 << 14) as f32;
    // Both sides by their power: in their sum the voices of an ensemble cancel now and then.
    let square = |(left, right): (&f32, &f32)| left * left + right * right;
    let squares: Vec<f32> = sound[0].iter().zip(sound[1]).map(square).collect();
    let level = |window: &[f32]| (window.iter().sum::<f32>() / WINDOW as f32).sqrt();
    let envelope: Vec<f32> = squares[..RATE].chunks_exact(WINDOW).map(level).collect();
    let highest = envelope.iter().copied().fold(1e-9, f32::max);
    let late = &envelope[85..95];
    let late = late.iter().sum::<f32>() / late.len() as f32;
    Measured {
        centroid_hertz: weighted.sum::<f32>() / whole * hertz_of_a_bin,
        attack_ms: 10 * envelope.iter().position(|&level| level > 0.708 * highest).unwrap_or(0),
        decay_db: 20.0 * (late / highest).max(1e-6).log10(),
    }
}

/// What is wrong with the sound of program `number` (from 0), if anything is.
pub(super) fn problem(number: usize, sound: [&[f32]; 2]) -> Option<String> {
    let class = CLASSES[number / 8][number % 8];
    let measured = measure(sound);
    let fits = class.chars().all(|letter| match letter {
        'd' => measured.centroid_hertz < 450.0,
        'm' => (200.0..1_000.0).contains(&measured.centroid_hertz),
        'b' => (400.0..2_700.0).contains(&measured.centroid_hertz),
        'r' => measured.centroid_hertz > 1_000.0,
        's' => measured.attack_ms <= 50,
        'q' => measured.attack_ms <= 300,
        'l' => (100..1_000).contains(&measured.attack_ms),
        'o' => measured.decay_db < -24.0,
        'f' => (-32.0..-4.0).contains(&measured.decay_db),
        'h' => measured.decay_db > -10.0,
        _ => false,
    });
    (!fits).then(|| format!("{class}, but {measured:.0?}"))
}
