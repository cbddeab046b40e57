//! Random clouds that no patch makes, but that a renderer must render correctly.

use super::{MakeRenderer, PARITY_DB, below, peak_difference_db, prepared, reference, same};
use myriad_engine::dsp::hash;
use myriad_engine::render::{Buses, MAX_TICKS, RenderError, Renderer, Section, TICK, VoiceBlock};
use myriad_engine::spectrum::unison::Mix;
use myriad_engine::spectrum::{
    Cloud, Description, Filter, FilterKind, MAX_COPIES, PARALLEL, Place, STARTS, Second, TURN,
    Table, Unison, UnisonVoice, fraction, of_fraction,
};
use myriad_engine::tracks::{PartialTrack, TableHandle, Tracks, encode};
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

const BUSES: usize = 3;

/// Numbers from a seed.
struct Random(u32);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9);
        hash(self.0)
    }

    /// Below `n`.
    fn below(&mut self, n: u32) -> u32 {
        self.bits() % n
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.bits() >> 8) as f32 / (1 << 24) as f32
    }

    /// `usual` half of the time, else between two numbers.
    fn perhaps(&mut self, usual: f32, low: f32, high: f32) -> f32 {
        match self.below(2) {
            0 => usual,
            _ => self.between(low, high),
        }
    }
}

/// A performance: for every tick, the voices by their first slots.
type Performance = Vec<Vec<(usize, UnisonVoice)>>;

fn performance(seed: u32, slots: usize, ticks: usize) -> Performance {
    let mut random = Random(seed);
    let mut sounding: Vec<Option<UnisonVoice>> = vec![None; slots];
    let mut tick = || {
        let mut voices = Vec::new();
        let mut slot = 0;
        while slot < slots {
            let voice = match sounding[slot] {
                // A slot may be taken over from one tick to the next.
                Some(last) if random.below(40) != 0 => Some(next_voice(&mut random, &last)),
                _ if random.below(4) == 0 => {
                    let copies = random.perhaps(1.0, 1.0, (MAX_COPIES + 1) as f32) as usize;
                    Some(start_voice(&mut random, slots, copies.min(slots - slot)))
                }
                _ => None,
            };
            let end = slot + voice.map_or(1, |voice| voice.unison.copies());
            sounding[slot..end].fill(None);
            sounding[slot] = voice;
            voices.extend(voice.map(|voice| (slot, voice)));
            slot = end;
        }
        voices
    };
    (0..ticks).map(|_| tick()).collect()
}

fn start_voice(random: &mut Random, slots: usize, copies: usize) -> UnisonVoice {
    let voice = UnisonVoice::single(&start(random, slots));
    if copies == 1 {
        return voice;
    }
    let spread = random.between(0.0, 1.0);
    let mix = Mix { spread, entry: random.perhaps(Mix::ALL_IN, 0.0, 1.0), ..voice.unison.to };
    let side = [0, 0, Unison::LEFT, Unison::RIGHT][random.below(4) as usize];
    let unison = Unison {
        shape: copies as u32 | side,
        seed_steps: [random.bits(), random.bits(), random.bits() >> 16],
        detune: random.perhaps(0.0, 0.0, 0.05),
        from: mix,
        to: mix,
        // A renderer takes over copies one by one.
        phase: 0,
        ..voice.unison
    };
    UnisonVoice::new(voice.description, unison)
}

/// The voice a tick later.
fn next_voice(random: &mut Random, last: &UnisonVoice) -> UnisonVoice {
    let UnisonVoice { description, unison, .. } = last;
    let cloud = next(random, &Cloud { increment: unison.increment, ..description.cloud() });
    let to = Mix {
        gain: unison.to.gain * random.between(0.9, 1.1),
        pan: unison.to.pan + random.between(-0.1, 0.1),
        spread: (unison.to.spread + random.between(-0.1, 0.1)).clamp(0.0, 1.0),
        entry: unison.to.entry + random.between(0.0, 0.1),
    };
    let unison = Unison {
        increment: cloud.increment,
        detune: unison.detune * random.between(0.95, 1.05),
        from: unison.to,
        to,
        band_clock: [random.bits(), unison.band_clock[1] + random.below(2)],
        ..*unison
    };
    UnisonVoice::new(Description::of(&cloud), unison)
}

fn table(random: &mut Random) -> Place {
    match random.below(4) {
        0 => imported(),
        _ => Table::ALL[random.below(Table::ALL.len() as u32) as usize].place(),
    }
}

