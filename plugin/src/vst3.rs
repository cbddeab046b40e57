//! The VST3 plugin: nice-plug's, with corrections.
//!
//! VST3 hosts send MIDI controllers as hidden parameters. nice-plug lists 2,080 of them, 130 for each
//! channel, and many hosts show them all, or try each at length when they load the plugin. This
//! lists only those that Myriad can tell apart, and names macros as the patch does. Everything else is
//! passed on to nice-plug.

mod factory;
mod outputs;
#[cfg(test)]
mod tests;

pub use factory::*;

use crate::Myriad;
use crate::new_instance;
use crate::outputs::with_activated;
use crate::shared::Shared;
use nice_plug::wrapper::vst3::Wrapper;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::ChannelContext::*;
use nice_plug::wrapper::vst3::vst3::Steinberg::Vst::{CString, *};
use nice_plug::wrapper::vst3::vst3::Steinberg::*;
use nice_plug::wrapper::vst3::vst3::{Class, ComRef};
use outputs::HostOutputs;
use std::sync::{Arc, OnceLock};

/// Controllers of a channel as VST3 numbers them: 128 of MIDI, channel pressure, pitch bend.
const CONTROLLERS: i16 = 130;
const PRESSURE: i16 = 128;
const PITCH_BEND: i16 = 129;
const CHANNELS: i16 = 16;

/// Controllers that differ from channel to channel: bend, pressure and brightness of MPE, and the
/// registered parameters that configure it. All others act on all channels.
const PER_CHANNEL: [i16; 7] = [6, 38, 74, 100, 101, PRESSURE, PITCH_BEND];

/// Hidden parameters that are listed: all controllers of the first channel, some of the others.
const LISTED: i32 = CONTROLLERS as i32 + (CHANNELS as i32 - 1) * PER_CHANNEL.len() as i32;
/// Hidden parameters of nice-plug, and the id of the first.
const HIDDEN: i32 = CONTROLLERS as i32 * CHANNELS as i32;
const FIRST_ID: u32 = (1 << 31) - HIDDEN as u32;

/// Frames of latency with the CPU.
const LATENCY: u32 = 64;

/// A controller of one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Controller {
    channel: i16,
    number: i16,
}

impl Controller {
    /// The listed controller with this index.
    fn listed(index: i32) -> Self {
        let (index, per_channel) = (index as i16, PER_CHANNEL.len() as i16);
        match index - CONTROLLERS {
            ..0 => Self { channel: 0, number: index },
            rest => Self {
                channel: 1 + rest / per_channel,
                number: PER_CHANNEL[(rest % per_channel) as usize],
            },
        }
    }

    /// The controller of a parameter, if it is one.
    fn of(id: ParamID) -> Option<Self> {
        let index = i16::try_from(id.checked_sub(FIRST_ID)?).ok()?;
        let controller = Self { channel: index / CONTROLLERS, number: index % CONTROLLERS };
        (controller.channel < CHANNELS).then_some(controller)
    }

    /// Its index among nice-plug's hidden parameters.
    fn index(self) -> i32 {
        i32::from(self.channel) * i32::from(CONTROLLERS) + i32::from(self.number)
    }

    /// Its name. Hosts such as pedalboard recognise hidden parameters by how their name begins.
    fn name(self) -> String {
        let controller = match self.number {
            PRESSURE => "Channel Pressure".into(),
            PITCH_BEND => "Pitch Bend".into(),
            number => number.to_string(),
        };
        match PER_CHANNEL.contains(&self.number) {
            true => format!("MIDI CC {controller} Ch. {}", self.channel + 1),
            false => format!("MIDI CC {controller}"),
        }
    }

    /// Its value while nothing has been sent, 0 to 1.
    fn default(self) -> ParamValue {
        match self.number {
            PITCH_BEND => 0.5,
            _ => 0.0,
        }
    }
}

/// One instance of the plugin.
struct Instance {
    wrapper: Wrapper<Myriad>,
    outputs: HostOutputs,
    shared: Arc<Shared>,
}

impl Instance {
    fn new() -> Self {
        let (wrapper, shared) = new_instance::make(Wrapper::new);
        HostOutputs::offer(&wrapper);
        Self { wrapper, outputs: HostOutputs::default(), shared }
    }
}

