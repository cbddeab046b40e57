//! The messages between a page and its seat: events as JSON, sound as binary packets.
//!
//! Whatever a client sends is bounded and checked here; nothing behind this file sees a value out of range.

use myriad_engine::params::Param;
use myriad_engine::{EventKind, Expression};
use serde::{Deserialize, Serialize};

/// The WebSocket subprotocol of this version.
pub const SUBPROTOCOL: &str = "myriad.1";

/// The longest message that a client may send: room for a patch with imported tables.
pub const LONGEST_MESSAGE: usize = 512 << 10;

/// Bytes before the sound of a packet.
pub const HEADER: usize = 16;

/// What every event may have.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Stamp {
    /// The MIDI channel, from 0.
    channel: u8,
    /// When it happened, in frames of the server's clock; without it, it is played as soon as possible.
    time: Option<f64>,
}

/// What a client sends.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "type", rename_all = "camelCase")]
enum ClientMessage {
    /// A key goes down: MIDI key, 0 to 1.
    NoteOn { key: u8, velocity: f32 },
    /// A key goes up.
    NoteOff { key: u8 },
    /// The pitch wheel, -1 to 1.
    Bend { value: f32 },
    /// Pressure on all keys, 0 to 1.
    Pressure { value: f32 },
    /// Pressure on one key.
    KeyPressure { key: u8, value: f32 },
    /// A MIDI controller, 0 to 1.
    Control { controller: u8, value: f32 },
    /// Expression of one note: semitones, a factor, -1 to 1, or 0 to 1.
    Expression { key: u8, kind: ExpressionKind, value: f32 },
    /// A parameter by its id, in its own unit.
    Param { id: String, value: f32 },
    /// Every sound fades out.
    Panic,
    /// A factory patch.
    Patch { name: String },
    /// A patch as TOML.
    PatchText { toml: String },
    /// Asks for the server's clock; the number comes back with the answer.
    Ping { id: f64 },
    /// What the client measured, for the operator.
    Stats(ClientStats),
    /// Whether to send what sounds, for a picture.
    Watch { on: bool },
}

/// What can be expressed for one note.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum ExpressionKind {
    /// Semitones added to its pitch.
    Pitch,
    /// A factor of its level.
    Level,
    /// Its position.
    Pan,
    /// Its brightness.
    Brightness,
}

/// What a client measures.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub struct ClientStats {
    /// The way to the server and back.
    pub round_trip_ms: f32,
    /// Sound that waits in the jitter buffer.
    pub buffer_ms: f32,
    /// From an event to its sound, as far as the client knows.
    pub latency_ms: f32,
    /// Packets that came too late to be played.
    pub late: u32,
    /// Gaps that were concealed.
    pub concealed: u32,
}

impl ClientStats {
    /// Numbers that can be shown, whatever was sent.
    fn sane(self) -> Self {
        let ms = |value: f32| if value.is_finite() { value.clamp(0.0, 60_000.0) } else { 0.0 };
        Self {
            round_trip_ms: ms(self.round_trip_ms),
            buffer_ms: ms(self.buffer_ms),
            latency_ms: ms(self.latency_ms),
            ..self
        }
    }
}

/// A message that has been checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// An event on a channel, and its time in frames of the server's clock.
    Event(u8, EventKind, Option<f64>),
    /// A factory patch, by name.
    Patch(String),
    /// A patch as TOML.
    PatchText(String),
    /// Answer with this number and the clock.
    Ping(f64),
    /// What the client measured.
    Stats(ClientStats),
    /// Whether to send what sounds.
    Watch(bool),
}

/// Why a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// Not JSON, not a known type, or a field is missing.
    #[error("this is not a message of the protocol")]
    Malformed,
    /// A key, controller or value out of range.
    #[error("a value is out of range")]
    Range,
    /// No such parameter.
    #[error("there is no such parameter")]
    Param,
}