fn second(random: &mut Random) -> Second {
    let share = random.perhaps(0.0, -1.0, 1.0);
    Second::at(table(random), random.between(0.0, 1.0), share)
}

fn start(random: &mut Random, slots: usize) -> Cloud {
    let table = table(random);
    let (frame, morph) = table.frame_at(random.between(0.0, 1.0));
    let hertz = 25.0 * 2.0_f32.powf(random.between(0.0, 8.5));
    let gain = [(); 2].map(|()| random.between(0.0, 4.0) / slots as f32);
    let width = fraction(random.perhaps(0.0, 0.0, 1.0));
    Cloud {
        // Filters in series or in parallel, and above that bit loudest levels of 0 to -3 dB.
        flags: STARTS | table.flags | (random.below(6) as u8 * PARALLEL),
        first_frame: random.below(TICK as u32) as u8,
        bus: random.below(BUSES as u32) as u8,
        seed: random.bits(),
        scatter: [0, 65_535, 20_000][random.below(3) as usize],
        table: table.first_row,
        frame,
        morph,
        partials: count(random),
        increment: hertz / 48_000.0 * TURN,
        formant: random.perhaps(1.0, 0.3, 3.0),
        stretch: random.perhaps(0.0, -0.3, 0.3),
        inharmonicity: random.perhaps(0.0, 0.0, 1e-3),
        parity: fraction(random.perhaps(0.0, -1.0, 1.0)),
        tilt: random.perhaps(0.0, -2.0, 0.2),
        damping: random.perhaps(0.0, 0.0, 2.0),
        damping_slope: random.between(0.0, 1.5),
        second: second(random),
        filters: [filter(random), filter(random)],
        scale: random.below(192) as u8,
        snap: random.perhaps(0.0, 0.0, 65_535.0) as u16,
        detune: random.perhaps(0.0, 0.0, 65_535.0) as u16,
        contrast: random.perhaps(0.0, -4_000.0, 16_000.0) as i16,
        gate: random.perhaps(0.0, 20_000.0, 65_535.0) as u16,
        smear: random.perhaps(0.0, 0.0, 40_000.0) as u16,
        gain_from: gain,
        gain_to: gain,
        width_from: width,
        width_to: width,
        phase: random.perhaps(0.0, 0.0, TURN) as u32,
        bandwidth: random.perhaps(0.0, 0.0, 0.26),
        band_growth: fraction(random.perhaps(1.0, 0.0, 1.99)),
        band_clock: random.bits(),
    }
}

/// An imported table: tracks of random pitch, level and phase. It is never dropped.
fn imported() -> Place {
    static TABLE_HANDLE: LazyLock<Option<TableHandle>> =
        LazyLock::new(|| tracks()?.table_handle().ok());
    TABLE_HANDLE.as_ref().map_or(Table::Saw.place(), TableHandle::place)
}

fn tracks() -> Option<Arc<Tracks>> {
    const FRAMES: usize = 24;
    let mut random = Random(77);
    let mut partial = |n: u32| PartialTrack {
        ratio: f64::from(n) * 1.003,
        noise: random.between(0.0, 1.0),
        levels: (0..FRAMES).map(|_| random.between(0.0, 0.2)).collect(),
        phases: (0..FRAMES).map(|_| random.between(0.0, 9.0).into()).collect(),
    };
    let partials: Vec<PartialTrack> = (1..=300).map(&mut partial).collect();
    let bytes = encode(220.0, 0.2, &[0.01; FRAMES], &partials);
    Tracks::from_bytes(bytes).ok()
}

fn count(random: &mut Random) -> f32 {
    match random.below(4) {
        0 => random.between(0.0, 20.0),
        1 => random.between(16.0, 128.0),
        2 => 16.0 * random.below(64) as f32,
        _ => random.between(0.0, 1024.0),
    }
}

fn filter(random: &mut Random) -> Filter {
    let inverse_cutoff = 1.0 / (random.between(0.002, 0.4) * TURN);
    let kind = FilterKind::ALL[random.below(FilterKind::ALL.len() as u32) as usize];
    match kind {
        // No filter in half of the cases, as most sounds have one filter or none.
        _ if random.below(2) == 0 => Filter::default(),
        FilterKind::Comb | FilterKind::OddComb => {
            let damping = random.perhaps(0.0, 0.0, 0.3);
            Filter::comb(kind, inverse_cutoff, random.between(0.0, 0.97), damping)
        }
        FilterKind::Phaser => {
            let feedback = random.between(0.0, 0.97);
            Filter::phaser(inverse_cutoff, feedback, random.between(0.5, 4.0))
        }
        FilterKind::Formant => {
            let depth = random.between(0.5, 1.7);
            Filter::formant(inverse_cutoff, depth, random.between(0.0, 1.0))
        }
        FilterKind::Drawn => {
            let mut point = |_| random.between(-48.0, 12.0);
            Filter::drawn(inverse_cutoff, std::array::from_fn(&mut point))
        }
        _ => Filter::poles(kind, inverse_cutoff, random.between(0.5, 2.0)),
    }
}

