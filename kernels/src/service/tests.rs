//! Both sides in one process, with valid and with invalid data.

use super::futex_counter::{FutexCounter, SPIN};
use super::handshake::{self, Hello};
use super::layout::{ANSWERED, ASKED, Layout, MAX_SLOTS, SharedSegment};
use super::memory::SharedMemory;
use super::request_reader::RequestReader;
use super::tables::ClientTables;
use myriad_engine::dsp::hash;
use myriad_engine::render::{
    Buses, Capacity, CpuRenderer, MAX_TICKS, Reason, Renderer, Section, TICK, VoiceBlock,
};
use myriad_engine::spectrum::unison::Mix;
use myriad_engine::spectrum::{
    Cloud, Description, IMPORTED_ROWS, MAX_PARTIALS, STARTS, Table, Unison, UnisonVoice, tables,
};
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

const CAPACITY: Capacity = Capacity { slots: 9, buses: 2 };

fn segment() -> SharedSegment {
    let layout = Layout::new(CAPACITY).unwrap();
    let (memory, _) = SharedMemory::new(layout.words()).unwrap();
    SharedSegment { memory, layout }
}

/// A block in which voices come and go; the last has four copies.
fn block() -> VoiceBlock {
    let mut block = VoiceBlock::new(CAPACITY.slots);
    let (frame, morph) = Table::Saw.frame_at(0.4);
    for tick in 0..MAX_TICKS {
        block.start_tick();
        for slot in (0..CAPACITY.slots - 3).filter(|slot| (slot + tick) % 3 != 0) {
            let cloud = Cloud {
                flags: if slot == tick { STARTS } else { 0 },
                bus: slot as u8 % 2,
                table: Table::Saw.first_row(),
                frame,
                morph,
                partials: 3.0 * slot as f32,
                increment: 1e7 * (slot + 1) as f32,
                gain_to: [0.1; 2],
                ..Cloud::default()
            };
            let mut voice = UnisonVoice::single(&cloud);
            if slot + 4 == CAPACITY.slots {
                let to = Mix { spread: 0.5, ..voice.unison.to };
                voice.unison = Unison { shape: 4, detune: 0.01, to, ..voice.unison };
            }
            block.push_voice(slot, &voice);
        }
    }
    block
}

/// The service's side of a client.
struct Server {
    reader: RequestReader,
    tables: ClientTables,
    block: Arc<VoiceBlock>,
}

impl Server {
    fn new() -> Self {
        let block = Arc::new(VoiceBlock::shared(CAPACITY.slots, CAPACITY.slots));
        Self { reader: RequestReader::new(CAPACITY), tables: ClientTables::new(), block }
    }

    /// Reads a request into the block.
    fn read(&mut self, segment: &SharedSegment, number: u32) -> Result<bool, &'static str> {
        let head = segment.read_head(number)?;
        let mut block = VoiceBlock::reuse(&mut self.block);
        let section = Section { first_slot: 0, first_bus: 0, buses: CAPACITY.buses };
        if !block.start_section(section, head.ticks, head.voices as usize) {
            return Err("no room");
        }
        for mut section in block.section_writers() {
            self.reader.read(segment, number, &head, &self.tables, &mut section)?;
        }
        Ok(head.reset)
    }
}

#[test]
fn blocks_arrive_as_they_were_sent() {
    let (segment, sent) = (segment(), block());
    for (number, reset) in [(0, false), (1, true), (u32::MAX, false)] {
        segment.ask(number, reset, &sent);
        let mut server = Server::new();
        for is_first in [true, false] {
            assert_eq!(server.read(&segment, number), Ok(reset));
            let got = &server.block;
            assert_eq!(got.ticks(), sent.ticks());
            for slot in 0..CAPACITY.slots {
                let mut is_first = is_first;
                for tick in 0..MAX_TICKS {
                    let mut expected = sent.cloud(slot, tick);
                    if let Some(cloud) = &mut expected {
                        // A slot that has not sounded before cannot continue a cloud.
                        cloud.flags |= if std::mem::take(&mut is_first) { STARTS } else { 0 };
                    }
                    assert_eq!(got.cloud(slot, tick), expected);
                }
            }
        }
    }
}

