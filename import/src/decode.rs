//! Decodes FLAC, AIFF, OGG Vorbis and MP3 through symphonia.

use super::{ImportError, Progress};
use std::fs::File;
use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;

/// Whether a file that begins with these bytes is one for this decoder.
pub(super) fn is_known(head: &[u8]) -> bool {
    let containers: [&[u8]; 4] = [b"FORM", b"fLaC", b"OggS", b"ID3"];
    // A frame of MP3 starts with eleven bits that are set.
    let mpeg = matches!(head, [0xFF, second, ..] if second & 0xE0 == 0xE0);
    mpeg || containers.iter().any(|magic| head.starts_with(magic))
}

/// Hands every block of the file to `take`, with its sample rate and number of channels, until that
/// wants no more. Damaged blocks are left out, as players do.
pub(super) fn decode(
    file: File,
    progress: &Progress,
    mut take: impl FnMut(&[f32], u32, usize) -> bool,
) -> Result<(), ImportError> {
    let failed = |error: Error| ImportError::Undecodable(reason(&error));
    let stream = MediaSourceStream::new(Box::new(file), Default::default());
    let (format_options, metadata_options) = (FormatOptions::default(), MetadataOptions::default());
    let mut format = symphonia::default::get_probe()
        .probe(&Hint::new(), stream, format_options, metadata_options)
        .map_err(failed)?;
    let Some((id, parameters)) = format.default_track(TrackType::Audio).and_then(|track| {
        let parameters = track.codec_params.as_ref()?.audio()?;
        Some((track.id, parameters.clone()))
    }) else {
        return Err(ImportError::Undecodable("holds no sound".into()));
    };
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(&parameters, &AudioDecoderOptions::default())
        .map_err(|_| ImportError::Undecodable("of an encoding that is not read".into()))?;
    let mut block = Vec::new();
    loop {
        progress.step(0.0..0.0, 0, 1)?;
        let packet = match format.next_packet() {
            Ok(Some(packet)) => packet,
            // What was cut short plays up to there.
            Ok(None) | Err(Error::IoError(_) | Error::ResetRequired) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        if packet.track_id != id {
            continue;
        }
        match decoder.decode(&packet) {
            Ok(decoded) => {
                let spec = decoded.spec();
                let (rate, channels) = (spec.rate(), spec.channels().count());
                block.resize(decoded.samples_interleaved(), 0.0);
                decoded.copy_to_slice_interleaved(&mut block);
                if !take(&block, rate, channels) {
                    return Ok(());
                }
            }
            Err(Error::DecodeError(_)) => {}
            Err(error) => return Err(failed(error)),
        }
    }
}

fn reason(error: &Error) -> String {
    match error {
        Error::Unsupported(_) => "of an encoding that is not read".into(),
        Error::IoError(_) => "cut short".into(),
        _ => "damaged".into(),
    }
}