/// The cloud a tick later: most values change a little, the number of partials sometimes jumps.
fn next(random: &mut Random, last: &Cloud) -> Cloud {
    let mut cloud = Cloud {
        flags: last.flags & !STARTS,
        first_frame: 0,
        increment: last.increment * random.between(0.995, 1.005),
        morph: (last.morph + random.between(-0.05, 0.05)).clamp(0.0, 1.0),
        second: Second {
            share: fraction(of_fraction(last.second.share) * random.between(0.9, 1.0)),
            ..last.second
        },
        damping: last.damping * 1.02,
        bandwidth: last.bandwidth * random.between(0.9, 1.1),
        width_from: last.width_to,
        width_to: fraction(of_fraction(last.width_to) * random.between(0.9, 1.0)),
        ..*last
    };
    for filter in &mut cloud.filters {
        filter.inverse_cutoff *= random.between(0.95, 1.05);
    }
    match random.below(12) {
        0 => cloud.partials = count(random),
        1 => cloud.partials = (last.partials + random.between(-3.0, 3.0)).clamp(0.0, 1024.0),
        _ => {}
    }
    cloud
}

/// Renders a performance in blocks of the given numbers of ticks, in turn, with `depth` of them in
/// flight.
fn play(
    renderer: &mut dyn Renderer,
    slots: usize,
    performance: &Performance,
    blocks: &[usize],
    depth: usize,
) -> Result<Vec<f32>, String> {
    // The blocks in flight, and the one that is being written.
    let made = (0..=depth).map(|_| Arc::new(VoiceBlock::new(slots)));
    let mut idle: Vec<_> = made.collect();
    let mut in_flight = VecDeque::new();
    let mut out = Vec::new();
    let mut collect = |renderer: &mut dyn Renderer, block: &VoiceBlock| {
        let mut buses = Buses::new(BUSES);
        let collected = renderer.collect(&mut buses);
        collected.map_err(|error| error.to_string())?;
        for frame in 0..block.ticks() * TICK {
            for bus in 0..BUSES {
                out.extend(buses.bus(bus).map(|side| side[frame]));
            }
        }
        Ok::<(), String>(())
    };
    let mut sizes = blocks.iter().cycle();
    let mut rest = &performance[..];
    while let Some(&size) = sizes.next().filter(|_| !rest.is_empty()) {
        let (now, later) = rest.split_at(size.min(rest.len()));
        rest = later;
        let mut shared = idle.remove(0);
        let mut block = VoiceBlock::reuse(&mut shared);
        for voices in now {
            block.start_tick();
            voices.iter().for_each(|(slot, voice)| block.push_voice(*slot, voice));
        }
        drop(block);
        let submitted = renderer.submit(&shared);
        submitted.map_err(|error| error.to_string())?;
        in_flight.push_back(shared);
        if in_flight.len() == depth
            && let Some(oldest) = in_flight.pop_front()
        {
            collect(renderer, &oldest)?;
            idle.push(oldest);
        }
    }
    for block in in_flight {
        collect(renderer, &block)?;
    }
    Ok(out)
}

pub(super) fn clouds_match_the_reference(make: MakeRenderer<'_>) -> Result<String, String> {
    let (rounds, slots, ticks) = (3, 40, 64);
    let mut worst = f64::NEG_INFINITY;
    for round in 0..rounds {
        let performance = performance(round, slots, ticks);
        let play = |make, blocks: &[usize]| {
            let mut renderer = prepared(make, slots, BUSES)?;
            play(&mut *renderer, slots, &performance, blocks, 1)
        };
        let expected = play(&reference, &[1])?;
        let got = play(make, &[MAX_TICKS])?;
        if !same(&got, &play(make, &[1, 3, 2, 5])?) {
            return Err(format!("performance {round} depends on how ticks are cut"));
        }
        worst = worst.max(peak_difference_db(&expected, &got));
    }
    let measured = format!("{worst:.1} dBFS at worst, {rounds} performances of {slots} clouds");
    below(PARITY_DB, worst, measured)
}