/// Reads and checks a message.
///
/// # Errors
/// When it is malformed or a value is out of range.
pub fn read(text: &str) -> Result<Request, ProtocolError> {
    let malformed = |_| ProtocolError::Malformed;
    let message = serde_json::from_str(text).map_err(malformed)?;
    let key = |key: u8| if key < 128 { Ok(key) } else { Err(ProtocolError::Range) };
    let within = |value: f32, low: f32, high: f32| match (low..=high).contains(&value) {
        true => Ok(value),
        false => Err(ProtocolError::Range),
    };
    let unit = |value: f32| within(value, 0.0, 1.0);
    let kind = match message {
        ClientMessage::NoteOn { key: k, velocity } => {
            EventKind::NoteOn { key: key(k)?, velocity: unit(velocity)? }
        }
        ClientMessage::NoteOff { key: k } => EventKind::NoteOff { key: key(k)?, velocity: 0.5 },
        ClientMessage::Bend { value } => EventKind::PitchBend(within(value, -1.0, 1.0)?),
        ClientMessage::Pressure { value } => EventKind::ChannelPressure(unit(value)?),
        ClientMessage::KeyPressure { key: k, value } => {
            EventKind::PolyPressure { key: key(k)?, value: unit(value)? }
        }
        ClientMessage::Control { controller, value } => {
            EventKind::Control { cc: key(controller)?, value: unit(value)? }
        }
        ClientMessage::Expression { key: k, kind, value } => {
            let (kind, low, high) = match kind {
                ExpressionKind::Pitch => (Expression::Pitch, -96.0, 96.0),
                ExpressionKind::Level => (Expression::Level, 0.0, 4.0),
                ExpressionKind::Pan => (Expression::Pan, -1.0, 1.0),
                ExpressionKind::Brightness => (Expression::Brightness, 0.0, 1.0),
            };
            EventKind::NoteExpression { key: key(k)?, kind, value: within(value, low, high)? }
        }
        ClientMessage::Param { id, value } => {
            let param = Param::by_id(&id).ok_or(ProtocolError::Param)?;
            // The engine clamps to the parameter's range.
            EventKind::Param { param, value: within(value, f32::MIN, f32::MAX)? }
        }
        ClientMessage::Panic => EventKind::AllSoundOff,
        ClientMessage::Patch { name } => return Ok(Request::Patch(name)),
        ClientMessage::PatchText { toml } => return Ok(Request::PatchText(toml)),
        ClientMessage::Ping { id } if id.is_finite() => return Ok(Request::Ping(id)),
        ClientMessage::Ping { .. } => return Err(ProtocolError::Range),
        ClientMessage::Watch { on } => return Ok(Request::Watch(on)),
        ClientMessage::Stats(stats) => return Ok(Request::Stats(stats.sane())),
    };
    let Stamp { channel, time } = serde_json::from_str(text).map_err(malformed)?;
    match channel < 16 && time.is_none_or(f64::is_finite) {
        true => Ok(Request::Event(channel, kind, time)),
        false => Err(ProtocolError::Range),
    }
}

/// What a seat sends besides sound.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ServerMessage<'a> {
    /// The first message.
    Welcome {
        /// The number of the seat.
        seat: u64,
        /// Frames a second.
        rate: u32,
        /// Frames of a packet.
        block: usize,
        /// Frames from an event on the server to its sound in the stream.
        latency: usize,
        /// Whether everybody hears everybody.
        jam: bool,
        /// The patch that it plays.
        patch: &'a str,
        /// How its sound can be had as datagrams, where it can.
        #[serde(skip_serializing_if = "Option::is_none")]
        datagrams: Option<DatagramOffer<'a>>,
    },
    /// The answer to a ping.
    Pong {
        /// The number of the ping.
        id: f64,
        /// The server's clock, in frames.
        frame: f64,
    },
    /// The patch was changed.
    #[serde(rename = "patch")]
    PatchChanged {
        /// Its name.
        name: &'a str,
    },
    /// The state of the server, once a second.
    Server {
        /// Rendering time of the seat as a share of the time that is rendered.
        load: f32,
        /// How many seats are taken.
        seats: usize,
    },
    /// A message was refused.
    Error {
        /// What is wrong.
        message: &'a str,
    },
}