/// Its unison voices are one for each copy in the first tick, so that each has its phase, and go on as one from the second on. If
/// that one started again, the sound would be torn.
#[test]
fn a_client_that_changes_to_the_service_goes_on_in_phase() {
    let (segment, sounding) = (segment(), block());
    let mut sent = Arc::new(VoiceBlock::new(CAPACITY.slots));
    sounding.introduce(&mut sent);
    segment.ask(0, false, &sent);
    let mut server = Server::new();
    assert_eq!(server.read(&segment, 0), Ok(false));
    let first = CAPACITY.slots - 4;
    let copies = |tick| sent.voice(first, tick).map(|voice| voice.unison.copies());
    let ticks: Vec<usize> = (0..MAX_TICKS).filter(|&tick| copies(tick).is_some()).collect();
    assert_eq!((copies(ticks[0]), copies(ticks[1])), (Some(1), Some(4)));
    for slot in first..CAPACITY.slots {
        for &tick in &ticks {
            let starts = |block: &VoiceBlock| block.summary(slot).starts >> tick & 1;
            assert_eq!(starts(&server.block), starts(&sent), "slot {slot}, tick {tick}");
            assert_eq!(server.block.cloud(slot, tick), sent.cloud(slot, tick));
        }
    }
}

#[test]
fn sound_arrives_as_it_was_sent() {
    let segment = segment();
    let mut sent = Buses::new(CAPACITY.buses);
    for bus in 0..CAPACITY.buses {
        for (side, samples) in sent.bus_mut(bus).into_iter().enumerate() {
            let number = |frame| (bus * 10_000 + side * 1_000 + frame) as f32;
            (0..).zip(samples).for_each(|(i, x)| *x = number(i).sin());
        }
    }
    for (number, ticks) in [(0, 3), (1, MAX_TICKS), (2, 0)] {
        let mut heard = Buses::new(CAPACITY.buses);
        segment.answer(number, ticks, 77, &sent, 0);
        assert_eq!(segment.read_answer(number, ticks, &mut heard), Ok(77));
        for bus in 0..CAPACITY.buses {
            for (heard, sent) in heard.bus(bus).into_iter().zip(sent.bus(bus)) {
                assert_eq!(heard[..ticks * TICK], sent[..ticks * TICK]);
                assert!(heard[ticks * TICK..].iter().all(|&x| x == 0.0));
            }
        }
    }
}