impl Class for Instance {
    type Interfaces = <Wrapper<Myriad> as Class>::Interfaces;
}

/// Methods that nice-plug implements as they should be.
macro_rules! pass_on {
    ($interface:ident: $(fn $method:ident($($name:ident: $type:ty),*) -> $result:ty;)*) => {$(
        unsafe fn $method(&self, $($name: $type),*) -> $result {
            // SAFETY: the caller promises what nice-plug asks for.
            unsafe { $interface::$method(&self.wrapper, $($name),*) }
        }
    )*};
}

impl IPluginBaseTrait for Instance {
    pass_on! { IPluginBaseTrait:
        fn initialize(context: *mut FUnknown) -> tresult;
    }

    unsafe fn terminate(&self) -> tresult {
        self.shared.macro_names.set_host(None);
        // SAFETY: the caller promises what nice-plug asks for.
        unsafe { self.wrapper.terminate() }
    }
}

impl IComponentTrait for Instance {
    pass_on! { IComponentTrait:
        fn getControllerClassId(class: *mut TUID) -> tresult;
        fn setIoMode(mode: IoMode) -> tresult;
        fn getBusCount(media: MediaType, direction: BusDirection) -> int32;
        fn getRoutingInfo(input: *mut RoutingInfo, output: *mut RoutingInfo) -> tresult;
        fn setState(state: *mut IBStream) -> tresult;
        fn getState(state: *mut IBStream) -> tresult;
    }

    /// Outputs besides the main one are not active until the host says so.
    unsafe fn getBusInfo(
        &self,
        media: MediaType,
        direction: BusDirection,
        index: int32,
        bus: *mut BusInfo,
    ) -> tresult {
        // SAFETY: the caller promises what nice-plug asks for.
        let result = unsafe { self.wrapper.getBusInfo(media, direction, index, bus) };
        if result == kResultOk && is_output(media, direction) && index > 0 {
            // SAFETY: nice-plug has written to it.
            unsafe { (*bus).flags &= !(BusInfo_::BusFlags_::kDefaultActive as uint32) };
        }
        result
    }

    unsafe fn activateBus(
        &self,
        media: MediaType,
        direction: BusDirection,
        index: int32,
        state: TBool,
    ) -> tresult {
        // SAFETY: the caller promises what nice-plug asks for.
        let result = unsafe { self.wrapper.activateBus(media, direction, index, state) };
        if result == kResultOk && is_output(media, direction) {
            self.outputs.activate(index, state != 0);
        }
        result
    }

    /// A host may deactivate the plugin without a word about processing. nice-plug would go on to wait
    /// for the next block with parameters that the host sets, and a project would keep the old ones.
    unsafe fn setActive(&self, state: TBool) -> tresult {
        // SAFETY: both may be called at any time; the caller promises the right thread.
        unsafe {
            if state == 0 {
                self.wrapper.setProcessing(0);
            }
            with_activated(self.outputs.activated(), || self.wrapper.setActive(state))
        }
    }
}

/// Descriptions of the listed parameters, the same for all instances: hosts ask for them so often that
/// they are kept.
static PARAMETERS: OnceLock<Vec<ParameterInfo>> = OnceLock::new();

impl Instance {
    fn parameters(&self) -> &'static [ParameterInfo] {
        PARAMETERS.get_or_init(|| {
            // SAFETY: it may be called at any time.
            let own = unsafe { self.wrapper.getParameterCount() } - HIDDEN;
            let own_parameters = (0..own).map(|index| self.describe(index));
            let controllers = (0..LISTED).map(Controller::listed).map(|controller| {
                let title = wide(&controller.name());
                ParameterInfo {
                    title,
                    shortTitle: title,
                    defaultNormalizedValue: controller.default(),
                    ..self.describe(own + controller.index())
                }
            });
            own_parameters.chain(controllers).collect()
        })
    }

    /// A description with the name of the patch's macro, if it is of one.
    fn with_macro_name(&self, info: ParameterInfo, index: i32) -> ParameterInfo {
        match self.shared.macro_names.of(index as usize).map(|name| wide(&name)) {
            Some(name) => ParameterInfo { title: name, shortTitle: name, ..info },
            None => info,
        }
    }

    /// nice-plug's description of a parameter.
    fn describe(&self, index: i32) -> ParameterInfo {
        // SAFETY: zeros are a valid description, and nice-plug overwrites it.
        unsafe {
            let mut info = std::mem::zeroed();
            self.wrapper.getParameterInfo(index, &mut info);
            info
        }
    }
}