impl ServerMessage<'_> {
    /// The message as JSON.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are no strings can fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What a page needs to have the sound of its seat as datagrams.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DatagramOffer<'a> {
    /// Their port.
    pub port: u16,
    /// What shows that it is the page of this seat.
    pub ticket: &'a str,
    /// The SHA-256 of the certificate that the datagrams come with.
    pub certificate: [u8; 32],
}

/// How the sound of a packet is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// 32-bit floating point, as it was rendered.
    #[default]
    Float,
    /// 16-bit integers, half the bytes.
    Int16,
    /// Opus, a twentieth of the bytes. Not quite what was rendered.
    Opus,
}

impl Format {
    /// The format with this name in the address of a seat.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "float" => Some(Format::Float),
            "int16" => Some(Format::Int16),
            "opus" => Some(Format::Opus),
            _ => None,
        }
    }
}

/// What is known of a packet before its sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketHeader {
    /// The time of its first frame on the server's clock.
    pub frame: u64,
    /// Frames.
    pub frames: u16,
    /// Whether all of them are silent; then no samples follow.
    pub is_silent: bool,
    /// Its number, one more than that of the packet before.
    pub number: u32,
}

const SILENT: u8 = 0;
const FLOAT: u8 = 1;
const INT16: u8 = 2;
const OPUS: u8 = 3;

fn write_header(header: PacketHeader, kind: u8, out: &mut Vec<u8>) {
    out.extend([b'M', kind]);
    out.extend(header.frames.to_le_bytes());
    out.extend(header.number.to_le_bytes());
    out.extend(header.frame.to_le_bytes());
}

/// Appends a packet of encoded sound to `out`.
pub(crate) fn write_opus(header: PacketHeader, encoded: &[u8], out: &mut Vec<u8>) {
    write_header(header, OPUS, out);
    out.extend(encoded);
}

/// Appends a packet to `out`. `samples` are left and right in turn.
pub fn write_packet(header: PacketHeader, format: Format, samples: &[f32], out: &mut Vec<u8>) {
    let kind = match (header.is_silent, format) {
        (true, _) => SILENT,
        (false, Format::Int16) => INT16,
        (false, Format::Float | Format::Opus) => FLOAT,
    };
    write_header(header, kind, out);
    match kind {
        SILENT => {}
        FLOAT => samples.iter().for_each(|x| out.extend(x.to_le_bytes())),
        _ => {
            // Triangular dither of one step makes the rounding error noise instead of distortion.
            let mut seed = header.number.wrapping_mul(0x9E37_79B9) | 1;
            let mut uniform = || {
                seed ^= seed << 13;
                seed ^= seed >> 17;
                seed ^= seed << 5;
                seed as f32 / u32::MAX as f32
            };
            for x in samples {
                let value = x * 32_767.0 + uniform() - uniform();
                let value = value.round().clamp(-32_768.0, 32_767.0) as i16;
                out.extend(value.to_le_bytes());
            }
        }
    }
}

/// What sounds, as the page draws it: `P`, three zeros, and numbers in the order of `web/page/meters.js`.
pub(crate) fn picture(numbers: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + 4 * numbers.len());
    bytes.extend([b'P', 0, 0, 0]);
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

/// The header of a packet, its kind and the rest. `None` for anything else.
fn read_header(bytes: &[u8]) -> Option<(PacketHeader, u8, &[u8])> {
    let (head, body) = bytes.split_at_checked(HEADER)?;
    if head[0] != b'M' {
        return None;
    }
    let header = PacketHeader {
        frame: u64::from_le_bytes(head[8..16].try_into().ok()?),
        frames: u16::from_le_bytes([head[2], head[3]]),
        is_silent: head[1] == SILENT,
        number: u32::from_le_bytes(head[4..8].try_into().ok()?),
    };
    Some((header, head[1], body))
}

