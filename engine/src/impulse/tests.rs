//! Imported responses survive their encoding, damaged ones are refused, computed ones are what their names say.

use super::*;

fn decaying(seed: u32, frames: usize) -> Vec<f32> {
    let noise = |n: usize| crate::dsp::hash(seed ^ n as u32) as f32 / (1u64 << 31) as f32 - 1.0;
    (0..frames).map(|n| noise(n) * 10f32.powf(-4.0 * n as f32 / frames as f32)).collect()
}

/// The quiet end of a reverb keeps its details.
#[test]
fn responses_survive_their_encoding() {
    let channels = vec![decaying(1, 30_000), decaying(2, 30_000)];
    let response = ImpulseResponse::encode(&channels, 44_100.0).unwrap();
    let read = ImpulseResponse::from_text(&response.to_text()).unwrap();
    assert_eq!(read, response);
    assert_eq!((read.sample_rate(), read.channels().len()), (44_100.0, 2));
    for (channel, read) in channels.iter().zip(read.channels()) {
        for (block, read) in channel.chunks(BLOCK).zip(read.chunks(BLOCK)) {
            let peak = block.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
            let close = |(x, y): (&f32, &f32)| (x - y).abs() <= peak / 60_000.0;
            assert!(block.iter().zip(read).all(close));
        }
    }
}

/// A recording that is too long is faded out, not cut off.
#[test]
fn long_responses_are_faded_out() {
    let response = ImpulseResponse::encode(&[vec![0.5; MAX_SAMPLES + 9]], 48_000.0).unwrap();
    let samples = &response.channels()[0];
    assert_eq!(samples.len(), MAX_SAMPLES);
    assert!(samples[MAX_SAMPLES - 1] < 1e-3 && samples[MAX_SAMPLES / 2] > 0.49);
}

/// Whatever a file contains, there is an error and no panic.
#[test]
fn damaged_responses_are_refused() {
    let response = ImpulseResponse::encode(&[decaying(1, 700)], 48_000.0).unwrap();
    let whole = response.bytes.to_vec();
    for length in 0..whole.len() {
        assert!(ImpulseResponse::from_bytes(whole[..length].to_vec()).is_err(), "{length} bytes");
    }
    for at in 0..HEAD {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xFF;
        // A changed sample rate may still be possible.
        assert!(
            ImpulseResponse::from_bytes(damaged).is_err() || (8..12).contains(&at),
            "byte {at}"
        );
    }
    assert!(ImpulseResponse::from_text("no base64!").is_err());
    assert_eq!(ImpulseResponse::encode(&[vec![0.0; 9]], 48e3), Err(ImpulseError::Silence));
    assert!(ImpulseResponse::encode(&[], 48e3).is_err());
}

/// The rooms differ in their decay times, and none is silent, endless or one-sided.
#[test]
fn computed_responses_decay() {
    for (index, (name, range)) in COMPUTED
        .iter()
        .zip([0.3..0.7, 0.7..1.4, 1.5..3.0, 1.2..2.5, 0.8..2.2, 0.0..0.06])
        .enumerate()
    {
        let channels = computed::response(index);
        let seconds = |channel: &Vec<f32>| {
            let total: f32 = channel.iter().map(|x| x * x).sum();
            let mut left = total;
            let when = |left: &mut f32, x: &f32| {
                *left -= x * x;
                *left < total * 1e-3
            };
            let frame = channel.iter().position(|x| when(&mut left, x)).unwrap();
            // From 30 dB to 60.
            2.0 * frame as f32 / computed::SAMPLE_RATE
        };
        for channel in channels {
            assert!(channel.iter().all(|x| x.is_finite()));
            assert!(range.contains(&seconds(channel)), "{name}: {} s", seconds(channel));
        }
        if let [left, right] = &channels[..] {
            let product: f32 = left.iter().zip(right).map(|(l, r)| l * r).sum();
            let power = |side: &[f32]| side.iter().map(|x| x * x).sum::<f32>();
            let alike = product / (power(left) * power(right)).sqrt();
            assert!(alike.abs() < 0.6, "{name}: sides alike by {alike}");
        }
    }
}
