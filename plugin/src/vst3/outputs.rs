//! Outputs besides the main one in VST3: which of them the host has activated, and memory for the others.
//!
//! nice-plug processes only when the host gives memory for every output. Hosts give none for those that
//! they have not activated, and some give fewer than there are.

use super::*;
use myriad_engine::OUTPUTS;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// All outputs with the main one.
const BUSES: usize = 1 + OUTPUTS;

/// What is known of the host's outputs.
#[derive(Default)]
pub(super) struct HostOutputs {
    /// The outputs besides the main one that are activated, a bit each.
    activated: AtomicU8,
    /// Those for which the host wants no channels, a bit each.
    empty: AtomicU8,
    /// Two channels for each output besides the main one, written by the host's setup, and by its processing,
    /// which VST3 keeps apart.
    spare: UnsafeCell<Vec<f32>>,
}

// SAFETY: VST3 hosts never set an instance up while it processes, and process on one thread at a time.
unsafe impl Sync for HostOutputs {}

impl HostOutputs {
    /// Offers all outputs, as a host would ask for them.
    pub(super) fn offer(wrapper: &Wrapper<Myriad>) {
        let mut inputs = [SpeakerArr::kStereo];
        let mut outputs = [SpeakerArr::kStereo; BUSES];
        // SAFETY: the pointers are to as many arrangements as is said.
        unsafe {
            wrapper.setBusArrangements(inputs.as_mut_ptr(), 0, outputs.as_mut_ptr(), BUSES as int32)
        };
    }

    pub(super) fn activated(&self) -> u8 {
        self.activated.load(Relaxed) & !self.empty.load(Relaxed)
    }

    /// The host asks for an arrangement of all outputs. Returns whether it is possible: the main output in
    /// stereo, the others in stereo or without channels, which JUCE asks for to switch them off.
    pub(super) fn arrange(&self, outputs: &[SpeakerArrangement]) -> bool {
        let [SpeakerArr::kStereo, others @ ..] = outputs else {
            return false;
        };
        let mut empty = 0;
        for (output, &arrangement) in others.iter().enumerate() {
            match arrangement {
                SpeakerArr::kStereo => {}
                SpeakerArr::kEmpty => empty |= 1 << output,
                _ => return false,
            }
        }
        let possible = others.len() == OUTPUTS;
        if possible {
            self.empty.store(empty, Relaxed);
        }
        possible
    }

    /// Whether the host wants no channels for a bus.
    pub(super) fn is_empty(&self, index: int32) -> bool {
        (1..=OUTPUTS as int32).contains(&index) && self.empty.load(Relaxed) >> (index - 1) & 1 == 1
    }

    /// The host activates a bus or deactivates it.
    pub(super) fn activate(&self, index: int32, active: bool) {
        let Some(output @ 0..OUTPUTS) = usize::try_from(index - 1).ok() else {
            return;
        };
        match active {
            true => self.activated.fetch_or(1 << output, Relaxed),
            false => self.activated.fetch_and(!(1 << output), Relaxed),
        };
    }

    /// Allocates for blocks of at most so many frames.
    ///
    /// # Safety
    /// The instance does not process meanwhile.
    pub(super) unsafe fn prepare(&self, frames: int32) {
        let frames = usize::try_from(frames).unwrap_or(0);
        // SAFETY: nobody else uses it, as the caller promises.
        unsafe { *self.spare.get() = vec![0.0; 2 * OUTPUTS * frames] };
    }

    /// Calls `process` with memory for every output.
    ///
    /// # Safety
    /// As `IAudioProcessor::process`.
    pub(super) unsafe fn process(
        &self,
        data: *mut ProcessData,
        process: impl FnOnce(*mut ProcessData) -> tresult,
    ) -> tresult {
        // SAFETY: the host promises that `data` is null or valid.
        let Some(given) = (unsafe { data.as_ref() }) else {
            return process(data);
        };
        let count = usize::try_from(given.numOutputs).unwrap_or(0).min(BUSES);
        let frames = usize::try_from(given.numSamples).unwrap_or(0);
        // SAFETY: this is the one thread that processes.
        let spare = unsafe { &mut *self.spare.get() };
        if given.outputs.is_null() || count == 0 || spare.len() < 2 * OUTPUTS * frames {
            return process(data);
        }
        let mut spare = spare.chunks_exact_mut(frames.max(1));
        let mut channels = [[std::ptr::null_mut::<f32>(); 2]; OUTPUTS];
        // SAFETY: zeros are a valid description of no channels.
        let mut buses: [AudioBusBuffers; BUSES] = unsafe { std::mem::zeroed() };
        for (index, bus) in buses.iter_mut().enumerate() {
            // SAFETY: the host gave so many.
            let host = (index < count).then(|| unsafe { *given.outputs.add(index) });
            match host {
                // The main output is the host's in any case.
                Some(host) if index == 0 || has_memory(&host) => *bus = host,
                _ => {
                    let own = &mut channels[index - 1];
                    for channel in own.iter_mut() {
                        *channel = spare.next().map_or(std::ptr::null_mut(), <[f32]>::as_mut_ptr);
                    }
                    bus.numChannels = 2;
                    bus.__field0.channelBuffers32 = own.as_mut_ptr();
                }
            }
        }
        let mut whole = *given;
        whole.numOutputs = BUSES as int32;
        whole.outputs = buses.as_mut_ptr();
        let result = process(&mut whole);
        for (index, bus) in buses.iter().enumerate().take(count) {
            // SAFETY: the host gave so many, and expects these flags to be written.
            unsafe { (*given.outputs.add(index)).silenceFlags = bus.silenceFlags };
        }
        result
    }
}

/// Whether a bus has memory for two channels.
fn has_memory(bus: &AudioBusBuffers) -> bool {
    // SAFETY: without 64-bit audio the pointer is to channels of 32 bits; it is null or valid for as many.
    unsafe {
        let channels = bus.__field0.channelBuffers32;
        bus.numChannels == 2
            && !channels.is_null()
            && !(*channels).is_null()
            && !(*channels.add(1)).is_null()
    }
}