/// Reads a packet of Opus; the sound is encoded. `None` for anything else.
pub fn read_opus(bytes: &[u8]) -> Option<(PacketHeader, &[u8])> {
    let (header, kind, body) = read_header(bytes)?;
    (kind == OPUS).then_some((header, body))
}

/// Reads a packet; the samples are left and right in turn. `None` for anything else, Opus included.
pub fn read_packet(bytes: &[u8]) -> Option<(PacketHeader, Vec<f32>)> {
    let (header, kind, body) = read_header(bytes)?;
    let count = 2 * usize::from(header.frames);
    let samples: Vec<f32> = match kind {
        SILENT => vec![0.0; count],
        FLOAT => {
            body.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        }
        INT16 => body
            .chunks_exact(2)
            .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32_767.0)
            .collect(),
        _ => return None,
    };
    (samples.len() == count).then_some((header, samples))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_and_checked() {
        let on = read(r#"{"type":"noteOn","key":60,"velocity":0.5,"channel":3,"time":12.5}"#);
        let kind = EventKind::NoteOn { key: 60, velocity: 0.5 };
        assert_eq!(on, Ok(Request::Event(3, kind, Some(12.5))));
        let param = read(r#"{"type":"param","id":"amp.level","value":-6}"#);
        let kind = EventKind::Param { param: Param::AmpLevel, value: -6.0 };
        assert_eq!(param, Ok(Request::Event(0, kind, None)));
        for (text, error) in [
            ("", ProtocolError::Malformed),
            ("[]", ProtocolError::Malformed),
            (r#"{"type":"shutdown"}"#, ProtocolError::Malformed),
            (r#"{"type":"noteOn","key":60}"#, ProtocolError::Malformed),
            (r#"{"type":"noteOn","key":-1,"velocity":1}"#, ProtocolError::Malformed),
            (r#"{"type":"noteOn","key":128,"velocity":1}"#, ProtocolError::Range),
            (r#"{"type":"noteOn","key":60,"velocity":1e30}"#, ProtocolError::Range),
            (r#"{"type":"bend","value":-2}"#, ProtocolError::Range),
            (r#"{"type":"noteOff","key":60,"channel":16}"#, ProtocolError::Range),
            (r#"{"type":"noteOff","key":60,"time":"soon"}"#, ProtocolError::Malformed),
            (r#"{"type":"control","controller":200,"value":0}"#, ProtocolError::Range),
            (r#"{"type":"param","id":"amp.level","value":1e300}"#, ProtocolError::Range),
            (r#"{"type":"param","id":"../../etc/passwd","value":1}"#, ProtocolError::Param),
        ] {
            assert_eq!(read(text), Err(error), "{text}");
        }
        // Deep nesting is refused by the parser, not by the stack.
        assert_eq!(read(&"[".repeat(LONGEST_MESSAGE)), Err(ProtocolError::Malformed));
    }

    #[test]
    fn packets_come_back_as_they_were_written() {
        let samples: Vec<f32> = (0..16).map(|i| (i as f32 * 0.4).sin() * 0.9).collect();
        let header = PacketHeader { frame: 1 << 40, frames: 8, is_silent: false, number: 7 };
        let mut bytes = Vec::new();
        write_packet(header, Format::Float, &samples, &mut bytes);
        assert_eq!(bytes.len(), HEADER + 64);
        assert_eq!(read_packet(&bytes), Some((header, samples.clone())));
        assert_eq!(read_packet(&bytes[..bytes.len() - 1]), None);
        bytes.clear();
        write_packet(header, Format::Int16, &samples, &mut bytes);
        let (_, read) = read_packet(&bytes).unwrap();
        let error = read.iter().zip(&samples).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(error < 2.0 / 32_767.0, "{error}");
        bytes.clear();
        write_packet(PacketHeader { is_silent: true, ..header }, Format::Float, &[], &mut bytes);
        assert_eq!(bytes.len(), HEADER);
        assert_eq!(read_packet(&bytes).unwrap().1, [0.0; 16]);
    }
}
