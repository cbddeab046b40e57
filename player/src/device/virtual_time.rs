//! A device without sound in virtual time: it asks for frames when it is stepped.
//!
//! Hours of a test pass in minutes, and in the same way each time.

use super::{DEFAULT_BLOCK, DEFAULT_RATE, Device, DeviceContext, DeviceInfo, DeviceRequest, Host};

pub(crate) struct Virtual {
    info: DeviceInfo,
    context: DeviceContext,
    frames: [Vec<f32>; 2],
}

impl Virtual {
    pub(crate) fn new(device_request: &DeviceRequest, context: &DeviceContext) -> Self {
        let block = device_request.block.unwrap_or(DEFAULT_BLOCK) as usize;
        Self {
            info: DeviceInfo {
                name: "no sound, virtual time".to_owned(),
                host: Host::Virtual,
                rate: device_request.rate.unwrap_or(DEFAULT_RATE),
            },
            context: context.clone(),
            frames: [vec![0.0; block], vec![0.0; block]],
        }
    }
}

impl Device for Virtual {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn block(&self) -> usize {
        self.frames[0].len()
    }

    fn step(&mut self) {
        let [left, right] = &mut self.frames;
        let DeviceContext { handoff, device_id, .. } = &self.context;
        handoff.with_callback(*device_id, |callback| callback.fill(left, right));
    }
}