impl IEditControllerTrait for Instance {
    pass_on! { IEditControllerTrait:
        fn setComponentState(state: *mut IBStream) -> tresult;
        fn setState(state: *mut IBStream) -> tresult;
        fn getState(state: *mut IBStream) -> tresult;
        fn getParamStringByValue(id: ParamID, value: ParamValue, string: *mut String128) -> tresult;
        fn getParamValueByString(
            id: ParamID, string: *mut TChar, value: *mut ParamValue
        ) -> tresult;
        fn normalizedParamToPlain(id: ParamID, value: ParamValue) -> ParamValue;
        fn plainParamToNormalized(id: ParamID, plain: ParamValue) -> ParamValue;
        fn setParamNormalized(id: ParamID, value: ParamValue) -> tresult;
        fn createView(name: FIDString) -> *mut IPlugView;
    }

    /// The host is told through the handler when macros have other names.
    unsafe fn setComponentHandler(&self, handler: *mut IComponentHandler) -> tresult {
        // SAFETY: the caller gives a handler or null.
        let own = unsafe { ComRef::from_raw(handler) }.map(|handler| handler.to_com_ptr());
        self.shared.macro_names.set_host(own.map(|handler| -> Arc<dyn Fn() + Send + Sync> {
            Arc::new(move || {
                // SAFETY: on the host's main thread. A host that cannot rename parameters says so, which is no harm.
                unsafe { handler.restartComponent(RestartFlags_::kParamTitlesChanged as int32) };
            })
        }));
        // SAFETY: the caller promises what nice-plug asks for.
        unsafe { self.wrapper.setComponentHandler(handler) }
    }

    unsafe fn getParameterCount(&self) -> int32 {
        self.parameters().len() as i32
    }

    unsafe fn getParameterInfo(&self, index: int32, info: *mut ParameterInfo) -> tresult {
        let known = usize::try_from(index).ok().and_then(|index| self.parameters().get(index));
        match known {
            Some(known) if !info.is_null() => {
                // SAFETY: not null, and the caller promises that it may be written to.
                unsafe { info.write(self.with_macro_name(*known, index)) };
                kResultOk
            }
            _ => kInvalidArgument,
        }
    }

    unsafe fn getParamNormalized(&self, id: ParamID) -> ParamValue {
        match Controller::of(id) {
            Some(controller) => controller.default(),
            // SAFETY: the caller promises what nice-plug asks for.
            None => unsafe { self.wrapper.getParamNormalized(id) },
        }
    }
}

impl IMidiMappingTrait for Instance {
    unsafe fn getMidiControllerAssignment(
        &self,
        bus: int32,
        channel: int16,
        number: CtrlNumber,
        id: *mut ParamID,
    ) -> tresult {
        let channel = match channel {
            0..CHANNELS if !PER_CHANNEL.contains(&number) => 0,
            _ => channel,
        };
        // SAFETY: the caller promises what nice-plug asks for.
        unsafe { self.wrapper.getMidiControllerAssignment(bus, channel, number, id) }
    }
}

impl IAudioProcessorTrait for Instance {
    pass_on! { IAudioProcessorTrait:
        fn canProcessSampleSize(size: int32) -> tresult;
        fn setProcessing(state: TBool) -> tresult;
        fn getTailSamples() -> uint32;
    }

    unsafe fn setBusArrangements(
        &self,
        inputs: *mut SpeakerArrangement,
        ins: int32,
        outputs: *mut SpeakerArrangement,
        outs: int32,
    ) -> tresult {
        if ins == 0 && outs > 1 && !outputs.is_null() {
            // SAFETY: the caller promises so many.
            let outputs = unsafe { std::slice::from_raw_parts(outputs, outs as usize) };
            if self.outputs.arrange(outputs) {
                HostOutputs::offer(&self.wrapper);
                return kResultOk;
            }
            return kResultFalse;
        }
        // SAFETY: the caller promises what nice-plug asks for.
        unsafe { self.wrapper.setBusArrangements(inputs, ins, outputs, outs) }
    }

