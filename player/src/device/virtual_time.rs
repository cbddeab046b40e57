//! A device without sound and without a clock: it asks for frames when it is told to.
//!
//! Time is a number here, so hours pass in minutes, and the same way each time.

use super::{Device, DeviceContext, DeviceRequest, Host, USUAL_BLOCK, USUAL_RATE};

/// Asks for a block each time it is stepped.
pub(crate) struct Virtual {
    rate: u32,
    context: DeviceContext,
    frames: [Vec<f32>; 2],
}

impl Virtual {
    pub(crate) fn new(device_request: &DeviceRequest, context: &DeviceContext) -> Self {
        let block = device_request.block.unwrap_or(USUAL_BLOCK) as usize;
        Self {
            rate: device_request.rate.unwrap_or(USUAL_RATE),
            context: context.clone(),
            frames: [vec![0.0; block], vec![0.0; block]],
        }
    }
}

impl Device for Virtual {
    fn name(&self) -> String {
        "no sound, no waiting".to_owned()
    }

    fn host(&self) -> Host {
        Host::Virtual
    }

    fn rate(&self) -> u32 {
        self.rate
    }

    fn block(&self) -> usize {
        self.frames[0].len()
    }

    fn failure(&self) -> Option<String> {
        None
    }

    fn xruns(&self) -> u64 {
        0
    }

    fn step(&mut self) {
        let [left, right] = &mut self.frames;
        let DeviceContext {
            handoff, device_id, ..
        } = &self.context;
        handoff.perform(*device_id, |callback| callback.fill(left, right));
    }
}
