//! From the blocks of a seat to the packets that its page receives, in the format that it asked for.

use crate::config::RATE;
use crate::protocol::{Format, HEADER, PacketHeader, write_opus, write_packet};
use opus_pure::{Application, MAX_PACKET_BYTES, OpusEncoder};

/// Frames of an Opus packet: 5 ms.
const OPUS_FRAMES: usize = 240;

/// Bits a second of Opus: a twentieth of floating point. Chords of many partials are then 25 dB above its noise.
const OPUS_BITRATE: i32 = 128_000;

/// Packets of silence that are encoded before nothing is sent any more: the sound before them fades out in the
/// decoder, too.
const OPUS_TAIL: u32 = 4;

/// Pieces of a block have a multiple of so many frames.
const STEP: usize = 32;

/// Makes the packets of a seat.
pub(crate) struct PacketWriter {
    format: Format,
    /// For [`Format::Opus`] alone.
    opus: Option<Box<OpusStream>>,
}

impl PacketWriter {
    /// Allocates an encoder if there is something to encode.
    pub(crate) fn new(format: Format) -> Self {
        let opus = if format == Format::Opus { OpusStream::new() } else { None };
        Self { format, opus: opus.map(Box::new) }
    }

    /// The packets of a block, none longer than `room` bytes. `samples` are left and right in turn.
    pub(crate) fn packets(
        &mut self,
        header: PacketHeader,
        samples: &[f32],
        room: usize,
    ) -> Vec<Vec<u8>> {
        if let Some(opus) = &mut self.opus {
            return opus.packets(header, samples);
        }
        let frames = usize::from(header.frames);
        let frame_bytes = if self.format == Format::Int16 { 4 } else { 8 };
        let most = match header.is_silent {
            true => frames,
            false => room.saturating_sub(HEADER) / frame_bytes / STEP * STEP,
        };
        // Pieces of about the same length.
        let length = frames.div_ceil(frames.div_ceil(most.max(STEP))).next_multiple_of(STEP);
        let piece = |first: usize| {
            let end = frames.min(first + length);
            let piece = PacketHeader {
                frame: header.frame + first as u64,
                frames: (end - first) as u16,
                ..header
            };
            let samples = samples.get(2 * first..2 * end).unwrap_or_default();
            let mut bytes = Vec::with_capacity(HEADER + frame_bytes * (end - first));
            write_packet(piece, self.format, samples, &mut bytes);
            bytes
        };
        (0..frames).step_by(length).map(piece).collect()
    }
}

/// Blocks as Opus packets, which have another length.
struct OpusStream {
    encoder: OpusEncoder,
    /// Sound that waits for more, and the time of its first frame.
    waiting: Vec<f32>,
    frame: u64,
    /// Packets of silence in a row.
    silent: u32,
    number: u32,
    packet: Vec<u8>,
}

impl OpusStream {
    fn new() -> Option<Self> {
        // It fails for other rates and numbers of channels.
        let mut encoder = OpusEncoder::new(RATE as i32, 2, Application::RestrictedLowDelay).ok()?;
        encoder.bitrate_bps = OPUS_BITRATE;
        Some(Self {
            encoder,
            waiting: Vec::new(),
            frame: 0,
            silent: OPUS_TAIL,
            number: 0,
            packet: vec![0; MAX_PACKET_BYTES],
        })
    }

    fn packets(&mut self, header: PacketHeader, samples: &[f32]) -> Vec<Vec<u8>> {
        if header.frame != self.frame + (self.waiting.len() / 2) as u64 {
            // Blocks were left out.
            self.waiting.clear();
            self.frame = header.frame;
        }
        match header.is_silent {
            true => self.waiting.resize(self.waiting.len() + 2 * usize::from(header.frames), 0.0),
            false => self.waiting.extend(samples),
        }
        let mut packets = Vec::new();
        while self.waiting.len() >= 2 * OPUS_FRAMES {
            packets.push(self.next_packet());
            self.waiting.drain(..2 * OPUS_FRAMES);
            self.frame += OPUS_FRAMES as u64;
        }
        packets
    }