    unsafe fn getBusArrangement(
        &self,
        direction: BusDirection,
        index: int32,
        arrangement: *mut SpeakerArrangement,
    ) -> tresult {
        // SAFETY: the caller promises what nice-plug asks for.
        let result = unsafe { self.wrapper.getBusArrangement(direction, index, arrangement) };
        let is_output = direction == BusDirections_::kOutput as BusDirection;
        if result == kResultOk && is_output && self.outputs.is_empty(index) {
            // SAFETY: nice-plug has written to it.
            unsafe { arrangement.write(SpeakerArr::kEmpty) };
        }
        result
    }

    unsafe fn setupProcessing(&self, setup: *mut ProcessSetup) -> tresult {
        // SAFETY: the caller promises what nice-plug asks for, and that it does not process meanwhile.
        unsafe {
            if let Some(setup) = setup.as_ref() {
                self.outputs.prepare(setup.maxSamplesPerBlock);
            }
            self.wrapper.setupProcessing(setup)
        }
    }

    unsafe fn process(&self, data: *mut ProcessData) -> tresult {
        // SAFETY: the caller promises what nice-plug asks for.
        unsafe { self.outputs.process(data, |data| self.wrapper.process(data)) }
    }

    unsafe fn getLatencySamples(&self) -> uint32 {
        // SAFETY: the caller promises what nice-plug asks for.
        match unsafe { self.wrapper.getLatencySamples() } {
            // Not activated yet: that of the CPU, which most instances render with.
            0 => LATENCY,
            latency => latency,
        }
    }
}

impl INoteExpressionControllerTrait for Instance {
    pass_on! { INoteExpressionControllerTrait:
        fn getNoteExpressionCount(bus: int32, channel: int16) -> int32;
        fn getNoteExpressionInfo(
            bus: int32, channel: int16, index: int32, info: *mut NoteExpressionTypeInfo
        ) -> tresult;
        fn getNoteExpressionStringByValue(
            bus: int32, channel: int16, id: NoteExpressionTypeID, value: NoteExpressionValue,
            string: *mut String128
        ) -> tresult;
        fn getNoteExpressionValueByString(
            bus: int32, channel: int16, id: NoteExpressionTypeID, string: *const TChar,
            value: *mut NoteExpressionValue
        ) -> tresult;
    }
}

impl IProcessContextRequirementsTrait for Instance {
    pass_on! { IProcessContextRequirementsTrait:
        fn getProcessContextRequirements() -> uint32;
    }
}

impl IUnitInfoTrait for Instance {
    pass_on! { IUnitInfoTrait:
        fn getUnitCount() -> int32;
        fn getUnitInfo(index: int32, info: *mut UnitInfo) -> tresult;
        fn getProgramListCount() -> int32;
        fn getProgramListInfo(index: int32, info: *mut ProgramListInfo) -> tresult;
        fn getProgramName(list: ProgramListID, index: int32, name: *mut String128) -> tresult;
        fn getProgramInfo(
            list: ProgramListID, index: int32, attribute: CString, value: *mut String128
        ) -> tresult;
        fn hasProgramPitchNames(list: ProgramListID, index: int32) -> tresult;
        fn getProgramPitchName(
            list: ProgramListID, index: int32, pitch: int16, name: *mut String128
        ) -> tresult;
        fn getSelectedUnit() -> UnitID;
        fn selectUnit(unit: UnitID) -> tresult;
        fn getUnitByBus(
            media: MediaType, direction: BusDirection, bus: int32, channel: int32,
            unit: *mut UnitID
        ) -> tresult;
        fn setUnitProgramData(list_or_unit: int32, index: int32, data: *mut IBStream) -> tresult;
    }
}

impl IInfoListenerTrait for Instance {
    pass_on! { IInfoListenerTrait:
        fn setChannelContextInfos(list: *mut IAttributeList) -> tresult;
    }
}

fn is_output(media: MediaType, direction: BusDirection) -> bool {
    media == MediaTypes_::kAudio as MediaType
        && direction == BusDirections_::kOutput as BusDirection
}

/// A text as VST3 writes it, ended by a zero.
fn wide(text: &str) -> String128 {
    let mut string = [0; 128];
    for (to, from) in string[..127].iter_mut().zip(text.encode_utf16()) {
        *to = from as TChar;
    }
    string
}
