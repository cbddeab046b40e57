//! Imports an impulse response for a patch's convolver.

use super::sound::Sound;
use super::{ImportError, Imported};
use myriad_engine::Patch;
use myriad_engine::impulse::{ImpulseResponse, MAX_SAMPLES};
use myriad_engine::params::Param;
use myriad_files::wav::WavReader;
use std::path::Path;

/// The quiet before a response is left out from the first sample within 60 dB of the peak, that after it to the last one
/// within 100 dB.
const START: f32 = 1e-3;
const END: f32 = 1e-5;

/// Puts the response of a WAV file into `patch` and switches the convolver on.
///
/// # Errors
/// When the file cannot be read, has more than two channels, or holds nothing but silence.
pub(super) fn import(file: &Path, mut patch: Patch) -> Result<Imported, ImportError> {
    let (channels, rate) = read(file)?;
    let length = channels[0].len();
    let response = ImpulseResponse::encode(&channels, rate)?;
    let kept = response.channels()[0].len();
    let mut findings = vec![
        ("channels", if channels.len() == 1 { "mono" } else { "stereo" }.to_owned()),
        ("length", format!("{:.2} s", response.seconds())),
    ];
    if kept < length {
        let seconds = length as f32 / rate;
        findings.push((
            "cut",
            format!("the file has {seconds:.2} s; a patch holds {MAX_SAMPLES} samples"),
        ));
    }
    for (param, value) in [
        (Param::ConvolverOn, 1.0),
        // The last choice is the patch's own response.
        (Param::ConvolverResponse, Param::ConvolverResponse.info().kind.range().1),
    ] {
        patch.values.set(param, value);
    }
    patch.impulse = Some(response);
    Ok(Imported { patch, findings, recording: None })
}

/// The channels of a file at a moderate rate, without the silence around the response.
fn read(file: &Path) -> Result<(Vec<Vec<f32>>, f32), ImportError> {
    let mut wav = WavReader::open(file)?;
    let count = usize::from(wav.channels);
    if count > 2 {
        return Err(myriad_engine::impulse::ImpulseError::Channels(count).into());
    }
    // More than is kept: the highest rates are lowered, and silence is left out.
    let most = 16 * MAX_SAMPLES;
    let (mut channels, mut block) = (vec![Vec::new(); count], Vec::new());
    while channels[0].len() < most && wav.read(&mut block)? {
        for frame in block.chunks_exact(count) {
            channels.iter_mut().zip(frame).for_each(|(channel, &sample)| channel.push(sample));
        }
    }
    if channels.iter().flatten().any(|x| !x.is_finite()) {
        return Err(ImportError::NotFinite);
    }
    let mut rate = f64::from(wav.sample_rate);
    for channel in &mut channels {
        let samples = std::mem::take(channel);
        let sound =
            Sound { rate: f64::from(wav.sample_rate), samples, cycle: None, channel_power: 1.0 };
        let moderate = sound.at_moderate_rate();
        (*channel, rate) = (moderate.samples, moderate.rate);
    }
    let peak = channels.iter().flatten().fold(0.0_f32, |peak, x| peak.max(x.abs()));
    if peak < 1e-7 {
        return Err(ImportError::Silence);
    }
    let loud = |share: f32| move |x: &f32| x.abs() > share * peak;
    let first = channels.iter().filter_map(|channel| channel.iter().position(loud(START))).min();
    let last = channels.iter().filter_map(|channel| channel.iter().rposition(loud(END))).max();
    let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
    let trimmed = channels.iter().map(|channel| channel[first..=last].to_vec()).collect();
    Ok((trimmed, rate as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hound::{SampleFormat, WavSpec, WavWriter};

    fn write(path: &Path, channels: u16, frames: &[f32]) {
        let sample_format = SampleFormat::Float;
        let spec = WavSpec { channels, sample_rate: 44_100, bits_per_sample: 32, sample_format };
        let mut wav = WavWriter::create(path, spec).unwrap();
        frames.iter().for_each(|&sample| wav.write_sample(sample).unwrap());
        wav.finalize().unwrap();
    }

    /// The response of a file starts at once in the patch, on both sides, and survives being saved.
    #[test]
    fn a_response_becomes_part_of_a_patch() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("room.wav");
        let mut frames = vec![0.0; 200];
        frames.extend([0.5, -0.25, 0.1, 0.2]);
        frames.extend([0.0; 100]);
        write(&path, 2, &frames);
        let Imported { patch, findings, .. } = import(&path, Patch::new()).unwrap();
        assert_eq!(patch.values[Param::ConvolverOn], 1.0);
        assert!(findings.iter().any(|(_, value)| value == "stereo"));
        let read = Patch::parse(&patch.to_toml(), "room.toml").unwrap();
        assert_eq!(read, patch);
        let response = read.impulse.unwrap();
        let near = |x: f32, y: f32| (x - y).abs() < 1e-4;
        let [left, right] = response.channels() else { panic!("stereo") };
        assert!(near(left[0], 0.5) && near(left[1], 0.1) && near(right[0], -0.25));
        assert_eq!(left.len(), 2);
    }

    #[test]
    fn files_that_are_no_response_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no.wav");
        for (channels, sample, words) in [
            (1, 0.0, "nothing but silence"),
            (1, f32::NAN, "not numbers"),
            (4, 0.5, "one or two channels, not 4"),
        ] {
            write(&path, channels, &[sample; 16]);
            let error = import(&path, Patch::new()).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