pub(super) fn flight_does_not_matter(make: MakeRenderer<'_>) -> Result<String, String> {
    let (slots, ticks) = (24, 40);
    let mut renderer = prepared(make, slots, BUSES)?;
    let depth = renderer.depth();
    let nothing = renderer.collect(&mut Buses::new(BUSES));
    if nothing != Err(RenderError::OutOfTurn) {
        return Err(format!("collecting without submitting gives {nothing:?}"));
    }
    if depth == 1 {
        return Ok("one block at a time".into());
    }
    let performance = performance(100, slots, ticks);
    let mut play = |depth, blocks: &[usize]| {
        renderer.reset();
        play(&mut *renderer, slots, &performance, blocks, depth)
    };
    let expected = play(1, &[3])?;
    for blocks in [&[1][..], &[MAX_TICKS], &[2, 7, 1, 3]] {
        if !same(&expected, &play(depth, blocks)?) {
            return Err(format!("blocks of {blocks:?} ticks get into each other's way"));
        }
    }
    Ok(format!("{depth} blocks at once, bit for bit"))
}

/// Clients that use a renderer together, in turns and with different numbers of ticks, each sound as they
/// do alone, bit for bit. Not among the checks of all renderers: only the render service combines
/// clients, before it submits their blocks.
///
/// # Errors
/// What differs, or why the renderer failed.
pub fn clients_do_not_matter(make: MakeRenderer<'_>) -> Result<String, String> {
    const CLIENTS: usize = 4;
    let slots: [usize; CLIENTS] = [40, 100, 3, 70];
    let mut first_slots = [0; CLIENTS];
    for client in 1..CLIENTS {
        let before = slots[client - 1].next_multiple_of(Section::SLOTS);
        first_slots[client] = first_slots[client - 1] + before;
    }
    let all = first_slots[CLIENTS - 1] + slots[CLIENTS - 1];
    let performances = [0, 1, 2, 3].map(|n| performance(200 + n as u32, slots[n], 24));
    let mut renderer = prepared(make, all, CLIENTS * BUSES)?;
    let mut block = Arc::new(VoiceBlock::shared(all, 220));
    let mut rest = performances.each_ref().map(|performance| &performance[..]);
    let mut heard: [Vec<f32>; CLIENTS] = Default::default();
    let mut random = Random(7);
    while rest.iter().any(|rest| !rest.is_empty()) {
        let mut writing = VoiceBlock::reuse(&mut block);
        let (mut taken, mut ticks_of) = (Vec::new(), Vec::new());
        for client in 0..CLIENTS {
            let ticks = random.below(MAX_TICKS as u32 + 1) as usize;
            let (now, later) = rest[client].split_at(ticks.min(rest[client].len()));
            // Nobody is asked to mix a client that is silent.
            if now.iter().all(Vec::is_empty) {
                continue;
            }
            rest[client] = later;
            let first_bus = taken.len() * BUSES;
            taken.push((client, now.len()));
            let section = Section { first_slot: first_slots[client], first_bus, buses: BUSES };
            if !writing.start_section(section, now.len(), slots[client]) {
                return Err("there is no room for all voices".into());
            }
            ticks_of.push(now);
        }
        for (mut section, ticks) in writing.section_writers().zip(ticks_of) {
            for (tick, voices) in ticks.iter().enumerate() {
                voices.iter().for_each(|(slot, voice)| assert!(section.put(tick, *slot, voice)));
            }
        }
        drop(writing);
        let mut buses = Buses::new(CLIENTS * BUSES);
        renderer.render(&block, &mut buses).map_err(|error| error.to_string())?;
        for (place, &(client, ticks)) in taken.iter().enumerate() {
            for frame in 0..ticks * TICK {
                for bus in place * BUSES..(place + 1) * BUSES {
                    heard[client].extend(buses.bus(bus).map(|side| side[frame]));
                }
            }
        }
    }
    for client in 0..CLIENTS {
        let count = slots[client];
        let mut alone = prepared(make, count, BUSES)?;
        let expected = play(&mut *alone, count, &performances[client], &[3], 1)?;
        if !same(&expected, &heard[client]) {
            return Err(format!("client {client} sounds different among others"));
        }
    }
    Ok(format!("{CLIENTS} clients, bit for bit"))
}