/// Invalid requests must not crash the service, whatever its renderer does with clouds.
#[test]
fn corrupted_requests_are_refused_or_rendered_without_a_crash() {
    let (segment, sent) = (segment(), block());
    let mut renderer = CpuRenderer::new(1);
    renderer.prepare(CAPACITY).unwrap();
    let mut server = Server::new();
    let mut buses = Buses::new(CAPACITY.buses);
    let (mut refused, mut rendered) = (0, 0);
    for round in 0..4_000_u32 {
        segment.ask(0, false, &sent);
        let words = segment.memory.words(0..400);
        for change in 0..1 + round % 3 {
            let random = |salt: u32| hash(round.wrapping_mul(31).wrapping_add(hash(change + salt)));
            // Every other change hits the head.
            let at = random(1) as usize % [16, words.len()][random(2) as usize % 2];
            let value = u64::from(random(3)) << 32 | u64::from(random(4));
            let value = [value, value % 20, value >> 32, u64::MAX][random(5) as usize % 4];
            words[at].store(value, Ordering::Relaxed);
        }
        match server.read(&segment, 0) {
            Ok(_) => {
                renderer.render(&server.block, &mut buses).unwrap();
                rendered += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 500 && rendered > 500, "{refused}, {rendered}");
}

#[test]
fn places_out_of_bounds_are_refused() {
    let (segment, sent) = (segment(), block());
    let slots = CAPACITY.slots as u64;
    segment.ask(0, false, &sent);
    // The ticks of the first voice, whose slot is 0.
    let ticks = segment.memory.words(0..17)[16].load(Ordering::Relaxed);
    // The first word after the head: slot and ticks of the first voice. Some words on: its shape.
    let shape = 17 + size_of::<Description>() / size_of::<u64>();
    for (at, word, expected) in [
        (16, ticks | slots, "a voice of more copies than it has slots"),
        (16, u64::MAX, "a voice in no tick of the block"),
        (16, 0, "a voice in no tick of the block"),
        (16, ticks | (slots - 1), "slots that do not rise"),
        (shape, 0, "a voice of more copies than it has slots"),
        (shape, slots + 1, "a voice of more copies than it has slots"),
        (shape, slots, "slots that do not rise"),
        (shape, 17, "a voice of more copies than it has slots"),
    ] {
        segment.ask(0, false, &sent);
        segment.memory.words(0..shape + 1)[at].store(word, Ordering::Relaxed);
        assert_eq!(Server::new().read(&segment, 0), Err(expected), "{at}: {word:x}");
    }
}

#[test]
fn clouds_out_of_bounds_are_refused() {
    let last_row = |cloud: &mut Cloud| {
        cloud.frame = (tables().rows().len() / MAX_PARTIALS + IMPORTED_ROWS) as u16 - 1;
    };
    let faults: [fn(&mut Cloud); 8] = [
        |cloud| cloud.bus = 2,
        |cloud| cloud.first_frame = TICK as u8,
        |cloud| cloud.table = u16::MAX,
        |cloud| cloud.scale = u8::MAX,
        last_row,
        |cloud| cloud.partials = f32::NAN,
        |cloud| cloud.partials = 2_000.0,
        |cloud| cloud.partials = -1.0,
    ];
    let segment = segment();
    for fault in faults {
        let mut cloud = block().cloud(1, 0).unwrap();
        fault(&mut cloud);
        let mut sent = VoiceBlock::new(CAPACITY.slots);
        sent.start_tick();
        sent.push(0, cloud);
        segment.ask(0, false, &sent);
        assert!(Server::new().read(&segment, 0).is_err(), "{cloud:?}");
    }
}

#[test]
fn invalid_answers_are_errors() {
    let segment = segment();
    let mut buses = Buses::new(CAPACITY.buses);
    let mut read = |number| segment.read_answer(number, 1, &mut buses).unwrap_err().to_string();
    let silence = Buses::new(CAPACITY.buses);
    segment.answer(0, 1, 0, &silence, 0);
    assert!(read(2).contains("something else"));
    segment.answer(0, 1, 9 * MAX_PARTIALS + 1, &silence, 0);
    assert!(read(0).contains("partials"));
    let mut noise = Buses::new(CAPACITY.buses);
    noise.bus_mut(1)[1][TICK - 1] = f32::INFINITY;
    segment.answer(0, 1, 0, &noise, 0);
    assert!(read(0).contains("no numbers"));
    segment.answer_failure(1, &Reason::new("the GPU is on fire"));
    assert_eq!(read(1), "the GPU is on fire");
}

#[test]
fn handshakes_of_other_programs_and_versions_are_refused() {
    let words = |words: &[u64]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let met = |bytes: &[u8]| {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(bytes).unwrap();
        drop(ours);
        handshake::receive_hello(&theirs)
    };
    assert!(met(b"").is_err());
    assert!(met(b"GET / HTTP/1.1\r\n\r\n").is_err());
    let mut hello = words(&[u64::from_be_bytes(*b"MYRIADAS"), 99, 0, 0, 0, 0, 0, 0, 0]);
    hello.extend([b"9.9.9", &[0; 27][..]].concat());
    let Ok(Hello::Refused(refusal)) = met(&hello) else {
        panic!("it is not refused");
    };
    assert!(refusal.contains("9.9.9 (protocol 99)"), "{refusal}");
}

#[test]
fn memory_that_is_not_sealed_or_too_small_is_refused() {
    let (_, file) = SharedMemory::new(600).unwrap();
    assert!(SharedMemory::open(&file, 600).is_ok());
    assert!(SharedMemory::open(&file, 601).is_err());
    let flags = rustix::fs::MemfdFlags::ALLOW_SEALING;
    let unsealed = rustix::fs::memfd_create("loose", flags).unwrap();
    rustix::fs::ftruncate(&unsealed, 1 << 20).unwrap();
    assert!(SharedMemory::open(&unsealed, 600).is_err());
    // More than any service holds is refused before anything is mapped.
    let refused = handshake::open(Capacity { slots: MAX_SLOTS + 1, buses: 1 }, Some(file));
    assert!(refused.is_err_and(|reason| reason.contains("65537 clouds were asked for")));
    for slots in [usize::MAX, usize::MAX / 200] {
        assert!(Layout::new(Capacity { slots, buses: 1 }).is_none());
    }
}

#[test]
fn no_increment_is_missed() {
    const ROUNDS: u32 = 20_000;
    let (memory, _) = SharedMemory::new(0).unwrap();
    let [there, back]: [&FutexCounter; 2] =
        [memory.futex_counter(ASKED), memory.futex_counter(ANSWERED)];
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..ROUNDS {
                assert!(there.wait(round, SPIN, None));
                back.increment();
            }
        });
        for round in 0..ROUNDS {
            // Sometimes long enough for the other thread to leave its spin loop and sleep.
            if round % 500 == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            there.increment();
            assert!(back.wait(round, SPIN, None));
        }
    });
    assert!(!back.wait(ROUNDS, SPIN, Some(Duration::from_millis(3))));
}