    fn next_packet(&mut self) -> Vec<u8> {
        let sound = &self.waiting[..2 * OPUS_FRAMES];
        let is_silent = sound.iter().all(|x| *x == 0.0);
        self.silent = if is_silent { self.silent.saturating_add(1) } else { 0 };
        self.number = self.number.wrapping_add(1);
        let header = PacketHeader {
            // What the decoder makes of it is so much older.
            frame: self.frame.saturating_sub(self.encoder.lookahead() as u64),
            frames: OPUS_FRAMES as u16,
            is_silent: self.silent > OPUS_TAIL,
            number: self.number,
        };
        let mut bytes = Vec::with_capacity(HEADER + 256);
        // Sound that is finite and of the right length is always encoded.
        let encoded = match header.is_silent {
            true => None,
            false => self.encoder.encode(sound, OPUS_FRAMES, &mut self.packet).ok(),
        };
        match encoded {
            Some(length) => write_opus(header, &self.packet[..length], &mut bytes),
            None => {
                let silent = PacketHeader { is_silent: true, ..header };
                write_packet(silent, Format::Opus, &[], &mut bytes);
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{read_opus, read_packet};
    use opus_pure::OpusDecoder;

    fn block(number: u32, sound: impl Fn(usize) -> f32) -> (PacketHeader, Vec<f32>) {
        let first = 256 * u64::from(number);
        let samples = (0..512).map(|i| sound(first as usize + i / 2)).collect();
        (PacketHeader { frame: first, frames: 256, is_silent: false, number }, samples)
    }

    fn tone(frame: usize) -> f32 {
        0.5 * (frame as f32 * 0.06).sin()
    }

    #[test]
    fn pieces_fit_and_are_the_block() {
        let (header, samples) = block(3, tone);
        for (format, room, pieces) in
            [(Format::Float, 1_162, 2), (Format::Float, usize::MAX, 1), (Format::Int16, 1_162, 1)]
        {
            let packets = PacketWriter::new(format).packets(header, &samples, room);
            assert_eq!(packets.len(), pieces, "{format:?}");
            let (mut next, mut all) = (header.frame, Vec::new());
            for packet in &packets {
                let (header, samples) = read_packet(packet).unwrap();
                assert!(packet.len() <= room && header.frame == next);
                next += u64::from(header.frames);
                all.extend(samples);
            }
            let off = all.iter().zip(&samples).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(all.len() == samples.len() && off < 1e-4, "{format:?}: {off}");
        }
        let silent = PacketHeader { is_silent: true, ..header };
        assert_eq!(PacketWriter::new(Format::Float).packets(silent, &[], 100).len(), 1);
    }

    /// Sound comes back at its time; silence costs nothing after a moment.
    #[test]
    fn opus_is_the_sound_at_its_time() {
        let mut writer = PacketWriter::new(Format::Opus);
        let mut decoder = OpusDecoder::new(RATE as i32, 2).unwrap();
        let (mut bytes, mut heard, mut silent) = (0, Vec::new(), 0);
        for number in 1..200 {
            let (header, samples) = block(number, |i| if number < 100 { tone(i) } else { 0.0 });
            for packet in writer.packets(header, &samples, 1_162) {
                bytes += packet.len();
                let Some((header, opus)) = read_opus(&packet) else {
                    let (header, _) = read_packet(&packet).unwrap();
                    assert!(header.is_silent && packet.len() == HEADER);
                    silent += 1;
                    continue;
                };
                assert_eq!(silent, 0, "silence is at the end");
                let mut sound = vec![0.0; 2 * OPUS_FRAMES];
                assert_eq!(decoder.decode(opus, OPUS_FRAMES, &mut sound).unwrap(), OPUS_FRAMES);
                let frames = sound.iter().step_by(2).enumerate();
                heard.extend(frames.map(|(i, x)| (header.frame as usize + i, *x)));
            }
        }
        // Half a second of sound at 128 kb/s, and headers.
        assert!(bytes < 14_000, "{bytes} bytes");
        assert!((96..106).contains(&silent), "{silent} silent packets");
        let steady = heard.iter().filter(|(frame, _)| (4_800..24_000).contains(frame));
        let (signal, noise) = steady.fold((0.0, 0.0), |(signal, noise), &(frame, x)| {
            let wanted = tone(frame);
            (signal + wanted * wanted, noise + (x - wanted).powi(2))
        });
        let ratio = 10.0 * (signal / noise).log10();
        assert!(ratio > 20.0, "{ratio} dB above the noise");
        let end = heard.last().unwrap().1;
        assert!(end.abs() < 1e-3, "it has faded out: {end}");
    }
}
